"""Replays demos with the agent in a process of its own, which plays over the bus."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..agents.replay.demos.demo_files import start_of
from ..agents.replay.demos.demo_queue import QueueState
from ..agents.replay.replay_game_interface import TimelinePoint
from ..agents.replay.replay_outcome import DemoOutcome, RunReport, of_facts
from ..errors import GameError
from .replay_game_opener import OpenGame, ReplayGames
from .replay_per_seed import Listener, ReplaySetup


class ExternalAgentPlayer:
    """Plays the set for each seed, as `SeedPlayer` does.

    The agent's process says while it plays which demo it is at, so that this is known of a game
    that dies or hangs meanwhile. Its reports come when it has ended.

    Args:
        games: Opens the games.
    """

    def __init__(self, setup: ReplaySetup, games: ReplayGames, listener: Listener) -> None:
        self._setup = setup
        self._games = games
        self._listener = listener
        self._opened: OpenGame | None = None
        self._seed: int | None = None
        self._first_lap = 1
        """The lap that the agent's present process begins with; it counts its own from 1."""
        self._before: Sequence[DemoOutcome] = ()
        """The outcomes of demos of that lap that were played in a game that is gone."""
        self._playing: tuple[int, str] | None = None
        """Lap and demo that it plays, as far as it said."""
        self._outcomes: list[DemoOutcome] = []
        """Those of the present lap that the listener knows."""
        self._reported = 0
        """The last lap, by the process's count, of which it knows the report."""

    @property
    def point(self) -> TimelinePoint:
        """The newest frame of the game that is played."""
        span = None if self._opened is None else self._opened.session.source.span
        return TimelinePoint(0, 0.0) if span is None else TimelinePoint(span.newest, span.end)

    def play(
        self, seed: int | None, *, lap: int = 1, outcomes: Sequence[DemoOutcome] = ()
    ) -> None:  # fmt: skip
        """Play it as often as it is to be.

        Args:
            lap: Begin with this one.
            outcomes: Of those of its demos that were played already, in a game that is gone.

        Raises:
            GameError: the agent's process wrote nothing that could be read.
        """
        self._seed, self._before = seed, tuple(outcomes)
        while lap <= self._setup.times and not self._games.ended:
            laps = 1 if self._before else self._setup.times - lap + 1
            self._first_lap, self._playing = lap, None
            self._outcomes, self._reported = [], 0
            self._play_laps(laps)
            if self._outcomes:  # the game broke: the rest is played in another one
                lap += self._reported
                self._before = (*(self._before if not self._reported else ()), *self._outcomes)
            else:
                lap, self._before = lap + laps, ()

    def _play_laps(self, laps: int) -> None:
        """Play with one process of the agent, in one game."""
        with self._games.game(self._seed) as opened:
            self._opened = opened
            agent = self._games.run_other_process(
                opened, self._command(laps), lambda: self._listener.on_progress(0.0),
                self._take_state,
            )  # fmt: skip
        found = [json.loads(line) for line in agent.output.splitlines() if line.startswith("{")]
        wrong = next((one["error"] for one in found if "error" in one), None)
        if wrong is not None:
            raise GameError(str(wrong["message"]))
        if not found and not self._games.ended:
            raise GameError(
                f"the agent's process ended with exit code {agent.code} and sent nothing:"
                f" {agent.last_error or 'it gave no reason'}"
            )
        for report in map(of_facts, found):  # of what it has not said while it played
            played = report.played if self._has_rest(report) else report.demos
            self._tell(report.lap, played)
            if not self._has_rest(report):
                self._end_lap(report.lap)

    def _has_rest(self, report: RunReport) -> bool:
        """Whether the game broke, and demos after that can be played in another one."""
        at = len(report.played)
        if at in (0, len(report.demos)):
            return False
        failure = report.played[-1].failure
        broke = failure is not None and failure.kind in ("crash", "hang")
        before = self._before if report.lap == 1 else ()
        return broke and start_of(self._setup.paths[len(before) + at]).is_file()

    def _command(self, laps: int) -> list[str]:
        setup = self._setup
        command = ["replay", *map(str, setup.paths[len(self._before) :]), "--json"]
        command += ["--times", str(laps)]
        command += [] if self._seed is None else ["--seed", str(self._seed)]
        command += ["--latency", str(setup.latency), "--lost", str(setup.lost)]
        command += ["--patience", str(setup.silence)]
        if setup.numbers is not None:
            command += ["--settings", str(setup.numbers)]
        if setup.agent:
            command += ["--agent", setup.agent]
        if setup.clips is not None:
            command += ["--clips", str(setup.clips.absolute())]
        return command

    # --- what the agent's process says ----------------------------------------------------------

    def _take_state(self, state: Mapping[str, Any]) -> None:
        """Tell the listener which demo has begun, and before it what came of those before."""
        names = [str(one["name"]) for one in state["demos"]]
        standings = [one["standing"] for one in state["demos"]]
        if QueueState.PLAYING.value not in standings:
            return
        at, lap = standings.index(QueueState.PLAYING.value), int(state["lap"])
        if self._playing == (lap, names[at]):
            return
        self._playing = lap, names[at]
        for each in range(1, lap + 1):
            ended = [one for one in state["outcomes"] if one["lap"] == each]
            self._tell(each, msgspec.convert(ended, list[DemoOutcome]))
            if each < lap:
                self._end_lap(each)
        self._listener.on_begin((len(self._before) if lap == 1 else 0) + at)

    def _tell(self, lap: int, outcomes: Sequence[DemoOutcome]) -> None:
        """Tell those outcomes of a lap that the listener does not know."""
        if lap <= self._reported:
            return
        told = {one.demo for one in self._outcomes}
        for outcome in outcomes:
            if outcome.demo not in told:
                self._outcomes.append(outcome)
                self._listener.on_outcome(outcome)

    def _end_lap(self, lap: int) -> None:
        if lap <= self._reported:
            return
        demos = (*(self._before if lap == 1 else ()), *self._outcomes)
        self._outcomes, self._reported = [], lap
        self._listener.on_report(RunReport(self._seed, self._first_lap + lap - 1, demos))
