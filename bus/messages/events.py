"""Events: each is sent to the subscribers of its topic."""

from typing import Any

import msgspec

from ...hooks.hook_definition import HookHit, HookState
from ...hooks.object_edits import AppliedEdit
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.packets.log_lines import LogLine
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameRange
from .response_rows import ClipRow, TraceRow


class _EventStruct(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="what"):
    pass


class SpanChanged(_EventStruct, frozen=True, tag="span"):
    """The span of recorded frames has changed; sent a few times a second."""

    span: FrameRange | None


class MarkAdded(_EventStruct, frozen=True, tag="mark"):
    mark: Mark


class CheckFailed(_EventStruct, frozen=True, tag="failed_check"):
    """A recorder assert: the game has paused there and looks at the object. Go there."""

    failed_check: FailedCheck


class TracesRecorded(_EventStruct, frozen=True, tag="trace"):
    """All decisions of a frame."""

    frame: int
    time: float
    traces: list[TraceRow]


class LinesLogged(_EventStruct, frozen=True, tag="log"):
    """All log lines of a frame."""

    frame: int
    time: float
    lines: list[LogLine]


class InputsRecorded(_EventStruct, frozen=True, tag="input"):
    """What came from outside in a frame: of pads, keyboards, networks."""

    frame: int
    time: float
    inputs: list[tuple[int, str, Any]]
    """Object, name and value."""


class PhaseStarted(_EventStruct, frozen=True, tag="phase"):
    """The run is in another phase from a frame on; in none if the name is empty."""

    frame: int
    time: float
    name: str


class EventsRecorded(_EventStruct, frozen=True, tag="event"):
    """What happened in the game in a frame."""

    frame: int
    time: float
    events: list[tuple[int, str, Any]]
    """Object, name and value of each, in order."""


class PictureRecorded(_EventStruct, frozen=True, tag="picture"):
    """There is a picture of the game's screen of this frame; `get_picture` gives the picture.

    So what waits for a slow subscriber stays small.
    """

    frame: int
    time: float
    name: str
    format: str
    """`jpeg`, `png` or `webp`."""
    width: int
    """Pixels; 0 if unknown."""
    height: int


class FramesChanged(_EventStruct, frozen=True, tag="changed"):
    """These older frames have got traces, lines or marks that came late: read them again."""

    frames: list[int]


class ClipFinished(_EventStruct, frozen=True, tag="clip"):
    """A clip was saved, or could not be."""

    clip: ClipRow


class ToolsChanged(_EventStruct, frozen=True, tag="tools"):
    tools: tuple[str, ...]


class HooksChanged(_EventStruct, frozen=True, tag="hooks"):
    """Hooks were set, changed or removed, or the paused game was edited."""

    hooks: list[HookState]
    edits: list[AppliedEdit]


class HookActed(_EventStruct, frozen=True, tag="hook_acted"):
    """A break has paused the game, or will at the end of this frame. Go there."""

    hit: HookHit


class ValuePublished(_EventStruct, frozen=True, tag="published"):
    """What the game has published under a name; only the newest of each name counts.

    Of a name, the one with the highest sequence number is the newest: it may be repeated.
    """

    name: str
    body: Any
    """Plain, as `Call.argument`."""
    time: float = 0.0
    """Timeline seconds of the frame."""
    frame: int = 0
    """The newest frame that was finished when it was published; 0 before the first."""
    connection: int = 0
    """Which of the games that connected to the gateway sent it, from 1; 0 for a game that
    records itself."""
