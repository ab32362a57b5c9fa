"""What came late stands in the frame whose time it carries, and changes what held from there on."""

import sys

import pytest
from msgspec.msgpack import encode

from playhead.errors import RecordingError
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    StateTransition,
    TreeTick,
)
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.reading.late_statement_index import LateIndex
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.statements.statement_messages import SetMark

from ...support.other_process import OtherProcess
from ...support.process import run_process


def to(target: str, machine: str = "plan") -> StateTransition:
    return StateTransition(machine, "", target, "reason")


def run(recorder, start: int, end: int) -> None:
    """Frames `start` to `end`, frame n at second n."""
    for frame in range(start, end + 1):
        assert recorder.update([], 0.0, float(frame)) == frame


def states(source, frames, agent=1, machine="plan") -> list[str | None]:
    """The state at each of these frames."""
    found = [source.latched(frame, agent, Kind.STATE, machine) for frame in frames]
    return [None if state is None else state.target for state in found]


def targets(source, frame, **rest) -> list[tuple[int, str]]:
    return [(t.frame, t.trace.target) for t in source.transitions(frame, 1, "plan", **rest)]


def test_a_trace_is_read_in_the_frame_of_its_time_and_in_no_other(recorder):
    run(recorder, 1, 4)
    OtherProcess(recorder).decide(1, TreeTick("brain", ("running",)), time=2.0)
    OtherProcess(recorder).decide(
        1, AnimationFrame("body", (AnimationClip("walk", 1.0),)), time=2.9
    )
    OtherProcess(recorder).line(LogLine("hello", object=1), time=3.0)
    OtherProcess(recorder).decide(1, to("walk"), time=2.0)
    run(recorder, 5, 6)
    source = recorder.source
    message = {frame: [trace for _, trace in source.traces(frame)] for frame in range(1, 7)}
    assert [type(trace).__name__ for trace in message.pop(2)] == [
        "TreeTick", "AnimationFrame", "StateTransition",
    ]  # fmt: skip
    assert set(map(tuple, message.values())) == {()}
    assert [len(source.logs(frame)) for frame in range(1, 7)] == [0, 0, 1, 0, 0, 0]
    assert source.logs(3) == [LogLine("hello", object=1, belongs_to=3)]


def test_a_frames_own_traces_come_first_and_late_ones_as_they_came(recorder):
    recorder.trace.state(1, "plan", "", "own", won="")
    recorder.log("own")
    run(recorder, 1, 2)
    for name in ("a", "b"):
        OtherProcess(recorder).decide(1, to(name), time=1.0)
        OtherProcess(recorder).line(LogLine(name), time=1.0)
        run(recorder, recorder.next_frame, recorder.next_frame)
    source = recorder.source
    assert [trace.target for _, trace in source.traces(1)] == ["own", "a", "b"]
    assert [line.text for line in source.logs(1)] == ["own", "a", "b"]


@pytest.mark.parametrize(
    ("instant", "frame"),
    [(1.0, 1), (1.99, 1), (2.0, 2), (3.0, 3), (3.9, 3), (4.0, 0), (4.1, 0), (99.0, 0), (None, 0)],
)
def test_an_instant_belongs_to_the_newest_frame_at_or_before_it(recorder, instant, frame):
    run(recorder, 1, 3)
    OtherProcess(recorder).line(LogLine("hello"), time=instant)
    run(recorder, 4, 5)
    held = {n: [line.belongs_to for line in recorder.source.logs(n)] for n in range(1, 6)}
    assert held.pop(frame or 4) == [frame]
    assert not any(held.values())


def test_what_is_older_than_all_that_is_recorded_is_dropped_and_counted(make_recorder):
    recorder = make_recorder("64 KiB")
    OtherProcess(recorder).line(LogLine("before the first frame"), time=0.0)
    run(recorder, 1, 2000)
    span = recorder.source.span
    OtherProcess(recorder).decide(1, to("old"), time=span.start - 0.5)
    OtherProcess(recorder).set_mark("old", time=span.start - 0.5)
    OtherProcess(recorder).line(LogLine("old"), time=-1e300)
    OtherProcess(recorder).decide(1, to("new"), time=span.end - 1.0)
    run(recorder, 2001, 2001)
    assert recorder.status.late_dropped == 4
    assert recorder.status.calls_dropped == 0
    assert states(recorder.source, (1998, 1999, 2000, 2001)) == [None, "new", "new", "new"]
    assert recorder.source.marks() == []


