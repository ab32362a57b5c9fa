"""One demo, played again: the loop of communication frames between a game and an agent."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...errors import PlayheadError
from ...playback.pad import NEUTRAL
from .agent_interface import AgentFactory, AgentSpec, ReplayAgent
from .demo_files import DemoFile
from .game_port import GamePort, SilentError
from .replay_outcome import DemoFailure, DemoOutcome
from .simulated_latency import PadLatency

AFTER = 1.0
"""Seconds of game time that go on behind a failure, with nothing held; a clip has them, too."""
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
    clips: Path | None = None
    """The folder for clips of failures; None for none."""
    should_leave: Callable[[], bool] = lambda: False
    """Whether the demo is to be left now."""
    on_frame: Callable[[ReplayProgress], object] = lambda now: None
    """Called with each communication frame."""
    on_failure: Callable[[DemoOutcome], object] = lambda outcome: None
    """Called when the demo has failed, before the game goes on: a world that stands still for
    somebody does so for as long as they like."""


def play(
    game_port: GamePort, demo: DemoFile, make: AgentFactory, requests: ReplayRequests, *,
    clip: str = "",
) -> DemoOutcome:  # fmt: skip
    """Play a demo in a game that stands where it begins, until it ends, fails or is skipped.

    The agent's traces and the failed check are in the recording. If the demo fails and clips are
    wanted, one is saved from its first frame on.

    Args:
        clip: The clip's name, without `.mcap`; the demo's by default.

    Raises:
        GameError: the game broke.
    """
    run = _DemoRun(game_port, demo, make, requests)
    try:
        return run.run(clip or demo.name)
    except SilentError as error:
        return run.outcome("failed", run.failed(str(error)))


class _DemoRun:
    def __init__(
        self, game_port: GamePort, demo: DemoFile, make: AgentFactory, requests: ReplayRequests
    ) -> None:
        self._game_port, self._demo, self._make, self._requests = game_port, demo, make, requests
        self._agent: ReplayAgent | None = None
        self._frames = 0
        self._seconds = 0.0
        """Game time that has gone by. A game's clock may begin again, with a new map say."""
        self._most = AT_LEAST + TIMES_AS_LONG * len(demo.demo) * game_port.interval

    def run(self, clip: str) -> DemoOutcome:
        game_port, name = self._game_port, self._demo.name
        first = game_port.flush().frame + 1
        self._requests.latency.clear()
        agent, why = self._play()
        if why:
            return self._fail(agent, why, clip, first)
        standing = "finished" if agent is not None and agent.done else "skipped"
        game_port.instruments.mark(f"demo {standing}", name, object=game_port.player)
        game_port.flush()
        return self.outcome(standing)

    def _play(self) -> tuple[ReplayAgent | None, str]:
        """The agent, and why it failed; it is made when there is a frame to speak into."""
        game_port, demo, requests = self._game_port, self._demo, self._requests
        seen = game_port.next(NEUTRAL)
        if seen is None:
            return None, ""
        agent = self._agent = self._make(AgentSpec(
            demo, game_port.instruments, game_port.player, game_port.clock, requests.seed
        ))  # fmt: skip
        now = game_port.clock()
        game_port.instruments.mark("demo begins", demo.name, object=game_port.player)
        while seen is not None and not requests.should_leave():
            self._frames += 1
            before, now = now, game_port.clock()
            self._seconds += max(0.0, now - before)
            pad = agent.step(seen)
            rows = len(demo.demo)
            requests.on_frame(ReplayProgress(agent.row, rows, agent.state, agent.progress))
            if agent.done:
                break
            if self._frames * game_port.interval > self._most:
                return agent, f"{demo.name} is not through after {self._most:.0f} s: it is stuck"
            seen = game_port.next(requests.latency.send(pad))
        return agent, agent.failure

    def _fail(self, agent: ReplayAgent | None, why: str, clip: str, first: int) -> DemoOutcome:
        game_port, clips = self._game_port, self._requests.clips
        if agent is None or not agent.checked:
            game_port.instruments.check(not why, why, focus=game_port.player)
        outcome = self.outcome("failed", self.failed(why))
        self._requests.on_failure(outcome)
        # Where somebody watches the world stands still now: this goes on when they let it.
        for _ in range(max(1, round(AFTER / game_port.interval))):
            if game_port.next(NEUTRAL) is None:
                break
        if clips is None:
            return outcome
        try:
            clips.mkdir(parents=True, exist_ok=True)
            path = game_port.save_clip(free_name(clips, clip).absolute(), first)
        except (PlayheadError, OSError) as error:
            return msgspec.structs.replace(outcome, trouble=f"no clip of {clip}: {error}")
        return msgspec.structs.replace(outcome, clip=str(path))

    def failed(self, why: str) -> DemoFailure:
        """A failure in the newest frame."""
        point = self._game_port.flush()
        return DemoFailure(why, point.time, point.frame, self._game_port.player)

    def outcome(self, standing: str, failure: DemoFailure | None = None) -> DemoOutcome:
        """What has come of it so far."""
        agent = self._agent
        if agent is None:
            return DemoOutcome(self._demo.name, standing, failure=failure)
        return DemoOutcome(
            self._demo.name, standing, self._seconds, agent.recoveries, agent.transitions,
            agent.row, failure, notes=agent.notes,
        )  # fmt: skip


def free_name(folder: Path, name: str) -> Path:
    """A clip's file in a folder that is not there yet."""
    names = itertools.chain((name,), (f"{name}-{number}" for number in itertools.count(2)))
    return next(path for one in names if not (path := folder / f"{one}.mcap").exists())
