"""The same level with its actors elsewhere: people, signs, switches and shrines."""

from random import Random
from typing import TypeVar

import msgspec
import numpy as np

from ....walkable_grid import cells
from ...entity import distance
from ...yaml_nodes import Point
from ..world.level import AdventureLevel, Area, Fixture, Talker
from .area_walk_grids import area_grid

FAR = 6.0
"""Metres that an actor is moved at most."""
ROOM = 2
"""Cells that are free around it on all sides, so that it bars no way."""
APART = 1.5
"""Metres that actors, and the start, are apart at least."""
EDGE = 1.0
"""Metres that it is away from pits, doors and exits."""
MOVED = ("switch", "shrine")
"""Fixtures that are moved: what stands in a way or is shot from afar is not."""

_Placed = TypeVar("_Placed", Talker, Fixture)


def with_moved_actors(level: AdventureLevel, seed: int) -> AdventureLevel:
    """Each actor at a random place near its own: on the same height, where one could walk to from
    there. One for which there is no such place stays."""
    rng = Random(seed)
    areas = {
        name: _Mover(area, rng, level.start.at if name == level.start.area else None).area()
        for name, area in level.areas.items()
    }
    return msgspec.structs.replace(level, areas=areas)


class _Mover:
    def __init__(self, area: Area, rng: Random, start: Point | None) -> None:
        self._area, self._rng = area, rng
        still = tuple(one for one in area.fixtures if one.kind not in MOVED)
        self._grid = area_grid(
            msgspec.structs.replace(area, people=(), signs=(), fixtures=still)
        )  # fmt: skip
        open_cells = self._grid.free.copy()
        for axis in (0, 1):
            for by in range(-ROOM, ROOM + 1):
                open_cells &= np.roll(open_cells, by, axis)
        self._open = open_cells
        self._kept = (*area.pits, *area.doors, *(way.zone for way in area.exits))
        self._taken = [one.at for one in still] + ([start] if start is not None else [])

    def area(self) -> Area:
        area = self._area
        return msgspec.structs.replace(
            area, people=tuple(map(self._move, area.people)),
            signs=tuple(map(self._move, area.signs)),
            fixtures=tuple(
                self._move(one) if one.kind in MOVED else one for one in area.fixtures
            ),
        )  # fmt: skip

    def _move(self, one: _Placed) -> _Placed:
        grid, height = self._grid, self._area.surface(*one.at)
        begin = grid.nearest_free_cell((*one.at, height), 0.1)
        places: list[Point] = []
        if begin is not None:
            near = grid.around((*one.at, height), FAR, 0.1) & self._open & grid.reached(begin)
            places = [grid.middle(cell)[:2] for cell in cells(near)]
        places = [place for place in places if self._is_left(place)]
        at = self._rng.choice(places) if places else one.at
        self._taken.append(at)
        return msgspec.structs.replace(one, at=at)

    def _is_left(self, place: Point) -> bool:
        return all(distance(place, other) >= APART for other in self._taken) and not any(
            zone.holds(*place, EDGE) for zone in self._kept
        )
