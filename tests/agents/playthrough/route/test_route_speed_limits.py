"""How fast way points may be come to."""

import numpy as np
import pytest

from playhead.agents.playthrough.playthrough_settings import load_settings
from playhead.agents.playthrough.route.route_speed_limits import route_speeds

MOVING = load_settings().moving


def speeds_on(*corners, step=0.13, stick=1.0, slow=MOVING.slow, parts=()):
    """Walked from corner to corner, a way point each fifth row; the speeds and those places."""
    points = [corners[0]]
    for corner in corners[1:]:
        start = np.array(points[-1])
        count = round(float(np.linalg.norm(np.array(corner) - start)) / step)
        points += [tuple(start + (np.array(corner) - start) * at / count)
                   for at in range(1, count + 1)]  # fmt: skip
    places = np.array([(x, y, 0.0) for x, y in points])
    rows = np.arange(0, len(places), 5)
    sticks = np.full((len(places), 2), (stick, 0.0))
    return route_speeds(places, rows, sticks, parts, MOVING), places[rows, :2]


def test_straight_on_it_is_as_fast_as_the_demo():
    speeds, _ = speeds_on((0.0, 0.0), (13.0, 0.0))
    assert speeds == pytest.approx([1.0] * len(speeds), abs=0.01)


def test_a_demo_that_crept_along_is_followed_slowly():
    fast, _ = speeds_on((0.0, 0.0), (13.0, 0.0))
    # What it could do with the whole stick is known from how far half of it goes.
    slow, _ = speeds_on((0.0, 0.0), (13.0, 0.0), step=0.065, stick=0.5)
    assert max(slow[1:]) < min(fast)
    assert slow[5] == pytest.approx(0.5, abs=0.05)


def test_into_a_sharp_turn_it_goes_slowly_and_slows_down_before():
    speeds, places = speeds_on((0.0, 0.0), (6.5, 0.0), (6.5, 6.5))
    corner = int(np.argmin(np.hypot(*(places - (6.5, 0.0)).T)))
    assert speeds[corner] <= MOVING.cautious + 0.01
    before = [speed for speed, (x, y) in zip(speeds, places, strict=True) if y == 0 and x < 6.5]
    assert before == sorted(before, reverse=True)
    assert speeds[0] == pytest.approx(1.0, abs=0.01)


def test_no_way_point_is_slower_than_is_ever_needed():
    speeds, _ = speeds_on((0.0, 0.0), (6.5, 0.0), (0.0, 0.1))
    assert min(speeds) >= MOVING.cautious


def test_one_part_of_the_route_does_not_slow_down_for_the_next():
    speeds, places = speeds_on((0.0, 0.0), (6.5, 0.0), (6.5, 6.5), parts=(0, 51))
    corner = int(np.argmin(np.hypot(*(places - (6.5, 0.0)).T)))
    assert speeds[corner] == pytest.approx(1.0, abs=0.02)
