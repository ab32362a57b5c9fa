"""A sentence is taken for a step only if all of its words are: else it is said which are not."""

import pytest

from playhead.agents.plans.text.sentence_parser import SentenceParser
from playhead.agents.plans.text.words.game_vocabulary_matcher import GameWords

ALLOWED = {
    "switch": ("interact",), "shrine": ("interact",), "enemy": ("attack",), "item": ("take",),
    "pit": ("jump",), "person": ("talk",), "door": (),
}  # fmt: skip
NAMES = {
    "coin by the door": "item", "coin in the cell": "item", "apple": "item", "skeleton": "enemy",
    "lava pit": "pit", "smith": "person",
}  # fmt: skip
ACTIONS = {"interact": False, "attack": False, "take": False, "talk": False, "jump": True}


@pytest.fixture(scope="module")
def reader() -> SentenceParser:
    return SentenceParser(GameWords(ACTIONS, ALLOWED, NAMES, ALLOWED), ("health",))


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Use the shrine and the fountain.", "'fountain'"),
        ("Jump over the spikes.", "'spikes'"),
        ("Pull the lever with a screwdriver.", "'screwdriver'"),
        ("Talk to the wizard.", "'wizard'"),
        ("If an enemy laughs, attack it.", "'laughs'"),
        ("Pull the lever unless an enemy is near.", "'unless'"),
        ("Pull the lever three times.", "'three times'"),
        ("Pull the third lever.", "'third lever'"),
        ("Take two apples.", "'two apples'"),
        ("Take the apple or the coin by the door.", "'or'"),
        ("Go to the shrine without taking damage.", "'without taking'"),
        ("Attack the skeleton while jumping.", "'while jumping'"),
        ("Get hit by the skeleton.", "done to the player"),
        ("Press escape.", "which key"),
        ("Walk around the lava pit.", "'around lava pit'"),
        ("If the door is locked, use the switch.", "how near an actor is"),
        ("If no enemy is near, go to the shrine.", "how near an actor is"),
        ("If you have the apple, go to the shrine.", "how near an actor is"),
        ("Take the coin near the shrine.", "which 'coin'"),
        ("Can you reach the shrine?", "asks something"),
        ("Flip the lever in the first room.", "'first'"),
        ("Flip the lever twelve.", "'twelve'"),
        ("Flip the lever in the kitchen.", "'kitchen'"),
        ("Flip the lever to the left of the door.", "'left'"),
        ("Flip the biggest lever.", "'biggest'"),
        ("Flip the lever repeatedly.", "'repeatedly'"),
        ("Flip the lever at noon.", "'noon'"),
        ("Flip the lever (twice).", "'(twice)'"),
        ("Flip the lever, it is the second one.", "'second'"),
        ("Flip the lever before the skeleton arrives.", "'before the skeleton arrives'"),
        ("Flip the lever while it rains.", "'while it rains'"),
        ("Go to the shrine to fetch the princess.", "princess"),
        ("Go 5 metres past the shrine.", "'5'"),
        ("If an enemy is at the shrine, attack it.", "'shrine'"),
        ("If two enemies are near, attack them.", "'two'"),
        ("If a big enemy is near, attack it.", "'big'"),
        ("If health is 50, use the shrine.", "above or below"),
        ("If an enemy is more than 5 metres away, attack it.", "about what is near"),
        ("If an enemy is within 20 feet, attack it.", "'feet'"),
        ("If it rains, go to the shrine.", "'rains'"),
    ],
)
def test_what_was_left_out_is_named(reader: SentenceParser, sentence: str, named: str) -> None:
    problems = [one.problem for one in reader.read(sentence)]
    assert any(named in problem for problem in problems), problems


@pytest.mark.parametrize(
    "sentence",
    [
        "Carefully walk along the corridor to the shrine.",
        "Use the rusty switch on the wall beside the door to get to the shrine.",
        "Use the shrine (press E).",
        "Jump over the lava pit, it's not that wide.",
        "Attack any enemy that blocks your path.",
        "Once the door has opened, walk through it.",
        "Attack the skeleton with your sword until it is dead.",
        "Take the coin from the cell.",
        "Press E to talk to the smith.",
    ],
)
def test_what_changes_nothing_is_passed_over(reader: SentenceParser, sentence: str) -> None:
    assert all(not one.problem for one in reader.read(sentence))


def test_of_what_is_called_the_same_the_one_is_meant_whose_place_is_given(
    reader: SentenceParser,
) -> None:
    (one,) = reader.read("Take the coin from the cell.")
    assert one.actor == "coin in the cell"
