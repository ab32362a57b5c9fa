"""What an agent must know of a game before it plays, wherever the game runs."""

import math
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from ...errors import GameError
from ...games.game_interface import Game
from ...games.plan_game_interface import Navigable
from ...games.playable_interface import (
    DebugFunctions,
    DemoColumns,
    DemoLevels,
    DemoOutcomes,
    OutcomeRule,
    PlayableSettings,
    Saves,
)
from ...recorder.world_adapter import Conventions
from ..recorded_demo import INTERVAL, checked_columns
from .replay_game_interface import as_playable, communication_steps

_KINDS: dict[str, type] = {"float": float, "bool": bool, "str": str}


class GameDescription(msgspec.Struct, frozen=True):
    """What a game says of itself: in another process, when it is asked for `replay.game`."""

    name: str
    interval: float
    """Seconds of game time between two observations."""
    player: int
    """The id of the object that is played."""
    loads: bool = False
    """Whether it has saved games, by `replay.load`."""
    columns: dict[str, str] = {}
    """Its own columns in demos: `float`, `bool` or `str` by name."""
    levels: tuple[str, ...] = ()
    """All its levels; empty if it does not say."""
    outcomes: dict[str, str] = {}
    """What must have come of a demo at its end: `equal`, `includes` or `noted` by column."""
    sticks: str = "world"
    """What the left stick points along: `world`, `player` or `camera`."""
    settings: str = ""
    """The agent's settings for this game, as YAML; empty for the usual ones."""
    saves: bool = False
    """Whether it writes saved games, by `replay.save`."""
    restarts: bool = False
    """Whether it can be restarted with a seed, by `replay.restart`."""
    debug: tuple[str, ...] = ()
    """Its debug functions, by `replay.debug`."""
    paths: bool = False
    """Whether it knows where one can walk, by `replay.path`."""

    @property
    def demo_columns(self) -> dict[str, type]:
        """Its own columns in demos, with Python's types."""
        return {name: _KINDS[kind] for name, kind in self.columns.items()}

    @property
    def demo_outcomes(self) -> dict[str, OutcomeRule]:
        """What must have come of a demo at its end."""
        return dict(self.outcomes)  # type: ignore[arg-type]


def description_of(game: Game, interval: float = INTERVAL) -> GameDescription:
    """What a game in this process is like.

    Raises:
        GameError: it has no pad, or says what can't be.
    """
    playable = as_playable(game)
    kinds = {name: kind.__name__ for name, kind in columns_of(game).items()}
    debug = game.debug_functions if isinstance(game, DebugFunctions) else ()
    return checked_description(GameDescription(
        game.name, communication_steps(game.dt, interval) * game.dt, playable.player,
        isinstance(game, Saves), kinds, levels_of(game), dict(outcomes_of(game)), playable.sticks,
        game.settings if isinstance(game, PlayableSettings) else "", isinstance(game, Saves), False,
        tuple(debug), isinstance(game, Navigable),
    ))  # fmt: skip


def conventions_of(game: Game) -> Conventions:
    """How a game's positions and headings are to be read."""
    return game.world.conventions


def read_description(body: Any, source: str) -> GameDescription:
    """What a game in another process says of itself.

    Raises:
        GameError: it is not what it must be; the message says where.
    """
    try:
        return checked_description(msgspec.convert(body, GameDescription))
    except (msgspec.ValidationError, GameError) as error:
        raise GameError(f"{source}: replay.game can't be read: {error}") from None


def checked_description(facts: GameDescription) -> GameDescription:
    """The same facts, which demos can be recorded and replayed with.

    Raises:
        GameError: one of them can't be.
    """
    if not (math.isfinite(facts.interval) and facts.interval > 0.0):
        raise GameError(f"interval {facts.interval!r}: give the seconds between two observations")
    if facts.sticks not in ("world", "player", "camera"):
        raise GameError(f"sticks {facts.sticks!r}: there are world, player and camera")
    for name, kind in facts.columns.items():
        if kind not in _KINDS:
            raise GameError(f"column {name!r} is {kind!r}: a column is float, bool or str")
    checked_columns(facts.demo_columns)
    checked_outcomes(facts.outcomes, facts.demo_columns)
    return facts


def columns_of(game: object) -> dict[str, type]:
    """A game's own columns in demos, in their order."""
    return dict(game.columns) if isinstance(game, DemoColumns) else {}


def levels_of(game: object) -> tuple[str, ...]:
    """The levels that a game has; empty if it does not say."""
    return tuple(game.levels) if isinstance(game, DemoLevels) else ()


def outcomes_of(game: object) -> dict[str, OutcomeRule]:
    """What must have come of a demo at its end, by the game's own columns.

    Raises:
        GameError: an outcome is none of its columns, or is to be compared in no known way.
    """
    outcomes = dict(game.outcomes) if isinstance(game, DemoOutcomes) else {}
    return checked_outcomes(outcomes, columns_of(game))


def checked_outcomes(
    outcomes: Mapping[str, str], columns: Mapping[str, type]
) -> dict[str, OutcomeRule]:
    """The same outcomes, which demos with these columns can be compared by.

    Raises:
        GameError: as above.
    """
    rules = get_args(OutcomeRule)
    for name, rule in outcomes.items():
        if name not in columns:
            raise GameError(f"outcome {name!r} is no column of the game: {', '.join(columns)}")
        if rule not in rules or (rule == "includes" and columns[name] is not str):
            raise GameError(
                f"outcome {name!r} is compared by {rule!r}; there are {', '.join(rules)}, and"
                " includes is for columns of text"
            )
    return dict(outcomes)  # type: ignore[arg-type]
