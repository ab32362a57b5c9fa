"""The demo of MAP01 that comes along, and the agent that follows it."""

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("vizdoom")

import playhead.agents
from playhead.agents.demo_reader import read_demo
from playhead.agents.playthrough.playthrough_agent import PlaythroughAgent
from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.games.doom.doom_game import DoomRun
from playhead.playback.pads.pad import NEUTRAL

DEMO = Path(playhead.agents.__file__).parent / "demos" / "doom" / "map01.csv"


def test_it_begins_where_the_map_does_and_ends_at_its_exit():
    with DoomRun("map01") as game:
        demo = read_demo(DEMO, columns=game.columns)
        first, last = demo.rows[0], demo.rows[-1]
        assert (first.player_x, first.player_y) == pytest.approx(game.observe().position[:2], abs=2)
    assert demo.columns["exited"].tolist() == [False] * (len(demo) - 1) + [True]
    assert last.level == first.level == "map01"
    assert demo.columns["kills"][-1] > 0
    assert demo.columns["button_x"].sum() >= 4  # three doors and the exit's switch


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "skill"), [(11, 1), (12, 3)])
def test_the_agent_comes_to_the_exit_where_monsters_do_otherwise(seed, skill):
    with DoomRun("map01", seed=seed, skill=skill) as game:
        demo = read_demo(DEMO, columns=game.columns)
        agent = PlaythroughAgent(demo, settings_for(game.name), rng=Random(seed))
        most = 6 * len(demo)
        while not agent.done and agent.report.frames < most:
            game.hold(agent.step(game.observe()))
            game.step()
        for _ in range(5):  # the exit takes a moment
            game.hold(NEUTRAL)
            game.step()
        assert agent.failure is None
        assert game.observe().finished
