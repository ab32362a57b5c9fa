"""The dungeon: a locked door and its switch, lava to be jumped over, a shrine that ends it."""

import pytest

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.scripted.pathfinding import WalkableArea
from playhead.games.game_catalog import open_game
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

DOOR_SIDE, LAVA_SIDE, SHRINE_SIDE = (-7.0, 0.0), (5.0, 0.0), (13.0, 0.0)


@pytest.fixture
def game():
    game = AdventureGame("dungeon", seed=1)
    game.hold(NEUTRAL)
    return game


def put(game, at):
    """Set the player down somewhere, with nobody around."""
    adventure = game.adventure
    for enemy in list(adventure.area_state.all_enemies):
        adventure.area_state.remove(enemy)
        del adventure.entities[enemy.id]
    adventure.player.stand(at, adventure.area_state.terrain)


def held(game, steps, **pad):
    game.hold(Pad(**pad))
    for _ in range(steps):
        game.step()


def way(game, start, goal):
    return WalkableArea(game.adventure.area_state).route(start, 0.0, goal, 0.5, 0.0, 0.5)


def test_it_is_run_by_its_name():
    with open_game("arena:dungeon", seed=3) as game:
        game.step()
        assert game.observe().level == "dungeon"
        assert game.about["seed"] == 3


def test_the_door_is_locked_until_the_switch_is_used(game):
    put(game, DOOR_SIDE)
    held(game, 120, left=(1.0, 0.0))
    assert game.adventure.player.x < -5.5
    put(game, (-18.5, 6.0))
    held(game, 30, left=(0.0, -0.2))
    held(game, 3, held=int(Button.Y))
    put(game, DOOR_SIDE)
    held(game, 120, left=(1.0, 0.0))
    assert game.adventure.player.x > -4.5


def test_no_way_leads_to_the_switch_through_its_wall_or_through_the_door(game):
    adventure = game.adventure
    start = adventure.level.start.at
    assert way(game, start, (-18.5, 6.0)) is not None
    assert way(game, start, LAVA_SIDE) is None
    adventure.story.set("door unlocked")
    adventure.area_state.apply_story(adventure.story)
    assert way(game, start, LAVA_SIDE) is not None
    assert way(game, LAVA_SIDE, SHRINE_SIDE) is None


def test_whoever_walks_into_the_lava_is_dead_and_does_not_finish(game):
    put(game, LAVA_SIDE)
    held(game, 120, left=(1.0, 0.0))
    seen = game.observe()
    assert seen.dead
    assert not seen.finished
    assert seen.position[2] < -2.0
    held(game, 300, left=(1.0, 0.0))
    assert game.observe().dead


def jumped(game, buttons):
    """Go at the lava with these buttons held, and jump at its edge; the player where that ends."""
    put(game, LAVA_SIDE)
    player = game.adventure.player
    while player.x < 7.5:
        held(game, 1, left=(1.0, 0.0), held=int(buttons))
    held(game, 2, left=(1.0, 0.0), held=int(buttons | Button.B))
    while not player.grounded:
        held(game, 1, left=(1.0, 0.0), held=int(buttons))
    return player


def test_a_jump_at_a_walk_falls_short_of_the_far_side(game):
    assert jumped(game, Button(0)).dead


def test_a_jump_at_a_run_gets_over(game):
    player = jumped(game, Button.RB)
    assert not player.dead
    assert player.x > 11.2


def test_the_shrine_ends_it(game):
    put(game, (18.0, 0.0))
    held(game, 30, left=(0.2, 0.0))
    assert not game.observe().finished
    held(game, 3, held=int(Button.Y))
    assert game.observe().finished


def test_a_sign_tells_what_to_do(game):
    put(game, (-15.5, -6.3))
    held(game, 40, left=(0.0, -0.2))
    held(game, 3, held=int(Button.A))
    assert game.observe().event == "NOTICE"
    assert game.observe().message


def test_an_enemy_walks_about_behind_the_door(game):
    positions = set()
    for _ in range(900):
        game.step()
        (enemy,) = game.observe().enemies
        x, y, _ = enemy.position
        assert -4.5 < x < 7.8
        positions.add((round(x), round(y)))
    assert enemy.label == "skeleton"
    assert len(positions) > 2
