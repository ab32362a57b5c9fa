"""The types that a remote game has declared, and how its frames are read."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...bus.messages.gateway_messages import DefineSkeleton, DefineType
from ...errors import DamagedError, RecordingError
from ...handlers.skeletal_pose_handler import Skeleton
from ...native import _ring
from ...native.ring_type_aliases import DAMAGED, RUN_LATCHED
from ...recorder.handler_interface import ImageType
from ...recorder.packets.layouts.layout import Field, Layout, Sizes
from ...recorder.packets.packet_types import FIRST_OBJECT, Kind
from ...recorder.recorder import Recorder

MOST_TYPES = 4096
"""Types that one game can declare."""
MOST_NUMBER = 0xFFFF
_NONE = 2**64 - 1
_HEADER = struct.Struct("<QQQddQQQQQIIII")
_CHECK = 13
"""The position of the check among the header's numbers."""


class RemoteFrame(NamedTuple):
    """A frame of the game that was looked through."""

    time: float
    """The game's clock, seconds."""
    delta: float
    image: bytes
    types: Mapping[int, ImageType]
    """As they were declared when it came."""


class RemoteTypes:
    """The types of one game, from its first word to its last.

    Args:
        recorder: Which gives the ring's numbers for them.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._sizes: dict[int, Sizes] = {}
        """Keyed by the game's own numbers."""
        self.types: Mapping[int, ImageType] = {}
        """Keyed by the game's own numbers; another mapping after each change."""
        self.theirs: dict[int, int] = {}
        """The ring's numbers to the game's."""
        self.facts: list[tuple[int, str, Any]] = []
        """Skeletons that no frame has taken along yet."""

    def declare(self, spec: DefineType) -> ImageType:
        """Take up a type, or another layout for its number.

        Raises:
            HandlerError: its layout can't be read.
            RecordingError: its number or its name can't be one, or there are too many.
        """
        if not FIRST_OBJECT <= spec.number <= MOST_NUMBER:
            raise RecordingError(
                f"type {spec.name!r}: number {spec.number} is none for a game's type: they go from"
                f" {FIRST_OBJECT} to {MOST_NUMBER}"
            )
        if not spec.name or spec.name.startswith("."):
            raise RecordingError(
                f"type {spec.number}: name {spec.name!r}: give a name that does not begin with '.'"
            )
        if len(self.types) >= MOST_TYPES and spec.number not in self.types:
            raise RecordingError(f"type {spec.name!r}: {MOST_TYPES} types are declared already")
        notes = {
            name: Field(spec.units.get(name, ""), spec.roles.get(name, ""))
            for name in sorted({*spec.units, *spec.roles})
        }
        layout = Layout(
            spec.fields,
            spec.tail,
            spec.tail_shape,
            spec.tail_name,
            spec.space,
            notes,
        )
        declared = self._recorder.declare(spec.name, layout, spec.channels)
        self._sizes[spec.number] = layout.sizes
        self.types = {**self.types, spec.number: declared}
        self.theirs = {type.number: number for number, type in self.types.items()}
        return declared

    def skeleton(self, spec: DefineSkeleton) -> None:
        """Take up a skeleton.

        Raises:
            RecordingError: its type is not declared, or its parents are no tree.
        """
        type = self.types.get(spec.type)
        if type is None:
            raise RecordingError(f"skeleton {spec.name!r}: type {spec.type} is not declared yet")
        if len(spec.parents) != len(spec.joints):
            raise RecordingError(
                f"skeleton {spec.name!r}: {len(spec.joints)} joints and {len(spec.parents)} parents"
            )
        for joint, parent in enumerate(spec.parents):
            if not -1 <= parent < len(spec.joints) or parent == joint:
                raise RecordingError(
                    f"skeleton {spec.name!r}: joint {joint} can't have the parent {parent}"
                )
        if _goes_round(spec.parents):
            raise RecordingError(f"skeleton {spec.name!r}: its parents {spec.parents} form a cycle")
        if len(self.facts) >= MOST_TYPES:
            raise RecordingError(
                f"skeleton {spec.name!r}: {MOST_TYPES} skeletons wait for the next frame already:"
                " send a frame first"
            )
        skeleton = Skeleton(spec.name, spec.joints, spec.parents)
        self.facts.append((Kind.SKELETON, f"{type.name}/{spec.number}", skeleton))

    def read(self, image: bytes) -> RemoteFrame:
        """Look a frame through that came from the game.

        Raises:
            DamagedError: it is no complete frame, or has packets that can't be recorded.
        """
        image = _completed(image)
        for number, _, flags, headers, payloads in _ring.image_runs(image):
            type = self.types.get(number)
            if type is None:
                raise DamagedError(f"the frame has packets of type {number}: declare it first")
            if flags & RUN_LATCHED:
                raise DamagedError("the frame has latched packets: say facts as statements")
            if not headers["id"].all():
                raise DamagedError(f"an object of type {type.name!r} has id 0: that is the world")
            self._check_size(type, number, headers, payloads)
        _, time, delta, *_ = _ring.image_stamp(image)
        return RemoteFrame(time, delta, image, self.types)

    def _check_size(self, type: ImageType, number: int, headers: Any, payloads: Any) -> None:
        sizes, size = self._sizes[number], 0 if payloads is None else payloads.shape[1]
        if sizes.fit(size):
            return
        for id, flags in zip(headers["id"], headers["flags"], strict=True):
            if not flags & DAMAGED:
                raise DamagedError(
                    f"object {id} of type {type.name!r} has a payload of {size} bytes, and the type"
                    f" was declared with {sizes}: send what the type declares, or declare what is"
                    " sent"
                )


def _goes_round(parents: Sequence[int]) -> bool:
    """Whether from some joint no root is reached."""
    rooted = {-1}
    for joint in range(len(parents)):
        path: dict[int, None] = {}
        while joint not in rooted:
            if joint in path:
                return True
            path[joint] = None
            joint = parents[joint]
        rooted.update(path)
    return False


def _completed(image: bytes) -> bytes:
    """The image with those parts of its header right that a game need not know."""
    if len(image) < _HEADER.size:
        return image
    header = list(_HEADER.unpack_from(image))
    id, previous, next, jump = header[0], header[1], header[2], header[7]
    if header[_CHECK] or (id and previous == next == jump == _NONE):
        return image
    header[0], header[1], header[2], header[7] = 1, _NONE, _NONE, _NONE
    return _HEADER.pack(*header) + image[_HEADER.size :]
