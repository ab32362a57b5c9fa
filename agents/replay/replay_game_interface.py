"""The game that demos are replayed in, behind one interface: in this process or in another."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from ...errors import GameError
from ...games.game_interface import Game
from ...games.playable_interface import (
    Observation,
    Playable,
    Vector,
)
from ...playback.pads.pad import Pad
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.statements.instrumentation_interface import Instrumentation
from ...recorder.world_adapter import Conventions
from ..recorded_demo import INTERVAL

Published = Mapping[str, Any]
"""State that is published to tools, in plain values."""


SilentKind = Literal["hang", "crash", "observation"]
"""It says nothing any more; its code raised; or what it says can't be read."""


class SourcePlace(NamedTuple):
    """A line of a file."""

    file: str
    line: int
    code: str = ""
    """What stands there, if it explains the failure."""


class SilentError(GameError):
    """The game does not answer any more: nothing can be played in it.

    Args:
        kind: What is wrong with it.
        traceback: Where it was, as far as it could say.
        place: The line of its code that raised; None if that is not known here.
    """

    def __init__(
        self, message: str, kind: SilentKind = "hang", traceback: str = "",
        place: SourcePlace | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.kind: SilentKind = kind
        self.traceback = traceback
        self.place = place


class TimelinePoint(NamedTuple):
    """An instant of the recording."""

    frame: int
    time: float
    """Timeline seconds."""


class ReplayGame(Protocol):
    """What replaying needs of a game."""

    name: str
    silent: str
    """Why nothing more can be played in it; empty while it can."""
    replaceable: bool
    """Whether the rest can be played in another one then, that is restarted."""

    @property
    def interval(self) -> float:
        """Seconds of game time in one communication frame."""

    @property
    def sticks(self) -> str:
        """What the left stick points along: `world`, `player` or `camera`."""

    @property
    def player(self) -> int:
        """The id of the object that is played."""

    @property
    def instruments(self) -> Instrumentation:
        """Where the agent writes its traces: into the frame that it saw last."""

    @property
    def conventions(self) -> Conventions:
        """How positions and headings of observations are to be read."""

    @property
    def can_load(self) -> bool:
        """Whether the game has saved games."""

    @property
    def can_restart(self) -> bool:
        """Whether this very game can be restarted; else there is another one for each seed."""

    def restart(self, seed: int | None) -> None:
        """Begin the game again, with a seed if one is given.

        Raises:
            GameError: it can't be.
        """

    def debug(self, name: str, argument: Any) -> None:
        """Call a debug function of the game.

        Raises:
            CommandError: it refuses.
            GameError: it broke.
        """

    def find_path(self, start: Vector, goal: Vector, near: float) -> Sequence[Vector]:
        """The way on foot to within `near` of a place, as the game knows it, in its own units.

        Empty if there is none, or if the game gives none.

        Raises:
            GameError: it broke.
        """

    def clock(self) -> float:
        """The game time of the last observation, seconds."""

    def observe(self) -> Observation | None:
        """The present observation; None if there is none yet."""

    def load(self, path: Path) -> None:
        """Go on from a saved game.

        Raises:
            GameError: it can't be read, or is none of this game.
        """

    def next(self, pad: Pad) -> Observation | None:
        """Hold a pad for one communication frame; returns the observation after it, or None if the
        game was closed.

        Raises:
            GameError: the game broke.
            SilentError: it does not answer any more, or was replaced by another one.
        """

    def failed_check(self) -> FailedCheck | None:
        """The first check of the game that has failed since this was called last."""

    def fail(self, message: str, place: SourcePlace) -> None:
        """Make a failed check on the player, in the frame that the agent saw last.

        Args:
            place: What to look at for it: the demo's row, or the game's own code.
        """

    def newest(self) -> TimelinePoint:
        """The newest frame that is recorded."""

    def flush(self) -> TimelinePoint:
        """Have all traces recorded; returns the frame that they are in."""

    def save_clip(self, path: Path, since: int) -> Path:
        """Save a clip: from a frame on, or the oldest one in memory, to the newest.

        Raises:
            PlayheadError: it can't be saved.
        """

    def publish(self, state: Published) -> None:
        """Publish the state of the replay."""

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """Wait without stepping the game; False if the game was closed."""


def communication_steps(dt: float, interval: float = INTERVAL) -> int:
    """How many of a game's steps make a communication frame: the nearest number, at least one."""
    return max(1, round(interval / dt))


def as_playable(game: Game) -> Playable:
    """The game as one that has a pad.

    Raises:
        GameError: it has none.
    """
    if not isinstance(game, Playable):
        raise GameError(f"{game.name} has no pad, so no demo can be replayed in it")
    return game
