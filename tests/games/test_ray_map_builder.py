"""A map made by rays in a running game is as good as the one that the level gives."""

import numpy as np
import pytest

from playhead.agents.behaviour_trees.paths.path_search import PathSearch
from playhead.errors import GameError
from playhead.games.arena.guards.guard_tree_interface import CELL, ROOM, map_of_level
from playhead.games.arena.yard_game import ArenaGame
from playhead.games.ray_map_builder import RayScan, scan_map
from playhead.games.tree_body_interface import SeesByRays
from playhead.games.walk_map import MOST_CELLS, WalkMap, drawing_of, map_of_drawing, map_of_steps


@pytest.mark.slow
def test_a_yard_that_is_scanned_while_it_runs_is_the_yard_of_its_level():
    game = ArenaGame(seed=3)
    for _ in range(60):
        game.step()
    yard = game.yard
    level = map_of_level(yard.level)
    body = game.tree_body("player")
    assert isinstance(body, SeesByRays)
    scanned = scan_map(body.ray, yard.player.at, CELL, *body.scan_bounds, room=ROOM)
    assert (scanned.columns, scanned.rows) == (level.columns, level.rows)
    free = [np.frombuffer(one.steps, np.uint8) > 0 for one in (level, scanned)]
    assert (free[0] != free[1]).mean() < 0.02
    search = PathSearch(scanned)
    for post in (point for guard in yard.level.guards for point in guard.route):
        points = search.route(yard.player.at, post)
        assert points is not None, post
        for a, b in zip([yard.player.at, *points], points, strict=False):
            assert yard.ground.clear(a, b, 0.25), (a, b)


def test_rays_that_meet_nothing_say_nothing_of_what_is_beyond():
    scan = RayScan(1.0, (0.0, 0.0), (20.0, 20.0), reach=5.0)
    scan.look(lambda position, angle: 5.0, (10.0, 10.0))
    drawing = drawing_of(scan.walk_map())
    assert drawing[10][10] == "."
    assert drawing[0][0] == drawing[10][2] == "#"


def test_a_scan_that_is_too_large_or_begins_in_a_wall_is_refused():
    with pytest.raises(GameError, match="at most 1,000,000 are scanned"):
        RayScan(0.001, (0.0, 0.0), (20.0, 20.0))
    with pytest.raises(GameError, match="no character fits at the scan's start"):
        scan_map(lambda position, angle: 0.1, (5.0, 5.0), 1.0, (0.0, 0.0), (9.0, 9.0), room=0.5)
    with pytest.raises(GameError, match="is outside"):
        scan_map(lambda position, angle: 9.0, (50.0, 5.0), 1.0, (0.0, 0.0), (9.0, 9.0))


def test_a_drawing_is_the_map_that_it_shows_and_corners_are_not_cut():
    walk_map = map_of_drawing(["...", ".#.", "..."], 2.0, (1.0, 1.0))
    assert drawing_of(walk_map) == ["...", ".#.", "..."]
    assert walk_map.point(5) == (5.0, 3.0)
    middle_left = walk_map.steps[3]
    assert middle_left == 0b1010  # up and down alone: the middle is not free
    assert isinstance(walk_map, WalkMap)
    with pytest.raises(GameError, match="a map of"):
        map_of_steps(np.zeros((8, MOST_CELLS, 2), bool), 1.0, (0.0, 0.0))
