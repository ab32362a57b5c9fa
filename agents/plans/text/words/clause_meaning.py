"""What a clause was read as, as far as its words are compared with it."""

from collections.abc import Sequence
from typing import NamedTuple

from ..parsed_step_or_rule import StepOrRule
from .game_vocabulary_matcher import GameWords
from .tokenizer_and_lemmatizer import words_of


class ClauseMeaning(NamedTuple):
    """What a clause was read as, as far as its words are compared with it."""

    actors: frozenset[str]
    """Names and types of all actors that its sentence is about."""
    names: frozenset[str]
    """The words of their names."""
    several: bool
    """Whether it chooses one of several actors of a type."""
    actions: frozenset[str]
    words: frozenset[str]
    """The words that say an action, or a value that a rule looks at."""
    numbers: frozenset[float]
    """Numbers in the conditions of rules."""
    values: bool
    """Whether a rule looks at a value."""
    rule: bool
    nowhere: bool
    """Whether something is done, and to no actor."""
    goes: bool
    """Whether the clause only says where to go."""


def meaning_of(
    game: GameWords, found: Sequence[StepOrRule], own: Sequence[StepOrRule]
) -> ClauseMeaning:
    """What a clause was read as.

    Args:
        found: All that its sentence was read as.
        own: What of that comes from this clause.
    """
    conditions = [of for one in found for of in one.conditions]
    named = {one.actor for one in found if one.actor} | {of.actor for of in conditions}
    named |= {other for one in found for other in one.also}
    named |= {game.type_of(actor) for actor in named}
    numbers = {of.within for of in conditions if of.actor}
    numbers |= {n for of in conditions for n in (of.above, of.below) if n is not None}
    values = {word for of in conditions for word in of.value.split()}
    nodes = [one for one in own if one.kind == "node"]
    return ClauseMeaning(
        actors=frozenset(named - {""}),
        names=frozenset(word for one in own if one.actor for word in words_of(one.actor)),
        several=any(one.also for one in own),
        actions=frozenset(one.action for one in found if one.action),
        words=frozenset(word for one in found for word in one.words) | values,
        numbers=frozenset(numbers),
        values=bool(values),
        rule=any(one.kind == "rule" for one in own or found),
        nowhere=any(one.action and not one.actor for one in nodes),
        goes=bool(nodes) and all(one.action is None for one in nodes),
    )
