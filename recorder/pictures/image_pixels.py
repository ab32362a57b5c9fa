"""Reads what programs give as a picture: arrays of pixels and surfaces of pygame."""

import sys
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import RecordingError

MOST_COPIED = 1920 * 1200
"""Pixels that are copied on the game's thread at most; of larger pictures rows are left out."""
_CHANNEL_ORDERS = {1: "GRAY", 3: "RGB", 4: "RGBX"}
"""What the channels of an array mean, by their number. Alpha is left out."""
_BYTE_ORDERS = {
    (0xFF, 0xFF00, 0xFF0000): "RGBX",
    (0xFF0000, 0xFF00, 0xFF): "BGRX",
    (0xFF00, 0xFF0000, 0xFF000000): "XRGB",
    (0xFF000000, 0xFF0000, 0xFF00): "XBGR",
}
"""The order of the bytes of a 32-bit surface, by its masks of red, green and blue."""


class Pixels(NamedTuple):
    """The pixels of a picture, H × W × channels, which may be the program's own memory."""

    values: npt.NDArray[Any]
    order: str
    """What the channels are: `RGB`, `BGR`, `RGBX`, `BGRX`, `XRGB`, `XBGR` or `GRAY`."""


def pixels_of(image: Any) -> Pixels:
    """The pixels of whatever a program gives, without a copy where that can be.

    Raises:
        RecordingError: it is no picture; the message says what to give instead.
    """
    pygame = sys.modules.get("pygame")
    surface = getattr(pygame, "Surface", None)
    if isinstance(surface, type) and isinstance(image, surface):
        return _surface_pixels(image, pygame)
    if isinstance(image, np.ndarray):
        return _array_pixels(image)
    if hasattr(image, "__array__") or hasattr(image, "__array_interface__"):
        try:
            array = np.asarray(image)
        except Exception as error:
            raise RecordingError(
                f"a {type(image).__name__} gives no array ({error!s:.200}): give a numpy array on"
                " the CPU"
            ) from error
        return _array_pixels(array)
    raise RecordingError(
        f"data is a {type(image).__name__}: give an array of pixels, H × W × 3, a pygame Surface,"
        " a function that returns one, or the bytes of a compressed picture"
    )


def _array_pixels(array: npt.NDArray[Any]) -> Pixels:
    shape = "×".join(map(str, array.shape)) or "()"
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3:
        raise RecordingError(
            f"an array of shape {shape} is no picture: give H × W × 3 (colour), H × W × 4, or H × W"
            " (grey); of several pictures give each a name of its own"
        )
    if array.shape[2] not in _CHANNEL_ORDERS:
        advice = "give H × W × 3, H × W × 4 or H × W"
        if array.shape[0] in _CHANNEL_ORDERS:
            advice = "its channels come first: give image.transpose(1, 2, 0)"
        raise RecordingError(f"an array of shape {shape} is no picture: {advice}")
    if not array.size:
        raise RecordingError(f"an array of shape {shape} is empty: give at least one pixel")
    if array.dtype != np.uint8 and array.dtype.kind not in "fb":
        raise RecordingError(
            f"an array of {array.dtype} is no picture: give uint8 from 0 to 255, or floats from 0"
            " to 1, as by image.astype(np.uint8)"
        )
    return Pixels(array, _CHANNEL_ORDERS[array.shape[2]])


def _surface_pixels(surface: Any, pygame: Any) -> Pixels:
    width, height = surface.get_size()
    if not width or not height:
        raise RecordingError(f"a surface of {width} × {height} pixels is empty")
    pixels = _read_surface(surface, pygame, width, height)
    # The flag alone does not tell: where SDL itself shows surfaces by OpenGL, as it may under
    # Wayland, on macOS and without a display, every window has it.
    if surface.get_flags() & pygame.OPENGL and not pixels.values.any():
        raise RecordingError(
            "a window of OpenGL has no pixels to be read: read them with glReadPixels, and give"
            " the array upside down, image[::-1]"
        )
    return pixels


def _read_surface(surface: Any, pygame: Any, width: int, height: int) -> Pixels:
    order = _BYTE_ORDERS.get(tuple(surface.get_masks()[:3]))
    if surface.get_bytesize() == 4 and order is not None and sys.byteorder == "little":
        rows = np.frombuffer(surface.get_buffer(), np.uint8)
        rows = rows[: height * surface.get_pitch()].reshape(height, surface.get_pitch())
        return Pixels(rows[:, : width * 4].reshape(height, width, 4), order)
    data = pygame.image.tobytes(surface, "RGB")
    return Pixels(np.frombuffer(data, np.uint8).reshape(height, width, 3), "RGB")


class PixelBuffers:
    """Memory for copies of pictures, which is used again and again: new memory costs more time than
    the copy. For use under one lock."""

    def __init__(self) -> None:
        self._free: list[npt.NDArray[np.uint8]] = []

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        """A buffer of at least so many bytes."""
        buffer = self._free.pop() if self._free else None
        if buffer is None or len(buffer) < size:
            buffer = np.empty(size, np.uint8)
        return buffer

    def give_back(self, buffer: npt.NDArray[np.uint8]) -> None:
        """Have a buffer used again."""
        self._free.append(buffer)


def copied_size(pixels: Pixels, row_step: int) -> int:
    """The bytes of a copy of every `row_step`-th row."""
    height, width, channels = pixels.values.shape
    rows = -(-height // row_step)
    return int(rows * width * channels * pixels.values.dtype.itemsize)


def copied(pixels: Pixels, row_step: int, buffer: npt.NDArray[np.uint8]) -> Pixels:
    """A copy of every `row_step`-th row, in a buffer, in the order that the memory has.

    A picture that is turned or mirrored is copied as fast as any; the encoder puts its
    rows in order.
    """
    values = pixels.values[::row_step]
    axes = sorted(range(3), key=lambda axis: -abs(values.strides[axis]))
    flat = buffer[: values.nbytes].view(values.dtype)
    ordered = flat.reshape([values.shape[axis] for axis in axes])
    target = ordered.transpose(np.argsort(axes))
    np.copyto(target, values)
    return Pixels(target, pixels.order)
