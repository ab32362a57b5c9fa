"""The bridge to Foxglove within this process: what it sends of a view, and what its buttons do."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from playhead.bus.bridges.frame_view import frame_view
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.messages.responses import Snapshot
from playhead.errors import CapacityError, CommandError
from playhead.playback.commands import SLOWEST
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.recorded_frame import FrameRange

from ...support.late_import import imported_at_use
from ...support.leaks import Running
from ...support.pictures import picture_bytes
from ...support.waits import LIMIT, until
from .foxglove_app import PAUSED, PLAYING, app, protobuf, seconds

foxglove_sdk = imported_at_use("foxglove")
LOOPBACK = "127.0.0.1:*"
ALWAYS_THERE = 6
"""Topics that are advertised at once."""


@pytest.fixture(scope="module", autouse=True)
def its_sockets_are_there() -> None:
    """Its runtime opens a pair of sockets for good: not within the first test that uses it."""
    foxglove_sdk.start_server(host="127.0.0.1", port=0).stop()


def instant(mode: str, frame: int, time: float, **rest: Any) -> PlayheadTime:
    return PlayheadTime(origin="", sequence=frame, mode=mode, frame=frame, time=time, **rest)


class Player:
    """A client of a game that stands at frame 32 of half a second."""

    def __init__(self) -> None:
        self.time: PlayheadTime | None = instant("paused", 32, 0.5)
        self.span = FrameRange(1, 32, 0.25, 0.5)
        self.calls: list[Any] = []
        self.error: CommandError | None = None

    def snapshot(self) -> Snapshot:
        assert self.time is not None
        return Snapshot(self.time, self.span, {})

    def _state(self, call: Any, mode: Mode, **rest: Any) -> PlaybackState:
        self.calls.append(call)
        if self.error is not None:
            raise self.error
        return PlaybackState(mode, 32, rest.pop("time", 0.5), **rest)

    def seek(self, time: float) -> PlaybackState:
        return self._state(("seek", time), Mode.PAUSED, time=time)

    def play(self, rate: float) -> PlaybackState:
        return self._state(("play", rate), Mode.PLAYING, rate=rate)

    def pause(self) -> PlaybackState:
        return self._state("pause", Mode.PAUSED)

    def leave(self) -> PlaybackState:
        return self._state("leave", Mode.LIVE)


@pytest.fixture
def player():
    return Player()


@pytest.fixture
def serve(player):
    """Make bridges of that player."""
    from playhead.bus.bridges.foxglove_server import Foxglove

    made, before = [], Running.now().sockets

    def make(address=LOOPBACK):
        made.append(Foxglove(player, address))
        return made[-1]

    yield make
    for bridge in made:
        bridge.close()
    # Its server lets go of its sockets a moment later.
    until(lambda: Running.now().sockets <= before)


@pytest.fixture
def bridge(serve):
    return serve()


def request(*, plays=False, rate=1.0, seek=None, id="request"):
    """What Foxglove's server hands over for a button or the bar."""
    commands = foxglove_sdk.websocket.PlaybackCommand
    command = commands.Play if plays else commands.Pause
    nanos = None if seek is None else round(seek * 1e9)
    return SimpleNamespace(
        seek_time=nanos, playback_command=command, playback_speed=rate, request_id=id
    )


def test_a_frame_is_sent_with_its_drawings_logs_transitions_marks_and_pictures(bridge, stage):
    scene = stage()
    session = scene.session
    session.draw.line((0, 0, 0), (1, 0, 0))
    session.draw.lines([((0, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 0, 1))])
    session.draw.polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    session.draw.sphere((1, 2, 3), 0.5)
    session.draw.box((0, 0, 1), (1, 2, 3), angles=(0, 0, 1.0))
    session.draw.text((0, 0, 2), "here")
    session.log("careful", level="warning", object=1)
    session.trace.state(1, "guard", "idle", "chase", won="saw him")
    session.mark("there")
    session.picture(picture_bytes(), name="front")
    now = scene.step()
    view = frame_view(scene.source, now, scene.source.marks())
    subscribed = threading.Semaphore(0)
    bridge.begin(subscribed.release)
    with app(bridge.url) as foxglove:
        foxglove.until(lambda: len(foxglove.topics) == ALWAYS_THERE)
        for _ in range(ALWAYS_THERE):
            assert subscribed.acquire(timeout=LIMIT)
        assert bridge.tick(), "somebody has come"
        assert not bridge.tick()
        bridge.show(view)
        assert foxglove.await_frame(now.frame)["mode"] == "live"
        foxglove.until(lambda: {"/log", "/decisions", "/marks"} <= foxglove.newest.keys())
        foxglove.until(lambda: len(foxglove.topics) == ALWAYS_THERE + 1)  # the picture's
        assert subscribed.acquire(timeout=LIMIT)
        bridge.show(view)
        foxglove.until(lambda: any("front" in topic for topic in foxglove.newest))
        entities = foxglove.entities()
        messages = {name: protobuf(data) for name, (_, data) in foxglove.newest.items()
                    if name in ("/log", "/decisions", "/marks")}  # fmt: skip
        bridge.mark(Mark("late", frame=now.frame, time=now.time), view.log[0])
        foxglove.until(lambda: protobuf(foxglove.newest["/marks"][1])[3] == [b"careful"])
        foxglove.until(lambda: foxglove.states)
        assert foxglove.states[-1].status == PLAYING
    assert entities.keys() == {"walker_1", "lamp_3", "drawn"}, "walker 2 is not visible"
    drawn, walker = entities["drawn"], entities["walker_1"]
    cubes, spheres, lines, texts = 8, 9, 11, 13
    assert [len(drawn[kind]) for kind in (cubes, spheres, lines, texts)] == [1, 1, 3, 1]
    assert len(walker[lines]) == 1, "its bones"
    assert messages["/log"][2] == [3]
    assert messages["/log"][3] == [b"careful"]
    assert messages["/decisions"][3] == ["guard: idle → chase because saw him".encode()]
    assert messages["/marks"][3] == [b"mark: there"]


