"""Recorded decisions: what was chosen, what it lost against, and what the agent believed.

One shape serves every decision maker, be it a state machine, the rules of a plan or a playthrough
agent: the condition that won, the others that were true, the alternatives rejected and why, the
values looked at. Behaviour trees and animation trees say besides how each node stood.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from ..errors import RecordingError
from .faults import Refusing
from .instrumentation import Belief, Rejected, Scalar
from .kinds import PacketType
from .object_ids import ObjectRef
from .primitives import site_of


class StateTrace(msgspec.Struct, frozen=True, omit_defaults=True):
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
    that it stands in."""
    gone: int = 0
    """Of one that came late: the frame from which on its agent is gone, and so this state; 0 if
    there is none."""


class TreeNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One node of a tree's definition, which is latched."""

    name: str
    kind: str = "action"
    """`selector`, `sequence`, `parallel`, `condition`, `action`, …"""
    parent: int = -1
    """Index of the parent in the tree's list of nodes; −1 for the root."""


_WORDS = ("success", "failure", "running", "succeeded", "failed", "invalid")
STATUSES = frozenset(("", *_WORDS, *map(str.capitalize, _WORDS), *map(str.upper, _WORDS)))
"""What a node of a tree may say of itself, as the common libraries spell it; empty and `invalid`:
it was not ticked."""


def checked_statuses(trace: "TreeTrace") -> None:
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


class TreeTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tick of a behaviour tree: how each node stood."""

    tree: str
    statuses: tuple[str, ...]
    """One for each node of the definition; empty text for a node that was not ticked."""
    ended_early: dict[int, str] = {}
    """Branches that stopped before they were through: node index to reason."""
    blackboard: dict[str, Scalar] = {}
    """Entries that changed in this tick."""
    beliefs: tuple[Belief, ...] = ()
    file: str = ""
    line: int = 0
    belongs_to: int = 0
    """As of a `StateTrace`."""


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


class AnimationTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The animation tree of an agent in one frame."""

    tree: str
    clips: tuple[AnimationClip, ...]
    file: str = ""
    line: int = 0
    belongs_to: int = 0
    """As of a `StateTrace`."""


AnyTrace = StateTrace | TreeTrace | AnimationTrace

TRACE_TYPES: dict[PacketType, type[AnyTrace]] = {
    PacketType.STATE: StateTrace,
    PacketType.TREE: TreeTrace,
    PacketType.ANIMATION: AnimationTrace,
}


def has_ids(trace: AnyTrace) -> bool:
    """Whether the beliefs of a trace name ids only, and no objects."""
    if trace.__class__ is AnimationTrace or not trace.beliefs:  # type: ignore[union-attr]
        return True
    return all(belief.object.__class__ is int for belief in trace.beliefs)  # type: ignore[union-attr]


def with_ids(trace: AnyTrace, id_of: Callable[[ObjectRef], int]) -> AnyTrace:
    """The same trace with an id for each object that its beliefs name."""
    if has_ids(trace) or isinstance(trace, AnimationTrace):
        return trace
    beliefs = tuple(
        msgspec.structs.replace(belief, object=id_of(belief.object)) for belief in trace.beliefs
    )
    return msgspec.structs.replace(trace, beliefs=beliefs)


# Looked up once: at each use an enum's member costs a third of a microsecond.
_STATE, _TREE, _ANIMATION = PacketType.STATE, PacketType.TREE, PacketType.ANIMATION


class TraceSink(Protocol):
    """What takes traces: the recorder."""

    def decision(self, type: PacketType, agent: ObjectRef, key: str, trace: AnyTrace) -> None: ...

    def define_tree(self, agent: ObjectRef, tree: str, nodes: tuple[TreeNode, ...]) -> None: ...

    def refusing(self, cause: str) -> Refusing: ...


class Tracer:
    """The tracing calls of a session."""

    def __init__(self, sink: TraceSink) -> None:
        self._sink = sink
        self._refusing = sink.refusing("trace")

    def state(
        self, agent: ObjectRef, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """A machine of an agent went from `source` to `target` because `won` held."""
        with self._refusing:
            self._sink.decision(_STATE, agent, machine, StateTrace(
                machine, source, target, won, tuple(also_true), tuple(rejected),
                dict(values or {}), tuple(beliefs), *site_of(1),
            ))  # fmt: skip

    def define_tree(self, agent: ObjectRef, tree: str, nodes: Sequence[TreeNode]) -> None:
        """Say once which nodes a tree has; stays true until said again."""
        with self._refusing:
            self._sink.define_tree(agent, tree, tuple(nodes))

    def tree(
        self, agent: ObjectRef, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """A behaviour tree was ticked; `statuses` has one entry for each node of its definition."""
        with self._refusing:
            trace = TreeTrace(
                tree, tuple(statuses), dict(ended_early or {}), dict(blackboard or {}),
                tuple(beliefs), *site_of(1),
            )  # fmt: skip
            checked_statuses(trace)
            self._sink.decision(_TREE, agent, tree, trace)

    def animation(self, agent: ObjectRef, tree: str, clips: Sequence[AnimationClip]) -> None:
        """How an agent's animation tree was blended in this frame."""
        with self._refusing:
            self._sink.decision(
                _ANIMATION, agent, tree, AnimationTrace(tree, tuple(clips), *site_of(1))
            )
