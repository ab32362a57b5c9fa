"""The bridge to Foxglove, seen by a client that speaks its WebSocket protocol."""

import contextlib
import itertools
import json
import struct
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from playhead.bus.client.client import Client
from playhead.playback.commands import Enter
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.statements.statement_messages import TransitionStatement

from ...support.waits import LIMIT, until

pytest.importorskip("foxglove")
sync = pytest.importorskip("websockets.sync.client")
closed = pytest.importorskip("websockets.exceptions").ConnectionClosed
pytestmark = pytest.mark.slow

PLAYING, PAUSED = 0, 1


class State(NamedTuple):
    """What the server says of its playback."""

    status: int
    time: float
    rate: float
    jumped: bool
    request: str


class App:
    """As much of Foxglove as it takes: it subscribes to everything and keeps what came last."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._topics: dict[int, str] = {}
        self._requests = itertools.count(1)
        self.info: dict[str, Any] = {}
        self.time = -1.0
        self.states: list[State] = []
        self.newest: dict[str, tuple[float, bytes]] = {}
        """By topic: the time of the newest message, and the message."""

    def take(self) -> None:
        """One message, whatever it is."""
        message = self._socket.recv(timeout=LIMIT)
        if isinstance(message, str):
            self._take_text(json.loads(message))
        elif message[0] == 1:
            subscription, nanos = struct.unpack_from("<IQ", message, 1)
            self.newest[self._topics[subscription]] = (nanos / 1e9, message[13:])
        elif message[0] == 2:
            self.time = struct.unpack_from("<Q", message, 1)[0] / 1e9
        elif message[0] == 5:
            status, nanos, rate, jumped, size = struct.unpack_from("<BQfBI", message, 1)
            request = message[19 : 19 + size].decode()
            self.states.append(State(status, nanos / 1e9, rate, bool(jumped), request))

    def _take_text(self, received: dict[str, Any]) -> None:
        if received["op"] == "serverInfo":
            self.info = received
        elif received["op"] == "advertise":
            subscriptions = []
            for channel in received["channels"]:
                self._topics[channel["id"]] = channel["topic"]
                subscriptions.append({"id": channel["id"], "channelId": channel["id"]})
            self._socket.send(json.dumps({"op": "subscribe", "subscriptions": subscriptions}))

    def until(self, found: Any) -> None:
        end = time.monotonic() + LIMIT
        while not found():
            assert time.monotonic() < end, (self.time, self.states[-3:])
            self.take()

    def await_frame(self, frame: int) -> dict[str, Any]:
        """Wait until that frame is shown; returns what is said of the playhead."""

        def found() -> bool:
            topics = ("/scene", "/values", "/playhead")
            if not self.newest.keys() >= set(topics) or self.json("/playhead")["frame"] != frame:
                return False
            # Time and messages wait in two queues of the server's: one may come before the other.
            return {self.newest[topic][0] for topic in topics} == {self.time}

        self.until(found)
        return self.json("/playhead")

    def json(self, topic: str) -> Any:
        return json.loads(self.newest[topic][1])

    def ask(self, *, plays: bool, rate: float = 1.0, seek: float | None = None) -> State:
        """Use the buttons or the bar; returns how the server answers."""
        request = f"request {next(self._requests)}"
        name = request.encode()
        self._socket.send(struct.pack(
            "<BBfBQI", 3, 0 if plays else 1, rate, seek is not None,
            round((seek or 0.0) * 1e9), len(name),
        ) + name)  # fmt: skip
        self.until(lambda: any(state.request == request for state in self.states))
        return next(state for state in self.states if state.request == request)

    def entities(self) -> dict[str, dict[int, list[Any]]]:
        """The scene's entities by their ids."""
        fields = protobuf(self.newest["/scene"][1])
        assert [protobuf(one)[2] for one in fields[1]] == [[1]], "all that was there goes first"
        entities = [protobuf(entity) for entity in fields[2]]
        return {entity[3][0].decode(): entity for entity in entities}


def protobuf(data: bytes) -> dict[int, list[Any]]:
    """A protobuf message as its field numbers and raw values."""
    fields: dict[int, list[Any]] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            value: Any = varint()
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            size = varint()
            value, at = data[at : at + size], at + size
        fields.setdefault(number, []).append(value)
    return fields


def vector(data: bytes) -> list[float]:
    fields = protobuf(data)
    return [fields.get(number, [0.0])[0] for number in (1, 2, 3)]


def location_of(entity: dict[int, list[Any]]) -> list[float]:
    """Where an object's arrow stands."""
    pose = protobuf(protobuf(entity[7][0])[1][0])
    return vector(pose[1][0])


