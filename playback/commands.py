"""The closed set of commands that move time; keyboard, bus, tests and scripts all send these.

On the wire a command is a map whose key `do` names it: `{"do": "step", "frames": -1}`.
"""

import math
import operator
import re
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, get_args

import msgspec

from ..errors import CommandError
from ..recorder.objects.object_ids import ObjectOrId

RATES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The speeds that the controls offer, forward and in reverse; any other in bounds is accepted."""
SLOWEST = 0.01
FASTEST = 100.0
"""Bounds of a rate either way: slower looks like a pause, faster like a seek."""
LARGEST_ID = 2**63 - 1
MOST_STEPS = 100_000
"""Steps that the game can be advanced by at once: a slip of the finger is not an hour of game."""


def _tag(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag=_tag):
    pass


class Enter(_Command, frozen=True):
    """Enter playback, paused at the newest frame or at `time`. In playback already: only seek."""

    time: float | None = None
    """Timeline time in seconds."""


class Leave(_Command, frozen=True):
    """Leave playback: the newest frame is put back and the game runs on."""


class Play(_Command, frozen=True):
    """Play at the recorded rate times `rate`; below zero in reverse."""

    rate: float = 1.0
    restart: bool = False
    """If it is at the end that it would play towards, begin at the other end."""


class Pause(_Command, frozen=True):
    """Stand still at the frame that is shown."""


class Step(_Command, frozen=True):
    """Move by whole frames, below zero to older ones, and pause there."""

    frames: int


class SeekTime(_Command, frozen=True):
    """Go to the newest frame at or before `time`. Playing goes on from there."""

    time: float
    """Timeline time in seconds."""


class SeekFrame(_Command, frozen=True):
    """Go to the frame with this number. Playing goes on from there."""

    frame: int


class SeekMark(_Command, frozen=True):
    """Go to the frame of a mark. Playing goes on from there."""

    name: str


class Loop(_Command, frozen=True):
    """Play round and round between two instants, seconds of timeline time."""

    start: float
    end: float


class LoopOff(_Command, frozen=True):
    """Play to the ends again."""


class Advance(_Command, frozen=True):
    """Run the game for `steps` steps from its newest frame, and pause at the newest then.

    The one command that runs the game in playback. It is refused anywhere but at the newest frame.
    """

    steps: int = 1


class Focus(_Command, frozen=True):
    """Show only this object's debug drawings; 0 for everybody's. Moves no time.

    A session takes the object itself as well; a client on the bus knows its id only.
    """

    object: int

    if TYPE_CHECKING:

        def __init__(self, object: ObjectOrId) -> None: ...


class Show(_Command, frozen=True):
    """Show or hide a channel's debug drawings. Moves no time, changes no recording."""

    channel: str
    on: bool


Command: TypeAlias = (
    Enter
    | Leave
    | Play
    | Pause
    | Step
    | SeekTime
    | SeekFrame
    | SeekMark
    | Loop
    | LoopOff
    | Advance
    | Focus
    | Show
)
"""Any of them: what a decoder of messages is given as its type."""

_KINDS: tuple[type[_Command], ...] = get_args(Command)
_BY_TAG: dict[str, Any] = {_tag(kind.__name__): kind for kind in _KINDS}


def is_command(thing: object) -> TypeGuard[Command]:
    """Whether something is one of the commands."""
    return isinstance(thing, _Command)


def command_of(values: object) -> Command:
    """The command of a map as on the wire, its values as they are: `validated` checks them.

    Raises:
        ValueError: it is no map that names a command.
        TypeError: it lacks a field, or has one of another name.
    """
    fields = dict(values) if isinstance(values, dict) else {}
    kind = _BY_TAG.get(str(fields.pop("do", "")))
    if kind is None:
        raise ValueError(
            f"{values!r:.80} is no command: give a map whose `do` is one of {', '.join(_BY_TAG)}"
        )
    command: Command = kind(**fields)
    return command


def enters(command: Command) -> bool:
    """Whether this command, given while the game is live, enters playback.

    All that move to a frame do. A game in mid-frame finishes the frame before it applies one.
    """
    return not isinstance(command, Leave | Loop | LoopOff | Advance | Focus | Show)


def validated(command: Command) -> Command:
    """The same command with its numbers checked, as plain ints and floats.

    Raises:
        CommandError: it is no command, or a value makes no sense; names the field and the value.
    """
    match command:
        case Enter(time=None) | Leave() | Pause() | LoopOff():
            return command
        case Enter() | SeekTime():
            return type(command)(_number(command, "time"))
        case Play():
            rate = _number(command, "rate")
            if not SLOWEST <= abs(rate) <= FASTEST:
                raise _wrong(command, "rate", f"a speed from {SLOWEST} to {FASTEST:g}, or minus it")
            return Play(rate, _flag(command, "restart"))
        case Step():
            frames = _bounded(command, "frames")
            if not frames:
                raise _wrong(command, "frames", "how many frames to move, not 0")
            return Step(frames)
        case SeekFrame():
            return SeekFrame(_bounded(command, "frame"))
        case SeekMark():
            return SeekMark(_name(command, "name"))
        case Loop():
            start, end = _number(command, "start"), _number(command, "end")
            if not start < end:
                raise _wrong(command, "end", f"a time after start, which is {start!r}")
            return Loop(start, end)
        case Advance():
            steps = _integer(command, "steps")
            if not 1 <= steps <= MOST_STEPS:
                raise _wrong(command, "steps", f"how many steps to run, from 1 to {MOST_STEPS:,}")
            return Advance(steps)
        case Focus():
            object_id = _integer(command, "object")
            if not 0 <= object_id <= LARGEST_ID:
                raise _wrong(command, "object", f"an object's id up to {LARGEST_ID}, or 0 for all")
            return Focus(object_id)
        case Show():
            return Show(_name(command, "channel"), _flag(command, "on"))
    known = ", ".join(_tag(kind.__name__) for kind in _KINDS)
    raise CommandError(f"{command!r} is no command; the commands are {known}")


def _wrong(command: _Command, field: str, expected: str) -> CommandError:
    try:
        text = f"{getattr(command, field)!r:.80}"
    except ValueError:  # Python writes no number of thousands of digits
        text = "a number of thousands of digits"
    return CommandError(f"{_tag(type(command).__name__)}: {field} is {text}; give {expected}")


def _number(command: _Command, field: str) -> float:
    value = getattr(command, field)
    expected = "a finite number"
    if isinstance(command, SeekTime) and isinstance(value, str):
        expected = (
            "seconds, a number; seek(frame=20) goes to a frame, and seek(mark='name') to a mark"
        )
    if isinstance(value, bool | str | bytes):
        raise _wrong(command, field, expected)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(command, field, expected) from None
    if not math.isfinite(number):
        raise _wrong(command, field, expected)
    return number


def _integer(command: _Command, field: str) -> int:
    value = getattr(command, field)
    expected = "a whole number"
    if isinstance(value, bool):
        raise _wrong(command, field, expected)
    try:
        return operator.index(value)
    except TypeError:
        raise _wrong(command, field, expected) from None


def _bounded(command: _Command, field: str) -> int:
    """A whole number of frames; beyond what any message holds lies no frame, so it is cut there."""
    return min(max(_integer(command, field), -LARGEST_ID), LARGEST_ID)


def _name(command: _Command, field: str) -> str:
    value = getattr(command, field)
    if not isinstance(value, str) or not value:
        raise _wrong(command, field, "a name")
    return value


def _flag(command: _Command, field: str) -> bool:
    value = getattr(command, field)
    if not isinstance(value, bool):
        raise _wrong(command, field, "true or false")
    return value
