"""Demos of the playthrough tester become plans."""

import msgspec
import pytest

from playhead.agents.plans.creation.demo_to_plan import plan_of_demos
from playhead.agents.plans.execution.run_plan_in_game import run_seed
from playhead.agents.recorded_demo import DemoWriter
from playhead.agents.replay.demos.demo_files import shipped
from playhead.agents.replay.game_description import columns_of
from playhead.errors import PlanError
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import Playable
from playhead.playback.pads.pad import Pad

pytest.importorskip("pymunk")


@pytest.mark.slow
def test_the_demos_of_the_village_are_a_plan_that_plays_it_to_its_end():
    file = plan_of_demos(shipped("arena:village"), "arena:village", seed=3)
    titles = [node.title for node in file.plan.nodes]
    assert titles[:2] == ["dismiss", "dismiss"]
    assert titles[-1] == "interact flame"
    assert "From 1-errands.csv, 2-gate.csv, 3-forest.csv, 4-hollow.csv" in file.text()
    assert run_seed(file, "arena:village", 3, None, {}).failure is None


@pytest.mark.slow
def test_a_demo_that_can_not_be_followed_is_no_plan(tmp_path):
    path = tmp_path / "wall.csv"
    with open_game("arena:dungeon", seed=3) as game:
        assert isinstance(game, Playable)
        seen = game.observe()
        with DemoWriter(path, game.dt, columns=columns_of(game)) as writer:
            for step in range(300):
                x, y, z = seen.position
                there = (x + 0.1 * step, y, z)
                writer.step(Pad((1.0, 0.0)), msgspec.structs.replace(seen, position=there))
    with pytest.raises(PlanError, match="no plan of wall: its demo was not played to its end"):
        plan_of_demos([path], "arena:dungeon", seed=3)
