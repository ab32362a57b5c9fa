"""Perfetto's own trace processor opens an exported trace, and finds in it what was recorded."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import playhead
from playhead.recording.export.chrome_trace_writer import ChromeTraceWriter
from playhead.recording.export.perfetto_trace_writer import PerfettoTraceWriter
from playhead.recording.export.trace_events import Process, Sample, Slice
from playhead.recording.recording import Recording

from ...support.process import PLAYHEAD, run_process
from .trace_processor import Row, query_trace

pytestmark = pytest.mark.slow
pytest.importorskip("perfetto", reason="the schema of the processor's messages is in it")

PROBLEMS = "select name, value, description from stats where severity != 'info' and value > 0"
PROCESSES = "select name from process where name is not null"
# The tracks of Perfetto's own format belong to processes, those of Chrome's to their threads.
SLICES = """
    select process.name, coalesce(track.name, thread.name), slice.name, slice.ts, slice.dur,
        slice.depth, (
            select json_group_object(substr(key, instr(key, '.') + 1), display_value)
            from args where args.arg_set_id = slice.arg_set_id
        )
    from slice join track on slice.track_id = track.id
    left join process_track on process_track.id = track.id
    left join thread_track on thread_track.id = track.id
    left join thread on thread.utid = thread_track.utid
    left join process on process.upid = coalesce(process_track.upid, thread.upid)
    order by slice.ts, slice.id
"""
COUNTERS = """
    select process.name, track.name, counter.ts, counter.value
    from counter join process_counter_track as track on counter.track_id = track.id
    join process using (upid)
    order by counter.ts, counter.id
"""


class ProcessedTrace:
    """A clip, and what the processor found in its trace."""

    def __init__(self, clip: Path, trace: Path) -> None:
        done = run_process(PLAYHEAD, "clip", "export", "perfetto", clip, trace)
        assert done.returncode == 0, done.stderr
        self.recording: Recording = playhead.open(clip)
        source, span = self.recording.source, self.recording.span
        assert span is not None
        self._names = source.names(span.oldest) | source.names(span.newest)
        self.problems, processes, slices, counters = query_trace(
            trace, PROBLEMS, PROCESSES, SLICES, COUNTERS
        )
        self.processes = {name for (name,) in processes}
        self.overlapping = [row for row in slices if row[4] > 0 and row[5] > 0]
        self.slices = by_track((*row[:5], json.loads(row[6])) for row in slices)
        """Name, start, duration and details of each slice, by process and track; in nanoseconds."""
        # Chrome's format makes the name of a curve of the event's and the value's.
        unit = " value" if trace.suffix == ".json" else ""
        self.curves = by_track((row[0], row[1].removesuffix(unit), *row[2:]) for row in counters)
        """Time and value of each sample, by process and curve."""

    def process(self, object: int) -> str:
        """What an object is called."""
        name = self._names.get(object)
        return f"{name} ({object})" if name else f"object {object}"

    def details(self, track: str, *keys: str) -> list[Row]:
        """Name, time and some of the details of each slice of a track of the game."""
        return sorted(
            (name, time, *(found.get(key) for key in keys))
            for name, time, _, found in self.slices["game", track]
        )


def by_track(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    tracks = defaultdict(list)
    for process, track, *rest in rows:
        tracks[process, track].append(tuple(rest))
    return tracks


def nanoseconds(time: float) -> int:
    return round(time * 1e9)


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of the arena: ten seconds of six guards, with their machines and trees."""
    clip = tmp_path_factory.mktemp("yard") / "yard.mcap"
    command = (PLAYHEAD, "run", "arena:yard", "--headless", "--seconds", 10, "--seed", 7)
    done = run_process(*command, "--clip", clip)
    assert done.returncode == 0, done.stderr
    return clip


@pytest.fixture(scope="module")
def guards(played) -> Path:
    """A clip of a small game with all that can be recorded, late lines of other processes too."""
    clip: Path = played.folder / "guards.mcap"
    played.session.save(clip)
    return clip


@pytest.fixture(scope="module", params=[
    (clip, suffix) for clip in ("yard", "guards") for suffix in (".pftrace", ".json")
], ids="".join)  # fmt: skip
def processed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProcessedTrace]:
    clip, suffix = request.param
    trace = tmp_path_factory.mktemp("trace") / f"{clip}{suffix}"
    made = ProcessedTrace(request.getfixturevalue(clip), trace)
    yield made
    made.recording.close()


def test_the_processor_has_nothing_to_complain_about(processed):
    assert processed.problems == []
    assert processed.overlapping == [], "no state begins before the last one of its track ends"


def test_processes_are_the_game_and_the_objects_that_said_something(processed):
    recording = processed.recording
    speakers = {one.agent for one in recording.transitions()}
    speakers |= {row["object"] for row in recording.table("watches")}
    speakers |= {row["agent"] for row in recording.table("traces") if row["kind"] == "tree"}
    speakers.discard(0)
    assert processed.processes == {"game"} | {processed.process(one) for one in speakers}
    assert len(speakers) >= 2


