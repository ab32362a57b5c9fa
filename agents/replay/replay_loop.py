"""Replays one demo: the loop of communication frames between a game and an agent."""

import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...errors import PlayheadError
from ...games.playable_interface import Observation
from ...playback.pads.pad import NEUTRAL
from ...recorder.checks.failed_check_tracker import FailedCheck
from .agent_interface import AgentFactory, AgentSpec, ReplayAgent
from .demos.demo_divergence_monitor import DemoDivergenceMonitor
from .demos.demo_files import DemoFile
from .replay_game_interface import ReplayGame, SilentError, SourcePlace
from .replay_outcome import DemoFailure, DemoOutcome, FailureKind
from .simulated_latency import PadLatency

DEMO_BEGINS = "demo begins"
"""The mark in a demo's first frame."""
ROWS_LANE, SEED_LANE = "replay.rows", "replay.seed"
"""Watched values in that frame: how many rows the demo has, and the game's seed."""
AFTER = 1.0
"""Seconds of game time that go on after a failure, with nothing held; a clip has them, too."""
TIMES_AS_LONG = 10.0
"""A demo that takes so many times as long as its recording has failed …"""
AT_LEAST = 120.0
"""… and so many seconds more. Agents have tighter limits: this one holds for all of them."""


class ReplayProgress(NamedTuple):
    """How far a demo is."""

    row: int
    rows: int
    state: str
    """The agent's."""
    progress: float


class ReplayRequests(NamedTuple):
    """How demos are to be played."""

    latency: PadLatency
    seed: int = 0
    """Decides what the agent leaves to chance."""
    game_seed: int | None = None
    """The seed that the game was begun with; None for none."""
    clips: Path | None = None
    """The folder for clips of failures; None for none."""
    should_leave: Callable[[], bool] = lambda: False
    """Whether the demo is to be left now."""
    on_frame: Callable[[ReplayProgress], object] = lambda now: None
    """Called with each communication frame."""
    on_failure: Callable[[DemoOutcome], object] = lambda outcome: None
    """Called when the demo has failed, before the game goes on: a world that is paused for
    somebody does so for as long as they like."""


def play(
    game_port: ReplayGame, demo: DemoFile, make: AgentFactory, requests: ReplayRequests, *,
    clip: str = "",
) -> DemoOutcome:  # fmt: skip
    """Play a demo in a game whose player is where it begins, until it ends, fails or is skipped.

    The agent's traces and the failed check are in the recording. If the demo fails and clips are
    wanted, one is saved from its first frame on.

    Args:
        clip: The clip's name, without `.mcap`; the demo's by default.
    """
    return _DemoRun(game_port, demo, make, requests, clip or demo.name).run()


class _FailureCause(NamedTuple):
    """Why the demo is given up."""

    why: str = ""
    kind: FailureKind = "agent"
    traceback: str = ""
    check: FailedCheck | None = None
    """The game's own check that has failed: it is recorded already."""
    place: SourcePlace | None = None
    """The line of the game that raised; by default it is the demo's row."""


