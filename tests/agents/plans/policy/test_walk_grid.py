"""The grid of a map: where steps lead, how far cells are apart."""

import numpy as np
import pytest

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.scripted.pathfinding import HOP, TWO_JUMPS
from playhead.games.arena.adventure.world.generated_level import generated_level
from playhead.games.arena.adventure.world.terrain import STEP_UP
from playhead.games.walkable_grid import NOWHERE, STEPS, GridMap, WalkGrid, cells, walking_leads


def grid_of(*rows: str, height: float = 0.0) -> WalkGrid:
    """A grid out of text, north on top: `#` is blocked, a digit is so high."""
    marks = np.array([list(row) for row in rows[::-1]]).T
    high = np.where(np.char.isdigit(marks), np.char.replace(marks, ".", "0"), "0")
    high = np.where(marks == "#", "0", high).astype(np.float32)
    free = marks != "#"
    return WalkGrid(1.0, (0.0, 0.0), free, high, walking_leads(free, high, 0.35))


def test_steps_lead_to_free_neighbours_and_around_no_corner():
    grid = grid_of("..#", "...", "...")
    east, northeast, north = (grid.leads[1, 1, direction] for direction in (0, 1, 2))
    assert (east, northeast, north) == (7, NOWHERE, 5)


def test_cells_are_as_many_steps_apart_as_the_way_around_has():
    grid = grid_of("...", "##.", "...")
    goal = np.zeros((3, 3), bool)
    goal[0, 0] = True
    away = grid.steps_to(goal)
    assert away[0, 2] == 4 + 2  # around two corners
    assert (away[0, 1], away[1, 1]) == (-1, -1)
    assert grid.reached((0, 0)).sum() == grid.free.sum()


def test_the_cell_that_is_stood_on_is_the_nearest_free_one_of_the_same_height():
    grid = grid_of("#9.", "...")
    assert grid.nearest_free_cell((0.1, 0.9, 0.0), 0.5) == (0, 0)
    assert grid.nearest_free_cell((1.0, 1.0, 9.0), 0.5) == (1, 1)
    assert grid.nearest_free_cell((30.0, 30.0, 0.0), 0.5) is None


@pytest.mark.parametrize("name", ["dungeon", "village"])
def test_a_step_leads_to_a_free_neighbour_or_over_a_ledge_that_can_be_jumped(name):
    with AdventureGame(name, seed=1) as game:
        ground = game.plan_map()
        assert isinstance(ground, GridMap)
        grid, area = ground.grid(), game.adventure.area_state.area
    wide = grid.free.shape[1]
    ledges = 0
    for cell in cells(grid.free):
        for direction, (dx, dy) in enumerate(STEPS):
            to = int(grid.leads[(*cell, direction)])
            beside = (cell[0] + dx, cell[1] + dy)
            if to == NOWHERE:
                level = grid.inside(beside) and grid.free[beside] and not (dx and dy)
                assert not level or abs(grid.height[beside] - grid.height[cell]) > STEP_UP
                continue
            other = divmod(to, wide)
            rise = float(grid.height[other]) - float(grid.height[cell])
            assert grid.free[other]
            if abs(rise) <= STEP_UP + 1e-6:
                assert other == beside
                continue
            ledges += 1
            far = abs(other[0] - cell[0]) + abs(other[1] - cell[1])
            assert other == (cell[0] + far * dx, cell[1] + far * dy)
            assert far <= HOP
            assert rise <= TWO_JUMPS
            over = [grid.middle((cell[0] + n * dx, cell[1] + n * dy)) for n in range(far + 1)]
            assert not any(
                pit.lava and pit.holds(x, y, 0.0) for pit in area.pits for x, y, _ in over
            )
    assert ledges > 10


def test_a_generated_level_is_the_same_from_its_seed_and_can_be_played():
    assert generated_level(5) == generated_level(5)
    assert generated_level(5) != generated_level(6)
    for seed in range(5):
        with AdventureGame(generated_level(seed), seed=1) as game:
            ground = game.plan_map()
            start = ground.grid().nearest_free_cell(game.observe().position, 0.5)
            assert start is not None
            game.step()
