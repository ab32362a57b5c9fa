"""Finds games by the names that users type: `arena:LEVEL`, `doom:SCENARIO`, `module:factory`."""

import importlib.util
from collections.abc import Callable
from typing import Any

from ..errors import GameError, PlayheadError
from ..installation import install_line
from .game_interface import Game
from .plan_game_interface import LevelVariants
from .playable_as_game import hosted
from .playable_game import PlayableGame
from .user_code_loader import is_file, user_code_location, user_object

FAMILIES = {"arena": "agents", "doom": "doom"}
"""The built-in families, and the extra that each needs."""

ASKS = {"arena:doomlike": "ask"}
"""Games that can be given a mode, or have it chosen on a start screen: the mode that does that."""

FACTORY = "game"
"""What makes the game in a file of one's own, where only the file is named."""

NEEDED = (
    "name", "dt", "world", "handlers", "about", "attach", "step", "state_hash", "close",
    "__enter__", "__exit__",
)  # fmt: skip
"""What a `Game` must have."""


def variant_settings(name: str) -> dict[str, Any]:
    """What `open_game` takes so that each seed makes another level of this game; empty if none is.

    Raises:
        GameError: there is no such game.
    """
    with open_game(name) as opened:
        return dict(opened.level_variants) if isinstance(opened, LevelVariants) else {}


def open_game(name: str, *, seed: int | None = None, **settings: Any) -> Game:
    """The game of this name, started.

    Args:
        seed: Decides everything that is left to chance; the game's own default if None.
        settings: What else the game's factory takes.

    Raises:
        GameError: there is no such game, or it could not be started.
    """
    family, colon, what = name.partition(":")
    if not is_file(name) and not (colon and what and family):
        raise GameError(
            f"game {name!r}: write arena:LEVEL, doom:SCENARIO, package.module:factory or"
            " file.py:factory"
        )
    factory = _built_in(family) if family in FAMILIES else _named(name)
    arguments = (what,) if family in FAMILIES else ()
    if family in FAMILIES or seed is not None:
        settings["seed"] = seed
    try:
        game: Game = factory(*arguments, **settings)
    except PlayheadError:
        raise
    except Exception as error:
        location = user_code_location(error)
        raise GameError(
            f"game {name!r} can't be made with {settings}: {error!r}{location}"
        ) from error
    if isinstance(game, PlayableGame):
        return hosted(game, settings.get("seed"))
    missing = [member for member in NEEDED if not hasattr(game, member)]
    if missing:
        raise GameError(f"game {name!r}: {game!r} is no Game, it has no {', '.join(missing)}")
    return game


def _built_in(family: str) -> Callable[..., Any]:
    try:
        if family == "arena":
            from .arena.adventure.adventure_game import LEVELS, AdventureGame
            from .arena.fps.match.hall_game import AimGame
            from .arena.yard_game import ArenaGame

            def arena(level: str, **settings: Any) -> Any:
                if level == "doomlike":
                    return AimGame(**settings)
                made = AdventureGame if level in LEVELS else ArenaGame
                return made(level, **settings)

            return arena
        from .doom.doom_game import DoomRun

        # It is imported only in the engine's own process, which could but die without it.
        if importlib.util.find_spec("vizdoom") is None:
            raise ModuleNotFoundError(name="vizdoom")
    except ImportError as error:
        extra = FAMILIES[family]
        raise GameError(
            f"{family} needs {error.name}, which is not installed: {install_line(extra)}"
        ) from error
    return DoomRun


def _named(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = user_object(name, "game", FACTORY)
    if not callable(found):
        kind = type(found).__name__
        factory = FACTORY if is_file(name) else name.rpartition(":")[2]
        raise GameError(f"game {name}: {factory} is of type {kind}, not a factory")
    return found
