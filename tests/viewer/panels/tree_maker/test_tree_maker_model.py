"""The tree maker without painting: where a drop puts things, and what is said of what is wrong."""

import pytest

from playhead.viewer.panels.tree_maker.tree_maker_model import (
    MadeTree,
    TreeOutlineNode,
    TreeProblem,
    drop_target,
    lines_of,
    made_tree_of,
    moved,
    palette_of,
    put,
    removed,
)

TREE = MadeTree(
    agent="guard",
    rows=(
        TreeOutlineNode("guard", "selector", 0),
        TreeOutlineNode("fight", "sequence", 1, "guard", 0),
        TreeOutlineNode("sees", "trigger", 2, "fight", 0),
        TreeOutlineNode("hit", "action", 2, "fight", 1),
        TreeOutlineNode("walk", "action", 1, "guard", 1),
    ),
    kinds=("selector",),
    actions=("hit", "walk"),
    triggers=("sees",),
    problems=(TreeProblem("guard > guard > fight: it is odd", warning=True), TreeProblem("bad")),
)


@pytest.mark.parametrize(
    ("row", "share", "where"),
    [
        (0, 0.1, ("guard", 2)), (0, 0.9, ("guard", 2)),
        (1, 0.1, ("guard", 0)), (1, 0.5, ("fight", 2)), (1, 0.9, ("guard", 1)),
        (2, 0.4, ("fight", 0)), (3, 0.6, ("fight", 2)), (4, 0.9, ("guard", 2)),
        (-1, 0.0, ("guard", 2)), (99, 0.5, ("guard", 2)),
    ],
)  # fmt: skip
def test_a_drop_goes_before_behind_or_below_a_row(row, share, where):
    assert drop_target(TREE, row, share) == where
    assert put(TREE, "hit", row, share) == {
        "do": "insert", "parent": where[0], "index": where[1], "item": "hit",
    }  # fmt: skip


def test_nodes_move_and_go_but_for_the_root():
    assert moved(TREE, TREE.rows[4], 1, 0.5) == {
        "do": "move", "parent": "guard", "index": 1, "to": "fight", "at": 2,
    }  # fmt: skip
    assert moved(TREE, TREE.rows[0], 1, 0.5) is None
    assert removed(TREE.rows[3]) == {"do": "remove", "parent": "fight", "index": 1}
    assert removed(TREE.rows[0]) is None


def test_lines_show_the_tree_and_all_that_is_wrong():
    lines = lines_of(TREE, "can't do that")
    assert [line.title for line in lines[:5]] == ["guard", "fight", "sees", "hit", "walk"]
    assert lines[1].status == "warning"
    assert [(line.title, line.status) for line in lines[5:]] == [
        ("can't do that", "wrong"), ("guard > guard > fight: it is odd", "warning"),
        ("bad", "wrong"),
    ]  # fmt: skip
    assert not TREE.is_sound
    counted = MadeTree(rows=(TreeOutlineNode("c", "count", 0, times=3, status="failure"),))
    assert lines_of(counted)[0].detail == "count 3 × failure, then success"


def test_the_palette_has_headings():
    assert [item.name for item in palette_of(TREE)] == [
        "NODES", "selector", "ACTIONS", "hit", "walk", "TRIGGERS", "sees",
    ]  # fmt: skip


def test_what_is_no_tree_is_none():
    assert made_tree_of({"rows": 3}) is None
    assert made_tree_of({"agent": "a", "more": 1}) == MadeTree(agent="a")
    assert drop_target(MadeTree(), 0, 0.5) is None
