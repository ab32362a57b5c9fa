"""Simplifies a walked path: points on a straight walkable line are removed."""

import math
from collections.abc import Sequence
from itertools import pairwise

from ....games.plan_game_interface import NavigationMap, Waypoint
from ....games.playable_interface import Vector

ASIDE = 1.5
"""How far off a straight line a place still is on it, in the unit of `Controls.nearest`."""
LONGER = 1.1
"""How much longer than the straight line a path may be that counts as straight."""


class StraightLine:
    """The places since the last one that is needed, all of them on one walkable line.

    Args:
        nearest: See `Controls.nearest`.
    """

    def __init__(self, nearest: float) -> None:
        self._nearest = nearest
        self._begin: Vector | None = None
        self._between: list[Vector] = []

    def begin(self, place: Vector) -> None:
        """The next line begins here."""
        self._begin, self._between = place, []

    def goes_on_to(self, place: Vector, ground: NavigationMap | None) -> bool:
        """Whether the newest place is not needed: the line goes over it straight to this one."""
        begin = self._begin
        if begin is None or not self._between:
            return False
        on_it = all(_aside(one, begin, place) <= ASIDE * self._nearest for one in self._between)
        return on_it and self._is_walkable(begin, place, ground)

    def add(self, place: Vector, *, goes_on: bool) -> None:
        """The newest place; unless the line goes on to it, another one begins at that before."""
        if not goes_on and self._between:
            self.begin(self._between[-1])
        self._between.append(place)

    def _is_walkable(self, start: Vector, end: Vector, ground: NavigationMap | None) -> bool:
        if ground is None:
            return True  # there is no map, and the plan is followed in straight lines, too
        path = ground.path(start, end, self._nearest)
        if path is None or any(one.jump > 0.0 for one in path):
            return False
        return _length(start, path) <= LONGER * math.dist(start, end) + self._nearest


def _length(start: Vector, path: Sequence[Waypoint]) -> float:
    places = [start, *(one.position for one in path)]
    return sum(math.dist(a[:2], b[:2]) for a, b in pairwise(places))


def _aside(place: Vector, start: Vector, end: Vector) -> float:
    """How far a place is from the line between two others."""
    along = [b - a for a, b in zip(start, end, strict=True)]
    size = sum(one * one for one in along)
    off = [p - a for a, p in zip(start, place, strict=True)]
    share = sum(a * b for a, b in zip(off, along, strict=True)) / size if size else 0.0
    share = min(1.0, max(0.0, share))
    return math.dist(off, [share * one for one in along])
