"""The layouts of playhead's own packets, which a recording describes itself.

`PACKETS` has them all. The recorder latches each as its type's fact. A clip also has them in its
schemas, and `docs/clip-format.md` describes them.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...reading.late_statement_index import LateIndex
from ...world_adapter import Conventions
from ..log_lines import LogLine
from ..mark import Mark
from ..named_phases import PhaseStart
from ..packet_types import FIRST_OBJECT, Kind, PacketType
from ..picture_index import PictureIndex
from ..recording_losses import RecordedLoss
from ..reexecutable_decisions import DecisionMaker, DecisionState, DecisionTrace
from ..skeleton_definition import Skeleton
from ..trace_types import AnimationFrame, Scalar, StateTransition, TreeNode, TreeTick
from ..tree_tick_packets import TreeChange, TreeState
from .layout import Field, Layout
from .messagepack_schema import StructType, type_text


class PacketLayout(msgspec.Struct, frozen=True, omit_defaults=True):
    """The description of a packet type in a recording: the fact of the kind `TYPE`."""

    name: str
    layout: Layout
    channels: tuple[str, ...]
    latched: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """Fields that a latched one has in front of its layout's."""
    value: str = ""
    """What the MessagePack in its tail is (see `value_types`); empty: anything."""
    values: Mapping[int, str] = {}
    """The same of what holds different things: by the kind that it is latched as."""
    structs: Mapping[str, StructType] = {}
    """The structs that are named there."""


class WorldFact(msgspec.Struct, frozen=True):
    """The description of the world in a recording: the fact of the kind `WORLD`."""

    conventions: Conventions
    about: Mapping[str, Scalar]


class EpochFact(msgspec.Struct, frozen=True):
    """The fact of the kind `EPOCH`."""

    epoch: int
    offset: float
    """What timeline time is ahead of game time, seconds."""


FACTS: dict[Kind, Any] = {
    Kind.TYPE: Any,  # a `PacketLayout`, which a reader knows before it can read this one
    Kind.STRING: str,
    Kind.CHANNEL: str,
    Kind.RECORDED: list[str],
    Kind.WORLD: WorldFact,
    Kind.EPOCH: EpochFact,
    Kind.NAME: str,
    Kind.TREE: tuple[TreeNode, ...],
    Kind.SKELETON: Skeleton,
    Kind.FACT: Any,
    Kind.LATE: LateIndex,
    Kind.LOSS: RecordedLoss,
    Kind.DECISION_MAKER: DecisionMaker,
    Kind.PICTURE: PictureIndex,
}
"""What is latched with packets of the type `FACT`."""

_TEXT = Field(role="text")
"""The number of a text, which is a fact of the kind `STRING`; 0 is the empty one."""
_SITE = (("color", "<u4", ()), ("file", "<u4", ()), ("line", "<u4", ()))
_SITE_NOTES = {"color": Field(role="rgba"), "file": _TEXT}
_PLACE = (("position", "<f4", (3,)), ("angles", "<f4", (3,)), ("channels", "<u4", ()))
"""The header fields of a drawing's packet, for latched drawings, which have no header."""


def _drawing(
    type: PacketType,
    *fields: tuple[str, str, tuple[int, ...]],
    notes: Mapping[str, Field] | None = None,
    **tail: Any,
) -> PacketLayout:
    layout = Layout((*_SITE, *fields), notes={**_SITE_NOTES, **(notes or {})}, **tail)
    return PacketLayout(_name(type), layout, (), _PLACE)


def _message(type: PacketType, value: Any, name: str) -> PacketLayout:
    structs: dict[str, StructType] = {}
    text = type_text(value, structs)
    return PacketLayout(_name(type), _tail(name), (), value=text, structs=structs)


def _named_value(type: PacketType) -> PacketLayout:
    layout = Layout(
        (("name", "<u4", ()),), notes={"name": _TEXT}, tail="msgpack", tail_name="value"
    )
    return PacketLayout(_name(type), layout, ())


