"""Runs a `PlayableGame` as a `Game` with a pad: its clock, its world, who holds the pad."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..adapters.object_discovery import listed_in
from ..adapters.observed_world import ObservedWorld
from ..errors import GameError
from ..handlers.handler_registry import HandlerRegistry
from ..playback.pads.pad import NEUTRAL, Pad
from ..recorder.statements.instrumentation_interface import Instrumentation, Scalar
from ..recorder.world_adapter import Conventions
from ..session import Session
from .delegating_game import DelegatingGame
from .game_interface import Game
from .playable_game import PlayableGame
from .playable_interface import Observation, OutcomeRule

PLAN_SIDE = frozenset((
    "level_variants", "on_event", "perform", "plan_actions", "plan_actors", "plan_controls",
    "plan_map", "plan_names", "plan_state", "plan_types", "plan_values", "teleport", "validators",
    "walk_grids",
))  # fmt: skip
"""What a game may have so that plans can drive it: see `PlanGame`."""


def check_person(game: Game) -> None:
    """Refuse a game of the user's own that nobody plays while it has no window.

    Raises:
        GameError: it has no `person` of its own.
    """
    if isinstance(game, HostedGame) and type(game.game).person is PlayableGame.person:
        raise GameError(
            f"{game.name}: nobody plays it without a window: write its method person(), which"
            " returns the pad of the next step, or play it in a window"
        )


class HostedGame(DelegatingGame):
    """A game of the user's own, as commands and agents run it.

    Args:
        game: The game.
        seed: What it was made with, for the recording.
    """

    shared = PLAN_SIDE
    _game: PlayableGame

    def __init__(self, game: PlayableGame, seed: int | None = None) -> None:
        self.name = game.name or type(game).__name__
        self.dt = _checked_step(game)
        self.handlers = HandlerRegistry()
        self.world = ObservedWorld(handlers=self.handlers, conventions=game.conventions)
        self.world.add(game.objects)
        self.about: dict[str, Scalar] = {"game": self.name}
        if seed is not None:
            self.about["seed"] = seed
        self.sticks: str = game.sticks
        self.columns: Mapping[str, type] = game.columns
        self.outcomes: Mapping[str, OutcomeRule] = game.outcomes
        self.levels: Collection[str] = game.levels
        self.settings = game.settings
        self._held: Pad | None = None
        self._newest = NEUTRAL

    @property
    def game(self) -> PlayableGame:
        """The game of the user's own."""
        return self._game

    @property
    def conventions(self) -> Conventions:
        """How positions and headings of its observations are to be read."""
        return self._game.conventions

    @property
    def player(self) -> int:
        """The id of the object that is played."""
        played = self._game.player
        if played is None:
            first = next(iter(listed_in(self._game.objects())), None)
            played = None if first is None else first.object
        return self.world.number_of(played) or 0

    @property
    def pad(self) -> Pad:
        """What was pressed in the newest step."""
        return self._newest

    def hold(self, pad: Pad | None) -> None:
        """Hold this from the next step on; None lets the scripted person play."""
        self._held = pad

    def attach(self, instruments: Instrumentation) -> None:
        """Record through these from now on."""
        self._game.recording = instruments
        if isinstance(instruments, Session):
            self.world.attach(instruments.recorder)

    def step(self) -> None:
        """Play a step."""
        pad = self._game.person() if self._held is None else self._held
        if not isinstance(pad, Pad):
            raise GameError(f"{self.name}: person() returned {pad!r:.80}, which is no ph.Pad")
        if self._held is None and max(map(abs, (*pad.left, *pad.right))) > 1.0:
            raise GameError(
                f"{self.name}: person() returned {pad!r:.80}: each axis of a stick is -1 to 1"
            )
        self._newest = pad
        self._game.step(pad)
        self.world.seconds += self.dt

    def observe(self) -> Observation:
        """What there is to see."""
        seen = self._game.observe()
        if not isinstance(seen, Observation):
            raise GameError(f"{self.name}: observe() returned {seen!r:.80}, no ph.Observation")
        return seen

    @property
    def debug_functions(self) -> Collection[str]:
        """The names of what `debug` can call."""
        return tuple(self._game.debug_functions())

    def debug(self, name: str, argument: Any) -> None:
        """Call one of the game's debug functions."""
        functions: Mapping[str, Callable[[Any], object]] = self._game.debug_functions()
        functions[name](argument)

    def state_hash(self) -> str:
        """A hash of what there is to see: more of its state is not known."""
        data = msgspec.json.encode(self.observe(), enc_hook=repr, order="deterministic")
        return hashlib.sha256(data).hexdigest()

    def close(self) -> None:
        """End the game."""
        self._game.close()

    def __enter__(self) -> "HostedGame":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HostedGameWithSaves(HostedGame):
    """The same for a game that has saved games."""

    def save(self, path: Path) -> None:
        """Write a saved game."""
        self._saves.save(path)

    def load(self, path: Path) -> None:
        """Go on from a saved game.

        Raises:
            GameError: it can't be read, or is none of this game.
        """
        try:
            self._saves.load(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise GameError(f"{path}: {self.name} can't load this: {error!r}") from error

    @property
    def _saves(self) -> Any:
        return self._game


def hosted(game: PlayableGame, seed: int | None = None) -> HostedGame:
    """A game of the user's own, as one that commands and agents run.

    Raises:
        GameError: its step is none.
    """
    saves = all(callable(getattr(game, name, None)) for name in ("save", "load"))
    return (HostedGameWithSaves if saves else HostedGame)(game, seed)


def _checked_step(game: PlayableGame) -> float:
    if not (isinstance(game.dt, (int, float)) and 0.0 < game.dt < 1e3):
        raise GameError(
            f"{type(game).__name__}: dt = {game.dt!r}: give the seconds of a step, such as 1 / 60"
        )
    return float(game.dt)
