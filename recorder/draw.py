"""The calls of debug drawing, for everybody who states something."""

from collections.abc import Callable, Sequence
from sys import _getframe
from typing import Any

import numpy as np

from ..errors import RecordingError
from .kinds import PacketType
from .object_ids import ObjectRef
from .primitives import NOT_TURNED, WHITE, Color, Shape, Vector, drawing_of
from .statements import Drawing

# Looked up once: at each use an enum's member costs a third of a microsecond.
_LINE, _LINES, _SPHERE = PacketType.LINE, PacketType.LINES, PacketType.SPHERE
_BOX, _POLYGON, _TEXT = PacketType.BOX, PacketType.POLYGON, PacketType.TEXT

Put = Callable[..., None]
"""Takes a drawing apart: type, object, channel, latch, position, angles, file, line, colour,
numbers of its record, tail."""
Refuse = Callable[[str, Exception], None]


class Draw:
    """Recorded debug drawing: shown live, and again when its frame is scrubbed to.

    Points are three numbers in the game's unit. What is the same in all calls:

    Args:
        color: Red, green, blue and perhaps alpha, each from 0 to 255; white by default.
        object: The object that it belongs to, or its id; 0 for the world.
        channel: A name, such as `ai`, by which drawings are shown and recorded, or not.
        latch: A name under which the drawing stays until it is drawn anew. Without one it is shown
            in its own frame only.

    Raises:
        RecordingError: strict, and numbers make no sense, or the object is unknown. Else such a
            call is counted in `status.calls_refused`, and logged once.
    """

    def __init__(self, put: Put, refuse: Refuse) -> None:
        self._put, self._refuse = put, refuse

    def line(
        self, start: Vector, end: Vector, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a straight line between two points of the world."""
        try:
            code = _getframe(1)
            self._put(
                _LINE, object, channel, latch, start, NOT_TURNED, code.f_code.co_filename,
                code.f_lineno, color, end if len(end) == 3 else _not_three(end, "end"), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def lines(
        self, segments: Any, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw many lines of one colour; `segments` is an array of the shape (n, 2, 3)."""
        try:
            points, code = _points(segments, (2, 3), "segments"), _getframe(1)
            self._put(
                _LINES, object, channel, latch, _first(points), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (), points.tobytes(),
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def sphere(
        self, center: Vector, radius: float, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a sphere round a point."""
        try:
            code = _getframe(1)
            self._put(
                _SPHERE, object, channel, latch, center, NOT_TURNED, code.f_code.co_filename,
                code.f_lineno, color, (radius,), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = NOT_TURNED,
        color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a cuboid round a point: `size` is three edge lengths, `angles` are radians."""
        try:
            code = _getframe(1)
            self._put(
                _BOX, object, channel, latch, center, angles, code.f_code.co_filename,
                code.f_lineno, color, size if len(size) == 3 else _not_three(size, "size"), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def polygon(
        self, points: Sequence[Vector], *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a closed, flat outline of three points or more."""
        try:
            corners, code = _points(points, (3,), "points"), _getframe(1)
            if len(corners) < 3:
                raise RecordingError(f"points: a polygon has three or more, not {len(corners)}")
            self._put(
                _POLYGON, object, channel, latch, _first(corners), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (), corners.tobytes(),
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def text(
        self, position: Vector, text: str, *, color: Color = WHITE, object: ObjectRef = 0,
        channel: str | None = None, latch: str | None = None,
    ) -> None:  # fmt: skip
        """Draw a text at a point; it faces whoever looks."""
        try:
            code, written = _getframe(1), str(text).encode("utf-8", errors="replace")
            self._put(
                _TEXT, object, channel, latch, position, NOT_TURNED, code.f_code.co_filename,
                code.f_lineno, color, (), written,
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)


def emit_by(emit: Callable[[Drawing], object]) -> Put:
    """Takes drawings as `Draw` gives them, and emits each as a statement."""

    def put(
        type: PacketType, object: ObjectRef, channel: str | None, latch: str | None,
        position: Vector, angles: Vector, file: str, line: int, color: Sequence[int],
        numbers: Sequence[float], tail: bytes,
    ) -> None:  # fmt: skip
        emit(drawing_of(
            Shape(type, position, angles, numbers, tail), color,
            object=object, channel=channel, latch=latch, file=file, line=line,
        ))  # fmt: skip

    return put


def _not_three(vector: Vector, name: str) -> Vector:
    raise RecordingError(f"{name} {vector!r} has {len(vector)} numbers, not 3")


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
    return tuple(flat[0].tolist()) if len(flat) else NOT_TURNED
