"""What each kind of node makes of its children: the table, and random trees against a plain one."""

from typing import Any

import py_trees
import pytest
from hypothesis import given
from hypothesis import strategies as st
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from playhead.agents.behaviour_trees.tree_nodes import (
    ActionLeaf,
    Count,
    Inverter,
    Parallel,
    Selector,
    Sequence,
    TriggerCondition,
)

S, F, R = Status.SUCCESS, Status.FAILURE, Status.RUNNING
LETTERS = {"S": S, "F": F, "R": R}


class Scripted(Behaviour):
    """Ends as a script says, tick by tick, and goes through it again."""

    def __init__(self, script: str) -> None:
        super().__init__(script)
        self.script, self.ticks = script, 0

    def update(self) -> Status:
        self.ticks += 1
        return LETTERS[self.script[(self.ticks - 1) % len(self.script)]]


def ticked(root: Behaviour, times: int = 1) -> list[Status]:
    statuses = []
    for _ in range(times):
        root.tick_once()
        statuses.append(root.status)
    return statuses


@pytest.mark.parametrize(
    ("kind", "children", "status", "executed"),
    [
        (Selector, "S", S, 1), (Selector, "R", R, 1), (Selector, "F", F, 1),
        (Selector, "FRS", R, 2), (Selector, "FSF", S, 2), (Selector, "FFF", F, 3),
        (Selector, "", F, 0),
        (Sequence, "S", S, 1), (Sequence, "R", R, 1), (Sequence, "F", F, 1),
        (Sequence, "SFS", F, 2), (Sequence, "SRS", R, 2), (Sequence, "SSS", S, 3),
        (Sequence, "", S, 0),
        (Parallel, "FF", S, 2), (Parallel, "SRF", S, 3), (Parallel, "R", S, 1),
        (Parallel, "", S, 0),
    ],
)  # fmt: skip
def test_a_composite_ends_as_the_table_says_and_executes_no_more(kind, children, status, executed):
    leaves = [Scripted(letter) for letter in children]
    assert ticked(kind("it", leaves)) == [status]
    assert [leaf.ticks for leaf in leaves] == [1] * executed + [0] * (len(leaves) - executed)


@pytest.mark.parametrize(("child", "status"), [("S", F), ("F", S), ("R", R)])
def test_an_inverter_turns_success_and_failure_and_passes_running_on(child, status):
    assert ticked(Inverter("not", Scripted(child))) == [status]


@pytest.mark.parametrize(
    ("script", "counted", "times", "result", "statuses"),
    [
        ("S", "success", 3, "success", [R, R, S, R, R, S]),
        ("S", "success", 3, "failure", [R, R, F, R, R, F]),
        ("S", "success", 1, "success", [S, S]),
        ("SF", "failure", 2, "success", [R, R, R, S, R, R, R, S]),
        ("S", "failure", 2, "success", [R, R, R]),
        ("R", "running", 2, "failure", [R, F, R, F]),
        ("SFR", "any", 3, "success", [R, R, S, R, R, S]),
    ],
)
def test_a_count_is_running_until_it_has_counted_enough(script, counted, times, result, statuses):
    assert ticked(Count("n", Scripted(script), counted, times, result), len(statuses)) == statuses


def test_a_selector_and_a_sequence_begin_with_their_first_child_in_each_tick():
    first, second = Scripted("SF"), Scripted("R")
    assert ticked(Sequence("both", [first, second]), 2) == [R, F]
    assert (first.ticks, second.ticks) == (2, 1)
    first, second = Scripted("FS"), Scripted("R")
    assert ticked(Selector("one", [first, second]), 2) == [R, S]
    assert second.status is Status.INVALID


def test_a_count_that_was_passed_over_in_a_tick_begins_anew():
    count = Count("n", Scripted("S"), times=3)
    assert ticked(Selector("one", [Scripted("FFSFFF"), count]), 6) == [R, R, S, R, R, S]


def test_a_count_below_a_parallel_goes_on_although_the_parallel_succeeds():
    done = Scripted("S")
    count = Sequence("three", [Count("n", Scripted("S"), times=3), done])
    assert ticked(Sequence("all", [Parallel("p", [count])]), 6) == [S] * 6
    assert done.ticks == 2


def test_an_action_succeeds_and_a_trigger_says_why_it_does_not():
    did: list[str] = []
    action = ActionLeaf("shout", lambda: did.append("ho") or "shouted")  # type: ignore[func-returns-value]
    trigger = TriggerCondition("near", lambda: "it is 3 m away")
    assert ticked(Selector("one", [trigger, action])) == [S]
    assert (did, action.feedback_message) == (["ho"], "shouted")
    assert (trigger.status, trigger.feedback_message) == (F, "it is 3 m away")


