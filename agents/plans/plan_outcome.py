"""The outcome of a plan: of each node, of each action, and why it failed."""

from typing import Any

import msgspec

from ...recorder.statements.instrumentation_interface import Scalar
from .validation.action_outcome_validation import NONE


class PlanFailure(msgspec.Struct, frozen=True):
    """Why a plan was not carried out to its end."""

    message: str
    kind: str
    """`validation`, `navigation`, `actor`, `rule`, `time`, `player` or `game`."""
    node: int
    """The node that was next, counted from 1."""
    action: str = ""
    actor: str = ""
    object: int = 0
    """The id of the actor that it is about; that of the player where it is about none."""
    before: dict[str, Scalar] = {}
    after: dict[str, Scalar] = {}
    frame: int = 0
    time: float = 0.0


class NodeOutcome(msgspec.Struct):
    """How far one node has come."""

    index: int
    """Counted from 1."""
    action: str
    actor: str
    validation: str = NONE
    """`passed`, `failed`, `timed_out`, or `none` where nothing was validated."""
    done: bool = False
    skipped: bool = False
    """Whether the run began after it."""


class ActionRecord(msgspec.Struct):
    """One action as it was performed, by a node or by a rule."""

    action: str
    actor: str
    by: str
    """The node's or the rule's title."""
    validation: str = NONE
    message: str = ""
    before: dict[str, Scalar] = {}
    after: dict[str, Scalar] = {}
    seconds: float = 0.0
    """Seconds from the start of the action to the end of its validation."""


class PlanOutcome(msgspec.Struct, frozen=True):
    """What came of one plan under one seed."""

    plan: str
    seed: int | None
    finished: bool
    seconds: float
    """Seconds of game time."""
    nodes: tuple[NodeOutcome, ...]
    actions: tuple[ActionRecord, ...]
    """All that was done, also by rules."""
    rules: dict[str, int]
    """How often each rule fired."""
    failure: PlanFailure | None = None
    clip: str | None = None
    trouble: str = ""
    """Why no clip was kept although one was wanted."""

    @property
    def rules_fired(self) -> int:
        """How often any rule fired."""
        return sum(self.rules.values())

    @property
    def facts(self) -> dict[str, Any]:
        """All of it in plain values."""
        return {**msgspec.to_builtins(self), "rules_fired": self.rules_fired}
