"""Things that stand in an area: people and signs, doors, switches, shrines, boulders, items."""

import struct

import numpy as np
import numpy.typing as npt
import pymunk

from .....handlers.skeletal_pose_handler import Skeleton
from ...animation.skeletons import BODIES
from ...animation.walk_animation import BODY_JOINTS, HUMAN, WalkAnimation, gait, pose
from ...entity import RADIUS, Entity, Vector, pack_text, wrapped
from ...yaml_nodes import Point
from .level import Area, Door, Fixture, Item, Talker
from .terrain import PERSON, Terrain

TURNING = 0.1
"""Radians that a person turns in a step towards its partner in a conversation."""


def _upright_matrix() -> npt.NDArray[np.float32]:
    nothing, one = np.zeros(1), np.ones(1)
    walk = WalkAnimation(one, nothing, nothing)
    return pose(HUMAN, gait(nothing, walk, nothing, nothing))[0, :BODY_JOINTS]


_STANDING = _upright_matrix()


class Prop(Entity):
    """Something with a position, a state in a word, and perhaps a body in the way."""

    def __init__(self, id: int, name: str, type: str, at: Point, z: float, state: str = "") -> None:
        super().__init__(id, name)
        self.type = type
        self.at = at
        self.z = z
        self.facing = 0.0
        self.state = state
        self.shape: pymunk.Shape | None = None

    @property
    def position(self) -> Vector:
        return *self.at, self.z

    def block(self, terrain: Terrain, radius: float) -> None:
        """Stand in everybody's way."""
        self.shape = pymunk.Circle(terrain.space.static_body, radius, self.at)
        self.shape.friction = 0.0
        self.shape.filter = pymunk.ShapeFilter(categories=PERSON)
        terrain.space.add(self.shape)

    def vanish(self, terrain: Terrain) -> None:
        """Be no obstacle any more."""
        if self.shape is not None:
            terrain.space.remove(self.shape)
            self.shape = None

    def show(self) -> None:
        """Write the view."""
        self.view.position = (*self.at, self.z)
        self.view.angles = (0.0, 0.0, self.facing)
        self.view.state = self.state

    def pack(self) -> bytes:
        numbers = struct.pack("<4d?", *self.at, self.z, self.facing, self.shape is not None)
        return super().pack() + numbers + pack_text(self.state)


class Speaker(Prop):
    """A person or a sign, which has something to say."""

    velocity = desired_velocity = (0.0, 0.0, 0.0)

    def __init__(self, id: int, talker: Talker, area: Area) -> None:
        kind = "sign" if talker.sign else "person"
        super().__init__(id, talker.name, kind, talker.at, area.surface(*talker.at), "waits")
        self.talker = talker
        self.facing = talker.facing
        if not talker.sign:
            self.view.joints = _STANDING.copy()

    @property
    def skeleton(self) -> Skeleton | None:
        """A person's; a sign has none."""
        return None if self.talker.sign else BODIES[BODY_JOINTS]

    def turn_to(self, heading: float) -> None:
        """Turn a little towards a heading (radians); a sign stays as it is."""
        if not self.talker.sign:
            off = wrapped(heading - self.facing)
            self.facing = wrapped(self.facing + min(max(off, -TURNING), TURNING))


class Gate(Prop):
    """A door, open or closed."""

    def __init__(self, id: int, door: Door) -> None:
        super().__init__(id, door.name, "door", door.at, 0.0, "closed")
        self.door = door


class Device(Prop):
    """A switch, a shrine, a boulder or a target."""

    def __init__(self, id: int, fixture: Fixture, area: Area) -> None:
        z = area.surface(*fixture.at) + fixture.up
        super().__init__(id, fixture.name, fixture.kind, fixture.at, z, "off")
        self.fixture = fixture

    @property
    def radius(self) -> float:
        """Metres that it is in the way."""
        return {"switch": 0.2, "shrine": 0.5, "boulder": 1.0, "target": 0.0}[self.type]


class Treasure(Prop):
    """An item that has not been taken yet."""

    def __init__(self, id: int, item: Item, area: Area) -> None:
        super().__init__(
            id, item.name, "item", item.at, area.surface(*item.at) + item.up, item.kind
        )
        self.item = item


SPEAKING = RADIUS
"""Metres that a person or a sign is in the way."""
