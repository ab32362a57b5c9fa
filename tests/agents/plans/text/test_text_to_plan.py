"""Steps that a tester wrote become nodes and rules; what is not understood is reported."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playhead.agents.plans.plan import Node, Precondition, Rule
from playhead.agents.plans.text.text_to_plan import (
    MOST_LINES,
    ReadSentence,
    TextToPlan,
    read_steps,
)
from playhead.errors import PlanError
from playhead.games.plan_game_interface import Action, PlanGame
from playhead.games.plan_target_actor import Actor

SWITCH = Actor(1, "switch", "switch", (5.0, 0.0, 0.0), ("interact",))
PIT = Actor(2, "lava_pit", "lava pit", (9.0, 0.0, 0.0), ("jump",))
SHRINE = Actor(3, "shrine", "shrine", (12.0, 0.0, 0.0), ("interact",))
FAR_ORC = Actor(4, "enemy", "orc captain", (40.0, 0.0, 0.0), ("attack",))
NEAR_ORC = Actor(5, "enemy", "orc scout", (3.0, 0.0, 0.0), ("attack",))
COIN = Actor(6, "item", "coin", (2.0, 1.0, 0.0), ("take",))


def game(*actors: Actor, **others: Any) -> PlanGame:
    actions = (
        Action("interact", 1.4), Action("attack", 1.4), Action("take", 0.6),
        Action("jump", 1.0, somewhere=True),
    )  # fmt: skip
    facts = {
        "name": "level", "plan_actions": {action.name: action for action in actions},
        "plan_types": dict.fromkeys(("switch", "lava_pit", "shrine", "enemy", "item", "door"), ()),
        "plan_values": frozenset(("health",)), "plan_actors": lambda: list(actors),
        "plan_names": lambda: {actor.name: actor.type for actor in actors},
        "observe": lambda: SimpleNamespace(position=(0.0, 0.0, 0.0)),
    }  # fmt: skip
    return cast(PlanGame, SimpleNamespace(**(facts | others)))


@pytest.fixture
def steps() -> TextToPlan:
    return TextToPlan(game(SWITCH, PIT, SHRINE, FAR_ORC, NEAR_ORC, COIN))


def only(found: list[ReadSentence]) -> ReadSentence:
    assert len(found) == 1
    return found[0]


def test_the_sample_text_is_three_nodes(steps: TextToPlan) -> None:
    text = "Activate the switch.\nJump over the ledge.\nInteract with the shrine.\n"
    plan = steps.plan(steps.read(text)).plan
    assert plan.nodes == (
        Node("switch", action="interact"), Node("lava pit", action="jump"),
        Node("shrine", action="interact"),
    )  # fmt: skip
    assert plan.rules == ()


def test_a_sentence_with_any_is_a_rule_about_whoever_is_near(steps: TextToPlan) -> None:
    plan = steps.plan(steps.read("Attack any enemy.\nGo to the shrine.")).plan
    assert plan.rules == (Rule((Precondition(actor="enemy", within=5.0),), "attack"),)
    assert plan.nodes == (Node("shrine"),)


@pytest.mark.parametrize(
    "text",
    [
        "Whenever an enemy comes within 3 meters, attack it.",
        "If an enemy gets closer than three metres, hit it.",
        "Attack any enemy within 3 m.",
    ],
)
def test_a_distance_in_the_sentence_becomes_the_rules(steps: TextToPlan, text: str) -> None:
    one = only(steps.read(text))
    assert (one.kind, one.action, one.actor) == ("rule", "attack", "enemy")
    assert one.when == (Precondition(actor="enemy", within=3.0),)


def test_a_rule_about_a_value_asks_for_the_value(steps: TextToPlan) -> None:
    one = only(steps.read("If your health is below 20, jump."))
    assert one.when == (Precondition(value="health", below=20.0),)
    assert "does not say what number" in only(steps.read("If your health is low, jump.")).problem


def test_two_steps_in_a_sentence_are_two_nodes(steps: TextToPlan) -> None:
    found = steps.read("First flip the switch, then leap over the lava.")
    assert [(one.action, one.actor) for one in found] == [
        ("interact", "switch"), ("jump", "lava_pit"),
    ]  # fmt: skip


def test_going_somewhere_to_do_something_is_one_node(steps: TextToPlan) -> None:
    one = only(steps.read("Walk to the shrine and activate it."))
    assert (one.action, one.actor) == ("interact", "shrine")


@pytest.mark.parametrize(
    "text", ["1. Activate the switch", "- Activate the switch", "Step 2: Activate the switch",
             "The switch is activated.", "Activte teh swich", "The player flips the lever."],
)  # fmt: skip
def test_numbering_passive_voice_typos_and_synonyms_change_nothing(
    steps: TextToPlan, text: str
) -> None:
    one = only(steps.read(text))
    assert (one.kind, one.action, one.actor) == ("node", "interact", "switch")


def test_of_several_actors_of_a_type_the_nearest_is_meant(steps: TextToPlan) -> None:
    one = only(steps.read("Attack the enemy."))
    assert one.instance == "orc scout"
    # Another one may be nearer when it is gone to.
    assert one.target == "enemy"


def test_an_actor_can_be_called_by_its_own_name(steps: TextToPlan) -> None:
    one = only(steps.read("Attack the orc captain."))
    assert (one.actor, one.instance, one.target) == ("enemy", "orc captain", "orc captain")


def test_what_needs_no_actor_is_done_at_the_fallback_where_there_is_none() -> None:
    steps = TextToPlan(game(SWITCH))
    found = steps.read("Jump over the pit.\nActivate the switch.")
    assert [one.fallback for one in found] == [True, False]
    file = steps.plan(found)
    assert file.plan.nodes[0] == Node(action="jump")
    assert "Line 1" in file.text()


def test_an_actor_that_comes_later_is_meant_by_its_type() -> None:
    steps = TextToPlan(game(SWITCH))
    one = only(steps.read("Attack the enemy."))
    assert (one.action, one.actor, one.instance, one.fallback) == ("attack", "enemy", None, True)
    file = steps.plan([one])
    assert file.plan.nodes == (Node("enemy", action="attack"),)
    assert "no such actor is there at the start" in file.text()


def test_the_name_of_an_actor_that_comes_later_has_its_type() -> None:
    later = game(SWITCH, plan_names=lambda: {"switch": "switch", "skeleton": "enemy"})
    one = only(TextToPlan(later).read("Fight the skeleton."))
    assert (one.actor, one.instance, one.target) == ("enemy", None, "skeleton")


def test_nothing_is_guessed_and_all_that_was_not_understood_is_listed(steps: TextToPlan) -> None:
    found = steps.read("Activate the switch.\nPolish the trombone.\nTake the moonbeam.")
    assert [one.kind for one in found] == ["node", "unknown", "unknown"]
    with pytest.raises(PlanError) as error:
        steps.plan(found, file="steps.txt")
    first, second = str(error.value).splitlines()
    assert first.startswith("steps.txt:2: 'Polish the trombone.': the action 'polish'")
    assert "the game has attack, interact, jump, take" in first
    assert second.startswith("steps.txt:3:")
    assert "'moonbeam'" in second


@pytest.mark.parametrize("text", ["Don't touch the shrine.", "Never attack the enemy."])
def test_what_must_not_be_done_is_no_step(steps: TextToPlan, text: str) -> None:
    assert "what not to do" in only(steps.read(text)).problem


def test_an_action_that_the_actor_does_not_have_is_reported(steps: TextToPlan) -> None:
    assert "what can be: interact" in only(steps.read("Attack the shrine.")).problem


@pytest.mark.parametrize(
    "text",
    ["Öffne die Tür und gehe zum Schrein.", "Ouvre la porte avec le levier.", "打开门。",
     "Abre la puerta y va hacia el santuario."],
)  # fmt: skip
def test_another_language_is_reported(steps: TextToPlan, text: str) -> None:
    assert {one.kind for one in steps.read(text)} == {"unknown"}
    assert "English" in steps.read(text)[0].problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\t\n", "is empty"),
        ("1.\n", "no sentence"),
        ("Go to the\x07 shrine.", "U+0007"),
        ("Go to the shrine.\nJump\x00", "<text>:2: the control character U+0000"),
        ("Jump.\n" * (MOST_LINES + 1), "at most 10,000 are read"),
        ("Jump. " * 200_000, "letters"),
    ],
)
def test_what_is_no_text_of_steps_is_an_error(steps: TextToPlan, text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message.replace("+", r"\+")):
        steps.read(text)


def test_very_many_lines_are_read(steps: TextToPlan) -> None:
    assert len(steps.read("Activate the switch.\n" * MOST_LINES)) == MOST_LINES


def test_a_very_long_sentence_is_reported(steps: TextToPlan) -> None:
    assert "one step a sentence" in only(steps.read("switch door " * 5000)).problem


def test_a_game_without_valid_values_is_an_error() -> None:
    nothing = game(plan_actions={}, plan_types={})
    with pytest.raises(PlanError, match="no actions and no actors"):
        TextToPlan(nothing)


def test_rules_alone_are_no_plan(steps: TextToPlan) -> None:
    with pytest.raises(PlanError, match="all sentences are rules"):
        steps.plan(steps.read("Attack any enemy."))


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "steps.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match="UTF-8"):
        read_steps(tmp_path / "steps.txt")
    with pytest.raises(PlanError, match="can't be read"):
        read_steps(tmp_path / "none.txt")


def test_a_rule_about_all_of_a_name_is_one_for_each_of_them() -> None:
    coins = [Actor(n, "item", f"coin {n}", (n, 0.0, 0.0), ("take",)) for n in (1, 2, 3)]
    steps = TextToPlan(game(SWITCH, *coins))
    plan = steps.plan(steps.read("Use the switch. Collect every coin.")).plan
    assert [rule.when[0].actor for rule in plan.rules] == ["coin 1", "coin 2", "coin 3"]
    assert {rule.action for rule in plan.rules} == {"take"}
