"""Decisions that are recorded with their inputs, without a state machine, have a lane."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

import playhead as ph
from playhead.viewer.panels.timeline.overview_and_ruler_painter import TOP
from playhead.viewer.panels.timeline.timeline_menu import menu_items
from playhead.viewer.toolkit.qt import QPointF


def choose(inputs):
    hp = inputs["hp"]
    conditions = (
        ph.ConditionResult("hurt", "Flee", hp < 35, f"hp {hp}", hp - 35),
        ph.ConditionResult("well", "Rest", hp > 80, f"hp {hp}", 80 - hp),
    )
    won = next((one for one in conditions if one.holds), None)
    return ph.DecisionResult(won.target if won else "", won.name if won else "", conditions)


def test_the_lane_shows_what_was_chosen_and_its_menu_asks_why_not(window, tmp_path):
    guard = {"hp": 100.0}
    with ph.record({"north": guard}, tmp_path / "asked.mcap", dt=0.1) as rec:
        for _ in range(40):
            with rec.frame():
                guard["hp"] -= 2.0
                rec.trace.decide(guard, "brain", choose, {"hp": guard["hp"]})
    opened = window(tmp_path / "asked.mcap")
    timeline = opened.timeline
    titles = [row.title for row in timeline.rows()]
    assert titles[:2] == ["Decisions", "north · brain"]
    lane = timeline.rows()[1].spans
    assert lane.names == ["Rest", "Flee"]  # where it decided for nothing it went on as before
    point = QPointF(timeline.x_of(float(lane.starts[1]) + 0.2), TOP + timeline.rows()[0].height + 8)
    offered = dict(one for one in menu_items(timeline, point) if len(one) == 2)
    assert "Why not Rest?" in offered
    assert "Make this decision again" in offered
    asked = []
    from playhead.viewer.state.decision_question_menu import DecisionController

    DecisionController.of(opened.store).asked.connect(asked.append)
    offered["Why not Rest?"]()
    assert (asked[0].agent, asked[0].decider, asked[0].state) == (1, "brain", "Rest")
