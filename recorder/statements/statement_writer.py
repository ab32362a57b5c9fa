"""Writes statements into the open frame, packed by the table of kinds."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...native.ring import FrameRing
from ..channel_switches import Channels
from ..latch_writer import LatchWriter
from ..objects.object_ids import ObjectOrId
from ..packets.draw_primitives import PACK, PLACED, WHITE, packed_color, shape_of
from ..packets.layouts.plain_value_codec import encode
from ..packets.packet_types import Kind, PacketType
from ..packets.picture_index import PictureIndex
from ..packets.trace_types import with_ids
from .decision_writer import DecisionWriter
from .statement_checks import ended_id
from .statement_codecs import BY_STATEMENT, BY_TYPE, OPEN, Encode, Placement, StatementKind, mark_of
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

_ORIGIN = (0.0, 0.0, 0.0)
_WHITE = packed_color(WHITE)
_MOST_DECIDERS = 1 << 14
"""Deciders of which it is remembered what the next decision differs from."""
# Looked up once: at each use an enum's member costs a third of a microsecond.
_STATE = PacketType.STATE


class StatementWriter:
    """Writes statements. Each call answers whether it is in the frame now.

    What has no room is counted by the ring. What can't be recorded raises RecordingError.

    Args:
        id_of: The id of an object that a statement names.
    """

    def __init__(
        self,
        ring: FrameRing,
        latches: LatchWriter,
        channels: Channels,
        id_of: Callable[[ObjectOrId], int],
    ) -> None:
        self._ring, self._latches, self._channels, self._id_of = ring, latches, channels, id_of
        self.names: dict[int, str] = {}
        """What objects are called now, by id."""
        self._writers: dict[type, Callable[[Any, Placement, Encode], bool]] = {
            TransitionStatement: self._transition,
            TreeTickStatement: self._tick,
            AnimationStatement: self._tick,
            TreeDefinition: self._definition,
            AgentDecision: self._decision,
            WatchedValue: self._watch,
            LogEntry: self._line,
            SetMark: self._mark,
            Drawing: self._drawing,
            ObjectName: self._name,
            ObjectFact: self._fact,
            Despawn: self._despawn,
            Input: self._input,
            Phase: self._phase,
            GameEvent: self._event,
            Picture: self._picture,
        }

        self._deciders: OrderedDict[tuple[int, str], DecisionWriter] = OrderedDict()

    def write(
        self, statement: Statement, placement: Placement = OPEN, encode: Encode = encode
    ) -> bool:
        """Write a statement.

        Args:
            place: Where it goes.
            encode: Gives the bytes of values; by default it sees that they are plain.
        """
        return self._writers[statement.__class__](statement, placement, encode)

    def draw(
        self, type: PacketType, object: int, channel: str | None, latch: str | None,
        position: Any, angles: Any, file: str, line: int, color: Any, numbers: Sequence[float],
        tail: bytes,
    ) -> bool:  # fmt: skip
        """Write a drawing that was taken apart already."""
        bits = 0
        if channel is not None:
            bits = self._channels.bit(channel)
            if not self._channels.records(bits):
                return False
        payload = PACK[type](
            _WHITE if color is WHITE else packed_color(color), self._latches.number(file), line,
            *numbers,
        )  # fmt: skip
        if tail:
            payload += tail
        if latch is None:
            return self._ring.record(object, type, False, position, angles, payload, bits)
        placed = PLACED.pack(*position, *angles, bits) + payload
        return self._latches.latch_named(object, Kind.DRAWN, latch, placed, type, bits)

    def _transition(
        self, statement: TransitionStatement, placement: Placement, encode: Encode
    ) -> bool:
        agent, trace = statement.agent, statement.trace
        if agent.__class__ is not int:
            agent = self._id_of(agent)
        if trace.beliefs:
            statement = self._with_ids(statement)
        payload = _TRANSITION.pack(statement, placement, self._latches.number, encode)
        if placement.present and self._latches.latch_named(
            agent, _LATCHED, trace.machine, payload, _STATE
        ):
            return True
        # Also a transition for which the latch area has no room: its own frame has it.
        return self._ring.record(agent, _STATE, False, _ORIGIN, _ORIGIN, payload)

    def _tick(
        self,
        statement: TreeTickStatement | AnimationStatement,
        placement: Placement,
        encode: Encode,
    ) -> bool:
        kind = BY_STATEMENT[statement.__class__]
        if isinstance(statement, TreeTickStatement) and statement.trace.beliefs:
            statement = self._with_ids(statement)
        return self._record(kind, statement, statement.agent, placement, encode)

    def _with_ids(self, statement: Any) -> Any:
        trace = with_ids(statement.trace, self._id_of)
        return (
            statement
            if trace is statement.trace
            else msgspec.structs.replace(statement, trace=trace)
        )

    def _definition(self, statement: TreeDefinition, placement: Placement, encode: Encode) -> bool:
        return self._latch(
            _DEFINITION, statement, statement.agent, statement.tree, placement, encode
        )

    def _decision(self, statement: AgentDecision, placement: Placement, encode: Encode) -> bool:
        agent = statement.agent
        if agent.__class__ is not int:
            agent = self._id_of(agent)
        key = agent, statement.decider
        writer = self._deciders.get(key)
        if writer is None:
            writer = self._deciders[key] = DecisionWriter(self._ring, self._latches, *key)
            if len(self._deciders) > _MOST_DECIDERS:
                self._deciders.popitem(last=False)
        return writer.write(
            statement.target, statement.won, statement.inputs, statement.outcome, statement.maker
        )

    def _watch(self, statement: WatchedValue, placement: Placement, encode: Encode) -> bool:
        return self._record(_WATCHED, statement, statement.object, placement, encode)

    def _line(self, statement: LogEntry, placement: Placement, encode: Encode) -> bool:
        bits = 0 if statement.channel is None else self._channels.bit(statement.channel)
        if not self._channels.records(bits):
            return False
        return self._record(_LINE, statement, statement.line.object, placement, encode, bits)

    def _mark(self, statement: SetMark, placement: Placement, encode: Encode) -> bool:
        if statement.object.__class__ is not int:
            statement = msgspec.structs.replace(statement, object=self._id_of(statement.object))
        return self._latches.mark(mark_of(statement), placement.belongs_to)

    def _drawing(self, statement: Drawing, placement: Placement, encode: Encode) -> bool:
        shape = shape_of(statement)
        return self.draw(
            shape.type, self._id_of(statement.object), statement.channel, statement.latch,
            shape.position, shape.angles, statement.file, statement.line, statement.color,
            shape.numbers, shape.tail,
        )  # fmt: skip

    def _name(self, statement: ObjectName, placement: Placement, encode: Encode) -> bool:
        id = self._id_of(statement.object)
        self.names[id] = statement.name
        return self._latch(_NAME, statement, id, "", placement, encode)

    def _fact(self, statement: ObjectFact, placement: Placement, encode: Encode) -> bool:
        return self._latch(_FACT, statement, statement.object, statement.key, placement, encode)

    def _despawn(self, statement: Despawn, placement: Placement, encode: Encode) -> bool:
        id = ended_id(self._id_of(statement.object))
        self._latches.end(id)
        self.names.pop(id, None)
        return True

    def _input(self, statement: Input, placement: Placement, encode: Encode) -> bool:
        return self._record(_INPUT, statement, statement.object, placement, encode)

    def _phase(self, statement: Phase, placement: Placement, encode: Encode) -> bool:
        return self._latch(_PHASE, statement, 0, "", placement, encode)

    def _event(self, statement: GameEvent, placement: Placement, encode: Encode) -> bool:
        return self._record(_EVENT, statement, statement.object, placement, encode)

    def _picture(self, statement: Picture, placement: Placement, encode: Encode) -> bool:
        kind = _LATE_PICTURE if placement.belongs_to else _PICTURE
        if not self._record(kind, statement, 0, placement, encode):
            return False
        frame = placement.belongs_to or self._latches.next_frame
        index = PictureIndex(frame, self._latches.number(statement.name), len(statement.data))
        # A picture that the latch area has no room for is found by who reads its own frame.
        self._latches.latch(0, Kind.PICTURE, 0, index, PictureIndex)
        return True

    def _record(
        self, kind: StatementKind, statement: Any, object: ObjectOrId, placement: Placement,
        encode: Encode, channels: int = 0,
    ) -> bool:  # fmt: skip
        """Write what holds for its frame."""
        id = self._id_of(object)
        payload = kind.pack(statement, placement, self._latches.number, encode)
        return self._ring.record(id, kind.type, False, _ORIGIN, _ORIGIN, payload, channels)

    def _latch(
        self, kind: StatementKind, statement: Any, object: ObjectOrId, key: str,
        placement: Placement, encode: Encode,
    ) -> bool:  # fmt: skip
        """Write what stays true."""
        assert kind.latch is not None
        id = self._id_of(object)
        payload = kind.pack(statement, placement, self._latches.number, encode)
        return self._latches.latch_named(id, kind.latch, key, payload, kind.type)


_LATCHED = Kind.STATE
_TRANSITION, _DEFINITION = BY_STATEMENT[TransitionStatement], BY_STATEMENT[TreeDefinition]
_WATCHED, _LINE = BY_STATEMENT[WatchedValue], BY_STATEMENT[LogEntry]
_NAME, _FACT = BY_STATEMENT[ObjectName], BY_STATEMENT[ObjectFact]
_INPUT, _PHASE = BY_STATEMENT[Input], BY_STATEMENT[Phase]
_EVENT, _PICTURE = BY_STATEMENT[GameEvent], BY_STATEMENT[Picture]
_LATE_PICTURE = BY_TYPE[PacketType.LATE_PICTURE]
