"""A scripted player who plays a level of Doom to its exit with a pad."""

import math
import random
from collections.abc import Iterable

import numpy as np

from ...errors import GameError
from ...playback.pads.pad import Button, Pad
from ..playable_interface import Observation, ObservedEntity
from .fight import DoomFight, bearing, stick, turned
from .level_walk_grid import Cell, LevelWalkGrid, Point, Solid
from .wad_map import EXITS, WadMap

_USE = 40.0
"""As near to a door or a switch one walks before one uses it, in map units."""
_OPENING = 20
"""Tics that one gives a door."""
_LOOK = 14
"""Tics of waiting at a door or a switch before the button is pressed."""
_FACED, _STANDS = 0.02, 0.5
"""Radians that one may be off then, and map units that one may still slide in a tic."""
_SHUT = 4
"""Tics without getting on after which a door is taken to be shut."""
_AHEAD = 14
"""Cells of the way that one looks ahead."""
_FIGHT = 640.0
"""Map units within which a monster is shot at."""
_ALERT = 8
"""Tics for which one goes on facing a monster that is out of sight."""
_ASIDE = 200.0
"""Map units within which a thing is fetched."""
_FETCH = 70
"""Tics after which one gives up on a thing."""
_TAKEN = 40.0
"""Map units from a thing at which it is taken."""
_STUCK = 30
"""Tics without getting anywhere."""
_MOVED = 12.0
_SAME = 8.0