def test_the_games_own_clock_counts_since_it_last_started_over(recorder):
    for time in (10.0, 11.0, 0.0, 1.0, 2.0):  # frames at 10, 11, 11, 12, 13 on the timeline
        recorder.update([], 0.0, time)
    OtherProcess(recorder).line(LogLine("hello"), game_time=1.0)
    OtherProcess(recorder).line(LogLine("before it started over"), game_time=-1.0)
    recorder.update([], 0.0, 3.0)
    assert [line.text for line in recorder.source.logs(4)] == ["hello"]
    assert [line.text for line in recorder.source.logs(1)] == ["before it started over"]


def test_a_game_time_means_the_clock_as_it_was_when_it_was_stated(recorder):
    run(recorder, 1, 5)
    OtherProcess(recorder).line(LogLine("hello"), game_time=3.0)
    recorder.update([], 0.0, 0.5)  # the game starts over
    assert [line.text for line in recorder.source.logs(3)] == ["hello"]


def test_before_any_frame_the_games_clock_is_the_timeline(recorder):
    OtherProcess(recorder).line(LogLine("hello"), game_time=4.0)
    recorder.update([], 0.0, 4.0)
    assert [line.text for line in recorder.source.logs(1)] == ["hello"]


def test_the_state_is_that_of_the_transition_of_the_newest_frame_however_late_it_came(recorder):
    recorder.trace.state(1, "plan", "", "own 1", won="")
    run(recorder, 1, 4)
    recorder.trace.state(1, "plan", "", "own 5", won="")
    run(recorder, 5, 7)
    source = recorder.source
    before = states(source, range(1, 8))
    assert before == ["own 1"] * 4 + ["own 5"] * 3
    OtherProcess(recorder).decide(1, to("late 3"), time=3.0)
    run(recorder, 8, 8)
    assert states(source, range(1, 9)) == ["own 1"] * 2 + ["late 3"] * 2 + ["own 5"] * 4
    OtherProcess(recorder).decide(1, to("late 6"), time=6.0)
    run(recorder, 9, 10)
    now = ["own 1"] * 2 + ["late 3"] * 2 + ["own 5"] + ["late 6"] * 5
    assert states(source, range(1, 11)) == now
    assert targets(source, 10) == [(6, "late 6"), (5, "own 5"), (3, "late 3"), (1, "own 1")]
    assert targets(source, 10, limit=2) == [(6, "late 6"), (5, "own 5")]
    assert targets(source, 4) == [(3, "late 3"), (1, "own 1")]
    assert targets(source, 4, limit=1) == [(3, "late 3")]
    assert source.transitions(10, 1, "plan", 0) == []


def test_of_transitions_of_one_frame_the_one_that_came_last_wins(recorder):
    recorder.trace.state(1, "plan", "", "own", won="")
    run(recorder, 1, 2)
    OtherProcess(recorder).decide(1, to("a"), time=1.0)
    OtherProcess(recorder).decide(1, to("b"), time=1.0)
    run(recorder, 3, 3)
    OtherProcess(recorder).decide(1, to("c"), time=1.0)
    run(recorder, 4, 4)
    assert states(recorder.source, range(1, 5)) == ["c"] * 4
    assert targets(recorder.source, 4) == [(1, "c"), (1, "b"), (1, "a"), (1, "own")]


def test_what_the_game_says_in_the_open_frame_is_newer_than_what_comes_late_in_it(recorder):
    run(recorder, 1, 2)
    recorder.trace.state(1, "plan", "", "own", won="")
    OtherProcess(recorder).decide(1, to("late"), time=1.0)
    run(recorder, 3, 4)
    assert states(recorder.source, range(1, 5)) == ["late", "late", "own", "own"]
    assert targets(recorder.source, 4) == [(3, "own"), (1, "late")]


def test_a_machine_that_is_known_only_from_late_traces_is_known_from_their_frame_on(recorder):
    run(recorder, 1, 3)
    OtherProcess(recorder).decide(1, to("walk"), time=2.0)
    run(recorder, 4, 5)
    source = recorder.source
    assert [source.machines(n) for n in range(1, 6)] == [[]] + [[(1, "plan")]] * 4
    known = [(1, Kind.STATE, "plan") in source.facts(n) for n in range(1, 6)]
    assert known == [False] + [True] * 4
    assert targets(source, 3) == [(2, "walk")]
    assert source.facts(3)[1, Kind.STATE, "plan"].target == "walk"
    assert not any(kind is Kind.LATE for _, kind, _ in source.facts(5))


