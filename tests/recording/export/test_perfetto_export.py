"""A trace for Perfetto: states, ticks, values and lines as tracks of Chrome's trace format."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from playhead import Rejected, record
from playhead.errors import RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recording.export.perfetto_export import export_perfetto

DT = 0.1


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
    return path


def exported(clip: Path, out: Path, first: int = 1, last: int = 40) -> list[dict[str, Any]]:
    with ClipSource.open(clip) as source:
        export_perfetto(source, out, first, last)
    trace = json.loads(out.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    events: list[dict[str, Any]] = trace["traceEvents"]
    return events


def test_states_are_slices_from_transition_to_transition_with_their_reasons(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json")
    patrol, chase = [one for one in events if one["ph"] == "X" and one["name"] != "approach"]
    assert (patrol["name"], chase["name"]) == ("Patrol", "Chase")
    assert patrol["ts"] + patrol["dur"] == pytest.approx(chase["ts"]) == pytest.approx(1.1e6)
    assert chase["ts"] + chase["dur"] == pytest.approx(4.0e6)
    assert chase["args"]["rejected"] == {"hurt": "hp 74 is not below 35"}
    assert chase["args"]["values"] == {"far": "nan"}
    assert (patrol["pid"], patrol["tid"]) == (chase["pid"], chase["tid"])


def test_tracks_and_processes_are_named(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json")
    names = {
        (one["name"], one["pid"], one["tid"]): one["args"]["name"]
        for one in events if one["ph"] == "M"
    }  # fmt: skip
    for one in events:
        if one["ph"] in "Xi":
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
    assert by_name["approach"][0]["ph"] == "X"


def test_a_stretch_begins_with_the_state_that_was_true(clip, tmp_path):
    events = exported(clip, tmp_path / "out.json", 15, 30)
    times = [one["ts"] for one in events if "ts" in one]
    assert min(times) >= 1.5e6 - 1
    states = [one["name"] for one in events if one["ph"] == "X" and "won" in one["args"]]
    assert states == ["Chase"]


def test_a_file_that_is_there_is_refused(clip, tmp_path):
    (tmp_path / "out.json").write_text("mine")
    with pytest.raises(RecordingError):
        exported(clip, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == "mine"
