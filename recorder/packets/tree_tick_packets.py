"""Ticks of behaviour trees in frames: a tree's complete state, and the differences from it.

A tree of 500 nodes changes little from tick to tick. Once a second its complete state is recorded
and latched, and each tick is recorded as the difference from that. So no frame depends on one that
was evicted.
"""

from typing import Any

import msgspec

from .trace_types import BlackboardAccess

SUCCESS, FAILURE, RUNNING = 1, 2, 3
KEPT = 4
"""Added to a status that was kept from an earlier tick: in this one the node was not ticked."""
NAMES = ("", "success", "failure", "running")
"""The statuses by their number; 0: it was not ticked."""


class TreeState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The statuses of a tree after a tick."""

    tree: str
    number: int
    """What ticks refer to it by. No other of the recording has it."""
    statuses: bytes
    """One for each node of the definition: 0 not ticked, 1 success, 2 failure, 3 running; and 4
    more for what was kept from an earlier tick."""
    reasons: dict[int, str] = {}
    """Why nodes stand as they do, in their own words: node index to text."""
    blackboard: dict[str, Any] = {}


class TreeChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tick: what differs from a `TreeState`, and what happened in it."""

    tree: str
    base: int
    """The number of that `TreeState`."""
    statuses: dict[int, int] = {}
    """Keyed by the node's index."""
    reasons: dict[int, str] = {}
    """An empty text where there is none any more."""
    blackboard: dict[str, Any] = {}
    removed: tuple[str, ...] = ()
    """Entries of the blackboard that are not there any more."""
    changed: tuple[str, ...] = ()
    """Entries that changed since the tick before, or were removed."""
    accesses: tuple[BlackboardAccess, ...] = ()
    ended_early: dict[int, str] = {}
    """As of a `TreeTick`."""


def status_name(code: int) -> str:
    """The status that a node of this code had in the tick; empty if it was not ticked."""
    return "" if code & KEPT else NAMES[code & 3]
