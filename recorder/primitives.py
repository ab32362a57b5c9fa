"""Recorded debug drawing: line, sphere, box, polygon and text, and many lines at once.

The same call draws live and when its frame is scrubbed to. Each belongs to an object or to the
world (0) and to a channel, and keeps the file and line that it was called from. A primitive is
shown in the one frame that it was recorded in, unless it is latched under a name: then it stays
until it is drawn again under that name.
"""

import struct
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..errors import RecordingError
from .faults import Refusing
from .instrumentation import Color, Vector
from .kinds import PacketType
from .object_ids import ObjectRef

WHITE: Color = (255, 255, 255)

PLACED = struct.Struct("<3f3fI")
"""Position, angles and channels, which a latched primitive has in front of its payload."""

_LINE = struct.Struct("<III3f")
_SPHERE = struct.Struct("<IIIf")
_HEAD = struct.Struct("<III")

Site = tuple[str, int]
"""The file and line that something was said from."""
NO_SITE: Site = ("", 0)
"""Where something comes from that no line of the game says."""


def site_of(depth: int) -> Site:
    """The file and line `depth` calls above the caller of this function's caller."""
    frame = sys._getframe(depth + 1)
    return frame.f_code.co_filename, frame.f_lineno


class Drawn(NamedTuple):
    """A primitive as it was recorded."""

    kind: str
    """`line`, `lines`, `sphere`, `box`, `polygon` or `text`."""
    object: int
    channels: int
    position: tuple[float, float, float]
    angles: tuple[float, float, float]
    values: dict[str, Any]
    """The fields of its layout: `color`, `end`, `size`, `radius`, `points`, `segments`, `text`."""
    file: str
    line: int
    latched: str | None
    """The name it was latched under; None if it belongs to this frame alone."""


class PrimitiveSink(Protocol):
    """What takes primitives: the recorder, which decides on thread, channel and frame."""

    def primitive(
        self, type: PacketType, object: ObjectRef, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> None: ...  # fmt: skip

    def refusing(self, cause: str) -> Refusing: ...


def packed_color(color: Sequence[int]) -> int:
    """Red, green, blue and perhaps alpha (0 … 255) as one number, red lowest.

    Raises:
        RecordingError: it has other parts than that.
    """
    try:
        red, green, blue, *alpha = color
        if len(alpha) > 1:
            raise ValueError
        return int.from_bytes(bytes((red, green, blue, alpha[0] if alpha else 255)), "little")
    except (TypeError, ValueError):
        raise RecordingError(
            f"color {color!r}: give three or four whole numbers from 0 to 255"
        ) from None


# Looked up once: at each use an enum's member costs a third of a microsecond.
_AS_LINE, _AS_LINES, _AS_SPHERE = PacketType.LINE, PacketType.LINES, PacketType.SPHERE
_AS_BOX, _AS_POLYGON, _AS_TEXT = PacketType.BOX, PacketType.POLYGON, PacketType.TEXT


class PrimitiveDraw:
    """The drawing calls of a session."""

    def __init__(self, sink: PrimitiveSink) -> None:
        self._sink = sink
        self._refusing = sink.refusing("draw")

    def line(
        self, start: Vector, end: Vector, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """A straight line between two points of the world."""
        with self._refusing:
            self._sink.primitive(
                _AS_LINE, object, channel, latch, start, _NOT_TURNED, site_of(1),
                (_LINE, packed_color(color), *_three(end, "end")), b"",
            )  # fmt: skip

    def lines(
        self, segments: Any, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Many lines of one colour, as (n, 2, 3) numbers."""
        with self._refusing:
            points = _points(segments, (2, 3), "segments")
            self._sink.primitive(
                _AS_LINES, object, channel, latch, _first(points), _NOT_TURNED, site_of(1),
                (_HEAD, packed_color(color)), points.tobytes(),
            )  # fmt: skip

    def sphere(
        self, center: Vector, radius: float, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """A sphere round a point."""
        with self._refusing:
            self._sink.primitive(
                _AS_SPHERE, object, channel, latch, center, _NOT_TURNED, site_of(1),
                (_SPHERE, packed_color(color), radius), b"",
            )  # fmt: skip

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = (0.0, 0.0, 0.0),
        color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """A cuboid of `size` (three edge lengths) round a point, turned by `angles` (radians)."""
        with self._refusing:
            self._sink.primitive(
                _AS_BOX, object, channel, latch, center, angles, site_of(1),
                (_LINE, packed_color(color), *_three(size, "size")), b"",
            )  # fmt: skip

    def polygon(
        self, points: Sequence[Vector], *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """A closed, flat outline of three points or more."""
        with self._refusing:
            corners = _points(points, (3,), "points")
            if len(corners) < 3:
                raise RecordingError(f"points: a polygon has three or more, not {len(corners)}")
            self._sink.primitive(
                _AS_POLYGON, object, channel, latch, _first(corners), _NOT_TURNED,
                site_of(1), (_HEAD, packed_color(color)), corners.tobytes(),
            )  # fmt: skip

    def text(
        self, position: Vector, text: str, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """A text at a point, facing whoever looks."""
        with self._refusing:
            self._sink.primitive(
                _AS_TEXT, object, channel, latch, position, _NOT_TURNED, site_of(1),
                (_HEAD, packed_color(color)), str(text).encode("utf-8", errors="replace"),
            )  # fmt: skip


_NOT_TURNED = (0.0, 0.0, 0.0)


def _three(vector: Vector, name: str) -> Vector:
    if len(vector) != 3:
        raise RecordingError(f"{name} {vector!r} has {len(vector)} numbers, not 3")
    return vector


def _points(points: Any, shape: tuple[int, ...], name: str) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        with np.errstate(over="ignore"):  # too far away is infinitely far away
            array = np.ascontiguousarray(points, dtype="<f4")
    except (TypeError, ValueError) as error:
        raise RecordingError(f"{name} are no numbers: {error}") from None
    if array.shape[1:] != shape:
        wanted = ", ".join(str(n) for n in ("n", *shape))
        raise RecordingError(f"{name} have the shape {array.shape}, not ({wanted})")
    return array


def _first(points: np.ndarray[Any, np.dtype[Any]]) -> Sequence[float]:
    flat = points.reshape(-1, 3)
    return tuple(flat[0].tolist()) if len(flat) else _NOT_TURNED
