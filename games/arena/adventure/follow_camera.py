"""The camera of an adventure: behind the player along its own heading, which the pad turns."""

import math
import struct

from ..entity import STEP, Entity, Vector
from ..player_camera import WIDE, CameraView, looking
from .world.player import QuestPlayer

AWAY = 9.0
"""Metres from the player."""
CHEST = 1.0


class QuestCamera(Entity):
    """Follows the player and lags a little."""

    type = "camera"

    def __init__(self, id: int, hero: QuestPlayer) -> None:
        super().__init__(id, "camera")
        self.view: CameraView = CameraView()
        self.at: Vector = (0.0, 0.0, 0.0)
        self.jump(hero)

    def jump(self, hero: QuestPlayer) -> None:
        """Be where it wants to be at once."""
        self.at = _wanted(hero)

    def follow(self, hero: QuestPlayer) -> None:
        """One step nearer to where it wants to be."""
        share = min(1.0, 6.0 * STEP)
        (x, y, z), (wx, wy, wz) = self.at, _wanted(hero)
        self.at = (x + share * (wx - x), y + share * (wy - y), z + share * (wz - z))

    def show(self, hero: QuestPlayer) -> None:
        """Write the view."""
        self.view.position = self.at
        self.view.angles = looking(self.at, (hero.x, hero.y, hero.z + CHEST))
        self.view.fov = WIDE
        self.view.state = "aim" if hero.aiming else "follow"

    def pack(self) -> bytes:
        return super().pack() + struct.pack("<3d", *self.at)


def _wanted(hero: QuestPlayer) -> Vector:
    flat = AWAY * math.cos(hero.pitch)
    return (
        hero.x - flat * math.cos(hero.heading),
        hero.y - flat * math.sin(hero.heading),
        hero.z + CHEST - AWAY * math.sin(hero.pitch),
    )
