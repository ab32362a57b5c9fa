"""Times as people read and type them."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.errors import CommandError
from playhead.playback.command import SeekFrame, SeekMark, SeekTime
from playhead.viewer.models.times import STEPS, seek_of, step_for, told, told_span


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "00:00.000"), (62.5, "01:02.500"), (3723.0004, "1:02:03.000"), (59.9996, "01:00.000"),
     (-1.25, "−00:01.250")],
)  # fmt: skip
def test_an_instant_reads_as_a_clock(seconds, text):
    assert told(seconds) == text


@given(st.integers(0, 10_000_000))
def test_what_is_told_can_be_typed_again(milliseconds):
    command = seek_of(told(milliseconds / 1000))
    assert isinstance(command, SeekTime)
    assert command.time == pytest.approx(milliseconds / 1000, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "command"),
    [("12.5", SeekTime(12.5)), ("1:02.5", SeekTime(62.5)), ("#1,200", SeekFrame(1200)),
     ("+0.5", SeekTime(10.5)), ("-2", SeekTime(8.0)), ("−2", SeekTime(8.0)),
     ("player down", SeekMark("player down")), ("1:x", SeekMark("1:x"))],
)  # fmt: skip
def test_one_types_seconds_clocks_frames_ways_and_marks(text, command):
    assert seek_of(text, 10.0) == command


@pytest.mark.parametrize("text", ["", "  ", "#", "#x", "#-1"])
def test_what_leads_nowhere_is_refused(text):
    with pytest.raises(CommandError):
        seek_of(text)


@given(st.floats(1e-6, 50))
def test_the_ruler_leaves_room_for_its_numbers(seconds_per_pixel):
    step = step_for(seconds_per_pixel)
    finer = [one for one in STEPS if one < step]
    assert step / seconds_per_pixel >= 96 or step >= 3600
    assert step >= 3600 or not finer or finer[-1] / seconds_per_pixel < 96


def test_short_and_long_spans_read_well():
    assert [told_span(one) for one in (0.25, 12.34, 200)] == ["0.25 s", "12.3 s", "03:20"]
