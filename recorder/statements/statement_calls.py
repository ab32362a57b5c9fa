"""The calls that make statements, written once over `emit`, for recorders, clients and agents."""

from abc import ABC, abstractmethod
from enum import Enum
from sys import _getframe
from typing import Any

from ..objects.object_ids import ObjectOrId
from ..packets.log_lines import LEVELS, LogLine, checked_level, level_of
from ..text.enum_names import plain_of, text_of, text_or_name
from ..text.method_names_in_errors import named_by_method
from .decision_trace_calls import DecisionTracer
from .draw_calls import Draw, emit_by
from .statement_checks import not_a_number
from .statement_messages import (
    AgentDecision,
    AnimationStatement,
    Despawn,
    Drawing,
    GameEvent,
    Input,
    LogEntry,
    ObjectFact,
    ObjectName,
    Phase,
    Picture,
    SetMark,
    Statement,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)

CAUSES: dict[type, str] = {
    TransitionStatement: "trace",
    TreeTickStatement: "trace",
    AnimationStatement: "trace",
    TreeDefinition: "trace",
    AgentDecision: "trace",
    WatchedValue: "watch",
    LogEntry: "log",
    SetMark: "mark",
    Drawing: "draw",
    ObjectName: "name",
    ObjectFact: "fact",
    Despawn: "despawn",
    Input: "input",
    Phase: "phase",
    GameEvent: "event",
    Picture: "picture",
}
"""The call by which refused statements of each kind are counted."""


CALLS = (
    "emit", "watch", "log", "name", "fact", "mark", "input", "phase", "event", "picture", "despawn",
)  # fmt: skip
"""The calls of an `Emitter` that state something, beside those of `draw` and `trace`."""


