"""The calls of debug drawing, for sessions, clients and agents alike."""

from collections.abc import Callable, Sequence
from enum import Enum
from sys import _getframe
from typing import Any

import numpy as np

from ...errors import RecordingError
from ..objects.object_ids import ObjectOrId
from ..packets.draw_primitives import (
    NOT_TURNED,
    WHITE,
    Color,
    Shape,
    Vector,
    drawing_of,
    number,
    point_in_3d,
    vector,
)
from ..packets.packet_types import PacketType
from ..text.enum_names import text_or_name
from .statement_messages import Drawing

# Looked up once: at each use an enum's member costs a third of a microsecond.
_LINE, _LINES, _SPHERE = PacketType.LINE, PacketType.LINES, PacketType.SPHERE
_BOX, _POLYGON, _TEXT = PacketType.BOX, PacketType.POLYGON, PacketType.TEXT

Put = Callable[..., None]
"""Takes a drawing apart: type, object, channel, latch, position, angles, file, line, colour,
numbers of its record, tail."""
Refuse = Callable[[str, Exception], None]


class Draw:
    """Recorded debug drawing: shown live, and again when its frame is scrubbed to.

    A point is three numbers in the game's unit, or two with z = 0: a tuple, a list, a row of an
    array, or a vector of pygame. These arguments are the same in all calls:

    Args:
        color: Red, green, blue and perhaps alpha, each from 0 to 255; or `#rrggbb`, or one of the
            common names of CSS, such as `tomato`. White by default.
        object: The object that it belongs to, or its id; 0 for the world.
        channel: A name, such as `ai`, by which drawings are shown and recorded, or not.
        latch: A name under which the drawing stays until it is drawn again. Without one it is shown
            in its own frame only.
        stacklevel: How far up the call is whose line is kept, as in `logging`: 1 is the one that
            draws, 2 the one of the function that it is in.

    Raises:
        RecordingError: strict, and numbers make no sense, or the object is unknown. Else such a
            call is counted in `status.calls_refused`, and logged once.
    """

    def __init__(self, put: Put, refuse: Refuse) -> None:
        self._put, self._refuse = put, refuse

    def line(
        self, start: Vector, end: Vector, *, color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw a straight line between two points of the world."""
        try:
            code = _getframe(stacklevel)
            self._put(
                _LINE, object, channel, latch,
                start if len(start) == 3 else point_in_3d(start, "start"),
                NOT_TURNED, code.f_code.co_filename, code.f_lineno, color,
                end if len(end) == 3 else point_in_3d(end, "end"), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", _blamed(error, start=start, end=end))

    def lines(
        self, segments: Any, *, color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw many lines of one colour.

        Args:
            segments: An array of the shape (n, 2, 3), or (n, 2, 2) in two dimensions.
        """
        try:
            points, code = _points(segments, (2, 3), "segments"), _getframe(stacklevel)
            self._put(
                _LINES, object, channel, latch, _first(points), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (), points.tobytes(),
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def sphere(
        self, center: Vector, radius: float, *, color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw a sphere round a point."""
        try:
            code = _getframe(stacklevel)
            self._put(
                _SPHERE, object, channel, latch,
                center if len(center) == 3 else point_in_3d(center, "center"), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (radius,), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", _blamed(error, center=center, radius=radius))

    def box(
        self, center: Vector, size: Vector, *, angles: Vector = NOT_TURNED,
        color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw a cuboid round a point.

        Args:
            center: The point.
            size: The lengths of its edges. With two lengths it is a rectangle.
            angles: How it is turned, three angles in radians.
        """
        try:
            code = _getframe(stacklevel)
            self._put(
                _BOX, object, channel, latch,
                center if len(center) == 3 else point_in_3d(center, "center"), angles,
                code.f_code.co_filename, code.f_lineno, color,
                size if len(size) == 3 else point_in_3d(size, "size"), b"",
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", _blamed(error, center=center, size=size, angles=angles))

    def polygon(
        self, points: Sequence[Vector], *, color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw a closed, flat outline of three points or more."""
        try:
            corners, code = _points(points, (3,), "points"), _getframe(stacklevel)
            if len(corners) < 3:
                raise RecordingError(f"points: a polygon has three or more, not {len(corners)}")
            self._put(
                _POLYGON, object, channel, latch, _first(corners), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (), corners.tobytes(),
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", error)

    def text(
        self, position: Vector, text: str | Enum, *, color: Color = WHITE, object: ObjectOrId = 0,
        channel: str | None = None, latch: str | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Draw a text at a point; it faces the camera."""
        try:
            code, written = (
                _getframe(stacklevel),
                text_or_name(text).encode("utf-8", errors="replace"),
            )
            self._put(
                _TEXT, object, channel, latch,
                position if len(position) == 3 else point_in_3d(position, "position"), NOT_TURNED,
                code.f_code.co_filename, code.f_lineno, color, (), written,
            )  # fmt: skip
        except Exception as error:
            self._refuse("draw", _blamed(error, position=position))


def emit_by(emit: Callable[[Drawing], object]) -> Put:
    """Takes drawings as `Draw` gives them, and emits each as a statement."""

    def put(
        type: PacketType, object: ObjectOrId, channel: str | None, latch: str | None,
        position: Vector, angles: Vector, file: str, line: int, color: Sequence[int],
        numbers: Sequence[float], tail: bytes,
    ) -> None:  # fmt: skip
        emit(drawing_of(
            Shape(type, position, angles, numbers, tail), color,
            object=object, channel=channel, latch=latch, file=file, line=line,
        ))  # fmt: skip

    return put


def _blamed(error: Exception, **parts: Any) -> Exception:
    """What is wrong with a drawing: the part of it that is no numbers, if the error names none.

    It is asked only now, since a drawing that is right is not looked at.
    """
    if isinstance(error, RecordingError):
        return error
    try:
        for name, part in parts.items():
            if name == "radius":
                number(part, name)
            else:
                vector(part if name == "angles" else point_in_3d(part, name), name)
    except RecordingError as found:
        return found
    return error


def _points(points: Any, shape: tuple[int, ...], name: str) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        with np.errstate(over="ignore"):  # too far away is infinitely far away
            array = np.ascontiguousarray(points, dtype="<f4")
    except (TypeError, ValueError) as error:
        raise RecordingError(f"{name} are no numbers: {error}") from None
    if array.shape[1:] == (*shape[:-1], 2):
        array = np.concatenate((array, np.zeros((*array.shape[:-1], 1), "<f4")), axis=-1)
    if array.shape[1:] != shape:
        expected = ", ".join(str(n) for n in ("n", *shape))
        raise RecordingError(
            f"{name} have the shape {array.shape}, not ({expected}), or with 2 instead of 3"
        )
    return array


def _first(points: np.ndarray[Any, np.dtype[Any]]) -> Sequence[float]:
    flat = points.reshape(-1, 3)
    return tuple(flat[0].tolist()) if len(flat) else NOT_TURNED
