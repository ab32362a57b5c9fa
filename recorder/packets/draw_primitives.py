"""Recorded debug drawing: line, sphere, box, polygon and text, and many lines at once.

A recorded primitive is shown while the game runs, and again when its frame is scrubbed to. It
belongs to an object or to the world (0) and to a channel, and has the file and line of the call. It
is shown in one frame only, unless it is latched under a name: then it stays until it is drawn again
under that name.
"""

import struct
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...errors import RecordingError
from ..statements.statement_messages import Drawing
from .packet_types import PacketType

Vector = Sequence[float]
Color = Sequence[int] | str
WHITE: Color = (255, 255, 255)

PLACED = struct.Struct("<3f3fI")
"""Position, angles and channels, which a latched primitive has in front of its payload."""

PACK: dict[PacketType, Callable[..., bytes]] = {
    PacketType.LINE: struct.Struct("<III3f").pack,
    PacketType.LINES: struct.Struct("<III").pack,
    PacketType.SPHERE: struct.Struct("<IIIf").pack,
    PacketType.BOX: struct.Struct("<III3f").pack,
    PacketType.POLYGON: struct.Struct("<III").pack,
    PacketType.TEXT: struct.Struct("<III").pack,
}
"""For each its record: colour, number of the file's text, line, and the numbers of the shape."""

SHAPES = {type.name.lower(): type for type in PACK}
"""The packet type of each shape."""
NOT_TURNED = (0.0, 0.0, 0.0)
COLORS = {
    "white": "#ffffff", "silver": "#c0c0c0", "gray": "#808080", "grey": "#808080",
    "black": "#000000", "red": "#ff0000", "tomato": "#ff6347", "orange": "#ffa500",
    "gold": "#ffd700", "yellow": "#ffff00", "lime": "#00ff00", "green": "#008000",
    "teal": "#008080", "cyan": "#00ffff", "skyblue": "#87ceeb", "blue": "#0000ff",
    "navy": "#000080", "purple": "#800080", "violet": "#ee82ee", "magenta": "#ff00ff",
    "pink": "#ffc0cb", "brown": "#a52a2a",
}  # fmt: skip
"""The colours that can be named, as CSS has them."""

Site = tuple[str, int]
"""The file and line of the call that drew it."""
NO_SITE: Site = ("", 0)
"""The origin of a drawing that no line of the game made."""


def site_of(depth: int) -> Site:
    """The file and line `depth` calls above the caller of this function's caller."""
    frame = sys._getframe(depth + 1)
    return frame.f_code.co_filename, frame.f_lineno


class RecordedDrawing(NamedTuple):
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


def packed_color(color: Color) -> int:
    """Red, green, blue and perhaps alpha (0 … 255) as one number, red lowest.

    Args:
        color: These numbers, or a text that `color_parts` knows.

    Raises:
        RecordingError: it is none.
    """
    try:
        red, green, blue, *alpha = _named_color(color) if isinstance(color, str) else color
        if len(alpha) > 1:
            raise ValueError
        return int.from_bytes(bytes((red, green, blue, alpha[0] if alpha else 255)), "little")
    except (TypeError, ValueError):
        raise _no_color(color) from None


def color_parts(color: Color) -> tuple[int, ...]:
    """Red, green, blue and perhaps alpha of a colour, also of a name or `#rrggbb`.

    Raises:
        RecordingError: it is none.
    """
    if isinstance(color, str):
        return _named_color(color)
    try:
        return tuple(color)
    except TypeError:
        raise _no_color(color) from None


@lru_cache(maxsize=256)
def _named_color(text: str) -> tuple[int, ...]:
    written = COLORS.get(text.lower(), text)
    digits = written[1:]
    if written[:1] != "#" or len(digits) not in (6, 8):
        raise _no_color(text)
    try:
        return tuple(bytes.fromhex(digits))
    except ValueError:
        raise _no_color(text) from None


def _no_color(color: Any) -> RecordingError:
    advice = "give three or four whole numbers from 0 to 255, or a text"
    if isinstance(color, str):
        advice = "give three or four whole numbers from 0 to 255"
    return RecordingError(
        f"color {color!r:.80}: {advice}, '#rrggbb' or a name: {', '.join(COLORS)}"
    )


