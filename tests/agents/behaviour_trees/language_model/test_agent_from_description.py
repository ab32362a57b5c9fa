"""A workspace made by a language model: five answers checked, mended once, or refused."""

import pytest

from playhead.agents.behaviour_trees.language_model.agent_from_description import make_agent
from playhead.agents.behaviour_trees.tree_game_run import body_of, run_tree
from playhead.agents.behaviour_trees.workspace.workspace_checker import load_workspace
from playhead.agents.behaviour_trees.workspace.workspace_writer import new_workspace
from playhead.errors import TreeError
from playhead.games.game_catalog import open_game

from .model_server import model

__all__ = ["model"]

WISH = "walk to where a noise came from, else stand and turn"
FORMATS = {
    "formats": [
        {"name": "noise", "source": "noise", "type": "place", "about": ""},
        {"name": "noise_age", "source": "noise_age", "type": "number", "about": ""},
        {"name": "facing", "source": "facing", "type": "number", "about": ""},
    ]
}
OPERATIONS = {
    "operations": [
        {
            "name": "walk", "about": "",
            "commands": [
                {"name": "speed", "value": 1.5}, {"name": "heading", "value": "way_heading"},
            ],
        },
        {
            "name": "turn", "about": "",
            "commands": [{"name": "face", "value": "turned(facing + 0.3)"}],
        },
    ]
}  # fmt: skip
ITEMS = {
    "actions": [
        {"name": "go there", "operations": ["walk"], "write": [], "goal": "noise", "about": ""},
        {"name": "look", "operations": ["turn"], "write": [], "goal": "", "about": ""},
    ],
    "triggers": [{"name": "heard", "when": "noise_age < 9", "reachable": "", "about": ""}],
}


def node(name, type, *children):
    rest = {"status": "success", "times": 1, "result": "success"}
    return {"name": name, "type": type, "children": list(children), **rest}


STRUCTURE = {
    "root": "listen",
    "nodes": [
        node("listen", "selector", "follow", "look"),
        node("follow", "sequence", "heard", "go there"),
    ],
    "phrases": ["follow noises"],
}  # fmt: skip


@pytest.fixture
def guard():
    with open_game("arena:yard", seed=3) as game:
        yield game, body_of(game, "middle")


def made(folder, model, body, name="listener"):
    return make_agent(folder, name, WISH, body, model.endpoint(), "middle")


@pytest.mark.slow
def test_an_agent_is_made_in_five_steps_and_plays(tmp_path, guard, model):
    game, body = guard
    folder = tmp_path / "made"
    new_workspace(folder, body)
    model.answers = [FORMATS, OPERATIONS, ITEMS, STRUCTURE]
    workspace = made(folder, model, body)
    assert workspace.agents["listener"].phrases == ("follow noises",)
    body.release()
    outcome = run_tree(load_workspace(folder), game, frames=600)
    assert outcome.failures == {}
    assert outcome.actions["look"] > 0
    # A second one can choose of the leaves that there are.
    model.answers = [
        {"formats": []}, {"operations": []}, {"actions": ["look"], "triggers": ["heard"]},
        {"actions": [], "triggers": []},
        {**STRUCTURE, "root": "wait", "nodes": [node("wait", "sequence", "heard", "look")]},
    ]  # fmt: skip
    workspace = made(folder, model, body, "waiter")
    assert set(workspace.agents) == {"listener", "waiter"}
    assert "heard" in model.asked[-1]["messages"][1]["content"]


def test_the_model_gets_the_checkers_problems_and_mends_them(tmp_path, guard, model):
    _, body = guard
    new_workspace(tmp_path / "made", body)
    wrong = {"formats": [{"name": "noise", "source": "nois", "type": "place", "about": ""}]}
    cyclic = {**STRUCTURE, "nodes": [node("listen", "selector", "listen", "look")]}
    model.answers = [wrong, FORMATS, OPERATIONS, ITEMS, cyclic, STRUCTURE]
    made(tmp_path / "made", model, body)
    results = [one["messages"][-1]["content"] for one in model.asked]
    assert "the game has no value 'nois': did you mean 'noise'?" in results[1]
    assert "it is its own part: listen > listen" in results[5]


def test_after_two_bad_answers_the_workspace_is_as_it_was(tmp_path, guard, model):
    _, body = guard
    folder = tmp_path / "made"
    new_workspace(folder, body)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    bad = {"operations": [{"name": "fly", "about": "", "commands": [{"name": "up", "value": 1}]}]}
    model.answers = [FORMATS, bad, bad]
    with pytest.raises(TreeError, match="there is no command 'up'"):
        made(folder, model, body)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_code_is_not_taken_from_a_model(tmp_path, guard, model):
    _, body = guard
    new_workspace(tmp_path / "made", body)
    evil = {**ITEMS, "triggers": [{"name": "x", "when": "__import__('os').system('id')",
                                   "reachable": "", "about": ""}]}  # fmt: skip
    model.answers = [FORMATS, OPERATIONS, evil, evil]
    with pytest.raises(TreeError, match="is not of this language"):
        made(tmp_path / "made", model, body)
