"""A recorded decision, made again: the recorded choice and the new ones side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ...recorder.packets.reexecutable_decisions import DecisionResult, NodeResult
from .tree_choices import node_paths


class ReexecutedDecision(msgspec.Struct, frozen=True):
    """One recorded decision, and what comes of its inputs now."""

    agent: int
    name: str
    """What the agent is called; empty if it has no name."""
    decider: str
    """Which of its deciders: a machine, a tree, the rules of a plan."""
    frame: int
    time: float
    inputs: Mapping[str, Any]
    """All that was recorded of what it looked at."""
    recorded: DecisionResult
    """What was chosen in the game."""
    again: DecisionResult
    """What the same decider chooses now, from the same inputs."""
    edited: DecisionResult | None = None
    """What the edited decider chooses; None if no edit was given."""
    differences: tuple[str, ...] = ()
    """What is different between `recorded` and `again`; empty if the decision was reproduced."""
    changes: tuple[str, ...] = ()
    """What is different between `again` and `edited`."""
    notes: tuple[str, ...] = ()
    """What could not be done as in the game, and what may explain a difference."""

    @property
    def is_reproduced(self) -> bool:
        """Whether the unedited decider chose again what was recorded."""
        return not self.differences

    @property
    def is_changed(self) -> bool:
        """Whether the edit chooses otherwise than was recorded."""
        return self.edited is not None and bool(differences(self.recorded, self.edited))


def differences(before: DecisionResult, after: DecisionResult) -> tuple[str, ...]:
    """What is decided differently, each in a few words. What one of the two does not know is left
    out."""
    return tuple(_differences(before, after))


def _differences(before: DecisionResult, after: DecisionResult) -> Iterator[str]:
    if before.target != after.target:
        yield f"{_target(before)} → {_target(after)}"
    if before.won and after.won and before.won != after.won:
        yield f"won by {before.won} → {after.won}"
    if before.conditions and after.conditions and before.target == after.target:
        yield from _conditions(before, after)
    yield from _nodes(before.nodes, after.nodes)
    for name in sorted(before.outcome.keys() | after.outcome.keys()):
        one, other = before.outcome.get(name), after.outcome.get(name)
        if not _same(one, other):
            yield f"{name}: {_value(one)} → {_value(other)}"


def _conditions(before: DecisionResult, after: DecisionResult) -> Iterator[str]:
    known = {one.name: one.holds for one in before.conditions}
    for one in after.conditions:
        was = known.get(one.name)
        if was is not None and was != one.holds:
            now = "holds" if one.holds else one.reason or "does not hold"
            yield f"{one.name} {'held' if was else 'did not hold'} → {now}"


def _nodes(before: tuple[NodeResult, ...], after: tuple[NodeResult, ...]) -> Iterator[str]:
    """Nodes by their path, since an edit moves their places."""
    if not before or not after:
        return
    one, other = _statuses(before), _statuses(after)
    for path in dict.fromkeys((*one, *other)):
        was, now = one.get(path, "(not there)"), other.get(path, "(not there)")
        if was != now and {was, now} != {"", "(not there)"}:
            yield f"{path}: {was or 'not ticked'} → {now or 'not ticked'}"


def _statuses(nodes: tuple[NodeResult, ...]) -> dict[str, str]:
    paths = node_paths([node.name for node in nodes], [node.parent for node in nodes])
    return {path: node.status for path, node in zip(paths, nodes, strict=True)}


def _target(choice: DecisionResult) -> str:
    return choice.target or "(no change)"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and one != one and other != other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(one) == list(other)
    return bool(one == other)


def _value(value: Any) -> str:
    return (
        "nothing" if value is None else f"{value:.6g}" if isinstance(value, float) else repr(value)
    )
