"""The scripted person: plays adventures to their end, by the pad alone."""

import math
from functools import cache

import pytest

from playhead.games.arena.adventure.adventure import Quest
from playhead.games.arena.adventure.game import QuestGame
from playhead.games.arena.adventure.scripted.player_script import (
    PlayerScript,
    load_script,
    parse_script,
    script_path,
)
from playhead.games.arena.adventure.scripted.scripted_player import ScriptedPlayer
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.playback.pad import NEUTRAL, Button

LONGEST = {"dungeon": 60 * 120, "village": 60 * 300}
"""Steps in which anybody is done."""


def quest_of(name, seed, person_seed=None):
    level = load_level(level_path(name))
    person = ScriptedPlayer(
        load_script(script_path(name), level), seed if person_seed is None else person_seed
    )
    return Quest(level, seed, person=person)


def played(quest, most=None):
    """Play on to the end; every pad that was held."""
    pads = []
    for _ in range(most or LONGEST[quest.level.name]):
        quest.step()
        pads.append(quest.hero.pad)
        if quest.finished:
            break
    return pads


@cache
def village(seed):
    """A village that was played to its end, and every pad: for tests that only look at it."""
    quest = quest_of("village", seed)
    return quest, played(quest)


@pytest.mark.parametrize("seed", range(4))
def test_it_plays_the_dungeon_to_its_end(seed):
    quest = quest_of("dungeon", seed)
    played(quest)
    assert quest.finished
    assert quest.coins == 3
    assert {"door unlocked", "shrine lit"} <= quest.story.flags


@pytest.mark.parametrize("seed", range(2))
def test_it_plays_the_village_through_talk_shop_boulder_shot_and_boss(seed):
    quest, _ = village(seed)
    assert quest.finished
    assert quest.story.flags >= {
        "asked", "word known", "gate open", "traveller helped", "boulder broken", "raven shot",
        "troll beaten", "flame lit",
    }  # fmt: skip
    assert {"lamp", "silver key"} <= set(quest.story.items)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", LONGEST)
def test_it_finishes_at_least_ninety_five_of_a_hundred(name):
    done = 0
    for seed in range(100):
        quest = quest_of(name, seed)
        played(quest)
        done += quest.finished
    assert done >= 95


def test_it_plays_while_nobody_holds_the_pad_and_not_while_somebody_does():
    with QuestGame("dungeon", seed=2) as game:
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


@pytest.mark.parametrize("seed", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_the_pads_alone_lead_to_the_same_end(seed):
    mine, pads = village(seed)
    other = Quest(mine.level, seed)
    for pad in pads:
        other.step(pad)
    assert other.finished
    other.person = mine.person
    assert other.state_hash() == mine.state_hash()


def test_one_seed_plays_alike_and_another_does_not():
    first, second, third = (quest_of("dungeon", 4, seed) for seed in (1, 1, 2))
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


def test_it_closes_windows_that_come_up_by_themselves():
    quest = quest_of("village", 3)
    seen = 0
    for _ in range(LONGEST["village"]):
        before = quest.screen
        quest.step()
        seen += before != "popup" and quest.screen == "popup"
        if quest.finished:
            break
    assert quest.finished
    assert seen >= 1


def test_it_goes_on_from_the_saved_game_when_it_has_died():
    quest = quest_of("village", 1)
    while quest.place.area.name != "forest":
        quest.step()
    while quest.person.at < 14 or quest.mode != "play":
        quest.step()
    quest.hero.hp = 0.0
    for _ in range(400):
        quest.step()
    assert not quest.hero.dead
    assert quest.person.at < 14
    assert quest.place.area.name == "forest"
    played(quest)
    assert quest.finished


def test_it_begins_anew_when_it_has_died_and_nothing_was_saved():
    quest = quest_of("dungeon", 1)
    for _ in range(900):
        quest.step()
    assert quest.person.at > 1
    quest.hero.hp = 0.0
    played(quest)
    assert quest.finished


def test_it_comes_back_when_it_was_led_into_another_area():
    quest = quest_of("village", 2)
    while quest.place.area.name != "forest":
        quest.step()
    quest._enter("village", (0.0, 19.8), 0.0)
    played(quest)
    assert quest.finished


def test_where_no_way_leads_it_does_again_what_led_there():
    level = load_level(level_path("dungeon"))
    text = (
        "level: dungeon\nparts: [{in: dungeon, steps: [{walk: [-17, -6]}, {use: switch},"
        " {walk: [5, 0]}]}]"
    )
    quest = Quest(level, 1, person=ScriptedPlayer(parse_script(text, level), 1))
    while quest.person.at < 2:
        quest.step()
    quest.story.toggle("door unlocked")
    for _ in range(300):
        quest.step()
    # The switch is on no more: it walks back and uses it again.
    assert quest.person.at < 2 or "door unlocked" in quest.story.flags


def test_with_nothing_to_do_it_stands_there():
    level = load_level(level_path("dungeon"))
    quest = Quest(level, 1, person=ScriptedPlayer(PlayerScript("dungeon", ()), 1))
    for _ in range(200):
        quest.step()
    assert quest.hero.at == level.start.at
    assert quest.person.errand is None
