"""An object of a level: a stable id, a type, a simulated state, and a pose to be displayed.

The simulation reads and writes the simulated state and, at the end of each step, writes `view`.
Playback writes `view` and nothing else. So no cache of the physics engine is ever disturbed, and
a run that was scrubbed goes on exactly like one that was not.
"""

import math
import struct
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pymunk

from ...handlers.skeletal_pose_handler import Skeleton
from .animation.skeletons import BODIES
from .animation.walk_animation import BODY_JOINTS
from .yaml_nodes import Point

STEP = 1 / 60
"""Seconds of game time in one step, always."""

RADIUS = 0.35
"""Metres from a person's middle to its side."""
ACCELERATION = 22.0
TURNING = 7.0

WALL, GUARD, PLAYER, STONE = 1, 2, 4, 8
"""Bits of pymunk's filters: what a shape is, and what it collides with."""

Vector = tuple[float, float, float]


def no_joints() -> npt.NDArray[np.float32]:
    """The joints of what has none."""
    return np.zeros((0, 3, 4), np.float32)


@dataclass(slots=True, eq=False)
class EntityView:
    """How an entity looks now: all that playback puts back. The simulation never reads it."""

    position: Vector = (0.0, 0.0, 0.0)
    """Metres, z up; people and stones stand on z = 0."""
    angles: Vector = (0.0, 0.0, 0.0)
    """Turns about x, y and z, radians; the third is the heading, 0 along x."""
    visible: bool = True
    state: str = ""
    hp: float = 0.0
    joints: npt.NDArray[np.float32] = field(default_factory=no_joints)
    """(joints, 3, 4), row-major, in model space."""

    def pack(self) -> bytes:
        """Every field as bytes: two views look alike if and only if these are equal."""
        numbers = struct.pack(
            "<7d?", *self.position, *self.angles, float(self.hp), bool(self.visible)
        )
        joints = np.ascontiguousarray(self.joints, "<f4").tobytes()
        return numbers + pack_text(self.state) + pack_count(len(self.joints)) + joints


class Entity:
    """One thing in a level. Ids count up from 1 and are never used again."""

    type = "entity"

    def __init__(self, id: int, name: str) -> None:
        self.id = id
        self.name = name
        self.view = EntityView()

    def pack(self) -> bytes:
        """The simulated state as bytes, without the view."""
        return pack_count(self.id) + pack_text(self.type)


class HitReason(NamedTuple):
    """Why a person is posed as it is, in words."""

    legs: str
    """What it wants of its legs."""
    arm: str
    """What a raised arm does: the clip's name."""
    raised: str
    """Why the arm is raised or is not."""
    lies: str = ""
    """Why it lies or does not; empty for who never does."""
    lain: float = 0.0
    """How much of the lying is over, 0 … 1."""


class Character(Entity):
    """A person: a body of the physics engine, a heading, health, a stride."""

    joints = BODY_JOINTS
    """How many joints of `HUMAN` it has."""

    def __init__(
        self, id: int, name: str, at: Point, facing: float, hp: float, kind: int, hits: int
    ) -> None:
        super().__init__(id, name)
        # An infinite moment: a bump may shove people but never spins them.
        self.body = pymunk.Body(80.0, math.inf)
        self.body.position = at
        self.shape = pymunk.Circle(self.body, RADIUS)
        self.shape.friction = 0.2
        self.shape.filter = pymunk.ShapeFilter(categories=kind, mask=hits)
        self.x, self.y = at
        self.vx = self.vy = 0.0
        self.facing = facing
        self.hp = hp
        self.phase = 0.0
        """Radians of the stride."""
        self.lift = 0.0
        """0 … 1: how far the right arm is raised."""
        self.desired: Point = (0.0, 0.0)
        """The velocity that it wants, m/s; what legs and walls make of it is another."""

    @property
    def why(self) -> HitReason:
        """Why it is posed as it is."""
        raise NotImplementedError

    @property
    def velocity(self) -> Vector:
        """Metres a second."""
        return self.vx, self.vy, 0.0

    @property
    def desired_velocity(self) -> Vector:
        """Metres a second."""
        return *self.desired, 0.0

    @property
    def skeleton(self) -> Skeleton:
        """Names and parents of its joints."""
        return BODIES[self.joints]

    @property
    def at(self) -> Point:
        return self.x, self.y

    @property
    def speed(self) -> float:
        """Metres a second over the ground."""
        return math.hypot(self.vx, self.vy)

    def place(self, at: Point) -> None:
        """Move it to another place, without velocity."""
        self.body.position = at
        self.body.velocity = self.desired = (0.0, 0.0)
        if self.body.space is not None:
            self.body.space.reindex_shapes_for_body(self.body)
        self.pull()

    def push(self, vx: float, vy: float) -> None:
        """Bring the velocity nearer to this one, as far as legs can in one step."""
        self.desired = (vx, vy)
        dx, dy = vx - self.vx, vy - self.vy
        most = ACCELERATION * STEP
        change = math.hypot(dx, dy)
        if change > most:
            dx, dy = dx / change * most, dy / change * most
        self.body.velocity = (self.vx + dx, self.vy + dy)

    def pull(self) -> None:
        """Take over what the physics engine made of it."""
        self.x, self.y = self.body.position
        self.vx, self.vy = self.body.velocity
        self.phase = (self.phase + 3.2 * self.speed * STEP) % math.tau

    def turn(self, heading: float, rate: float = TURNING) -> None:
        """Turn towards a heading (radians), as far as one step allows."""
        most = rate * STEP
        self.facing = wrapped(self.facing + min(max(wrapped(heading - self.facing), -most), most))

    def angle_off_front(self, point: Point) -> float:
        """How far a point is off this one's front, 0 … pi radians."""
        return abs(wrapped(math.atan2(point[1] - self.y, point[0] - self.x) - self.facing))

    def pack(self) -> bytes:
        body = self.body
        return super().pack() + struct.pack(
            "<13d", *body.position, *body.velocity, body.angle, self.x, self.y, self.vx, self.vy,
            self.facing, self.hp, self.phase, self.lift,
        )  # fmt: skip


def wrapped(angle: float) -> float:
    """The same angle in -pi … pi."""
    return math.remainder(angle, math.tau)


def distance(a: Point, b: Point) -> float:
    """Metres between two points."""
    return math.hypot(b[0] - a[0], b[1] - a[1])


def pack_text(text: str) -> bytes:
    data = text.encode()
    return pack_count(len(data)) + data


def pack_count(count: int) -> bytes:
    return struct.pack("<q", count)


def pack_points(points: tuple[Point, ...] | list[Point]) -> bytes:
    flat = [number for point in points for number in point]
    return pack_count(len(points)) + struct.pack(f"<{len(flat)}d", *flat)
