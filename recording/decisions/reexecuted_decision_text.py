"""A decision that was made again, as lines of text and as plain facts."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ...recorder.monotonic_timeline import exactly
from ...recorder.packets.reexecutable_decisions import DecisionResult
from ..trees.tree_snapshot import RecordedNode, TreeSnapshot
from ..trees.tree_text import tree_lines, value_text
from .reexecuted_decision import ReexecutedDecision


def decision_lines(asked: ReexecutedDecision) -> Iterator[str]:
    """All of it: the choices, what differs, the inputs."""
    whose = asked.name or (f"object {asked.agent}" if asked.agent else "the world")
    yield f"{asked.decider} · {whose} · decided in frame {asked.frame} at {exactly(asked.time)} s"
    yield f"recorded  {choice_text(asked.recorded)}"
    yield f"again     {choice_text(asked.again)}{'' if asked.is_reproduced else '  ← NOT the same'}"
    if asked.edited is not None:
        changed = "  ← otherwise" if asked.is_changed else "  (the same)"
        yield f"edited    {choice_text(asked.edited)}{changed}"
    if asked.differences:
        yield "Again is not as recorded: an input is not recorded, or the code has changed"
        yield from (f"  {line}" for line in asked.differences)
    yield from (f"note: {line}" for line in asked.notes)
    if asked.changes:
        yield "What the edit changes"
        yield from (f"  {line}" for line in asked.changes)
    shown = asked.again if asked.edited is None else asked.edited
    if shown.conditions:
        yield "Conditions" if asked.edited is None else "Conditions of the edit"
        yield from condition_lines(shown)
    if shown.nodes:
        yield "Tree" if asked.edited is None else "Tree of the edit"
        yield from (f"  {line}" for line in tree_lines(_tree(shown)))
    yield "Inputs"
    width = max(map(len, asked.inputs), default=0)
    for name, value in asked.inputs.items():
        yield f"  {name:<{width}}  {value_text(value)}"


def condition_lines(choice: DecisionResult) -> Iterator[str]:
    """Each condition that was asked: whether it held, and why not."""
    width = max((len(one.name) for one in choice.conditions), default=0)
    for one in choice.conditions:
        sign = "✓" if one.holds else "✗"
        where = f" → {one.target}" if one.target else ""
        won = "  won" if one.holds and one.name == choice.won else ""
        why = f"  — {one.reason}" if one.reason else ""
        yield f"  {sign} {one.name:<{width}}{where}{won}{why}"


def choice_text(choice: DecisionResult) -> str:
    """What was decided, in one line."""
    text = choice.target or "(no change)"
    if choice.won:
        text += f", by {choice.won}"
    if choice.outcome:
        given = ", ".join(f"{name} = {value_text(value)}" for name, value in choice.outcome.items())
        text += f"; {given}"
    return text


def decision_facts(asked: ReexecutedDecision) -> dict[str, Any]:
    """All of it in plain values."""
    facts: dict[str, Any] = msgspec.to_builtins(asked)
    return {**facts, "reproduced": asked.is_reproduced, "changed": asked.is_changed}


def _tree(choice: DecisionResult) -> TreeSnapshot:
    nodes = tuple(
        RecordedNode(node.name, node.kind, node.parent, node.status, "", node.reason)
        for node in choice.nodes
    )
    return TreeSnapshot(0, "", None, nodes, {}, ())
