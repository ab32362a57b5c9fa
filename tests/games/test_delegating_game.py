"""A game around another one has all its members, for `isinstance` too."""

import inspect

import pytest

import playhead as ph
from playhead.games.delegating_game import DelegatingGame
from playhead.games.game_catalog import open_game
from playhead.games.game_interface import Game
from playhead.games.plan_game_interface import PlanGame
from playhead.games.playable_as_game import HostedGame
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


def test_a_game_of_ones_own_has_the_plans_side_and_nothing_else_of_it():
    class Own(ph.PlayableGame):
        plan_types = {"door": ["open"]}
        secret = 5

        def objects(self):
            return []

        def observe(self):
            return ph.Observation()

        def step(self, pad):
            pass

    hosted = HostedGame(Own())
    assert isinstance(hosted, Playable)
    assert inspect.getattr_static(hosted, "plan_types", None) is not None
    assert hosted.plan_types == {"door": ["open"]}
    with pytest.raises(AttributeError, match="secret"):
        _ = hosted.secret
