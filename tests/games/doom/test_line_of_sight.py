"""Who can be seen from where."""

import numpy as np
import pytest

from playhead.games.doom.line_of_sight import EYES, LineOfSight

from .levels import DOOR, Plan

ROOM = (0, 256, 0, 128)


def sees(level, start, *ends, height=56.0):
    x, y, z = start
    targets = np.array(ends, float).reshape(-1, 3)
    return LineOfSight(level).clear(np.array([x, y, z + EYES]), targets, height).tolist()


def test_nothing_hides_who_stands_in_the_same_room(tmp_path):
    assert sees(Plan(ROOM).level(tmp_path), (20, 20, 0), (240, 100, 0)) == [True]


def test_a_closed_door_hides_what_is_behind_it(tmp_path):
    rooms = (ROOM, (256, 272, 0, 0), (272, 600, 0, 128))
    level = Plan(*rooms).does(DOOR, x=256).level(tmp_path)
    assert sees(level, (20, 64, 0), (400, 64, 0), (200, 64, 0)) == [False, True]


def test_a_door_that_is_taken_to_be_open_hides_nobody(tmp_path):
    rooms = (ROOM, (256, 272, 0, 0), (272, 600, 0, 128))
    level = Plan(*rooms).does(DOOR, x=256).level(tmp_path)
    assert level.shut() == [1]
    sight, behind = LineOfSight(level, level.shut()), np.array([[400.0, 64.0, 0.0]])
    assert sight.clear(np.array([20.0, 64.0, EYES]), behind, 56.0).tolist() == [True]


@pytest.mark.parametrize(("sill", "seen"), [(16, True), (38, True), (48, False), (80, False)])
def test_a_sill_hides_what_stands_wholly_behind_it(tmp_path, sill, seen):
    rooms = (ROOM, (256, 272, sill, 128), (272, 600, -8, 128))
    assert sees(Plan(*rooms).level(tmp_path), (200, 64, 0), (300, 64, -8)) == [seen]


def test_who_stands_below_an_edge_is_seen_only_from_near(tmp_path):
    level = Plan(ROOM, (256, 900, -128, 128)).level(tmp_path)
    below = (300, 64, -128)
    assert sees(level, (250, 64, 0), below) == [True]
    assert sees(level, (20, 64, 0), below) == [False]
    assert sees(level, (20, 64, 0), (880, 64, -128)) == [True]


def test_a_lintel_hides_what_is_higher(tmp_path):
    rooms = (ROOM, (256, 272, 0, 64), (272, 900, 0, 512))
    level = Plan(*rooms).level(tmp_path)
    assert sees(level, (20, 64, 0), (300, 64, 0), (300, 64, 200)) == [True, False]


def test_what_one_sees_sees_back(tmp_path):
    rooms = (ROOM, (256, 272, 40, 90), (272, 600, -32, 128))
    level = Plan(*rooms).level(tmp_path)
    rng = np.random.default_rng(3)
    for _ in range(200):
        one = np.array([rng.uniform(10, 240), rng.uniform(10, 118), 0 + EYES])
        other = np.array([rng.uniform(280, 590), rng.uniform(10, 118), -32 + EYES])
        forth = LineOfSight(level).clear(one, other[None] - (0, 0, 0.01), 0.02)
        back = LineOfSight(level).clear(other, one[None] - (0, 0, 0.01), 0.02)
        assert forth.tolist() == back.tolist()


def test_nobody_to_look_for_is_fine(tmp_path):
    assert sees(Plan(ROOM).level(tmp_path), (20, 20, 0)) == []
