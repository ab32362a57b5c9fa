"""Bodies that bump: they stay out of walls and out of each other, and slide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.fps.simulation.collisions import move, reach_of

HALF = 0.5


def step(positions, ways, boxes=(), half=None):
    """Move bodies of one arena by one step; where they are then."""
    half = np.full(len(positions), HALF) if half is None else half
    at = np.array(positions, float).T[:, None]
    by = np.array(ways, float).T[:, None]
    walls = np.array(boxes, float).reshape(-1, 4).T
    centers, halves = walls[:2, None], walls[2:, None]
    low = np.broadcast_to(half, (1, len(half)))
    there = move(at, by, centers, reach_of(half, halves), low, 47.0 - low)
    return [tuple(position) for position in there[:, 0].T.tolist()]


def test_who_meets_nothing_goes_all_the_way():
    assert step([(10, 10)], [(0.2, -0.1)]) == [pytest.approx((10.2, 9.9))]


def test_a_wall_stops_one_at_its_side_and_lets_one_slide_along():
    wall = (12, 10, 1, 5)
    assert step([(10.4, 10)], [(0.3, 0.2)], [wall]) == [pytest.approx((10.5, 10.2))]
    assert step([(10.5, 10)], [(0.3, 0.2)], [wall]) == [pytest.approx((10.5, 10.2))]
    assert step([(10.5, 10)], [(-0.3, 0.0)], [wall]) == [pytest.approx((10.2, 10.0))]


def test_one_slides_over_the_seam_of_two_walls():
    walls = [(10, 10, 2, 1), (14, 10, 2, 1)]
    position = (11.8, 11.5)
    for _ in range(10):
        (position,) = step([position], [(0.2, -0.2)], walls)
    assert position == pytest.approx((13.8, 11.5))


def test_the_hall_ends_at_its_walls():
    assert step([(0.6, 46.4)], [(-0.3, 0.3)]) == [pytest.approx((0.5, 46.5))]


def test_two_who_walk_at_each_other_meet_in_the_middle():
    positions = [(10.0, 10.0), (11.2, 10.0)]
    assert step(positions, [(0.3, 0), (-0.3, 0)]) == [
        pytest.approx((10.1, 10)),
        pytest.approx((11.1, 10)),
    ]


def test_who_stands_in_another_may_leave():
    (position, other) = step([(10.0, 10.0), (10.3, 10.0)], [(-0.3, 0.0), (0.0, 0.0)])
    assert position == pytest.approx((9.7, 10.0))
    assert other == pytest.approx((10.3, 10.0))


WAY = st.floats(-0.4, 0.4, allow_subnormal=False)


@given(
    st.lists(
        st.tuples(st.integers(1, 14), st.integers(1, 14)), min_size=1, max_size=6, unique=True
    ),
    st.lists(
        st.tuples(st.integers(3, 12), st.integers(3, 12), st.integers(1, 2), st.integers(1, 3)),
        max_size=3,
    ),
    st.lists(st.lists(st.tuples(WAY, WAY), min_size=6, max_size=6), min_size=1, max_size=25),
)
def test_nobody_ever_gets_into_a_wall(cells, boxes, walks):
    positions = [(x * 1.1, y * 1.1) for x, y in cells]
    positions = [
        (x, y)
        for x, y in positions
        if not any(abs(x - bx) < hx + HALF and abs(y - by) < hy + HALF for bx, by, hx, hy in boxes)
    ]
    if not positions:
        return
    for ways in walks:
        before = positions
        positions = step(positions, ways[: len(positions)], boxes)
        for (x, y), (ox, oy), (dx, dy) in zip(positions, before, ways, strict=False):
            assert abs(x - ox) <= abs(dx) + 1e-9
            assert abs(y - oy) <= abs(dy) + 1e-9
            assert 0.5 <= x <= 46.5
            assert 0.5 <= y <= 46.5
            for bx, by, hx, hy in boxes:
                assert abs(x - bx) >= hx + HALF - 1e-6 or abs(y - by) >= hy + HALF - 1e-6


def test_arenas_do_not_get_into_each_others_way():
    half = np.full(2, HALF)
    at = np.array([[[10.0, 11.2], [10.0, 30.0]], [[10.0, 10.0], [10.0, 10.0]]])
    by = np.zeros_like(at)
    by[0, :, 0] = 0.4
    none = np.zeros((2, 2, 0))
    bounds = np.full((2, 2), -np.inf), np.full((2, 2), np.inf)
    there = move(at, by, none, reach_of(half, none), *bounds)
    assert there[0].tolist() == pytest.approx(np.array([[10.1, 11.2], [10.4, 30.0]]))
