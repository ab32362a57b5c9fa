"""Responses of the service: what was done, what is recorded, or an error."""

from typing import Any

import msgspec

from ...hooks.hook_definition import HookState
from ...hooks.object_edits import AppliedEdit
from ...playback.playback_state import PlaybackState
from ...recorder.packets.log_lines import LogLine
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.statements.instrumentation_interface import Scalar
from ...recorder.world_adapter import Conventions
from .events import ValuePublished
from .message import PROTOCOL, PlayheadTime
from .response_rows import BusStatus, ClipRow, ObjectRow, TraceRow, TypeRow


class _ResponseStruct(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is"):
    pass


class Welcome(_ResponseStruct, frozen=True, tag="welcome"):
    """The answer to `hello`: who you are, where to listen, and the present state."""

    origin: str
    """The tool's own name on this bus."""
    protocol: tuple[int, int]
    service: str
    """Names this run of the service: another one is another recording."""
    events: int
    """The port of the events; 0 on the gateway, which sends them on the same connection."""
    times: int
    """The port of `PlayheadTime`."""
    snapshot: "Snapshot"
    game: dict[str, Scalar] = {}
    """The recording's description: game, build, seed, …"""
    conventions: Conventions = Conventions()
    published: int = 0
    """The port of the topic `published`; 0 on the gateway."""


class Snapshot(_ResponseStruct, frozen=True, tag="snapshot"):
    """A snapshot. Events with these sequence numbers, or lower ones, are in it."""

    time: PlayheadTime
    span: FrameRange | None
    sequences: dict[str, int]
    """The newest event's sequence number, by topic."""
    tools: tuple[str, ...] = ()


class CommandDone(_ResponseStruct, frozen=True, tag="state"):
    """A command was carried out: this is what really happened."""

    state: PlaybackState
    time: int
    """Sequence number of the `PlayheadTime` with the same content."""


class Done(_ResponseStruct, frozen=True, tag="done"):
    """The request was accepted; there is no further result."""


class ErrorResponse(_ResponseStruct, frozen=True, tag="error", omit_defaults=False):
    """It was not done. Nothing has changed."""

    kind: str
    """`version`, `hello`, `malformed`, `busy`, `command`, `evicted`, `damaged`, …"""
    message: str
    protocol: tuple[int, int] = PROTOCOL
    """The version of the protocol that the service speaks."""


class FrameBytes(_ResponseStruct, frozen=True, tag="frame"):
    """A frame by itself, in the layout of `docs/ring.md`."""

    frame: int
    time: float
    delta: float
    epoch: int
    image: bytes


class ObjectList(_ResponseStruct, frozen=True, tag="objects"):
    frame: int
    objects: list[ObjectRow]


class FrameStatements(_ResponseStruct, frozen=True, tag="statements"):
    frame: int
    traces: list[TraceRow]
    log: list[LogLine]
    watches: list[tuple[int, str, float]]
    """Object, name and value."""
    gone: list[int] = []
    """The objects that are gone from this frame on."""
    inputs: list[tuple[int, str, Any]] = []
    """Object, name and value of what came from outside."""
    phase: str = ""
    """The phase that the run is in; empty if in none."""
    events: list[tuple[int, str, Any]] = []
    """Object, name and value of what happened, in order."""


class FoundPicture(_ResponseStruct, frozen=True, tag="picture"):
    """A picture of the game's screen."""

    frame: int
    """The frame that it is of; 0 if there is none, and then all else is empty."""
    name: str = ""
    format: str = ""
    """`jpeg`, `png` or `webp`."""
    width: int = 0
    """Pixels; 0 if unknown."""
    height: int = 0
    data: bytes = b""
    """A whole file of that format."""


class TypeList(_ResponseStruct, frozen=True, tag="types"):
    types: list[TypeRow]
    channels: dict[str, int]
    """Names to bits."""


class FrameHeaders(_ResponseStruct, frozen=True, tag="frame_headers"):
    headers: list[tuple[int, float, float, int, int, int]]
    """Id, time, delta, packets, epoch and flags of each frame."""


class FoundFrame(_ResponseStruct, frozen=True, tag="found"):
    frame: int


class MarkList(_ResponseStruct, frozen=True, tag="marks"):
    marks: list[Mark]


class LatchedValues(_ResponseStruct, frozen=True, tag="latched"):
    rows: list[tuple[int, int, int, int, int, bytes]]
    """Object, kind, key, frame, type and bytes of what held."""


class LatchHistory(_ResponseStruct, frozen=True, tag="latch_history"):
    rows: list[tuple[int, int, bytes | None]]
    """Frame, type and bytes; no bytes where it ended."""


class ClipResponse(_ResponseStruct, frozen=True, tag="clip"):
    clip: ClipRow


class CallResult(_ResponseStruct, frozen=True, tag="result"):
    """What the game answered to a call."""

    result: Any
    """Plain, as `Call.argument`."""


class HookList(_ResponseStruct, frozen=True, tag="hooks"):
    """All hooks and edits, after what was asked for."""

    hooks: list[HookState]
    edits: list[AppliedEdit]
    """The edits of this pause, oldest first; then those that were undone."""
    id: int = 0
    """The hook that was set or changed."""


class NewestPublished(_ResponseStruct, frozen=True, tag="published"):
    published: ValuePublished | None
    """Nothing if nothing was published under that name."""
    names: tuple[str, ...] = ()
    """Under which names something was."""


class StatusReport(_ResponseStruct, frozen=True, tag="status"):
    recorder: dict[str, Any]
    """See `playhead.recorder.recording_status.RecordingStatus`."""
    bus: BusStatus
