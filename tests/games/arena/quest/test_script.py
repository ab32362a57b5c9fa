"""Scripts of scripted people: what they may say, and what is told of what they may not."""

import pytest

from playhead.errors import GameError
from playhead.games.arena.quest.game import LEVELS
from playhead.games.arena.quest.reading import level_path, load_level
from playhead.games.arena.quest.script import load_script, parse_script, script_path


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
    errands = load_script(script_path(name), level).errands
    assert len(errands) > 5
    assert {errand.area for errand in errands} == set(level.areas)


def test_a_step_says_what_is_done_where_and_how(village):
    text = script(
        [
            "{talk: elder, answer: [I will, yes]}",
            "{jump: [0, 13.5], from: [0, 10], run-up: 2, run: true}",
            "{buy: lamp}",
        ]
    )
    talk, jump, buy = parse_script(text, village).errands
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
def test_what_makes_no_sense_is_told_with_its_line(village, steps, says):
    with pytest.raises(GameError, match=says):
        parse_script(script(steps), village, "s.yaml")


def test_a_script_is_for_one_level_and_its_areas(village):
    with pytest.raises(GameError, match=r"s\.yaml:1: it is for level 'dungeon'"):
        parse_script(script([], level="dungeon"), village, "s.yaml")
    with pytest.raises(GameError, match=r"s\.yaml:3: there is no area 'moon'"):
        parse_script(script([], area="moon"), village, "s.yaml")
    with pytest.raises(GameError, match="it is empty|is empty"):
        parse_script("", village)
