"""One control of time: the same acts, answers and refusals wherever it is offered.

On a playhead by itself, a session, a client over ZeroMQ, and the client in JavaScript over the
gateway, which is also the game that is recorded there.
"""

import inspect
import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from playhead.bus.client.client import Client
from playhead.errors import CommandError, PlayheadError
from playhead.playback.commands import Advance, SeekFrame
from playhead.playback.playback_control import PlaybackControl
from playhead.playback.playback_state import PlaybackState
from playhead.playback.playhead import Playhead
from playhead.session import Session

from ..games.remote.game import served
from ..support.fake_world import FakeWorld
from ..support.process import Process
from ..support.stage import Stage, StageThread, loopback
from ..support.waits import LIMIT, until
from .test_browser import NODE

HERE = Path(__file__).parent
TICK = 1 / 64
FRAMES, MARKED = 10, 4
REFUSED = "refused"
Answer = dict[str, Any]


class Subject:
    """Something that can be controlled; `call` answers with plain values."""

    frames = FRAMES

    def __init__(self, control: PlaybackControl, do: Callable[[Any], Any]) -> None:
        self._control, self._do = control, do

    def call(self, act: str, *given: Any, **named: Any) -> Answer:
        found = getattr(type(self._control), act)
        try:
            if isinstance(found, property):
                state = self._do(lambda: getattr(self._control, act))
            else:
                state = self._do(lambda: getattr(self._control, act)(*given, **named))
        except CommandError as error:
            return {REFUSED: str(error)}
        assert isinstance(state, PlaybackState)
        return dict(json.loads(msgspec.json.encode(state)))


class InNode(Subject):
    """The client in JavaScript."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def ask(self, *asked: Any) -> Any:
        self._process.say(json.dumps(asked, default=str).replace("NaN", '"NaN"')
                          .replace("Infinity", '"Infinity"').replace('-"Inf', '"-Inf'))  # fmt: skip
        return json.loads(self._process.line(limit=LIMIT))

    def call(self, act: str, *given: Any, **named: Any) -> Answer:
        if act == "seek" and (named or not given):
            given = ({**dict(zip(("time",), given, strict=False)), **named},)
        elif named:
            given = (*given, named)
        answer = self.ask(act, *given)
        if "message" in answer:
            assert answer["kind"] == "command", answer
            return {REFUSED: answer["message"]}
        return dict(answer)


def _a_playhead(held: ExitStack) -> Subject:
    stage = held.enter_context(_staged())
    return Subject(Playhead(stage.session.source), lambda call: call())


def _in_session(thread: StageThread) -> Subject:
    """A session answers at once; what has to wait for a step's end is carried out by `obey`."""
    session = thread.session

    def act(call: Callable[[], Any]) -> Any:
        answer = call()
        if not (isinstance(answer, PlaybackState) and answer.pending):
            return answer
        session.obey()
        return session.state

    return Subject(session, lambda call: thread.do(lambda: act(call)))


def _a_session(held: ExitStack) -> Subject:
    return _in_session(_thread(held))


def _a_client(held: ExitStack) -> Subject:
    client = held.enter_context(Client(_thread(held).endpoint, timeout=LIMIT))
    return Subject(client, lambda call: call())


def _in_node(held: ExitStack) -> Subject:
    if NODE is None:
        pytest.skip("node is not installed, or has no WebSocket")
    serving = held.enter_context(served())
    client = HERE.parents[1] / "clients" / "js" / "playhead.js"
    process = Process(*NODE, HERE / "programs" / "control.mjs", client, serving.url, talks=True)
    held.callback(process.close)
    assert json.loads(process.line(limit=LIMIT)) == "there"
    node = InNode(process)
    node.ask("run", MARKED - 1)
    node.ask("mark", "here")
    node.ask("run", FRAMES - MARKED + 1)
    until(lambda: (span := serving.session.source.span) and span.newest == FRAMES)
    return node


def _staged(**settings: Any) -> Stage:
    stage = Stage(FakeWorld(dt=TICK), **settings)
    stage.run(MARKED - 1)
    stage.session.mark("here")
    stage.run(FRAMES - MARKED + 1)
    return stage