@contextlib.contextmanager
def app(url: str) -> Iterator[App]:
    with sync.connect(url, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
        yield App(socket)


@pytest.fixture
def served(game, bridge):
    """A game of 32 frames, and a bridge to it."""
    playing = game()
    playing.world.during = lambda: playing.session.draw.line((0, 0, 0), (0, 0, 5), object=2)
    playing.run(32)
    return playing, bridge("foxglove", playing.endpoint, "--bind", "127.0.0.1:*")


def test_the_scene_is_that_of_the_frame_sought(served):
    playing, bridging = served
    with app(bridging.address) as foxglove, Client(playing.endpoint) as tool:
        assert foxglove.await_frame(32)["mode"] == "live"
        assert {"time", "playbackControl"} <= set(foxglove.info["capabilities"])
        for frame in (8, 24, 3):
            tool.seek(frame=frame)
            assert foxglove.await_frame(frame)["mode"] == "paused"
            assert foxglove.time == pytest.approx(frame / 64)
            entities = foxglove.entities()
            assert entities.keys() == {"ball_1", "ball_2", "ball_3", "drawn"}
            for id in (1, 2, 3):
                assert location_of(entities[f"ball_{id}"]) == pytest.approx(
                    [id + id * frame / 64, 0, 0]
                )
            (line,) = entities["drawn"][11]
            assert [vector(point) for point in protobuf(line)[5]] == [[0, 0, 0], [0, 0, 5]]
            assert foxglove.json("/values")["ball_3"]["position"]["x"] == 3 + 3 * frame / 64
        assert foxglove.states[-1].status == PAUSED
        assert foxglove.states[-1].jumped
        tool.focus(1)
        foxglove.until(lambda: foxglove.json("/playhead")["focus"] == 1)
        assert 11 not in foxglove.entities()["drawn"]
        tool.leave()
        playing.run(4)
        assert foxglove.await_frame(36)["mode"] == "live"
        assert foxglove.states[-1].status == PLAYING
    assert bridging.ended() == ""


def test_whoever_comes_while_the_game_is_paused_sees_where(served):
    playing, bridging = served
    with Client(playing.endpoint) as tool:
        tool.seek(frame=5)
        for _ in range(2):
            with app(bridging.address) as foxglove:
                foxglove.await_frame(5)


def test_its_buttons_and_its_bar_move_the_game(served):
    playing, bridging = served
    with app(bridging.address) as foxglove, Client(playing.endpoint) as tool:
        foxglove.await_frame(32)
        state = foxglove.ask(plays=False)
        assert (state.status, state.time) == (PAUSED, 0.5)
        assert not playing.session.live
        state = foxglove.ask(plays=False, seek=0.25)
        assert (state.status, state.time, state.jumped) == (PAUSED, 0.25, True)
        foxglove.await_frame(16)
        until(lambda: tool.time.frame == 16, tool)
        with playing.running(200):
            state = foxglove.ask(plays=True, rate=2.0)
            assert (state.status, state.rate) == (PLAYING, 2.0)
            foxglove.until(lambda: foxglove.json("/playhead")["frame"] > 20)
            foxglove.until(lambda: foxglove.states[-1].status == PAUSED)  # at the end
        state = foxglove.ask(plays=True, rate=0.0, seek=0.125)
        assert (state.status, state.time) == (PLAYING, 0.125)
        assert state.rate == pytest.approx(0.01)
        state = foxglove.ask(plays=False, seek=99.0)
        assert (state.status, state.time) == (PAUSED, 0.5)
        answered = [state.request for state in foxglove.states if state.request]
        assert len(answered) == len(set(answered)) == 5, "each request has one answer"


def test_the_bars_range_is_the_recorded_span_and_is_sent_again_when_the_game_outgrows_it(
    game, bridge
):
    playing = game()
    playing.run(64)
    playing.do(lambda: playing.session.apply(Enter(), now=True))
    bridging = bridge("foxglove", playing.endpoint, "--bind", "127.0.0.1:*")
    with app(bridging.address) as foxglove:
        foxglove.await_frame(64)
        assert seconds(foxglove.info["dataStartTime"]) == pytest.approx(1 / 64)
        assert seconds(foxglove.info["dataEndTime"]) == 1.0
        playing.do(playing.session.leave)
        playing.run(1)
        with pytest.raises(closed):
            foxglove.until(lambda: False)
    until(lambda: answers(bridging.address))  # an app looks for it every few seconds
    with app(bridging.address) as foxglove:
        foxglove.await_frame(65)
        assert seconds(foxglove.info["dataEndTime"]) == pytest.approx(65 / 64 + 600)
        playing.run(20)
        foxglove.await_frame(85)


def answers(url: str) -> bool:
    try:
        with app(url):
            return True
    except OSError:
        return False


def seconds(received: dict[str, int]) -> float:
    return received["sec"] + received["nsec"] / 1e9


def test_logs_decisions_and_marks_come_with_their_instant(served, tool):
    playing, bridging = served
    with app(bridging.address) as foxglove:
        foxglove.await_frame(32)
        mover = tool(playing)
        mover.emit(
            TransitionStatement(
                1, StateTransition("roll", "slow", "fast", "it is steep"), time=8 / 64
            )
        )
        mover.log("bumpy", level="error", time=8 / 64)
        mover.mark("the hill", time=8 / 64)
        mover.flush()
        playing.run(1)
        mover.seek(frame=8)
        foxglove.await_frame(8)
        foxglove.until(lambda: {"/log", "/decisions", "/marks"} <= foxglove.newest.keys())
        result = {topic: foxglove.newest[f"/{topic}"] for topic in ("log", "decisions", "marks")}
    assert {when for when, _ in result.values()} == {0.125}
    log, decision, mark = (protobuf(data) for _, data in result.values())
    assert (log[2], log[3]) == ([4], [b"bumpy"])
    assert decision[3] == ["roll: slow → fast because it is steep".encode()]
    assert decision[4] == [b"ball_1"]
    assert mark[3] == [b"mark: the hill"]
