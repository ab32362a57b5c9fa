"""Recorded decisions with their inputs, so that each can be made again outside the game.

A decision's inputs change little from one to the next. Once a second all of them are recorded and
latched, and each decision is recorded as the difference from that. So no frame depends on one that
was evicted.
"""

from typing import Any

import msgspec

from .trace_types import Rejected


class ConditionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the conditions that a decision looked at."""

    name: str
    target: str
    """What it would decide for."""
    holds: bool
    reason: str = ""
    """Why it does not hold, as a text with numbers; empty if it does."""
    lacks: float | None = None
    """How far it is from holding, in its own unit: infinite where a yes or no is missing, None
    where that is not known."""


class NodeResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A node of a behaviour tree in one decision."""

    name: str
    kind: str = "action"
    parent: int = -1
    """Index of its parent among the nodes; −1 for the root."""
    status: str = ""
    """`success`, `failure`, `running`; empty if it was not ticked."""
    reason: str = ""
    """Its description of itself."""
    lacks: float | None = None
    """For a condition that failed: how far it is from holding, as of a `ConditionResult`."""


class DecisionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a decision came to, and what it looked at on the way."""

    target: str = ""
    """What was decided for: a state, a rule; empty to go on as before."""
    won: str = ""
    """The condition that decided; empty if none did."""
    conditions: tuple[ConditionResult, ...] = ()
    """All that were asked, in their order."""
    nodes: tuple[NodeResult, ...] = ()
    """For a behaviour tree: its nodes."""
    outcome: dict[str, Any] = {}
    """What came of it besides, by name: the commands that were given, for instance."""
    notes: tuple[str, ...] = ()
    """For one that was made again: what could not be done as in the game."""

    @property
    def also_true(self) -> tuple[str, ...]:
        """Conditions that were true as well, and lost by their order."""
        return tuple(one.name for one in self.conditions if one.holds and one.name != self.won)

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """Conditions that did not hold, each with its reason."""
        return tuple(Rejected(one.name, one.reason) for one in self.conditions if not one.holds)

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the nodes that were ticked, a parent before its children."""
        return tuple(node.name for node in self.nodes if node.status)


class DecisionMaker(msgspec.Struct, frozen=True, omit_defaults=True):
    """The code that makes an agent's decisions, so that they can be made again."""

    kind: str
    """Which of the deciders that playhead knows, such as `function` or `plan rules`."""
    settings: Any = None
    """What it was set up with: plain values."""
    file: str = ""
    """The source file of the function that decides, …"""
    digest: str = ""
    """… and a hash of what was in it."""


class DecisionTrace(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision as it is in a frame."""

    decider: str
    """Which of the agent's deciders: a machine, a tree, the rules of a plan."""
    target: str = ""
    won: str = ""
    """As of a `DecisionResult`."""
    inputs: dict[str, Any] = {}
    """What it looked at, by name; as far as the `DecisionState` has no such name."""
    base: int = 0
    """The number of the `DecisionState` that it differs from; 0 if it is complete by itself."""
    changes: dict[int, Any] = {}
    """Inputs that differ from that, by their index in it."""
    removed: tuple[int, ...] = ()
    """Places of inputs that are not there any more."""
    outcome: dict[str, Any] = {}
    """As of a `DecisionResult`."""


class DecisionState(msgspec.Struct, frozen=True):
    """All inputs of a decision: what later ones differ from."""

    decider: str
    number: int
    """What decisions refer to it by. No other of the recording has it."""
    names: tuple[str, ...]
    values: tuple[Any, ...]
    """Values, in the order of the names."""
