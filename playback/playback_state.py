"""The playhead's state: the answer to every command, and what listeners are called with."""

import enum

import msgspec

from ..recorder.packets.recorded_frame import FrameRange
from .commands import Command


class Mode(enum.Enum):
    """Whether the game runs, and if not, whether the playhead does."""

    LIVE = "live"
    """The game runs and is recorded; no recorded frame is shown."""
    PAUSED = "paused"
    """The game is paused at one recorded frame; played to an end, at that end."""
    PLAYING = "playing"
    """The game is paused while recorded frames pass at `rate`."""


class PlaybackState(msgspec.Struct, frozen=True):
    """Where the playhead is, and what of that frame is drawn."""

    mode: Mode
    frame: int | None = None
    """The recorded frame that is shown; None while live, and while nothing is recorded."""
    time: float | None = None
    """That frame's timeline time in seconds."""
    rate: float = 1.0
    """The signed speed that it plays at, or last played at."""
    clamped: bool = False
    """Whether the command asked for more than is recorded, so that it was carried out in part."""
    loop: tuple[float, float] | None = None
    """The two instants, in seconds, that it plays round and round between."""
    focus: int = 0
    """The object whose debug drawings are shown; 0 for everybody's."""
    hidden: frozenset[str] = frozenset()
    """Channels that are not shown; all others are."""
    span: FrameRange | None = None
    """The range of recorded frames; None while there are none."""
    pending: tuple[Command, ...] = ()
    """Commands that were taken and wait, oldest first: for the end of a step, or for their turn on
    the game's thread. While the game advances, `Advance` with the steps that are left."""

    def draws(self, object: int = 0, channel: str | None = None) -> bool:
        """Whether a debug drawing of this object and channel is to be shown.

        What belongs to the world (object 0) is shown with any focus, and what belongs to no
        channel is shown always.
        """
        return channel not in self.hidden and (not self.focus or object in (0, self.focus))