def test_facts_and_the_state_agree_where_a_late_transition_replaces_an_own_one(recorder):
    recorder.trace.state(1, "plan", "", "own", won="")
    run(recorder, 1, 3)
    OtherProcess(recorder).decide(1, to("late"), time=2.0)
    run(recorder, 4, 4)
    result = [recorder.source.facts(n)[1, Kind.STATE, "plan"].target for n in range(1, 5)]
    assert result == states(recorder.source, range(1, 5)) == ["own", "late", "late", "late"]


def test_a_state_that_comes_late_ends_with_its_agent(recorder):
    recorder.name(1, "Gork")
    recorder.update([], 0.0, 1.0)
    recorder.update([], 0.0, 2.0)
    recorder.despawn(1)
    run(recorder, 3, 5)
    OtherProcess(recorder).decide(1, to("walk"), time=2.0)
    run(recorder, 6, 7)
    source = recorder.source
    assert states(source, range(1, 8)) == [None, "walk"] + [None] * 5
    assert [source.machines(n) for n in range(1, 8)] == [[], [(1, "plan")]] + [[]] * 5
    assert targets(source, 7) == [(2, "walk")]


def test_a_mark_names_the_frame_of_its_time_and_marks_are_reported_by_their_frames(recorder):
    run(recorder, 1, 1)
    recorder.emit(SetMark("own 2"))
    run(recorder, 2, 3)
    recorder.emit(SetMark("own 4"))
    OtherProcess(recorder).set_mark("late 2", time=2.5)
    OtherProcess(recorder).set_mark("late 1", note="why", time=1.0)
    OtherProcess(recorder).set_mark("outside 4")
    run(recorder, 4, 5)
    source = recorder.source
    result = [(mark.name, mark.frame, mark.time) for mark in source.marks()]
    assert result == [
        ("late 1", 1, 1.0), ("own 2", 2, 2.0), ("late 2", 2, 2.0), ("own 4", 4, 4.0),
        ("outside 4", 4, 4.0),
    ]  # fmt: skip
    for limit in range(6):
        names = [mark.name for mark in source.marks(limit)]
        assert names == [name for name, _, _ in result][len(result) - limit :]


def test_listeners_hear_once_for_a_frame_which_older_ones_have_changed(recorder):
    heard = []
    stop = recorder.on_late(lambda frames: heard.append((recorder.source.span.newest, frames)))
    run(recorder, 1, 4)
    assert heard == []
    OtherProcess(recorder).decide(1, to("walk"), time=3.0)
    OtherProcess(recorder).line(LogLine("hello"), time=1.0)
    OtherProcess(recorder).line(LogLine("hello"), time=3.5)
    OtherProcess(recorder).set_mark("boss", time=2.0)
    OtherProcess(recorder).line(LogLine("now"))
    OtherProcess(recorder).name(1, "Gork")
    run(recorder, 5, 6)
    assert heard == [(5, [1, 2, 3])]
    stop()
    stop()
    OtherProcess(recorder).line(LogLine("hello"), time=1.0)
    run(recorder, 7, 7)
    assert heard == [(5, [1, 2, 3])]


def test_a_line_in_a_channel_that_is_not_recorded_changes_nothing(recorder):
    heard = []
    recorder.on_late(heard.append)
    run(recorder, 1, 2)
    recorder.channels.record("fx", False)
    OtherProcess(recorder).line(LogLine("hello"), channel="fx", time=1.0)
    run(recorder, 3, 3)
    assert heard == []
    assert recorder.source.logs(1) == []


@pytest.mark.parametrize("strict", [True, False])
def test_a_listener_that_fails_stops_no_other_and_costs_no_frame(make_recorder, strict):
    recorder, heard = make_recorder(strict=strict), []
    recorder.on_late(lambda frames: 1 / 0)
    recorder.on_late(heard.append)
    run(recorder, 1, 2)
    OtherProcess(recorder).line(LogLine("hello"), time=1.0)
    if strict:
        with pytest.raises(RecordingError, match="on_late"):
            recorder.update([], 0.0, 3.0)
    else:
        recorder.update([], 0.0, 3.0)
    assert heard == [[1]]
    assert recorder.status.calls_refused == {"on_late": 1}
    run(recorder, 4, 5)


