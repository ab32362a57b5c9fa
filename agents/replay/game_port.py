"""The game that demos are replayed in, behind one interface: in this process or in another."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ...errors import GameError, PlayheadError
from ...games.game import Game
from ...games.playable import Observation, Playable, Saves
from ...playback.pad import NEUTRAL, Pad
from ...recorder.statements.instrumentation import Instrumentation
from ...session import Session
from ..recorded_demo import INTERVAL

Published = Mapping[str, Any]
"""State that is published to tools, in plain values."""


class SilentError(GameError):
    """The game does not answer any more: nothing can be played in it."""


class TimelinePoint(NamedTuple):
    """An instant of the recording."""

    frame: int
    time: float
    """Timeline seconds."""


class GamePort(Protocol):
    """What replaying needs of a game."""

    name: str
    interval: float
    """Seconds of game time in one communication frame."""
    silent: str
    """Why nothing more can be played in it; empty while it can."""

    @property
    def player(self) -> int:
        """The id of the object that is played."""

    @property
    def instruments(self) -> Instrumentation:
        """Where the agent writes its traces: into the frame that it saw last."""

    @property
    def can_load(self) -> bool:
        """Whether the game has saved games."""

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


class LoopHooks(NamedTuple):
    """Called around each step of a game in this process; by default it runs at full speed."""

    wait: Callable[[], bool] = lambda: True
    """Returns when the next step is due; False if the game was closed."""
    wait_until: Callable[[Callable[[], bool]], bool] = lambda condition: False
    before_update: Callable[[], object] = lambda: None
    publish: Callable[[Published], object] = lambda state: None


class LocalGame:
    """A game in this process, under a session. The agent's traces are in the frame that it saw.

    Args:
        game: The game; it has a pad.
        session: It runs under this.
        loop: Called around each step.
        interval: Seconds of game time in one communication frame.

    Raises:
        GameError: the game has no pad.
    """

    def __init__(
        self,
        game: Game,
        session: Session,
        loop: LoopHooks | None = None,
        *,
        interval: float = INTERVAL,
    ) -> None:
        self._loop = LoopHooks() if loop is None else loop
        self._game = game
        self._playable = as_playable(game)
        self._session = session
        self._steps = communication_steps(game.dt, interval)
        self._open = False
        """Whether the frame of the last step is still open, for the agent's traces."""
        self._loaded = False
        """Whether a saved game was loaded that is in no frame yet."""
        self.name = game.name
        self.silent = ""
        self.interval = self._steps * game.dt

    @property
    def player(self) -> int:
        return self._playable.player

    @property
    def instruments(self) -> Instrumentation:
        return self._session

    @property
    def can_load(self) -> bool:
        return isinstance(self._game, Saves)

    def clock(self) -> float:
        return self._game.world.time()

    def observe(self) -> Observation | None:
        return self._playable.observe()

    def load(self, path: Path) -> None:
        self._end_frame()
        assert isinstance(self._game, Saves)
        self._session.begin_step()  # what is loaded is in no frame before the next step's
        self._loaded = True
        self._game.load(path)

    def next(self, pad: Pad) -> Observation | None:
        for _ in range(self._steps):
            self._end_frame()
            if not self._loop.wait():
                return None
            self._playable.hold(pad)
            self._step()
            self._open = True
        return self._playable.observe()

    def _step(self) -> None:
        try:
            self._game.step()
        except PlayheadError:
            raise
        except Exception as error:
            raise GameError(f"{self.name} raised {error!r}") from error

    def _end_frame(self) -> None:
        if self._open:
            self._open = self._loaded = False
            self._loop.before_update()
            self._session.update(self._game.dt)

    def flush(self) -> TimelinePoint:
        self._end_frame()
        span = self._session.source.span
        return TimelinePoint(0, 0.0) if span is None else TimelinePoint(span.newest, span.end)

    def save_clip(self, path: Path, since: int) -> Path:
        self._end_frame()
        span = self._session.source.span
        start = None if span is None else min(max(since, span.oldest), span.newest)
        return self._session.save(path, start).path

    def publish(self, state: Published) -> None:
        self._loop.publish(state)

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        self._end_frame()
        if self._loaded:  # or nobody could look into the past meanwhile
            self._loaded = False
            self._session.update(0.0)
        self._playable.hold(NEUTRAL)
        return self._loop.wait_until(condition)
