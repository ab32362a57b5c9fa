"""How late pads take effect, as the agent measures it from the turns that it sees."""

from collections import deque
from random import Random

import pytest

from playhead.agents.playthrough.pad.input_latency_estimator import PadDelay

TURN = 0.08
"""Radians a frame with the stick all the way."""


def turned(delay, late, frames=300, point=lambda at: (0.0, 0.0, 0.0)):
    """A player who turns left and right, `late()` frames after it was asked to."""
    rng, heading = Random(3), 0.0
    sent = deque([0.0] * 16, maxlen=16)
    for at in range(frames):
        delay.predict(point(at), heading)
        # Full turns first: they tell how fast the player turns at all.
        stick = 1.0 if at < 30 else rng.uniform(-1.0, 1.0)
        delay.sent(stick)
        sent.appendleft(stick)
        heading -= TURN * sent[late()]
    return heading, list(sent)


@pytest.mark.parametrize("late", [0, 1, 2, 4, 8])
def test_a_constant_delay_is_measured(late):
    delay = PadDelay(turns=True)
    turned(delay, lambda: late)
    assert delay.frames == pytest.approx(late, abs=0.3)


def test_of_a_delay_that_varies_the_mean_is_measured():
    delay, rng = PadDelay(turns=True), Random(5)
    turned(delay, lambda: rng.randint(0, 4), frames=1500)
    assert delay.frames == pytest.approx(2.0, abs=0.5)


def test_what_is_under_way_is_counted_in():
    delay = PadDelay(turns=True)
    heading, sent = turned(delay, lambda: 3)
    pending = sum(sent[:3])
    assert delay.predict((0.0, 0.0, 0.0), heading).heading == pytest.approx(
        heading - TURN * pending, abs=0.05
    )


def test_who_walks_is_farther_on_when_a_pad_takes_effect():
    delay = PadDelay(turns=True)
    heading, _ = turned(delay, lambda: 3, point=lambda at: (0.1 * at, 0.0, 0.0))
    ahead = delay.predict((30.0, 0.0, 0.0), heading).point
    assert ahead[0] == pytest.approx(30.3, abs=0.05)


def test_a_warp_is_no_walk():
    delay = PadDelay(turns=True)
    heading, _ = turned(delay, lambda: 3)
    assert delay.predict((50.0, 0.0, 0.0), heading).point == (50.0, 0.0, 0.0)


def test_nothing_is_predicted_where_the_stick_turns_nobody():
    delay = PadDelay(turns=False)
    heading, _ = turned(delay, lambda: 3)
    assert delay.frames == 0.0
    assert delay.predict((1.0, 2.0, 3.0), heading) == ((1.0, 2.0, 3.0), heading)
