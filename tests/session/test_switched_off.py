"""`PLAYHEAD=off`: the same program, without a recording."""

import logging
import math
import os
import threading
from typing import Any

import pytest

import playhead as ph
from playhead.errors import EvictedError, HandlerError, RecordingError
from playhead.native import ring
from playhead.playback.playback_control import PlaybackControl
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.handler_interface import ImageType
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.recorder import Recorder
from playhead.recorder.recorder_off import RecorderOff
from playhead.recorder.statements.statement_calls import CALLS
from playhead.recorder.statements.statement_messages import ObjectName, SetMark
from playhead.session_off import SessionOff
from playhead.testing.checked_test_session import AssertingSession


class Walk(ph.World):
    """A game whose outcome depends on what its session answers."""

    def __init__(self) -> None:
        self.x, self.seconds, self.answers = 0.0, 0.0, []

    def objects(self):
        return [(1, "walker", self)]

    def time(self):
        return self.seconds

    def find(self, object_id):
        return self if object_id == 1 else None

    def step(self, session: Any) -> None:
        self.x += math.sin(self.seconds)
        self.seconds += 1 / 64
        session.draw.line((0, 0, 0), (self.x, 0, 0), object=self, channel="ai")
        session.trace.state(self, "mind", "here", "there", won="moved")
        session.trace.define_tree(1, "plan", [ph.TreeNode("root")])
        session.trace.tree(1, "plan", ["success"])
        session.watch("x", self.x, self)
        session.log("moved", object=self)
        session.name(self, "walker")
        session.fact(self, "team", "red")
        session.mark("moved")
        session.event("moved", self.x, object=self)
        session.picture(b"\xff\xd8\xff\xe0")
        self.answers.append(session.check(self.x < 10.0, "it stays", focus=self))


def played(session: Any, world: Walk) -> Walk:
    with session:
        for _ in range(100):
            with session.frame(1 / 64):
                world.step(session)
            if session.live and session.pad() is None:
                world.x += 1.0
    return world


@pytest.fixture
def off(monkeypatch):
    monkeypatch.setenv("PLAYHEAD", "off")


def test_it_makes_no_ring_no_file_no_bus_and_no_thread(off, monkeypatch, tmp_path):
    monkeypatch.setattr(ring.FrameRing, "__init__", lambda *_, **__: pytest.fail("a ring is made"))
    before = threading.active_count()
    session = ph.Session(Walk(), "1 GiB", path="run.ring", bus=True)
    assert isinstance(session, SessionOff)
    assert session.bus is None
    assert threading.active_count() == before
    assert not list(tmp_path.iterdir())
    with pytest.raises(RecordingError, match="PLAYHEAD=off .* no ring"):
        session.recorder.ring  # noqa: B018


def test_the_game_comes_out_as_with_a_recording(monkeypatch):
    outcomes = []
    for mode in ("on", "off"):
        monkeypatch.setenv("PLAYHEAD", mode)
        world = Walk()
        session = ph.Session(
            world, "1 MiB", handlers={"walker": None}, on_check=ph.UNATTENDED, strict=False
        )
        played(session, world)
        outcomes.append((world.x, world.seconds, world.answers))
    assert outcomes[0] == outcomes[1]
    assert False in outcomes[0][2]


def test_a_failed_check_stops_nothing_and_is_not_kept(off):
    world = Walk()
    heard: list[Any] = []
    session = ph.Session(world)
    session.on_failed_check(heard.append)
    played(session, world)
    assert session.failed_checks == heard == []


def test_asking_for_a_file_is_answered_honestly_and_logged_once(off, caplog, tmp_path):
    with ph.Session(Walk()) as session, caplog.at_level(logging.WARNING):
        saved = session.save("run.mcap")
        clip = session.trigger("stuck")
        session.save("again.mcap")
    assert (saved.frames, saved.bytes) == (0, 0)
    assert not list(tmp_path.iterdir())
    assert clip.done()
    assert clip.saved is None
    assert "PLAYHEAD=off" in str(clip.error)
    assert caplog.messages == [
        "PLAYHEAD=off in the environment: nothing is recorded, so run.mcap is not written"
    ]


def test_there_is_no_past_to_go_to(off):
    with ph.Session(Walk()) as session:
        session.update(0.1)
        assert session.enter().mode is ph.Mode.LIVE
        assert session.apply(ph.commands.Step(-1)).mode is ph.Mode.LIVE
        assert not session.press("F9")
        session.send(ph.commands.Enter())
        session.obey()
        assert session.live
        assert session.wait(0.0)
        session.await_live()
        assert session.source.span is None
        assert session.source.marks() == []
        with pytest.raises(ph.errors.EvictedError, match="PLAYHEAD=off"):
            session.source.objects(1)
        assert session.status.frames == session.status.memory == 0
        session.leave()


def test_wrong_handlers_are_wrong_all_the_same(off):
    with pytest.raises(HandlerError, match="'walker'"):
        ph.Session(Walk(), handlers={"walker": object()})


