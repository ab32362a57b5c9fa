"""Ticks of any tree, however it behaves: each is recorded whole, compactly, and nothing is lost."""

import threading
from enum import Enum
from itertools import pairwise
from typing import Any

import pytest

py_trees = pytest.importorskip("py_trees")

from py_trees.behaviours import Running, StatusQueue, Success, TickCounter  # noqa: E402
from py_trees.common import Access, ParallelPolicy, Status  # noqa: E402
from py_trees.composites import Parallel, Selector, Sequence  # noqa: E402
from py_trees.decorators import Timeout  # noqa: E402
from py_trees.trees import BehaviourTree  # noqa: E402

import playhead as ph  # noqa: E402
from playhead.errors import RecordingError  # noqa: E402
from playhead.playback.commands import Enter  # noqa: E402
from playhead.recorder.packets.packet_types import Kind  # noqa: E402
from playhead.recording.recording import Recording  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DT = 1 / 16


class Does(py_trees.behaviour.Behaviour):
    """A leaf that does what it is told to."""

    def __init__(self, name: str, act: Any = None, *keys: str) -> None:
        super().__init__(name)
        self.act = act
        self.board = self.attach_blackboard_client(name)
        for key in keys:
            self.board.register_key(key, access=Access.WRITE)

    def update(self) -> Status:
        found = self.act(self) if self.act is not None else None
        return found if isinstance(found, Status) else Status.SUCCESS


@pytest.fixture(autouse=True)
def clean_blackboard():
    py_trees.blackboard.Blackboard.clear()
    yield
    py_trees.blackboard.Blackboard.clear()


def asked(rec: Any) -> Recording:
    return Recording(rec.source, "test")


def test_a_tick_is_recorded_completely_at_least_once_a_second_and_else_as_what_differs():
    root = Sequence("root", False, [Success(f"leaf {n}") for n in range(200)])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(64):
            with rec.frame():
                root.tick_once()
        whole = [n for n in range(1, 65) if any(
            packet.type == ".tree_state" for packet in rec.source.packets(n)
        )]  # fmt: skip
        times = [rec.source.time(n) for n in whole]
        assert all(after - before <= 1.0 + 1e-9 for before, after in pairwise(times))
        assert len(whole) <= 5
        sizes = [sum(len(p.payload) for p in rec.source.packets(n)) for n in range(5, 10)]
        assert max(sizes) < 100


def test_a_frame_depends_on_nothing_that_was_evicted():
    root = Sequence("root", False, [Running(f"leaf {n}") for n in range(50)])
    tree = BehaviourTree(Parallel("all", ParallelPolicy.SuccessOnAll(), [root]))
    with record(dt=1 / 1000, memory="96 KiB", strict=False) as rec:
        rec.add(tree)
        for _ in range(1700):
            with rec.frame():
                tree.tick()
        span = rec.source.span
        assert span.oldest > 1
        for frame in (span.oldest, span.oldest + 1, span.newest):
            found = asked(rec).tree(0, frame=frame)
            assert [node.status for node in found.nodes[:3]] == ["running"] * 3


def test_several_ticks_in_a_frame_are_each_there_and_the_last_one_is_how_it_stands():
    queue = StatusQueue("q", [Status.FAILURE, Status.SUCCESS, Status.RUNNING], None)
    root = Sequence("root", False, [queue])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            for _ in range(3):
                root.tick_once()
        assert [trace.statuses for _, trace in rec.source.traces(1)] == [
            ("failure", "failure"), ("success", "success"), ("running", "running"),
        ]  # fmt: skip
        found = asked(rec).tree(0)
        assert (found.ticks, found.nodes[1].status) == (3, "running")


