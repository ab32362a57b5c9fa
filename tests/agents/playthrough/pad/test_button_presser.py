"""Hands: what is wanted of the pad, and what is seen of it."""

from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.playthrough.pad.button_presser import TRIGGER, ButtonPresser, bits_of
from playhead.playback.pads.pad import Button, checked


def test_a_press_is_down_for_one_frame():
    presser = ButtonPresser()
    presser.press(Button.A)
    assert [presser.pad().held for _ in range(3)] == [Button.A, 0, 0]


def test_two_presses_in_a_row_are_two_presses():
    presser = ButtonPresser()
    presser.press(Button.A)
    first = presser.pad()
    presser.press(Button.A)
    assert [first.held, presser.pad().held, presser.pad().held] == [Button.A, 0, Button.A]


def test_a_held_button_is_down_for_the_given_time():
    presser = ButtonPresser()
    held = []
    for frame in range(5):
        if 1 <= frame <= 3:
            presser.hold(Button.RB)
        held.append(bool(presser.pad().held))
    assert held == [False, True, True, True, False]


def test_mashing_presses_once_in_a_period():
    presser = ButtonPresser()
    down = []
    for _ in range(13):
        presser.mash("A", 6)
        down.append(presser.pad().holds(Button.A))
    assert [at for at, one in enumerate(down) if one] == [0, 6, 12]


def test_sticks_and_the_trigger_are_let_go_in_the_next_frame():
    presser = ButtonPresser()
    presser.walk((3.0, 4.0))
    presser.look((0.0, -0.5))
    presser.pull(0.75)
    pad = presser.pad()
    assert (pad.left, pad.right, pad.left_trigger) == ((0.6, 0.8), (0.0, -0.5), 0.75)
    assert presser.pad().left == (0.0, 0.0)


def test_the_trigger_can_be_a_button():
    presser = ButtonPresser()
    presser.press(bits_of("LT"))
    assert [presser.pad().left_trigger for _ in range(2)] == [1.0, 0.0]
    assert bits_of("LT") == TRIGGER
    assert bits_of("") == 0


def test_presses_that_have_not_come_can_be_forgotten():
    presser = ButtonPresser()
    presser.press(Button.A)
    presser.pad()
    presser.press(Button.A)
    presser.pad()
    presser.rest()
    assert presser.pad().held == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_every_press_that_is_not_held_over_goes_down_anew(wants):
    presser = ButtonPresser()
    before, edges, wanted = 0, 0, 0
    for press, hold in [*wants, *[(0, 0)] * 90]:
        if press & ~wanted:
            wanted |= press
        presser.press(press)
        presser.hold(hold)
        pad = checked(presser.pad())
        edges |= pad.held & ~before
        before = pad.held
    asked = 0
    for press, _ in wants:
        asked |= press
    assert edges & asked == asked
    assert before == 0
