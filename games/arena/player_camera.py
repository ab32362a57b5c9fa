"""The camera that follows the player, and the player's own arm."""

import math
import struct
from dataclasses import dataclass

import numpy as np

from .animation.skeletons import ARM
from .animation.walk_animation import HANDS, pose
from .entity import STEP, Entity, EntityView, Vector
from .yard_player import Player

BEHIND, ABOVE = 6.0, 7.0
"""Metres."""
EYE = 1.65
WIDE, WIDER = math.radians(60), math.radians(68)


@dataclass(slots=True, eq=False)
class CameraView(EntityView):
    """A view that also says how wide it is."""

    fov: float = WIDE
    """Radians, from side to side."""

    def pack(self) -> bytes:
        return EntityView.pack(self) + struct.pack("<d", self.fov)


class Camera(Entity):
    """Hangs behind and above the player and lags a little; widens when the player runs."""

    type = "camera"

    def __init__(self, id: int, player: Player) -> None:
        super().__init__(id, "camera")
        self.view: CameraView = CameraView()
        self.x, self.y = self._aim(player)
        self.fov = WIDE

    def follow(self, player: Player) -> None:
        """One step nearer to where it wants to be."""
        x, y = self._aim(player)
        self.x += (x - self.x) * min(1.0, 4.0 * STEP)
        self.y += (y - self.y) * min(1.0, 4.0 * STEP)
        fov = WIDER if player.speed > 3.5 else WIDE
        self.fov += (fov - self.fov) * min(1.0, 5.0 * STEP)

    def show(self, player: Player) -> None:
        """Write the view."""
        position = (self.x, self.y, ABOVE)
        self.view.position = position
        self.view.angles = looking(position, (player.x, player.y, 1.0))
        self.view.fov = self.fov
        self.view.state = "follow"

    def pack(self) -> bytes:
        return super().pack() + struct.pack("<3d", self.x, self.y, self.fov)

    @staticmethod
    def _aim(player: Player) -> tuple[float, float]:
        return player.x, player.y - BEHIND


class ViewModel(Entity):
    """The player's arm with a stone in it, seen from the player's eye."""

    type = "view_model"
    skeleton = ARM

    def __init__(self, id: int) -> None:
        super().__init__(id, "arm")

    def show(self, player: Player) -> None:
        """Write the view: all of it follows from the player."""
        self.view.position = (player.x, player.y, EYE)
        self.view.angles = (0.0, 0.0, player.facing)
        self.view.visible = not player.down
        self.view.state = "empty" if player.rest > 0.0 else "ready"
        sway = 0.05 * math.sin(player.phase) * min(player.speed / 3.0, 1.0)
        angles = np.array([[sway - 0.9 * player.lift], [-0.3 - 0.7 * player.lift], [0.0]])
        self.view.joints = pose(HANDS, angles)[0]


def looking(source: Vector, target: Vector) -> Vector:
    """The angles of a camera at `source` that looks at `target`."""
    dx, dy, dz = (target[axis] - source[axis] for axis in range(3))
    # A turn about y (left) by a positive angle lowers the front.
    return (0.0, -math.atan2(dz, math.hypot(dx, dy)), math.atan2(dy, dx))
