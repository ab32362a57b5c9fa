"""Restores recorded decisions from the latched complete inputs and the recorded differences."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...errors import DamagedError
from ..packets.layouts.plain_value_codec import decode
from ..packets.packet_types import PacketType
from ..packets.reexecutable_decisions import DecisionState, DecisionTrace

DECISION_TYPES = frozenset((PacketType.DECISION, PacketType.DECISION_STATE))
_REMEMBERED = 4096
"""Deciders whose newest complete inputs are cached."""


class RecordedInputs(NamedTuple):
    """A decision as it was recorded."""

    agent: int
    decider: str
    target: str
    won: str
    inputs: dict[str, Any]
    outcome: dict[str, Any]


class DecisionReader:
    """Reads decisions; for successive ones the complete inputs are read once. For one
    thread."""

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[int, str], DecisionState] = OrderedDict()

    def read(
        self, rows: Iterable[tuple[int, int, bytes]],
        latched: Callable[[int, str], list[DecisionState]],
    ) -> list[RecordedInputs]:  # fmt: skip
        """The decisions of a frame.

        Args:
            rows: Its packets of the types `DECISION_TYPES`: agent, type and payload.
            latched: Gives the complete inputs that were recorded last.

        Raises:
            DamagedError: one can't be read, or what it refers to is missing.
        """
        stated: dict[tuple[int, str], list[DecisionState]] = {}
        traces: list[tuple[int, DecisionTrace]] = []
        for agent, type, payload in rows:
            if type == PacketType.DECISION_STATE:
                state = decode(payload, DecisionState)
                stated.setdefault((agent, state.decider), []).append(state)
            else:
                traces.append((agent, decode(payload, DecisionTrace)))
        found = []
        for agent, trace in traces:
            inputs = trace.inputs
            if trace.base:
                key = agent, trace.decider
                state = self._base(key, trace.base, stated.get(key, ()), latched)
                inputs = _put_together(state, trace)
            found.append(RecordedInputs(
                agent, trace.decider, trace.target, trace.won, inputs, trace.outcome
            ))  # fmt: skip
        return found

    def _base(
        self, key: tuple[int, str], number: int, stated: Iterable[DecisionState],
        latched: Callable[[int, str], list[DecisionState]],
    ) -> DecisionState:  # fmt: skip
        known = self._newest.get(key)
        if known is not None and known.number == number:
            return known
        for state in (*stated, *latched(*key)):
            if state.number == number:
                self._newest[key] = state
                self._newest.move_to_end(key)
                if len(self._newest) > _REMEMBERED:
                    self._newest.popitem(last=False)
                return state
        raise DamagedError(
            f"a decision of {key[1]!r} of object {key[0]} refers to the inputs in record {number},"
            " which is not there"
        )


def _put_together(state: DecisionState, trace: DecisionTrace) -> dict[str, Any]:
    values = list(state.values)
    for index in (*trace.changes, *trace.removed):
        if not 0 <= index < len(values):
            raise DamagedError(
                f"a decision of {trace.decider!r} changes input {index} of {len(values)}"
            )
    for index, value in trace.changes.items():
        values[index] = value
    gone = frozenset(trace.removed)
    inputs = {
        name: value
        for index, (name, value) in enumerate(zip(state.names, values, strict=True))
        if index not in gone
    }
    return {**inputs, **trace.inputs}