@named_by_method
class Emitter(ABC):
    """Takes statements of every kind. Wrong ones end nothing: a recorder counts them, or raises if
    it is strict, a client collects why, and who keeps nothing does not look.
    """

    draw: Draw
    """Calls that draw debug shapes: lines, spheres, boxes, texts."""
    trace: DecisionTracer
    """Calls that record decisions of agents."""

    def _make_calls(self) -> None:
        """Make `draw` and `trace`."""
        self.draw = Draw(emit_by(self._emit), self._refuse)
        self.trace = DecisionTracer(self._emit, self._refuse)

    def emit(self, statement: Statement) -> None:
        """Take a statement of any kind; the other calls make one each."""
        try:
            if isinstance(statement, LogEntry):
                checked_level(statement.line.level)
            self._emit(statement)
        except Exception as error:
            self._refuse(CAUSES.get(statement.__class__, "emit"), error)

    @abstractmethod
    def _emit(self, statement: Statement) -> object:
        """Take a statement; raises what is wrong with it."""

    @abstractmethod
    def _refuse(self, cause: str, error: Exception) -> None:
        """A statement is wrong: raise that, or count it."""

    def watch(self, name: str, value: float, object: ObjectOrId = 0) -> None:
        """Record a named number, of an object or of the world, in this frame.

        It is a graph in the viewer. Any thread may call it.

        Args:
            name: What is watched, such as `speed`.
            value: A number, or anything that `float` takes, such as a member of an `IntEnum`. For
                a state use `trace.state`.
            object: The object it is about, or its id; 0 for the world.

        Raises:
            RecordingError: strict, and the value is no number, or the object is unknown. Else such
                a call is counted in `status.calls_refused`, and logged once.
        """
        try:
            self._emit(WatchedValue(name, _number(name, value), object))
        except Exception as error:
            self._refuse("watch", error)

    def log(
        self, text: str | Enum, *, level: str | int = "info", object: ObjectOrId = 0,
        channel: str | None = None, time: float | None = None, game_time: float | None = None,
        stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Write a line into the log of the recording, in this frame. Any thread may call it.

        Args:
            text: The line. The file and line number of the call are recorded with it.
            level: `debug`, `info`, `warning` or `error`. The other names and the numbers of
                `logging` are taken for the nearest of these: `warn`, `WARNING` and 30 for
                `warning`, `critical` for `error`.
            object: The object it is about, or its id; 0 for the world.
            channel: With it the line is recorded only while that channel is.
            time: The instant that it is about, if that is another one: timeline seconds.
            game_time: Or seconds of the game's own clock since it last started over.
            stacklevel: How far up the call is whose line is kept; 1 is this one's.

        Raises:
            RecordingError: strict, and the level or the object is unknown; see `watch`.
        """
        try:
            code = _getframe(stacklevel)
            about: Any = object  # an object's id is looked up where the statement is written
            line = LogLine(
                text if text.__class__ is str else text_or_name(text),
                level if level in LEVELS else level_of(level),
                code.f_code.co_filename, code.f_lineno, about,
            )  # fmt: skip
            self._emit(LogEntry(line, channel, time=time, game_time=game_time))
        except Exception as error:
            self._refuse("log", error)

    def name(self, object: ObjectOrId, name: str) -> None:
        """Name an object, such as `Guard 7`: the name holds until the next one.

        Raises:
            RecordingError: strict, and the name is no text, or the object is unknown.
        """
        try:
            self._emit(ObjectName(object, text_of(name)))
        except Exception as error:
            self._refuse("name", error)

    def fact(self, object: ObjectOrId, key: str, value: Any) -> None:
        """Record a fact of an object, or of the world (0): it holds until its next value.

        Args:
            object: The object, or its id.
            key: What it is about, such as `team`.
            value: Plain data: numbers, texts, lists, dicts, None. Of a member of an enum the name
                is recorded.

        Raises:
            RecordingError: strict, and the value is not plain, or the object is unknown.
        """
        try:
            self._emit(ObjectFact(object, key, plain_of(value)))
        except Exception as error:
            self._refuse("fact", error)

    def mark(
        self, name: str | Enum, note: str = "", *, object: ObjectOrId = 0,
        time: float | None = None, game_time: float | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Name the frame that is being recorded, to find it again. Any thread may call it.

        Args:
            name: What it is called: `SeekMark(name)` goes there.
            note: More about it.
            object: The object it is about, or its id; 0 for the world.
            time: The instant that it names, if that is another one: timeline seconds.
            game_time: Or seconds of the game's own clock since it last started over.
            stacklevel: As of `log`.

        Raises:
            RecordingError: strict, and `name` or `note` is no text, or the object is unknown.
        """
        try:
            code = _getframe(stacklevel)
            self._emit(SetMark(
                text_of(name), note, object, file=code.f_code.co_filename, line=code.f_lineno,
                time=time, game_time=game_time,
            ))  # fmt: skip
        except Exception as error:
            self._refuse("mark", error)

    def input(self, name: str, value: Any, *, object: ObjectOrId = 0) -> None:
        """Record what came from outside in this frame, such as a pad's buttons and sticks.

        The viewer shows it as lanes of the timeline. Any thread may call it.

        Args:
            name: Which input, such as `pad`.
            value: Plain data: a number, a text, or a mapping such as `{"jump": True, "x": 0.5}`. Of
                a member of an enum the name is recorded.
            object: The object that it steers, or its id; 0 for the world's. Of several values of
                one name and object in a frame the last counts.

        Raises:
            RecordingError: strict, and the value is not plain, or the object is unknown.
        """
        try:
            self._emit(Input(name, plain_of(value), object))
        except Exception as error:
            self._refuse("input", error)

    def phase(self, name: str | Enum, *, stacklevel: int = 1) -> None:
        """Begin a phase of the run in this frame: it goes on until the next one.

        Of several in a frame the last one counts.

        Args:
            name: What it is called, such as `boss fight`; an empty text ends the present one.
            stacklevel: As of `log`.

        Raises:
            RecordingError: strict, and the name is no text.
        """
        try:
            code = _getframe(stacklevel)
            self._emit(Phase(text_of(name), code.f_code.co_filename, code.f_lineno))
        except Exception as error:
            self._refuse("phase", error)

    def event(self, name: str, value: Any = None, *, object: ObjectOrId = 0) -> None:
        """Record that something happened in the game in this frame, such as a hit.

        All events of a frame are kept, in order, also several of one name and object. The viewer
        shows them in the log and as ticks of the timeline. Any thread may call it.

        Args:
            name: What happened, such as `door opened`.
            value: More about it, plain data: a number, a text, a mapping, …
            object: The object that it happened to, or its id; 0 for the world.

        Raises:
            RecordingError: strict, and the value is not plain, or the object is unknown.
        """
        try:
            self._emit(GameEvent(name, value, object))
        except Exception as error:
            self._refuse("event", error)

    def picture(
        self, image: Any, *, format: str = "jpeg", width: int = 0, height: int = 0,
        name: str = "screen",
    ) -> None:  # fmt: skip
        """Record a picture of the game's screen in this frame. Any thread may call it.

        Call it in every frame. Pixels are copied only when a picture is due (`PictureSettings` sets
        how often), and a thread makes them smaller and compresses them. The bytes of a compressed
        file are always recorded, as they are.

        Args:
            image: An array of pixels, H × W × 3, H × W × 4 or H × W, uint8 or floats from 0 to 1; a
                pygame Surface; or a function that returns one of these, and is called only when a
                picture is due. Or the bytes of a JPEG, PNG or WebP file, 1,044,480 at most.
            format: Of bytes: `jpeg`, `png` or `webp`.
            width: Of bytes: the width in pixels; 0 if unknown.
            height: Of bytes: the height in pixels; 0 if unknown.
            name: Which picture, if there are several: of each camera one. Of several pictures of
                one name in a frame the last counts.

        Raises:
            RecordingError: strict, and it is no picture, or the bytes are too many; the function
                raised; or simplejpeg is not installed, which comes with the extra `pictures`.
        """
        try:
            if isinstance(image, bytes | bytearray | memoryview):
                self._emit(Picture(bytes(image), format, width, height, name))
            else:
                self._take_pixels(image, name)
        except Exception as error:
            self._refuse("picture", error)

    @abstractmethod
    def _take_pixels(self, image: Any, name: str) -> None:
        """Take a picture that is not compressed, if one is due; raises what is wrong with it."""

    def despawn(self, object: ObjectOrId) -> None:
        """Record that an object is gone; the world's own objects are noticed without this."""
        try:
            self._emit(Despawn(object))
        except Exception as error:
            self._refuse("despawn", error)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise not_a_number(name, value) from None
