"""The agent: node after node, rules that interrupt, what goes wrong on the way."""

import msgspec
import pytest

from playhead.games.action_outcome_validators import ActionValidator, ActionValidators
from playhead.games.plan_game_interface import Action, Waypoint
from playhead.playback.pads.pad import Button
from playhead.recorder.checks.check_condition_source import caller, expression_at
from playhead.recorder.statements.instrumentation_interface import NullInstrumentation

from ..room import SPEED, STEP, Room, agent_of, away, follow, validators_of

PRESS = "nodes: [{actor: button, action: press}]\n"


def room_of(*buttons: tuple[float, float]) -> Room:
    room = Room()
    for number, at in enumerate(buttons):
        room.add(10 + number, "button", at, f"button {number}")
    return room


def test_an_agent_goes_to_each_node_in_order_and_acts_there():
    room = room_of((3, 0), (3, 4))
    plan = "nodes: [{actor: button 1, action: press}, {actor: button 0, action: press}, "
    agent = follow(room, agent_of(room, plan + "{location: [-2, 0, 0], tolerance: 0}]"))
    assert agent.failure is None
    assert [one.actor for one in agent.actions] == ["button 1", "button 0"]
    assert [one.validation for one in agent.outcomes] == ["passed", "passed", "none"]
    assert room.position == pytest.approx((-2, 0, 0), abs=0.31)
    assert room.listeners == 0


def test_a_type_means_the_nearest_actor_of_that_type():
    room = room_of((5, 0), (-2, 0))
    agent = follow(room, agent_of(room, PRESS))
    assert agent.actions[0].actor == "button 1"


def test_a_new_way_is_found_when_the_actor_moves():
    room = room_of((6, 0))

    def move() -> None:
        button = room.actors[10]
        if room.time < 2.0:
            x, y, z = button.position
            room.actors[10] = type(button)(10, "button", button.name, (x, y + 0.3, z), ("press",))

    agent = follow(room, agent_of(room, PRESS), each=move)
    assert agent.failure is None
    assert agent.navigator.paths > 3
    assert away(room, 10) <= 0.5


@pytest.mark.parametrize(("touch", "least", "most"), [(2.0, 1.6, 2.0), (0.0, 0.0, 0.5)])
def test_what_is_done_by_coming_there_is_announced_and_measured_at_its_distance(touch, least, most):
    room = room_of((6, 0))
    room.plan_actions = {"press": Action("press", 0.5, touch=touch)}
    listening = []

    def note() -> None:
        if room.listeners:
            listening.append(away(room, 10))

    announced = []
    agent = agent_of(
        room, PRESS, on_action=lambda action, actor: announced.append(away(room, 10))
    )  # fmt: skip
    follow(room, agent, each=note)
    assert agent.failure is None
    assert len(announced) == 1
    # A step is 0.4 long.
    assert least <= announced[0] <= most + 1e-9
    assert max(listening) <= announced[0] + 1e-9


def test_what_happens_before_one_stands_there_is_validated_and_not_done_again():
    room = room_of((6, 0))
    room.plan_actions = {"press": Action("press", 0.5, touch=2.0)}

    def touch() -> None:
        if not room.state["presses"] and away(room, 10) <= 1.5:
            room.state["presses"] += 1
            room.tell("pressed", 10)

    agent = follow(room, agent_of(room, PRESS), each=touch)
    assert agent.failure is None
    assert agent.outcomes[0].validation == "passed"
    assert agent.actions[0].before == {"presses": 0}
    assert agent.actions[0].after == {"presses": 1}
    assert room.performed == []


def test_a_node_waits_before_it_acts_and_only_there():
    room = room_of((3, 0))
    agent = agent_of(room, "nodes: [{actor: button, action: press, wait: 2}]")
    follow(room, agent, 2.0)
    assert not room.performed
    follow(room, agent)
    assert room.performed == ["press"]
    assert room.time >= 2.0 + 2.0 / 4.0


def test_a_node_stays_after_its_action_as_long_as_it_says():
    room = room_of((3, 0))
    plan = """
nodes:
  - {actor: button, action: press, wait_after: 2}
  - {location: [0, 0, 0]}
"""
    agent = agent_of(room, plan)
    follow(room, agent, 2.5)
    assert room.performed == ["press"]
    assert agent.index == 0
    follow(room, agent)
    assert agent.done
    assert room.time >= 2.0 + 2 * 2.0 / 4.0


def test_teleport_is_there_at_once():
    room = room_of((30, 0))
    agent = follow(room, agent_of(room, PRESS.replace("press}", "press, movement: teleport}")), 1.0)
    assert agent.done
    assert room.teleports == 1


