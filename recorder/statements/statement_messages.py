"""Statements of games, agents and tools: one struct for each kind.

The same struct is what a program makes, what waits for a frame, and what travels: over the bus it
is sent as its MessagePack or JSON, a ring and a clip hold it as `statement_kinds` packs it.
"""

from typing import Any, TypeAlias

import msgspec

from .strict_statement_structs import (
    AnimationField,
    IdField,
    LineField,
    MakerField,
    NodeField,
    StateField,
    TreeField,
)

Vector3: TypeAlias = tuple[float, float, float]

TAGS = {
    "TransitionStatement": "trace_state",
    "TreeTickStatement": "trace_tree",
    "AnimationStatement": "trace_animation",
    "TreeDefinition": "define_tree",
    "AgentDecision": "trace_decision",
    "WatchedValue": "watch",
    "LogEntry": "log",
    "SetMark": "mark",
    "Drawing": "draw",
    "ObjectName": "name",
    "ObjectFact": "fact",
    "Despawn": "despawn",
    "Input": "input",
    "Phase": "phase",
    "GameEvent": "event",
    "Picture": "picture",
}
"""What each kind is called on the wire, in its key `do`."""


class StatementStruct(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="do",
    tag=lambda name: TAGS.get(name, name), forbid_unknown_fields=True,
):  # fmt: skip
    """What all kinds share. A misspelt key is refused by its name."""


class PlacedStatement(StatementStruct, frozen=True, kw_only=True):
    """A statement about an instant; without one it is about the frame that is being recorded."""

    time: float | None = None
    """Timeline time, seconds."""
    game_time: float | None = None
    """Or the game's own clock, seconds, since it last started over."""


class TransitionStatement(PlacedStatement, frozen=True):
    """A machine of an agent went from one state to another."""

    agent: IdField
    trace: StateField


class TreeTickStatement(PlacedStatement, frozen=True):
    """A behaviour tree was ticked."""

    agent: IdField
    trace: TreeField


class AnimationStatement(PlacedStatement, frozen=True):
    """An animation tree was blended."""

    agent: IdField
    trace: AnimationField


class TreeDefinition(StatementStruct, frozen=True):
    """Which nodes an agent's behaviour tree has; true until stated again."""

    agent: IdField
    tree: str
    nodes: tuple[NodeField, ...]


class AgentDecision(StatementStruct, frozen=True):
    """An agent decided, in this frame: on which inputs, and for what."""

    agent: IdField
    decider: str
    """Which of its deciders: a machine, a tree, the rules of a plan."""
    inputs: dict[str, Any]
    """All that the decision depends on: plain values by name."""
    target: str = ""
    won: str = ""
    outcome: dict[str, Any] = {}
    """These as of a `DecisionResult`."""
    maker: MakerField | None = None
    """Which function made it; None if that was recorded before, or is unknown."""


class WatchedValue(StatementStruct, frozen=True):
    """A named number of an object, in this frame."""

    name: str
    value: float
    object: IdField = 0


class LogEntry(PlacedStatement, frozen=True):
    """A line of the log, about `line.object`."""

    line: LineField
    channel: str | None = None


class SetMark(PlacedStatement, frozen=True):
    """A named instant; see `Mark`."""

    name: str
    note: str = ""
    object: IdField = 0
    kind: str = "mark"
    expression: str = ""
    file: str = ""
    line: int = 0


class Drawing(StatementStruct, frozen=True):
    """A debug drawing of this frame, or, under a name, one that stays until drawn again."""

    shape: str
    """`line`, `lines`, `sphere`, `box`, `polygon` or `text`."""
    points: tuple[Vector3, ...]
    """A line's two ends, the ends of many lines in pairs, a polygon's corners; else a position."""
    size: Vector3 = (1.0, 1.0, 1.0)
    """A box's edges; a sphere's radius is the first."""
    angles: Vector3 = (0.0, 0.0, 0.0)
    """The angles of a box, radians."""
    text: str = ""
    color: tuple[int, ...] = (255, 255, 255)
    """Red, green, blue and perhaps alpha, each from 0 to 255."""
    object: IdField = 0
    channel: str | None = None
    latch: str | None = None
    file: str = ""
    line: int = 0


class ObjectName(StatementStruct, frozen=True):
    """What people call an object; true until stated again."""

    object: IdField
    name: str


class ObjectFact(StatementStruct, frozen=True):
    """Anything plain that stays true of an object until it is stated again."""

    object: IdField
    key: str
    value: Any


class Despawn(StatementStruct, frozen=True):
    """An object is gone: what was latched of it ends."""

    object: IdField


class Input(StatementStruct, frozen=True):
    """What came from outside in this frame: of a pad, a keyboard, a network.

    All that are stated in a frame are recorded; of those with one name and object the last counts.
    """

    name: str
    value: Any
    """Plain: a number, a text, a mapping of buttons and sticks, …"""
    object: IdField = 0
    """Whose input it is; 0 for the world's."""


class Phase(StatementStruct, frozen=True):
    """A named range of the run begins, and goes on until the next one; no name ends the last."""

    name: str
    file: str = ""
    line: int = 0


class GameEvent(StatementStruct, frozen=True):
    """Something happened in the game in this frame, such as a hit or a door that opened.

    All that are stated in a frame count, in order, also several of one name and object.
    """

    name: str
    value: Any = None
    """Plain: a number, a text, a mapping, …; None if there is no value."""
    object: IdField = 0
    """The object that it happened to, or that did it; 0 for the world."""


class Picture(PlacedStatement, frozen=True):
    """A compressed picture of the game's screen in this frame, or at the instant that it names.

    Of those that are stated in a frame with one name the last counts.
    """

    data: bytes
    """A whole file of its format; see `pictures.checked_picture`."""
    format: str = "jpeg"
    """`jpeg`, `png` or `webp`."""
    width: int = 0
    """Pixels; 0 if unknown."""
    height: int = 0
    name: str = "screen"
    """Which picture, if a game has several: of each camera one, …"""


Statement: TypeAlias = (
    TransitionStatement
    | TreeTickStatement
    | AnimationStatement
    | TreeDefinition
    | AgentDecision
    | WatchedValue
    | LogEntry
    | SetMark
    | Drawing
    | ObjectName
    | ObjectFact
    | Despawn
    | Input
    | Phase
    | GameEvent
    | Picture
)