def _picture(type: PacketType, *fields: tuple[str, str, tuple[int, ...]]) -> PacketLayout:
    layout = Layout(
        (*fields, ("name", "<u4", ()), ("width", "<u2", ()), ("height", "<u2", ()),
         ("format", "|S4", ())),
        notes={"name": _TEXT}, tail="|u1", tail_name="data",
    )  # fmt: skip
    return PacketLayout(_name(type), layout, ())


def _facts() -> PacketLayout:
    structs: dict[str, StructType] = {}
    values = {int(kind): type_text(value, structs) for kind, value in FACTS.items()}
    name = _name(PacketType.FACT)
    return PacketLayout(name, _tail("value"), (), values=values, structs=structs)


def _tail(name: str) -> Layout:
    return Layout(tail="msgpack", tail_name=name)


def _name(type: PacketType) -> str:
    return f".{type.name.lower()}"


PACKETS: dict[int, PacketLayout] = {
    PacketType.LINE: _drawing(
        PacketType.LINE, ("end", "<f4", (3,)), notes={"end": Field("m", "position")}
    ),
    PacketType.LINES: _drawing(
        PacketType.LINES, tail="<f4", tail_shape=(2, 3), tail_name="segments"
    ),
    PacketType.SPHERE: _drawing(
        PacketType.SPHERE, ("radius", "<f4", ()), notes={"radius": Field("m")}
    ),
    PacketType.BOX: _drawing(PacketType.BOX, ("size", "<f4", (3,)), notes={"size": Field("m")}),
    PacketType.POLYGON: _drawing(
        PacketType.POLYGON, tail="<f4", tail_shape=(3,), tail_name="points"
    ),
    PacketType.TEXT: _drawing(PacketType.TEXT, tail="utf8", tail_name="text"),
    PacketType.WATCH: PacketLayout(
        _name(PacketType.WATCH),
        Layout(
            (("name", "<u4", ()), ("reserved", "<u4", ()), ("value", "<f8", ())),
            notes={"name": _TEXT},
        ),
        (),
    ),
    PacketType.LOG: _message(PacketType.LOG, LogLine, "line"),
    PacketType.STATE: _message(PacketType.STATE, StateTransition, "trace"),
    PacketType.TREE: _message(PacketType.TREE, TreeTick, "trace"),
    PacketType.ANIMATION: _message(PacketType.ANIMATION, AnimationFrame, "trace"),
    PacketType.MARK: _message(PacketType.MARK, Mark, "mark"),
    PacketType.FACT: _facts(),
    PacketType.INPUT: _named_value(PacketType.INPUT),
    PacketType.PHASE: _message(PacketType.PHASE, PhaseStart, "phase"),
    PacketType.EVENT: _named_value(PacketType.EVENT),
    PacketType.PICTURE: _picture(PacketType.PICTURE),
    PacketType.LATE_PICTURE: _picture(PacketType.LATE_PICTURE, ("frame", "<u8", ())),
    PacketType.TREE_STATE: _message(PacketType.TREE_STATE, TreeState, "state"),
    PacketType.TREE_CHANGE: _message(PacketType.TREE_CHANGE, TreeChange, "tick"),
    PacketType.DECISION: _message(PacketType.DECISION, DecisionTrace, "decision"),
    PacketType.DECISION_STATE: _message(PacketType.DECISION_STATE, DecisionState, "inputs"),
    PacketType.TOMBSTONE: PacketLayout(_name(PacketType.TOMBSTONE), Layout(), ()),
}
"""Keyed by the type's number. The name of an entry begins with a dot: so it is no game's type."""

LAYOUTS_ROOM = 256 << 10
"""Bytes of the latch area from which on a ring holds all of this, of which it takes 12 KB. Of a
smaller ring a reader has to know it: playhead does, and so does every clip of one."""


def is_unknown(type: int) -> bool:
    """Whether packets of this type are no game object's, and only a newer version knows them."""
    return type < FIRST_OBJECT and type not in PACKETS