def _thread(held: ExitStack) -> StageThread:
    thread = StageThread(lambda: _staged(bus=loopback(patience=LIMIT)))
    held.callback(thread.close)
    return thread


@pytest.fixture(params=[_a_playhead, _a_session, _a_client, _in_node], scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[Subject]:
    with ExitStack() as held:
        yield request.param(held)


@pytest.fixture
def subject(shared: Subject) -> Iterator[Subject]:
    """One that is live, and was not played with."""
    yield shared
    shared.call("loop", None)
    shared.call("focus", 0)
    shared.call("leave")


PAUSED = {"mode": "paused", "clamped": False, "rate": 1.0, "pending": []}


def at(frame: int, **rest: Any) -> Answer:
    return {**PAUSED, "frame": frame, "time": frame * TICK, **rest}


ACTS: list[tuple[str, tuple[Any, ...], dict[str, Any], Answer]] = [
    ("state", (), {}, {"mode": "live", "frame": None, "time": None, "pending": []}),
    ("enter", (), {}, at(10)),
    ("enter", (3 * TICK,), {}, at(3)),
    ("enter", (), {}, at(3)),
    ("seek", (5.5 * TICK,), {}, at(5)),
    ("seek", (), {"time": 6 * TICK}, at(6)),
    ("seek", (), {"frame": 2}, at(2)),
    ("seek", (), {"mark": "here"}, at(MARKED)),
    ("step", (), {}, at(5)),
    ("step", (-2,), {}, at(3)),
    ("step", (100,), {}, at(10, clamped=True)),
    ("step", (-(10**19) // 2,), {}, at(1, clamped=True)),
    ("seek", (99.0,), {}, at(10, clamped=True)),
    ("seek", (-1.0,), {}, at(1, clamped=True)),
    ("seek", (), {"frame": 10**19}, at(10, clamped=True)),
    ("seek", (), {"frame": -3}, at(1, clamped=True)),
    ("loop", (2 * TICK, 4 * TICK), {}, at(1, loop=[2 * TICK, 4 * TICK])),
    ("loop", (None,), {}, at(1, loop=None)),
    ("focus", (7,), {}, at(1, focus=7)),
    ("focus", (0,), {}, at(1, focus=0)),
    ("show", ("ai", False), {}, at(1, hidden=["ai"])),
    ("show", ("ai",), {}, at(1, hidden=[])),
    ("state", (), {}, at(1)),
    ("seek", (), {"frame": 10}, at(10)),
    ("play", (), {}, at(10, clamped=True)),
    ("play", (0.01,), {"restart": True}, {"mode": "playing", "frame": 1, "rate": 0.01}),
    ("play", (-2.0,), {}, {"mode": "paused", "rate": -2.0, "clamped": True}),
    ("pause", (), {}, {"mode": "paused", "clamped": False}),
    ("leave", (), {}, {"mode": "live", "frame": None, "time": None}),
    ("leave", (), {}, {"mode": "live", "frame": None, "time": None}),
    ("pause", (), {}, at(10)),
    ("leave", (), {}, {"mode": "live"}),
]


def test_each_act_is_answered_alike(subject: Subject) -> None:
    for act, given, named, wanted in ACTS:
        answer = subject.call(act, *given, **named)
        known = {name: answer.get(name, answer) for name in wanted}
        assert known == wanted, (act, given, named, answer)
        assert answer["span"][:2] == [1, FRAMES]
    assert set(answer) == set(PlaybackState.__struct_fields__)


NOT_FINITE = (math.nan, math.inf, -math.inf, True, [1.0])
NOT_WHOLE = (1.5, math.nan, True, "one", [1])
BAD: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    *(("seek", (value,), {}, "seek_time: time is ") for value in NOT_FINITE if value != [1.0]),
    *(("seek", (), {"frame": value}, "seek_frame: frame is ") for value in NOT_WHOLE),
    *(("enter", (value,), {}, "enter: time is ") for value in (True, "one", [1.0])),
    *(("play", (value,), {}, "play: rate is ") for value in (*NOT_FINITE, 0.0, 1e9, "one")),
    *(("step", (value,), {}, "step: frames is ") for value in (*NOT_WHOLE, 0)),
    *(("loop", (value, 1.0), {}, "loop: start is ") for value in (True, "one", [1.0])),
    *(("advance", (value,), {}, "advance: steps is ") for value in (*NOT_WHOLE, 0, -1, 10**6)),
    ("seek", ("here",), {}, "seek_time: time is 'here'; give seconds, a number; seek(frame=20)"),
    ("seek", (), {}, "seek: give one of a time in seconds, frame= and mark=, not none of them"),
    ("seek", (1.0,), {"frame": 2}, "seek: give one of a time in seconds, frame= and mark=, not"),
    ("seek", (), {"frame": 2, "mark": "here"}, "seek: give one of"),
    ("seek", (), {"mark": ""}, "seek_mark: name is ''; give a name"),
    ("seek", (), {"mark": "her"}, "seek_mark: no mark is named 'her': did you mean 'here'?"),
    ("seek", (), {"mark": 3}, "seek_mark: name is 3; give a name"),
    ("play", (1.0,), {"restart": "yes"}, "play: restart is 'yes'; give true or false"),
    ("loop", (2.0, 1.0), {}, "loop: end is 1"),
    ("loop", (1.0,), {}, "loop: give a start and an end, seconds; loop(None) ends it"),
    ("advance", (3,), {}, "advance: "),
    ("focus", (-1,), {}, "focus: "),
    ("show", ("", True), {}, "show: channel is ''; give a name"),
    ("show", ("ai", "yes"), {}, "show: on is 'yes'; give true or false"),
]


def test_what_makes_no_sense_is_refused_alike_and_nothing_changes(subject: Subject) -> None:
    subject.call("seek", frame=2)
    before = subject.call("state")
    for act, given, named, says in BAD:
        answer = subject.call(act, *given, **named)
        assert answer.get(REFUSED, str(answer)).startswith(says), (act, given, named)
        assert subject.call("state") == before


def test_a_playhead_a_session_and_a_client_have_no_acts_of_their_own() -> None:
    acts = {name for name in vars(PlaybackControl) if not name.startswith("_")}
    own = acts - PlaybackControl.__abstractmethods__
    assert own >= {"enter", "leave", "play", "pause", "step", "seek", "loop", "advance"}
    for kind in (Playhead, Session, Client):
        assert issubclass(kind, PlaybackControl)
        for act in own:
            assert getattr(kind, act) is getattr(PlaybackControl, act)
        for name in ("follow", "resume", "go_live", "seek_frame", "seek_mark", "loop_off"):
            assert not hasattr(kind, name)
        assert list(inspect.signature(kind.on_moved).parameters) == ["self", "callback"]


@pytest.mark.parametrize("make", [_a_playhead, _a_session, _a_client])
def test_numbers_of_numpy_and_whole_ones_are_taken_as_they_are(make: Any) -> None:
    with ExitStack() as held:
        subject = make(held)
        assert subject.call("seek", np.float32(5 * TICK))["frame"] == 5
        assert subject.call("step", np.int64(-2))["frame"] == 3
        assert subject.call("seek", frame=10**30)["frame"] == FRAMES
        assert subject.call("seek", 10**400) == {REFUSED: subject.call("seek", 10**400)[REFUSED]}


@pytest.mark.parametrize("make", [_a_playhead, _a_session, _a_client])
def test_listeners_hear_of_each_move_and_not_of_recorded_frames(make: Any) -> None:
    with ExitStack() as held:
        subject = make(held)
        heard: list[tuple[str, int | None]] = []
        control = subject._control
        stop = subject._do(
            lambda: control.on_moved(lambda state: heard.append((state.mode.value, state.frame)))
        )
        pump = control.dispatch if isinstance(control, Client) else lambda timeout: None
        pump(0.1)
        for act, named in (("enter", {}), ("seek", {"frame": 3}), ("seek", {"frame": 3}),
                           ("step", {}), ("leave", {})):  # fmt: skip
            subject.call(act, **named)
        wanted = [("paused", 10), ("paused", 3), ("paused", 4), ("live", None)]
        until(lambda: (pump(0.05), len(heard))[1] >= len(wanted))
        stop()
        subject.call("enter")
        pump(0.1)
        assert heard == wanted


def test_javascript_hears_of_moves_and_advances_its_own_game() -> None:
    with ExitStack() as held:
        node = _in_node(held)
        assert node.call("enter")["frame"] == 10
        assert node.call("advance", 3)["frame"] == 13
        assert node.call("advance")["frame"] == 14
        assert node.call("seek", frame=5)["frame"] == 5
        assert node.call("advance")[REFUSED].startswith("advance: playback is at frame 5")
        assert node.call("leave")["mode"] == "live"
        node.ask("close")
        answer = node.ask("pause")
        assert answer == {"kind": "lost", "message": "the service is not there"}


@pytest.mark.parametrize("kind", [Session, Client])
def test_after_close_each_act_says_so(kind: type) -> None:
    stage = Stage(FakeWorld(dt=TICK), bus=loopback())
    control: Any = stage.session
    if kind is Client:
        control = Client(stage.session.bus.endpoint)
        control.close()
    stage.close()
    for act in ("enter", "leave", "pause", "step", "advance"):
        with pytest.raises(PlayheadError, match="closed"):
            getattr(control, act)()


@pytest.mark.parametrize("make", [_a_playhead, _a_session, _a_client])
def test_what_was_evicted_is_met_as_far_as_can_be(make: Any) -> None:
    with ExitStack() as held:
        stage = StageThread(
            lambda: Stage(FakeWorld(dt=TICK), "64 KiB", bus=loopback(patience=LIMIT))
        )
        held.callback(stage.close)
        stage.run(2000)
        subject = _in_session(stage)
        if make is _a_playhead:
            subject = Subject(Playhead(stage.session.source), lambda call: call())
        elif make is _a_client:
            client = held.enter_context(Client(stage.endpoint, timeout=LIMIT))
            subject = Subject(client, lambda call: call())
        subject.call("enter")
        answer = subject.call("seek", frame=1)
        assert answer["clamped"]
        assert answer["frame"] == answer["span"][0] > 1
        assert subject.call("seek", 0.0)["clamped"]


def test_nothing_recorded_can_be_entered_and_left() -> None:
    with ExitStack() as held:
        thread = StageThread(lambda: Stage(FakeWorld(dt=TICK), bus=loopback(patience=LIMIT)))
        held.callback(thread.close)
        client = held.enter_context(Client(thread.endpoint, timeout=LIMIT))
        alone = Playhead(thread.session.source)
        for subject in (
            Subject(alone, lambda call: call()), _in_session(thread),
            Subject(client, lambda call: call()),
        ):  # fmt: skip
            for act, given, clamped in (
                ("enter", (), False), ("step", (1,), True), ("seek", (3.0,), True),
                ("play", (), True), ("pause", (), False),
            ):  # fmt: skip
                answer = subject.call(act, *given)
                assert (answer["mode"], answer["frame"], answer["clamped"]) == (
                    "paused", None, clamped,
                )  # fmt: skip
            assert subject.call("seek", mark="x")[REFUSED].endswith("there are none")
            assert subject.call("leave")["mode"] == "live"


def test_a_session_takes_what_other_threads_ask_and_says_that_it_waits() -> None:
    with ExitStack() as held:
        thread = _thread(held)
        thread.do(lambda: thread.session.enter())
        thread.do(lambda: thread.session.obey())
        with thread.in_a_debugger():
            state = thread.session.seek(frame=3)
            assert state.pending[-1] == SeekFrame(3)
            with pytest.raises(CommandError, match="frame is"):
                thread.session.seek(frame=math.nan)  # type: ignore[arg-type]
        until(lambda: thread.session.state.frame == 3)
        assert threading.current_thread() is not thread._thread
        assert Advance(2) not in thread.session.state.pending
