"""A game around another one has all its members, for `isinstance` too."""

import pytest

from playhead.games.delegating_game import DelegatingGame
from playhead.games.game_catalog import open_game
from playhead.games.game_interface import Game
from playhead.games.plan_game_interface import PlanGame
from playhead.games.playable_interface import DebugFunctions, DemoColumns, Playable, Saves


class Watched(DelegatingGame):
    """Counts the steps."""

    def __init__(self, game: Game) -> None:
        self.steps = 0
        self.agent = "mine"

    def step(self) -> None:
        self.steps += 1
        self._game.step()


@pytest.mark.parametrize("name", ["arena:dungeon", "arena:yard"])
def test_it_is_all_that_the_game_inside_is(name):
    with open_game(name, seed=1) as game:
        watched = Watched(game)
        for protocol in (Playable, Saves, DemoColumns, DebugFunctions, PlanGame):
            assert isinstance(watched, protocol) == isinstance(game, protocol), protocol


def test_its_own_members_come_first_and_the_rest_is_the_games():
    with open_game("arena:dungeon", seed=1) as game:
        game.agent = "the game's"
        watched = Watched(game)
        watched.step()
        assert (watched.steps, watched.agent) == (1, "mine")
        assert watched.dt == game.dt
        assert watched.world is game.world
        with pytest.raises(AttributeError, match="no_such_member"):
            _ = watched.no_such_member


def test_what_the_game_gets_later_is_there_too():
    with open_game("arena:dungeon", seed=1) as game:
        watched = Watched(game)
        game.later = 5
        assert watched.later == 5
