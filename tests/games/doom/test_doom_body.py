"""Doom's player as a body of a behaviour tree, and the marine that comes along."""

import math
from itertools import pairwise

import pytest

from playhead.agents.behaviour_trees.paths.path_search import PathSearch
from playhead.agents.behaviour_trees.tree_game_run import body_of, find_workspace, run_tree
from playhead.agents.behaviour_trees.workspace.workspace import Workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    check_for_body,
    check_workspace,
    load_workspace,
)
from playhead.errors import GameError
from playhead.games.game_catalog import open_game
from playhead.games.pad_tree_body import PadBody

pytest.importorskip("vizdoom")


def test_the_marine_knows_all_that_it_names_and_a_way_to_the_exit():
    workspace = Workspace(find_workspace("doom_marine"))
    assert check_workspace(workspace) == []
    with open_game("doom:map01", seed=7) as game:
        body = body_of(game, "player")
        assert check_for_body(workspace, body, "the player") == []
        result = body.observe()
        assert result.keys() <= body.values
        assert result["enemy_distance"] > 0
        walk_map = body.walk_map()
        assert walk_map is not None
        search = PathSearch(walk_map)
        points = search.route(body.position, result["exit_position"])
        assert points is not None
        assert points[-1] == result["exit_position"]
        assert sum(math.dist(a, b) for a, b in pairwise(points)) > 1000
        with pytest.raises(GameError, match="no character called 'imp'"):
            body_of(game, "imp")


def test_a_scenario_without_a_map_gives_a_plain_player():
    with open_game("doom:deathmatch", seed=7) as game:
        assert type(body_of(game, "player")) is PadBody


@pytest.mark.slow
def test_the_marine_plays_its_level_to_the_exit():
    frames = []
    with open_game("doom:map01", seed=7) as game:

        def goes_on(frame):
            frames.append(frame)
            return not game.observe().finished

        workspace = load_workspace(find_workspace("doom_marine"))
        outcome = run_tree(workspace, game, "marine", frames=3500, before_step=goes_on)
        seen = game.observe()
    assert outcome.failures == {}
    assert seen.finished, seen
    assert seen.extras["kills"] >= 2
    assert {
        "aim",
        "fire",
        "fetch it",
        "open the door",
        "press the switch",
    } <= outcome.actions.keys()
