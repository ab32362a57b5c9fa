"""What all messages of the bus have in common: version, limits, and the sender."""

from typing import Annotated, TypeAlias

import msgspec

from ...playback.playback_state import Mode, PlaybackState
from ...recorder.packets.recorded_frame import FrameRange

PROTOCOL = (2, 0)
"""Major and minor. A service speaks its own major and the one before, see `protocol_1_translation`;
a newer minor only adds what may be ignored."""
MOST_BYTES = 1 << 20
"""The longest request that is read; longer ones end their connection."""
MOST_ROWS = 10_000
"""The most stamps, versions or marks that one answer lists."""

Vector: TypeAlias = tuple[float, float, float]


class Message(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What all messages share: the sender, and its count."""

    origin: str
    """The sender: the name that `welcome` gave to the tool, or the service's own."""
    sequence: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    """Counts up. In an answer it is the request's; in an event it counts its topic."""


class RequestStruct(
    msgspec.Struct, frozen=True, omit_defaults=True, tag_field="do", forbid_unknown_fields=True
):
    """What all requests share: `do` says which one it is.

    A misspelt key is refused by its name; ignored, it would be answered as if it were obeyed.
    """


class PlayheadTime(Message, frozen=True, kw_only=True):
    """The instant that all tools show; sent at each change of it, and a few times a second."""

    mode: str
    """`live`, `paused` or `playing`."""
    frame: int = 0
    """The frame that is shown; live, the newest. 0 while nothing is recorded."""
    time: float = 0.0
    """Its timeline time, seconds."""
    game_time: float = 0.0
    """The game's own clock at that instant, seconds."""
    epoch: int = 0
    rate: float = 1.0
    focus: int = 0
    hidden: frozenset[str] = frozenset()
    """Channels that are not shown."""
    loop: tuple[float, float] | None = None
    discrete: bool = False
    """True for a move by itself, such as a step, a seek, entering or leaving playback: a slow tool
    receives each. Of the others, while the game runs or playback plays, only the newest counts."""
    repeated: bool = False
    """True for a repetition of what was sent already under this sequence number."""

    def state(self, span: FrameRange | None) -> PlaybackState:
        """The same as the playhead's own state: live it shows no frame. `span`: all frames."""
        mode = Mode(self.mode)
        frame = self.frame if self.frame and mode is not Mode.LIVE else None
        return PlaybackState(
            mode, frame, None if frame is None else self.time, self.rate, loop=self.loop,
            focus=self.focus, hidden=self.hidden, span=span,
        )  # fmt: skip
