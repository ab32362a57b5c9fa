"""A thrown stone: flies, bounces off walls, lands with a noise, and disappears after a while."""

import math
import struct

import pymunk

from ..entity import GUARD, STEP, STONE, WALL, Entity
from ..yaml_nodes import Point

SPEED = 12.0
RISE = 1.8
"""Metres a second, forward and up, as it leaves the hand."""
HAND = 1.4
"""Metres above the ground."""
GRAVITY = 9.81
DAMAGE = 26.0
LYING = 1.5
"""Seconds from landing until it is taken away."""


class ThrownStone(Entity):
    """Hurts the first guard that it meets in flight."""

    type = "stone"

    def __init__(self, id: int, thrower: int, at: Point, heading: float) -> None:
        super().__init__(id, f"stone {id}")
        self.thrower = thrower
        self.body = pymunk.Body(0.3, math.inf)
        self.body.position = at
        self.body.velocity = (SPEED * math.cos(heading), SPEED * math.sin(heading))
        self.shape = pymunk.Circle(self.body, 0.06)
        self.shape.elasticity = 0.5
        self.shape.collision_type = STONE
        self.shape.filter = pymunk.ShapeFilter(categories=STONE, mask=WALL | GUARD)
        self.x, self.y = at
        self.z, self.rise = HAND, RISE
        self.spent = False
        """True once it has hurt a person, or has landed."""
        self.left = LYING

    @property
    def landed(self) -> bool:
        return self.z <= 0.0

    @property
    def gone(self) -> bool:
        return self.left <= 0.0

    def fly(self) -> bool:
        """One step up, down or along the ground; True in the step in which it lands."""
        self.x, self.y = self.body.position
        if self.landed:
            vx, vy = self.body.velocity
            self.body.velocity = (vx * 0.92, vy * 0.92)
            self.left -= STEP
            return False
        self.rise -= GRAVITY * STEP
        self.z = max(0.0, self.z + self.rise * STEP)
        if not self.landed:
            return False
        self.spent = True
        self.shape.filter = pymunk.ShapeFilter(categories=STONE, mask=WALL)
        return True

    def pack(self) -> bytes:
        numbers = struct.pack(
            "<9dq?", *self.body.position, *self.body.velocity, self.x, self.y, self.z, self.rise,
            self.left, self.thrower, self.spent,
        )  # fmt: skip
        return super().pack() + numbers
