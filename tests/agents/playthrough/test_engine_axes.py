"""Engines differ here, and nowhere else."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.playthrough.engine_axes import (
    AXES,
    EngineConventions,
    EngineGeometry,
    bearing,
    clamped,
    plan_distance,
    turn_to,
)
from playhead.errors import GameError
from playhead.recorder.world_adapter import Conventions

numbers = st.floats(-1000, 1000)
places = st.tuples(numbers, numbers, numbers)
kinds = st.sampled_from(sorted(AXES))
frames = st.sampled_from(["world", "player", "camera"])


def geometry(kind: str, sticks: str = "world", scale: float = 0.0) -> EngineGeometry:
    return EngineGeometry(EngineConventions(kind, scale, sticks, "walk"))  # type: ignore[arg-type]


def test_unreal_has_centimetres_its_y_to_the_right_and_yaw_in_degrees():
    unreal = geometry("unreal")
    # 3 m ahead, 2 m to the right, 1 m up; facing to the right.
    assert unreal.plan_point((300, 200, 100)) == (3, -2, 1)
    assert unreal.heading(90) == pytest.approx(-math.pi / 2)


def test_unity_has_its_plane_in_x_and_z_and_yaw_from_z_to_x():
    unity = geometry("unity")
    assert unity.plan_point((2, 1, 3)) == (2, 3, 1)
    assert unity.heading(0) == pytest.approx(math.pi / 2)
    assert turn_to(unity.heading(90), 0.0) == pytest.approx(0)


def test_doom_has_map_units():
    assert geometry("doom").plan_point((64, -32, 16)) == (2, -1, 0.5)
    assert geometry("doom", scale=1.0).plan_point((64, -32, 16)) == (64, -32, 16)


@pytest.mark.parametrize("kind", sorted(AXES))
def test_whoever_walks_ahead_comes_to_where_it_faces(kind):
    """Ahead by the game's own heading is where the plan says that it faces."""
    there = geometry(kind)
    ahead = {
        "arena": lambda yaw: (math.cos(yaw), math.sin(yaw), 0),
        "doom": lambda yaw: (math.cos(yaw), math.sin(yaw), 0),
        "godot": lambda yaw: (-math.sin(yaw), 0, -math.cos(yaw)),
        "unreal": lambda yaw: (math.cos(math.radians(yaw)), math.sin(math.radians(yaw)), 0),
        "unity": lambda yaw: (math.sin(math.radians(yaw)), 0, math.cos(math.radians(yaw))),
    }[kind]
    for yaw in (0.0, 0.5, 2.0) if kind in ("arena", "doom", "godot") else (0.0, 30.0, 120.0, 300.0):
        x, y, _ = there.plan_point(ahead(yaw))
        assert turn_to(math.atan2(y, x), there.heading(yaw)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize("unit", ["m", "cm"])
def test_a_game_says_by_its_conventions_how_it_counts(up, hand, unit):
    """A walk ahead, to the left and upwards is the same on the plan, whoever plays it."""
    there = EngineGeometry(
        EngineConventions("game", 0.0, "game", "walk"), Conventions(up, hand, unit)
    )
    length = 1.0 if unit == "m" else 100.0
    # Seen from above, left of the x axis is +y if z is up and the axes are right-handed.
    left = {("z", "right"): 1, ("z", "left"): -1, ("y", "right"): -1, ("y", "left"): 1}[up, hand]
    x, side, height = 2 * length, 3 * left * length, 1 * length
    position = (x, side, height) if up == "z" else (x, height, side)
    assert there.plan_point(position) == pytest.approx((2.0, 3.0, 1.0))
    assert there.game_position((2.0, 3.0, 1.0)) == pytest.approx(position)
    assert there.heading(0.5) == 0.5


def test_axes_that_no_agent_knows_are_refused():
    with pytest.raises(GameError, match="an agent knows y or z up"):
        EngineGeometry(EngineConventions("game", 0.0, "game", "walk"), Conventions(up="x"))


@given(kinds, places)
def test_a_place_goes_back_to_its_position(kind, position):
    there = geometry(kind)
    assert there.game_position(there.plan_point(position)) == pytest.approx(position)


@given(kinds, st.lists(places, min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=5))
def test_many_at_once_are_as_one_by_one(kind, positions, angles):
    there = geometry(kind)
    many = there.plan_points(positions)
    assert many.tolist() == [pytest.approx(there.plan_point(one)) for one in positions]
    assert there.game_positions(many) == pytest.approx(np.array(positions))
    assert there.headings(angles).tolist() == [pytest.approx(there.heading(one)) for one in angles]


@given(frames, st.floats(-4, 4), st.floats(-4, 4), st.floats(-1, 1), st.floats(-1, 1))
def test_a_stick_and_its_direction_are_one(sticks, facing, camera, x, y):
    there = geometry("arena", sticks)
    stick = there.stick((x, y), facing, camera)
    assert there.direction(stick, facing, camera) == pytest.approx((x, y))
    assert math.hypot(*stick) == pytest.approx(math.hypot(x, y))


def test_the_stick_is_the_players_or_the_cameras_or_the_worlds():
    north = (0.0, 1.0)
    assert geometry("arena").stick(north, 0.0, 1.0) == north
    # Facing east, north is to the left; facing north it is ahead.
    assert geometry("arena", "player").stick(north, 0.0, 1.0) == pytest.approx((-1, 0))
    assert geometry("arena", "camera").stick(north, 0.0, math.pi / 2) == pytest.approx((0, 1))


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_a_turn_is_the_short_way_round(heading, wanted):
    turn = turn_to(heading, wanted)
    assert -math.pi - 1e-9 <= turn <= math.pi + 1e-9
    assert math.cos(heading + turn) == pytest.approx(math.cos(wanted))
    assert math.sin(heading + turn) == pytest.approx(math.sin(wanted))


def test_distances_are_seen_from_above():
    assert plan_distance((0, 0, 0), (3, 4, 100)) == 5
    assert bearing((1, 1, 0), (1, 3, 9)) == pytest.approx(math.pi / 2)
    assert clamped((3.0, 4.0)) == pytest.approx((0.6, 0.8))
    assert clamped((0.3, 0.4)) == (0.3, 0.4)
