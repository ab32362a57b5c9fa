"""Waits, time limits, tolerances and ways to move that a step says, and what `it` means."""

import pytest

from playhead.agents.plans.plan import Node
from playhead.agents.plans.text.text_to_plan import TextToPlan
from playhead.errors import PlanError

from .test_text_to_plan import COIN, FAR_ORC, NEAR_ORC, PIT, SHRINE, SWITCH, game


@pytest.fixture
def steps():
    return TextToPlan(game(SWITCH, PIT, SHRINE, FAR_ORC, NEAR_ORC, COIN))


def nodes(steps, text):
    return steps.plan(steps.read(text)).plan.nodes


@pytest.mark.parametrize(
    "text",
    [
        "Wait 3 seconds, then activate the switch.",
        "Wait for three seconds.\nActivate the switch.",
        "Go to the switch, wait 3 s and then activate it.",
        "After 3 seconds, activate the switch.",
        "Pause for 3 seconds before activating the switch.",
    ],
)
def test_a_wait_comes_before_the_next_action(steps, text):
    assert nodes(steps, text) == (Node("switch", action="interact", wait=3.0),)


@pytest.mark.parametrize(
    "text",
    [
        "Wait at the switch for 3 seconds.",
        "Stay 3 seconds near the switch.",
        "Stand next to the switch for three seconds.",
    ],
)
def test_a_wait_somewhere_is_waited_there(steps, text):
    assert nodes(steps, text) == (Node("switch", wait=3.0),)


@pytest.mark.parametrize(
    "text",
    [
        "Take the coin and wait 5 seconds.",
        "Take the coin, wait 5 seconds, then use the shrine.",
        "Take the coin. Wait 5 seconds.\nUse the shrine.",
    ],
)
def test_a_wait_behind_an_action_is_waited_where_it_was_done(steps, text):
    first, *_ = nodes(steps, text)
    assert first == Node("coin", action="take", wait_after=5.0)


@pytest.mark.parametrize("text", ["Take the coin, wait, then use the shrine.", "Wait a bit."])
def test_a_wait_of_no_length_is_reported(steps, text):
    assert any(one.problem for one in steps.read(text))


def test_a_rule_has_no_wait(steps):
    read = steps.read("If an enemy is near, attack it, then wait 2 seconds.")
    assert [one.problem for one in read if one.problem] == ["a rule has no wait"]


def test_a_wait_at_the_end_is_waited_at_the_last_actor(steps):
    assert nodes(steps, "Go to the shrine and wait there for 2 minutes.") == (
        Node("shrine", wait=120.0),
    )
    assert nodes(steps, "Take the coin. Wait 5 seconds.") == (
        Node("coin", action="take", wait_after=5.0),
    )
    with pytest.raises(PlanError, match="it only waits, and goes nowhere"):
        nodes(steps, "Wait 5 seconds.")


@pytest.mark.parametrize(
    "text",
    [
        "Use the shrine within 30 seconds.",
        "In under 30 seconds, use the shrine.",
        "Use the shrine in less than thirty seconds",
        "Use the shrine before 30 seconds are up.",
        "Use the shrine in 30 seconds or less.",
    ],
)
def test_a_time_limit_is_the_nodes(steps, text):
    assert nodes(steps, text) == (Node("shrine", action="interact", time_limit=30.0),)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("Run to the switch.", Node("switch", movement="run")),
        ("Sprint to the shrine and use it.", Node("shrine", action="interact", movement="run")),
        ("Teleport to the shrine.", Node("shrine", movement="teleport")),
        ("Walk straight to the coin.", Node("coin", movement="straight")),
        ("Walk to the switch.", Node("switch")),
        ("Move within 2 metres of the switch.", Node("switch", tolerance=2.0)),
        ("Get as close as 1.5 m to the shrine.", Node("shrine", tolerance=1.5)),
    ],
)
def test_how_one_moves_and_how_near_is_read(steps, text, node):
    assert nodes(steps, text) == (node,)


def test_a_distance_in_a_rule_is_its_condition_and_no_tolerance(steps):
    plan = steps.plan(steps.read("Use the switch. Attack any enemy within 7 metres of you."))
    (rule,) = plan.plan.rules
    assert (rule.tolerance, rule.when[0].within) == (None, 7.0)


def test_it_is_whom_the_sentence_before_was_about(steps):
    assert nodes(steps, "Go to the switch.\nActivate it.")[-1] == Node("switch", action="interact")


def test_before_doing_one_thing_another_is_done_first(steps):
    found = nodes(steps, "Before using the shrine, take the coin.")
    assert [node.title for node in found] == ["take coin", "interact shrine"]


def test_an_action_on_two_actors_is_two_nodes(steps):
    found = nodes(steps, "Activate the switch and the shrine.")
    assert [node.title for node in found] == ["interact switch", "interact shrine"]
