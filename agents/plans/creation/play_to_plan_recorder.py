"""A game that is recorded as a plan while a person, a script or an agent plays it."""

from pathlib import Path
from typing import Any, cast

from ....games.delegating_game import DelegatingGame
from ....games.game_interface import Game
from ..plan_checker import plan_game
from .plan_recorder import PlanRecorder, RecordingSettings


class PlayToPlanRecorder(DelegatingGame):
    """Wraps a game: each of its steps is shown to a `PlanRecorder`.

    Raises:
        GameError: the game can't be driven by plans.
        CommandError: the settings make no sense.
    """

    def __init__(self, game: Game, settings: RecordingSettings | None = None) -> None:
        self._driven = plan_game(game)
        self.recorder = PlanRecorder(self._driven, game.dt, settings)

    @property
    def game(self) -> Game:
        """The same game, watched: hand this to what plays it."""
        return cast(Game, self)

    def step(self) -> None:
        self._game.step()
        self.recorder.step(self._driven.pad, self._driven.observe())

    def load(self, path: Path) -> None:
        """Go on from a saved game: what was played before does not lead there."""
        cast(Any, self._game).load(path)
        self.recorder.begin_elsewhere()
