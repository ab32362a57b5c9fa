"""Scripts of scripted people: what they may say, and what is told of what they may not."""

import pytest

from playhead.errors import GameError
from playhead.games.arena.adventure.adventure_game import LEVELS
from playhead.games.arena.adventure.scripted.player_script_loader import (
    load_script,
    parse_script,
    script_path,
)
from playhead.games.arena.adventure.world.level_loader import level_path, load_level
from playhead.games.arena.adventure.world.story_progress import StoryProgress


@pytest.fixture(scope="module")
def village():
    return load_level(level_path("village"))


def script(steps, area="village", level="village"):
    return f"level: {level}\nparts:\n  - in: {area}\n    steps:\n" + "".join(
        f"      - {step}\n" for step in steps
    )


@pytest.mark.parametrize("name", LEVELS)
def test_every_adventure_comes_with_a_script(name):
    level = load_level(level_path(name))
    steps = load_script(script_path(name), level).steps
    assert len(steps) > 5
    assert {script_step.area for script_step in steps} == set(level.areas)


def test_a_step_says_what_is_done_where_and_how(village):
    text = script(
        [
            "{talk: elder, answer: [I will, yes]}",
            "{jump: [0, 13.5], from: [0, 10], run-up: 2, run: true}",
            "{buy: lamp}",
        ]
    )
    talk, jump, buy = parse_script(text, village).steps
    assert (talk.verb, talk.what, talk.answers) == ("talk", "elder", ("I will", "yes"))
    assert (jump.start, jump.at, jump.run_up, jump.run) == ((0, 10), (0, 13.5), 2.0, True)
    assert (buy.verb, buy.what, buy.area) == ("buy", "lamp", "village")


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (["{talk: nobody}"], r"s\.yaml:5: talk 'nobody'.*elder"),
        (["{talk: elder}", "{take: moon}"], r"s\.yaml:6: take 'moon'.*apple"),
        (["{use: elder}"], r"s\.yaml:5: use 'elder'"),
        (["{fight: dragon}"], r"s\.yaml:5: fight 'dragon'.*goblin"),
        (["{buy: castle}"], r"s\.yaml:5: buy 'castle'.*lamp"),
        (["{dance: 3}"], r"s\.yaml:5: a step has no 'dance'"),
        (["{talk: elder, take: apple}"], r"s\.yaml:5: a step does one thing"),
        (["{run: true}"], r"s\.yaml:5: a step does one thing"),
        (["{jump: [0, 3]}"], r"s\.yaml:5: jump needs `from`"),
        (["{walk: here}"], r"s\.yaml:5: walk must be two numbers"),
        (["walk"], r"s\.yaml:5: a step must be a mapping"),
    ],
)
def test_what_makes_no_sense_is_reported_with_its_line(village, steps, says):
    with pytest.raises(GameError, match=says):
        parse_script(script(steps), village, "s.yaml")


def test_a_script_is_for_one_level_and_its_areas(village):
    with pytest.raises(GameError, match=r"s\.yaml:1: it is for level 'dungeon'"):
        parse_script(script([], level="dungeon"), village, "s.yaml")
    with pytest.raises(GameError, match=r"s\.yaml:3: there is no area 'moon'"):
        parse_script(script([], area="moon"), village, "s.yaml")
    with pytest.raises(GameError, match="it is empty|is empty"):
        parse_script("", village)


def story_of(*, flags=(), items=(), taken=()):
    story = StoryProgress()
    story.flags.update(flags)
    story.items.update(dict.fromkeys(items, 1))
    story.taken.update(taken)
    return story


@pytest.mark.parametrize(
    ("area", "story", "following"),
    [
        ("village", story_of(), ("take", "coin by the road")),
        ("village", story_of(flags=["word known"]), ("talk", "elder")),
        # What leaves no trace, the smith's advice, is asked for again only where it comes next.
        ("village", story_of(flags=["asked"], taken=["village/coin on the crate"]),
         ("talk", "smith")),
        ("village", story_of(flags=["asked"], items=["lamp"]), ("talk", "guard")),
        ("village", story_of(flags=["gate open"], items=["lamp"]), ("walk", "")),
        ("forest", story_of(flags=["gate open"], taken=["village/apple"]), ("talk", "traveller")),
        ("forest", story_of(flags=["traveller helped"]), ("walk", "")),
        ("forest", story_of(flags=["boulder broken"]), ("shoot", "raven")),
        ("hollow", story_of(taken=["forest/silver key"]), ("fight", "troll")),
        ("hollow", story_of(flags=["troll beaten"]), ("use", "flame")),
        # Whoever stands in the forest without the lamp has still to buy it.
        ("forest", story_of(flags=["word known"], taken=["village/coin at the shop"]),
         ("talk", "shopkeeper")),
    ],
)  # fmt: skip
def test_where_a_saved_game_goes_on_in_the_script_is_found_by_its_story(
    village, area, story, following
):
    played = load_script(script_path("village"), village)
    script_step = played.steps[played.reached(village, story, area)]
    assert (script_step.verb, script_step.what) == following


def test_at_the_end_of_the_story_nothing_is_left_to_do(village):
    played = load_script(script_path("village"), village)
    story = story_of(flags=["troll beaten", "flame lit"])
    assert played.reached(village, story, "hollow") == len(played.steps)
