"""Writes the decisions of one decider compactly: as what differs from their inputs before."""

from typing import Any

from ...native.ring import FrameRing
from ..latch_writer import LatchWriter
from ..packets.layouts.plain_value_codec import encode
from ..packets.packet_types import Kind, PacketType
from ..packets.reexecutable_decisions import DecisionMaker, DecisionState, DecisionTrace
from .full_record_interval import FullRecordInterval

_ORIGIN = (0.0, 0.0, 0.0)
_DECISION, _STATE = PacketType.DECISION, PacketType.DECISION_STATE
_SCALARS = frozenset((int, bool, str, type(None)))


class DecisionWriter:
    """Writes decisions into the open frame.

    Args:
        agent: The id of who decides.
        decider: Which of the agent's deciders it is.
    """

    def __init__(self, ring: FrameRing, latches: LatchWriter, agent: int, decider: str) -> None:
        self._ring, self._latches, self._agent, self._decider = ring, latches, agent, decider
        self._clock = FullRecordInterval(ring)
        self._base: DecisionState | None = None
        self._base_frame = 0
        self._indexes: dict[str, int] = {}
        """The index of each input of the base."""
        self._maker: DecisionMaker | None = None

    def write(
        self, target: str, won: str, inputs: dict[str, Any], outcome: dict[str, Any],
        maker: DecisionMaker | None,
    ) -> bool:  # fmt: skip
        """Write a decision; False if the frame has no room for it.

        Raises:
            RecordingError: an input is no plain value.
        """
        ended = self._latches.ended.get(self._agent, 0) >= self._base_frame
        if self._clock.is_due() or self._base is None or ended:
            self._write_state(inputs)
        if maker is not None and (ended or (maker is not self._maker and maker != self._maker)):
            self._latch(Kind.DECISION_MAKER, encode(maker, DecisionMaker), PacketType.FACT)
        self._maker = maker or self._maker
        trace = self._trace(target, won, inputs, outcome)
        payload = encode(trace, DecisionTrace)
        return self._ring.record(self._agent, _DECISION, False, _ORIGIN, _ORIGIN, payload)

    def _write_state(self, inputs: dict[str, Any]) -> None:
        self._latches.decision_states += 1
        state = DecisionState(
            self._decider, self._latches.decision_states, tuple(inputs), tuple(inputs.values())
        )
        self._base, self._base_frame = None, self._latches.next_frame
        # Without room for it each decision is written completely.
        if self._latch(Kind.DECISION_STATE, encode(state, DecisionState), _STATE):
            self._base = state
            self._indexes = {name: index for index, name in enumerate(state.names)}
            self._clock.written()

    def _latch(self, kind: Kind, payload: bytes, type: PacketType) -> bool:
        return self._latches.latch_named(self._agent, kind, self._decider, payload, type)

    def _trace(
        self, target: str, won: str, inputs: dict[str, Any], outcome: dict[str, Any]
    ) -> DecisionTrace:
        base = self._base
        if base is None:
            return DecisionTrace(self._decider, target, won, dict(inputs), outcome=outcome)
        changes: dict[int, Any] = {}
        new: dict[str, Any] = {}
        known, indexes, values = 0, self._indexes, base.values
        for name, value in inputs.items():
            index = indexes.get(name)
            if index is None:
                new[name] = value
                continue
            known += 1
            before = values[index]
            if value is before:
                continue
            if value.__class__ is not before.__class__ or _differ(value, before):
                changes[index] = value
        removed: tuple[int, ...] = ()
        if known < len(indexes):
            removed = tuple(index for name, index in indexes.items() if name not in inputs)
        return DecisionTrace(
            self._decider, target, won, new, base.number, changes, removed, outcome
        )


def _differ(value: Any, before: Any) -> bool:
    """Whether two values of one type are recorded differently: 0.0 and −0.0 are."""
    if value.__class__ is float:
        return bool(value != before) or (not value and str(value) != str(before))
    if value.__class__ in _SCALARS:
        return bool(value != before)
    return encode(value) != encode(before)
