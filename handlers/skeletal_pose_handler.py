"""The handler of animated models: an object's fields, then any number of joint matrices."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, ClassVar

import msgspec
import numpy as np

from ..errors import HandlerError
from ..recorder.handler_interface import PacketWriter
from ..recorder.packets.layouts.layout import Field
from ..recorder.packets.packet_types import Kind
from ..recorder.packets.recorded_frame import Packet
from ..recorder.packets.skeleton_definition import Skeleton as Skeleton
from .field_handler import PartHandler, fill_header
from .packed_fields import TEXT_BYTES, field_names

_SHAPE = (3, 4)


class SkeletalPoseHandler(PartHandler):
    """Records an animated model: its fields, and the pose of its joints.

    Matrices are kept, not what made them, so that joints moved by physics or inverse kinematics
    are right too. Models of one type may have different numbers of joints; one without joints has
    an empty tail.

    Args:
        example: An object like those to come.
        part: The attribute that holds fields and `joints`; the object itself by default.
        names: Which fields beside the joints; all by default.
        joints: The attribute with the matrices, (n, 3, 4), row-major; None means no joints. They
            are kept in 64 bits if those of the example are, else in 32.
        skeleton: The attribute of the *object* with its `Skeleton`, or with None; leave it empty
            where there are none.
        space: The space that the matrices are in: `model`, `world`, `parent` or `view`.
    """

    front: ClassVar[tuple[tuple[str, str, tuple[int, ...]], ...]] = ()
    """Fields that a subclass puts before the model's own."""

    def __init__(
        self,
        example: Any,
        *,
        part: str = "",
        names: Sequence[str] | None = None,
        joints: str = "joints",
        skeleton: str = "",
        space: str = "model",
        text: int = TEXT_BYTES,
    ) -> None:
        if names is None:
            target = attrgetter(part)(example) if part else example
            names = [name for name in field_names(target) if name != joints]
        super().__init__(example, part=part, names=names, text=text)
        self._joints = joints
        self._skeleton = skeleton
        self._numbers: dict[str, tuple[Skeleton, int]] = {}
        self._format = _precision(getattr(self.target(example), joints))
        self._joint = self._format.itemsize * 3 * 4
        """Bytes of a joint: three rows of four numbers."""
        self.facts: list[tuple[Kind, str, Skeleton]] = []
        """Skeletons met so far, to be latched."""
        inner = self.fields.layout()
        self.layout = msgspec.structs.replace(
            inner, fields=(*self.front, *inner.fields, ("skeleton", "<i4", ())),
            tail=self._format.str, tail_shape=_SHAPE, tail_name="joints", space=space,
            notes={
                **inner.notes, "joints": Field(role="joints"), "skeleton": Field(restored=False),
            },
        )  # fmt: skip
        self._fields_at = np.dtype([(n, f, s) for n, f, s in self.front]).itemsize
        self._joints_at = self.layout.dtype.itemsize

    def size(self, obj: Any) -> int:
        """Bytes of the payload: the fields, and twelve numbers for each joint."""
        joints = getattr(self.target(obj), self._joints)
        return self._joints_at + (0 if joints is None else self._joint * len(joints))

    def record(self, obj: Any, packet: PacketWriter) -> None:
        """Write an object's fields and joints into its packet."""
        target = self.target(obj)
        packet.cut = self.fields.write(target, packet, self._fields_at)
        fill_header(packet, target)
        at = self._joints_at
        payload = packet.payload
        payload[at - 4 : at] = self._skeleton_number(obj).to_bytes(4, "little", signed=True)
        joints = getattr(target, self._joints)
        if joints is not None and len(joints):
            matrices = np.ascontiguousarray(joints, self._format)
            if matrices.shape[1:] != _SHAPE:
                raise HandlerError(f"joints have the shape {matrices.shape}, not (n, 3, 4)")
            payload[at:] = matrices.reshape(-1).view(np.uint8).data

    def play(self, obj: Any, packet: Packet) -> None:
        """Set an object's fields and joints to the values in its packet."""
        target = self.target(obj)
        self.fields.restore(target, packet.payload[self._fields_at :])
        tail = packet.payload[self._joints_at :]
        if len(tail) % self._joint:
            raise HandlerError(f"joints of {len(tail)} bytes, not a multiple of {self._joint}")
        if tail or getattr(target, self._joints) is not None:
            matrices = np.frombuffer(tail, self._format).reshape(-1, *_SHAPE)
            setattr(target, self._joints, matrices.copy())

    def _skeleton_number(self, obj: Any) -> int:
        """The number of an object's skeleton among `facts`; −1 for none."""
        if not self._skeleton:
            return -1
        skeleton: Skeleton | None = getattr(obj, self._skeleton)
        if skeleton is None:
            return -1
        number_of, number = self._numbers.get(skeleton.name, (None, -1))
        if number_of is not skeleton and number_of != skeleton:
            number = len(self.facts)
            self._numbers[skeleton.name] = (skeleton, number)
            self.facts.append((Kind.SKELETON, str(number), skeleton))
        return number


def _precision(joints: Any) -> np.dtype[Any]:
    """The format that keeps these matrices as they are; single precision if there are none."""
    double = joints is not None and len(joints) and np.asarray(joints).dtype == np.float64
    return np.dtype("<f8" if double else "<f4")
