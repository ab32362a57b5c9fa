"""Which agent a sentence calls for: by its words, or by a language model."""

import pytest

from playhead.agents.behaviour_trees.language_model.match_agent_to_request import choose_agent
from playhead.agents.behaviour_trees.tree_game_run import find_workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import load_workspace
from playhead.errors import TreeError

from .model_server import model

__all__ = ["model"]


@pytest.fixture(scope="module")
def yard():
    return load_workspace(find_workspace("yard_guard"))


@pytest.mark.parametrize(
    ("sentence", "agent"),
    [
        ("guard the yard", "guard"),
        ("Please fight whoever is coming in!", "guard"),
        ("only walk your round", "sentry"),
        ("be a sentry", "sentry"),
        ("bake me a cake", None),
        ("the of", None),
        ("walk round", None),
    ],
)
def test_without_a_model_words_decide_and_nothing_is_guessed(yard, sentence, agent):
    choice = choose_agent(yard, sentence)
    assert choice.agent == agent, choice
    assert choice.why


def test_a_model_chooses_among_the_agents_there_are(yard, model):
    model.answers = [{"agent": "knight", "why": "?"}, {"agent": "sentry", "why": "calm"}]
    assert choose_agent(yard, "nothing violent", model.endpoint()) == ("sentry", "calm")
    assert "there is no agent 'knight'" in model.asked[1]["messages"][-1]["content"]
    assert "guard: walks its round, fights" in model.asked[0]["messages"][1]["content"]


def test_a_model_may_say_that_no_agent_is_meant_and_its_silence_is_an_error(yard, model):
    model.answers = [{"agent": "", "why": "none bakes"}]
    assert choose_agent(yard, "bake a cake", model.endpoint()) == (None, "none bakes")
    model.answers = [lambda handler: model.ended.wait(20)]
    with pytest.raises(TreeError, match="no whole answer"):
        choose_agent(yard, "bake a cake", model.endpoint(0.2))
