"""Channels have a bit each, and two switches that know nothing of one another."""

import pytest

from playhead.errors import RecordingError
from playhead.recorder.channel_switches import MOST, STANDARD, Channels


def test_the_standard_ones_are_there_and_on():
    channels = Channels()
    assert channels.names == STANDARD == ("ai", "animation", "script", "fx")
    assert all(channels.records(channels.bit(name)) for name in STANDARD)
    assert all(channels.shows(channels.bit(name)) for name in STANDARD)


def test_a_new_one_has_a_bit_of_its_own_and_keeps_it():
    channels = Channels()
    bit = channels.bit("sound")
    assert bit == 1 << 4
    assert channels.bit("sound") == bit
    assert channels.bits(["ai", "sound"]) == 1 | bit


def test_the_switches_do_not_touch_one_another():
    channels = Channels()
    ai = channels.bit("ai")
    channels.record("ai", False)
    assert (channels.records(ai), channels.shows(ai)) == (False, True)
    channels.show("ai", False)
    channels.record("ai", True)
    assert (channels.records(ai), channels.shows(ai)) == (True, False)


def test_what_is_in_several_is_there_while_any_is_on_and_what_is_in_none_always():
    channels = Channels()
    both = channels.bits(["ai", "fx"])
    for name in STANDARD:
        channels.record(name, False)
        channels.show(name, False)
    assert not channels.records(both)
    assert channels.records(0)
    assert channels.shows(0)
    channels.record("fx", True)
    assert channels.records(both)
    assert not channels.shows(both)


def test_there_are_32_and_no_more():
    channels = Channels()
    for n in range(MOST - 4):
        channels.bit(f"channel {n}")
    with pytest.raises(RecordingError, match="'one more'.*32"):
        channels.bit("one more")
    assert len(channels.names) == MOST
    assert channels.bit("channel 27") == 1 << 31


@pytest.mark.parametrize("name", ["", 5, None, b"ai", ("ai",)])
def test_a_channel_has_a_name(name):
    with pytest.raises(RecordingError, match="name"):
        Channels().bit(name)


def test_an_unknown_one_is_not_switched_and_those_that_exist_are_named():
    with pytest.raises(RecordingError, match=r"'fxx' is unknown: did you mean 'fx'"):
        Channels().show("fxx", False)
