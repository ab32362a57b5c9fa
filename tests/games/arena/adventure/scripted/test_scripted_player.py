"""The scripted person: plays adventures to their end, by the pad alone."""

import math
from functools import cache

import pytest

from playhead.games.arena.adventure.adventure import Adventure
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.arena.adventure.scripted.player_script_loader import (
    PlayerScript,
    load_script,
    parse_script,
    script_path,
)
from playhead.games.arena.adventure.scripted.scripted_player import AdventureScriptedPlayer
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.playback.pads.pad import NEUTRAL, Button

LONGEST = {"dungeon": 60 * 120, "village": 60 * 300}
"""Steps in which anybody is done."""


def adventure_of(name, seed, person_seed=None):
    level = load_level(level_path(name))
    scripted_player = AdventureScriptedPlayer(
        load_script(script_path(name), level), seed if person_seed is None else person_seed
    )
    return Adventure(level, seed, scripted_player=scripted_player)


def played(adventure, most=None):
    """Play on to the end; every pad that was held."""
    pads = []
    for _ in range(most or LONGEST[adventure.level.name]):
        adventure.step()
        pads.append(adventure.player.pad)
        if adventure.finished:
            break
    return pads


@cache
def village(seed):
    """A village that was played to its end, and every pad: for tests that only look at it."""
    adventure = adventure_of("village", seed)
    return adventure, played(adventure)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))]
)
def test_it_plays_the_dungeon_to_its_end(seed):
    adventure = adventure_of("dungeon", seed)
    played(adventure)
    assert adventure.finished
    assert adventure.coins == 3
    assert {"door unlocked", "shrine lit"} <= adventure.story.flags


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_it_plays_the_village_through_talk_shop_boulder_shot_and_boss(seed):
    adventure, _ = village(seed)
    assert adventure.finished
    assert adventure.story.flags >= {
        "asked", "word known", "gate open", "traveller helped", "boulder broken", "raven shot",
        "troll beaten", "flame lit",
    }  # fmt: skip
    assert {"lamp", "silver key"} <= set(adventure.story.items)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONGEST)
def test_it_finishes_at_least_nine_of_ten(name):
    done = 0
    for seed in range(10):
        adventure = adventure_of(name, seed)
        played(adventure)
        done += adventure.finished
    assert done >= 9


def test_it_plays_while_nobody_holds_the_pad_and_not_while_somebody_does():
    with AdventureGame("dungeon", seed=2) as game:
        start = game.observe().position
        for _ in range(300):
            game.step()
        moved = math.dist(start, game.observe().position)
        assert moved > 1.0
        game.hold(NEUTRAL)
        for _ in range(60):
            game.step()
        there = game.observe().position
        for _ in range(120):
            game.step()
        assert game.observe().position == there


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 5])
def test_the_pads_alone_lead_to_the_same_end(seed):
    mine, pads = village(seed)
    other = Adventure(mine.level, seed)
    for pad in pads:
        other.step(pad)
    assert other.finished
    other.scripted_player = mine.scripted_player
    assert other.state_hash() == mine.state_hash()


@pytest.mark.slow
def test_one_seed_plays_alike_and_another_does_not():
    first, second, third = (adventure_of("dungeon", 4, seed) for seed in (1, 1, 2))
    pads = played(first, 1500)
    assert pads == played(second, 1500)
    assert first.state_hash() == second.state_hash()
    assert pads != played(third, 1500)
    assert first.state_hash() != third.state_hash()


def test_it_holds_the_pad_as_people_do():
    _, pads = village(1)
    still = [pad.left == (0.0, 0.0) and pad.held == 0 for pad in pads]
    pushed = [math.hypot(*pad.left) for pad in pads if pad.left != (0.0, 0.0)]
    assert 0.1 < sum(still) / len(pads) < 0.6
    assert sum(size > 0.999 for size in pushed) < 0.1 * len(pushed)
    assert len({round(size, 3) for size in pushed}) > 50
    for button in (Button.A, Button.B, Button.X, Button.Y, Button.UP, Button.START):
        assert any(pad.holds(button) for pad in pads), button
    assert any(pad.left_trigger > 0.5 for pad in pads)
    assert any(pad.right != (0.0, 0.0) for pad in pads)


@pytest.mark.slow
def test_it_closes_windows_that_come_up_by_themselves():
    adventure = adventure_of("village", 3)
    seen = 0
    for _ in range(LONGEST["village"]):
        before = adventure.screen
        adventure.step()
        seen += before != "popup" and adventure.screen == "popup"
        if adventure.finished:
            break
    assert adventure.finished
    assert seen >= 1


@pytest.mark.slow
def test_it_goes_on_from_the_saved_game_when_it_has_died():
    adventure = adventure_of("village", 1)
    while adventure.area_state.area.name != "forest":
        adventure.step()
    while adventure.scripted_player.at < 14 or adventure.mode != "play":
        adventure.step()
    adventure.player.hp = 0.0
    for _ in range(400):
        adventure.step()
    assert not adventure.player.dead
    assert adventure.scripted_player.at < 14
    assert adventure.area_state.area.name == "forest"
    played(adventure)
    assert adventure.finished


def test_it_begins_anew_when_it_has_died_and_nothing_was_saved():
    adventure = adventure_of("dungeon", 1)
    for _ in range(900):
        adventure.step()
    assert adventure.scripted_player.at > 1
    adventure.player.hp = 0.0
    played(adventure)
    assert adventure.finished


@pytest.mark.slow
def test_it_comes_back_when_it_was_led_into_another_area():
    adventure = adventure_of("village", 2)
    while adventure.area_state.area.name != "forest":
        adventure.step()
    adventure._enter("village", (0.0, 19.8), 0.0)
    played(adventure)
    assert adventure.finished


def test_where_no_way_leads_it_does_again_what_led_there():
    level = load_level(level_path("dungeon"))
    text = (
        "level: dungeon\nparts: [{in: dungeon, steps: [{walk: [-17, -6]}, {use: switch},"
        " {walk: [5, 0]}]}]"
    )
    adventure = Adventure(
        level, 1, scripted_player=AdventureScriptedPlayer(parse_script(text, level), 1)
    )
    while adventure.scripted_player.at < 2:
        adventure.step()
    adventure.story.toggle("door unlocked")
    for _ in range(300):
        adventure.step()
    # The switch is on no more: it walks back and uses it again.
    assert adventure.scripted_player.at < 2 or "door unlocked" in adventure.story.flags


def test_with_nothing_to_do_it_stands_there():
    level = load_level(level_path("dungeon"))
    adventure = Adventure(
        level, 1, scripted_player=AdventureScriptedPlayer(PlayerScript("dungeon", ()), 1)
    )
    for _ in range(200):
        adventure.step()
    assert adventure.player.at == level.start.at
    assert adventure.scripted_player.script_step is None
