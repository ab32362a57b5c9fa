"""Recorded decisions: what was chosen, what it lost against, and what the agent believed.

One shape serves every decision maker, be it a state machine, the rules of a plan or a playthrough
agent: the condition that won, the others that were true, the alternatives rejected and why, the
values looked at. Behaviour trees and animation trees also have each node's status.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import RecordingError
from ..objects.object_ids import ObjectOrId
from .packet_types import PacketType

Scalar = float | int | bool | str | None


class Belief(msgspec.Struct, frozen=True):
    """What an agent holds true about an object that it reacts to, right or wrong.

    Much of what looks stupid in an agent is a belief that is old: the viewer shows a ghost where
    the agent thinks that the object is.
    """

    object: int
    """The object believed in, or its id; what is recorded is the id."""
    position: tuple[float, float, float]
    """Where the agent thinks it is."""
    seen: float
    """Game time (seconds) at which it was last perceived."""
    note: str = ""

    if TYPE_CHECKING:
        # What is recorded is an id; the caller may give the object.
        def __init__(
            self, object: ObjectOrId, position: tuple[float, float, float], seen: float,
            note: str = "",
        ) -> None: ...  # fmt: skip


class Rejected(msgspec.Struct, frozen=True):
    """An alternative that lost, and why."""

    condition: str
    """What would have had to hold."""
    reason: str
    """Why it did not, as a text with numbers: `hp 74 is not below 35`."""


class StateTransition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A transition of a state machine: also, until the next one, the state it is in."""

    machine: str
    source: str
    target: str
    won: str
    """The condition that decided."""
    also_true: tuple[str, ...] = ()
    """Conditions that were true as well, but came later in the order."""
    rejected: tuple[Rejected, ...] = ()
    values: dict[str, Scalar] = {}
    """What the conditions looked at."""
    beliefs: tuple[Belief, ...] = ()
    file: str = ""
    line: int = 0
    belongs_to: int = 0
    """The older frame that it belongs to, if it came late from another process; 0 for the one
    that it is recorded in."""
    gone: int = 0
    """For one that came late: the frame from which on its agent is gone, and so this state; 0 if
    there is none."""


class TreeNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One node of a tree's definition, which is latched."""

    name: str
    kind: str = "action"
    """`selector`, `sequence`, `parallel`, `condition`, `action`, …"""
    parent: int = -1
    """Index of the parent in the tree's list of nodes; −1 for the root."""
    type: str = ""
    """The class that it is an instance of, where there is one: `py_trees.timers.Timer`."""
    detail: str = ""
    """How it was set up, in words: `with memory`, `SuccessOnOne`."""


_WORDS = ("success", "failure", "running", "succeeded", "failed", "invalid")
STATUSES = frozenset(("", *_WORDS, *map(str.capitalize, _WORDS), *map(str.upper, _WORDS)))
"""The statuses of a tree's nodes, as the common libraries spell them; empty and `invalid`:
it was not ticked."""


def checked_statuses(trace: "TreeTick") -> None:
    """See that all of its statuses are known.

    Raises:
        RecordingError: one is not.
    """
    if not STATUSES.issuperset(trace.statuses):
        wrong = next(status for status in trace.statuses if status not in STATUSES)
        raise RecordingError(
            f"tree {trace.tree!r}: status {wrong!r} is none: there are success, failure, running,"
            " and an empty text for a node that was not ticked"
        )


class BlackboardAccess(msgspec.Struct, frozen=True, omit_defaults=True):
    """One use of the blackboard during a tick."""

    key: str
    access: str
    """`read`, `write`, `create`, `unset`; `denied`, `missing`, `kept` where it came to nothing."""
    node: int = -1
    """Index of the node whose client it was; −1 for any other client."""
    client: str = ""
    """What the client is called, if it is no node's."""
    before: Any = None
    """The value before a write."""
    after: Any = None
    """The value that was read or written."""


class TreeTick(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tick of a behaviour tree: the status of each node."""

    tree: str
    statuses: tuple[str, ...]
    """One for each node of the definition; empty text for a node that was not ticked."""
    ended_early: dict[int, str] = {}
    """Branches that stopped before they were through: node index to reason."""
    blackboard: dict[str, Any] = {}
    """Entries that changed since the tick before: plain values, None for one that was removed."""
    beliefs: tuple[Belief, ...] = ()
    file: str = ""
    line: int = 0
    belongs_to: int = 0
    """As of a `StateTransition`."""
    reasons: dict[int, str] = {}
    """Why nodes have their status, in their own words: node index to text."""
    kept: dict[int, str] = {}
    """Nodes that were not ticked but keep the status of an earlier tick: node index to status."""
    accesses: tuple[BlackboardAccess, ...] = ()
    """Reads and writes of the blackboard during this tick, in order."""
    entries: dict[str, Any] | None = None
    """The whole blackboard after the tick; None where only changes were recorded."""


class AnimationClip(msgspec.Struct, frozen=True, omit_defaults=True):
    """One node of an animation tree as it was blended in this frame."""

    name: str
    contribution: float
    """Its share of the pose, 0 … 1."""
    rate: float = 1.0
    """How fast it plays; 1 is as it was made."""
    time: float = 0.0
    """Normalized time, 0 … 1."""
    criteria: str = ""
    """Why it was selected."""
    parent: int = -1
    """Index of the parent in the list; −1 for the root."""


class AnimationFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The animation tree of an agent in one frame."""

    tree: str
    clips: tuple[AnimationClip, ...]
    file: str = ""
    line: int = 0
    belongs_to: int = 0
    """As of a `StateTransition`."""


AnyTrace = StateTransition | TreeTick | AnimationFrame

TRACE_TYPES: dict[PacketType, type[AnyTrace]] = {
    PacketType.STATE: StateTransition,
    PacketType.TREE: TreeTick,
    PacketType.ANIMATION: AnimationFrame,
}


def has_ids(trace: AnyTrace) -> bool:
    """Whether the beliefs of a trace name ids only, and no objects."""
    if isinstance(trace, AnimationFrame) or not trace.beliefs:
        return True
    return all(belief.object.__class__ is int for belief in trace.beliefs)


def with_ids(trace: AnyTrace, id_of: Callable[[ObjectOrId], int]) -> AnyTrace:
    """The same trace with an id for each object that its beliefs name."""
    if has_ids(trace) or isinstance(trace, AnimationFrame):
        return trace
    beliefs = tuple(
        msgspec.structs.replace(belief, object=id_of(belief.object)) for belief in trace.beliefs
    )
    return msgspec.structs.replace(trace, beliefs=beliefs)
