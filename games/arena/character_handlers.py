"""Handlers of the yard's characters: pose, velocity and desired velocity."""

import struct
from typing import Any

import msgspec

from ...handlers.player_handler import PAD, PlayerHandler
from ...handlers.skeletal_pose_handler import SkeletalPoseHandler
from ...recorder.handler_interface import PacketWriter
from ...recorder.packets.layouts.layout import Field, Layout
from .entity import Character

_MOTION = (("velocity", "<f4", (3,)), ("desired_velocity", "<f4", (3,)))
_NOTES = {
    "velocity": Field("m/s", "velocity", restored=False),
    "desired_velocity": Field("m/s", "desired_velocity", restored=False),
}
_PACKED = struct.Struct("<6f")


def _noted(layout: Layout) -> Layout:
    return msgspec.structs.replace(layout, notes={**layout.notes, **_NOTES})


def _put(walker: Character, packet: PacketWriter, at: int) -> None:
    _PACKED.pack_into(packet, at, *walker.velocity, *walker.desired_velocity)


class GuardHandler(SkeletalPoseHandler):
    """Records a guard's view, its velocity and the one that it wants; plays the view only."""

    front = _MOTION

    def __init__(self, example: Character, **rest: Any) -> None:
        super().__init__(example, **rest)
        self.layout = _noted(self.layout)

    def record(self, obj: Character, packet: PacketWriter) -> None:
        super().record(obj, packet)
        _put(obj, packet, 0)


class YardPlayerHandler(PlayerHandler):
    """The same of the player, and its pad."""

    front = (*PlayerHandler.front, *_MOTION)

    def __init__(self, example: Character, **rest: Any) -> None:
        super().__init__(example, **rest)
        self.layout = _noted(self.layout)

    def record(self, obj: Character, packet: PacketWriter) -> None:
        super().record(obj, packet)
        _put(obj, packet, PAD.itemsize)
