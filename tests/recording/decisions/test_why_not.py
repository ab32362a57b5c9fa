"""What kept a state from coming: conditions, what won before them, and machines of others."""

import math

import pytest

from playhead.errors import CommandError
from playhead.recorder.packets.trace_types import Rejected
from playhead.recording import open_file
from playhead.recording.decisions.why_not_text import why_not_lines
from playhead.recording_session import record


def test_the_condition_in_the_way_is_named_with_its_nearest_miss(guard_clip):
    with open_file.open(guard_clip("choose_by_table")) as run:
        found = run.why_not("north", "Fight", last=13)
        assert (found.decisions, found.came) == (13, 0)
        (near,) = found.obstacles
        assert (near.what, near.kind, near.count, near.first, near.last) == (
            "near", "condition", 13, 1, 13,
        )  # fmt: skip
        miss = near.nearest
        assert (miss.frame, miss.lacks, miss.reason) == (13, 5.0, "8.0 m away")
        assert miss.values == {"hp": 35.0, "away": 8.0}
        lines = "\n".join(why_not_lines(found))
        assert "13 of 13  nearest: frame 13, 1.300 s, by 5: 8.0 m away" in lines


def test_what_was_true_but_lost_by_its_order_is_told_apart(guard_clip):
    with open_file.open(guard_clip("choose_by_table")) as run:
        found = run.why_not("north", "Fight")
    assert [(one.what, one.kind, one.count) for one in found.obstacles] == [
        ("near", "condition", 18), ("hurt came before near", "order", 2),
    ]  # fmt: skip


def test_what_did_come_is_reported(guard_clip):
    with open_file.open(guard_clip("choose_by_table")) as run:
        found = run.why_not("north", "Flee", start=0.0)
    assert (found.came, found.came_first) == (7, 14)
    assert [one.count for one in found.obstacles] == [13]
    assert found.obstacles[0].nearest.lacks == 0.0


def test_unknown_names_get_the_nearest_one(guard_clip):
    with open_file.open(guard_clip("choose_by_table")) as run:
        with pytest.raises(CommandError, match="no state, rule or node 'Fligt': did you mean"):
            run.why_not("north", "Fligt")
        with pytest.raises(CommandError, match="nothing is recorded of what it decides"):
            run.why_not(0, "Fight")


def test_of_a_machine_without_inputs_the_recorded_reasons_are_counted(tmp_path):
    with record([{"name": "north"}], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
        for step, target in enumerate(["Attack", "Calm", "Look", "Calm"]):
            with rec.frame():
                lost = [Rejected("near", f"{step} m away")] if target == "Look" else []
                rec.trace.state(
                    1, "brain", None, target, won="near" if target == "Attack" else "tired",
                    rejected=lost,
                )  # fmt: skip
    with open_file.open(tmp_path / "run.mcap") as run:
        found = run.why_not("north", "Attack", first=2)
        assert [(one.what, one.count) for one in found.obstacles] == [("near", 1)]
        assert (found.obstacles[0].nearest.lacks, found.obstacles[0].nearest.frame) == (None, 3)
        assert run.why_not("north", "Look", first=4, last=4).notes


def test_of_a_machine_of_transitions_the_failed_triggers_count(tmp_path):
    transitions = pytest.importorskip("transitions")

    class Guard:
        x = 0.0

        def near(self):
            return self.x > 0.95

    guard = Guard()
    machine = transitions.Machine(guard, ["patrol", "attack"], initial="patrol", name="brain")
    machine.add_transition("look", "patrol", "attack", conditions="near")
    with record([guard], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
        rec.add(machine)
        for _ in range(8):
            with rec.frame():
                guard.x += 0.1
                guard.look()
    with open_file.open(tmp_path / "run.mcap") as run:
        found = run.why_not(1, "attack")
    (one,) = found.obstacles
    assert (found.came, one.what, one.count) == (0, "look → attack", 8)
    assert "near is false" in one.nearest.reason


def test_the_nearest_of_misses_that_nobody_can_measure_is_the_last():
    from playhead.recording.decisions.why_not_answer import NearestMiss, ObstacleCounter

    counter = ObstacleCounter()
    for frame, lacks in enumerate([None, None, math.inf, 3.0, 1.0, 2.0, None], 1):
        counter.add("a", "condition", NearestMiss(frame, 0.0, "", lacks, {}))
    (one,) = counter.obstacles
    assert (one.nearest.frame, one.nearest.lacks, one.count) == (5, 1.0, 7)
