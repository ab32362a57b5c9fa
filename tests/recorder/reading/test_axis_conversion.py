"""Axes: coordinates and angles of any game as right-handed ones with z up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import DamagedError
from playhead.recorder.reading.axis_conversion import AxisConversion, quaternion
from playhead.recorder.world_adapter import Conventions

UPS = [sign + axis for axis in "xyz" for sign in ("", "-")]
angles = st.tuples(*[st.floats(-7, 7)] * 3)
vectors = st.tuples(*[st.floats(-100, 100)] * 3)


def axes(up="z", handedness="right", order=("x", "y", "z")) -> AxisConversion:
    return AxisConversion(Conventions(up=up, handedness=handedness, angles=order))


@pytest.mark.parametrize("handedness", ["right", "left"])
@pytest.mark.parametrize("up", UPS)
def test_what_points_up_in_the_game_points_along_z(up, handedness):
    game = np.zeros(3)
    game["xyz".index(up[-1])] = -1.0 if up[0] == "-" else 1.0
    assert axes(up, handedness).points(game).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("up", UPS)
def test_only_a_left_handed_world_is_mirrored(up):
    for handedness, sign in (("right", 1.0), ("left", -1.0)):
        turned = axes(up, handedness).points(np.eye(3))
        assert np.linalg.det(turned) == pytest.approx(sign)
        assert turned @ turned.T == pytest.approx(np.eye(3))


def test_a_world_that_is_right_handed_with_z_up_is_left_as_it_is():
    points = np.arange(12.0).reshape(2, 2, 3)
    assert axes().points(points).tolist() == points.tolist()


def test_a_left_handed_world_with_y_up_has_its_ground_in_x_and_y():
    assert axes("y", "left").points([[1.0, 5.0, 2.0]]).tolist() == [[1.0, 2.0, 5.0]]


def test_angles_turn_about_the_worlds_axes_one_after_the_other():
    quarter = math.pi / 2
    pitched_then_yawed = axes().turns((0.0, -quarter, quarter))
    # The front is raised to the sky by the first, and stays there.
    assert pitched_then_yawed @ [1, 0, 0] == pytest.approx([0, 0, 1])
    assert pitched_then_yawed @ [0, 1, 0] == pytest.approx([-1, 0, 0])
    other_order = axes(order=("z", "y", "x")).turns((quarter, -quarter, 0.0))
    assert other_order @ [1, 0, 0] == pytest.approx([0, 1, 0])


@given(angles, st.sampled_from(UPS), st.sampled_from(["right", "left"]), vectors)
def test_turning_and_changing_axes_can_be_done_in_either_order(turn, up, handedness, vector):
    game, upright = axes(), axes(up, handedness)
    turned = game.turns(turn) @ vector
    assert upright.turns(turn) @ upright.points(vector) == pytest.approx(
        upright.points(turned), abs=1e-9
    )


@given(st.lists(angles, min_size=1, max_size=4))
def test_many_turns_at_once_are_those_one_by_one(many):
    together = axes("y").turns(many)
    assert together == pytest.approx(np.array([axes("y").turns(one) for one in many]))


@given(angles, vectors)
def test_a_quaternion_turns_as_its_matrix_does(turn, vector):
    matrix = axes().turns(turn)
    x, y, z, w = quaternion(matrix)
    assert math.hypot(x, y, z, w) == pytest.approx(1.0)
    axis, arrow = np.array([x, y, z]), np.array(vector)
    turned = arrow + 2 * np.cross(axis, np.cross(axis, arrow) + w * arrow)
    assert turned == pytest.approx(matrix @ arrow, abs=1e-7)


@pytest.mark.parametrize("turn", [(math.pi, 0, 0), (0, math.pi, 0), (0, 0, math.pi), (0, 0, 0)])
def test_half_turns_have_their_quaternions_too(turn):
    found = np.abs(quaternion(axes().turns(turn)))
    assert found == pytest.approx([math.sin(angle / 2) for angle in turn] + [float(not any(turn))])


@pytest.mark.parametrize(
    "conventions", [Conventions(up="north"), Conventions(angles=("x", "y", "w"))]
)
def test_an_axis_that_is_none_is_reported(conventions):
    with pytest.raises(DamagedError, match="name an axis"):
        AxisConversion(conventions)
