"""Chooses the agent of a workspace that a sentence asks for."""

from collections import Counter
from math import log
from typing import NamedTuple

from ...plans.text.words.tokenizer_and_lemmatizer import plain_forms, tokens
from ..workspace.workspace import Workspace
from .answer_schemas import AgentAnswer
from .chat_endpoint import ChatEndpoint
from .model_dialogue import ask
from .prompts import CHOICE

LEAST = 0.34
"""How much of a sentence must be found again in an agent's words."""
AHEAD = 1.15
"""So many times better than the next one the best agent must be."""
_EMPTY = frozenset((
    "a", "an", "the", "to", "of", "in", "on", "at", "and", "or", "i", "you", "it", "me", "my",
    "your", "please", "do", "be", "can", "will", "want", "let", "go", "now", "for", "with", "this",
    "that",
))  # fmt: skip


class AgentChoice(NamedTuple):
    """The agent that is meant, and why."""

    agent: str | None
    why: str


def choose_agent(
    workspace: Workspace, sentence: str, endpoint: ChatEndpoint | None = None
) -> AgentChoice:  # fmt: skip
    """The agent that a sentence calls for; None if none does, or two do as well.

    Raises:
        TreeError: the language model does not answer, or not usefully.
    """
    if not _words(sentence):
        return AgentChoice(None, "say in a few words what is to be done")
    if endpoint is None:
        return _nearest(workspace, sentence)
    agents = "\n".join(
        f"- {name}: {agent.about} ({'; '.join(agent.phrases)})"
        for name, agent in workspace.agents.items()
    )

    def check(choice: AgentAnswer) -> list[str]:
        known = ["", *workspace.agents]
        return [] if choice.agent in known else [f"there is no agent {choice.agent!r}"]

    choice = ask(endpoint, AgentAnswer, CHOICE.format(agents=agents), sentence, check)
    return AgentChoice(choice.agent or None, choice.why)


def _nearest(workspace: Workspace, sentence: str) -> AgentChoice:
    """Chooses by the words that a sentence shares with an agent; rare words count more."""
    asked_words = _words(sentence)
    texts = {
        name: [name.replace("_", " "), *agent.phrases, agent.about]
        for name, agent in workspace.agents.items()
    }
    same = [name for name, text in texts.items() if any(_words(one) == asked_words for one in text)]
    if len(same) == 1:
        return AgentChoice(same[0], "these are its own words")
    known = {
        name: {form for one in text for word in _words(one) for form in plain_forms(word)}
        for name, text in texts.items()
    }
    shared = {
        name: {word for word in asked_words if not forms.isdisjoint(plain_forms(word))}
        for name, forms in known.items()
    }
    used = Counter(word for words in shared.values() for word in words)
    weights = {word: log(1 + len(texts) / max(1, used[word])) for word in asked_words}
    total = sum(weights.values())
    scores = sorted(
        ((sum(weights[word] for word in words) / total, name) for name, words in shared.items()),
        reverse=True,
    )
    best, name = scores[0]
    if best < LEAST:
        return AgentChoice(None, f"no agent is like that: there are {', '.join(workspace.agents)}")
    if len(scores) > 1 and best < AHEAD * scores[1][0]:
        return AgentChoice(None, f"{name} and {scores[1][1]} are as likely: say more")
    return AgentChoice(name, f"it shares {', '.join(sorted(shared[name]))}")


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in tokens(text) if word.isalpha()) - _EMPTY
