"""A game in this process in which demos are replayed."""

import logging
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ...errors import CommandError, GameError, PlayheadError
from ...games.game_interface import Game
from ...games.plan_game_interface import Navigable
from ...games.playable_interface import DebugFunctions, DemoColumns, Observation, Saves, Vector
from ...playback.pads.pad import NEUTRAL, Pad
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.statements.instrumentation_interface import Instrumentation
from ...recorder.world_adapter import Conventions
from ...session import Session
from ..playthrough.route.game_pathfinding import path_on_foot
from ..recorded_demo import INTERVAL
from .observation_validation import wrong_in
from .replay_game_interface import (
    Published,
    SilentError,
    SourcePlace,
    TimelinePoint,
    as_playable,
    communication_steps,
)

T = TypeVar("T")
_log = logging.getLogger("playhead.replay")


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
        self.replaceable = True
        self._columns = dict(game.columns) if isinstance(game, DemoColumns) else {}
        self._checks = 0
        """How many failed checks were looked at."""

    @property
    def interval(self) -> float:
        return self._steps * self._game.dt

    @property
    def sticks(self) -> str:
        return self._playable.sticks

    @property
    def player(self) -> int:
        return self._playable.player

    @property
    def instruments(self) -> Instrumentation:
        return self._session

    @property
    def conventions(self) -> Conventions:
        return self._game.world.conventions

    @property
    def can_load(self) -> bool:
        return isinstance(self._game, Saves)

    @property
    def can_restart(self) -> bool:
        return False

    def restart(self, seed: int | None) -> None:
        raise GameError(f"{self.name} can't be restarted: another one is opened instead")

    def debug(self, name: str, argument: Any) -> None:
        game = self._game
        if not isinstance(game, DebugFunctions):
            raise CommandError(f"{self.name} has no debug functions")
        self._of_game(lambda: game.debug(name, argument))

    def find_path(self, start: Vector, goal: Vector, near: float) -> Sequence[Vector]:
        game = self._game
        if not isinstance(game, Navigable):
            return ()
        return self._of_game(lambda: path_on_foot(game.plan_map(), start, goal, near))

    def clock(self) -> float:
        return self._game.world.time()

    def observe(self) -> Observation | None:
        return self._of_game(self._playable.observe)

    def load(self, path: Path) -> None:
        self._end_frame()
        self._session.begin_step()  # what is loaded is in no frame before the next step's
        self._loaded = True
        game = self._game

        def load() -> GameError | None:
            assert isinstance(game, Saves)
            try:
                game.load(path)
            except GameError as error:
                return error  # the saved game is to blame: others can be loaded
            return None

        error = self._of_game(load)
        if error is not None:
            raise error

    def next(self, pad: Pad) -> Observation | None:
        for _ in range(self._steps):
            self._end_frame()
            if not self._loop.wait():
                return None
            self._of_game(lambda: self._step(pad))
            self._open = True
        return self._of_game(self._seen)

    def _seen(self) -> Observation:
        seen = self._playable.observe()
        wrong = wrong_in(seen, self._columns)
        if wrong:
            raise GameError(f"{self.name}: observe() returned what can't be used: {wrong}")
        return seen

    def _step(self, pad: Pad) -> None:
        self._playable.hold(pad)
        self._game.step()

    def _of_game(self, do: Callable[[], T]) -> T:
        """What the game's own code returns.

        Raises:
            SilentError: it raised what it never should.
        """
        try:
            return do()
        except Exception as error:
            if isinstance(error, PlayheadError) and not isinstance(error, GameError):
                raise
            reason = str(error) if isinstance(error, GameError) else repr(error)
            self.silent = f"{self.name} raised {reason}"
            self._open = (
                True  # its statements before it broke are recorded, and the failure with them
            )
            trace = "".join(traceback.format_exception(error))
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = SourcePlace(last.filename, last.lineno or 0, last.line or "")
            raise SilentError(self.silent, "crash", trace, place) from error

    def _end_frame(self) -> None:
        if not self._open:
            return
        self._open = self._loaded = False
        self._loop.before_update()
        if not self.silent:
            self._of_game(lambda: self._session.update(self._game.dt))
            return
        try:
            self._session.update(self._game.dt)
        except Exception:  # its world may be as broken as it is
            _log.exception("%s: no frame could be recorded behind its crash", self.name)

    def failed_check(self) -> FailedCheck | None:
        failed = self._session.failed_checks[self._checks :]
        self._checks += len(failed)
        return failed[0] if failed else None

    def fail(self, message: str, place: SourcePlace) -> None:
        file, line, code = place
        self._session.report_failed_check(FailedCheck(message, code, self.player, file, line))

    def newest(self) -> TimelinePoint:
        span = self._session.source.span
        return TimelinePoint(0, 0.0) if span is None else TimelinePoint(span.newest, span.end)

    def flush(self) -> TimelinePoint:
        self._end_frame()
        return self.newest()

    def save_clip(self, path: Path, since: int) -> Path:
        self._end_frame()
        span = self._session.source.span
        start = None if span is None else min(max(since, span.oldest), span.newest)
        return self._session.save(path, start).path

    def publish(self, state: Published) -> None:
        self._loop.publish(state)

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        if self.silent:
            return False
        self._end_frame()
        if self._loaded:  # else nobody could scrub meanwhile
            self._loaded = False
            self._session.update(0.0)
        self._playable.hold(NEUTRAL)
        return self._loop.wait_until(condition)
