"""The encoding of each kind of statement in rings and clips: one table for writers and readers.

The header of a packet has the object, the position and the channels; what a kind packs is the rest.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from ...errors import DamagedError
from ..packets.draw_primitives import PACK, Shape, color_of, drawing_of, packed_color, shape_of
from ..packets.layouts.packet_layouts import PACKETS
from ..packets.layouts.plain_value_codec import decode, encode_plain
from ..packets.layouts.plain_value_codec import encode as checked
from ..packets.log_lines import WATCH, LogLine
from ..packets.mark import Mark
from ..packets.named_phases import PhaseStart
from ..packets.packet_types import Kind, PacketType
from ..packets.picture_validation import LATE, PICTURE, checked_picture
from ..packets.reexecutable_decisions import DecisionTrace
from ..packets.trace_types import AnimationFrame, StateTransition, TreeNode, TreeTick
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
    StatementStruct,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)

Number = Callable[[str], int]
"""The number of a text in this recording."""
Text = Callable[[int], str]
"""The text that has a number."""
Encode = Callable[[Any, Any], bytes]
"""The bytes of a value that is to be read as a type."""


class Placement(NamedTuple):
    """Where a frame puts a statement."""

    belongs_to: int = 0
    """An older frame; 0 for the open one."""
    present: bool = True
    """False for a transition to what is no present state any more."""
    gone: int = 0
    """See `StateTransition.gone`."""


OPEN = Placement()
"""The placement in the frame that is being recorded, about that frame."""


class PackedStatement(NamedTuple):
    """What a reader knows of a statement's packet."""

    payload: bytes
    object: int = 0
    key: str = ""
    """The text it was latched under."""
    position: Sequence[float] = (0.0, 0.0, 0.0)
    angles: Sequence[float] = (0.0, 0.0, 0.0)
    channel: str | None = None
    latch: str | None = None


class StatementKind(NamedTuple):
    """A kind of statement as it is recorded."""

    statement: type[StatementStruct]
    type: PacketType
    latch: Kind | None
    """Under what it stays true; None if it holds for its frame. A drawing may be either."""
    pack: Callable[[Any, Placement, Number, Encode], bytes]
    unpack: Callable[[PackedStatement, Text], Any]


NAMED = struct.Struct("<I")
"""For inputs and events: number of the name's text; the value follows as MessagePack."""
_NODES = tuple[TreeNode, ...]


def _pack_state(
    statement: TransitionStatement, placement: Placement, _: Number, encode: Encode
) -> bytes:
    trace = statement.trace
    if placement is not OPEN or trace.belongs_to or trace.gone:
        trace = msgspec.structs.replace(trace, belongs_to=placement.belongs_to, gone=placement.gone)
    if encode is checked and _is_plain(trace):
        encode = encode_plain
    return encode(trace, StateTransition)


def _is_plain(trace: StateTransition) -> bool:
    """Whether it is seen without a second look that a transition holds texts and no more."""
    return (
        trace.machine.__class__ is trace.source.__class__ is trace.target.__class__
        is trace.won.__class__ is str
        and not (trace.also_true or trace.rejected or trace.values or trace.beliefs)
    )  # fmt: skip


def _pack_tick(
    statement: TreeTickStatement | AnimationStatement,
    placement: Placement,
    _: Number,
    encode: Encode,
) -> bytes:
    trace = statement.trace
    if trace.belongs_to != placement.belongs_to:
        trace = msgspec.structs.replace(trace, belongs_to=placement.belongs_to)
    return encode(trace, TreeTick if isinstance(trace, TreeTick) else AnimationFrame)


def _pack_line(statement: LogEntry, placement: Placement, _: Number, encode: Encode) -> bytes:
    line = statement.line
    if line.object.__class__ is not int or line.object or line.belongs_to != placement.belongs_to:
        line = LogLine(line.text, line.level, line.file, line.line, 0, placement.belongs_to)
    return encode(line, LogLine)


def _pack_watch(statement: WatchedValue, _: Placement, number: Number, __: Encode) -> bytes:
    return WATCH.pack(number(statement.name), 0, statement.value)


def _pack_mark(statement: SetMark, placement: Placement, _: Number, encode: Encode) -> bytes:
    return encode(mark_of(statement, placement.belongs_to), Mark)