def test_what_a_tick_reads_and_writes_is_there_with_before_and_after():
    def act(leaf: Does) -> None:
        leaf.board.ammo = leaf.board.ammo - 1
        leaf.board.path = [1, 2]
        leaf.board.unset("old")
        with pytest.raises(KeyError):
            _ = leaf.board.missing
        with pytest.raises(AttributeError):
            leaf.board.secret = 1

    root = Does("shoot", act, "ammo", "path", "old", "missing")
    other = py_trees.blackboard.Client(name="game")
    for key in ("ammo", "old"):
        other.register_key(key, access=Access.WRITE)
    other.ammo, other.old = 7, "x"
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
        found = asked(rec).tree(0)
        results = [(one.key, one.access, one.node, one.before, one.after) for one in found.accesses]
        assert results == [
            ("/ammo", "read", 0, None, 7), ("/ammo", "write", 0, 7, 6),
            ("/path", "create", 0, None, [1, 2]), ("/old", "unset", 0, None, None),
            ("/missing", "missing", 0, None, None), ("/secret", "denied", 0, None, None),
        ]  # fmt: skip
        assert found.entries == {"/ammo": 6, "/path": [1, 2]}
        other.ammo = 100
        root.act = None
        with rec.frame():
            root.tick_once()
        found = asked(rec).tree(0)
        assert (found.blackboard, found.accesses) == ({"/ammo": 100}, ())
        assert asked(rec).tree(0, frame=1).entries["/ammo"] == 6
    assert py_trees.blackboard.Blackboard.activity_stream is None


def test_a_value_that_changes_by_itself_and_one_that_is_removed_are_noticed():
    def act(leaf: Does) -> None:
        if not leaf.board.exists("path"):
            leaf.board.path = []
        leaf.board.path.append(len(leaf.board.path))

    root = Does("walk", act, "path")
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for number in range(4):
            with rec.frame():
                root.tick_once()
                if number == 2:
                    py_trees.blackboard.Blackboard.unset("/path")
        run = asked(rec)
        assert [run.tree(0, frame=n).entries.get("/path") for n in (1, 2, 3, 4)] == [
            [0], [0, 1], [0, 1, 2], [0],
        ]  # fmt: skip


def test_values_that_are_not_plain_are_recorded_as_texts_and_reported_once(caplog):
    class Mood(Enum):
        CALM = 1

    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    values = {
        "thing": Rude(), "mood": Mood.CALM, "huge": 1 << 70, "long": "x" * 10_000,
        "many": list(range(5000)), "nested": {"a": (1, 2)}, "odd": {1, 2},
    }  # fmt: skip

    def act(leaf: Does) -> None:
        for key, value in values.items():
            leaf.board.set(key, value)

    root = Does("leaf", act, *values)
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(2):
            with rec.frame():
                root.tick_once()
        entries = asked(rec).tree(0).entries
        assert entries["/mood"] == "CALM"
        assert entries["/nested"] == {"a": [1, 2]}
        assert "whose text can't be had" in entries["/thing"]
        assert entries["/huge"] == str(1 << 70)
        assert entries["/long"].endswith("… (10,000 characters)")
        assert entries["/many"] == "list of 5,000 items"
        assert {loss.what for loss in rec.source.losses(2)} >= {"/thing", "/huge", "/long", "/many"}
    assert sum("/thing on the blackboard" in line for line in caplog.messages) == 1


def test_feedback_that_is_no_text_or_endless_is_kept_as_far_as_it_goes():
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    results: list[Any] = [None, 7, b"raw", "x" * 1_000_000, Rude(), "\x1b[31m\x00", "\ud800"]

    def act(leaf: Does) -> None:
        leaf.feedback_message = results[int(leaf.board.n)]
        leaf.board.n += 1

    root = Does("leaf", act, "n")
    root.board.n = 0
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in results:
            with rec.frame():
                root.tick_once()
        reasons = [asked(rec).tree(0, frame=n + 1).nodes[0].reason for n in range(len(results))]
    assert reasons[:3] == ["", "7", "b'raw'"]
    assert reasons[3].endswith("… (1,000,000 characters)")
    assert len(reasons[3]) < 250
    assert reasons[4:] == ["a Rude whose text can't be had", "\x1b[31m\x00", "\\ud800"]


def test_a_status_is_what_it_was_right_after_the_node_was_ticked_though_its_parent_stops_it():
    root = Timeout("timeout", Running("walk"), duration=0.0)
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
            root.tick_once()
        found = asked(rec).tree(0)
        assert [node.status for node in found.nodes] == ["failure", "running"]
        assert found.nodes[1].ended_early == "interrupted: timeout ended with failure"
        assert found.nodes[0].reason == "timed out"


