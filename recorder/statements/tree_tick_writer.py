"""Writes the ticks of one behaviour tree compactly: as differences from the tick before."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from ...native.ring import FrameRing
from ..latch_writer import LatchWriter
from ..packets.layouts.plain_value_codec import encode_plain
from ..packets.packet_types import Kind, PacketType
from ..packets.trace_types import BlackboardAccess
from ..packets.tree_tick_packets import TreeChange, TreeState
from .full_record_interval import FullRecordInterval

_ORIGIN = (0.0, 0.0, 0.0)
_CHANGE, _STATE = PacketType.TREE_CHANGE, PacketType.TREE_STATE
_MISSING = object()


class TreeTickWriter:
    """Writes ticks into the open frame.

    Args:
        agent: The id of whose tree it is.
        tree: What it is called.
    """

    def __init__(self, ring: FrameRing, latches: LatchWriter, agent: int, tree: str) -> None:
        self._ring, self._latches, self._agent, self._tree = ring, latches, agent, tree
        self._base: TreeState | None = None
        self._clock = FullRecordInterval(ring)
        self._codes = b""
        self._statuses: dict[int, int] = {}
        self._reasons: dict[int, str] = {}
        self._entries: dict[str, Any] = {}
        self._removed: dict[str, None] = {}
        self._payload = b""
        """The payload of the last tick, if the next one is the same where nothing changes."""

    def begin(self) -> None:
        """Write the next tick completely: the tree was defined again."""
        self._base = None

    def is_due(self) -> bool:
        """Whether the next tick is written completely: what seldom changes must be read for it."""
        return self._clock.is_due() or self._base is None

    def write(
        self, codes: bytes, reasons: Mapping[int, str], entries: Mapping[str, Any],
        new_reasons: Iterable[int], changed: tuple[str, ...],
        accesses: tuple[BlackboardAccess, ...], ended_early: dict[int, str], *, is_full: bool,
    ) -> bool:  # fmt: skip
        """Write a tick; False if the latch area has no room for the tree's statuses.

        Args:
            codes: The status of each node, as of a `TreeState`.
            reasons: What nodes say; `new_reasons` are those that changed since the last tick.
            entries: The whole blackboard; `changed` are the keys that changed, or were removed.
            is_full: Whether to write it completely; see `is_due`.
        """
        if is_full or self._base is None:
            if not self._write_state(codes, reasons, entries):
                self._base = None
                return False
        else:
            base = self._base
            if codes is not self._codes and codes != self._codes:
                now = np.frombuffer(codes, np.uint8)
                differ = np.flatnonzero(now != np.frombuffer(base.statuses, np.uint8))
                self._statuses = dict(zip(differ.tolist(), now[differ].tolist(), strict=True))
                self._payload = b""
            for node in new_reasons:
                self._set_reason(node, reasons.get(node, ""), base)
            for key in changed:
                self._set_entry(key, entries.get(key, _MISSING), base)
        self._codes = codes
        is_quiet = not (changed or accesses or ended_early)
        payload = self._payload if is_quiet else b""
        if not payload:
            assert self._base is not None
            payload = encode_plain(TreeChange(
                self._tree, self._base.number, self._statuses, self._reasons, self._entries,
                tuple(self._removed), changed, accesses, ended_early,
            ))  # fmt: skip
            self._payload = payload if is_quiet else b""
        self._ring.record(self._agent, _CHANGE, False, _ORIGIN, _ORIGIN, payload)
        return True

    def _write_state(
        self, codes: bytes, reasons: Mapping[int, str], entries: Mapping[str, Any]
    ) -> bool:
        self._latches.tree_states += 1
        state = TreeState(
            self._tree, self._latches.tree_states, codes, dict(reasons), dict(entries)
        )
        if not self._latches.latch_named(
            self._agent, Kind.TREE_STATE, self._tree, encode_plain(state), _STATE
        ):
            return False
        self._base = state
        self._clock.written()
        self._statuses, self._reasons, self._entries = {}, {}, {}
        self._removed, self._payload = {}, b""
        return True

    def _set_reason(self, node: int, text: str, base: TreeState) -> None:
        self._payload = b""
        if text == base.reasons.get(node, ""):
            self._reasons.pop(node, None)
        else:
            self._reasons[node] = text

    def _set_entry(self, key: str, value: Any, base: TreeState) -> None:
        before = base.blackboard.get(key, _MISSING)
        self._entries.pop(key, None)
        self._removed.pop(key, None)
        if value is _MISSING:
            if before is not _MISSING:
                self._removed[key] = None
        elif before is _MISSING or not are_same(value, before):
            self._entries[key] = value


def are_same(one: Any, other: Any) -> bool:
    """Whether two plain values are recorded alike: 1, 1.0 and True are not."""
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ in _SCALARS:
        return bool(one == other)
    return msgspec.msgpack.encode(one) == msgspec.msgpack.encode(other)


_SCALARS = frozenset((int, bool, str, type(None)))
