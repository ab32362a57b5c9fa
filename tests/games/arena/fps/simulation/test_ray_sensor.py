"""Rays: how they are spread, and that a cast meets what a slow and simple one meets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.ray_sensor import (
    WALL_HIT,
    RaySet,
    RaySettings,
    Tag,
    checked_rays,
)
from playhead.games.arena.fps.simulation.rules import ENEMY_RADIUS, SIDE


def test_by_default_five_rays_are_in_the_central_share_and_seven_on_each_side():
    settings = RaySettings()
    assert (settings.count, settings.reach, settings.share) == (19, 100.0, 0.15)
    degrees = np.degrees(settings.angles)
    edge = 45 * 0.15
    assert np.sum(np.abs(degrees) <= edge + 1e-9) == 5
    assert np.sum(degrees < -edge - 1e-9) == np.sum(degrees > edge + 1e-9) == 7
    assert np.all(np.diff(degrees) > 0)
    assert degrees == pytest.approx(-degrees[::-1])
    assert (degrees[0], degrees[9], degrees[-1]) == pytest.approx((-45, 0, 45))
    assert np.diff(degrees)[7:11].max() < np.diff(degrees)[:6].min()


def test_share_numbers_and_reach_are_set_for_each_agent():
    narrow = RaySettings(view=60, share=0.5, center=3, side=2, reach=20)
    assert np.degrees(narrow.angles) == pytest.approx([-30, -22.5, -15, 0, 15, 22.5, 30])
    one = RaySettings(center=1, side=0)
    assert one.angles.tolist() == [0.0]
    both = RaySet([narrow, one])
    assert both.most == 7
    ray_hits = both.cast(
        np.full((2, 1, 2), 20.0), np.zeros((1, 2)), np.ones((1, 2)),
        np.zeros((2, 1, 0)), np.zeros((2, 1, 0)),
    )  # fmt: skip
    # The wall is 27 m away: beyond the reach of one, within that of the other.
    assert ray_hits.tags[0, 0, :7].tolist() == [Tag.NOTHING] * 7
    assert ray_hits.distances[0, 0, :7].tolist() == [0.0] * 7
    assert ray_hits.tags[0, 1, 0] == Tag.WALL
    assert ray_hits.distances[0, 1, 0] == pytest.approx(27.0)
    assert set(ray_hits.tags[0, 1, 1:7].tolist()) == {Tag.NOTHING}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"view": 180}, "view 180"),
        ({"share": 0}, "share 0"),
        ({"share": 1.0}, "share 1.0"),
        ({"center": 0, "side": 0}, "1 to 1000"),
        ({"side": -1}, "1 to 1000"),
        ({"reach": math.inf}, "reach inf"),
        ({"reach": 0.0}, "reach 0.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, says):
    with pytest.raises(GameError, match=says):
        checked_rays(RaySettings(**wrong))


def slow(bodies, agent, angle, boxes):
    """One ray, worked out one thing after the other: length, and the body or `WALL_HIT`."""
    (x, y), dx, dy = bodies[agent], math.sin(angle), math.cos(angle)
    best, hit = math.inf, WALL_HIT
    for low, high, at, step in ((0.0, SIDE, x, dx), (0.0, SIDE, y, dy)):
        if abs(step) > 1e-12:
            best = min(best, ((high if step > 0 else low) - at) / step)
    for cx, cy, hx, hy in boxes:
        for side in (-1, 1):
            for middle, half, at, step, other, half2, at2, step2 in (
                (cx, hx, x, dx, cy, hy, y, dy), (cy, hy, y, dy, cx, hx, x, dx)
            ):  # fmt: skip
                if abs(step) < 1e-12:
                    continue
                away = (middle + side * half - at) / step
                if away >= 0 and abs(at2 + away * step2 - other) <= half2 and away < best:
                    best, hit = away, WALL_HIT
    for number, (bx, by) in enumerate(bodies):
        if number == agent:
            continue
        along = (bx - x) * dx + (by - y) * dy
        off = (bx - x) * dy - (by - y) * dx
        if along > 0 and abs(off) < ENEMY_RADIUS:
            away = along - math.sqrt(ENEMY_RADIUS**2 - off**2)
            if away < best:
                best, hit = away, number
    return best, hit


COORDINATE = st.integers(4, 43)
PLACES = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=2, max_size=9, unique=True)
BOXES = st.lists(
    st.tuples(COORDINATE, COORDINATE, st.integers(1, 6), st.integers(1, 6)), max_size=4
)


@given(PLACES, BOXES, st.floats(0, math.tau), st.integers(0, 2))
def test_a_cast_meets_what_a_slow_one_meets(positions, boxes, yaw, more):
    shifted = [(x + 0.37, y + 0.21) for x, y in positions]
    bodies = [
        (x, y)
        for x, y in shifted
        if not any(abs(x - bx) < hx + 1 and abs(y - by) < hy + 1 for bx, by, hx, hy in boxes)
    ]
    if len(bodies) < 2:
        return
    agents = min(len(bodies), 1 + more)
    settings = RaySettings(view=120, center=5, side=6)
    yaws = np.array([[yaw + agent for agent in range(agents)]])
    # A second arena, to see that they don't get into each other's way.
    at = np.stack([np.array(bodies).T, np.array(bodies).T[:, ::-1]], axis=1)
    walls = np.array(boxes, float).reshape(-1, 4).T
    centers = np.repeat(walls[:2, None], 2, axis=1)
    halves = np.repeat(walls[2:, None], 2, axis=1)
    both = np.concatenate((yaws, yaws))
    ray_hits = RaySet([settings] * agents).cast(at, np.sin(both), np.cos(both), centers, halves)
    for arena, order in ((0, bodies), (1, bodies[::-1])):
        for agent in range(agents):
            for ray, angle in enumerate([*settings.angles, 0.0]):
                length, hit = slow(order, agent, both[arena, agent] + angle, boxes)
                assert ray_hits.lengths[arena, agent, ray] == pytest.approx(length, abs=1e-6)
                result = int(ray_hits.hits[arena, agent, ray])
                assert result == hit or ray_hits.lengths[arena, agent, ray] == pytest.approx(length)
                tag = Tag.WALL if result < 0 else Tag.PLAYER if result < agents else Tag.ENEMY
                assert ray_hits.tags[arena, agent, ray] == tag


def test_walls_hide_what_is_behind_them_and_agents_are_seen_as_players():
    bodies = np.array([[[10.0, 10.0, 10.0]], [[10.0, 20.0, 30.0]]])
    look = np.zeros((1, 2)), np.array([[1.0, -1.0]])
    rays = RaySet([RaySettings(center=1, side=0)] * 2)
    none = np.zeros((2, 1, 0))
    ray_hits = rays.cast(bodies, *look, none, none)
    assert ray_hits.tags[0, :, 0].tolist() == [Tag.PLAYER, Tag.PLAYER]
    assert ray_hits.distances[0, 0, 0] == pytest.approx(9.5)
    box = np.array([[[10.0]], [[15.0]]]), np.array([[[2.0]], [[0.5]]])
    ray_hits = rays.cast(bodies, *look, *box)
    assert ray_hits.tags[0, :, 0].tolist() == [Tag.WALL, Tag.WALL]
    assert ray_hits.distances[0, :, 0] == pytest.approx([4.5, 4.5])
    aside = bodies.copy()
    aside[0, 0, 1] = 30.0
    ray_hits = rays.cast(aside, *look, none, none)
    assert ray_hits.tags[0, 0, 0] == Tag.ENEMY
    assert ray_hits.hits[0, 0, 0] == 2
