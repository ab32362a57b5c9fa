"""A step or a rule that a sentence says, with its action, actor and conditions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from .step_details import Details

Kind = Literal["node", "rule", "unknown"]


class ParsedCondition(NamedTuple):
    """When a rule holds: an actor is near, or a value is above or below a number."""

    actor: str = ""
    within: float = 0.0
    value: str = ""
    above: float | None = None
    below: float | None = None


class StepOrRule(msgspec.Struct, frozen=True):
    """One step or rule, as it was written."""

    kind: Kind
    action: str | None = None
    """None where one only goes somewhere, or nothing was understood."""
    actor: str | None = None
    """The type or name that was meant; None for none."""
    confidence: float = 0.0
    """How alike action and actor are to the words of the text; the lower of both."""
    conditions: tuple[ParsedCondition, ...] = ()
    missing: str = ""
    """Words for an actor that the game does not have, where the action needs none."""
    problem: str = ""
    """What was not understood."""
    details: Details = Details()
    also: tuple[str, ...] = ()
    """Other actors that a rule is about in the same way, each by itself."""
    words: frozenset[str] = frozenset()
    """The words that say its action and its actor."""

    @property
    def only_waits(self) -> bool:
        """Whether it says nothing but to wait."""
        return self.kind == "node" and not (self.action or self.actor) and self.details.wait > 0

    def with_details(self, details: Details) -> "StepOrRule":
        """The same with these details, and its own where these say nothing."""
        return msgspec.structs.replace(self, details=details.over(self.details))

    def with_words(self, words: Iterable[str]) -> "StepOrRule":
        """The same, read from these words as well."""
        return msgspec.structs.replace(self, words=self.words | frozenset(words))


def unknown(problem: str) -> StepOrRule:
    """A statement that was not understood, and why."""
    return StepOrRule("unknown", problem=problem)


def merged(
    found: Sequence[StepOrRule], can: Callable[[str, str], bool] = lambda action, actor: True
) -> list[StepOrRule]:  # fmt: skip
    """To go somewhere and do something there is one step; so are two equal statements.

    Args:
        can: Whether an action can be done to an actor.
    """
    merged_statements: list[StepOrRule] = []
    for one in found:
        both = _both(merged_statements[-1], one, can) if merged_statements else None
        if both is not None:
            merged_statements[-1] = both.with_words(merged_statements[-1].words | one.words)
        else:
            merged_statements.append(one)
    return merged_statements


def _both(
    last: StepOrRule, one: StepOrRule, can: Callable[[str, str], bool]
) -> StepOrRule | None:  # fmt: skip
    """The one step that two are together; None if they are two."""
    if last.kind == one.kind == "rule":
        return one if last.action is None and last.actor == one.actor else None
    if last.kind != "node" or one.kind != "node":
        return None
    if last.only_waits and not one.only_waits:
        return msgspec.structs.replace(one, details=one.details.over(last.details))
    if last.action is None and one.only_waits:
        return msgspec.structs.replace(last, details=last.details.over(one.details))
    if last.only_waits or one.only_waits:
        return None
    if last.action is None and one.actor in (None, last.actor) and not one.missing:
        if one.action and last.actor and not can(one.action, last.actor):
            return None
        sure = min(last.confidence, one.confidence)
        details = one.details.over(last.details)
        return msgspec.structs.replace(one, actor=last.actor, confidence=sure, details=details)
    if last.action == one.action and one.actor in (None, last.actor):
        return last.with_details(one.details)
    return None
