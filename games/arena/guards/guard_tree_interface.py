"""A guard, and the yard's player, as bodies that behaviour trees drive."""

import math
from collections.abc import Mapping

import numpy as np
import pymunk

from ...pad_tree_body import PadBody
from ...playable_interface import Playable
from ...tree_body_interface import CommandRange, Place, Point, TreeValue
from ...walk_map import WalkMap, map_of_free_cells
from ..entity import RADIUS, WALL, distance
from ..guard_yard import Yard
from ..level import Level
from .guard import SPEEDS, STRIKE_REACH, Guard, GuardOrders
from .guard_fsm import State

CELL = 0.5
"""Metres from one cell of the map to the next."""
ROOM = RADIUS + 0.1
"""Metres that the map keeps free of walls around a walker."""
_WALLS = pymunk.ShapeFilter(mask=WALL)


class _InYard:
    """What is known of the yard, and seen of it."""

    scan_cell = CELL
    room = ROOM
    _yard: Yard

    @property
    def scan_bounds(self) -> tuple[Point, Point]:
        """The middles of the map's first and last cell."""
        width, depth = (side / 2 - CELL / 2 for side in self._yard.level.size)
        return (-width, -depth), (width, depth)

    def ray(self, origin: Point, angle: float) -> float:
        """How far it is to the next wall."""
        far = math.hypot(*self._yard.level.size)
        end = (origin[0] + far * math.cos(angle), origin[1] + far * math.sin(angle))
        met = self._yard.ground.space.segment_query_first(origin, end, 0.0, _WALLS)
        return far if met is None else met.alpha * far

    def walk_map(self) -> WalkMap | None:
        """The map of the level."""
        return map_of_level(self._yard.level)


class GuardBody(_InYard):
    """Sees and hears as a guard does, and walks, turns and strikes as commanded.

    Its values about the player are what the guard believes: `target` is where the player was last
    seen, `None` without a belief. `post` is the next point of its round, `shelter` a position far
    from danger.
    """

    values = frozenset((
        "hp", "sees", "target", "target_distance", "target_heading", "target_bearing",
        "target_down", "belief_age", "noise", "noise_age", "post", "shelter", "position", "facing",
        "speed", "reach",
    ))  # fmt: skip
    commands: Mapping[str, CommandRange] = {
        "speed": CommandRange(0.0, SPEEDS[State.FLEE]),
        "heading": CommandRange(-math.pi, math.pi),
        "face": CommandRange(-math.pi, math.pi),
        "strike": CommandRange(0.0, 1.0),
        "recover": CommandRange(0.0, 1.0),
        "next_post": CommandRange(0.0, 1.0),
    }
    """`heading` is where it walks, `face` where it looks, both as angles of the world. `recover`
    heals it. `next_post` makes the next point of its round its `post`."""

    def __init__(self, yard: Yard, guard: Guard) -> None:
        self._yard, self._guard = yard, guard

    @property
    def object(self) -> int:
        return self._guard.id

    @property
    def position(self) -> Place:
        return self._guard.at

    @property
    def facing(self) -> float:
        return self._guard.facing

    def observe(self) -> Mapping[str, TreeValue]:
        guard, yard = self._guard, self._yard
        belief, noise = guard.belief, guard.noise
        bearing = heading = 0.0
        if belief is not None:
            heading = math.atan2(belief.at[1] - guard.y, belief.at[0] - guard.x)
            bearing = math.remainder(heading - guard.facing, math.tau)
        danger = guard.stimulus()
        return {
            "hp": guard.hp,
            "sees": guard.sees,
            "target": belief.at if belief else None,
            "target_distance": distance(guard.at, belief.at) if belief else math.inf,
            "target_heading": heading,
            "target_bearing": bearing,
            "target_down": yard.player.down,
            "belief_age": yard.time - belief.time if belief else math.inf,
            "noise": noise.at if noise else None,
            "noise_age": yard.time - noise.time if noise else math.inf,
            "post": guard.patrol[guard.leg],
            "shelter": max(yard.level.waypoints, key=lambda way: distance(way, danger)),
            "position": guard.at,
            "facing": guard.facing,
            "speed": guard.speed,
            "reach": STRIKE_REACH,
        }

    def act(self, commands: Mapping[str, float]) -> None:
        guard = self._guard
        if commands.get("next_post", 0.0) >= 0.5:
            guard.leg = (guard.leg + 1) % len(guard.patrol)
        guard.orders = GuardOrders(
            commands.get("heading", guard.facing), commands.get("speed", 0.0),
            commands.get("face"), commands.get("strike", 0.0) >= 0.5,
            commands.get("recover", 0.0) >= 0.5,
        )  # fmt: skip

    def release(self) -> None:
        self._guard.orders = None


class YardPlayerBody(_InYard, PadBody):
    """The yard's player: its map is known."""

    def __init__(self, game: Playable, yard: Yard) -> None:
        super().__init__(game)
        self._yard = yard


def map_of_level(level: Level) -> WalkMap:
    """Where one can walk in a yard."""
    low = [-side / 2 + CELL / 2 for side in level.size]
    xs, ys = (np.arange(first, side / 2, CELL) for first, side in zip(low, level.size, strict=True))
    free = np.array([
        [
            abs(x) < level.size[0] / 2 - ROOM and abs(y) < level.size[1] / 2 - ROOM
            and not any(wall.holds((x, y), ROOM) for wall in level.walls)
            for x in xs
        ]
        for y in ys
    ])  # fmt: skip
    return map_of_free_cells(free, CELL, (low[0], low[1]))