def _pack_drawing(statement: Drawing, _: Placement, number: Number, __: Encode) -> bytes:
    shape = shape_of(statement)
    color, file = packed_color(statement.color), number(statement.file)
    return PACK[shape.type](color, file, statement.line, *shape.numbers) + shape.tail


def _pack_named(
    statement: Input | GameEvent, _: Placement, number: Number, encode: Encode
) -> bytes:
    return NAMED.pack(number(statement.name)) + encode(statement.value, Any)


def _pack_decision(statement: AgentDecision, _: Placement, __: Number, encode: Encode) -> bytes:
    trace = DecisionTrace(
        statement.decider, statement.target, statement.won, statement.inputs,
        outcome=statement.outcome,
    )  # fmt: skip
    return encode(trace, DecisionTrace)


def _unpack_decision(packed: PackedStatement, _: Text) -> AgentDecision:
    trace = decode(packed.payload, DecisionTrace)
    return AgentDecision(
        packed.object, trace.decider, trace.inputs, trace.target, trace.won, trace.outcome
    )


def _pack_phase(statement: Phase, _: Placement, __: Number, encode: Encode) -> bytes:
    return encode(PhaseStart(statement.name, statement.file, statement.line), PhaseStart)


def _pack_picture(statement: Picture, _: Placement, number: Number, __: Encode) -> bytes:
    return b"".join(_picture_parts(statement, number))


def _pack_late_picture(
    statement: Picture, placement: Placement, number: Number, _: Encode
) -> bytes:
    parts = _picture_parts(statement, number)
    return b"".join((LATE.pack(placement.belongs_to), *parts))


def _picture_parts(statement: Picture, number: Number) -> tuple[bytes, bytes]:
    checked_picture(statement)
    format = statement.format.encode()
    head = PICTURE.pack(number(statement.name), statement.width, statement.height, format)
    return head, statement.data


def mark_of(statement: SetMark, frame: int = 0) -> Mark:
    """A mark as it is recorded."""
    object: Any = statement.object
    return Mark(
        statement.name,
        frame,
        0.0,
        statement.kind,
        statement.note,
        object,
        statement.expression,
        statement.file,
        statement.line,
    )


def _unpack_watch(packed: PackedStatement, text: Text) -> WatchedValue:
    if len(packed.payload) != WATCH.size:
        raise DamagedError(f"a watched value of {len(packed.payload)} bytes, not {WATCH.size}")
    name, _, value = WATCH.unpack(packed.payload)
    return WatchedValue(text(name), value, packed.object)


def _unpack_line(packed: PackedStatement, _: Text) -> LogEntry:
    line = decode(packed.payload, LogLine)
    return LogEntry(msgspec.structs.replace(line, object=packed.object), packed.channel)


def _unpack_mark(packed: PackedStatement, _: Text) -> SetMark:
    mark = decode(packed.payload, Mark)
    return SetMark(
        mark.name, mark.note, mark.object, mark.kind, mark.expression, mark.file, mark.line
    )


def _unpack_drawing(type: PacketType) -> Callable[[PackedStatement, Text], Drawing]:
    record, layout = struct.Struct("<III"), PACKETS[type].layout

    def unpack(packed: PackedStatement, text: Text) -> Drawing:
        size = layout.sizes.record
        if len(packed.payload) < size:
            raise DamagedError(f"a {type.name.lower()} of {len(packed.payload)} bytes, not {size}")
        color, file, line = record.unpack_from(packed.payload)
        numbers = struct.unpack(
            f"<{(size - record.size) // 4}f", packed.payload[record.size : size]
        )
        shape = Shape(type, packed.position, packed.angles, numbers, packed.payload[size:])
        return drawing_of(
            shape, color_of(color), object=packed.object, channel=packed.channel,
            latch=packed.latch, file=text(file), line=line,
        )  # fmt: skip

    return unpack


def _unpack_input(packed: PackedStatement, text: Text) -> Input:
    name, value = _unpack_named(packed, "an input")
    return Input(text(name), value, packed.object)


def _unpack_event(packed: PackedStatement, text: Text) -> GameEvent:
    name, value = _unpack_named(packed, "an event")
    return GameEvent(text(name), value, packed.object)


