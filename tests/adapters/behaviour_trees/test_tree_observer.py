"""Trees of py_trees, ticked as their programs tick them."""

from typing import Any

import pytest

py_trees = pytest.importorskip("py_trees")

from py_trees.behaviours import Running, StatusQueue, Success  # noqa: E402
from py_trees.common import Access, Status  # noqa: E402
from py_trees.composites import Parallel, Selector, Sequence  # noqa: E402
from py_trees.decorators import Inverter  # noqa: E402
from py_trees.trees import BehaviourTree  # noqa: E402

from playhead.errors import RecordingError  # noqa: E402
from playhead.playback.commands import Enter  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DT = 1 / 64


class Boss:
    def __init__(self) -> None:
        self.hp = 9


class Aim(py_trees.behaviour.Behaviour):
    """Says what it does, and keeps a number on the blackboard."""

    def __init__(self) -> None:
        super().__init__("aim")
        self.board = self.attach_blackboard_client("aim")
        self.board.register_key("shots", access=Access.WRITE)
        self.ticks = 0

    def update(self) -> Status:
        self.ticks += 1
        self.board.shots = self.ticks // 2
        self.feedback_message = f"shot {self.board.shots}"
        return Status.RUNNING


@pytest.fixture(autouse=True)
def clean_blackboard():
    yield
    py_trees.blackboard.Blackboard.clear()


def guard_tree() -> Any:
    sees = StatusQueue("sees", [Status.FAILURE, Status.SUCCESS], Status.FAILURE)
    attack = Sequence("attack", memory=False, children=[sees, Running("hit")])
    return Selector("guard", memory=False, children=[attack, Running("patrol")])


def statuses(rec: Any, frame: int) -> Any:
    [(agent, trace)] = rec.source.traces(frame)
    return agent, trace.statuses


@pytest.mark.parametrize("make", [BehaviourTree, lambda root: root])
def test_each_tick_is_recorded_with_each_nodes_status(make):
    boss, tree = Boss(), make(guard_tree())
    tick = tree.tick if hasattr(tree, "root") else tree.tick_once
    with record([boss], dt=DT, strict=True) as rec:
        rec.add(tree, agent=boss)
        rec.add(tree, agent=boss)
        for _ in range(3):
            with rec.frame():
                tick()
        rec.update()
        nodes = rec.source.tree(3, 1, "guard")
        assert [(node.name, node.kind, node.parent) for node in nodes] == [
            ("guard", "selector", -1), ("attack", "sequence", 0), ("sees", "action", 1),
            ("hit", "action", 1), ("patrol", "action", 0),
        ]  # fmt: skip
        assert statuses(rec, 1) == (1, ("running", "failure", "failure", "", "running"))
        assert statuses(rec, 2) == (1, ("running", "running", "success", "running", ""))
        assert statuses(rec, 3) == (1, ("running", "failure", "failure", "", "running"))
        [(_, second)] = rec.source.traces(2)
        assert second.ended_early == {4: "interrupted: guard went on with attack"}
        assert rec.source.traces(4) == [], "it was not ticked in that frame"


def test_the_tree_is_as_before_when_the_recording_has_ended():
    root, tree = guard_tree(), BehaviourTree(guard_tree())
    before = dict(vars(root))
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        rec.add(tree)
        root.tick_once()
        tree.tick()
    assert tree.visitors == []
    assert vars(root).keys() == before.keys()
    root.tick_once()
    tree.tick()


def test_recording_changes_no_tick():
    def play(rec: Any) -> list[str]:
        root = guard_tree()
        if rec is not None:
            rec.add(root)
        calls = []
        for _ in range(9):
            calls += [f"{node.name} {node.status}" for node in root.tick()]
        return calls

    with record(dt=DT, strict=True) as rec:
        assert play(rec) == play(None)


def test_a_tree_that_changes_is_defined_anew():
    tree = BehaviourTree(guard_tree())
    with record(dt=DT, strict=True) as rec:
        rec.add(tree, name="brain")
        tree.tick()
        rec.update()
        tree.root.add_child(Success("rest"))
        tree.tick()
        rec.update()
        tree.root = Inverter("not", Parallel(
            "both", py_trees.common.ParallelPolicy.SuccessOnAll(), [Success("a"), Success("b")]
        ))  # fmt: skip
        tree.tick()
        rec.update()
        assert [len(rec.source.tree(n, 0, "brain")) for n in (1, 2, 3)] == [5, 6, 4]
        assert [node.kind for node in rec.source.tree(3, 0, "brain")] == [
            "decorator", "parallel", "action", "action",
        ]  # fmt: skip
        assert statuses(rec, 3) == (0, ("failure", "success", "success", "success"))


def test_feedback_and_the_blackboard_are_reported_where_they_change():
    root = Sequence("root", memory=False, children=[Aim()])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(3):
            root.tick_once()
            rec.update()
        results = [trace.blackboard for n in (1, 2, 3) for _, trace in rec.source.traces(n)]
        assert results == [
            {"/shots": 0},
            {"/shots": 1},
            {},
        ]
        results = [trace.reasons for n in (1, 2, 3) for _, trace in rec.source.traces(n)]
        assert results == [{1: "shot 0"}, {1: "shot 1"}, {1: "shot 1"}]


def test_an_agent_that_comes_back_has_its_tree_again():
    boss = Boss()
    there = [boss]
    root = guard_tree()
    with record(lambda: there, dt=DT, strict=True) as rec:
        rec.add(root, agent=boss)
        root.tick_once()
        rec.update()
        there.clear()
        rec.update()
        there.append(boss)
        rec.update()
        root.tick_once()
        rec.update()
        assert rec.source.tree(2, 1, "guard") == ()
        assert len(rec.source.tree(4, 1, "guard")) == 5


def test_an_agent_that_is_not_recorded_has_its_tree_and_is_reported_once(caplog):
    boss = Boss()
    root = guard_tree()
    with record(dt=DT, strict=True) as rec:
        rec.add(root, agent=boss)
        for _ in range(3):
            root.tick_once()
            rec.update()
        assert len(rec.source.tree(3, 1, "guard")) == 5
    [line] = [line for line in caplog.messages if "is not recorded" in line]
    assert "rec.add" in line


def test_trees_of_one_name_are_distinguished_and_ticks_in_playback_are_none():
    one, two = guard_tree(), guard_tree()
    with record(dt=DT, strict=True) as rec:
        rec.add(one)
        rec.add(two)
        one.tick_once()
        two.tick_once()
        rec.update()
        assert sorted(trace.tree for _, trace in rec.source.traces(1)) == ["guard", "guard 2"]
        rec.apply(Enter(), now=True)
        one.tick_once()
        rec.leave()
        rec.update()
        assert rec.source.traces(2) == []


def test_what_raises_in_a_tick_is_the_programs_and_the_tick_is_recorded():
    class Broken(py_trees.behaviour.Behaviour):
        def update(self) -> Status:
            raise KeyError("target")

    root = Sequence("root", memory=False, children=[Success("look"), Broken("hit")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with pytest.raises(KeyError, match="target"):
            root.tick_once()
        rec.update()
        assert statuses(rec, 1)[1][1] == "success"


@pytest.mark.parametrize("agent", ["boss", 1.5, True, -1])
def test_an_agent_is_an_object_or_an_id(agent):
    with record(dt=DT) as rec, pytest.raises(RecordingError, match="agent="):
        rec.add(guard_tree(), agent=agent)
