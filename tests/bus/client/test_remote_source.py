"""A service scrubbed from elsewhere: whatever a ring says of itself, it says over the bus too."""

from collections.abc import Callable
from typing import Any

import pytest

from playhead.bus.client import remote_source as remote
from playhead.bus.client.remote_source import RemoteFrames, RemoteSource
from playhead.bus.server import query_handler
from playhead.errors import CommandError, EvictedError, PlayheadError
from playhead.playback.commands import Enter, Play, SeekFrame, SeekMark, SeekTime, Step
from playhead.playback.playhead import Playhead
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import StateTransition, TreeNode
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.reading.frame_statements import StatementReader
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.statements.instrumentation_interface import Rejected

from ...support.other_process import OtherProcess
from ...support.pictures import picture_bytes
from ...support.waits import until


@pytest.fixture(autouse=True)
def the_ends_are_asked_for_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that both sources are asked about the same instant."""
    monkeypatch.setattr(remote, "_SPAN_FOR", 0.0)


def tell_stories(session: Any, step: int) -> None:
    """Everything that a game and its agents can say, a little in each frame."""
    session.draw.line((0, 0, 0), (step, 1, 2), object=1, channel="ai")
    session.draw.text((1, 2, 3), f"step {step}")
    session.draw.sphere((step, 0, 0), 2.0, object=2, latch="aim")
    session.trace.state(
        1, "legs", str(step - 1), str(step), won="time", also_true=("bored",),
        rejected=(Rejected("swim", "no water"),), values={"speed": step / 2},
    )  # fmt: skip
    session.trace.tree(2, "mind", ("running", "success"), blackboard={"step": step})
    session.trace.decision(1, "choice", {"step": step}, "go", won="bored")
    session.watch("speed", step / 2, 1)
    session.log(f"step {step}", level="debug", object=1)
    session.input("pad", {"x": step / 2, "A": step % 2 == 0}, object=1)
    session.event("step", {"n": step}, object=step % 3)
    session.event("step")
    if step % 6 == 1:
        session.picture(picture_bytes(text=str(step)), width=step, height=9)
    if step % 7 == 3:
        session.phase(f"phase {step}")
    session.name(3, f"ball {step // 4}")
    session.fact(3, "mood", {"step": step})
    if step % 3 == 0:
        session.mark(f"mark {step}", "of note", object=step % 2)
    if step == 5:
        session.trace.define_tree(
            2, "mind", [TreeNode("root", "selector"), TreeNode("go", parent=0)]
        )


def late_things(session: Any, step: int) -> None:
    """What other processes say of frames that are over."""
    outside, then = OtherProcess(session.recorder), max(step - 4, 1) / 64
    outside.decide(1, StateTransition("arms", "a", str(step), "late"), time=then)
    outside.line(session_line(f"late {step}"), time=then)
    if step % 5 == 0:
        outside.set_mark(f"late {step}", time=then)


def session_line(text: str) -> Any:
    from playhead.recorder.packets.log_lines import LogLine

    return LogLine(text)


def record(one: Any, frames: int, late: bool = True) -> int:
    def steps() -> int:
        for _ in range(frames):
            step = one.session.recorder.next_frame
            tell_stories(one.session, step)
            if late:
                late_things(one.session, step)
            newest = one.stage.run(1)
        return newest

    return one.do(steps)


def outcome(source: FrameSource, call: Callable[[FrameSource], Any]) -> Any:
    """What a source says, or which error it raises."""
    try:
        return plain(call(source))
    except PlayheadError as error:
        return type(error)


def plain(value: Any) -> Any:
    """Comparable: arrays and generators as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value).__name__, [plain(inner) for inner in value]
    if isinstance(value, list | tuple) or hasattr(value, "__next__"):
        return [plain(inner) for inner in value]
    return value


