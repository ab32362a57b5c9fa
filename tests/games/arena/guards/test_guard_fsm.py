"""The guards' state machine: order of conditions, and what a decision says about itself."""

import math

import pytest

from playhead.games.arena.guards.guard_fsm import (
    EXPIRY,
    FLAWED,
    HURT,
    SOUND,
    GuardFacts,
    State,
    decide,
)

CALM = GuardFacts(
    hp=100.0,
    sees=False,
    target_down=False,
    distance=math.inf,
    belief_age=math.inf,
    noise_age=math.inf,
    goal_distance=3.0,
    state_time=0.0,
)


def target(table, state, **facts):
    decision = decide(table, state, CALM._replace(**facts))
    return None if decision is None else (decision.won, decision.target)


@pytest.mark.parametrize(
    ("state", "facts", "expected"),
    [
        (State.PATROL, {}, None),
        (State.PATROL, {"sees": True}, ("sees_target", State.NOTICE)),
        (State.PATROL, {"noise_age": 0.1}, ("heard_noise", State.NOTICE)),
        (State.NOTICE, {"sees": True, "state_time": 0.2}, None),
        (State.NOTICE, {"sees": True, "state_time": 0.5}, ("certain", State.CHASE)),
        (State.NOTICE, {"state_time": 1.3}, ("nothing_there", State.SEARCH)),
        (State.CHASE, {"sees": True, "distance": 5.0, "belief_age": 0.0}, None),
        (
            State.CHASE,
            {"sees": True, "distance": 1.2, "belief_age": 0.0},
            ("can_strike", State.ATTACK),
        ),
        (State.CHASE, {"distance": 1.2, "belief_age": 3.0}, ("belief_expired", State.SEARCH)),
        (State.CHASE, {"distance": 0.4, "belief_age": 1.0}, ("trail_lost", State.SEARCH)),
        (State.ATTACK, {"distance": 1.2, "belief_age": 0.2}, ("target_lost", State.CHASE)),
        (State.ATTACK, {"sees": True, "distance": 3.0}, ("out_of_reach", State.CHASE)),
        (State.ATTACK, {"target_down": True}, ("target_down", State.PATROL)),
        (State.SEARCH, {"sees": True}, ("sees_target", State.CHASE)),
        (State.SEARCH, {"state_time": 7.0}, ("gave_up", State.PATROL)),
        (State.FLEE, {"hp": 50.0}, None),
        (State.FLEE, {"hp": 90.0}, ("recovered", State.PATROL)),
    ],
)
def test_the_first_condition_that_holds_wins(state, facts, expected):
    assert target(SOUND, state, **facts) == expected


@pytest.mark.parametrize("table", [SOUND, FLAWED])
def test_being_hurt_comes_before_everything_else(table):
    for state in State:
        if state is not State.FLEE:
            facts = {"hp": HURT - 1, "sees": True, "distance": 1.0, "state_time": 9.0}
            assert target(table, state, **facts) == ("hurt", State.FLEE)


def test_a_decision_names_what_else_was_true_and_why_the_rest_was_not():
    facts = CALM._replace(hp=20.0, sees=True, noise_age=0.05)
    decision = decide(SOUND, State.PATROL, facts)
    assert decision.also_true == ("sees_target", "heard_noise")
    facts = CALM._replace(belief_age=EXPIRY + 1, distance=4.0)
    decision = decide(SOUND, State.CHASE, facts)
    reasons = {rejected.condition: rejected.reason for rejected in decision.rejected}
    assert list(reasons) == ["hurt", "target_down", "can_strike", "trail_lost"]
    assert "100" in reasons["hurt"]
    assert "4.0 m" in reasons["can_strike"]


def test_every_row_of_a_table_is_either_the_winner_also_true_or_rejected():
    facts = CALM._replace(sees=True, distance=1.0, belief_age=0.0, state_time=1.0)
    for table in (SOUND, FLAWED):
        for state in State:
            decision = decide(table, state, facts)
            if decision is not None:
                names = [decision.won, *decision.also_true]
                names += [rejected.condition for rejected in decision.rejected]
                assert sorted(names) == sorted(row.condition.name for row in table[state])


def test_values_hold_every_fact_and_none_for_infinite():
    values = CALM.values()
    assert list(values) == list(GuardFacts._fields)
    assert values["distance"] is None
    assert values["hp"] == 100.0


def test_only_the_flawed_table_attacks_a_place_where_nobody_is_seen():
    stale = {"sees": False, "distance": 1.0, "belief_age": 20.0}
    assert target(FLAWED, State.CHASE, **stale) == ("in_reach", State.ATTACK)
    assert target(FLAWED, State.ATTACK, **stale) is None
    assert target(SOUND, State.CHASE, **stale) == ("belief_expired", State.SEARCH)
    assert target(SOUND, State.ATTACK, **stale) == ("target_lost", State.CHASE)
