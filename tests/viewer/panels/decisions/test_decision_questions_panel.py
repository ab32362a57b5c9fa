"""The decisions panel answers what menus of other panels ask; a click goes to the frame."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.games.arena.yard_game import ArenaGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session
from playhead.viewer.panels.decisions.decision_answer_rows import rows_of
from playhead.viewer.panels.decisions.decision_questions_panel import DecisionsPanel
from playhead.viewer.state.decision_question_menu import DecisionController, DecisionQuestion

from ..panel_harness import open_dock


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """Ten seconds of guards, of whom the first one is never in Attack."""
    path = tmp_path_factory.mktemp("decisions") / "guards.mcap"
    game = ArenaGame(seed=3, guards=2)
    with Session(game.world, "8 MiB", handlers=game.handlers, on_check=UNATTENDED) as session:
        game.attach(session)
        for _ in range(600):
            game.step()
            session.update(game.dt)
        session.save(path)
    game.close()
    return path


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, DecisionsPanel, clip) as made:
        yield made


def asked(stage, question):
    DecisionController.of(stage.store).ask(question)
    assert stage.panel.is_waiting
    stage.until(lambda: not stage.panel.is_waiting)
    return stage.panel.rows


def test_why_not_is_answered_with_obstacles_and_a_click_goes_to_the_nearest_miss(stage):
    agent = next(key[0] for key in stage.store.history.changes if key[1] == "guard")
    rows = asked(stage, DecisionQuestion(agent, "guard", "Notice"))
    assert rows[0].text.startswith("Notice ")
    obstacles = [row for row in rows if row.kind == "obstacle"]
    assert {"sees_target", "heard_noise"} <= {row.text for row in obstacles}
    at = next(index for index, row in enumerate(rows) if row.kind == "obstacle" and row.frame)
    stage.panel.clicked(at, stage.panel.box_of(at).center(), twice=False)
    stage.until(lambda: stage.store.frame == rows[at].frame)
    assert stage.store.selected == agent
    assert "sees_target" in stage.panel.text()
    stage.picture()


def test_a_decision_is_made_again_and_a_mistake_is_reported(stage):
    agent = next(key[0] for key in stage.store.history.changes if key[1] == "guard")
    rows = asked(stage, DecisionQuestion(agent, "guard", frame=300))
    assert [row.note for row in rows if row.kind == "choice"] == ["recorded", "the same again"]
    assert any(row.kind == "value" and row.text == "hp" for row in rows)
    labels = [label for label, _ in stage.panel.menu_entries(0)]
    assert labels[0] == "Ask again"
    rows = asked(stage, DecisionQuestion(agent, "guard", "Notise"))
    assert [row.kind for row in rows] == ["heading", "warning"]
    assert "did you mean 'Notice'?" in rows[1].text
    stage.picture()


def test_an_answer_that_comes_to_nothing_has_rows_all_the_same():
    from playhead.recording.decisions.why_not_answer import WhyNot

    rows = rows_of(WhyNot(1, "", "brain", "Calm", 1, 9, 0, 0, None, ()))
    assert [row.text for row in rows] == [
        "Calm did not come · object 1, brain",
        "Nothing was decided: it was in it, or nothing is recorded",
    ]