def questions(frame: int) -> dict[str, Callable[[FrameSource], Any]]:
    """Every public reading method."""
    return {
        "span": lambda s: s.span,
        "frame_at": lambda s: s.frame_at(frame / 64 + 0.003),
        "step": lambda s: [s.step(frame, frames) for frames in (-1, 1, 5)],
        "settle": lambda s: s.settle(frame),
        "stamp": lambda s: s.stamp(frame),
        "stamps": lambda s: s.stamps(frame, frame + 2),
        "packets": lambda s: s.packets(frame),
        "objects": lambda s: s.objects(frame),
        "recorded_types": lambda s: s.recorded_types(frame),
        "layout": lambda s: [s.layout(frame, type) for type in ("ball", ".line", "none")],
        "conventions": lambda s: s.conventions(frame),
        "about": lambda s: s.about(frame),
        "losses": lambda s: s.losses(frame),
        "decoded": lambda s: s.decoded(frame),
        "latched": lambda s: [
            s.latched(frame, object, kind, key)
            for object, kind, key in (
                (3, Kind.NAME, ""), (3, Kind.FACT, "mood"), (1, Kind.STATE, "legs"),
                (1, Kind.STATE, "arms"), (2, Kind.TREE, "mind"), (2, Kind.DRAWN, "aim"),
                (9, Kind.NAME, ""), (3, Kind.FACT, "none"),
            )
        ],
        "facts": lambda s: s.facts(frame),
        "tree": lambda s: s.tree(frame, 2, "mind"),
        "text": lambda s: [s.text(frame, number) for number in range(8)],
        "channel_names": lambda s: s.channel_names(frame),
        "drawn": lambda s: s.drawn(frame),
        "watches": lambda s: s.watches(frame),
        "inputs": lambda s: s.inputs(frame),
        "events": lambda s: s.events(frame),
        "pictures": lambda s: s.pictures(frame),
        "newest_picture": lambda s: [s.newest_picture(frame, name) for name in ("screen", "map")],
        "phase": lambda s: s.phase(frame),
        "phases": lambda s: s.phases(),
        "phases_in": lambda s: s.phases_in(frame),
        "logs": lambda s: s.logs(frame),
        "traces": lambda s: s.traces(frame),
        "transitions": lambda s: [
            s.transitions(frame, 1, machine, limit)
            for machine in ("legs", "arms", "none") for limit in (1, 5, 50)
        ],
        "machines": lambda s: s.machines(frame),
        "marks": lambda s: [s.marks(), s.marks(2)],
        "statements": lambda s: s.statements(frame),
        "gone": lambda s: s.gone(frame),
        "runs": lambda s: [
            (type, channels, flags, headers.tobytes(), payloads)
            for type, channels, flags, headers, payloads in s.runs(frame)
        ],
        "stretches": lambda s: s.stretches,
        "time": lambda s: s.time(frame),
        "names": lambda s: s.names(frame),
        "picture_entries": lambda s: s.picture_entries(1, frame),
        "picture_at": lambda s: [
            s.picture_at(entry) for entry, _ in s.picture_entries(frame, frame) or ()
        ],
        "indexes_changes": lambda s: s.indexes_changes,
        "latch_changes": lambda s: list(s.latch_changes(Kind.NAME, 1, 20)),
        "decisions": lambda s: s.decisions(frame),
        "decision_maker": lambda s: s.decision_maker(frame, 1, "choice"),
        "may_latch": lambda s: s.may_latch(Kind.NAME, "anna", 1, 20),
        "all_machines": lambda s: s.all_machines(),
        "watched": lambda s: s.watched(1, "speed", 3, 30),
        "type_of": lambda s: [s.type_of(frame, run[0]) for run in s.runs(frame)],
    }  # fmt: skip


MOVING = ("span", "stamp", "picture_entries", "stamps", "marks", "phases", "frame_at",
          "stretches", "all_machines",
          "watched", "latch_changes")  # fmt: skip
"""What a game that records on answers otherwise a moment later."""


def assert_alike(here: FrameSource, there: FrameSource, frames: list[int]) -> None:
    for frame in frames:
        for name, call in questions(frame).items():
            assert outcome(there, call) == outcome(here, call), f"{name} at frame {frame}"


def test_every_public_reading_method_is_compared():
    methods = {
        name
        for kind in (FrameSource, StatementReader)
        for name in vars(kind)
        if not name.startswith("_")
    }
    assert methods == set(questions(1))


def test_a_recording_says_the_same_over_the_bus(game, tool):
    one = game(memory="4 MiB", about={"build": "1.2"})
    newest = record(one, 40)
    here, there = RingSource(one.session.recorder.ring), RemoteSource(tool(one))
    assert_alike(here, there, [-1, 0, 1, 2, 3, 17, 36, 38, newest, newest + 1, 2**63 - 1])


def test_before_anything_is_recorded_both_say_so(game, tool):
    one = game()
    assert_alike(RingSource(one.session.recorder.ring), RemoteSource(tool(one)), [0, 1])


def test_no_time_is_refused_in_the_same_way(game, tool):
    one = game()
    record(one, 3)
    for source in (RingSource(one.session.recorder.ring), RemoteSource(tool(one))):
        with pytest.raises(CommandError):
            source.frame_at(float("nan"))


