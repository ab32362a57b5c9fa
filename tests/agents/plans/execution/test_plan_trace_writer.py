"""What a plan's agent leaves in the recording of itself: enough that a clip alone shows it."""

import numpy as np
import pytest

from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_file import load_plan, parse_plan, shipped_plan
from playhead.games.game_catalog import open_game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.packet_types import Kind
from playhead.recording.recording import Recording
from playhead.session import Session


def facts_of(source, frame):
    return {key: value for (_, kind, key), value in source.facts(frame).items()
            if kind is Kind.FACT and key.startswith("plan")}  # fmt: skip


def play(file, path, game="arena:dungeon"):
    with (
        open_game(game, seed=1) as opened,
        Session(opened.world, handlers=opened.handlers, on_check=UNATTENDED) as session,
    ):
        outcome = run_plan(file, opened, session=session)
        session.save(path)
    return outcome


def is_of_plan(drawing):
    return drawing.file.endswith("plan_trace_writer.py")


def path_drawn(source, frame):
    """The segments of the latched path that is drawn at a frame."""
    [path] = [one for one in source.drawn(frame) if is_of_plan(one) and one.latched == "plan path"]
    return path.values["segments"]


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("plans") / "dungeon.mcap"
    play(load_plan(shipped_plan("arena:dungeon")), path)
    with ClipSource.open(path) as source:
        yield source


@pytest.mark.slow
def test_the_plan_itself_is_in_the_recording_with_the_places_of_its_nodes(clip):
    plan = facts_of(clip, clip.span.newest)["plan"]
    assert [node["title"] for node in plan["nodes"]] == [
        "interact switch", "jump lava pit", "interact shrine",
    ]  # fmt: skip
    assert all(len(node["place"]) == 3 for node in plan["nodes"])
    assert plan["rules"][0] == {
        "title": "attack enemy", "when": [{"actor": "enemy", "within": 4.0}],
        "action": "attack", "priority": 10.0,
    }  # fmt: skip


@pytest.mark.slow
def test_every_frame_tells_what_the_rules_looked_at_and_why_they_did_not_hold(clip):
    results = [
        row
        for frame in range(1, clip.span.newest + 1)
        for row in facts_of(clip, frame)["plan rules"]
    ]
    fired = [row for row in results if row["won"]]
    assert fired
    for row in fired:
        assert all(value is not None and not why for _, value, why in row["when"])
    assert all(row["won"] or any(why for _, _, why in row["when"]) for row in results
               if row["title"] == "attack enemy")  # fmt: skip


def test_an_action_is_in_the_log_before_its_event_happens(clip):
    recording = Recording(clip, "")
    [announced] = recording.logs(text="about to interact switch")
    [event] = recording.logs(text="switch is on")
    begun, passed = recording.transitions(announced.object, "validation")
    assert announced.object == recording.object("switch").id
    assert (begun.target, passed.target) == ("pending", "passed")
    assert announced.frame == begun.frame < event.frame <= passed.frame


def test_every_action_that_was_validated_is_in_the_log_before(clip):
    recording = Recording(clip, "")
    told = [line.text for line in recording.logs(text="about to ")]
    assert "about to jump lava pit" in told
    assert "about to attack skeleton" in told
    assert told[-1] == "about to interact shrine"
    assert len(told) == sum(one.target == "pending" for one in recording.transitions(
        machine="validation"))  # fmt: skip


def test_the_way_that_was_found_and_the_line_to_the_goal_are_drawn(clip):
    recording = Recording(clip, "")
    switch = np.array(recording.object("switch", frame=1).position)
    first, end = path_drawn(clip, 1), path_drawn(clip, clip.span.newest)
    start = recording.object("hero", frame=1).position
    assert first[0, 0].tolist() == pytest.approx(start)
    assert np.linalg.norm(first[-1, 1] - switch) < 2.0
    assert (first[1:, 0] == first[:-1, 1]).all(), "one way, without gaps"
    assert len(first) > 2, "around the walls"
    assert len(end) == 0, "nothing is gone to any more"
    for frame in (1, 50):
        [line] = [one for one in clip.drawn(frame) if is_of_plan(one) and one.kind == "line"]
        assert line.position == pytest.approx(recording.object("hero", frame=frame).position)
        assert line.values["end"].tolist() == pytest.approx(switch)


def test_the_progress_tells_the_next_node_and_how_the_others_were_validated(clip):
    begin, end = facts_of(clip, 1)["plan progress"], facts_of(clip, clip.span.newest)
    assert (begin["node"], begin["failure"]) == (1, "")
    assert end["plan progress"]["doing"] == "done"
    assert end["plan progress"]["validations"] == ["passed"] * 3


def test_a_failure_is_recorded_in_the_frame_in_which_it_happens(tmp_path):
    file = parse_plan("nodes:\n  - {actor: switch, action: interact, time_limit: 1}\n")
    outcome = play(file, tmp_path / "late.mcap")
    with ClipSource.open(tmp_path / "late.mcap") as source:
        at = outcome.failure.frame
        assert facts_of(source, at)["plan progress"]["failure"] == outcome.failure.message
        assert facts_of(source, at - 1)["plan progress"]["failure"] == ""
