"""Messages on the gateway only: from games in other languages, and orders to them."""

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ...errors import CommandError
from ...playback.pads.pad import PLAYERS
from ...recorder.packets.layouts.plain_value_codec import encode
from ...recorder.packets.trace_types import Scalar
from ...recorder.world_adapter import Conventions
from .message import RequestStruct, Vector
from .response_rows import StandInRow

if TYPE_CHECKING:
    ConventionsRow: TypeAlias = Conventions
else:

    class ConventionsRow(Conventions, frozen=True, forbid_unknown_fields=True):
        pass


class RegisterGame(RequestStruct, frozen=True, tag="register_game"):
    """This connection is the game: its binary messages are frames, and it obeys orders."""

    name: str
    can_restore: bool = True
    """False if recorded frames can't be put back into its objects."""
    can_advance: bool = False
    """Whether it takes the order `advance`."""
    pads: int = 0
    """How many players' pads it takes, counted from player 0: it is ordered to hold them."""
    conventions: ConventionsRow = ConventionsRow()
    about: dict[str, Scalar] = {}


def checked_game(game: RegisterGame) -> None:
    """See that a game may register so, before it is the game: one that is refused is none.

    Raises:
        CommandError: there are not so many players.
        RecordingError: its description of itself can't be recorded.
    """
    if not 0 <= game.pads <= PLAYERS:
        raise CommandError(f"pads {game.pads}: a game takes those of 0 to {PLAYERS} players")
    encode(game.about)


class DefineType(RequestStruct, frozen=True, tag="define_type"):
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


class DefineSkeleton(RequestStruct, frozen=True, tag="define_skeleton"):
    """The joints of a model. A packet refers to it by `number` in its field `skeleton` (`<i4`)."""

    type: int
    number: int
    name: str
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; −1 for a root."""


class Subscribe(RequestStruct, frozen=True, tag="subscribe"):
    """From now on send these events on this connection; ZeroMQ's tools subscribe instead."""

    topics: tuple[str, ...] = ()
    time: bool = True


class GamePaused(RequestStruct, frozen=True, tag="paused"):
    """The game is paused, as ordered or because its own check failed: no frame is under way."""


class GameResumed(RequestStruct, frozen=True, tag="resumed"):
    """The game runs again, as ordered."""


class ServeCalls(RequestStruct, frozen=True, tag="serve"):
    """The names under which the game serves calls, from now on: all of them."""

    names: tuple[str, ...]


class ReturnResult(RequestStruct, frozen=True, tag="return"):
    """What came of a call that the game was given."""

    call: int
    """The number of the order."""
    result: Any = None
    """What the function returned, in plain values."""
    error: str = ""
    """Why there is no result, in words for a person."""
    refused: bool = False
    """The error is the caller's, whose argument makes no sense; else the game's own."""


class PublishValue(RequestStruct, frozen=True, tag="publish"):
    """The newest value under a name, for all who want to know; nothing of it is recorded."""

    name: str
    body: Any
    """The value, made of plain values."""


class _OrderStruct(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="order"):
    pass


class PauseGame(_OrderStruct, frozen=True, tag="pause"):
    """Finish the frame, send it, pause with input locked, and send `paused`."""


class ResumeGame(_OrderStruct, frozen=True, tag="resume"):
    """Every object is as it was: unlock input, run on, and send `resumed`."""


class AdvanceGame(_OrderStruct, frozen=True, tag="advance"):
    """Run on as for `resume` and send `resumed`; after so many steps pause, send `paused`.

    Only a game that declared `can_advance` is sent this. An order to pause ends it.
    """

    steps: int


class ShowFrame(_OrderStruct, frozen=True, tag="show"):
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


class HoldGamePad(_OrderStruct, frozen=True, tag="pad"):
    """The game uses this pad from its next step on, until the next one of that player."""

    player: int
    left: tuple[float, float] = (0.0, 0.0)
    """Sticks are −1 … 1 with right and up positive."""
    right: tuple[float, float] = (0.0, 0.0)
    left_trigger: float = 0.0
    right_trigger: float = 0.0
    buttons: int = 0
    """The sum of the buttons that are down."""
    holder: str = ""
    """The holder: a tool's name on the bus."""
    sequence: int = 0
    """The holder's own count."""
    time: float | None = None
    """Timeline seconds of the instant that it was decided on, if known."""


class CallGame(_OrderStruct, frozen=True, tag="call"):
    """A tool calls a function that the game serves: answer with `return` and this number."""

    call: int
    name: str
    argument: Any = None


class LookAt(_OrderStruct, frozen=True, tag="look_at"):
    """Turn the camera there."""

    object: int
    position: Vector
