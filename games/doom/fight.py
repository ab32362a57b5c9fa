"""Fights in Doom with a pad: face the enemy, shoot, and step aside."""

import math
import random

from ...playback.pads.pad import Button, Pad
from ..playable_interface import Observation, Vector
from .level_walk_grid import LevelWalkGrid, Point
from .pad_to_buttons import TURN

_WIDE = 16.0
"""How wide a monster is to aim at, from its middle."""


class DoomFight:
    """Fights one enemy after another.

    Args:
        chance: Decides how it dodges.
    """

    def __init__(self, ground: LevelWalkGrid, chance: random.Random) -> None:
        self._ground, self._chance = ground, chance
        self.side = 0.0
        """Where it steps aside to just now: the left stick, right positive."""
        self._until = 0

    def pad(self, seen: Observation, enemy: Vector, tic: int, *, shoots: bool) -> Pad:
        """What to hold in this tic against an enemy that is, or was last seen, there."""
        away = math.dist(seen.position[:2], enemy[:2])
        off = turned(bearing(seen.position[:2], enemy[:2]) - seen.facing)
        if tic >= self._until:
            self._until = tic + self._chance.randint(12, 30)
            self.side = self._chance.choice((-0.6, 0.0, 0.6))
        # Along the line of fire nothing is gained, unless there is no ammunition left.
        left = (self.side, 1.0 if not seen.extras.get("ammo", 1.0) else 0.0)
        if not self.is_ground(seen, left):
            left = (0.0, 0.0)
        shoots = shoots and abs(off) < max(0.02, math.atan2(_WIDE, away))
        return Pad(left=left, right=(stick(off), 0.0), held=int(Button.A) * shoots)

    def is_ground(self, seen: Observation, left: tuple[float, float]) -> bool:
        """Whether one can go a little way there, neither into a pit nor a wall."""
        sin, cos = math.sin(seen.facing), math.cos(seen.facing)
        x, y = left[0] * sin + left[1] * cos, left[1] * sin - left[0] * cos
        there = (seen.position[0] + 48 * x, seen.position[1] + 48 * y)
        ground, cell = self._ground, self._ground.cell(*there)
        level = abs(float(ground.floor[cell]) - seen.position[2]) < 25
        return ground.open_way(seen.position, there) and level


def bearing(start: Point, end: Point) -> float:
    """The heading from a point to another."""
    return math.atan2(end[1] - start[1], end[0] - start[0])


def turned(angle: float) -> float:
    """The same angle, −π … π."""
    return math.remainder(angle, math.tau)


def stick(off: float) -> float:
    """The right stick that turns by an angle within a tic, or as far as it can."""
    return min(1.0, max(-1.0, -off / math.radians(TURN)))