class DoomScriptedPlayer:
    """Goes to the exit, shoots what it sees, takes what lies beside the way, opens doors.

    It knows the map, as a person who played it before; of all else it knows what is observed. The
    same seed and observations give the same play.

    Args:
        level: The level that is played.
        seed: Decides how it dodges.
        solids: Obstacles beside the walls: x, y and radius.

    Raises:
        GameError: the exit can't be walked to through doors that open by hand.
    """

    def __init__(self, level: WadMap, seed: int, solids: Iterable[Solid] = ()) -> None:
        self._chance = random.Random(seed)
        doors = level.doors()
        self._ground = LevelWalkGrid(level, opened=doors, solids=tuple(solids))
        self._doors = np.isin(self._ground.sectors, doors)
        self._exit, goals = exit_of(level, self._ground)
        self._cost = self._ground.costs_to(goals)
        self._fighting = DoomFight(self._ground, self._chance)
        self._tic = 0
        self._waits = self._still_frames = self._pushing = self._alert = 0
        self._enemy: ObservedEntity | None = None
        self._before: Point = (math.inf, math.inf)
        self._fetching: tuple[Point, int] | None = None
        self._ignored: list[Point] = []
        self._anchor, self._anchored = (math.inf, math.inf), 0
        self._shake = 0

    def pad(self, seen: Observation) -> Pad:
        """What to hold in the next tic."""
        self._tic += 1
        pad = self._decide(seen, seen.position[:2])
        self._before = seen.position[:2]
        return pad

    def _decide(self, seen: Observation, here: Point) -> Pad:
        enemy = self._nearest(seen.enemies, here, _FIGHT)
        if enemy is not None:
            self._enemy, self._alert = enemy, self._tic + _ALERT
        if self._enemy is not None and self._tic < self._alert:
            self._anchored = self._tic
            there = self._enemy.position
            return self._fighting.pad(seen, there, self._tic, shoots=enemy is not None)
        if self._tic < self._waits:
            self._anchored = self._tic
            return Pad()
        if self._is_stuck(here):
            self._shake = self._tic + 15
            self._fighting.side = self._chance.uniform(-math.pi, math.pi)
        if self._tic < self._shake:
            return self._walk(seen, self._fighting.side, pace=0.7)
        item = self._wanted(seen, here)
        if item is not None:
            return self._walk(seen, bearing(here, item), pace=min(1.0, math.dist(here, item) / 60))
        return self._travel(seen, here)

    def _wanted(self, seen: Observation, here: Point) -> Point | None:
        """Where the thing lies that is to be fetched now."""
        items = [
            item
            for item in seen.items
            if all(math.dist(item.position[:2], other) > _SAME for other in self._ignored)
        ]
        item = self._nearest(items, here, _ASIDE)
        if item is None:
            # It may be hidden for a moment; at the player's own place it is taken.
            if self._fetching is None or math.dist(self._fetching[0], here) < _TAKEN:
                self._fetching = None
                return None
            there = self._fetching[0]
        else:
            there = item.position[:2]
        if self._fetching is None or math.dist(self._fetching[0], there) > _SAME:
            self._fetching = (there, self._tic)
        if self._tic - self._fetching[1] > _FETCH:
            self._ignored.append(there)
            self._fetching = None
            return None
        return there

    def _travel(self, seen: Observation, here: Point) -> Pad:
        ground = self._ground
        cell = ground.nearest_free_cell(*here)
        if cell is None or not math.isfinite(self._cost[cell]):
            return self._walk(seen, seen.facing, pace=0.5)
        if self._cost[cell] == 0.0:
            return self._use(seen, self._exit)
        way = ground.downhill(self._cost, cell, _AHEAD)
        door = self._door_on(way, here)
        if door is None or (math.dist(here, self._before) > _STANDS and not self._still_frames):
            self._pushing = 0
        else:
            # It does not let one through: it is shut.
            self._pushing += 1
            if self._pushing > _SHUT:
                return self._use(seen, door)
        target = next(
            (
                point
                for at in reversed(way)
                if ground.open_way(seen.position, point := ground.point(at))
            ),
            ground.point(way[0] if way else cell),
        )
        return self._walk(seen, bearing(here, target), pace=1.0)

    def _door_on(self, way: list[Cell], here: Point) -> Point | None:
        """Where the door begins that is reached within a few steps."""
        for cell in way:
            if self._doors[cell]:
                point = self._ground.point(cell)
                return point if math.dist(here, point) < _USE else None
        return None

    def _use(self, seen: Observation, there: Point) -> Pad:
        """Stand before a door or a switch and face it, press, and wait for its effect."""
        self._anchored = self._tic
        off = turned(bearing(seen.position[:2], there) - seen.facing)
        if abs(off) > _FACED or math.dist(seen.position[:2], self._before) > _STANDS:
            self._still_frames = 0
            return Pad(right=(stick(off), 0.0))
        self._still_frames += 1
        if self._still_frames < _LOOK:
            return Pad()
        self._still_frames = self._pushing = 0
        self._waits = self._tic + _OPENING
        return Pad(held=int(Button.X))

    def _walk(self, seen: Observation, heading: float, *, pace: float) -> Pad:
        off = turned(heading - seen.facing)
        return Pad(
            left=(-pace * math.sin(off), pace * math.cos(off)),
            right=(stick(off) * 0.6, 0.0),
        )

    def _is_stuck(self, here: Point) -> bool:
        if math.dist(here, self._anchor) > _MOVED:
            self._anchor, self._anchored = here, self._tic
        if self._tic - self._anchored <= _STUCK:
            return False
        self._anchored = self._tic
        return True

    def _nearest(
        self, things: Iterable[ObservedEntity], here: Point, reach: float
    ) -> ObservedEntity | None:
        near = [(math.dist(thing.position[:2], here), thing.object, thing) for thing in things]
        away, _, thing = min(near, default=(math.inf, 0, None), key=lambda one: one[:2])
        return thing if away < reach else None


def exit_of(level: WadMap, ground: LevelWalkGrid) -> tuple[Point, list[Cell]]:
    """Where the exit's switch is, and the cells from which it can be pressed."""
    for line in level.lines_of(EXITS):
        start, end = level.starts[line], level.ends[line]
        middle, along = (start + end) / 2, (end - start) / math.dist(start, end)
        ahead = np.array([along[1], -along[0]])  # the side that a switch is on: the right one
        goals = {
            cell
            for away in (24.0, 32.0, 40.0)
            for beside in (-16.0, -8.0, 0.0, 8.0, 16.0)
            if ground.free[cell := ground.cell(*(middle + away * ahead + beside * along))]
            and ground.floor[cell] <= level.floors[level.right[line]] + 24
        }
        if goals:
            x, y = middle.tolist()
            return (x, y), sorted(goals)
    raise GameError(f"{level.name}: there is no switch that ends it and can be walked to")
