"""A trace for Perfetto: states, ticks, values and lines as tracks, in both formats."""

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from playhead import Rejected, TreeNode, record
from playhead.errors import CommandError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recording.export.perfetto_export import export_perfetto

DT = 0.1
TREE = [TreeNode("root", "sequence"), TreeNode("far?", "condition", 0), TreeNode("go", parent=0)]


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    guard = {"name": "north", "x": 0.0}
    path = tmp_path / "run.mcap"
    with record([guard], path, dt=DT) as rec:
        for step in range(40):
            with rec.frame():
                rec.watch("speed", float("inf") if step == 5 else step / 2, guard)
                if step == 0:
                    rec.phase("approach")
                    rec.trace.state(guard, "ai", None, "Patrol", won="start")
                if step == 10:
                    rec.trace.state(
                        guard, "ai", "Patrol", "Chase", won="sees", values={"far": float("nan")},
                        rejected=[Rejected("hurt", "hp 74 is not below 35")],
                    )  # fmt: skip
                if step == 20:
                    rec.log('a "quoted"\nline', object=guard)
                    rec.event("hit", {"damage": 12}, object=guard)
                    rec.mark("boss")
                if step == 0:
                    rec.trace.define_tree(guard, "mind", TREE)
                rec.trace.tree(guard, "mind", ["running", "success", "running"])
    return path