class _DemoRun:
    def __init__(
        self, game_port: ReplayGame, demo: DemoFile, make: AgentFactory, requests: ReplayRequests,
        clip: str,
    ) -> None:  # fmt: skip
        self._game_port, self._demo, self._make, self._requests = game_port, demo, make, requests
        self._clip = clip
        self._comparison = DemoDivergenceMonitor(demo.demo, game_port.instruments, game_port.player)
        self._agent: ReplayAgent | None = None
        self._first = self._frames = 0
        self._seconds = 0.0
        """Game time that has gone by. A game's clock may begin again, with a new map say."""
        self._most = AT_LEAST + TIMES_AS_LONG * len(demo.demo) * game_port.interval

    def run(self) -> DemoOutcome:
        game_port, name = self._game_port, self._demo.name
        self._first = game_port.flush().frame + 1
        self._requests.latency.clear()
        game_port.failed_check()  # what failed before is behind
        try:
            cause = self._play()
        except SilentError as error:
            cause = _FailureCause(str(error), error.kind, error.traceback, place=error.place)
        if cause.why:
            return self._fail(cause)
        agent = self._agent
        status = "finished" if agent is not None and agent.done else "skipped"
        game_port.instruments.mark(f"demo {status}", name, object=game_port.player)
        game_port.flush()
        return self.outcome(status)

    def _play(self) -> _FailureCause:
        """Why it failed, if it did; the agent is made when there is a frame to speak into."""
        game_port, demo, requests = self._game_port, self._demo, self._requests
        seen = game_port.next(NEUTRAL)
        if seen is None:
            return _FailureCause()
        agent = self._agent = self._make(spec_for(game_port, demo, requests.seed))
        now = game_port.clock()
        self._begin()
        while seen is not None and not requests.should_leave():
            self._frames += 1
            before, now = now, game_port.clock()
            self._seconds += max(0.0, now - before)
            pad = agent.step(seen)
            self._compare(agent, seen)
            rows = len(demo.demo)
            requests.on_frame(ReplayProgress(agent.row, rows, agent.state, agent.progress))
            if agent.done:
                break
            if self._frames * game_port.interval > self._most:
                why = f"{demo.name} is not through after {self._most:.0f} s: it is stuck"
                return _FailureCause(why)
            seen = game_port.next(requests.latency.send(pad))
            if (cause := self._failed_check()) is not None:
                return cause
        if agent.failure:
            return _FailureCause(agent.failure, traceback=agent.traceback)
        return self._end(agent, seen) if agent.done else _FailureCause()

    def _begin(self) -> None:
        """Record in the demo's first frame what is played: a clip of it begins there."""
        instruments, player = self._game_port.instruments, self._game_port.player
        instruments.mark(DEMO_BEGINS, self._demo.name, object=player)
        instruments.watch(ROWS_LANE, len(self._demo.demo), player)
        if self._requests.game_seed is not None:
            instruments.watch(SEED_LANE, self._requests.game_seed, player)

    def _compare(self, agent: ReplayAgent, seen: Observation) -> None:
        point = self._game_port.newest()
        row = min(max(0, agent.row), len(self._demo.demo) - 1)
        self._comparison.step(row, seen, point.frame, point.time)

    def _end(self, agent: ReplayAgent, seen: Observation | None) -> _FailureCause:
        """Whether all has come of it that had to; what is still to be seen is waited for."""
        game_port = self._game_port
        for _ in range(max(1, round(AFTER / game_port.interval))):
            if seen is None or not self._comparison.lacking(seen):
                break
            seen = game_port.next(NEUTRAL)
            if seen is not None:
                self._compare(agent, seen)
        point = game_port.newest()
        lacking = "" if seen is None else self._comparison.end(seen, point.frame, point.time)
        if lacking:
            why = f"{self._demo.path.name} was played to its end, but {lacking}"
            return _FailureCause(why, "outcome")
        game_port.flush()
        return self._failed_check() or _FailureCause()

    def _failed_check(self) -> _FailureCause | None:
        """A check of the game that has failed in this demo; an older one may come only now."""
        check = self._game_port.failed_check()
        if check is None or check.frame < self._first:
            return None
        return _FailureCause(check.message, "assert", check=check)

    def _fail(self, cause: _FailureCause) -> DemoOutcome:
        game_port, clips = self._game_port, self._requests.clips
        if cause.check is None:
            row = 0 if self._agent is None else self._agent.row
            game_port.fail(cause.why, cause.place or row_place(self._demo, row))
        outcome = self.outcome("failed", self.failed(cause))
        self._requests.on_failure(outcome)
        # With a user watching the world is paused now: this goes on when they let it.
        with contextlib.suppress(SilentError):
            for _ in range(max(1, round(AFTER / game_port.interval))):
                if game_port.silent or game_port.next(NEUTRAL) is None:
                    break
        if clips is None:
            return outcome
        try:
            clips.mkdir(parents=True, exist_ok=True)
            path = game_port.save_clip(free_name(clips, self._clip).absolute(), self._first)
        except (PlayheadError, OSError) as error:
            return msgspec.structs.replace(outcome, trouble=f"no clip of {self._clip}: {error}")
        return msgspec.structs.replace(outcome, clip=str(path))

    def failed(self, cause: _FailureCause) -> DemoFailure:
        """A failure in the newest frame, or in that of the game's own check."""
        point = self._game_port.flush()
        kind, trace, check = cause.kind, cause.traceback, cause.check
        if check is not None:
            return DemoFailure(check.message, check.time, check.frame, check.object, kind)
        return DemoFailure(
            cause.why, point.time, point.frame, self._game_port.player, kind, trace
        )  # fmt: skip

    def outcome(self, status: str, failure: DemoFailure | None = None) -> DemoOutcome:
        """What has come of it so far."""
        agent = self._agent
        if agent is None:
            return DemoOutcome(self._demo.name, status, failure=failure)
        divergence = self._comparison.first
        return DemoOutcome(
            self._demo.name, status, self._seconds, agent.recoveries, agent.transitions,
            agent.row, failure, notes=agent.notes, divergence=divergence,
        )  # fmt: skip


def spec_for(game_port: ReplayGame, demo: DemoFile, seed: int) -> AgentSpec:
    """What an agent is made for that plays a demo in a game."""
    return AgentSpec(
        demo, game_port.instruments, game_port.player, game_port.clock, seed,
        game_port.conventions, game_port.sticks, game_port.debug, game_port.find_path,
    )  # fmt: skip


def row_place(demo: DemoFile, row: int) -> SourcePlace:
    """Where a row of a demo is in its file, whose first line names the columns."""
    return SourcePlace(str(demo.path.absolute()), row + 2)


def free_name(folder: Path, name: str) -> Path:
    """A clip's file in a folder that is not there yet."""
    names = itertools.chain((name,), (f"{name}-{number}" for number in itertools.count(2)))
    return next(path for one in names if not (path := folder / f"{one}.mcap").exists())