def test_a_node_that_is_not_ticked_keeps_the_status_of_an_earlier_tick():
    root = Sequence("root", memory=True, children=[Success("open"), Running("walk")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(2):
            with rec.frame():
                root.tick_once()
        found = asked(rec).tree(0).nodes
        assert [(node.status, node.kept) for node in found] == [
            ("running", ""), ("", "success"), ("running", ""),
        ]  # fmt: skip
        assert found[0].detail == "with memory"
        assert found[1].type == "py_trees.behaviours.Success"


def test_what_raises_is_reported_at_the_node_where_it_was_raised():
    def fails(leaf: Does) -> None:
        raise KeyError("target")

    for wrap in (lambda root: root, BehaviourTree):
        thing = wrap(Sequence("root", False, [Success("look"), Sequence("s", False, [
            Does("hit", fails)
        ])]))  # fmt: skip
        with record(dt=DT, strict=True) as rec:
            rec.add(thing)
            with pytest.raises(KeyError, match="target"):
                thing.tick() if isinstance(thing, BehaviourTree) else thing.tick_once()
            rec.update()
            found = asked(rec).tree(0)
            assert [node.status for node in found.nodes] == ["", "success", "", ""]
            assert found.nodes[3].ended_early == "raised KeyError: 'target'"


def test_a_tick_that_the_program_breaks_off_is_recorded_as_far_as_it_came():
    root = Sequence("root", False, [Success("look"), Success("go")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            for _ in root.tick():
                break
        found = asked(rec).tree(0)
        assert [node.status for node in found.nodes] == ["", "success", ""]
        assert "broke off" in found.nodes[1].ended_early + found.nodes[0].ended_early


def test_nodes_may_be_added_removed_renamed_and_have_one_name():
    root = Selector("root", False, [Running("same"), Running("same")])
    tree = BehaviourTree(root)
    with record(dt=DT, strict=True) as rec:
        rec.add(tree, name="brain")

        def tick() -> list[str]:
            with rec.frame():
                tree.tick()
            return [f"{node.name} {node.status}" for node in asked(rec).tree(0).nodes]

        assert tick() == ["root running", "same running", "same "]
        root.remove_child(root.children[0])
        assert tick() == ["root running", "same running"]
        root.prepend_child(Sequence("new", False, [Success("a"), Running("b")]))
        assert tick() == ["root running", "new running", "a success", "b running", "same "]
        leaf = TickCounter("counter", 3, Status.SUCCESS)
        tree.replace_subtree(root.children[0].id, leaf)
        assert tick() == ["root running", "counter running", "same "]
        tree.root = Sequence("other", False, [leaf]) if leaf.parent is None else Success("other")
        assert tick() == ["other success"]
        assert [len(asked(rec).tree(0, frame=n).nodes) for n in range(1, 6)] == [3, 2, 5, 3, 1]


def test_a_node_that_leaves_the_tree_in_the_very_tick_costs_nothing_but_itself(caplog):
    root = Sequence("root", False, [Success("stays")])
    passing = Does("passing", lambda leaf: None)

    def leave(leaf: Does) -> None:
        if passing in root.children:
            root.children.remove(passing)

    root.children += [passing, Does("remover", leave)]
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(3):
            with rec.frame():
                root.tick_once()
        for frame in (1, 2, 3):
            nodes = asked(rec).tree(0, frame=frame).nodes
            assert [(one.name, one.status) for one in nodes] == [
                ("root", "success"), ("stays", "success"), ("remover", "success"),
            ]  # fmt: skip
    assert sum("has ticked nodes that are not in it" in line for line in caplog.messages) == 1


def test_the_same_tree_twice_is_once_and_it_is_one_agents():
    root = Sequence("root", False, [Success("a")])
    tree = BehaviourTree(root)
    with record(dt=DT, strict=True) as rec:
        for thing in (tree, root, tree):
            rec.add(thing, agent=5)
        with pytest.raises(RecordingError, match="recorded for object 5 already"):
            rec.add(tree, agent=6)
        with rec.frame():
            tree.tick()
        assert len(rec.source.traces(1)) == 1


def test_a_tree_with_a_circle_is_refused_by_the_names_on_it():
    above, below = Sequence("above", False), Sequence("below", False)
    above.add_child(below)
    below.children.append(above)
    with record(dt=DT, strict=True) as rec:
        with pytest.raises(RecordingError, match="below itself.*above > below > above"):
            rec.add(above)
        assert "tick" not in vars(above)


def test_a_tick_on_another_thread_is_recorded_too():
    root = Sequence("root", False, [Does("leaf", lambda leaf: leaf.board.set("n", 3), "n")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
        thread = threading.Thread(target=root.tick_once)
        thread.start()
        thread.join()
        with rec.frame():
            pass
        with rec.frame():
            root.tick_once()
        for frame in (1, 2, 3):
            found = asked(rec).tree(0, frame=frame)
            assert (found.frame, found.entries) == (frame, {"/n": 3})
            assert [node.status for node in found.nodes] == ["success", "success"]


def test_ticks_between_frames_belong_to_the_next_one_and_those_in_playback_are_none():
    root = Sequence("root", False, [Success("leaf")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        root.tick_once()
        rec.update()
        rec.apply(Enter(), now=True)
        root.tick_once()
        rec.leave()
        rec.update()
        root.tick_once()
        rec.update()
        assert [len(rec.source.traces(n)) for n in (1, 2, 3)] == [1, 0, 1]


@pytest.mark.slow
def test_ten_thousand_nodes_are_recorded_or_refused_by_a_message(caplog):
    def tree() -> Any:
        return Sequence("root", False, [Success(f"leaf {n}") for n in range(9_999)])

    root = tree()
    with record(dt=DT, memory="32 MiB", strict=True) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
        assert len(asked(rec).tree(0).nodes) == 10_000
    root = tree()
    with record(dt=DT, memory="256 KiB", strict=False) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
        assert rec.status.latch_refused or rec.status.packets_dropped
    assert any("no room" in line or "too large" in line for line in caplog.messages)


def test_a_tree_that_was_ticked_long_ago_still_stands_as_it_did():
    root = Sequence("root", False, [Running("wait")])
    with record(dt=DT, memory="96 KiB", strict=False) as rec:
        rec.add(root)
        with rec.frame():
            root.tick_once()
        for _ in range(3000):
            with rec.frame():
                rec.watch("n", 1.0)
        assert rec.source.span.oldest > 1
        found = asked(rec).tree(0)
        assert (found.frame, [node.status for node in found.nodes]) == (None, ["running"] * 2)
        assert rec.source.latched(rec.source.span.newest, 0, Kind.TREE_STATE, "root") is not None


def test_the_changes_of_a_node_are_found_in_both_directions():
    queue = StatusQueue("q", [Status.RUNNING, Status.RUNNING, Status.SUCCESS], None)
    root = Selector("root", False, [queue, Running("else")])
    with record(dt=DT, strict=True) as rec:
        rec.add(root)
        for _ in range(6):
            with rec.frame():
                root.tick_once()
        run = asked(rec)
        changes = run.node_changes(0, node="q")
        assert [(one.frame, one.before, one.status) for one in changes] == [
            (1, "", "running"), (3, "running", "success"), (4, "success", "running"),
            (6, "running", "success"),
        ]  # fmt: skip
        assert run.node_changes(0, node=2) == []
        assert run.tree(0, frame=2).running == [1]
        assert run.tree(0, frame=2).path == [0, 1]


def test_a_clip_the_ring_and_a_running_game_answer_alike(tmp_path):
    root = Sequence("root", memory=True, children=[
        Does("count", lambda leaf: leaf.board.set("n", [leaf.board.get("n")[0] + 1]), "n"),
        StatusQueue("q", [Status.RUNNING, Status.SUCCESS, Status.FAILURE], None),
    ])  # fmt: skip
    root.children[0].board.n = [0]
    guard = {"name": "north", "x": 0.0}
    path = tmp_path / "run.mcap"
    with record([guard], path, dt=DT, strict=True, bus="tcp://127.0.0.1:*") as rec:
        rec.add(root, agent=guard)
        for _ in range(40):
            with rec.frame():
                root.tick_once()
        ring = answers(asked(rec))
        with ph.connect(rec.bus.endpoint) as client:
            assert answers(client.recording) == ring
    with ph.open(path) as clip:
        assert answers(clip) == ring
    assert ring[0][39].entries == {"/n": [27]}


def answers(run: Recording) -> Any:
    trees = [run.tree("north", frame=frame) for frame in range(1, 41)]
    return trees, run.trees(), run.node_changes("north", node="q")
