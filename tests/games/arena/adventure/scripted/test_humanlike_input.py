"""A person's hands: presses that last, sticks that shake a little."""

import math
from random import Random

from playhead.games.arena.adventure.scripted.humanlike_input import LIFT, PRESS, SHAKE, HumanInput
from playhead.games.arena.adventure.world.player import TRIGGER, TRIGGERED
from playhead.playback.pads.pad import Button


def test_a_press_lasts_a_moment_and_the_thumb_rests_before_the_next():
    human_input = HumanInput(Random(1))
    runs, last = [], None
    for _ in range(2000):
        human_input.tap(Button.A)
        held = human_input.pad().held
        if held == last:
            runs[-1][1] += 1
        else:
            runs.append([held, 1])
        last = held
    presses = [count for held, count in runs[:-1] if held]
    gaps = [count for held, count in runs[:-1] if not held]
    assert len(presses) > 100
    assert min(presses) == PRESS[0]
    assert max(presses) == PRESS[1]
    assert LIFT[0] <= min(gaps)
    assert max(gaps) <= LIFT[1]


def test_a_thumb_that_is_busy_takes_no_other_button():
    human_input = HumanInput(Random(1))
    assert human_input.tap(Button.A)
    assert not human_input.tap(Button.B)
    assert human_input.pad().held == Button.A


def test_the_trigger_is_pulled_and_not_held_as_a_button():
    human_input = HumanInput(Random(1))
    human_input.tap(TRIGGER)
    pad = human_input.pad()
    assert pad.left_trigger > TRIGGERED
    assert pad.held == 0


def test_sticks_shake_around_their_aim_and_are_seldom_held_fully():
    human_input = HumanInput(Random(2))
    headings, sizes = [], []
    for _ in range(3000):
        human_input.push(1.0)
        x, y = human_input.pad().left
        headings.append(math.atan2(y, x))
        sizes.append(math.hypot(x, y))
    assert max(abs(heading - 1.0) for heading in headings) <= SHAKE + 1e-9
    assert len(set(headings)) > 2000
    assert abs(sum(headings) / len(headings) - 1.0) < 0.05
    assert 0.8 < min(sizes) < max(sizes) <= 1.0


def test_a_stick_is_let_go_unless_it_is_pushed_again():
    human_input = HumanInput(Random(1))
    human_input.push(0.0)
    human_input.runs = int(Button.RB)
    assert human_input.pad().holds(Button.RB)
    assert human_input.pad().left == (0.0, 0.0)
    assert human_input.pad().held == 0


def test_the_camera_is_turned_after_the_way_and_only_when_far_off():
    human_input = HumanInput(Random(1))
    human_input.look(0.3)
    assert human_input.pad().right == (0.0, 0.0)
    human_input.look(1.2)
    assert human_input.pad().right[0] < 0
    human_input.look(0.3)
    assert human_input.pad().right[0] < 0
    human_input.look(0.1)
    assert human_input.pad().right == (0.0, 0.0)
    human_input.look(-1.2)
    assert human_input.pad().right[0] > 0
