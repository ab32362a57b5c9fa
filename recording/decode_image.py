"""Reads pictures of other formats than JPEG, with PyAV, which comes with the extra `video`."""

import io
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError, RecordingError
from ..installation import install_line


def video_library() -> Any:
    """The module av.

    Raises:
        RecordingError: it is not installed; the message has the line that does it.
    """
    try:
        return import_module("av")
    except ImportError as error:
        raise RecordingError(
            f"videos, and pictures of other formats than JPEG, need PyAV, which is not installed:"
            f" {install_line('video')}"
        ) from error


def decoded_image(data: bytes, what: str) -> npt.NDArray[np.uint8]:
    """The pixels of a PNG, WebP or JPEG file, H × W × 3.

    Args:
        what: What the file is, for the message.

    Raises:
        DamagedError: it can't be read.
        RecordingError: the library is not installed.
    """
    library = video_library()
    try:
        with library.open(io.BytesIO(data)) as container:
            for frame in container.decode(video=0):
                pixels: npt.NDArray[np.uint8] = frame.to_ndarray(format="rgb24")
                return pixels
    except (library.error.FFmpegError, ValueError, EOFError) as error:
        raise DamagedError(f"{what} can't be read: {error}") from error
    raise DamagedError(f"{what} holds no image")
