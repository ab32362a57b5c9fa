"""Doom as a `World`: recorded from another process, and shown in playback by stand-ins only."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...adapters.pausable_world import PausableWorld
from ...errors import CommandError
from ...recorder.handler_interface import Batch
from ...recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from ...recorder.world_adapter import Conventions
from .object_columns import DOOM_LAYOUT
from .scenario import TICS_PER_SECOND
from .tic_game import DoomGame

_MAP_COLOR = (120, 110, 96)


class DoomWorld(PausableWorld):
    """The adapter of a `DoomGame`. An object's type is its Doom class, such as `DoomPlayer`.

    The engine can't show its past, so nothing is ever put back into it. What playback
    asks for is kept in `hidden`, `stand_ins` and `camera`, for a viewer to draw.
    """

    can_restore = False
    columnar = True
    conventions = Conventions(up="z", handedness="right", unit="map unit")

    def __init__(self, game: DoomGame) -> None:
        super().__init__()
        self.game = game
        self.hidden: set[int] = set()
        """Objects of the present that did not exist at the shown frame."""
        self.camera: tuple[int, tuple[float, float, float]] | None = None
        """The object in focus, and its present or last position."""
        self._instruments: Instrumentation = NULL_INSTRUMENTATION
        self._types: dict[int, str] = {}
        self._self_id = game.self_id
        self._episode = game.episode
        self._rested = 0
        """Tics that went by in which nothing happened."""

    def step(self, action: Sequence[float] | None = None) -> None:
        """Advance one tic and write to the instruments; see `DoomGame.step`.

        Raises:
            CommandError: the world is paused for playback, or the action makes no sense.
            GameError: the engine died or was silent.
        """
        self._refuse_paused()
        if self.input_locked:
            action = [0.0] * len(self.game.scenario.buttons)
        self.game.step(action)
        # An episode's last tic is shown twice, but time goes on.
        self._rested = int(bool(self.game.ended))
        if self._instruments is not NULL_INSTRUMENTATION:
            self._tell()

    def rest(self) -> None:
        """A tic in which nothing happens but that time goes by.

        Raises:
            CommandError: the world is paused for playback.
        """
        self._refuse_paused()
        self._rested += 1
        if self._instruments is not NULL_INSTRUMENTATION:
            self._watch()

    def load(self, path: Path) -> None:
        """Go on from a saved game, in another episode; see `DoomGame.load`."""
        self.game.load(path)
        self._rested = 0
        self._types = dict(self.game.objects.types_by_id())
        self._self_id = self.game.self_id
        self._episode = self.game.episode
        self._instruments.log(
            f"episode {self.game.episode} begins: {self.game.ended}", object=self._self_id
        )

    def instrument(self, instruments: Instrumentation) -> None:
        """Let the game speak from now on: its map's lines once, and after each step the player's
        numbers, every death and every respawn. `NULL_INSTRUMENTATION` ends it.
        """
        self._instruments = instruments
        if instruments is NULL_INSTRUMENTATION:
            return
        instruments.draw.lines(self.game.lines, color=_MAP_COLOR, latch="map", channel="map")
        self._types = dict(self.game.objects.types_by_id())
        self._self_id = self.game.self_id
        self._episode = self.game.episode
        self._watch()

    def objects(self) -> Iterable[tuple[int, str, Any]]:
        return iter(self.game.objects)

    def batches(self) -> Iterable[Batch]:
        for name, columns in self.game.objects.columns_by_type():
            yield Batch(name, DOOM_LAYOUT, columns)

    def time(self) -> float:
        return self.game.time + self._rested / TICS_PER_SECOND

    def find(self, object_id: int) -> Any | None:
        return self.game.objects.find(object_id)

    def screen_pixels(self) -> npt.NDArray[np.uint8] | None:
        return self.game.look()

    def hide(self, object_id: int) -> None:
        self.hidden.add(object_id)

    def unhide(self, object_id: int) -> None:
        self.hidden.discard(object_id)

    def look_at(self, object_id: int, position: tuple[float, float, float]) -> None:
        self.camera = (object_id, position)

    def _refuse_paused(self) -> None:
        if self.paused:
            raise CommandError(
                f"doom:{self.game.scenario.name} is paused at tic {self.game.tic}:"
                " leave playback before the next step"
            )

    def _watch(self) -> None:
        for name, value in self.game.variables.items():
            self._instruments.watch(name, value, self.game.self_id)

    def _tell(self) -> None:
        game, say = self.game, self._instruments
        self._watch()
        types = dict(game.objects.types_by_id())
        if game.ended:
            say.log(f"episode {game.episode} is over: {game.ended}", object=game.self_id)
            if game.ended == "the player died":
                say.mark("death", game.ended, object=game.self_id)
        elif game.episode != self._episode:
            say.log(f"episode {game.episode} begins", object=game.self_id)
        else:
            for id, name in types.items():
                # A body keeps the id of the monster that died; only the class distinguishes them.
                if name.startswith("Dead") and self._types.get(id, name) != name:
                    say.log(f"{self._types[id]} {id} died", object=id)
                    if id == self._self_id:
                        say.mark("death", f"the player died as object {id}", object=id)
            if game.self_id not in (0, self._self_id):
                say.log(f"the player is back as object {game.self_id}", object=game.self_id)
                say.mark("respawn", f"it was object {self._self_id}", object=game.self_id)
        self._types = types
        self._self_id = game.self_id or self._self_id
        self._episode = game.episode
