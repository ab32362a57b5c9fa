"""Which of Doom's buttons a pad presses."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.doom.pad_to_buttons import RUN, SPEED, TURN, button_values
from playhead.games.doom.scenario import SCENARIOS
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

MAP01, DEATHMATCH = SCENARIOS["map01"].buttons, SCENARIOS["deathmatch"].buttons
FRICTION = 0.90625


def one(pad, button, buttons=MAP01, **more):
    return button_values(pad, buttons, **more)[buttons.index(button)]


@pytest.mark.parametrize("buttons", [MAP01, DEATHMATCH])
def test_a_pad_that_nobody_touches_presses_nothing(buttons):
    assert button_values(NEUTRAL, buttons) == [0.0] * len(buttons)


@pytest.mark.parametrize(
    ("button", "does"),
    [(Button.A, "ATTACK"), (Button.X, "USE"), (Button.Y, "SELECT_NEXT_WEAPON"),
     (Button.B, "SELECT_PREV_WEAPON")],
)  # fmt: skip
def test_each_button_does_one_thing(button, does):
    action = button_values(Pad(held=int(button)), MAP01)
    assert action == [float(name == does) for name in MAP01]


def test_the_right_trigger_shoots_as_well():
    assert one(Pad(right_trigger=0.9), "ATTACK") == 1.0
    assert one(Pad(right_trigger=0.1), "ATTACK") == 0.0


@given(st.floats(-1, 1))
def test_the_right_stick_turns_in_proportion(turn):
    assert one(Pad(right=(turn, 0.0)), "TURN_LEFT_RIGHT_DELTA") == TURN * turn


def test_where_buttons_only_say_whether_the_stick_must_go_half_way():
    assert one(Pad(left=(0.0, 0.6)), "MOVE_FORWARD", DEATHMATCH) == 1.0
    assert one(Pad(left=(0.0, 0.4)), "MOVE_FORWARD", DEATHMATCH) == 0.0
    assert one(Pad(left=(-0.6, 0.0)), "MOVE_LEFT", DEATHMATCH) == 1.0


def slid(velocity, stick, tics):
    """How the engine's players go on: pushed, then slowed down."""
    way = 0.0
    for _ in range(tics):
        push = one(Pad(left=(0.0, stick)), "MOVE_FORWARD_BACKWARD_DELTA", velocity=(0.0, velocity))
        assert abs(push) <= RUN
        velocity += push / 32
        way += velocity
        velocity *= FRICTION
    return velocity / FRICTION, way


@given(st.floats(-1, 1), st.floats(-16, 16))
def test_the_stick_says_how_fast_one_goes(stick, velocity):
    assert math.isclose(slid(velocity, stick, 60)[0], SPEED * stick, abs_tol=0.01)


def test_who_lets_go_stands_after_a_few_steps():
    speed, way = slid(SPEED, 0.0, 12)
    assert abs(speed) < 0.01
    assert way < 40
