"""The bridge to PlotJuggler, read as its ZMQ plugin reads: a topic, then a JSON object."""

import contextlib
import json
import math
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import zmq

from playhead.bus.bridges.frame_view import frame_view
from playhead.bus.bridges.plotjuggler import PlotJuggler, message_of
from playhead.bus.client.client import Client
from playhead.errors import CapacityError

from ...support.waits import LIMIT


class Sample(NamedTuple):
    time: float
    values: dict[str, Any]

    @property
    def cursor(self) -> dict[str, Any]:
        return self.values["cursor"]


class Plugin:
    """The receiving half of PlotJuggler's "ZMQ Subscriber"."""

    def __init__(self, address: str) -> None:
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.connect(address)
        self._socket.subscribe("")
        self.newest = Sample(0.0, {"cursor": {"frame": 0}})

    def receive(self, seconds: float = LIMIT) -> Sample:
        assert self._socket.poll(seconds * 1000), "nothing came"
        topic, payload = self._socket.recv_multipart()
        assert topic == b"playhead"
        values = json.loads(payload)
        self.newest = Sample(values["timestamp"], values)
        return self.newest

    def await_frame(self, frame: int) -> Sample:
        end = time.monotonic() + LIMIT
        while self.newest.cursor["frame"] != frame:
            assert time.monotonic() < end, f"the newest is {self.newest.cursor}"
            self.receive()
        return self.newest

    def close(self) -> None:
        self._socket.close(linger=0)
        self._context.term()


@contextlib.contextmanager
def plugin(address: str) -> Iterator[Plugin]:
    made = Plugin(address)
    try:
        yield made
    finally:
        made.close()


def test_the_curves_show_the_playheads_instant_live_paused_and_scrubbed(game, bridge):
    playing = game()
    playing.run(20)
    bridging = bridge("plotjuggler", playing.endpoint, "--bind", "127.0.0.1:*")
    with plugin(bridging.address) as plots, Client(playing.endpoint) as tool:
        first = plots.await_frame(20)  # also whoever comes late, and while nothing happens
        assert first.time == pytest.approx(20 / 64)
        assert first.cursor["live"] == 1
        playing.run(12)
        assert plots.await_frame(32).values["ball_2"]["position"]["x"] == pytest.approx(2 + 2 * 0.5)
        tool.seek(frame=8)
        sample = plots.await_frame(8)
        assert sample.time == 0.125
        assert sample.values["ball_1"] == {
            "position": {"x": 1.125, "y": 0.0, "z": 0.0}, "speed": 1.0,
            "visible": 1.0, "targetable": 1.0,
        }  # fmt: skip
        assert (sample.cursor["live"], sample.cursor["playing"]) == (0, 0)
        tool.step(-3)
        assert plots.await_frame(5).time == 5 / 64
        tool.leave()
        assert plots.await_frame(32).cursor["live"] == 1
    assert bridging.ended() == ""


def test_a_second_plotjuggler_is_shown_the_playhead_at_once(game, bridge):
    playing = game()
    playing.run(5)
    bridging = bridge("plotjuggler", playing.endpoint, "--bind", "127.0.0.1:*")
    for _ in range(2):
        with plugin(bridging.address) as plots:
            assert plots.await_frame(5).cursor["time"] == 5 / 64


@pytest.mark.slow
def test_a_slow_plotjuggler_skips_to_the_newest_and_holds_nobody_up(stage):
    scene = stage()
    for number in range(200):  # so much that it finds no room in the system's buffers
        scene.session.watch(f"{number} {'long ' * 200}", 1.0)
    picture = frame_view(scene.source, scene.step())
    sink = PlotJuggler("127.0.0.1:*")
    with plugin(sink.endpoint) as plots:
        try:
            asked = time.monotonic()
            while not sink.tick():
                assert time.monotonic() < asked + LIMIT
            for frame in range(1, 2000):
                now = picture.now
                sink.show(picture._replace(now=type(now)(
                    origin="", sequence=frame, mode="live", frame=frame, time=frame / 64
                )))  # fmt: skip
            seen = set()
            pause = threading.Event()
            while plots.newest.cursor["frame"] != 1999:
                assert time.monotonic() < asked + LIMIT
                sink.tick()
                with contextlib.suppress(AssertionError):
                    seen.add(plots.receive(0.01).cursor["frame"])
                pause.wait(0.001)
            assert len(seen) < 1999
        finally:
            sink.close()


def test_what_is_no_number_in_json_is_left_out(stage):
    scene = stage()
    for name, value in (("nothing", math.nan), ("all", math.inf), ("some", 2.5)):
        scene.session.watch(name, value)
    picture = frame_view(scene.source, scene.step())
    assert message_of(picture)["world"] == {"some": 2.5}


def test_dots_in_names_make_maps_and_nothing_is_lost_where_they_cannot(stage):
    scene = stage()
    for number, name in enumerate(("a.b", "a", "c", "c.d.e", "f.g", "f.h")):
        scene.session.watch(name, number)
    result = message_of(frame_view(scene.source, scene.step()))["world"]
    assert result == {"f": {"g": 4.0, "h": 5.0}, "c": 2.0, "c.d.e": 3.0, "a": 1.0, "a.b": 0.0}


def test_no_object_is_taken_for_the_cursor_or_the_time(stage):
    scene = stage()
    scene.session.name(1, "cursor")
    scene.session.name(2, "timestamp")
    result = message_of(frame_view(scene.source, scene.step()))
    assert (result["cursor"]["frame"], result["timestamp"]) == (1, 1 / 64)
    assert result["cursor_1"]["position"]["x"] == result["timestamp_2"]["position"]["x"] == 1.0


def test_an_address_that_is_taken_is_reported():
    sink = PlotJuggler("127.0.0.1:*")
    try:
        with pytest.raises(CapacityError, match="give another address"):
            PlotJuggler(sink.endpoint)
    finally:
        sink.close()


class Full:
    """A socket whose queue has no room until it is told to have some."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.has_room = False
        self.sent: list[Any] = []

    def send_multipart(self, parts: Any, flags: int) -> None:
        if not self.has_room:
            raise zmq.Again
        self.sent.append(json.loads(parts[1])["cursor"]["frame"])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


def test_of_instants_that_find_no_room_the_newest_is_sent_at_a_later_tick(stage, monkeypatch):
    scene = stage()
    sink = PlotJuggler("127.0.0.1:*")
    sink.begin(lambda: None)
    full = Full(sink._socket)
    monkeypatch.setattr(sink, "_socket", full)
    try:
        for _ in range(2):
            sink.show(frame_view(scene.source, scene.step()))
        assert not sink.tick()
        full.has_room = True
        sink.tick()
        sink.tick()
    finally:
        sink.close()
    assert full.sent == [2]