def test_who_runs_is_there_sooner_with_the_run_button_held_on_the_way():
    seconds, held = {}, {}
    for movement in ("walk", "run"):
        room = room_of((12, 0))
        running = held[movement] = []
        plan = PRESS.replace("press}", f"press, movement: {movement}}}")
        agent = follow(room, agent_of(room, plan), each=lambda: running.append(room.runs))  # noqa: B023
        assert agent.failure is None
        seconds[movement] = room.time
    assert not any(held["walk"])
    assert sum(held["run"]) > 10
    assert seconds["run"] < 0.8 * seconds["walk"]


def test_a_tolerance_is_how_far_from_its_place_a_node_is_done():
    stood = {}
    for tolerance in (0, 2, 5):
        room = Room()
        plan = f"nodes: [{{location: [8, 0, 0], tolerance: {tolerance}}}]"
        assert follow(room, agent_of(room, plan)).failure is None
        stood[tolerance] = 8.0 - room.position[0]
    assert stood[0] == pytest.approx(0.0, abs=0.31)
    for tolerance in (2, 5):
        assert tolerance - SPEED * STEP <= stood[tolerance] <= tolerance


def test_who_moves_straight_asks_no_map_for_a_way():
    class Detour(Room):
        def path(self, start, goal, near):  # type: ignore[no-untyped-def]
            return [Waypoint((0.0, 9.0, 0.0)), Waypoint(goal)]

    for movement, aside in (("walk", 8.0), ("straight", 0.0)):
        room = Detour()
        room.add(10, "button", (6, 0))
        ys: list[float] = []
        plan = PRESS.replace("press}", f"press, movement: {movement}}}")
        agent = follow(room, agent_of(room, plan), each=lambda: ys.append(room.position[1]))  # noqa: B023
        assert agent.failure is None
        assert room.performed == ["press"]
        assert max(ys) >= aside
        assert agent.navigator.paths == (1 if aside else 0)
        assert aside or max(ys) == pytest.approx(0.0)


# --- rules ------------------------------------------------------------------------------------

HIT = "rules: [{when: [{actor: foe, within: 2}], action: hit}]\n"


def test_a_rule_interrupts_a_node_which_goes_on_where_it_was():
    room = room_of((8, 0))
    room.add(20, "foe", (4, 0.5))
    agent = follow(room, agent_of(room, PRESS + HIT))
    assert agent.failure is None
    assert room.performed == ["hit", "press"]
    assert agent.rules_fired == {"hit foe": 1}


def test_an_action_that_was_performed_is_not_repeated_after_an_interruption():
    room = room_of((1, 0))
    room.tells = ""

    def come() -> None:
        if room.performed == ["press"] and 20 not in room.actors and room.state["presses"]:
            room.add(20, "foe", (2, 0))
        if "hit" in room.performed and room.state["presses"] and not room.actors.get(20):
            room.tell("pressed", 10)

    agent = follow(room, agent_of(room, PRESS + HIT), each=come)
    assert agent.failure is None
    assert room.performed == ["press", "hit"]


def test_of_rules_that_hold_the_highest_priority_wins_and_of_equal_ones_the_first():
    for first, second, wins in ((0, 5, "two"), (5, 0, "one"), (1, 1, "one")):
        room = room_of((6, 0))
        room.add(20, "foe", (1, 0))
        rules = "".join(
            f"- {{name: {name}, priority: {priority}, when: [{{actor: foe, within: 2}}],"
            " action: hit}\n"
            for name, priority in (("one", first), ("two", second))
        )
        agent = follow(room, agent_of(room, f"{PRESS}rules:\n{rules}"))
        assert agent.rules_fired == {wins: 1}


def test_a_rule_fires_only_if_all_its_preconditions_hold():
    room = room_of((6, 0))
    room.add(20, "foe", (3, 0))
    rules = "rules: [{when: [{actor: foe, within: 2}, {value: health, below: 50}], action: hit}]"
    agent = follow(room, agent_of(room, f"{PRESS}{rules}"))
    assert agent.rules_fired == {}
    room = room_of((6, 0))
    room.add(20, "foe", (3, 0))
    room.state["health"] = 20.0
    assert follow(room, agent_of(room, f"{PRESS}{rules}")).rules_fired == {"hit foe": 1}


