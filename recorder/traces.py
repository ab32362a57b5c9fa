"""Recorded decisions: what was chosen, what it lost against, and what the agent believed.

One shape serves every decision maker, be it a state machine, the rules of a plan or a playthrough
agent: the condition that won, the others that were true, the alternatives rejected and why, the
values looked at. Behaviour trees and animation trees say besides how each node stood.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from .faults import Refusing
from .instruments import Belief, Rejected, Scalar
from .kinds import PacketType
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


class TraceSink(Protocol):
    """What takes traces: the recorder."""

    def decision(self, type: PacketType, agent: int, key: str, trace: AnyTrace) -> None: ...

    def define_tree(self, agent: int, tree: str, nodes: tuple[TreeNode, ...]) -> None: ...

    def refusing(self, cause: str) -> Refusing: ...


class Tracer:
    """The tracing calls of a session."""

    def __init__(self, sink: TraceSink) -> None:
        self._sink = sink
        self._refusing = sink.refusing("trace")

    def state(
        self, agent: int, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """A machine of an agent went from `source` to `target` because `won` held."""
        with self._refusing:
            self._sink.decision(PacketType.STATE, agent, machine, StateTrace(
                machine, source, target, won, tuple(also_true), tuple(rejected),
                dict(values or {}), tuple(beliefs), *site_of(1),
            ))  # fmt: skip

    def define_tree(self, agent: int, tree: str, nodes: Sequence[TreeNode]) -> None:
        """Say once which nodes a tree has; stays true until said again."""
        with self._refusing:
            self._sink.define_tree(agent, tree, tuple(nodes))

    def tree(
        self, agent: int, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
    ) -> None:  # fmt: skip
        """A behaviour tree was ticked; `statuses` has one entry for each node of its definition."""
        with self._refusing:
            self._sink.decision(PacketType.TREE, agent, tree, TreeTrace(
                tree, tuple(statuses), dict(ended_early or {}), dict(blackboard or {}),
                tuple(beliefs), *site_of(1),
            ))  # fmt: skip

    def animation(self, agent: int, tree: str, clips: Sequence[AnimationClip]) -> None:
        """How an agent's animation tree was blended in this frame."""
        with self._refusing:
            self._sink.decision(
                PacketType.ANIMATION, agent, tree, AnimationTrace(tree, tuple(clips), *site_of(1))
            )
