"""A game with an agent in it that tools reload while it runs."""

import json
import shutil

import pytest

from playhead.agents.behaviour_trees.tree_driven_game import TreeDrivenGame
from playhead.agents.behaviour_trees.tree_game_run import run_tree
from playhead.agents.behaviour_trees.workspace.workspace import SHIPPED
from playhead.agents.behaviour_trees.workspace.workspace_checker import load_workspace
from playhead.errors import TreeError
from playhead.games.arena.yard_game import ArenaGame
from playhead.games.playable_interface import Playable
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(SHIPPED / "yard_guard", tmp_path / "mine")


@pytest.fixture
def driven(folder):
    with TreeDrivenGame(ArenaGame(seed=7), folder, "sentry") as game:
        yield game


def step(game, session, times):
    for _ in range(times):
        game.step()
        session.update(game.dt)


def test_a_workspace_is_changed_while_the_game_runs(driven, folder):
    assert isinstance(driven, Playable)
    with Session(driven.world, "16 MiB", handlers=driven.handlers, on_check=UNATTENDED) as session:
        driven.attach(session)
        step(driven, session, 60)
        guard = driven.yard.guards[2]
        assert guard.orders is not None
        nodes = folder / "tree_items/tree_structure.json"
        structure = json.loads(nodes.read_text())
        structure["nodes"]["patrol"]["children"][-1] = "look around"
        nodes.write_text(json.dumps(structure))
        state = driven.answer({"do": "reload"})
        assert (state["driving"], state["failures"]) == ("sentry", {})
        assert state["agents"] == ["guard", "sentry"]
        step(driven, session, 60)
        assert "speed" not in driven.agent.commands
        # What is wrong is told, and the agent goes on as it was.
        structure["nodes"]["patrol"]["children"][-1] = "look arund"
        nodes.write_text(json.dumps(structure))
        with pytest.raises(TreeError, match="did you mean 'look around'"):
            driven.answer({"do": "reload"})
        step(driven, session, 10)
        assert "speed" not in driven.agent.commands
        assert driven.answer({"do": "stop"})["driving"] == ""
        assert guard.orders is None
        step(driven, session, 10)


def test_an_edit_drives_once_it_is_saved(driven, folder):
    driven.answer({"do": "insert", "parent": "patrol", "index": 0, "item": "look around"})
    state = driven.answer({"do": "remove", "parent": "patrol", "index": 3})
    assert (state["unsaved"], state["can_undo"]) == (True, True)
    driven.step()
    assert "face" not in driven.agent.commands
    assert not driven.answer({"do": "save"})["unsaved"]
    driven.step()
    assert driven.agent.commands.keys() == {"face"}


@pytest.mark.slow
def test_a_guard_put_together_by_edits_alone_patrols_and_fights(driven, folder):
    for edit in (
        ("insert", "patrol", 0, "sequence"),
        ("insert", "sequence 1", 0, "sees the player"),
        ("insert", "sequence 1", 1, "selector"),
        ("insert", "selector 1", 0, "sequence"),
        ("insert", "sequence 2", 0, "can strike"),
        ("insert", "sequence 2", 1, "hit"),
        ("insert", "selector 1", 1, "run to the target"),
    ):
        driven.answer(dict(zip(("do", "parent", "index", "item"), edit, strict=True)))
    assert driven.answer({"do": "rename", "name": "sequence 1", "new": "attack whom it sees"})[
        "problems"
    ] == []  # fmt: skip
    driven.answer({"do": "save"})
    outcome = run_tree(load_workspace(folder), ArenaGame(seed=7), "sentry", frames=1800)
    assert outcome.failures == {}
    assert outcome.actions["hit"] > 20
    assert outcome.actions["walk to the post"] > 100


def test_a_tree_that_is_wrong_is_not_saved(driven):
    driven.answer({"do": "insert", "parent": "patrol", "index": 0, "item": "inverter"})
    with pytest.raises(TreeError, match="it has 0 children"):
        driven.answer({"do": "save"})
    driven.answer({"do": "undo"})
    assert not driven.answer(None)["unsaved"]


def test_a_request_that_is_none_is_refused(driven):
    with pytest.raises(TreeError, match="ask for one of reload, stop"):
        driven.answer({"do": "dance"})
    with pytest.raises(TreeError, match="insert takes parent: str, index: int, item: str"):
        driven.answer({"do": "insert", "parent": "patrol", "index": "0", "item": "look around"})
    assert driven.answer(None)["driving"] == "sentry"


def test_an_agent_that_is_not_there_leaves_the_game_as_it_was(folder):
    game = ArenaGame(seed=7)
    with pytest.raises(TreeError, match="no agent 'knight'"):
        TreeDrivenGame(game, folder, "knight")
    assert all(guard.orders is None for guard in game.yard.guards)
