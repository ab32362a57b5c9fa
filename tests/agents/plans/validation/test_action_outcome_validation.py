"""Validation: the listener stands before the action, and each way of failing is told."""

import pytest

from playhead.errors import CommandError
from playhead.games.action_outcome_validators import (
    ActionValidator,
    ActionValidators,
    Scene,
    Values,
)

from ..room import Room, agent_of, follow, validators_of

PRESS = "nodes: [{actor: button, action: press}]\n"


@pytest.fixture
def room() -> Room:
    room = Room()
    room.add(10, "button", (1, 0))
    return room


def test_an_action_is_announced_and_measured_before_it_is_performed(room):
    order: list[str] = []

    class Watched(ActionValidator):
        def measure(self, scene: Scene) -> Values:
            order.append(f"measure, {room.listeners} listen")
            return {}

    room.validators = ActionValidators()
    room.validators.validates("press", event="pressed")(Watched)
    room.before_press = lambda: order.append(f"press, {room.listeners} listen")
    agent = agent_of(
        room, PRESS, on_action=lambda action, actor: order.append(f"about to {action}")
    )
    follow(room, agent)
    assert order == [
        "about to press", "measure, 0 listen", "press, 1 listen", "measure, 0 listen",
    ] or order == [
        "about to press", "measure, 0 listen", "press, 1 listen", "measure, 1 listen",
    ]  # fmt: skip
    assert room.listeners == 0


def test_values_before_and_after_are_kept_with_a_failure(room):
    room.counted = 2
    agent = follow(room, agent_of(room, PRESS))
    failure = agent.failure
    assert failure is not None
    assert failure.kind == "validation"
    assert "2 presses were counted, not 1" in failure.message
    assert (failure.before, failure.after) == ({"presses": 0}, {"presses": 2})
    assert (failure.action, failure.actor, failure.object) == ("press", "button", 10)
    assert agent.outcomes[0].validation == "failed"


def test_an_event_that_does_not_come_times_out_on_game_time(room):
    room.tells = ""
    agent = follow(room, agent_of(room, PRESS))
    assert agent.failure is not None
    assert agent.outcomes[0].validation == "timed_out"
    assert "no event 'pressed' came within 2 s" in agent.failure.message
    assert 2.0 < room.time < 4.0
    assert room.listeners == 0


def test_unless_told_otherwise_an_event_has_10_s_of_game_time_to_come(room):
    room.tells = ""
    room.validators = validators_of(event="pressed")
    agent = follow(room, agent_of(room, PRESS))
    assert agent.outcomes[0].validation == "timed_out"
    assert "no event 'pressed' came within 10 s" in agent.failure.message
    assert 10.0 < room.time < 11.0


def test_a_validator_that_measures_nothing_waits_for_its_event_and_compares_nothing(room):
    class Pressed(ActionValidator):
        """The event is all that it asks for."""

    for tells, result in (("pressed", "passed"), ("", "timed_out")):
        room.tells = tells
        room.validators = ActionValidators()
        room.validators.validates("press", event="pressed", timeout=2.0)(Pressed)
        agent = follow(room, agent_of(room, PRESS))
        (action,) = agent.actions
        assert action.validation == result
        assert (action.before, action.after) == ({}, {})
    assert agent.failure is not None
    assert (agent.failure.before, agent.failure.after) == ({}, {})


def test_an_event_of_another_actor_does_not_count(room):
    room.tells = ""
    room.before_press = lambda: room.tell("pressed", 99)
    agent = follow(room, agent_of(room, PRESS))
    assert agent.outcomes[0].validation == "timed_out"


def test_an_event_before_the_listener_is_there_does_not_count(room):
    room.tells = ""
    agent = agent_of(room, PRESS, on_action=lambda action, actor: room.tell("pressed", 10))
    follow(room, agent)
    assert agent.outcomes[0].validation == "timed_out"


def test_a_delay_validates_without_an_event_and_cannot_time_out(room):
    room.tells = ""
    room.validators = validators_of(delay=1.0)
    agent = follow(room, agent_of(room, PRESS))
    assert agent.outcomes[0].validation == "passed"
    assert room.time > 1.0


@pytest.mark.parametrize("where", ["measure", "expect"])
def test_a_validator_that_raises_fails_that_validation_and_nothing_else(room, where):
    class Broken(ActionValidator):
        """Breaks."""

    def broken(*_: object) -> Values:
        raise KeyError("ammo")

    setattr(Broken, where, broken)
    room.validators = ActionValidators()
    room.validators.validates("press", event="pressed")(Broken)
    agent = follow(room, agent_of(room, PRESS))
    assert agent.outcomes[0].validation == "failed"
    assert agent.failure is not None
    assert f"Broken.{where} raised KeyError('ammo')" in agent.failure.message
    assert room.listeners == 0
    assert room.performed == ([] if where == "measure" else ["press"])


def test_an_action_of_a_rule_is_validated_as_one_of_a_node(room):
    room.add(11, "button", (0, 3), "other button")
    room.counted = 3
    rules = "rules: [{when: [{actor: other button, within: 9}], action: press}]"
    agent = follow(room, agent_of(room, PRESS + rules))
    assert agent.failure is not None
    assert agent.failure.actor == "other button"
    assert agent.outcomes[0].validation == "none"


def test_faulty_validators_are_refused():
    validators = validators_of()
    for wrong, result in (
        ({"action": "press"}, "is there already"),
        ({"action": "a", "timeout": 0.0}, "must be over 0 s"),
        ({"action": "a", "delay": -1.0}, "at least 0 s"),
        ({"action": "a", "event": "b", "delay": 1.0}, "give one of them"),
    ):
        with pytest.raises(CommandError, match=result):
            validators.validates(**wrong)(ActionValidator)


def test_a_plan_is_not_done_before_all_that_its_rules_did_is_validated(room):
    room.tells = ""
    room.add(11, "button", (0, 1), "other button")
    rules = "rules: [{when: [{actor: other button, within: 9}], action: press, time_limit: 9}]"
    once = agent_of(room, "nodes: [{location: [1, 0, 0]}]\n" + rules)

    def vanish() -> None:
        if room.performed:
            room.actors.pop(11, None)

    follow(room, once, each=vanish)
    assert once.failure is not None
    assert once.actions[0].validation == "timed_out"
    assert room.listeners == 0