def test_it_answers_every_call_and_has_every_attribute_of_a_session(off, monkeypatch):
    switched_off = ph.Session(Walk())
    monkeypatch.setenv("PLAYHEAD", "on")
    with ph.Session(Walk(), "1 MiB") as session:
        there = {name for name in dir(session) if not name.startswith("_")}
        assert there - set(dir(switched_off)) == {"restorer"}  # there is nothing to restore from
    own = {name for name in dir(ph.Session) if not name.startswith("_")}
    control = {name for name in vars(PlaybackControl) if not name.startswith("_")}
    by_apply = (control - PlaybackControl.__abstractmethods__) | {"always_records"}
    by_apply |= set(CALLS)  # handed on to the recorder, which is switched off
    assert own - by_apply <= set(vars(SessionOff)), "what is new in Session is not switched off"
    recorder = {name for name in vars(Recorder) if not name.startswith("_")}
    assert recorder <= set(dir(switched_off.recorder)) | {"ring"}
    assert set(vars(RecorderOff)) <= {*dir(Recorder), *vars(Recorder("1 MiB"))} | {"__dict__"}


def test_a_kind_of_session_keeps_its_own_methods(off):
    class Counting(ph.Session):
        def __init__(self, world: ph.World, **rest: Any) -> None:
            super().__init__(world, **rest)
            self.steps = 0

        def update(self, dt: float, time: float | None = None) -> None:
            self.steps += 1
            super().update(dt, time)

    with Counting(Walk(), bus=True) as session:
        session.update(0.1)
        assert (session.steps, session.status.frames) == (1, 0)
    assert isinstance(session, Counting)


def test_the_session_of_a_test_is_never_switched_off(off):
    with AssertingSession(Walk(), handlers={"walker": None}) as session:
        session.update(0.1)
        assert session.source.span.newest == 1


@pytest.mark.parametrize(
    ("mode", "strict", "raises"),
    [
        ("strict", None, True), ("strict", False, False), ("on", None, False), ("on", True, True)
    ],
)  # fmt: skip
def test_what_is_set_in_the_code_wins_over_the_environment(monkeypatch, mode, strict, raises):
    monkeypatch.setenv("PLAYHEAD", mode)
    with ph.Session(Walk(), "1 MiB", strict=strict) as session:
        assert session.recorder.strict is raises


def test_a_value_that_is_none_is_an_error_and_makes_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PLAYHEAD", "of")
    with pytest.raises(RecordingError, match="PLAYHEAD='of' .* give off, on, strict"):
        ph.Session(Walk(), path=os.fspath(tmp_path / "run.ring"), strict=True)
    assert not list(tmp_path.iterdir())


def recorded_program(path):
    """What comes of a program with a recording of its objects, of a tree and of an environment."""
    gymnasium = pytest.importorskip("gymnasium")
    guards = {f"guard {n}": {"x": 4.0 * n, "hp": 10.0} for n in range(3)}
    received: list[Any] = []
    with ph.record(guards, path, dt=1 / 60, strict=False) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1"))
        received += map(float, env.reset(seed=1)[0])
        for step in range(40):
            with rec.frame():
                for n, guard in enumerate(guards.values()):
                    guard["hp"] -= 0.2 * n
                    received.append(rec.check(guard["hp"] > 5, "it lives", focus=guard))
                received += map(float, env.step(step % 2)[0])
            if step == 20:
                rec.add([{"x": 1.0}])
                rec.save("middle.mcap")
        rec.update()
    assert rec.closed
    return guards, received


def test_a_program_that_is_recorded_by_itself_comes_out_the_same_and_leaves_no_file(
    monkeypatch, tmp_path, caplog
):
    monkeypatch.setenv("PLAYHEAD", "on")
    outcome = recorded_program("on.mcap")
    monkeypatch.setenv("PLAYHEAD", "off")
    caplog.clear()
    assert recorded_program("off.mcap") == outcome
    assert {file.name for file in tmp_path.iterdir()} == {"on.mcap", "middle.mcap"}
    assert [line for line in caplog.messages if "PLAYHEAD=off" in line] == [
        "PLAYHEAD=off in the environment: nothing is recorded, so middle.mcap is not written"
    ]


# --- its recorder by itself ---------------------------------------------------------------------


def test_its_recorder_takes_a_frame_and_none_is_there_afterwards():
    recorder = RecorderOff()
    assert recorder.update([(1, "thing", object())], 0.1) == 0
    assert (recorder.source.span, recorder.status.frames) == (None, 0)
    assert recorder.waiting_marks(recorder.source) == []
    with pytest.raises(EvictedError, match="PLAYHEAD=off"):
        recorder.source.stamp(1)


def test_types_and_objects_have_no_numbers():
    recorder = RecorderOff()
    layout = layout_from_dtype([("value", "<f8")])
    assert recorder.declare("thing", layout) == ImageType("thing", 0, 0)
    assert recorder.known_id("draw", object()) == 0


def test_a_listener_can_be_added_and_ended_although_it_is_never_called():
    RecorderOff().on_late(lambda frames: pytest.fail("nothing is recorded"))()


@pytest.mark.parametrize("accept", [RecorderOff.accept, RecorderOff.accept_in_step])
def test_statements_from_elsewhere_are_still_checked(accept):
    recorder = RecorderOff()
    accept(recorder, SetMark("here"))
    with pytest.raises(RecordingError, match="-1"):
        accept(recorder, ObjectName(-1, "nobody"))


def test_a_failed_check_of_a_step_elsewhere_is_taken():
    RecorderOff().accept_in_step(FailedCheck("alive", "hp > 0", 0, "game.py", 3))


@pytest.mark.parametrize("strict", [False, True])
def test_what_a_call_raises_is_counted_as_when_it_records(strict):
    recorder = RecorderOff(strict=strict)
    with recorder.refusing("draw"):
        raise ValueError("no line")
    assert recorder.faults.calls == {"draw": 1}
