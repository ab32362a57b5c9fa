"""Compresses and reads JPEG files, with simplejpeg, which comes with the extra `pictures`."""

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import DamagedError, RecordingError
from ...installation import install_line
from .image_pixels import Pixels

MOST_PIXELS = 1 << 26
"""Pixels of a picture that is read: a file that claims more is refused."""


def jpeg_library() -> Any:
    """The module simplejpeg.

    Raises:
        RecordingError: it is not installed; the message has the line that does it.
    """
    try:
        return import_module("simplejpeg")
    except ImportError as error:
        raise RecordingError(
            f"pictures are compressed by simplejpeg, which is not installed:"
            f" {install_line('pictures')}"
        ) from error


def compressed(pixels: Pixels, quality: int) -> bytes:
    """A JPEG file of some pixels.

    Raises:
        RecordingError: the library can't compress them, or is not there.
    """
    library = jpeg_library()
    is_grey = pixels.order == "GRAY"
    try:
        data: bytes = library.encode_jpeg(
            np.ascontiguousarray(pixels.values), quality, pixels.order,
            "Gray" if is_grey else "420", True,
        )  # fmt: skip
    except ValueError as error:
        raise RecordingError(f"a picture can't be compressed: {error}") from error
    return data


def decompressed(data: bytes, what: str) -> npt.NDArray[np.uint8]:
    """The pixels of a JPEG file, H × W × 3.

    Args:
        what: What the file is, for the message.

    Raises:
        DamagedError: it is no complete JPEG file, or it is too large.
        RecordingError: the library is not installed.
    """
    library = jpeg_library()
    try:
        height, width, *_ = library.decode_jpeg_header(data)
        if height * width > MOST_PIXELS:
            raise DamagedError(f"{what}: {width} × {height} pixels are more than {MOST_PIXELS}")
        pixels: npt.NDArray[np.uint8] = library.decode_jpeg(data, "RGB")
    except DamagedError:
        raise
    except ValueError as error:
        raise DamagedError(f"{what} is no whole JPEG file: {error}") from error
    return pixels