def exported(clip: Path, out: Path, first: int = 1, last: int = 40) -> list[dict[str, Any]]:
    with ClipSource.open(clip) as source:
        export_perfetto(source, out, first, last)
    trace = json.loads(out.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    events: list[dict[str, Any]] = trace["traceEvents"]
    return events


def test_states_are_slices_from_transition_to_transition_with_their_reasons(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json")
    states = [one for one in events if one["ph"] in "BE" and one["name"] != "approach"]
    assert [(one["name"], one["ph"]) for one in states] == [
        ("Patrol", "B"), ("Patrol", "E"), ("Chase", "B"), ("Chase", "E"),
    ]  # fmt: skip
    assert [one["ts"] for one in states] == pytest.approx([0.1e6, 1.1e6, 1.1e6, 4.0e6])
    assert len({(one["pid"], one["tid"]) for one in states}) == 1
    chase = states[2]
    assert chase["args"]["rejected"] == {"hurt": "hp 74 is not below 35"}
    assert chase["args"]["values"] == {"far": "nan"}


def test_tracks_and_processes_are_named(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json")
    names = {
        (one["name"], one["pid"], one["tid"]): one["args"]["name"]
        for one in events if one["ph"] == "M"
    }  # fmt: skip
    for one in events:
        if one["ph"] in "BEi":
            assert ("thread_name", one["pid"], one["tid"]) in names, one
        assert ("process_name", one["pid"], 0) in names
    assert "north (1)" in names.values()
    assert "ai" in names.values()


def test_values_lines_events_and_marks_stand_at_their_times(clip, tmp_path):
    by_name = defaultdict(list)
    for one in exported(clip, tmp_path / "out.json"):
        by_name[one["name"]].append(one)
    assert len(by_name["speed"]) == 39, "what is no number has no place on a curve"
    assert by_name["speed"][-1]["args"]["value"] == 19.5
    assert len(by_name["step (ms)"]) == 40
    for name in ('a "quoted"\nline', "hit", "boss"):
        assert by_name[name][0]["ts"] == pytest.approx(2.1e6)
    assert by_name["hit"][0]["args"]["value"] == {"damage": 12}
    assert [one["ph"] for one in by_name["approach"]] == ["B", "E"]


def test_a_stretch_begins_with_the_state_that_was_true(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json", 15, 30)
    times = [one["ts"] for one in events if "ts" in one]
    assert min(times) >= 1.5e6 - 1
    states = [one["name"] for one in events if one["ph"] == "B" and "won" in one["args"]]
    assert states == ["Chase"]


def test_a_file_that_is_there_is_refused(clip, tmp_path):
    (tmp_path / "out.json").write_text("mine")
    with pytest.raises(RecordingError):
        exported(clip, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == "mine"


# --- Perfetto's own format ------------------------------------------------------------------------


class Track(NamedTuple):
    """A track as Perfetto groups it."""

    process: str
    name: str
    is_curve: bool


@pytest.fixture
def trace(clip, tmp_path):
    """The packets of a trace, as Perfetto's schema reads them."""
    schema = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    with ClipSource.open(clip) as source:
        export_perfetto(source, tmp_path / "out.pftrace", 1, 40)
    trace = schema.Trace()
    trace.ParseFromString((tmp_path / "out.pftrace").read_bytes())
    return trace


def events_by_track(trace) -> dict[Track, list[Any]]:
    """The events of each track; each track and process is described before its first event."""
    processes: dict[int, str] = {}
    tracks: dict[int, Track] = {}
    events = defaultdict(list)
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            if one.HasField("process"):
                processes[one.uuid] = one.process.process_name
            else:
                curve = one.HasField("counter")
                tracks[one.uuid] = Track(processes[one.parent_uuid], one.name, curve)
        else:
            events[tracks[packet.track_event.track_uuid]].append(packet)
    return events


def plain(annotations) -> dict[str, Any]:
    """Annotations as plain values."""

    def value(one):
        if one.dict_entries:
            return plain(one.dict_entries)
        if one.array_values:
            return [value(each) for each in one.array_values]
        kind = one.WhichOneof("value")
        return getattr(one, kind) if kind else None

    return {one.name: value(one) for one in annotations}


def test_perfetto_s_schema_finds_states_ticks_log_and_step_times_as_tracks(trace):
    assert set(events_by_track(trace)) == {
        Track("game", "step (ms)", True), Track("game", "phases", False),
        Track("game", "log", False), Track("game", "events", False), Track("game", "marks", False),
        Track("north (1)", "ai", False), Track("north (1)", "tree mind", False),
        Track("north (1)", "speed", True),
    }  # fmt: skip


def test_only_the_first_packet_begins_a_sequence(trace):
    flags = [packet.sequence_flags for packet in trace.packet]
    assert flags == [trace.packet[0].SEQ_INCREMENTAL_STATE_CLEARED] + [0] * (len(flags) - 1)


def test_in_perfetto_s_format_a_state_begins_and_ends_with_its_reasons(trace):
    states = events_by_track(trace)[Track("north (1)", "ai", False)]
    kinds = [states[0].track_event.TYPE_SLICE_BEGIN, states[0].track_event.TYPE_SLICE_END]
    assert [one.track_event.type for one in states] == 2 * kinds
    assert [round(one.timestamp / 1e9, 6) for one in states] == [0.1, 1.1, 1.1, 4.0]
    assert [one.track_event.name for one in states[::2]] == ["Patrol", "Chase"]
    details = plain(states[2].track_event.debug_annotations)
    assert details["won"] == "sees"
    assert details["rejected"] == {"hurt": "hp 74 is not below 35"}
    assert math.isnan(details["values"]["far"])


def test_in_perfetto_s_format_curves_ticks_and_lines_are_at_their_times(trace):
    events = events_by_track(trace)
    steps = events[Track("game", "step (ms)", True)]
    assert len(steps) == 40
    assert steps[-1].track_event.double_counter_value == pytest.approx(1000 * DT)
    speeds = events[Track("north (1)", "speed", True)]
    assert [one.track_event.double_counter_value for one in speeds][-1] == 19.5
    (line,) = events[Track("game", "log", False)]
    assert (line.track_event.name, line.timestamp) == ('a "quoted"\nline', 2_100_000_000)
    ticks = events[Track("north (1)", "tree mind", False)]
    assert len(ticks) == 40
    assert all(one.track_event.type == one.track_event.TYPE_INSTANT for one in ticks)


def test_another_ending_is_refused_with_those_that_there_are(clip, tmp_path):
    with ClipSource.open(clip) as source, pytest.raises(CommandError, match=r"out\.pftrace for"):
        export_perfetto(source, tmp_path / "out.trace", 1, 40)
    assert not (tmp_path / "out.trace").exists()