class Shape(NamedTuple):
    """A drawing as its packet has it."""

    type: PacketType
    position: Vector
    angles: Vector
    numbers: Sequence[float]
    """What its record holds after colour, file and line."""
    tail: bytes


def shape_of(drawing: Drawing) -> Shape:
    """A drawing as its packet has it.

    Raises:
        RecordingError: the shape is none, or has not so many points.
    """
    points = drawing.points
    if not points and drawing.shape != "lines":
        raise RecordingError(f"draw {drawing.shape!r}: it has no points")
    position = points[0] if points else NOT_TURNED
    match drawing.shape:
        case "line" if len(points) == 2:
            return Shape(PacketType.LINE, position, NOT_TURNED, points[1], b"")
        case "sphere":
            return Shape(PacketType.SPHERE, position, NOT_TURNED, drawing.size[:1], b"")
        case "box":
            return Shape(PacketType.BOX, position, drawing.angles, drawing.size, b"")
        case "text":
            tail = drawing.text.encode("utf-8", errors="replace")
            return Shape(PacketType.TEXT, position, NOT_TURNED, (), tail)
        case "lines" if len(points) % 2 == 0:
            pass
        case "polygon" if len(points) > 2:
            pass
        case _:
            raise RecordingError(
                f"draw {drawing.shape!r} with {len(points)} points: a line has two, lines have an"
                " even number, a polygon has three or more, and there are also sphere, box and text"
            )
    with np.errstate(over="ignore"):  # too far away is infinitely far away
        corners = np.asarray(points, "<f4")
    return Shape(SHAPES[drawing.shape], position, NOT_TURNED, (), corners.tobytes())


def drawing_of(shape: Shape, color: Color, **options: Any) -> Drawing:
    """The drawing that a packet has; `options` are object, channel, latch, file and line."""
    type, position, angles, numbers, tail = shape
    name, position = type.name.lower(), vector(position, "position")
    options["color"] = color_parts(color)
    match type:
        case PacketType.LINE:
            return Drawing(name, (position, vector(numbers, "end")), **options)
        case PacketType.SPHERE:
            size = vector((numbers[0], 1.0, 1.0), "radius")
            return Drawing(name, (position,), size, **options)
        case PacketType.BOX:
            size, turned = vector(numbers, "size"), vector(angles, "angles")
            return Drawing(name, (position,), size, turned, **options)
        case PacketType.TEXT:
            return Drawing(name, (position,), text=tail.decode(errors="replace"), **options)
    corners = np.frombuffer(tail, "<f4").reshape(-1, 3).tolist()
    return Drawing(name, tuple(map(tuple, corners)), **options)


def point_in_3d(value: Sequence[float], name: str) -> Vector:
    """A point of three numbers as it is, one of two numbers with 0 as the third.

    Raises:
        RecordingError: it has other parts than these.
    """
    try:
        count = len(value)
    except TypeError:
        raise RecordingError(f"{name} {value!r:.100}: give three numbers, or two") from None
    if count == 2:
        return value[0], value[1], 0.0
    if count == 3:
        return value
    raise RecordingError(f"{name} {value!r:.100} has {count} numbers, not 3 or 2")


def vector(value: Sequence[float], name: str) -> tuple[float, float, float]:
    """Three numbers as plain ones.

    Raises:
        RecordingError: they are not three.
    """
    try:
        if len(value) == 3:
            x, y, z = value
            return float(x), float(y), float(z)
    except (TypeError, ValueError, OverflowError):
        raise RecordingError(f"{name} {value!r:.100}: give three numbers") from None
    raise RecordingError(f"{name} {value!r:.100} has {len(value)} numbers, not 3")


def number(value: float, name: str) -> float:
    """A number as a plain one.

    Raises:
        RecordingError: it is none.
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise RecordingError(f"{name} {value!r:.100}: give a number") from None


def color_of(packed: int) -> tuple[int, ...]:
    """The parts of a packed colour; alpha is left out where it is full."""
    parts = tuple(int(packed).to_bytes(4, "little"))
    return parts[:3] if parts[3] == 255 else parts