def fill(recorder, frames: int) -> None:
    for _ in range(frames):
        recorder.log("some text to fill the ring with, so that older frames are evicted")
        run(recorder, recorder.next_frame, recorder.next_frame)


def test_a_late_state_outlives_its_frame_and_the_one_it_came_in(make_recorder):
    recorder = make_recorder("64 KiB")
    recorder.trace.state(1, "plan", "", "own", won="")
    run(recorder, 1, 5)
    OtherProcess(recorder).decide(1, to("late"), time=3.0)
    OtherProcess(recorder).decide(1, to("overtaken"), time=2.0)
    run(recorder, 6, 6)
    source = recorder.source
    seen = set()
    while source.span.oldest < 8:
        run(recorder, recorder.next_frame, recorder.next_frame)
        oldest = source.span.oldest
        seen.add(oldest)
        for frame in range(oldest, 8):
            expected = ["own", "overtaken", *["late"] * 5][frame - 1]
            assert states(RingSource(recorder.ring), [frame]) == [expected]
            assert states(source, [frame]) == [expected]
    assert {2, 3, 6, 7} <= seen
    assert targets(source, source.span.newest) == [(3, "late")]


def test_how_far_late_things_reach_is_forgotten_with_the_frames_that_hold_them(make_recorder):
    recorder = make_recorder("64 KiB")
    run(recorder, 1, 10)
    OtherProcess(recorder).line(LogLine("far"), time=2.0)
    run(recorder, 11, 14)
    OtherProcess(recorder).line(LogLine("near"), time=13.0)
    run(recorder, 15, 15)

    def reach() -> int:
        newest = recorder.source.span.newest
        return recorder.source.latched(newest, 0, Kind.LATE, "")[0]

    assert reach() == 9
    fill(recorder, 1000)
    assert recorder.source.span.oldest > 15
    newest = recorder.source.span.end
    OtherProcess(recorder).line(LogLine("near"), time=newest - 1.0)
    fill(recorder, 1)
    assert reach() == 2


def test_of_two_that_reach_far_the_second_is_found_when_the_first_is_gone(make_recorder):
    recorder = make_recorder("64 KiB")
    run(recorder, 1, 50)
    OtherProcess(recorder).line(LogLine("first"), time=10.0)
    run(recorder, 51, 100)
    OtherProcess(recorder).line(LogLine("second"), time=70.0)
    run(recorder, 101, 101)
    while recorder.source.span.oldest <= 52:
        run(recorder, recorder.next_frame, recorder.next_frame)
    newest = recorder.source.span.newest
    OtherProcess(recorder).line(LogLine("near"), time=newest - 1.0)
    run(recorder, newest + 1, newest + 1)
    assert recorder.source.span.oldest < 70
    assert [line.text for line in recorder.source.logs(70)] == ["second"]
    assert [line.text for line in recorder.source.logs(newest - 1)] == ["near"]


def test_late_things_are_found_whatever_the_distances_that_they_came_from(make_recorder):
    recorder = make_recorder("1 MiB")
    run(recorder, 1, 300)
    for frame in range(301, 451):  # each from less far back than the one before
        belongs = 2 * frame - 550
        OtherProcess(recorder).line(LogLine(str(frame)), time=float(belongs))
        run(recorder, frame, frame)
    for frame in range(301, 451):
        lines = RingSource(recorder.ring).logs(2 * frame - 550)
        assert [line.text for line in lines] == [str(frame)]


