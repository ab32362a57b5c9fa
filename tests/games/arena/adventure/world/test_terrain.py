"""Heights: what is ground at which height, and what is in the way there."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.adventure.world.level import Area, Door, LevelBlock, Need, Pit
from playhead.games.arena.adventure.world.terrain import STEP_UP, Terrain, box_lines

AREA = Area(
    "yard", (20.0, 20.0),
    walls=(LevelBlock((5.0, 0.0), (2.0, 2.0), "wall", 2.5, True),),
    floors=(
        LevelBlock((-5.0, 0.0), (4.0, 4.0), "ledge", 1.0),
        LevelBlock((-5.0, 0.0), (2.0, 2.0), "box", 1.5),
        LevelBlock((0.0, 6.0), (1.0, 6.0), "bridge", 0.3),
    ),
    pits=(Pit((0.0, 6.0), (6.0, 2.0), "hole", 1.2), Pit((0.0, -6.0), (4.0, 2.0), "hot", 1, True)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("x", "y", "feet", "height"),
    [
        (0, 0, 0, 0),
        (-6.5, 0, 5, 1.0),
        (-5, 0, 5, 1.5),
        (-5, 0, 1.2, 1.0),
        (5, 0, 3, 2.5),
        (2, 6, 3, -1.2),
        (0, 6, 3, 0.3),
        (0, 6, 0, -1.2),
        (0, -6, 0, -1.0),
    ],
)
def test_the_ground_is_the_highest_thing_that_is_not_above_the_feet(x, y, feet, height):
    assert AREA.floor(x, y, feet) == height


def test_what_ends_at_the_feet_is_not_in_the_way_and_what_ends_above_is():
    terrain = Terrain(AREA)
    masks = [terrain.above(height) for height in (-2.0, 0.0, 0.3, 1.0, 1.5, 2.5)]
    assert len(set(masks)) == 6
    assert masks[-1] == 0
    assert all(a & b == b for a, b in pairwise(masks))


@given(st.floats(-3, 4), st.floats(-3, 4))
def test_who_is_higher_has_less_in_its_way(low, high):
    low, high = sorted((low, high))
    terrain = Terrain(AREA)
    assert terrain.above(low) & terrain.above(high) == terrain.above(high)


def test_lava_kills_at_the_bottom_of_its_pit_alone():
    terrain = Terrain(AREA)
    assert terrain.lava((0.0, -6.0), -1.0)
    assert not terrain.lava((0.0, -6.0), 0.5)
    assert not terrain.lava((0.0, 6.0), -1.2)


def test_one_sees_over_what_is_lower_than_the_eyes():
    terrain = Terrain(AREA)
    assert not terrain.clear((3.0, 0.0), (7.0, 0.0), 1.6)
    assert terrain.clear((3.0, 0.0), (7.0, 0.0), 3.0)
    assert not terrain.clear((3.0, 0.0), (15.0, 0.0), 9.0)


def test_a_door_is_in_the_way_until_it_is_opened():
    terrain = Terrain(AREA)
    door = Door((0.0, 0.0), (2.0, 0.5), "door", 2.0, (Need("open"),))
    for _ in range(2):
        terrain.close(door)
        assert not terrain.clear((0.0, -2.0), (0.0, 2.0), 1.0)
    for _ in range(2):
        terrain.open(door)
        assert terrain.clear((0.0, -2.0), (0.0, 2.0), 1.0)


def test_a_box_has_twelve_edges_between_its_two_heights():
    lines = box_lines(AREA.walls[0], 0.0, 2.5)
    assert lines.shape == (12, 2, 3)
    assert set(lines[:, :, 2].ravel().tolist()) == {0.0, 2.5}
    assert math.isclose(lines[:, :, 0].min(), 4.0)
    assert STEP_UP > 0.3