@pytest.mark.parametrize(
    ("asked", "calls", "answer"),
    [
        ({"plays": False}, ["pause"], (PAUSED, 0.5, 1.0, False)),
        ({"plays": True, "rate": -2.0}, [("play", -2.0)], (PLAYING, 0.5, -2.0, False)),
        ({"plays": True, "rate": 0.0}, [("play", SLOWEST)], (PLAYING, 0.5, SLOWEST, False)),
        ({"plays": False, "seek": 0.25}, [("seek", 0.25)], (PAUSED, 0.25, 1.0, True)),
        (
            {"plays": True, "seek": 0.25},
            [("seek", 0.25), ("play", 1.0)],
            (PLAYING, 0.5, 1.0, True),
        ),
    ],
)
def test_buttons_and_bar_move_the_player_and_are_answered(bridge, player, asked, calls, answer):
    bridge.begin(bridge.tick)
    with app(bridge.url) as foxglove:
        state = foxglove.ask(**asked)
    assert player.calls == calls
    assert (state.status, state.time, state.jumped) == (answer[0], answer[1], answer[3])
    assert state.rate == pytest.approx(answer[2])


def test_a_game_that_runs_is_left_to_run_by_the_button_and_stopped_by_the_bar(bridge, player):
    player.time = instant("live", 32, 0.5)
    bridge.begin(bridge.tick)
    with app(bridge.url) as foxglove:
        assert foxglove.ask(plays=True).status == PLAYING
        foxglove.ask(plays=True, seek=0.25)
    assert player.calls == ["leave", ("seek", 0.25), ("play", 1.0)]


def test_what_the_game_refuses_is_answered_with_where_it_is(bridge, player):
    player.error = CommandError("no such time")
    bridge.begin(bridge.tick)
    with app(bridge.url) as foxglove:
        state = foxglove.ask(plays=False, seek=99.0)
    assert (state.status, state.time, state.jumped) == (PAUSED, 0.5, False)


def test_of_requests_that_came_meanwhile_the_last_counts_and_the_last_place_of_the_bar(
    bridge, player, monkeypatch
):
    monkeypatch.setattr("playhead.bus.bridges.foxglove_server._ANSWER_WITHIN", 0.0)
    for asked in (request(seek=0.25), request(seek=0.375), request(plays=True, rate=2.0)):
        assert bridge.on_playback_control_request(asked) is None
    bridge.tick()
    assert player.calls == [("seek", 0.375), ("play", 2.0)]


def test_an_answer_that_was_not_waited_for_is_sent_to_all_when_it_is_there(
    bridge, player, monkeypatch
):
    monkeypatch.setattr("playhead.bus.bridges.foxglove_server._ANSWER_WITHIN", 0.0)
    with app(bridge.url) as foxglove:
        foxglove.until(lambda: len(foxglove.topics) == ALWAYS_THERE)
        assert bridge.on_playback_control_request(request(seek=0.25, id="slow")) is None
        bridge.tick()
        foxglove.until(lambda: foxglove.states)
    assert foxglove.states[-1] == (PAUSED, 0.25, 1.0, True, "slow")


def test_without_a_service_a_request_has_no_answer(bridge, player):
    player.time = None
    bridge.begin(bridge.tick)
    assert bridge.on_playback_control_request(request()) is None


def test_a_request_that_waits_when_the_bridge_is_closed_has_no_answer(serve):
    bridge = serve()
    bridge.begin(bridge.close)
    assert bridge.on_playback_control_request(request()) is None


def test_an_address_that_is_taken_is_refused_by_its_name(serve, bridge):
    taken = bridge.url.removeprefix("ws://")
    with pytest.raises(CapacityError, match=f"can't listen on {taken} for Foxglove: .* give ano"):
        serve(taken)


def test_a_recording_that_outgrows_the_bar_is_served_again_with_its_new_range(
    bridge, player, stage
):
    scene = stage()
    view = frame_view(scene.source, scene.step(), ())
    with app(bridge.url) as foxglove:
        foxglove.until(lambda: foxglove.info)
        assert seconds(foxglove.info["dataStartTime"]) == 0.25
        assert seconds(foxglove.info["dataEndTime"]) == 0.5
    player.span = FrameRange(1, 99, 0.25, 1.5)
    bridge.show(view._replace(now=instant("paused", 99, 1.5)))
    with app(bridge.url) as foxglove:
        foxglove.until(lambda: foxglove.info)
        assert seconds(foxglove.info["dataEndTime"]) == 1.5