# --- random trees -----------------------------------------------------------------------------

Shape = Any
"""A script of letters, or a kind with what it takes and its children."""


def shapes(*, counts: bool = True, parallels: bool = True) -> st.SearchStrategy[Shape]:
    leaves = st.text("SFR", min_size=1, max_size=4)
    ends = st.tuples(
        st.sampled_from(["success", "failure", "running", "any"]), st.integers(1, 4),
        st.sampled_from(["success", "failure"]),
    )  # fmt: skip

    def inner(below: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
        some = st.lists(below, max_size=4)
        kinds = ["selector", "sequence", *(["parallel"] if parallels else [])]
        made = [st.tuples(st.sampled_from(kinds), some), st.tuples(st.just("inverter"), below)]
        return st.one_of(made + ([st.tuples(st.just("count"), below, ends)] if counts else []))

    return st.recursive(leaves, inner, max_leaves=12)


class Plain:
    """A tree worked out as the rules say and no otherwise; `last` is when each was executed."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        parts = [] if isinstance(shape, str) else shape[1]
        self.children = [Plain(part) for part in (parts if isinstance(parts, list) else [parts])]
        self.last = self.ticks = self.count = 0

    def tick(self, now: int) -> str:
        """S, F or R."""
        if isinstance(self.shape, str):
            self.ticks += 1
            return self.shape[(self.ticks - 1) % len(self.shape)]
        passed_over = self.last < now - 1
        self.last = now
        match self.shape[0]:
            case "parallel":
                for child in self.children:
                    child.tick(now)
                return "S"
            case "inverter":
                return {"S": "F", "F": "S", "R": "R"}[self.children[0].tick(now)]
            case "count":
                counted, times, result = self.shape[2]
                self.count = 0 if passed_over else self.count
                ended = self.children[0].tick(now)
                self.count += counted in ("any", LETTERS[ended].name.lower())
                if self.count < times:
                    return "R"
                self.count = 0
                return "S" if result == "success" else "F"
            case kind:
                goes_on = "F" if kind == "selector" else "S"
                for child in self.children:
                    if (ended := child.tick(now)) != goes_on:
                        return ended
                return goes_on


def tree_of(shape: Shape) -> Behaviour:
    if isinstance(shape, str):
        return Scripted(shape)
    match shape[0]:
        case "inverter":
            return Inverter("inverter", tree_of(shape[1]))
        case "count":
            return Count("count", tree_of(shape[1]), *shape[2])
        case kind:
            kinds = {"selector": Selector, "sequence": Sequence, "parallel": Parallel}
            return kinds[kind](kind, [tree_of(part) for part in shape[1]])


PLAIN_KINDS = {
    "selector": (Selector, py_trees.composites.Selector),
    "sequence": (Sequence, py_trees.composites.Sequence),
}


def both_trees(shape: Shape) -> tuple[Behaviour, Behaviour]:
    """The same tree of our nodes, and of py_trees' own."""
    if isinstance(shape, str):
        return Scripted(shape), Scripted(shape)
    if shape[0] == "inverter":
        ours, theirs = both_trees(shape[1])
        return Inverter("it", ours), py_trees.decorators.Inverter("it", theirs)
    pairs = [both_trees(part) for part in shape[1]]
    ours, theirs = PLAIN_KINDS[shape[0]]
    return (
        ours("it", [one for one, _ in pairs]),
        theirs("it", memory=False, children=[other for _, other in pairs]),
    )


@given(shapes(counts=False, parallels=False))
def test_a_tree_without_counts_and_parallels_is_ticked_as_py_trees_ticks_it(shape):
    ours, theirs = both_trees(shape)
    for tick in range(6):
        visited = [[(node.name, node.status) for node in tree.tick()] for tree in (ours, theirs)]
        assert visited[0] == visited[1], f"tick {tick}"


@given(shapes())
def test_in_each_tick_control_goes_from_the_root_down_and_each_node_is_executed_once(shape):
    tree = tree_of(shape)
    for _ in range(4):
        executed = list(tree.tick())
        assert executed[-1] is tree
        assert len({id(node) for node in executed}) == len(executed)
        for at, node in enumerate(executed[:-1]):
            assert node.parent in executed[at + 1 :], "a parent ends behind its children"


@given(shapes())
def test_any_tree_does_what_the_rules_say(shape):
    tree, plain = tree_of(shape), Plain(shape)
    for now in range(1, 13):
        tree.tick_once()
        assert tree.status is LETTERS[plain.tick(now)], f"tick {now}"
