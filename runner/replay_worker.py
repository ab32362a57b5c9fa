"""Replays demos for one seed in a process of its own, which may crash or hang."""

from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ..agents.replay.replay_outcome import DemoOutcome
from ..games.game_catalog import FAMILIES
from ..games.user_code_loader import own_path
from .external_agent_player import ExternalAgentPlayer
from .replay_game_opener import ReplayGames
from .replay_per_seed import Listener, ReplaySetup, SeedPlayer, Throttle
from .worker_pool import START, Send

HEARTBEAT = 0.1
"""Seconds from one message of a game that goes on to the next."""
SAVING = 600.0
"""Seconds that saving a clip may take."""


class ReplayTask(NamedTuple):
    """What one process plays, from start to end."""

    setup: ReplaySetup
    seed: int | None
    patience: float
    """Seconds of real time that a step of the game may take."""
    lap: int = 1
    outcomes: tuple[DemoOutcome, ...] = ()
    """The outcomes of demos of this lap that were played by a process that has died."""
    attempt: int = 1
    ring: Path | None = None
    """The file that holds the recording: it outlives the process."""


class Alive(NamedTuple):
    """Called while it plays, with its progress."""

    share: float
    """The share of the task that is done, 0 … 1."""
    frame: int
    time: float


class DemoBegins(NamedTuple):
    """Called when a demo begins."""

    at: int
    """Its index in the set."""


def replay_task(task: ReplayTask, send: Send) -> None:
    """Carry out a task, and send how it goes: also each outcome and each report."""
    setup, throttle = task.setup, Throttle(HEARTBEAT)

    def progress(share: float) -> None:
        if throttle.due():
            point = player.point
            send(Alive(share, point.frame, point.time), task.patience)

    def say(value: Any) -> None:
        throttle.reset()  # with the first frame, patience is that of a game that is played
        send(value, START)  # until then a game is begun, or a saved game loaded

    own_path(setup.request.game, list(FAMILIES))
    if setup.agent:
        own_path(setup.agent, ())
    listener = Listener(
        on_report=say, on_outcome=say, on_begin=lambda at: say(DemoBegins(at)),
        on_failure=lambda outcome: send(None, SAVING), on_progress=progress,
    )  # fmt: skip
    with closing(ReplayGames(setup.request._replace(ring=task.ring))) as games:
        player = (ExternalAgentPlayer if setup.outside else SeedPlayer)(setup, games, listener)
        player.play(task.seed, lap=task.lap, outcomes=task.outcomes)
