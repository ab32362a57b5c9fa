"""Writes images as a video: MP4 for most programs, GIF for pages and chats. Uses PyAV."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import RecordingError
from ..decode_image import video_library

Image = npt.NDArray[np.uint8]
"""H × W × 3."""
KINDS = ("mp4", "gif")
_CODECS = ("libx264", "mpeg4")
"""Codecs of MP4 files: the first one that this build of FFmpeg has is used."""


class VideoFile:
    """A video that is written image by image; a context manager, whose end finishes the file.

    Args:
        path: The file, which is made again.
        kind: One of `KINDS`.
        rate: Images a second. A GIF shows them in whole hundredths of a second.
        size: Width and height; images are put into its middle. An MP4 has even ones.

    Raises:
        RecordingError: PyAV is not installed, or it can't write such a file.
    """

    def __init__(self, path: Path, kind: str, rate: int, size: tuple[int, int]) -> None:
        self._library = video_library()
        self._kind = kind
        self._size = tuple(side + side % 2 for side in size) if kind == "mp4" else size
        self._rate, self._count = rate, 0
        try:
            self._file = self._library.open(str(path), "w", format=kind)
            self._stream = self._add_stream()
            self._palette = self._palette_graph() if kind == "gif" else None
        except (self._library.error.FFmpegError, ValueError) as error:
            raise RecordingError(f"{path}: FFmpeg can't write such a video: {error}") from error

    def _add_stream(self) -> Any:
        width, height = self._size
        if self._kind == "gif":
            stream = self._file.add_stream("gif", rate=self._rate)
            stream.pix_fmt = "pal8"
        else:
            known = self._library.codecs_available
            codec = next((one for one in _CODECS if one in known), _CODECS[-1])
            stream = self._file.add_stream(codec, rate=self._rate)
            stream.pix_fmt = "yuv420p"  # what browsers and chats show
            if codec == "libx264":
                stream.options = {"crf": "20", "preset": "veryfast"}
            else:
                stream.bit_rate = 4_000_000
        stream.width, stream.height = width, height
        stream.codec_context.time_base = Fraction(1, self._rate)
        return stream

    def _palette_graph(self) -> Any:
        """Gives each image the 256 colours that are best for it."""
        width, height = self._size
        graph = self._library.filter.Graph()
        source = graph.add_buffer(
            width=width, height=height, format="rgb24", time_base=Fraction(1, self._rate)
        )
        split = graph.add("split")
        palette = graph.add("palettegen", "stats_mode=single")
        use = graph.add("paletteuse", "new=1:dither=bayer:bayer_scale=3")
        sink = graph.add("buffersink")
        source.link_to(split)
        split.link_to(palette, 0, 0)
        split.link_to(use, 1, 0)
        palette.link_to(use, 0, 1)
        use.link_to(sink)
        graph.configure()
        return graph

    def add(self, image: Image) -> None:
        """Add an image; one that is smaller has black around it, one that is larger is cut."""
        frame = self._library.VideoFrame.from_ndarray(self._framed(image), format="rgb24")
        frame.pts, frame.time_base = self._count, Fraction(1, self._rate)
        self._count += 1
        if self._palette is None:
            self._encode(frame)
            return
        self._palette.push(frame)
        self._drain()

    def _framed(self, image: Image) -> Image:
        width, height = self._size
        if image.shape[:2] == (height, width):
            return np.ascontiguousarray(image)
        framed = np.zeros((height, width, 3), np.uint8)
        part = image[:height, :width]
        top, left = (height - part.shape[0]) // 2, (width - part.shape[1]) // 2
        framed[top : top + part.shape[0], left : left + part.shape[1]] = part
        return framed

    def _drain(self) -> None:
        assert self._palette is not None
        while True:
            try:
                frame = self._palette.pull()
            except (self._library.error.BlockingIOError, self._library.error.EOFError):
                return
            self._encode(frame)

    def _encode(self, frame: Any) -> None:
        for packet in self._stream.encode(frame):
            self._file.mux(packet)

    def __enter__(self) -> "VideoFile":
        return self

    def __exit__(self, *raised: object) -> None:
        try:
            if raised[1] is None:
                if self._palette is not None:
                    self._palette.push(None)
                    self._drain()
                self._encode(None)
        finally:
            self._file.close()


def write_video(path: Path, kind: str, rate: int, images: Iterable[Image]) -> int:
    """Write images as a video of the size of the first one; returns how many there are.

    Raises:
        RecordingError: there is no image, or FFmpeg can't write such a file.
    """
    found = iter(images)
    first = next(found, None)
    if first is None:
        raise RecordingError("there is no image for a video")
    count = 1
    with VideoFile(path, kind, rate, (first.shape[1], first.shape[0])) as video:
        video.add(first)
        for image in found:
            video.add(image)
            count += 1
    return count
