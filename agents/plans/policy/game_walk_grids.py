"""The map cells of a game, by the game's name, for training and evaluating a policy."""

from collections.abc import Sequence
from typing import Any

from ....errors import GameError
from ....games.game_catalog import open_game
from ....games.walkable_grid import GridMap, GridWorld, WalkGrid
from ..plan_checker import plan_game


def game_grids(name: str, settings: dict[str, Any] | None = None) -> Sequence[WalkGrid]:
    """The cells of all places of a game, or of where it begins if it knows no others.

    Raises:
        GameError: there is no such game, it has no map of cells, or no cell is free.
    """
    with open_game(name, **(settings or {})) as game:
        if isinstance(game, GridWorld):
            grids = game.walk_grids()
        else:
            ground = plan_game(game).plan_map()
            if not isinstance(ground, GridMap):
                raise GameError(f"{name} has no map of cells, which a policy needs")
            grids = [ground.grid()]
    if not any(grid.free.any() for grid in grids):
        raise GameError(f"{name} has no free cell: a policy has nowhere to walk in it")
    return grids
