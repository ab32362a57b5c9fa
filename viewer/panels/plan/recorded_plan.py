"""A plan as its agent recorded it, and its progress at a frame."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ...reader.frame_snapshot import FrameSnapshot
from ...reader.history.history_record_types import StateChange
from ...reader.history.recording_history import RecordingHistory

PLAN, PROGRESS, RULES = "plan", "plan progress", "plan rules"
"""The facts of the player in which the agent describes its plan."""
MACHINE, VALIDATION = "plan", "validation"
"""Machines: the agent's task, and the status of each validation."""
PENDING = "pending"

Place = tuple[float, float, float]


class RecordedPlanNode(msgspec.Struct, frozen=True):
    """A node of the plan. Omitted fields have their defaults."""

    title: str
    place: Place | None = None
    """Where it was when the plan began; None if that was not known."""
    object: int = 0
    """The id of its actor; 0 for none."""
    actor: str = ""
    location: Place | None = None
    action: str = ""
    tolerance: float | None = None
    movement: str = "walk"
    wait: float = 0.0
    wait_after: float = 0.0
    time_limit: float | None = None


class RecordedRule(msgspec.Struct, frozen=True):
    """A rule of the plan."""

    title: str
    when: tuple[dict[str, Any], ...]
    action: str = ""
    priority: float = 0.0
    name: str = ""
    tolerance: float | None = None
    movement: str = "walk"
    time_limit: float | None = None


class RecordedPlan(msgspec.Struct, frozen=True):
    """All that the agent is to do."""

    nodes: tuple[RecordedPlanNode, ...]
    rules: tuple[RecordedRule, ...] = ()
    game: str = ""


class PlanProgress(msgspec.Struct, frozen=True):
    """How far the plan is."""

    node: int = 1
    """The node that is next, counted from 1; one more than there are after the last."""
    begin: int = 1
    """The node that the run began with; those before it were skipped."""
    doing: str = ""
    failure: str = ""
    validations: tuple[str, ...] = ()
    """One for each node, up to the next one."""


class RuleAnswers(msgspec.Struct, frozen=True):
    """What a rule looked at when it was last decided."""

    title: str
    won: bool
    when: tuple[tuple[str, bool | float | str | None, str], ...]
    """Each precondition: what it asks for, what is there, and why it does not hold."""


class PlanAtFrame(NamedTuple):
    """A plan and its progress at a frame."""

    player: int
    plan: RecordedPlan
    progress: PlanProgress
    rules: tuple[RuleAnswers, ...]


def plan_at(snapshot: FrameSnapshot | None) -> PlanAtFrame | None:
    """The plan that an agent follows at a frame; None if none does, or it makes no sense."""
    if snapshot is None:
        return None
    player = next((object for object, key in snapshot.facts if key == PLAN), None)
    if player is None:
        return None
    facts: Mapping[tuple[int, str], Any] = snapshot.facts
    try:
        plan = msgspec.convert(facts[player, PLAN], RecordedPlan)
        progress = msgspec.convert(facts.get((player, PROGRESS), {}), PlanProgress)
        rules = msgspec.convert(facts.get((player, RULES), ()), tuple[RuleAnswers, ...])
    except msgspec.ValidationError:
        return None
    return PlanAtFrame(player, plan, progress, rules)


def place_of(node: RecordedPlanNode, snapshot: FrameSnapshot | None) -> Place | None:
    """Where a node is at a frame: its actor may have moved."""
    known = None if snapshot is None or node.object <= 0 else snapshot.objects.get(node.object)
    if known is None:
        return node.place
    x, y, z = known.packet.position
    return float(x), float(y), float(z)


class ValidationChange(NamedTuple):
    """A validation that began or was decided."""

    object: int
    change: StateChange

    @property
    def status(self) -> str:
        return self.change.trace.target

    @property
    def title(self) -> str:
        """The action, and the node or rule that it is of."""
        given = self.change.trace.values
        action, by = str(given.get("action", "")), str(given.get("by", ""))
        return by if by.startswith(action) else f"{by}: {action}"

    @property
    def values(self) -> list[tuple[str, Any, Any]]:
        """What was measured: name, before and after; None where it was not."""
        given = self.change.trace.values
        names = [name.removesuffix(" before") for name in given if name.endswith(" before")]
        names += [name.removesuffix(" after") for name in given if name.endswith(" after")]
        return [
            (name, given.get(f"{name} before"), given.get(f"{name} after"))
            for name in dict.fromkeys(names)
        ]


def validations(history: RecordingHistory, until: int | None = None) -> list[ValidationChange]:
    """All changes of validations up to a frame, oldest first; all there are without one."""
    found = [
        ValidationChange(object, change)
        for (object, machine), changes in history.changes.items()
        if machine == VALIDATION
        for change in changes
        if until is None or change.frame <= until
    ]
    return sorted(found, key=lambda one: one.change.frame)


def open_and_decided(changes: Sequence[ValidationChange]) -> list[ValidationChange]:
    """Each validation once, newest first: as it was decided, or as it waits."""
    kept: list[ValidationChange] = []
    waiting: dict[tuple[int, str], int] = {}
    for one in changes:
        key = one.object, one.title
        if one.status == PENDING:
            waiting[key] = len(kept)
            kept.append(one)
        elif key in waiting:
            kept[waiting.pop(key)] = one
        else:
            kept.append(one)
    return sorted(kept, key=lambda one: -one.change.frame)


def frames_of(history: RecordingHistory, what: str) -> list[int]:
    """The frames to go to, in order: where nodes or rules begin, or validations are decided."""
    if what == "validation":
        return sorted({
            one.change.frame for one in validations(history) if one.status != PENDING
        })  # fmt: skip
    return sorted({
        change.frame for change in _transitions(history) if change.trace.target.startswith(what)
    })  # fmt: skip


def _transitions(history: RecordingHistory) -> Iterator[StateChange]:
    for (_, machine), changes in history.changes.items():
        if machine == MACHINE:
            yield from changes
