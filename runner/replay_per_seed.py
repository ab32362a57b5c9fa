"""Replays a set of demos for one seed after another, in this process."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..agents.playthrough.custom_state_loader import load_states
from ..agents.playthrough.debug_call_rules import check_debug_rules
from ..agents.playthrough.playthrough_settings import chosen_settings
from ..agents.recorded_demo import INTERVAL
from ..agents.replay.agent_factory import playthrough
from ..agents.replay.demos.demo_files import read_demos
from ..agents.replay.game_description import GameDescription, description_of
from ..agents.replay.replay_batch import BatchSettings, ReplayBatch
from ..agents.replay.replay_game_interface import ReplayGame, TimelinePoint
from ..agents.replay.replay_outcome import DemoOutcome, RunReport
from .replay_game_opener import GameRequest, OpenGame, ReplayGames

MEBIBYTE = 1 << 20
LEAST_MEMORY, MOST_MEMORY = 64, 1024
"""MiB."""
PER_SECOND = 1.0
"""MiB that a second of play takes: an adventure with its traces."""
AS_LONG = 2.0
"""So many times the demos' length is held whole: fights and detours take longer than the demo."""
OLDER = 0.5
"""The share of the memory for the older tier, which holds several times as much."""


class ReplaySetup(NamedTuple):
    """What is played and how. Goes to other processes as it is."""

    request: GameRequest
    paths: tuple[Path, ...]
    times: int = 1
    latency: int = 0
    lost: float = 0.0
    clips: Path | None = None
    numbers: Path | None = None
    """The agent's settings; those of the game by default."""
    outside: bool = False
    """Whether the agent plays from a process of its own."""
    silence: float = 5.0
    """Seconds after which a game that says nothing to that process has failed."""
    agent: str = ""
    """Where the agent's states come from, `module:factory` or a file; empty for the usual ones."""


class Listener(NamedTuple):
    """Called while demos are played."""

    on_report: Callable[[RunReport], object]
    on_outcome: Callable[[DemoOutcome], object] = lambda outcome: None
    on_begin: Callable[[int], object] = lambda at: None
    on_failure: Callable[[DemoOutcome], object] = lambda outcome: None
    """A demo has failed; its clip is not saved yet."""
    on_progress: Callable[[float], object] = lambda share: None


def memory_for(paths: Sequence[Path]) -> int:
    """Bytes that a complete play of these demos needs, estimated from their lengths."""
    seconds = sum(len(one.demo) for one in read_demos(paths)) * INTERVAL
    most = max(LEAST_MEMORY, round(PER_SECOND * AS_LONG * seconds))
    return min(MOST_MEMORY, most) * MEBIBYTE


def make_batch(setup: ReplaySetup, facts: GameDescription, listener: Listener) -> ReplayBatch:
    """The set of demos for a game.

    Raises:
        AgentError: the agent's states or rules don't fit together, or not to the game.
        GameError: there are no such states, or the settings can't be read.
        DamagedError: a file is no demo of this game; names line and column.
    """
    settings = chosen_settings(facts.name, facts.settings, setup.numbers)
    columns = facts.demo_columns
    check_debug_rules(settings.debug, facts.debug, columns)
    states = load_states(setup.agent)
    demos = read_demos(setup.paths, columns, facts.levels, facts.demo_outcomes)
    requests = BatchSettings(
        setup.latency, setup.lost, setup.clips, settings.orders,
        facts.restarts,
        any(rule.on == "start" for rule in settings.debug), settings.screens.column,
        listener.on_progress, listener.on_begin, listener.on_failure, listener.on_outcome,
    )  # fmt: skip
    return ReplayBatch(demos, playthrough(settings, states), requests, times=setup.times)


class SeedPlayer:
    """Plays the set for each seed; one report of all that was played.

    Args:
        games: Opens the games.
    """

    def __init__(self, setup: ReplaySetup, games: ReplayGames, listener: Listener) -> None:
        self._setup = setup
        self._games = games
        self._listener = listener
        self._port: ReplayGame | None = None
        self._batch: ReplayBatch | None = None

    @property
    def point(self) -> TimelinePoint:
        """The newest frame of the game that is played."""
        return TimelinePoint(0, 0.0) if self._port is None else self._port.newest()

    def play(
        self, seed: int | None, *, last: bool = True, lap: int = 1,
        outcomes: Sequence[DemoOutcome] = (),
    ) -> None:  # fmt: skip
        """Play it as often as it is to be, in one game or, where that has to start again, in more.

        Args:
            last: Whether the user at the window may have it played again then.
            lap: Begin with this one.
            outcomes: Of those of its demos that were played already, in a game that is gone.
        """
        begun, again = False, True
        while again:
            with self._games.game(seed) as opened:
                batch = self._batch = self._batch or self._make_batch(opened)
                if not begun:
                    batch.queue.start()
                    if lap > 1 or outcomes:
                        batch.resume(lap, outcomes)
                    begun = True
                self._port = self._games.game_port(opened, batch)
                again = self._play_laps(self._port, batch, seed, last=last)

    def _make_batch(self, opened: OpenGame) -> ReplayBatch:
        return make_batch(self._setup, description_of(opened.game), self._listener)

    def _play_laps(
        self, game_port: ReplayGame, batch: ReplayBatch, seed: int | None, *, last: bool
    ) -> bool:
        """Play the set in a game; whether it is to go on in another one that is restarted."""
        queue, fresh = batch.queue, True
        while True:
            if queue.running and not fresh and not _repeatable(game_port, batch):
                return True
            while batch.has_rest or queue.begin_lap():
                report = batch.lap(game_port, seed)
                if report is None:
                    return True
                self._listener.on_report(report)
                fresh = False
                if queue.lap < queue.times and not _repeatable(game_port, batch):
                    return True
            queue.reset()
            batch.publish()
            if not last or not game_port.wait_until(lambda: queue.running):
                return False


def _repeatable(game_port: ReplayGame, batch: ReplayBatch) -> bool:
    return game_port.can_load and batch.can_repeat and not game_port.silent


class Throttle:
    """Lets something happen at most so often.

    Args:
        interval: Seconds.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._next = 0.0

    def reset(self) -> None:
        """Let it happen at once."""
        self._next = 0.0

    def due(self) -> bool:
        """Whether it may happen now."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._interval
        return True
