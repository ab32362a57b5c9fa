"""What kept something from being decided for: counted, each with its nearest miss."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec


class NearestMiss(msgspec.Struct, frozen=True):
    """The decision in which it came nearest."""

    frame: int
    time: float
    reason: str
    """Why it did not hold, as a text with numbers."""
    lacks: float | None
    """How far it was from being true, in its own unit; None if that is unknown."""
    values: Mapping[str, Any]
    """What the decision was made from."""


class WhyNotObstacle(msgspec.Struct, frozen=True):
    """Something that kept a state, a rule or a branch of a tree from coming."""

    what: str
    """A condition that did not hold, a node that failed, or what came before it."""
    kind: str
    """`condition`: it did not hold; `node`: it failed; `order`: something else won before;
    `state`: nothing leads there from the state that the agent was in."""
    count: int
    """The number of decisions."""
    first: int
    """The first frame of these, …"""
    last: int
    """… and the last."""
    nearest: NearestMiss
    """The decision in which it was nearest; without known distances the last one."""


class WhyNot(msgspec.Struct, frozen=True):
    """Why something did not come in a stretch of a recording."""

    agent: int
    name: str
    """What the agent is called: its name, or its type and id. Empty for what is no object."""
    decider: str
    state: str
    """What was asked for: a state, a rule, a node of a tree."""
    first: int
    last: int
    """The stretch, in frames."""
    decisions: int
    """How often it might have come."""
    came: int
    """How often it did come."""
    came_first: int | None
    """The first frame in which it came; None if it did not."""
    obstacles: tuple[WhyNotObstacle, ...]
    """What kept it from coming in all other decisions, the most frequent first."""
    comes_from: tuple[str, ...] = ()
    """For a state machine: the states from which it can come."""
    notes: tuple[str, ...] = ()


class ObstacleCounter:
    """Counts how often each obstacle stood in the way."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], WhyNotObstacle] = {}

    def add(self, what: str, kind: str, miss: NearestMiss) -> None:
        """Count what was in the way of a decision. Earlier decisions come first."""
        known = self._found.get((what, kind))
        if known is None:
            self._found[what, kind] = WhyNotObstacle(what, kind, 1, miss.frame, miss.frame, miss)
            return
        nearest = miss if _is_nearer(miss.lacks, known.nearest.lacks) else known.nearest
        self._found[what, kind] = WhyNotObstacle(
            what, kind, known.count + 1, known.first, miss.frame, nearest
        )

    @property
    def obstacles(self) -> tuple[WhyNotObstacle, ...]:
        """All of them, the most frequent first."""
        return tuple(sorted(self._found.values(), key=lambda one: -one.count))


def _is_nearer(lacks: float | None, before: float | None) -> bool:
    """Whether a miss is nearer than one before it; without a distance the later one counts."""
    if before is None or lacks is None:
        return before is None
    if math.isinf(lacks) and math.isinf(before):
        return True
    return lacks < before