def _unpack_named(packed: PackedStatement, what: str) -> tuple[int, Any]:
    """The number of a name, and the value after it."""
    if len(packed.payload) < NAMED.size:
        raise DamagedError(f"{what} of {len(packed.payload)} bytes, not {NAMED.size} or more")
    (name,) = NAMED.unpack_from(packed.payload)
    return name, decode(packed.payload[NAMED.size :], object)


def _unpack_picture(packed: PackedStatement, text: Text) -> Picture:
    if len(packed.payload) < PICTURE.size:
        raise DamagedError(f"a picture of {len(packed.payload)} bytes, not {PICTURE.size} or more")
    name, width, height, format = PICTURE.unpack_from(packed.payload)
    # A newer version may record other formats: the viewer of the picture finds out.
    kind = format.rstrip(b"\0").decode("ascii", "replace")
    return Picture(packed.payload[PICTURE.size :], kind, width, height, text(name))


def _unpack_late_picture(packed: PackedStatement, text: Text) -> Picture:
    return _unpack_picture(packed._replace(payload=packed.payload[LATE.size :]), text)


def _unpack_phase(packed: PackedStatement, _: Text) -> Phase:
    start = decode(packed.payload, PhaseStart)
    return Phase(start.name, start.file, start.line)


KINDS: tuple[StatementKind, ...] = (
    StatementKind(
        TransitionStatement, PacketType.STATE, Kind.STATE, _pack_state,
        lambda packed, _: TransitionStatement(
            packed.object, decode(packed.payload, StateTransition)
        ),
    ),
    StatementKind(
        TreeTickStatement, PacketType.TREE, None, _pack_tick,
        lambda packed, _: TreeTickStatement(packed.object, decode(packed.payload, TreeTick)),
    ),
    StatementKind(
        AnimationStatement, PacketType.ANIMATION, None, _pack_tick,
        lambda packed, _: AnimationStatement(packed.object, decode(packed.payload, AnimationFrame)),
    ),
    StatementKind(
        TreeDefinition, PacketType.FACT, Kind.TREE,
        lambda statement, _, __, encode: encode(statement.nodes, _NODES),
        lambda packed, _: TreeDefinition(packed.object, packed.key, decode(packed.payload, _NODES)),
    ),
    StatementKind(
        AgentDecision, PacketType.DECISION, None, _pack_decision, _unpack_decision
    ),
    StatementKind(WatchedValue, PacketType.WATCH, None, _pack_watch, _unpack_watch),
    StatementKind(LogEntry, PacketType.LOG, None, _pack_line, _unpack_line),
    StatementKind(SetMark, PacketType.MARK, Kind.MARK, _pack_mark, _unpack_mark),
    *(
        StatementKind(
            Drawing, type, Kind.DRAWN, _pack_drawing, _unpack_drawing(type)
        )
        for type in PACK
    ),
    StatementKind(
        ObjectName, PacketType.FACT, Kind.NAME,
        lambda statement, _, __, encode: encode(statement.name, str),
        lambda packed, _: ObjectName(packed.object, decode(packed.payload, str)),
    ),
    StatementKind(
        ObjectFact, PacketType.FACT, Kind.FACT,
        lambda statement, _, __, encode: encode(statement.value, Any),
        lambda packed, _: ObjectFact(packed.object, packed.key, decode(packed.payload, object)),
    ),
    StatementKind(
        Despawn, PacketType.TOMBSTONE, None,
        lambda statement, _, __, ___: b"", lambda packed, _: Despawn(packed.object),
    ),
    StatementKind(
        Input, PacketType.INPUT, None, _pack_named, _unpack_input
    ),
    StatementKind(
        Phase, PacketType.PHASE, Kind.PHASE, _pack_phase, _unpack_phase
    ),
    StatementKind(
        GameEvent, PacketType.EVENT, None, _pack_named, _unpack_event
    ),
    StatementKind(
        Picture, PacketType.LATE_PICTURE, None, _pack_late_picture, _unpack_late_picture
    ),
    StatementKind(
        Picture, PacketType.PICTURE, None, _pack_picture, _unpack_picture
    ),
)  # fmt: skip

BY_TYPE: dict[int, StatementKind] = {
    kind.type: kind for kind in KINDS if kind.type is not PacketType.FACT
}
"""The codec of each packet type but `FACT`."""
BY_STATEMENT = {kind.statement: kind for kind in KINDS if kind.statement is not Drawing}
"""The codec of each kind of statement but drawings; that of pictures is for the open frame."""
