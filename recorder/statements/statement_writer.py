"""Writes statements into the open frame, as the table of kinds packs them."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...native.ring import FrameRing
from ..channels import Channels
from ..latch_writer import LatchWriter
from ..object_ids import ObjectRef
from ..packets.decision_traces import with_ids
from ..packets.draw_primitives import PACK, PLACED, WHITE, packed_color, shape_of
from ..packets.encoding import encode
from ..packets.packet_types import Kind, PacketType
from .statement_checks import ended_id
from .statement_kinds import BY_STATEMENT, OPEN, Encode, Placement, StatementKind, mark_of
from .statements import (
    AnimationTick,
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
    StateTransition,
    TreeDefinition,
    TreeTick,
    WatchedValue,
)

_ORIGIN = (0.0, 0.0, 0.0)
_WHITE = packed_color(WHITE)
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
        facts: LatchWriter,
        channels: Channels,
        id_of: Callable[[ObjectRef], int],
    ) -> None:
        self._ring, self._facts, self._channels, self._id_of = ring, facts, channels, id_of
        self._writers: dict[type, Callable[[Any, Placement, Encode], bool]] = {
            StateTransition: self._transition,
            TreeTick: self._tick,
            AnimationTick: self._tick,
            TreeDefinition: self._definition,
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

    def write(self, statement: Statement, place: Placement = OPEN, encode: Encode = encode) -> bool:
        """Write a statement.

        Args:
            place: Where it goes.
            encode: Gives the bytes of values; by default it sees that they are plain.
        """
        return self._writers[statement.__class__](statement, place, encode)

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
            _WHITE if color is WHITE else packed_color(color), self._facts.number(file), line,
            *numbers,
        )  # fmt: skip
        if tail:
            payload += tail
        if latch is None:
            return self._ring.record(object, type, False, position, angles, payload, bits)
        placed = PLACED.pack(*position, *angles, bits) + payload
        return self._facts.put_named(object, Kind.DRAWN, latch, placed, type, bits)

    def _transition(self, said: StateTransition, place: Placement, encode: Encode) -> bool:
        agent, trace = said.agent, said.trace
        if agent.__class__ is not int:
            agent = self._id_of(agent)
        if trace.beliefs:
            said = self._with_ids(said)
        payload = _TRANSITION.pack(said, place, self._facts.number, encode)
        if place.present and self._facts.put_named(agent, _LATCHED, trace.machine, payload, _STATE):
            return True
        # Also a transition for which the latch area has no room: its own frame tells of it.
        return self._ring.record(agent, _STATE, False, _ORIGIN, _ORIGIN, payload)

    def _tick(self, said: TreeTick | AnimationTick, place: Placement, encode: Encode) -> bool:
        kind = BY_STATEMENT[said.__class__]
        if isinstance(said, TreeTick) and said.trace.beliefs:
            said = self._with_ids(said)
        return self._record(kind, said, said.agent, place, encode)

    def _with_ids(self, said: Any) -> Any:
        trace = with_ids(said.trace, self._id_of)
        return said if trace is said.trace else msgspec.structs.replace(said, trace=trace)

    def _definition(self, said: TreeDefinition, place: Placement, encode: Encode) -> bool:
        return self._latch(_DEFINITION, said, said.agent, said.tree, place, encode)

    def _watch(self, said: WatchedValue, place: Placement, encode: Encode) -> bool:
        return self._record(_WATCHED, said, said.object, place, encode)

    def _line(self, said: LogEntry, place: Placement, encode: Encode) -> bool:
        bits = 0 if said.channel is None else self._channels.bit(said.channel)
        if not self._channels.records(bits):
            return False
        return self._record(_LINE, said, said.line.object, place, encode, bits)

    def _mark(self, said: SetMark, place: Placement, encode: Encode) -> bool:
        if said.object.__class__ is not int:
            said = msgspec.structs.replace(said, object=self._id_of(said.object))
        return self._facts.mark(mark_of(said), place.belongs_to)

    def _drawing(self, said: Drawing, place: Placement, encode: Encode) -> bool:
        shape = shape_of(said)
        return self.draw(
            shape.type, self._id_of(said.object), said.channel, said.latch, shape.position,
            shape.angles, said.file, said.line, said.color, shape.numbers, shape.tail,
        )  # fmt: skip

    def _name(self, said: ObjectName, place: Placement, encode: Encode) -> bool:
        return self._latch(_NAME, said, said.object, "", place, encode)

    def _fact(self, said: ObjectFact, place: Placement, encode: Encode) -> bool:
        return self._latch(_FACT, said, said.object, said.key, place, encode)

    def _despawn(self, said: Despawn, place: Placement, encode: Encode) -> bool:
        self._facts.end(ended_id(self._id_of(said.object)))
        return True

    def _input(self, said: Input, place: Placement, encode: Encode) -> bool:
        return self._record(_INPUT, said, said.object, place, encode)

    def _phase(self, said: Phase, place: Placement, encode: Encode) -> bool:
        return self._latch(_PHASE, said, 0, "", place, encode)

    def _event(self, said: GameEvent, place: Placement, encode: Encode) -> bool:
        return self._record(_EVENT, said, said.object, place, encode)

    def _picture(self, said: Picture, place: Placement, encode: Encode) -> bool:
        return self._record(_PICTURE, said, 0, place, encode)

    def _record(
        self, kind: StatementKind, said: Any, object: ObjectRef, place: Placement, encode: Encode,
        channels: int = 0,
    ) -> bool:  # fmt: skip
        """Write what holds for its frame."""
        id = self._id_of(object)
        payload = kind.pack(said, place, self._facts.number, encode)
        return self._ring.record(id, kind.type, False, _ORIGIN, _ORIGIN, payload, channels)

    def _latch(
        self, kind: StatementKind, said: Any, object: ObjectRef, key: str, place: Placement,
        encode: Encode,
    ) -> bool:  # fmt: skip
        """Write what stays true."""
        assert kind.latch is not None
        id = self._id_of(object)
        payload = kind.pack(said, place, self._facts.number, encode)
        return self._facts.put_named(id, kind.latch, key, payload, kind.type)


_LATCHED = Kind.STATE
_TRANSITION, _DEFINITION = BY_STATEMENT[StateTransition], BY_STATEMENT[TreeDefinition]
_WATCHED, _LINE = BY_STATEMENT[WatchedValue], BY_STATEMENT[LogEntry]
_NAME, _FACT = BY_STATEMENT[ObjectName], BY_STATEMENT[ObjectFact]
_INPUT, _PHASE = BY_STATEMENT[Input], BY_STATEMENT[Phase]
_EVENT, _PICTURE = BY_STATEMENT[GameEvent], BY_STATEMENT[Picture]
