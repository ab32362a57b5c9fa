"""Trees of py_trees, recorded without a change to them, are ticked again and questioned."""

import pytest

py_trees = pytest.importorskip("py_trees")

from playhead.errors import CommandError  # noqa: E402
from playhead.recording import open_file  # noqa: E402
from playhead.recording_session import record  # noqa: E402

GUARD = """
import py_trees
from py_trees.common import Access, Status


class Near(py_trees.behaviour.Behaviour):
    def __init__(self):
        super().__init__("near?")
        self.board = self.attach_blackboard_client("near")
        self.board.register_key("distance", access=Access.READ)

    def update(self):
        self.feedback_message = f"{self.board.distance} m"
        return Status.SUCCESS if self.board.distance < 8 else Status.FAILURE


class Shoot(py_trees.behaviour.Behaviour):
    def __init__(self, gun=None):
        super().__init__("shoot")
        self.gun = gun
        self.board = self.attach_blackboard_client("shoot")
        self.board.register_key("shots", access=Access.WRITE)

    def update(self):
        self.board.shots = self.board.shots + 1 if self.board.exists("shots") else 1
        if self.gun is not None or not self.board.shots % 3:
            self.gun.fire()
        return Status.RUNNING


def make_guard(gun=None):
    ready = py_trees.composites.Sequence("attack", memory=True)
    loaded = py_trees.common.ComparisonExpression("ammo", 1, __import__("operator").ge)
    ready.add_children([
        Near(), py_trees.behaviours.CheckBlackboardVariableValue("loaded?", loaded), Shoot(gun),
    ])
    root = py_trees.composites.Selector("guard", memory=False)
    root.add_children([ready, py_trees.behaviours.Running("patrol")])
    return root


def make_timed():
    return py_trees.composites.Sequence("timed", memory=False, children=[
        py_trees.behaviours.SuccessEveryN("every third", 3), py_trees.behaviours.Running("go"),
    ])


def make_number():
    return 7
"""


class Gun:
    def fire(self) -> None: ...


@pytest.fixture
def clip(tmp_path, module):
    """Twenty ticks: it comes near at frame 11, and runs out of ammunition at frame 16."""
    py_trees.blackboard.Blackboard.clear()
    guards = module("guards", GUARD)
    root, timed = guards.make_guard(Gun()), guards.make_timed()
    game = py_trees.blackboard.Client(name="game")
    for key in ("distance", "ammo"):
        game.register_key(key, access=py_trees.common.Access.WRITE)
    guard = {"name": "north", "x": 0.0}
    with record([guard], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
        rec.add(root, agent=guard)
        rec.add(timed)
        for step in range(20):
            with rec.frame():
                game.distance, game.ammo = 18 - step, 1 if step < 15 else 0
                root.tick_once()
                timed.tick_once()
    yield tmp_path / "run.mcap"
    py_trees.blackboard.Blackboard.clear()


def test_each_tick_comes_out_as_recorded_where_conditions_read_the_blackboard(clip):
    with open_file.open(clip) as run:
        asked = list(run.ask_all("north", maker="guards:make_guard"))
    assert len(asked) == 20
    assert [one.frame for one in asked if not one.is_reproduced] == []
    assert asked[10].recorded.target == "patrol"
    assert asked[11].again.target == "shoot"
    assert asked[11].again.path == ("guard", "attack", "near?", "loaded?", "shoot")
    assert asked[11].again.outcome == {"/shots": 1}
    raised = [one.frame for one in asked if one.notes and "raised" in one.notes[-1]]
    assert raised == [14, 17, 20], "there is no gun here: what was recorded stands in"


def test_the_blackboard_of_this_process_is_left_alone(clip):
    before = dict(py_trees.blackboard.Blackboard.storage)
    clients = dict(py_trees.blackboard.Blackboard.clients)
    with open_file.open(clip) as run:
        run.ask("north", 12, maker="guards:make_guard")
    assert py_trees.blackboard.Blackboard.storage == before
    assert py_trees.blackboard.Blackboard.clients == clients


def test_an_edited_tree_differs_in_just_the_frames_that_it_should(clip, tmp_path):
    edited = tmp_path / "edited.py"
    edited.write_text(GUARD.replace("distance < 8", "distance < 11"), encoding="utf-8")
    with open_file.open(clip) as run:
        asked = list(run.ask_all("north", maker="guards:make_guard", with_=edited))
    assert [one.frame for one in asked if one.is_changed] == [9, 10, 11]
    assert asked[8].edited is not None
    assert (asked[8].again.target, asked[8].edited.target) == ("patrol", "shoot")
    assert "guard > patrol: running → not ticked" in asked[8].changes


def test_a_node_that_keeps_something_of_its_own_is_found_out(clip):
    with open_file.open(clip) as run:
        asked = list(run.ask_all(0, maker="guards:make_timed"))
    wrong = [one for one in asked if not one.is_reproduced]
    assert [one.frame for one in wrong] == [3, 6, 9, 12, 15, 18]
    assert wrong[0].differences[0] == "go → (no change)"
    assert any("keeps something of its own" in note for note in wrong[0].notes)


def test_what_makes_the_tree_must_be_named_and_right(clip):
    with open_file.open(clip) as run:
        with pytest.raises(CommandError, match="does not say how the tree 'guard' is made"):
            run.ask("north")
        with pytest.raises(CommandError, match="returned a int: it must return a tree"):
            run.ask("north", maker="guards:make_number")


def test_the_node_that_kept_a_branch_from_coming_is_named_with_its_nearest_miss(clip):
    with open_file.open(clip) as run:
        found = run.why_not("north", "shoot", last=11)
        (near,) = found.obstacles
        assert (near.what, near.count, near.nearest.reason) == (
            "guard > attack > near?", 11, "8 m",
        )  # fmt: skip
        assert near.nearest.frame == 11
        found = run.why_not("north", "guard > patrol", first=12, last=15)
        assert [(one.kind, one.count) for one in found.obstacles] == [("order", 4)]
        assert "guard > attack came before it and ended with running" in found.obstacles[0].what


def test_a_node_that_compares_a_key_with_a_number_tells_how_far_it_was_off(tmp_path):
    py_trees.blackboard.Blackboard.clear()
    ready = py_trees.common.ComparisonExpression("ammo", 5, __import__("operator").ge)
    root = py_trees.composites.Sequence("guard", memory=False, children=[
        py_trees.behaviours.CheckBlackboardVariableValue("loaded?", ready),
        py_trees.behaviours.Running("shoot"),
    ])  # fmt: skip
    game = py_trees.blackboard.Client(name="game")
    game.register_key("ammo", access=py_trees.common.Access.WRITE)
    with record([{"name": "north"}], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
        rec.add(root, agent=1)
        for ammo in (0, 3, 1):
            with rec.frame():
                game.ammo = ammo
                root.tick_once()
    py_trees.blackboard.Blackboard.clear()
    with open_file.open(tmp_path / "run.mcap") as run:
        (loaded,) = run.why_not(1, "shoot").obstacles
    assert (loaded.what, loaded.nearest.frame, loaded.nearest.lacks) == ("guard > loaded?", 2, 2.0)
