"""What is said on the gateway only: by games in other languages, and to them."""

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ..recorder.traces import Scalar
from ..recorder.world import Conventions
from .message import AskStruct, Vector
from .rows import StandInRow

if TYPE_CHECKING:
    ConventionsRow: TypeAlias = Conventions
else:

    class ConventionsRow(Conventions, frozen=True, forbid_unknown_fields=True):
        pass


class Attach(AskStruct, frozen=True, tag="game"):
    """This connection is the game: its binary messages are frames, and it obeys orders."""

    name: str
    can_restore: bool = True
    """False if recorded frames can't be put back into its objects."""
    can_advance: bool = False
    """Whether it takes the order `advance`."""
    conventions: ConventionsRow = ConventionsRow()
    about: dict[str, Scalar] = {}


class DeclareType(AskStruct, frozen=True, tag="type"):
    """What packets of a type number hold; comes before the first frame that has some."""

    number: int
    """The game's own, from 32."""
    name: str
    fields: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """Name, numpy format such as `<f4`, and shape; packed, without holes."""
    tail: str = ""
    tail_shape: tuple[int, ...] = ()
    tail_name: str = ""
    space: str = ""
    units: dict[str, str] = {}
    roles: dict[str, str] = {}
    channels: tuple[str, ...] = ()


class DeclareSkeleton(AskStruct, frozen=True, tag="skeleton"):
    """The joints of a model. A packet refers to it by `number` in its field `skeleton` (`<i4`)."""

    type: int
    number: int
    name: str
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; −1 for a root."""


class Listen(AskStruct, frozen=True, tag="listen"):
    """From now on send these events on this connection; ZeroMQ's tools subscribe instead."""

    topics: tuple[str, ...] = ()
    time: bool = True


class Standing(AskStruct, frozen=True, tag="paused"):
    """The game stands still, as ordered or because its own check failed: no frame is under way."""


class Running(AskStruct, frozen=True, tag="resumed"):
    """The game runs again, as ordered."""


class _Order(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="order"):
    pass


class PauseGame(_Order, frozen=True, tag="pause"):
    """Finish the frame, send it, stand still with input locked, and say `paused`."""


class ResumeGame(_Order, frozen=True, tag="resume"):
    """Every object is as it was: unlock input, run on, and say `resumed`."""


class AdvanceGame(_Order, frozen=True, tag="advance"):
    """Run on as for `resume` and say `resumed`; after so many steps stand still, say `paused`.

    Only a game that said `can_advance` is sent this. An order to pause ends it.
    """

    steps: int


class ShowFrame(_Order, frozen=True, tag="show"):
    """Look like this recorded frame.

    If `image` is true, the next message is binary: a frame with the packets to put back into their
    objects. Objects in no list stay as they are.
    """

    frame: int
    time: float
    image: bool
    hide: tuple[int, ...] = ()
    unhide: tuple[int, ...] = ()
    stand_ins: tuple[StandInRow, ...] = ()
    """To be shown, or moved."""
    remove_stand_ins: tuple[int, ...] = ()


class LookAt(_Order, frozen=True, tag="look_at"):
    """Turn the camera there."""

    object: int
    position: Vector
