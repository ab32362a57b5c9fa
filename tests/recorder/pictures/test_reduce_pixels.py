"""Smaller pictures: means of squares, from whatever numbers the pixels are."""

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.pictures.image_pixels import Pixels
from playhead.recorder.pictures.reduce_pixels import as_bytes, reduced, reduction


@pytest.mark.parametrize(
    ("size", "factor"),
    [((640, 480), 1), ((800, 600), 1), ((1280, 720), 2), ((1920, 1080), 3), ((480, 7680), 12),
     ((1, 1), 1)],
)  # fmt: skip
def test_a_picture_is_reduced_by_the_whole_number_that_comes_nearest(size, factor):
    assert reduction(*size, 640) == factor


@pytest.mark.parametrize(("down", "across"), [(1, 1), (2, 2), (3, 3), (1, 3), (7, 2), (99, 99)])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_each_pixel_is_the_mean_of_those_it_stands_for(down, across, channels):
    image = np.random.default_rng(1).integers(0, 256, (20, 31, channels)).astype(np.uint8)
    small = reduced(Pixels(image, "any"), down, across).values
    down, across = min(down, 20), min(across, 31)
    assert small.shape == (20 // down, 31 // across, channels)
    for y in range(small.shape[0]):
        for x in range(small.shape[1]):
            square = image[y * down : y * down + down, x * across : x * across + across]
            assert np.array_equal(small[y, x], square.reshape(-1, channels).mean(0).astype(int))


def test_floats_from_0_to_1_become_bytes_and_what_is_no_number_is_black():
    image = np.array([[[0.0], [1.0], [0.5], [np.nan], [-3.0], [1.2], [-np.inf]]])
    assert as_bytes(Pixels(image, "GRAY")).values.ravel().tolist() == [0, 255, 128, 0, 0, 255, 0]


def test_floats_beyond_1_are_refused_as_they_would_be_white_all_over():
    with pytest.raises(RecordingError, match="up to 200: divide it by 255"):
        as_bytes(Pixels(np.full((2, 2, 3), 200.0), "RGB"))


def test_truth_becomes_black_and_white():
    assert as_bytes(Pixels(np.array([[[True], [False]]]), "GRAY")).values.ravel().tolist() == [
        255, 0,
    ]  # fmt: skip
