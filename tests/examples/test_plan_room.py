"""A game of one's own that plans drive: `examples/plan_room.py` by its file, as people name it."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import playhead as ph
from playhead.agents.plans.plan_checker import plan_game
from playhead.cli.agents.plan import plan
from playhead.errors import GameError
from playhead.games.playable_as_game import hosted
from playhead.plans import load_plan, open_game, run_plan

pytest.importorskip("scipy")
FOLDER = Path(__file__).parents[2] / "examples"
PLAN = "lamp.plan.yaml"


@pytest.fixture(autouse=True)
def in_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(plan, [str(one) for one in arguments])


def test_the_plan_opens_the_door_and_lights_the_lamp() -> None:
    file = load_plan(PLAN)
    with open_game(file.plan.game) as game:
        outcome = run_plan(file, game, opened_as=file.plan.game)
    assert outcome.failure is None
    assert [node.validation for node in outcome.nodes] == ["passed", "passed"]
    assert [action.after for action in outcome.actions] == [{"door": "open"}, {"lamp": "lit"}]


def test_the_lamp_alone_is_behind_the_door(tmp_path: Path) -> None:
    alone = tmp_path / "alone.plan.yaml"
    alone.write_text("game: plan_room.py:Room\nnodes: [{actor: lamp, action: light}]\n")
    result = run("run", alone)
    assert result.exit_code == 1
    assert "there is no way from (1.0, 1.0, 0.0) to (6.0, 1.0, 0.0)" in result.output


def test_a_recorded_plan_names_the_game_as_it_was_opened(tmp_path: Path) -> None:
    game, out = tmp_path / "walked.py", tmp_path / "walked.plan.yaml"
    walks = "class Walked(Room):\n    def person(self):\n        return ph.Pad((1.0, 0.0))\n"
    game.write_text(f"{(FOLDER / 'plan_room.py').read_text()}\n\n{walks}")
    done = run("record", f"{game}:Walked", out, "--headless", "--seconds", "1")
    assert done.exit_code == 0, done.output
    assert load_plan(out).plan.game == f"{game}:Walked"
    assert run("run", out).exit_code == 0


def test_a_game_that_nobody_plays_is_not_recorded_headless(tmp_path: Path) -> None:
    done = run("record", "plan_room.py:Room", tmp_path / "out.plan.yaml", "--headless")
    with pytest.raises(GameError, match=r"Room: nobody plays it .* person\(\)"):
        raise done.exception


def test_a_game_without_a_plans_side_is_refused_with_what_it_lacks() -> None:
    class Walk(ph.PlayableGame):
        def objects(self):
            return {"hero": self}

        def step(self, pad):
            pass

        def observe(self):
            return ph.Observation((0.0, 0.0, 0.0))

    with pytest.raises(GameError, match="Walk can't be driven by plans: it has no on_event, perf"):
        plan_game(hosted(Walk()))
