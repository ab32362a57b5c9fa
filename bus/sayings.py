"""What tools and games in other processes say, to be recorded."""

from typing import Any

from .message import AskStruct, Vector
from .wire_rows import AnimationRow, LogRow, NodeRow, StateRow, TreeRow


class _Placed(AskStruct, frozen=True, kw_only=True):
    """Something said about an instant. Without a time it is about the frame being recorded."""

    time: float | None = None
    """Timeline time, seconds."""
    game_time: float | None = None
    """Or the game's own clock, seconds, since it last started over."""


class SayState(_Placed, frozen=True, tag="trace_state"):
    """A machine of an agent went from one state to another."""

    agent: int
    trace: StateRow


class SayTree(_Placed, frozen=True, tag="trace_tree"):
    """A behaviour tree was ticked."""

    agent: int
    trace: TreeRow


class SayAnimation(_Placed, frozen=True, tag="trace_animation"):
    """An animation tree was blended."""

    agent: int
    trace: AnimationRow


class SayLog(_Placed, frozen=True, tag="log"):
    """A line of the log."""

    line: LogRow
    channel: str | None = None


class SayMark(_Placed, frozen=True, tag="mark"):
    """A named instant."""

    name: str
    note: str = ""
    object: int = 0


class SayViolation(_Placed, frozen=True, tag="check_failed"):
    """A check has failed: the game pauses there and every tool is told."""

    message: str
    object: int = 0
    expression: str = ""
    file: str = ""
    line: int = 0


class SayWatch(AskStruct, frozen=True, tag="watch"):
    """A named number of an object."""

    name: str
    value: float
    object: int = 0


class SayName(AskStruct, frozen=True, tag="name"):
    """What people call an object."""

    object: int
    name: str


class SayFact(AskStruct, frozen=True, tag="fact"):
    """Anything plain that stays true of an object until said again."""

    object: int
    key: str
    value: Any


class SayNodes(AskStruct, frozen=True, tag="define_tree"):
    """Which nodes an agent's behaviour tree has."""

    agent: int
    tree: str
    nodes: tuple[NodeRow, ...]


class SayDraw(AskStruct, frozen=True, tag="draw"):
    """A debug drawing of this frame, or, under a name, one that stays until drawn again."""

    shape: str
    """`line`, `lines`, `sphere`, `box`, `polygon` or `text`."""
    points: tuple[Vector, ...]
    """A line's two ends, the ends of many lines in pairs, a polygon's corners; else the place."""
    size: Vector = (1.0, 1.0, 1.0)
    """A box's edges; a sphere's radius is the first."""
    angles: Vector = (0.0, 0.0, 0.0)
    text: str = ""
    color: tuple[int, int, int] = (255, 255, 255)
    object: int = 0
    channel: str | None = None
    latch: str | None = None


class SayDespawn(AskStruct, frozen=True, tag="despawn"):
    """An object is gone."""

    object: int
