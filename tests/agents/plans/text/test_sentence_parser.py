"""Sentences as testers write them: what they say, and what is reported instead of guessed."""

import pytest

from playhead.agents.plans.text.sentence_parser import SentenceParser
from playhead.agents.plans.text.step_details import Details
from playhead.agents.plans.text.words.game_vocabulary_matcher import GameWords

ACTIONS = {"interact": False, "attack": False, "take": False, "talk": False, "jump": True}
ALLOWED = {
    "switch": ("interact",), "shrine": ("interact",), "enemy": ("attack",), "item": ("take",),
    "sign": ("talk",), "pit": ("jump",), "door": (),
}  # fmt: skip
NAMES = {"coin by the door": "item", "apple": "item", "skeleton": "enemy", "lava pit": "pit"}


@pytest.fixture(scope="module")
def reader() -> SentenceParser:
    return SentenceParser(GameWords(ACTIONS, ALLOWED, NAMES, ALLOWED), ("health", "coins"))


def reading_of(reader: SentenceParser, sentence: str) -> str:
    return "; ".join(
        " ".join((one.kind, one.action or "-", NAMES.get(one.actor or "", one.actor or "-")))
        for one in reader.read(sentence)
    )


@pytest.mark.parametrize(
    ("sentence", "meant"),
    [
        ("Walk over to the switch next to the door and toggle it.", "node interact switch"),
        ("okay so first of all you wanna head over to that switch and give it a pull",
         "node interact switch"),
        ("Make your way over the pit by jumping.", "node jump pit"),
        ("Use the switch to open the door.", "node interact switch"),
        ("Press E to jump over the pit.", "node jump pit"),
        ("Take the coin by the door and then the apple.", "node take item; node take item"),
        ("After activating the switch, go through the door.", "node interact switch; node - door"),
        ("Before touching the shrine, take the apple.", "node take item; node interact shrine"),
        ("switch on, then lava jump", "node interact switch; node jump pit"),
        ("go to the switch press it jump over the lava", "node interact switch; node jump pit"),
        ("Don't forget to grab the apple.", "node take item"),
        ("Check out the sign, it's not that far.", "node talk sign"),
        ("Pull the lever and, once the door has opened, walk through it.",
         "node interact switch; node - door"),
        ("Vault across the pool of lava.", "node jump pit"),
        ("Go from the door to the shrine.", "node - shrine"),
        ("Make sure the apple is picked up.", "node take item"),
    ],
)  # fmt: skip
def test_steps_are_read_however_they_are_put(
    reader: SentenceParser, sentence: str, meant: str
) -> None:
    assert reading_of(reader, sentence) == meant


@pytest.mark.parametrize(
    ("sentence", "meant"),
    [
        ("whenever you see a skeleton attack it", "rule attack enemy"),
        ("any item you find pick it up", "rule take item"),
        ("every time a skeleton appears you have to kill it", "rule attack enemy"),
        ("Coins that are found along the way should be picked up.", "rule take item"),
        ("enemies: attack all", "rule attack enemy"),
        ("Upon seeing a skeleton, kill it.", "rule attack enemy"),
        ("Fight back if attacked by a skeleton.", "rule attack enemy"),
        ("Always attack the nearest enemy.", "rule attack enemy"),
        ("If you see any coins pick them up.", "rule take item"),
        ("Attack the enemy if you like.", "node attack enemy"),
    ],
)
def test_rules_are_distinguished_from_steps(
    reader: SentenceParser, sentence: str, meant: str
) -> None:
    assert reading_of(reader, sentence) == meant


@pytest.mark.parametrize(
    "sentence",
    [
        "Never jump over the lava.", "Stay away from the skeleton.", "Is the door open?",
        "Verify that the door is open.", "Check if the shrine can be used.", "Put down the apple.",
        "Give the apple to the skeleton.", "Throw the coin into the lava.", "The level looks good.",
        "Take a screenshot of the shrine.", "Attack the castle.", "door", "Attack!",
        "Sell the apple to the merchant.", "Expected result: the shrine glows.",
        "Attack everything but the skeleton.", "Press the jump button.", "Swim through the lava.",
        "Pull the switch while the skeleton is attacking.", "Take the first coin.",
        "Jump into the lava.", "Take the red coin.", "Take the coin on the left.",
        "Hold the switch for five seconds.", "Pull both switches.", "Take a few coins.",
        "Fly over the lava.", "Reach the shrine with full health.", "Hand over the apple.",
        "Wait at the door until the skeleton comes.", "Attack the skeleton from behind.",
    ],
)  # fmt: skip
def test_what_is_no_step_of_the_game_is_not_guessed(
    reader: SentenceParser, sentence: str
) -> None:  # fmt: skip
    (one,) = reader.read(sentence)
    assert one.kind == "unknown"
    assert one.problem


def test_what_or_leaves_open_is_not_guessed(reader: SentenceParser) -> None:
    *_, last = reader.read("Either jump over the lava or go back to the switch.")
    assert last.problem == "'or' leaves open what to do: write one of them"


def test_each_of_several_actors_of_a_type_is_read_or_reported() -> None:
    doors = {"door 1": "door", "door 2": "door", "oak door": "door"}
    open_them = {"door": ("open",)}
    words = SentenceParser(GameWords({"open": False}, open_them, doors, open_them))
    steps = words.read("Open door 2, then door 1.")
    assert [one.actor for one in steps] == ["door 2", "door 1"]
    (one,) = words.read("Open doors 2 and 1.")
    assert one.problem == "the number '2' was not understood"


def test_a_word_that_means_two_actions_is_reported() -> None:
    words = SentenceParser(GameWords({"fire": True, "shoot": False}, ("barrel",)))
    (one,) = words.read("Fire at the barrel.")
    assert one.problem == "'fire at' may mean fire or shoot: say which"
    words = SentenceParser(GameWords({"interact": False, "talk": False}, ("sign",)))
    (one,) = words.read("Read the sign.")
    assert one.problem == "'read' may mean interact or talk: say which"


def test_a_misspelt_word_is_the_one_that_fits_where_it_stands(reader: SentenceParser) -> None:
    assert reading_of(reader, "raed teh sing") == "node talk sign"
    assert reading_of(reader, "pull teh leaver") == "node interact switch"
    assert reading_of(reader, "Acitvate the swtich adn jmup ovr the lav pit") == (
        "node interact switch; node jump pit"
    )


def test_an_action_that_fits_the_actor_is_meant_by_a_verb_of_several_meanings(
    reader: SentenceParser,
) -> None:
    assert reading_of(reader, "Wreck the skeleton.") == "node attack enemy"
    assert reading_of(reader, "Hit the switch.") == "node interact switch"
    assert reading_of(reader, "Read the sign.") == "node talk sign"


def test_a_time_limit_belongs_to_the_step_that_it_stands_beside(reader: SentenceParser) -> None:
    first, second = reader.read("Pull the switch and use the shrine within 30 seconds.")
    assert (first.details, second.details.time_limit) == (Details(), 30.0)
    first, second = reader.read("Pull the switch in under 10 seconds, then run to the shrine.")
    assert (first.details.time_limit, second.details.time_limit) == (10.0, None)
    first, second = reader.read("Take the apple, then go within 2 m of the shrine.")
    assert (first.details.tolerance, second.details.tolerance) == (None, 2.0)
