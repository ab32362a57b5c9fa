"""The demos that come with py_trees are recorded unchanged, and scrubbed afterwards."""

from typing import Any

import pytest

py_trees = pytest.importorskip("py_trees")

from py_trees.demos import (  # noqa: E402
    context_switching,
    display_modes,
    dot_graphs,
    either_or,
    eternal_guard,
    logging,
    pick_up_where_you_left_off,
    selector,
    sequence,
    stewardship,
)
from py_trees.visitors import SnapshotVisitor, VisitorBase  # noqa: E402

from playhead.recorder.clips.clip_source import ClipSource  # noqa: E402
from playhead.recording.recording import Recording  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DEMOS = {
    "selector": selector.create_root,
    "sequence": sequence.create_root,
    "context switching": context_switching.create_root,
    "either or": either_or.create_root,
    "eternal guard": eternal_guard.create_root,
    "logging": logging.create_tree,
    "pick up where you left off": pick_up_where_you_left_off.create_root,
    "stewardship": stewardship.create_tree,
    "display modes": display_modes.create_root,
    "dot graphs": lambda: dot_graphs.create_tree("all"),
}
TICKS = 30


@pytest.fixture(autouse=True)
def clean_blackboard():
    py_trees.blackboard.Blackboard.clear()
    yield
    py_trees.blackboard.Blackboard.clear()


class Witness(VisitorBase):
    """Notes what py_trees shows a visitor of a tick."""

    def __init__(self) -> None:
        super().__init__(full=False)
        self.seen: list[tuple[Any, str, str]] = []

    def initialise(self) -> None:
        self.seen = []

    def run(self, behaviour: Any) -> None:
        status = behaviour.status.name.lower()
        self.seen.append((behaviour, "" if status == "invalid" else status, behaviour.name))


def watched(root: Any, path: Any) -> list[tuple[list[str], list[tuple[int, str]], dict[str, Any]]]:
    """Record a demo's ticks; returns what py_trees said of each: names, statuses, blackboard."""
    tree, witness = py_trees.trees.BehaviourTree(root), Witness()
    tree.add_visitor(witness)
    snapshot = SnapshotVisitor()
    tree.add_visitor(snapshot)
    calls = []
    with record(path=path, dt=1 / 10, strict=True) as rec:
        rec.add(tree, name="demo")
        tree.setup(timeout=15)
        for _ in range(TICKS):
            with rec.frame():
                tree.tick()
            order = in_order(tree.root)
            places = {id(node): place for place, node in enumerate(order)}
            assert {node.id for node, _, _ in witness.seen} == set(snapshot.visited)
            calls.append((
                [node.name for node in order],
                sorted({places[id(node)]: status for node, status, _ in witness.seen}.items()),
                [node.feedback_message for node in order],
                dict(py_trees.blackboard.Blackboard.storage),
            ))  # fmt: skip
        tree.shutdown()
    return calls


def in_order(node: Any) -> list[Any]:
    return [node, *(one for child in node.children for one in in_order(child))]


@pytest.mark.parametrize("name", DEMOS)
def test_at_each_frame_a_demo_stands_as_a_visitor_of_py_trees_saw_it(name, tmp_path, capsys):
    made = DEMOS[name]()
    root = getattr(made, "root", made)
    result = watched(root, tmp_path / "demo.mcap")
    with ClipSource.open(tmp_path / "demo.mcap") as clip:
        run = Recording(clip, "demo")
        frames = list(range(1, TICKS + 1))
        for frame in [*reversed(frames), *frames[::3]]:
            names, statuses, feedback, storage = result[frame - 1]
            tree = run.tree(0, "demo", frame=frame)
            assert [node.name for node in tree.nodes] == names
            seen = [(n, node.status) for n, node in enumerate(tree.nodes) if node.status]
            assert seen == [one for one in statuses if one[1]]
            assert [node.reason for node in tree.nodes] == feedback
            plain = {k: v for k, v in storage.items() if isinstance(v, bool | int | float | str)}
            assert {key: tree.entries.get(key) for key in plain if key in tree.entries} == {
                key: value for key, value in plain.items() if key in tree.entries
            }


def test_a_demo_prints_the_same_with_and_without_a_recording(capsys):
    def play(*, recorded: bool) -> str:
        py_trees.blackboard.Blackboard.clear()
        root = pick_up_where_you_left_off.create_root()
        tree = py_trees.trees.BehaviourTree(root)
        tree.add_visitor(py_trees.visitors.DisplaySnapshotVisitor(
            display_blackboard=True, display_activity_stream=True
        ))  # fmt: skip
        rec = record(dt=1 / 10, strict=True)
        if recorded:
            rec.add(tree)
        tree.setup(timeout=15)
        capsys.readouterr()
        for _ in range(12):
            with rec.frame():
                tree.tick()
        printed = capsys.readouterr().out
        rec.close()
        return printed

    assert play(recorded=True) == play(recorded=False)
