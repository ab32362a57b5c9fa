"""What the service answers: what was done, what is recorded, or why not."""

from typing import Any

import msgspec

from ..playback.playback_state import PlaybackState
from ..recorder.frame import Span
from ..recorder.instrumentation import Scalar
from ..recorder.logs import LogLine
from ..recorder.marks import Mark
from ..recorder.world import Conventions
from .happenings import Told
from .message import PROTOCOL, Time
from .rows import BusStatus, ClipRow, ObjectRow, TraceRow, TypeRow


class _Result(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="is"):
    pass


class Welcome(_Result, frozen=True, tag="welcome"):
    """The answer to `hello`: who you are, where to listen, and how everything stands."""

    origin: str
    """The tool's own name on this bus."""
    protocol: tuple[int, int]
    service: str
    """Names this run of the service: another one is another recording."""
    events: int
    """The port of the events; 0 on the gateway, which sends them on the same connection."""
    times: int
    """The port of `Time`."""
    present: "Present"
    game: dict[str, Scalar] = {}
    """What its makers said of the recording."""
    conventions: Conventions = Conventions()
    told: int = 0
    """The port of the topic `told`; 0 on the gateway, and of services before 1.2."""


class Present(_Result, frozen=True, tag="present"):
    """A snapshot. Events with these sequence numbers, or lower ones, are in it."""

    time: Time
    span: Span | None
    sequences: dict[str, int]
    """By topic: the newest event's."""
    tools: tuple[str, ...] = ()


class Moved(_Result, frozen=True, tag="shown"):
    """A command was carried out: this is what really happened."""

    shown: PlaybackState
    time: int
    """Sequence number of the `Time` that says the same."""


class Done(_Result, frozen=True, tag="done"):
    """It was taken; there is nothing more to say."""


class Failed(_Result, frozen=True, tag="error", omit_defaults=False):
    """It was not done. Nothing has changed."""

    kind: str
    """`version`, `hello`, `malformed`, `busy`, `command`, `evicted`, `damaged`, …"""
    message: str
    protocol: tuple[int, int] = PROTOCOL
    """The service's."""


class FrameBytes(_Result, frozen=True, tag="frame"):
    """A frame by itself, as `docs/ring.md` says."""

    frame: int
    time: float
    delta: float
    epoch: int
    image: bytes


class Objects(_Result, frozen=True, tag="objects"):
    frame: int
    objects: list[ObjectRow]


class Said(_Result, frozen=True, tag="said"):
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


class Types(_Result, frozen=True, tag="types"):
    types: list[TypeRow]
    channels: dict[str, int]
    """Names to bits."""


class Stamps(_Result, frozen=True, tag="stamps"):
    stamps: list[tuple[int, float, float, int, int, int]]
    """Id, time, delta, packets, epoch and flags of each frame."""


class Found(_Result, frozen=True, tag="found"):
    frame: int


class Marks(_Result, frozen=True, tag="marks"):
    marks: list[Mark]


class Latched(_Result, frozen=True, tag="latched"):
    rows: list[tuple[int, int, int, int, int, bytes]]
    """Object, kind, key, frame, type and bytes of what held."""


class Versions(_Result, frozen=True, tag="versions"):
    rows: list[tuple[int, int, bytes | None]]
    """Frame, type and bytes; no bytes where it ended."""


class ClipTold(_Result, frozen=True, tag="clip"):
    clip: ClipRow


class Instructed(_Result, frozen=True, tag="instructed"):
    """The game has done it."""

    result: Any
    """Plain, as `Instruct.body`."""


class NewestTold(_Result, frozen=True, tag="told"):
    told: Told | None
    """Nothing if nothing was published under that name."""
    names: tuple[str, ...] = ()
    """Under which names something was."""


class StatusReport(_Result, frozen=True, tag="status"):
    recorder: dict[str, Any]
    """See `playhead.recorder.status.Status`."""
    bus: BusStatus
