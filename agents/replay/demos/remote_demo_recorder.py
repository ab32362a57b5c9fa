"""Records a demo of a game in another process, whatever holds its pad there."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ....errors import GameError
from ....games.playable_interface import Observation
from ...recorded_demo import INTERVAL, DemoWriter
from ..observation_server import OBSERVATION
from ..remote_game import RemoteGame
from .python_script_player import Script


class RecordedPlay(NamedTuple):
    """How a recorded play has ended."""

    seen: Observation
    """The last observation."""
    rows: int
    lost: int
    """Observations that never came here: so many rows may be missing."""


def record_remote_demo(
    port: RemoteGame, out: Path, *, seconds: float | None, script: Script | None,
    goes_on: Callable[[], bool],
) -> RecordedPlay:  # fmt: skip
    """Write a row for each communication frame until the game is finished or the player dead.

    Args:
        out: The demo; a file that is there is never replaced.
        seconds: The most game time.
        script: Holds the pad; else the person at the game does.
        goes_on: Asked after each observation; False ends the demo.

    Raises:
        GameError: the game does not say what is held, is silent, or says what can't be read.
        RecordingError: the file is there already, or can't be written.
    """
    every = port.facts.interval
    if every > 1.5 * INTERVAL:
        raise GameError(
            f"{port.name} sends an observation every {every:g} s: a demo needs one every"
            f" {INTERVAL:.4f} s"
        )
    newest, played, lost = Observation((0.0, 0.0, 0.0)), 0.0, 0
    begun: float | None = None
    with DemoWriter(out, every, columns=port.facts.demo_columns) as writer:
        while True:
            observation = port.next_observation().observation
            newest = observation.seen
            if observation.pad is None:
                raise GameError(
                    f"{port.name}: its {OBSERVATION} has no `pad`: without that it is unknown what"
                    " was pressed; see docs/protocol.md, 'A game that is tested'"
                )
            if begun is not None:
                passed = max(0.0, observation.game_time - begun)
                played += passed
                lost += max(0, round(passed / every) - 1)
            begun = observation.game_time
            row = writer.step(observation.pad.pad, newest)
            if script is not None and row:
                port.hold(script(newest))
            ended = newest.finished or newest.dead
            if not goes_on() or ended or (seconds is not None and played >= seconds):
                return RecordedPlay(newest, writer.rows, lost)
