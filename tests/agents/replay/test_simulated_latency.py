"""Pads on their way: late, in order, sometimes lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.replay.simulated_latency import MOST, PadLatency
from playhead.errors import CommandError
from playhead.playback.pads.pad import NEUTRAL, Button, Pad


def numbered(count: int) -> list[Pad]:
    return [Pad(left=(number / count, 0.0)) for number in range(1, count + 1)]


def test_without_latency_a_pad_is_held_at_once():
    latency = PadLatency()
    assert [latency.send(pad) for pad in numbered(5)] == numbered(5)


@given(most=st.integers(0, 6), seed=st.integers(0, 1000), lost=st.sampled_from([0.0, 0.3]))
def test_pads_come_in_order_and_none_is_later_than_the_most(most, seed, lost):
    latency, pads = PadLatency(most, seed=seed, lost=lost), numbered(60)
    held = [latency.send(pad) for pad in pads]
    ages = [now - pads.index(pad) for now, pad in enumerate(held) if pad != NEUTRAL]
    numbers = [pads.index(pad) for pad in held if pad != NEUTRAL]
    assert numbers == sorted(numbers)
    if not lost:
        assert max(ages, default=0) <= most
        assert held[:1] == pads[:1] or most


def test_delays_vary_and_the_same_seed_gives_the_same_ones():
    def ages(seed: int) -> list[int]:
        latency, pads = PadLatency(4, seed=seed), numbered(200)
        held = [latency.send(pad) for pad in pads]
        return [now - pads.index(pad) for now, pad in enumerate(held) if pad != NEUTRAL]

    assert ages(1) == ages(1)
    assert ages(1) != ages(2)
    assert len(set(ages(1))) > 2


@given(most=st.integers(0, 5), seed=st.integers(0, 300), presses=st.lists(st.booleans()))
def test_no_press_is_overtaken_by_its_release(most, seed, presses):
    """A button down in one frame only is seen down at least once, however pads bunch up."""
    latency = PadLatency(most, seed=seed)
    sent = [Pad(held=int(Button.A) if down else 0) for down in presses]
    sent += [NEUTRAL] * (most + 1)
    held = [latency.send(pad).holds(Button.A) for pad in sent]
    assert any(held) == any(presses)
    latency = PadLatency(most, seed=seed)
    sent = [Pad(left_trigger=pad.holds(Button.A) * 0.9) for pad in sent]
    assert any(latency.send(pad).left_trigger > 0.5 for pad in sent) == any(presses)


def test_some_are_lost_and_nothing_is_held_of_a_demo_that_is_over():
    latency, pads = PadLatency(0, lost=0.5, seed=3), numbered(100)
    came = {latency.send(pad) for pad in pads}
    assert 20 < len(came) < 80
    latency.clear()
    late = PadLatency(5, seed=1)
    for pad in pads[:10]:
        late.send(pad)
    late.clear()
    assert {late.send(NEUTRAL) for _ in range(10)} == {NEUTRAL}


@pytest.mark.parametrize(("most", "lost"), [(-1, 0.0), (MOST + 1, 0.0), (0, 1.0), (0, -0.1)])
def test_numbers_that_make_no_sense_are_refused(most, lost):
    with pytest.raises(CommandError):
        PadLatency(most, lost=lost)