def test_a_higher_rule_pre_empts_a_lower_one_that_is_on_its_way():
    room = room_of((9, 0))
    room.add(20, "foe", (4, 0))
    room.add(21, "button", (0, 5), "far button")
    rules = """rules:
    - {name: low, when: [{actor: foe, within: 9}], action: hit}
    - {name: high, priority: 9, when: [{value: screen, is: shop}], action: shout}
    """

    def shop() -> None:
        room.state["screen"] = "shop" if 0.4 < room.time < 0.8 else ""

    agent = follow(room, agent_of(room, PRESS.replace("button,", "button 0,") + rules), each=shop)
    assert agent.failure is None
    assert room.performed[0] == "shout"
    assert room.performed[-2:] == ["hit", "press"]
    assert agent.rules_fired["low"] == 2  # interrupted, and begun again


def test_a_higher_rule_pre_empts_a_lower_one_while_it_performs_its_action():
    room = room_of((6, 0))
    room.add(20, "foe", (1, 0))
    room.validators.validates("hit", delay=0.1)(ActionValidator)
    rules = """rules:
    - {name: low, when: [{actor: foe, within: 2}], action: hit}
    - {name: high, priority: 9, when: [{value: screen, is: shop}], action: shout}
    """
    agent = agent_of(room, PRESS + rules)
    told: list[tuple[str, bool]] = []

    def shop() -> None:
        hitting = room.performed == ["hit"]
        room.state["screen"] = "shop" if hitting else ""
        if room.performed[len(told) :]:
            told.append((room.performed[-1], 20 in room.actors))

    follow(room, agent, each=shop)
    assert agent.failure is None
    # The first blow was cut short: the foe lived on until the second one.
    assert told == [("hit", True), ("shout", True), ("hit", True), ("press", False)]
    assert agent.rules_fired == {"low": 2, "high": 1}
    assert [one.validation for one in agent.outcomes] == ["passed"]
    assert room.listeners == 0


def test_a_rule_that_performs_its_action_is_not_pre_empted_by_one_that_is_not_higher():
    room = room_of((6, 0))
    room.add(20, "foe", (1, 0))
    rules = """rules:
    - {name: same, when: [{value: screen, is: shop}], action: shout}
    - {name: hits, when: [{actor: foe, within: 2}], action: hit}
    """

    def shop() -> None:
        room.state["screen"] = "shop" if room.performed == ["hit"] else ""

    agent = follow(room, agent_of(room, PRESS + rules), each=shop)
    assert agent.failure is None
    assert room.performed[0] == "hit"
    assert agent.rules_fired["hits"] == 1


def test_a_rule_that_always_holds_is_reported_with_its_frames():
    room = room_of((6, 0))
    frames = iter(range(1, 10_000))
    rules = "rules: [{name: shouts, when: [{value: health, above: 0}], action: shout}]"
    agent = agent_of(room, PRESS + rules, frame=lambda: next(frames))
    follow(room, agent)
    assert agent.failure is not None
    assert agent.failure.kind == "rule"
    assert "'shouts' fired 11 times in a row (frames 1 to 11)" in agent.failure.message
    assert room.time < 10.0


def test_a_rule_that_always_finds_another_target_is_found_too():
    room = room_of((6, 0))
    ids = iter(range(20, 10_000))
    room.add(next(ids), "foe", (1, 0))

    def come() -> None:
        if not any(actor.type == "foe" for actor in room.actors.values()):
            room.add(next(ids), "foe", room.position[:2])

    agent = follow(room, agent_of(room, PRESS + HIT), 600.0, each=come)
    assert agent.failure is not None
    assert agent.failure.kind == "rule"
    assert "'hit foe' fired 51 times in a row (frames" in agent.failure.message


def test_a_rule_is_about_those_that_the_player_can_see():
    room = room_of((6, 0))
    room.add(20, "foe", (3, 0))
    room.actors[20] = msgspec.structs.replace(room.actors[20], hidden=True)
    assert follow(room, agent_of(room, PRESS + HIT)).rules_fired == {}


def test_an_actor_that_goes_off_while_it_is_acted_on_is_followed_and_acted_on_again():
    room = room_of((2, 0))
    room.validators = validators_of(event="pressed", timeout=20.0)

    def go_off() -> None:
        first = len(room.performed) == 1
        room.counted, room.tells = (0, "") if first else (1, "pressed")
        there = (6.0, 0.0, 0.0)
        room.actors[10] = msgspec.structs.replace(room.actors[10], position=there)

    room.before_press = go_off
    agent = follow(room, agent_of(room, PRESS))
    assert agent.failure is None
    assert room.performed == ["press", "press"]
    assert [one.validation for one in agent.actions] == ["passed"]