def test_states_last_from_transition_to_transition(processed):
    end = nanoseconds(processed.recording.span.end)
    by_machine = defaultdict(list)
    for one in processed.recording.transitions():
        by_machine[processed.process(one.agent), one.machine].append(one)
    assert len(by_machine) >= 3
    for track, transitions in by_machine.items():
        times = [nanoseconds(one.time) for one in transitions]
        lengths = [then - now for now, then in zip(times, [*times[1:], end], strict=True)]
        expected = [
            (one.target, time, length, one.won, str(one.frame))
            for one, time, length in zip(transitions, times, lengths, strict=True)
        ]
        found = [
            (name, time, length, details["won"], details["frame"])
            for name, time, length, details in processed.slices[track]
        ]
        assert found == expected, track


def test_why_a_state_was_entered_is_among_its_details(processed):
    for one in processed.recording.transitions():
        slices = processed.slices[processed.process(one.agent), one.machine]
        (details,) = [found for *_, found in slices if found["frame"] == str(one.frame)]
        assert details.get("from", "") == one.source
        for rejected in one.rejected:
            assert details[f"rejected.{rejected.condition}"] == rejected.reason
        assert details["line"] == f"{one.file}:{one.line}"


def test_each_tick_of_a_tree_has_the_statuses_of_the_nodes(processed):
    expected = defaultdict(list)
    for row in processed.recording.table("traces"):
        if row["kind"] == "tree":
            track = processed.process(row["agent"]), f"tree {row['machine']}"
            expected[track].append((nanoseconds(row["time"]), list(row["nodes"])))
    assert expected
    for track, ticks in expected.items():
        found = [
            (time, [text for key, text in details.items() if key.startswith("nodes[")])
            for _, time, _, details in processed.slices[track]
        ]
        assert found == ticks, track


def test_log_rows_have_their_times_levels_and_objects(processed):
    logs = processed.recording.logs()
    assert len(logs) >= 3
    assert processed.details("log", "level", "object") == sorted(
        (line.text, nanoseconds(line.time), line.level, str(line.object)) for line in logs
    )


def test_events_marks_and_phases_are_those_of_the_recording(processed):
    recording = processed.recording
    assert processed.details("events", "object", "value.damage") == sorted(
        (one.name, nanoseconds(one.time), str(one.object), str(one.value["damage"]))
        for one in recording.events()
    )
    assert processed.details("marks", "kind") == sorted(
        (one.name, nanoseconds(one.time), one.kind) for one in recording.marks
    )
    assert [row[:3] for row in processed.slices["game", "phases"]] == [
        (one.name, nanoseconds(one.start), nanoseconds(one.end) - nanoseconds(one.start))
        for one in recording.phases()
    ]


def test_frame_times_and_watched_values_are_curves(processed):
    frames, watches = (processed.recording.table(name) for name in ("frames", "watches"))
    expected = defaultdict(list)
    for time, delta in zip(frames["time"].tolist(), frames["delta"].tolist(), strict=True):
        expected["game", "step (ms)"].append((nanoseconds(time), 1000 * delta))
    columns = [watches[name].tolist() for name in ("object", "name", "time", "value")]
    for object, name, time, value in zip(*columns, strict=True):
        curve = processed.process(object) if object else "game", name
        expected[curve].append((nanoseconds(time), value))
    assert processed.curves.keys() == expected.keys()
    for curve, samples in expected.items():
        found = processed.curves[curve]
        assert [time for time, _ in found] == [time for time, _ in samples], curve
        # The processor's own reading of decimal numbers is a bit less exact than Python's.
        values = [value for _, value in samples]
        assert [value for _, value in found] == pytest.approx(values, rel=1e-14), curve


# --- what is hard for a trace ---------------------------------------------------------------------

HARD_IDS = (1, 2**31 - 1, 2**32, 2**32 + 1, 2**53, 2**53 + 1, 2**63 - 1)


@pytest.mark.parametrize(
    ("writer", "suffix"), [(PerfettoTraceWriter, ".pftrace"), (ChromeTraceWriter, ".json")]
)
def test_large_ids_times_before_zero_and_states_of_no_length_are_kept(writer, suffix, tmp_path):
    trace = tmp_path / f"hard{suffix}"
    with writer(trace, -3.0) as made:
        for id in HARD_IDS:
            process = Process(id, f"object {id}")
            made.write(Slice(process, "ai", "Wait", -3.0, -1.0, {"large": 2**70, "far": -math.inf}))
            made.write(Slice(process, "ai", "Turn", -1.0, -1.0, {}))
            made.write(Slice(process, "ai", "Gehe \ud800 \x00 längs", -1.0, 2.0, {}))
            made.write(Sample(process, "speed", -2.0, 1e300))
    problems, processes, slices, counters = query_trace(
        trace, PROBLEMS, PROCESSES, SLICES, COUNTERS
    )
    assert problems == []
    names = {f"object {id}" for id in HARD_IDS}
    assert {name for (name,) in processes} == names
    assert sorted(row[2:4] for row in counters) == [(1_000_000_000, 1e300)] * len(HARD_IDS)
    assert {row[0] for row in counters} == names
    for states in by_track(slices).values():
        places = [(start, length, depth) for _, start, length, depth, _ in states]
        assert places == [(0, 2 * 10**9, 0), (2 * 10**9, 0, 0), (2 * 10**9, 3 * 10**9, 0)]
        assert [name for name, *_ in states[:2]] == ["Wait", "Turn"]
        assert states[2][0].startswith("Gehe ? ")
        details = json.loads(states[0][-1])
        assert details["large"] == str(2**70)
        assert details["far"].lower() == "-inf"
