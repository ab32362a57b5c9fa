"""The behaviour tree panel with its filter, its switches and its graph, on trees of py_trees."""

import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
py_trees = pytest.importorskip("py_trees")
pytest.importorskip("igraph")

from py_trees.behaviours import Running, StatusQueue, Success  # noqa: E402
from py_trees.common import Access, Status  # noqa: E402
from py_trees.composites import Selector, Sequence  # noqa: E402

from playhead.recorder.packets.trace_types import TreeNode  # noqa: E402
from playhead.recording_session import record  # noqa: E402
from playhead.viewer.panels.behaviour_tree.behaviour_tree_views import (  # noqa: E402
    BehaviourTreeViews,
)
from playhead.viewer.panels.behaviour_tree.graph_layout import node_positions  # noqa: E402
from playhead.viewer.toolkit.qt import QPointF  # noqa: E402

from ..panel_harness import open_dock  # noqa: E402

TICKS = 20


class Shoot(py_trees.behaviour.Behaviour):
    def __init__(self) -> None:
        super().__init__("shoot")
        self.board = self.attach_blackboard_client("shoot")
        self.board.register_key("ammo", access=Access.WRITE)
        self.board.register_key("name", access=Access.WRITE)
        self.board.ammo, self.board.name = 50, "north"

    def update(self) -> Status:
        self.board.ammo -= 1
        self.feedback_message = f"{self.board.ammo} left"
        return Status.RUNNING


def guard(branches: int = 0) -> Any:
    sees = StatusQueue("sees", [Status.FAILURE] * 5 + [Status.SUCCESS] * 5, Status.FAILURE)
    sees.feedback_message = "too far"
    rest = Sequence("rest", memory=True, children=[Success("sit"), Running("sleep")])
    more = [
        Sequence(f"branch {n}", False, [StatusQueue(f"is {n}", [Status.FAILURE], None),
                                        Success(f"do {n}"), Success(f"end {n}")])
        for n in range(branches)
    ]  # fmt: skip
    attack = Sequence("attack", False, [sees, Shoot()])
    return Selector("guard", False, [attack, *more, rest])


def recorded(path: Path, branches: int = 0) -> Path:
    py_trees.blackboard.Blackboard.clear()
    root, soldier = guard(branches), {"name": "north", "x": 0.0}
    with record([soldier], path, dt=0.1, strict=True) as rec:
        rec.add(root, agent=soldier)
        for _ in range(TICKS):
            with rec.frame():
                root.tick_once()
    py_trees.blackboard.Blackboard.clear()
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("small") / "run.mcap")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("large") / "run.mcap", branches=124)


@pytest.fixture
def stage(app, until, small):
    with open_dock(app, until, BehaviourTreeViews, small) as made:
        yield made


def test_reasons_kept_statuses_and_what_changed_on_the_blackboard_are_listed(stage):
    tree = stage.panel.list
    stage.go(3, 1)
    rows = {row.name: row for row in tree.rows}
    assert (rows["sees"].status, rows["sees"].reason) == ("failure", "too far")
    assert rows["sit"].status == ("success" if stage.store.frame == 1 else "")
    assert rows["sit"].kept == "success"
    assert "  sit  [success in an earlier tick]" in tree.text().replace("    sit", "  sit")
    stage.go(8, 1)
    board = {entry.name: entry for entry in tree.board}
    assert (board["/ammo"].value, board["/ammo"].before, board["/ammo"].fresh) == (47, "48", True)
    assert (board["/name"].value, board["/name"].fresh) == ("north", False)
    assert "/ammo = 47, was 48" in tree.text()
    rows = {row.name: row for row in tree.rows}
    assert rows["rest"].folded
    assert rows["rest"].reason == "▸ 2 not ticked"


