"""A body with height: walks in the plane, climbs steps, jumps, falls, and is knocked back."""

import math
import struct

import pymunk

from ...entity import STEP, Character, Vector
from ...yaml_nodes import Point
from .terrain import AIR_STEP, ENEMY, PERSON, PLAYER, SOLID, STEP_UP, Terrain

GRAVITY = 18.0
"""Metres a second, each second."""
KNOCKED = 0.25
"""Seconds that a knock lasts, in which the character can't walk."""


class CharacterBody(Character):
    """A character on the ground or in the air. `z` is the height of its feet."""

    def __init__(
        self, id: int, name: str, at: Point, facing: float, hp: float, kind: int
    ) -> None:  # fmt: skip
        super().__init__(id, name, at, facing, hp, kind, 0)
        self._kind = kind
        self._hits = PLAYER | ENEMY | PERSON | SOLID
        self._mask = 0
        self.z = 0.0
        self.rise = 0.0
        """Metres a second, upwards."""
        self.grounded = True
        self.knocked = 0.0
        """Seconds until it is master of its legs again."""
        self.knock: Point = (0.0, 0.0)

    @property
    def velocity(self) -> Vector:
        """Metres a second."""
        return self.vx, self.vy, self.rise

    def stand(self, at: Point, terrain: Terrain) -> None:
        """Set it down on what is there, without velocity."""
        self.place(at)
        self.z = terrain.area.surface(*at)
        self.rise = 0.0
        self.grounded = True
        self.knocked = 0.0
        self.refilter(terrain)

    def bounce(self, heading: float, speed: float, up: float = 0.0) -> None:
        """Be knocked back along a heading (radians), and perhaps up, at this speed."""
        self.knocked = KNOCKED
        self.knock = (speed * math.cos(heading), speed * math.sin(heading))
        if up > 0.0:
            self.rise = up
            self.grounded = False

    def carried(self) -> bool:
        """One step of being knocked back; False if it is not."""
        if self.knocked <= 0.0:
            return False
        self.knocked = max(0.0, self.knocked - STEP)
        share = self.knocked / KNOCKED
        self.desired = (0.0, 0.0)
        self.body.velocity = (self.knock[0] * share, self.knock[1] * share)
        return True

    def settle(self, terrain: Terrain) -> bool:
        """Take over what the plane's engine made of a step, then fall or land; True if it lands."""
        self.pull()
        landed = False
        step = STEP_UP if self.grounded else AIR_STEP
        floor = terrain.floor((self.x, self.y), self.z, step)
        if self.grounded:
            if floor >= self.z - STEP_UP:
                self.z = floor
            else:
                self.grounded = False
                self.left()
        if not self.grounded:
            self.rise -= GRAVITY * STEP
            self.z += self.rise * STEP
            if self.z <= floor and self.rise <= 0.0:
                self.z, self.rise = floor, 0.0
                self.grounded = landed = True
        self.refilter(terrain)
        return landed

    def left(self) -> None:
        """It has walked off a ledge."""

    def refilter(self, terrain: Terrain) -> None:
        """Collide with what is higher than its feet and a step."""
        mask = self._hits | terrain.above(self.z + (STEP_UP if self.grounded else AIR_STEP))
        if mask != self._mask:
            self._mask = mask
            self.shape.filter = pymunk.ShapeFilter(categories=self._kind, mask=mask)

    def pack(self) -> bytes:
        return super().pack() + struct.pack(
            "<5dq?", self.z, self.rise, self.knocked, *self.knock, self._mask, self.grounded
        )
