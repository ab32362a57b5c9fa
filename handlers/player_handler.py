"""The handler of the player's character: an animated model, and the pad that drives it."""

import struct
from typing import Any

import msgspec
import numpy as np

from ..recorder.handler_interface import PacketWriter
from ..recorder.packets.layouts.layout import Field
from .skeletal_pose_handler import SkeletalPoseHandler

PAD = np.dtype([
    ("pad_left", "<f4", 2), ("pad_right", "<f4", 2),
    ("pad_left_trigger", "<f4"), ("pad_right_trigger", "<f4"), ("pad_held", "<u4"),
])  # fmt: skip
"""Sticks −1 … 1, triggers 0 … 1, and the buttons that are down as bits: the raw held state."""


_PACKED = struct.Struct("<6fI")


class PlayerHandler(SkeletalPoseHandler):
    """Records a player's character with what its player pressed.

    The pad is kept to be looked at, and to be asked what was held; playing does not press it.

    Args:
        example: A player; the rest is as for `SkeletalPoseHandler`.
        pad: The attribute with the pad: `left` and `right` (x, y), `left_trigger`,
            `right_trigger`, `held`; None there means nothing is touched.
    """

    front = tuple((name, PAD[name].base.str, PAD[name].shape) for name in PAD.names or ())

    def __init__(self, example: Any, *, pad: str = "pad", **options: Any) -> None:
        super().__init__(example, **options)
        self._pad = pad
        looked_at = {name: Field(restored=False) for name in PAD.names or ()}
        looked_at["pad_held"] = Field(role="buttons", restored=False)
        notes = {**self.layout.notes, **looked_at}
        self.layout = msgspec.structs.replace(self.layout, notes=notes)

    def record(self, obj: Any, packet: PacketWriter) -> None:
        """Write a player's fields, joints and pad into its packet."""
        super().record(obj, packet)
        pad = getattr(obj, self._pad)
        if pad is None:
            packet.payload[: PAD.itemsize] = bytes(PAD.itemsize)
            return
        _PACKED.pack_into(
            packet, 0, *pad.left, *pad.right, pad.left_trigger, pad.right_trigger, int(pad.held)
        )