def test_the_filter_lists_what_matches_below_what_it_belongs_to(stage):
    stage.go(8, 1)
    stage.panel.filter.setText("shoot")
    assert [(row.name, row.depth) for row in stage.panel.list.rows] == [
        ("guard", 0), ("attack", 1), ("shoot", 2),
    ]  # fmt: skip
    stage.panel.filter.setText("LEFT running")
    assert [row.name for row in stage.panel.list.rows][-1] == "shoot"
    stage.panel.filter.setText("nothing has this")
    assert stage.panel.list.rows == []
    assert stage.panel.list.empty_text == "Nothing matches"


def test_what_runs_is_listed_alone_with_its_clock(stage):
    stage.go(8, 1)
    stage.panel.running.click()
    (row,) = stage.panel.list.rows
    assert (row.name, row.depth, row.reason) == ("shoot", 0, "47 left")
    assert row.seconds_text == "0.20 s"
    stage.panel.running.click()
    assert len(stage.panel.list.rows) > 1


def test_the_buttons_go_to_the_previous_and_next_change_of_the_chosen_node(stage):
    tree = stage.panel.list
    stage.go(3, 1)
    stage.panel.next.click()
    assert stage.messages[-1].startswith("Click a node first")
    tree.node = 2
    for frame in (6, 11):
        stage.panel.next.click()
        stage.until(lambda frame=frame: stage.store.frame == frame)
    stage.panel.previous.click()
    stage.until(lambda: stage.store.frame == 6)


def test_the_graph_shows_the_same_tree_and_chooses_its_nodes(stage):
    stage.go(8, 1)
    stage.panel.as_graph.click()
    graph = stage.panel.graph
    stage.app.processEvents()
    graph.grab()
    assert graph.error_text == ""
    assert [node.name for node in graph.nodes][:2] == ["guard", "attack"]
    middle = graph.box_of(3).center()
    assert graph.node_at(middle) == 3
    assert graph.node_at(QPointF(-50, -50)) == -1
    assert graph.card(3) == "shoot · action\nrunning\n47 left"
    assert graph.card(-1) == ""
    from PyQt6.QtTest import QTest

    from playhead.viewer.toolkit.qt import Qt

    QTest.mouseClick(graph, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    assert stage.panel.list.node == 3
    before = graph.zoom
    graph.zoom_at(middle, 2.0)
    assert graph.zoom == pytest.approx(2 * before)
    assert graph.box_of(3).center().x() == pytest.approx(middle.x())
    graph.fit()
    boxes = [graph.box_of(at) for at in range(len(graph.nodes))]
    assert all(graph.rect().adjusted(-9, -9, 9, 9).contains(b.toRect()) for b in boxes)


def test_a_graph_of_500_nodes_is_painted_at_once_and_begins_where_it_can_be_read(app, until, large):
    with open_dock(app, until, BehaviourTreeViews, large) as stage:
        stage.panel.resize(1200, 900)
        stage.go(8, 1)
        stage.panel.as_graph.click()
        app.processEvents()
        graph = stage.panel.graph
        graph.grab()
        assert len(graph.nodes) == 503
        assert graph.zoom >= 0.5
        graph.fit()
        graph.grab()
        begun = time.thread_time()
        for _ in range(5):
            graph.zoom_at(QPointF(600, 450), 1.1)
            graph.grab()
        assert (time.thread_time() - begun) / 5 < 0.25
        assert graph.error_text == ""


def test_no_two_nodes_of_a_graph_stand_in_one_place_and_children_keep_their_order():
    nodes = [TreeNode("root", "selector")]
    for n in range(40):
        nodes += [TreeNode(f"b{n}", "sequence", 0), TreeNode(f"l{n}", "action", len(nodes))]
    nodes[2::2] = [TreeNode(one.name, one.kind, at) for at, one in enumerate(nodes[2::2], 1)]
    for at, one in enumerate(nodes[1:], 1):
        assert one.parent < at
    positions = node_positions(nodes)
    assert len({tuple(position) for position in positions.tolist()}) == len(nodes)
    heights = [positions[at][1] for at, one in enumerate(nodes) if one.parent == 0]
    assert heights == sorted(heights)
    assert node_positions([TreeNode("alone")]).tolist() == [[0.0, 0.0]]
