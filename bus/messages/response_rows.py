"""Rows that answers and events of the bus list: one struct for each kind."""

from typing import Any

import msgspec

from ...recorder.packets.trace_types import AnimationFrame, AnyTrace, StateTransition, TreeTick
from .message import Vector


class ObjectRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object as it was recorded."""

    id: int
    type: str
    position: Vector
    angles: Vector
    values: dict[str, Any]
    """The fields of its payload, by name."""
    name: str = ""
    targetable: bool = True
    visible: bool = True
    damaged: bool = False


class TraceRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision of an agent: exactly one of the three is there."""

    agent: int
    state: StateTransition | None = None
    tree: TreeTick | None = None
    animation: AnimationFrame | None = None

    @classmethod
    def of(cls, agent: int, trace: AnyTrace) -> "TraceRow":
        match trace:
            case StateTransition():
                return cls(agent, state=trace)
            case TreeTick():
                return cls(agent, tree=trace)
            case AnimationFrame():
                return cls(agent, animation=trace)


class TypeRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """How packets of one type are to be read."""

    number: int
    name: str
    size: int
    """Bytes of the fields, without the tail."""
    fields: list[tuple[str, str, tuple[int, ...], int]]
    """Name, numpy format, shape, and offset in the payload."""
    tail: str = ""
    tail_shape: tuple[int, ...] = ()
    tail_name: str = ""
    space: str = ""
    units: dict[str, str] = {}
    roles: dict[str, str] = {}


class ClipRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clip that is being saved, or was."""

    name: str
    """The trigger's; `save` if it was asked for by path."""
    path: str = ""
    """The file on the game's machine; a trigger's is known when it is done."""
    done: bool = False
    frames: int = 0
    bytes: int = 0
    gaps: list[tuple[int, int, str]] = []
    """Stretches between its ends that it does not have: first and last frame, and why."""
    lost: int = 0
    """Frames of the clip that could not be copied in time."""
    error: str = ""
    """Why there is no file."""


class StandInRow(msgspec.Struct, frozen=True):
    """What to show in the place of a recorded object that is gone."""

    id: int
    type: str
    position: Vector
    angles: Vector
    visible: bool


class BusStatus(msgspec.Struct, frozen=True):
    """How the bus is doing."""

    endpoint: str
    tools: tuple[str, ...]
    """The connected tools."""
    requests: int = 0
    answers: int = 0
    malformed: int = 0
    """Messages that were none of the protocol's."""
    busy: int = 0
    """Commands that the game did not take up in time."""
    events: int = 0
    times: int = 0
    events_dropped: int = 0
    """How often a subscriber's queue was full and it began to lose events, and how many events
    the gateway could not express in JSON."""
    times_dropped: int = 0
    published: int = 0
    published_dropped: int = 0
    answers_lost: int = 0
    """Answers to tools that were gone, or never read theirs."""
    skipped_frames: int = 0
    """Frames that were evicted before their events could be sent."""
    games_refused: int = 0
    frames_refused: int = 0
    """Frames from games in other languages that were damaged."""
    frames_dropped: int = 0
    """Frames that they sent while playback was on, and that were not the newest then."""
    faults: int = 0
    """What failed within the service itself, and cost one thing, not the service."""
    newest_fault: str = ""
