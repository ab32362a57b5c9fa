"""The walk maps of a level's areas, without a game: what a policy learns to find its way on."""

import itertools
from collections.abc import Iterator
from functools import partial
from random import Random

from ....walkable_grid import WalkGrid
from ..scripted.pathfinding import WalkableArea
from ..world.current_area import AreaState
from ..world.level import AdventureLevel, Area
from ..world.story_progress import StoryProgress


def level_grids(level: AdventureLevel) -> Iterator[WalkGrid]:
    """The cells of each area when the game begins; where it has doors, also with all doors open."""
    for area in level.areas.values():
        yield area_grid(area)
        if area.doors:
            yield area_grid(area, doors_open=True)


def area_grid(area: Area, *, doors_open: bool = False) -> WalkGrid:
    """The cells of an area when the game begins, or with all of its doors open."""
    state = AreaState(area, StoryProgress(), Random(0), partial(next, itertools.count(1)), 0.0)
    for gate in state.gates if doors_open else ():
        gate.state = "open"
    return WalkableArea(state).grid
