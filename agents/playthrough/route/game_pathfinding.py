"""Paths that the game itself finds, as most engines can: asked for only off the demo's route."""

from collections.abc import Callable, Sequence

from ....games.plan_game_interface import NavigationMap
from ....games.playable_interface import Vector

FindPath = Callable[[Vector, Vector, float], Sequence[Vector]]
"""A path from a place to within a distance of another, in the game's units; empty for none."""


def no_path(start: Vector, goal: Vector, near: float) -> Sequence[Vector]:
    """A game that gives no paths."""
    return ()


def path_on_foot(
    map: NavigationMap | None, start: Vector, goal: Vector, near: float
) -> Sequence[Vector]:
    """The places on a way that asks for no jump and for no button; empty if there is none."""
    found = None if map is None else map.path(start, goal, near)
    if not found or any(point.jump or point.press is not None for point in found):
        return ()
    return [point.position for point in found]
