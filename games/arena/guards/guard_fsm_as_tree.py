"""A guard's state machine as a behaviour tree: its conditions in order, and why each failed.

The tree shows the table of `guard_fsm.py` as branches. Only the branch of the present state is
evaluated, row by row, until a condition holds. If none holds, the guard keeps its state.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ....recorder.packets.trace_types import TreeNode
from ....recorder.statements.instrumentation_interface import Belief, Instrumentation, Scalar
from .guard import Guard
from .guard_fsm import GuardFacts, RuleTable, State

TREE = "thinking"


class GuardTreeShape(NamedTuple):
    """A table as a tree, and where in it each state begins."""

    nodes: tuple[TreeNode, ...]
    starts: dict[State, int]


def shape_of(table: RuleTable) -> GuardTreeShape:
    """The tree of a table: a state, its rows (each a condition and where it leads), staying."""
    nodes = [TreeNode("guard", "selector")]
    starts = {}
    for state, rows in table.items():
        starts[state] = at = len(nodes)
        nodes.append(TreeNode(state.value, "selector", 0))
        for row in rows:
            nodes.append(TreeNode(f"go over to {row.target.value}", "sequence", at))
            nodes.append(TreeNode(row.condition.name, "condition", len(nodes) - 1))
        nodes.append(TreeNode(f"stay in {state.value}", "action", at))
    return GuardTreeShape(tuple(nodes), starts)


def ticked(
    shape: GuardTreeShape, table: RuleTable, state: State, facts: GuardFacts
) -> tuple[list[str], dict[int, str]]:
    """The status of each node, and why some ended early."""
    statuses, ended = [""] * len(shape.nodes), {}
    at = shape.starts[state]
    branch, winner = at, ""
    for row in table[state]:
        holds = row.condition.holds(facts)
        statuses[at + 2] = "success" if holds else "failure"
        if not holds:
            statuses[at + 1] = "failure"
            ended[at + 2] = row.condition.reason(facts)
        elif winner:
            statuses[at + 1] = "failure"
            ended[at + 1] = f"{winner} came first"
        else:
            statuses[at + 1], winner = "success", row.condition.name
        at += 2
    statuses[at + 1] = "" if winner else "running"
    statuses[0] = statuses[branch] = "success" if winner else "running"
    return statuses, ended


class GuardTreeWriter:
    """Writes guards' behaviour tree ticks to a recorder."""

    def __init__(self) -> None:
        self._shapes: dict[int, GuardTreeShape] = {}
        """Keyed by guard: those whose tree was defined."""
        self._facts: dict[int, dict[str, Scalar]] = {}

    def write(
        self,
        instruments: Instrumentation,
        guard: Guard,
        facts: GuardFacts,
        beliefs: Sequence[Belief],
    ) -> None:
        """Write one guard's decision, before it acts on it."""
        shape = self._shapes.get(guard.id)
        if shape is None:
            shape = self._shapes[guard.id] = shape_of(guard.table)
            instruments.trace.define_tree(guard.id, TREE, shape.nodes)
        statuses, ended = ticked(shape, guard.table, guard.state, facts)
        known = self._facts.get(guard.id, {})
        now = {name: _plain(value) for name, value in facts.values().items()}
        self._facts[guard.id] = now
        instruments.trace.tree(
            guard.id, TREE, statuses, ended_early=ended, beliefs=beliefs,
            blackboard={
                name: value for name, value in now.items() if name not in known
                or known[name] != value
            },
        )  # fmt: skip


def _plain(value: Scalar) -> Scalar:
    """As exact as anybody reads it: what differs by less has not changed."""
    return round(value, 2) if isinstance(value, float) else value