def test_what_is_shut_is_opened_by_a_press_in_front_of_it_and_gone_through():
    room = room_of((6, 0))
    room.wall = 3.0
    pressed: list[float] = []

    class Door(Room):
        def path(self, start, goal, near):  # type: ignore[no-untyped-def]
            return [Waypoint((2.8, 0.0, 0.0)), Waypoint((3.2, 0.0, 0.0), press=Button.X),
                    Waypoint(goal)][1 if start[0] > 2.4 else 0 :]  # fmt: skip

    def opens() -> None:
        if room.pad.holds(Button.X):
            pressed.append(room.position[0])
            room.wall = None

    room.__class__ = Door
    agent = follow(room, agent_of(room, PRESS), each=opens)
    assert agent.failure is None
    assert len(pressed) == 1
    assert 2.0 < pressed[0] < 3.0


def test_a_rule_whose_actor_can_not_be_come_to_is_left_for_the_nodes():
    room = room_of((-6, 0))
    room.wall = 1.0
    room.add(20, "foe", (1.5, 0))
    agent = follow(room, agent_of(room, PRESS + HIT))
    assert agent.failure is None
    assert room.performed == ["press"]


def test_a_failure_is_a_failed_check_with_the_expression_that_did_not_hold():
    class Checks(NullInstrumentation):
        def check(
            self, condition: bool, message: str, *, focus: object = 0, stacklevel: int = 1
        ) -> bool:
            failed.append(expression_at(caller(stacklevel)))
            return condition

    failed: list[str] = []
    room = room_of((60, 0))
    plan = PRESS.replace("press}", "press, time_limit: 2}")
    follow(room, agent_of(room, plan, Checks()))
    follow(Room(), agent_of(Room(), PRESS, Checks()))
    assert failed == ["task.spent <= task.limit", "bool(found)"]


# --- what goes wrong --------------------------------------------------------------------------


def test_a_target_that_the_map_proves_unreachable_fails_at_once():
    room = room_of((6, 0))
    room.wall = 2.0
    agent = follow(room, agent_of(room, PRESS))
    assert agent.failure is not None
    assert agent.failure.kind == "navigation"
    assert "no way from (0.0, 0.0, 0.0) to (6.0, 0.0, 0.0)" in agent.failure.message
    assert room.time < 0.5


def test_who_walks_straight_into_a_wall_gets_no_further_and_says_where():
    room = room_of((6, 0))
    room.wall = 2.0
    agent = follow(room, agent_of(room, PRESS.replace("press}", "press, movement: straight}")))
    assert agent.failure is not None
    assert "gets no further" in agent.failure.message or "not done within" in agent.failure.message


def test_an_actor_that_disappears_on_the_way_fails_its_node_with_where_it_was():
    room = room_of((6, 0))
    agent = follow(
        room, agent_of(room, PRESS), each=lambda: room.time > 0.5 and room.actors.clear()
    )
    assert agent.failure is not None
    assert agent.failure.kind == "actor"
    assert "'button 0' is gone, it was last at (6.0, 0.0, 0.0)" in agent.failure.message


def test_a_node_without_its_actor_fails():
    agent = follow(room := Room(), agent_of(room, PRESS))
    assert agent.failure is not None
    assert "there is no 'button' just now" in agent.failure.message


def test_a_node_that_takes_too_long_fails():
    room = room_of((60, 0))
    agent = follow(room, agent_of(room, PRESS.replace("press}", "press, time_limit: 2}")))
    assert agent.failure is not None
    assert (agent.failure.kind, room.time < 3.0) == ("time", True)


def test_a_player_that_dies_fails_the_plan():
    room = room_of((6, 0))
    agent = agent_of(room, PRESS)
    follow(room, agent, 0.5)
    room.dead = True
    follow(room, agent)
    assert agent.failure is not None
    assert agent.failure.kind == "player"


def test_an_action_without_a_validator_is_performed_and_reported_as_not_validated():
    room = room_of((1, 0))
    room.validators = ActionValidators()
    agent = follow(room, agent_of(room, PRESS))
    assert [one.validation for one in agent.outcomes] == ["none"]
    assert agent.failure is None


def test_a_run_that_begins_with_a_later_node_skips_those_before_it():
    room = room_of((3, 0), (3, 4))
    plan = "nodes: [{actor: button 0, action: press}, {actor: button 1, action: press}]"
    agent = follow(room, agent_of(room, plan, begin=2))
    assert agent.failure is None
    assert [one.actor for one in agent.actions] == ["button 1"]
    assert [(one.skipped, one.done) for one in agent.outcomes] == [(True, False), (False, True)]


def test_a_node_that_needs_a_skipped_one_says_so():
    room = room_of((3, 0))
    plan = "nodes: [{actor: button, action: press}, {actor: button 7, action: press}]"
    agent = follow(room, agent_of(room, plan, begin=2))
    assert agent.failure is not None
    assert agent.failure.message.endswith(
        "node 1 was skipped, and may be needed first: run the whole plan"
    )
