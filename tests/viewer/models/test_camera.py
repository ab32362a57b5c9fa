"""The camera: projection and clipping."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from playhead.viewer.models.camera import Camera

SIZE = (800.0, 600.0)
POINTS = st.lists(st.tuples(*[st.floats(-50, 50)] * 3), min_size=2, max_size=20)


@pytest.mark.parametrize("top", [False, True])
def test_the_centre_is_in_the_middle(top):
    camera = Camera()
    camera.top, camera.centre = top, np.array([3.0, -2.0, 1.0])
    pixels, front, _ = camera.view(*SIZE).project(camera.centre)
    assert front[0]
    assert pixels[0] == pytest.approx((400, 300))


@pytest.mark.parametrize("top", [False, True])
@given(points=POINTS, azimuth=st.floats(-3, 3))
def test_all_that_it_is_fitted_to_is_seen(points, azimuth, top):
    camera = Camera()
    camera.top, camera.azimuth = top, azimuth
    camera.fit(points)
    pixels, front, _ = camera.view(*SIZE).project(points)
    assert front.all()
    margin = 120  # a corner may touch the edge: what is fitted is the sphere around the middle
    assert (pixels > -margin).all()
    assert (pixels < np.array(SIZE) + margin).all()


def test_higher_is_further_up_and_to_the_right_is_right():
    view = Camera().view(*SIZE)
    right, _, _ = Camera().basis()
    (middle, up, aside), _, _ = view.project([(0, 0, 0), (0, 0, 1), right])
    assert up[1] < middle[1]
    assert aside[0] > middle[0]


@given(st.tuples(*[st.floats(-80, 80)] * 3), st.tuples(*[st.floats(-80, 80)] * 3))
def test_a_clipped_line_lies_on_the_line_of_its_ends_and_never_comes_from_behind(start, end):
    view = Camera().view(*SIZE)
    kept, lines, _ = view.segments([[start, end]])
    _, front, _ = view.project([start, end])
    if not front.any():
        assert not len(kept)
    if front.all() and len(kept):
        pixels, _, _ = view.project([start, end])
        if (np.abs(pixels) < 30_000).all():
            assert lines[0] == pytest.approx(pixels.reshape(-1), abs=1e-3)
    assert np.isfinite(lines).all()


def test_panning_moves_what_is_seen_with_the_mouse():
    for top in (False, True):
        camera = Camera()
        camera.top = top
        camera.pan(40, 0, SIZE[1])
        pixels, _, _ = camera.view(*SIZE).project([(0.0, 0.0, 0.0)])
        assert pixels[0][0] > 400 + 20


def test_a_camera_never_turns_over():
    camera = Camera()
    camera.orbit(0.0, 100.0)
    assert camera.basis()[1][2] > 0
    camera.orbit(0.0, -100.0)
    assert camera.basis()[1][2] > 0
