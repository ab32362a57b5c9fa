"""Ticks of behaviour trees: put together from a complete state and the differences from it."""

import pytest

from playhead.errors import DamagedError
from playhead.recorder.packets.layouts.plain_value_codec import encode_plain
from playhead.recorder.packets.tree_tick_packets import (
    FAILURE,
    KEPT,
    RUNNING,
    SUCCESS,
    TreeChange,
    TreeState,
)
from playhead.recorder.reading import tree_tick_reader
from playhead.recorder.reading.tree_tick_reader import TreeTickReader, trace_of

BEFORE = TreeState("plan", 3, bytes([SUCCESS, RUNNING]), {1: "far"}, {"goal": 1, "enemy": 2})


def read(change, *, stated=(), latched=(), reader=None):
    rows = [(agent, encode_plain(state)) for agent, state in stated]
    reader = TreeTickReader() if reader is None else reader
    return reader.trace(7, encode_plain(change), rows, lambda tree: list(latched))


def test_the_state_may_be_in_the_ticks_own_frame_among_those_of_others():
    others = [
        (8, TreeState("plan", 3, bytes([FAILURE, FAILURE]))),
        (7, TreeState("plan", 2, bytes([FAILURE, FAILURE]))),
        (7, TreeState("other", 3, bytes([FAILURE, FAILURE]))),
    ]
    tick = read(TreeChange("plan", 3, {0: FAILURE}), stated=[*others, (7, BEFORE)])
    assert tick.statuses == ("failure", "running")
    with pytest.raises(DamagedError, match=r"'plan' of object 7 .* record 3, which is not there"):
        read(TreeChange("plan", 3), stated=others)


def test_a_removed_entry_of_the_blackboard_is_gone_and_has_changed_to_nothing():
    change = TreeChange("plan", 3, removed=("goal",), changed=("goal", "enemy"))
    tick = read(change, latched=[BEFORE])
    assert tick.entries == {"enemy": 2}
    assert tick.blackboard == {"goal": None, "enemy": 2}


@pytest.mark.parametrize(("node", "code"), [(2, SUCCESS), (-1, SUCCESS), (0, 8), (0, -1)])
def test_a_status_that_is_none_or_of_no_node_is_damage(node, code):
    with pytest.raises(DamagedError, match=f"node {node} the status {code}, of 2 nodes"):
        read(TreeChange("plan", 3, {node: code}), latched=[BEFORE])


def test_a_state_alone_reads_as_a_tick_in_which_nothing_happened():
    state = TreeState("plan", 3, bytes([SUCCESS, KEPT + RUNNING]), {1: "far"}, {"goal": 1})
    tick = trace_of(state)
    assert (tick.statuses, tick.kept) == (("success", ""), {1: "running"})
    assert (tick.reasons, tick.entries, tick.blackboard) == ({1: "far"}, {"goal": 1}, {})


def test_of_too_many_trees_the_one_read_longest_ago_is_looked_up_again(monkeypatch):
    monkeypatch.setattr(tree_tick_reader, "_REMEMBERED", 2)
    reader, looked_up = TreeTickReader(), []

    def tick(tree):
        def latched(name):
            looked_up.append(name)
            return [TreeState(name, 1, bytes([SUCCESS]))]

        reader.trace(7, encode_plain(TreeChange(tree, 1)), (), latched)

    for tree in ("a", "b", "a", "c", "a", "b"):
        tick(tree)
    assert looked_up == ["a", "b", "c", "b"]
