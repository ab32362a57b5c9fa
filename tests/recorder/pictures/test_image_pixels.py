"""What is taken as a picture: arrays of all kinds and surfaces, without changing a pixel."""

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.pictures.image_pixels import PixelBuffers, copied, copied_size, pixels_of


def noise(*shape, dtype=np.uint8):
    return np.random.default_rng(1).integers(0, 256, shape).astype(dtype)


def copy_of(image, row_step=1):
    pixels = pixels_of(image)
    buffer = PixelBuffers().take(copied_size(pixels, row_step) + 7)
    return copied(pixels, row_step, buffer)


@pytest.mark.parametrize(
    "image",
    [
        noise(6, 8, 3),
        noise(6, 8, 4),
        noise(6, 8),
        noise(6, 8, 1),
        noise(6, 8, 3)[::-1],
        noise(6, 8, 3)[:, ::-1],
        noise(8, 6, 3).swapaxes(0, 1),
        noise(12, 16, 3)[::2, ::2],
        noise(3, 6, 8).transpose(1, 2, 0),
        noise(1, 1, 3),
        noise(6, 8, 3).astype(np.float64) / 255,
        noise(6, 8) > 127,
    ],
)
@pytest.mark.parametrize("row_step", [1, 2])
def test_a_copy_has_the_same_pixels_however_they_lie_in_memory(image, row_step):
    copy = copy_of(image, row_step)
    assert copy.values.dtype == image.dtype
    assert np.array_equal(copy.values.squeeze(), image[::row_step].squeeze())
    assert not np.shares_memory(copy.values, image)


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (noise(3, 6, 8), r"3×6×8 .* channels come first: give image.transpose"),
        (noise(6, 8, 2), "6×8×2 is no picture: give H × W × 3"),
        (noise(6), "shape 6 is no picture"),
        (noise(2, 6, 8, 3), "of several pictures give each a name of its own"),
        (np.empty((0, 8, 3), np.uint8), "0×8×3 is empty"),
        (np.float64(3), "is no picture"),
        (noise(6, 8, 3, dtype=np.int64), r"int64 .* image.astype\(np.uint8\)"),
        (np.array([["a"]]), "<U1 is no picture"),
        ("screen.png", "data is a str: give an array of pixels"),
        (7, "data is a int"),
    ],
)
def test_what_is_no_picture_is_refused_with_what_to_give(image, says):
    with pytest.raises(RecordingError, match=says):
        pixels_of(image)


def test_anything_that_gives_an_array_is_taken_and_one_that_can_not_says_why():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            if self.array is None:
                raise TypeError("can't convert cuda:0 device type tensor to numpy")
            return self.array

    image = noise(6, 8, 3)
    assert np.array_equal(pixels_of(Tensor(image)).values, image)
    with pytest.raises(RecordingError, match="Tensor gives no array .*cuda:0.* on the CPU"):
        pixels_of(Tensor(None))


@pytest.mark.parametrize("depth", [32, 24, 16])
def test_a_surface_of_pygame_has_its_own_colours(depth):
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((5, 3), depth=depth)
    surface.fill((255, 0, 0))
    surface.set_at((4, 2), (0, 0, 255))
    pixels = copy_of(surface)
    red, blue = (pixels.order.index(channel) for channel in "RB")
    assert pixels.values.shape[:2] == (3, 5)
    assert pixels.values[0, 0, red] >= 248
    assert pixels.values[0, 0, blue] == 0
    assert pixels.values[2, 4, red] == 0
    assert pixels.values[2, 4, blue] >= 248


def test_a_surface_is_not_locked_when_it_was_copied():
    pygame = pytest.importorskip("pygame")
    surface = pygame.Surface((5, 3), depth=32)
    copy_of(surface)
    assert not surface.get_locked()