@pytest.mark.slow
def test_while_frames_are_evicted_both_forget_the_same_ones(game, tool):
    one = game(memory="128 KiB")
    here, there = RingSource(one.session.recorder.ring), RemoteSource(tool(one))
    for _ in range(4):
        newest = record(one, 75)
        oldest = here.span.oldest
        assert_alike(
            here, there, [1, oldest - 1, oldest, oldest + 1, (oldest + newest) // 2, newest]
        )
    assert oldest > 1
    with pytest.raises(EvictedError):
        there.objects(1)


@pytest.mark.slow
def test_while_recording_goes_on_what_is_read_is_what_was_recorded(game, tool):
    one = game(memory="16 MiB")
    record(one, 5, late=False)
    there = RemoteSource(tool(one))
    read: dict[int, Any] = {}
    session = one.session
    one.world.during = lambda: tell_stories(session, session.recorder.next_frame)
    with one.running(rate=200):
        while len(read) < 60:
            newest = there.span.newest
            for frame in (newest, newest // 2 + 1):
                read[frame] = {
                    name: outcome(there, call)
                    for name, call in questions(frame).items()
                    if name not in MOVING
                }
    here = RingSource(one.session.recorder.ring)
    for frame, message in read.items():
        calls = questions(frame)
        assert message == {name: outcome(here, calls[name]) for name in message}


def test_a_finished_frame_is_fetched_once(game, tool):
    one = game()
    record(one, 10)
    client = tool(one)
    there = RemoteSource(client)
    there.objects(4), there.drawn(4), there.logs(4)
    asked = client._transport._sequence
    for _ in range(5):
        there.objects(4)
    spans = client._transport._sequence - asked
    assert spans <= 20, "only the ends are asked for"
    monkey = remote._SPAN_FOR
    remote._SPAN_FOR = 100.0
    try:
        there.objects(4)
        asked = client._transport._sequence
        for _ in range(5):
            there.objects(4), there.packets(4), there.drawn(4), there.traces(4)
        assert client._transport._sequence == asked
    finally:
        remote._SPAN_FOR = monkey


def test_more_marks_than_one_answer_holds_are_all_read(game, tool, monkeypatch):

    for module in (remote, query_handler):
        monkeypatch.setattr(module, "MOST_ROWS", 7)
    one = game(memory="4 MiB")
    record(one, 60)

    def three_at_once() -> None:
        for number in range(3):
            one.session.mark(f"one of three {number}")
        one.stage.run(1)

    for _ in range(5):
        one.do(three_at_once)
    here, there = RingSource(one.session.recorder.ring), RemoteSource(tool(one))
    assert len(here.marks()) > 40
    assert outcome(there, lambda s: s.marks()) == outcome(here, lambda s: s.marks())
    calls = questions(60)
    assert outcome(there, calls["transitions"]) == outcome(here, calls["transitions"])


def test_another_recording_after_a_restart_is_read_afresh(game, tool):
    first = game()
    record(first, 10)
    client = tool(first)
    there = RemoteSource(client)
    assert_alike(RingSource(first.session.recorder.ring), there, [3, 7])
    first.close()
    second = game(bus=first.endpoint)

    def other() -> None:
        second.session.draw.box((0, 0, 0), (1, 1, 1), channel="other")
        second.session.trace.state(1, "other", "x", "y", won="z")
        second.stage.run(1)

    for _ in range(8):
        second.do(other)
    until(lambda: client.connected and client.welcome.service == second.bus.name, client)
    assert_alike(RingSource(second.session.recorder.ring), there, [1, 3, 7])


def test_a_playhead_over_it_goes_where_one_over_the_ring_does(game, tool):
    one = game()
    record(one, 60)
    here, there = RingSource(one.session.recorder.ring), RemoteSource(tool(one))
    clocks = [[0.0], [0.0]]
    heads = [
        Playhead(source, lambda clock=clock: clock[0])
        for source, clock in zip((here, there), clocks, strict=True)
    ]
    for command in (
        Enter(), SeekTime(0.4), Step(-3), SeekFrame(50), SeekMark("mark 12"), Play(2.0), Play(-1.0),
    ):  # fmt: skip
        shown = [head.apply(command) for head in heads]
        assert shown[0] == shown[1], command
        for clock in clocks:
            clock[0] += 0.1
        assert heads[0].update() == heads[1].update()
        for clock in clocks:
            clock[0] += 0.1
        assert heads[0].update() == heads[1].update()


def test_what_is_remembered_of_frames_is_bounded_and_asked_for_again(game, tool, monkeypatch):
    monkeypatch.setattr(remote, "_MOST_CACHED", 2)
    monkeypatch.setattr(remote, "_STAMPS", 1)
    one = game()
    record(one, 40)
    frames, ring = RemoteFrames(tool(one), lambda: None), one.session.recorder.ring
    for frame in (*range(1, 41), 1, 2):
        assert frames.stamp(frame)[:3] == ring.stamp(frame)[:3]
        assert frames.latched_all(frame) == ring.latched_all(frame)
    assert len(frames._latched) == 2
    assert len(frames._stamps) <= 18
    for frame in (1, 2, 3, 1):
        assert frames.image(frame) == ring.image(frame)
    assert list(frames._images) == [3, 1]
