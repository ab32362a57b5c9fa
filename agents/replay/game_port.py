"""A game that demos are replayed in, as the process sees it: in this process or in another one."""

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
"""What is told to tools, in plain values."""


class SilentError(GameError):
    """The game has fallen silent, or is gone: nothing more can be played in it."""


class TimelinePlace(NamedTuple):
    """An instant of the recording."""

    frame: int
    time: float
    """Timeline seconds."""


class GamePort(Protocol):
    """What the process needs of a game."""

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
        """What the agent speaks through: into the frame that it saw last."""

    @property
    def can_load(self) -> bool:
        """Whether the game has saved games."""

    def clock(self) -> float:
        """The game time of what was seen last, seconds."""

    def observe(self) -> Observation | None:
        """How things stand now; None if nothing is known yet."""

    def load(self, path: Path) -> None:
        """Go on from a saved game.

        Raises:
            GameError: it can't be read, or is none of this game.
        """

    def next(self, pad: Pad) -> Observation | None:
        """Hold a pad for one communication frame; how things stand then. None if nobody wants the
        game any more.

        Raises:
            GameError: the game broke.
            SilentError: it fell silent, or is another one now.
        """

    def settle(self) -> TimelinePlace:
        """Have what was said recorded; returns the frame that it is in."""

    def keep(self, path: Path, since: int) -> Path:
        """Save a clip from a frame on, as far as it is held, to the newest one.

        Raises:
            PlayheadError: it can't be saved.
        """

    def tell(self, state: Published) -> None:
        """Publish how the process stands."""

    def await_wish(self, wanted: Callable[[], bool]) -> bool:
        """Stand until something is wanted; False if nobody wants the game any more."""


def communication_steps(dt: float, interval: float = INTERVAL) -> int:
    """How many of a game's steps make a communication frame: the nearest number, at least one."""
    return max(1, round(interval / dt))


def step_by_step(game: Game) -> Playable:
    """The same game, which has a pad.

    Raises:
        GameError: it has none.
    """
    if not isinstance(game, Playable):
        raise GameError(f"{game.name} has no pad, so no demo can be replayed in it")
    return game


class LocalLoop(NamedTuple):
    """What is around each step of a game in this process; by default it runs as fast as it goes."""

    wait: Callable[[], bool] = lambda: True
    """Returns when the next step is due; False if nobody wants the game any more."""
    await_wish: Callable[[Callable[[], bool]], bool] = lambda wanted: False
    before_update: Callable[[], object] = lambda: None
    tell: Callable[[Published], object] = lambda state: None


class LocalGame:
    """A game in this process, under a session: the agent's words are in the frame that it saw.

    Args:
        game: The game; it has a pad.
        session: It runs under this.
        loop: What is around each step.
        interval: Seconds of game time in one communication frame.

    Raises:
        GameError: the game has no pad.
    """

    def __init__(
        self,
        game: Game,
        session: Session,
        loop: LocalLoop | None = None,
        *,
        interval: float = INTERVAL,
    ) -> None:
        self._loop = LocalLoop() if loop is None else loop
        self._game = game
        self._played = step_by_step(game)
        self._session = session
        self._steps = communication_steps(game.dt, interval)
        self._open = False
        """Whether a step was made whose frame is not at its end: there the agent may speak."""
        self._loaded = False
        """Whether a saved game was loaded that is in no frame yet."""
        self.name = game.name
        self.silent = ""
        self.interval = self._steps * game.dt

    @property
    def player(self) -> int:
        return self._played.player

    @property
    def instruments(self) -> Instrumentation:
        return self._session

    @property
    def can_load(self) -> bool:
        return isinstance(self._game, Saves)

    def clock(self) -> float:
        return self._game.world.time()

    def observe(self) -> Observation | None:
        return self._played.observe()

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
            self._played.hold(pad)
            self._step()
            self._open = True
        return self._played.observe()

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

    def settle(self) -> TimelinePlace:
        self._end_frame()
        span = self._session.source.span
        return TimelinePlace(0, 0.0) if span is None else TimelinePlace(span.newest, span.end)

    def keep(self, path: Path, since: int) -> Path:
        self._end_frame()
        span = self._session.source.span
        start = None if span is None else min(max(since, span.oldest), span.newest)
        return self._session.save(path, start).path

    def tell(self, state: Published) -> None:
        self._loop.tell(state)

    def await_wish(self, wanted: Callable[[], bool]) -> bool:
        self._end_frame()
        if self._loaded:  # or nobody could look into the past meanwhile
            self._loaded = False
            self._session.update(0.0)
        self._played.hold(NEUTRAL)
        return self._loop.await_wish(wanted)
