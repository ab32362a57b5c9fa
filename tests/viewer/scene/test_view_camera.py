"""The camera: projection and clipping."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from playhead.viewer.scene.view_camera import CameraEye, ViewCamera

SIZE = (800.0, 600.0)
POINTS = st.lists(st.tuples(*[st.floats(-50, 50)] * 3), min_size=2, max_size=20)


@pytest.mark.parametrize("top", [False, True])
def test_the_centre_is_in_the_middle(top):
    camera = ViewCamera()
    camera.top, camera.centre = top, np.array([3.0, -2.0, 1.0])
    pixels, front, _ = camera.view(*SIZE).project(camera.centre)
    assert front[0]
    assert pixels[0] == pytest.approx((400, 300))


@pytest.mark.parametrize("top", [False, True])
@given(points=POINTS, azimuth=st.floats(-3, 3))
def test_all_that_it_is_fitted_to_is_seen(points, azimuth, top):
    camera = ViewCamera()
    camera.top, camera.azimuth = top, azimuth
    camera.fit(points)
    pixels, front, _ = camera.view(*SIZE).project(points)
    assert front.all()
    margin = 120  # a corner may touch the edge: what is fitted is the sphere around the middle
    assert (pixels > -margin).all()
    assert (pixels < np.array(SIZE) + margin).all()


@given(points=POINTS, covered=st.floats(0, 0.5))
def test_what_it_is_fitted_to_is_seen_from_above_below_what_covers_the_top(points, covered):
    camera = ViewCamera()
    camera.top = True
    camera.fit(points, aspect=SIZE[0] / SIZE[1], covered=covered)
    pixels, _, _ = camera.view(*SIZE).project(points)
    assert (pixels[:, 1] >= covered * SIZE[1]).all()
    assert (pixels[:, 1] <= SIZE[1]).all()
    assert (pixels[:, 0] >= 0).all()
    assert (pixels[:, 0] <= SIZE[0]).all()


def test_higher_is_further_up_and_to_the_right_is_right():
    view = ViewCamera().view(*SIZE)
    right, _, _ = ViewCamera().basis()
    (middle, up, aside), _, _ = view.project([(0, 0, 0), (0, 0, 1), right])
    assert up[1] < middle[1]
    assert aside[0] > middle[0]


@given(st.tuples(*[st.floats(-80, 80)] * 3), st.tuples(*[st.floats(-80, 80)] * 3))
def test_a_clipped_line_lies_on_the_line_of_its_ends_and_never_comes_from_behind(start, end):
    view = ViewCamera().view(*SIZE)
    visible, lines = view.segments([[start, end]])
    _, front, _ = view.project([start, end])
    if not front.any():
        assert not len(visible)
    if front.all() and len(visible):
        pixels, _, _ = view.project([start, end])
        if (np.abs(pixels) < 30_000).all():
            assert lines[0] == pytest.approx(pixels.reshape(-1), abs=1e-3)
    assert np.isfinite(lines).all()


def test_panning_moves_what_is_seen_with_the_mouse():
    for top in (False, True):
        camera = ViewCamera()
        camera.top = top
        camera.pan(40, 0, SIZE[1])
        pixels, _, _ = camera.view(*SIZE).project([(0.0, 0.0, 0.0)])
        assert pixels[0][0] > 400 + 20


def test_a_camera_never_turns_over():
    camera = ViewCamera()
    camera.orbit(0.0, 100.0)
    assert camera.basis()[1][2] > 0
    camera.orbit(0.0, -100.0)
    assert camera.basis()[1][2] > 0


def test_lines_between_shared_points_are_the_same_as_lines_by_themselves():
    view = ViewCamera().view(*SIZE)
    points = np.random.default_rng(1).normal(0, 20, (60, 3))
    starts, ends = np.arange(59), np.arange(1, 60)
    visible, lines = view.edges(points, starts, ends)
    kept_singly, singly = view.segments(np.stack([points[:-1], points[1:]], axis=1))
    assert visible.tolist() == kept_singly.tolist()
    assert 0 < len(visible) < 59
    assert lines == pytest.approx(singly)


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
@pytest.mark.parametrize("top", [False, True])
def test_a_line_to_nowhere_is_left_out_and_its_neighbours_stay(odd, top):
    camera = ViewCamera()
    camera.top = top
    view = camera.view(*SIZE)
    ends = [[(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (odd, 0, 0)], [(0, odd, 0), (1, 1, 0)]]
    with np.errstate(invalid="ignore"):
        visible, lines = view.segments(ends)
    assert visible.tolist() == [0]
    assert np.isfinite(lines).all()


def test_a_surface_that_reaches_behind_the_eye_is_cut_not_dropped():
    camera = ViewCamera()
    view = camera.view(*SIZE)
    ahead = camera.basis()[2]
    near, far = view.eye - ahead * 20, view.eye + ahead * 20
    side = np.array([1.0, 0.0, 0.0])
    outline = view.surface([near - side, near + side, far + side, far - side])
    assert len(outline) == 4
    whole = view.surface([far - side, far + side, far + side * 2, far])
    assert whole == pytest.approx(view.project([far - side, far + side, far + side * 2, far])[0])
    assert not len(view.surface([near - side, near + side, near + side * 2]))


def looking_along_y(field: float = np.pi / 2) -> CameraEye:
    right, up, forward = np.eye(3)[0], np.eye(3)[2], np.eye(3)[1]
    return CameraEye(7, np.array([1.0, 2.0, 3.0]), right, up, forward, field)


def test_the_game_s_camera_sees_as_wide_as_it_did():
    camera = ViewCamera()
    camera.eye = looking_along_y()
    view = camera.view(*SIZE)
    pixels, front, depth = view.project([(1, 7, 3), (1 + 5, 7, 3), (1, 7, 3 + 5), (1, -5, 3)])
    assert front.tolist() == [True, True, True, False]
    assert depth[0] == pytest.approx(5)
    assert pixels[0] == pytest.approx((400, 300))
    assert pixels[1] == pytest.approx((800, 300))  # 45° to the right is the picture's edge
    assert pixels[2] == pytest.approx((400, 300 - 400))


@given(st.floats(-3, 3), st.floats(-1.4, 1.4))
def test_taking_over_from_the_game_s_camera_goes_on_from_where_it_stood(azimuth, elevation):
    other = ViewCamera()
    other.azimuth, other.elevation = azimuth, elevation
    right, up, forward = other.basis()
    camera = ViewCamera()
    camera.eye = CameraEye(7, np.array([1.0, 2.0, 3.0]), right, up, forward, 1.0)
    camera.take_over()
    assert camera.eye is None
    assert camera.basis()[2] == pytest.approx(forward, abs=1e-9)
    assert camera.view(*SIZE).eye == pytest.approx((1, 2, 3))