def test_a_reader_looks_only_into_frames_that_hold_late_things(recorder):
    class Counting:
        """Counts what is asked of a ring."""

        def __init__(self, ring) -> None:
            self.ring, self.read, self.latched_asked = ring, [], 0

        def __getattr__(self, name):
            return getattr(self.ring, name)

        def packets(self, frame):
            self.read.append(frame)
            return self.ring.packets(frame)

        def image(self, frame):
            self.read.append(frame)
            return self.ring.image(frame)

        def latched(self, *args):
            self.latched_asked += 1
            return self.ring.latched(*args)

    recorder.trace.state(1, "plan", "", "own", won="")
    run(recorder, 1, 100)
    frames = Counting(recorder.ring)
    source = FrameSource(frames)
    source.machines(50), states(source, [50])  # which look up the machine's name and number too
    for ask, asked in (
        (lambda: states(source, [51]), 1),  # for the state; what came late is known until …
        (lambda: targets(source, 52), 0),
        (lambda: source.machines(53), 0),
        (lambda: source.traces(54), 0),
        (lambda: source.logs(55), 0),
        (lambda: source.logs(55), 0),
        (lambda: source.logs(100), 0),
        (lambda: (run(recorder, 101, 101), source.logs(55)), 1),  # … there is a newer frame
    ):
        frames.latched_asked = 0
        ask()
        assert frames.latched_asked == asked
    assert frames.read == [54, 55, 55, 100, 55]

    for frame in range(102, 201):
        if frame % 10 == 0:
            OtherProcess(recorder).decide(1, TreeTick("brain", ("running",)), time=frame - 7.0)
        run(recorder, frame, frame)
    frames.read.clear()
    assert len(source.traces(153)) == 1
    assert frames.read == [153, 160]
    assert states(source, [153, 154]) == ["own", "own"]
    assert targets(source, 200) == [(1, "own")]
    assert frames.read == [153, 160]


def test_without_room_for_late_things_they_are_dropped_and_counted(make_recorder):
    recorder = make_recorder("1 MiB", latch="32 KiB", strict=False)
    run(recorder, 1, 1)
    for n in range(1, 500):
        recorder.name(n, "x" * 100)
    run(recorder, 2, 2)
    OtherProcess(recorder).line(LogLine("late"), time=1.0)
    OtherProcess(recorder).line(LogLine("now"))
    run(recorder, 3, 3)
    assert recorder.status.late_dropped == 1
    assert recorder.source.logs(1) == []
    assert [line.text for line in recorder.source.logs(3)] == ["now"]


def test_where_something_belongs_is_not_believed_if_it_is_nonsense(recorder):
    """A ring that was made to do harm may say anything."""
    run(recorder, 1, 2)
    for belongs_to in (-1, 3, 77, 2**64 - 1):
        recorder.log("opens the frame")
        payload = encode(StateTransition("plan", "", str(belongs_to), "", belongs_to=belongs_to))
        recorder.ring.record(1, PacketType.STATE, False, (0, 0, 0), (0, 0, 0), payload)
    late = encode(LateIndex(2**60, 1, 2**60, 2**60))
    recorder.ring.latch(0, PacketType.FACT, 0, Kind.LATE, 0, late)
    run(recorder, 3, 4)
    source = recorder.source
    assert [len(source.traces(n)) for n in range(1, 5)] == [0, 0, 4, 0]
    assert states(source, range(1, 5)) == [None] * 4
    assert targets(source, 4) == []


READ = """
import sys
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.ring_source import RingSource

source = RingSource.open(sys.argv[1])
for frame in range(1, 7):
    state = source.latched(frame, 1, Kind.STATE, "plan")
    print(
        frame, state and state.target, [t.target for _, t in source.traces(frame)],
        [line.text for line in source.logs(frame)], source.machines(frame),
        [t.trace.target for t in source.transitions(frame, 1, "plan")],
    )
print([(mark.name, mark.frame) for mark in source.marks()])
"""


@pytest.mark.parametrize("closed", [True, False])
def test_another_process_reads_what_came_late_where_it_belongs(make_recorder, tmp_path, closed):
    recorder = make_recorder(path=tmp_path / "game.ring")
    run(recorder, 1, 2)
    recorder.trace.state(1, "plan", "", "own", won="")
    run(recorder, 3, 4)
    OtherProcess(recorder).decide(1, to("late"), time=2.0)
    OtherProcess(recorder).decide(1, to("later"), time=4.0)
    OtherProcess(recorder).line(LogLine("hello"), time=1.0)
    OtherProcess(recorder).set_mark("boss", time=3.0)
    run(recorder, 5, 6)
    if closed:
        recorder.close()
    read = run_process(
        sys.executable, "-W", "error", "-c", READ, tmp_path / "game.ring", check=True
    ).stdout.splitlines()
    machines = "[(1, 'plan')]"
    assert read == [
        "1 None [] ['hello'] [] []",
        f"2 late ['late'] [] {machines} ['late']",
        f"3 own ['own'] [] {machines} ['own', 'late']",
        f"4 later ['later'] [] {machines} ['later', 'own', 'late']",
        f"5 later [] [] {machines} ['later', 'own', 'late']",
        f"6 later [] [] {machines} ['later', 'own', 'late']",
        "[('boss', 3)]",
    ]
