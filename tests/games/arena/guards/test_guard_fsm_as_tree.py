"""A guard's thinking as a tree."""

import math

import pytest

from playhead.games.arena.guards.guard_fsm import FLAWED, SOUND, GuardFacts, State, decide
from playhead.games.arena.guards.guard_fsm_as_tree import shape_of, ticked

FACTS = GuardFacts(74.0, False, False, math.inf, math.inf, math.inf, 3.0, 1.0)


def condition_rows(table, state, facts):
    """How each node that was gone through stood, by name, and why."""
    shape = shape_of(table)
    statuses, ended = ticked(shape, table, state, facts)
    rows = {
        node.name: (status, ended.get(at, ""))
        for at, (node, status) in enumerate(zip(shape.nodes, statuses, strict=True))
        if status
    }
    assert set(ended) <= {at for at, status in enumerate(statuses) if status}
    return rows


def taken(table, state, facts):
    """The one way out that was taken."""
    shape = shape_of(table)
    statuses, _ = ticked(shape, table, state, facts)
    rows = zip(shape.nodes, statuses, strict=True)
    (way,) = (node.name for node, status in rows if (node.kind, status) == ("sequence", "success"))
    return way


@pytest.mark.parametrize("table", [SOUND, FLAWED])
def test_a_tree_has_each_state_each_row_and_its_condition_below_the_right_parent(table):
    nodes, starts = shape_of(table)
    assert [node.parent for node in nodes].count(-1) == 1
    for state, rows in table.items():
        at = starts[state]
        assert (nodes[at].name, nodes[at].parent) == (state.value, 0)
        inside = [index for index, node in enumerate(nodes) if node.parent == at]
        assert [nodes[index].name for index in inside] == [
            *(f"go over to {row.target.value}" for row in rows), f"stay in {state.value}",
        ]  # fmt: skip
        for index, row in zip(inside, rows, strict=False):
            assert nodes[index + 1] == (nodes[index + 1].__class__)(
                row.condition.name, "condition", index
            )


def test_without_a_condition_that_holds_it_stays_and_says_why_not():
    rows = condition_rows(SOUND, State.PATROL, FACTS)
    assert rows["stay in Patrol"] == ("running", "")
    assert rows["guard"][0] == rows["Patrol"][0] == "running"
    assert rows["hurt"] == ("failure", "hp 74 is not below 35")
    assert rows["sees_target"] == ("failure", "the player is not in sight")
    assert "Chase" not in rows


def test_the_first_condition_that_holds_wins_and_what_else_was_true_came_too_late():
    facts = FACTS._replace(hp=10.0, sees=True)
    rows = condition_rows(SOUND, State.PATROL, facts)
    assert rows["go over to Flee"][0] == rows["hurt"][0] == rows["guard"][0] == "success"
    assert rows["sees_target"][0] == "success"
    assert rows["go over to Notice"] == ("failure", "")
    assert "stay in Patrol" not in rows
    shape = shape_of(SOUND)
    _, ended = ticked(shape, SOUND, State.PATROL, facts)
    assert "hurt came first" in ended.values()


@pytest.mark.parametrize("table", [SOUND, FLAWED])
@pytest.mark.parametrize("state", State)
def test_the_tree_says_what_the_machine_decides(table, state):
    for hp in (10.0, 90.0):
        for sees in (False, True):
            for away in (0.3, 5.0, math.inf):
                facts = FACTS._replace(hp=hp, sees=sees, distance=away, state_time=2.0)
                decision = decide(table, state, facts)
                rows = condition_rows(table, state, facts)
                if decision is None:
                    assert rows[f"stay in {state.value}"][0] == "running"
                else:
                    assert rows[decision.won][0] == "success"
                    assert taken(table, state, facts) == f"go over to {decision.target.value}"
                    assert rows["guard"][0] == "success"
