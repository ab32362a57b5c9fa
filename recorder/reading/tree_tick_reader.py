"""Restores ticks of behaviour trees from the latched complete state and the differences."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...errors import DamagedError
from ..packets.layouts.plain_value_codec import decode
from ..packets.packet_types import PacketType
from ..packets.trace_types import TreeTick
from ..packets.tree_tick_packets import KEPT, NAMES, TreeChange, TreeState, status_name

TICK_TYPES = frozenset((PacketType.TREE_STATE, PacketType.TREE_CHANGE))
_REMEMBERED = 256
"""Trees of which the newest tick is remembered: the next one shares what is the same."""


class _CachedTick(NamedTuple):
    """What a tick was put together from, and what came of it."""

    state: TreeState
    change: TreeChange
    trace: TreeTick


class TreeTickReader:
    """Reads ticks. Those that follow one another share their values: a pass over a recording of
    500 nodes would else hold gigabytes. For one thread."""

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[int, str], _CachedTick] = OrderedDict()

    def trace(
        self, agent: int, payload: bytes, stated: Iterable[tuple[int, bytes]],
        latched: Callable[[str], list[TreeState]],
    ) -> TreeTick:  # fmt: skip
        """The complete tick.

        Args:
            stated: Statuses of trees that were recorded earlier in the same frame: agent and bytes.
            latched: Gives a tree's statuses as they were recorded last.

        Raises:
            DamagedError: it can't be read, or what it refers to is missing.
        """
        change = decode(payload, TreeChange)
        known = self._newest.get((agent, change.tree))
        if known is not None and known.state.number == change.base:
            state = known.state
        else:
            known, state = None, self._state(agent, change, stated, latched)
        trace = _put_together(state, change, known)
        self._newest[agent, change.tree] = _CachedTick(state, change, trace)
        self._newest.move_to_end((agent, change.tree))
        if len(self._newest) > _REMEMBERED:
            self._newest.popitem(last=False)
        return trace

    @staticmethod
    def _state(
        agent: int, change: TreeChange, stated: Iterable[tuple[int, bytes]],
        latched: Callable[[str], list[TreeState]],
    ) -> TreeState:  # fmt: skip
        for state in latched(change.tree):
            if state.number == change.base:
                return state
        for whose, payload in stated:
            if whose == agent:
                state = decode(payload, TreeState)
                if state.number == change.base and state.tree == change.tree:
                    return state
        raise DamagedError(
            f"a tick of the tree {change.tree!r} of object {agent} refers to how it stood in record"
            f" {change.base}, which is not there"
        )


def trace_of(state: TreeState) -> TreeTick:
    """A tree's statuses, as a tick in which nothing happened."""
    return _put_together(state, TreeChange(state.tree, state.number), None)


def _put_together(state: TreeState, change: TreeChange, known: _CachedTick | None) -> TreeTick:
    before = None if known is None else known.change
    trace = None if known is None else known.trace
    if trace is not None and before is not None and before.statuses == change.statuses:
        statuses, kept = trace.statuses, trace.kept
    else:
        statuses, kept = _statuses(state, change)
    if trace is not None and before is not None and before.reasons == change.reasons:
        reasons = trace.reasons
    else:
        merged = {**state.reasons, **change.reasons}
        reasons = {node: text for node, text in merged.items() if text}
    entries: dict[str, Any] | None
    if (
        trace is not None and before is not None
        and before.blackboard == change.blackboard and before.removed == change.removed
    ):  # fmt: skip
        entries = trace.entries
    else:
        entries = {**state.blackboard, **change.blackboard}
        for key in change.removed:
            entries.pop(key, None)
    changed = {key: (entries or {}).get(key) for key in change.changed}
    return TreeTick(
        change.tree, statuses, change.ended_early, changed, reasons=reasons, kept=kept,
        accesses=change.accesses, entries=entries,
    )  # fmt: skip


def _statuses(state: TreeState, change: TreeChange) -> tuple[tuple[str, ...], dict[int, str]]:
    codes = bytearray(state.statuses)
    for node, code in change.statuses.items():
        if not 0 <= node < len(codes) or not 0 <= code < 2 * KEPT:
            raise DamagedError(
                f"a tick of the tree {change.tree!r} gives node {node} the status {code}, of"
                f" {len(codes)} nodes"
            )
        codes[node] = code
    kept = {node: NAMES[code & 3] for node, code in enumerate(codes) if code & KEPT and code & 3}
    return tuple(map(_NAMES.__getitem__, codes.translate(_WITHIN))), kept


_NAMES = tuple(status_name(code) for code in range(2 * KEPT))
_WITHIN = bytes(code % (2 * KEPT) for code in range(256))
"""A code that no version writes counts as one of those."""
