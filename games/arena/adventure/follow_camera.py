"""The camera of an adventure: behind the player along its own heading, which the pad turns."""

import math
import struct

from ..entity import STEP, Entity, Vector
from ..player_camera import WIDE, CameraView, looking
from .world.player import AdventurePlayer

AWAY = 9.0
"""Metres from the player."""
CHEST = 1.0


class FollowCamera(Entity):
    """Follows the player and lags a little."""

    type = "camera"

    def __init__(self, id: int, player: AdventurePlayer) -> None:
        super().__init__(id, "camera")
        self.view: CameraView = CameraView()
        self.at: Vector = (0.0, 0.0, 0.0)
        self.jump(player)

    def jump(self, player: AdventurePlayer) -> None:
        """Be where it wants to be at once."""
        self.at = _target_position(player)

    def follow(self, player: AdventurePlayer) -> None:
        """One step nearer to where it wants to be."""
        share = min(1.0, 6.0 * STEP)
        (x, y, z), (wx, wy, wz) = self.at, _target_position(player)
        self.at = (x + share * (wx - x), y + share * (wy - y), z + share * (wz - z))

    def show(self, player: AdventurePlayer) -> None:
        """Write the view."""
        self.view.position = self.at
        self.view.angles = looking(self.at, (player.x, player.y, player.z + CHEST))
        self.view.fov = WIDE
        self.view.state = "aim" if player.aiming else "follow"

    def pack(self) -> bytes:
        return super().pack() + struct.pack("<3d", *self.at)


def _target_position(player: AdventurePlayer) -> Vector:
    flat = AWAY * math.cos(player.pitch)
    return (
        player.x - flat * math.cos(player.heading),
        player.y - flat * math.sin(player.heading),
        player.z + CHEST - AWAY * math.sin(player.pitch),
    )
