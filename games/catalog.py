"""Games by the names that people type: `arena:LEVEL`, `doom:SCENARIO`, `package.module:factory`."""

import importlib
from collections.abc import Callable
from typing import Any

from ..errors import GameError
from .game import Game

FAMILIES = {"arena": "agents", "doom": "doom"}
"""The built-in families, and the extra that each needs."""


def open_game(name: str, *, seed: int | None = None, **settings: Any) -> Game:
    """The game of this name, started.

    Args:
        seed: Decides everything that is left to chance; the game's own default if None.
        settings: What else the game's factory takes.

    Raises:
        GameError: there is no such game, or it could not be started.
    """
    family, colon, what = name.partition(":")
    if not colon or not what or not family:
        raise GameError(
            f"game {name!r}: write arena:LEVEL, doom:SCENARIO or package.module:factory"
        )
    factory = _built_in(family) if family in FAMILIES else _named(family, what)
    arguments = (what,) if family in FAMILIES else ()
    if family in FAMILIES or seed is not None:
        settings["seed"] = seed
    try:
        game: Game = factory(*arguments, **settings)
    except TypeError as error:
        raise GameError(f"game {name!r} can't be made with {settings}: {error}") from error
    return game


def _built_in(family: str) -> Callable[..., Any]:
    try:
        if family == "arena":
            from .arena.game import ArenaGame

            return ArenaGame
        from .doom.play import DoomRun
    except ImportError as error:
        extra = FAMILIES[family]
        raise GameError(
            f"{family} needs {error.name}: install it with pip install 'playhead[{extra}]'"
        ) from error
    return DoomRun


def _named(module: str, factory: str) -> Callable[..., Any]:
    try:
        found = getattr(importlib.import_module(module), factory)
    except ImportError as error:
        raise GameError(f"game {module}:{factory}: {error}") from error
    except AttributeError:
        raise GameError(f"game {module}:{factory}: {module} has no {factory}") from None
    if not callable(found):
        raise GameError(f"game {module}:{factory}: {factory} is {found!r}, not a factory")
    result: Callable[..., Any] = found
    return result
