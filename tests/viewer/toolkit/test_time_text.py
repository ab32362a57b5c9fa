"""Times as people read and type them."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.errors import CommandError
from playhead.playback.commands import SeekFrame, SeekMark, SeekTime
from playhead.viewer.toolkit.time_text import (
    STEPS,
    TimeStyle,
    TimeUnit,
    began_of,
    clock_text,
    formats,
    seek_of,
    span_text,
    step_for,
    time_text,
    use,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "00:00.000"), (62.5, "01:02.500"), (3723.0004, "1:02:03.000"), (59.9996, "01:00.000"),
     (-1.25, "−00:01.250")],
)  # fmt: skip
def test_an_instant_reads_as_a_clock(seconds, text):
    assert time_text(seconds) == text


@given(st.integers(0, 10_000_000))
def test_what_is_told_can_be_typed_again(milliseconds):
    command = seek_of(time_text(milliseconds / 1000))
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
    assert [span_text(one) for one in (0.25, 12.34, 200)] == ["0.25 s", "12.3 s", "03:20"]


NOON = 1_700_000_000.0
"""When the recordings of these tests began; some day at some time."""


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (TimeStyle(TimeUnit.SECONDS), "62.500 s"),
        (TimeStyle(TimeUnit.FRAME, lambda time: time * 64), "#4000"),
        (TimeStyle(TimeUnit.FRAME), "01:02.500"),
        (TimeStyle(TimeUnit.TIMECODE, rate=60.0), "00:01:02:30"),
        (TimeStyle(TimeUnit.TIMECODE, rate=120.2), "00:01:02:060"),
        (TimeStyle(TimeUnit.WALL), "01:02.500"),
    ],
)
def test_an_instant_is_told_in_the_way_that_was_chosen(style, text):
    use(style)
    assert time_text(62.5) == text
    assert clock_text(62.5) == "01:02.500"


@given(
    st.integers(0, 1_000_000), st.sampled_from((30.0, 60.0, 64.0, 120.0)),
    st.sampled_from(list(TimeUnit)),
)  # fmt: skip
def test_a_frame_s_time_can_be_typed_as_it_is_told(frame, rate, format):
    use(TimeStyle(format, lambda time: round(time * rate), rate, NOON))
    time = frame / rate
    command = seek_of(time_text(time), time)
    if isinstance(command, SeekFrame):
        assert command.frame == frame
    else:
        # It leads to that frame: not before it by more than what rounding takes, and not past it.
        assert -0.0006 <= command.time - time < 1 / rate - 1e-9


def test_the_time_of_day_is_found_on_the_recording_s_days():
    use(TimeStyle(TimeUnit.WALL, None, 60.0, NOON))
    for hours in (0, 5, 20, 30):
        assert seek_of(time_text(hours * 3600.0), hours * 3600.0).time == pytest.approx(
            hours * 3600.0
        )


@pytest.mark.parametrize(
    ("about", "began"),
    [({}, None), ({"began": 12.5}, 12.5), ({"began": "2026-01-01T00:00:00+00:00"}, 1767225600.0),
     ({"began": "yesterday"}, None), ({"began": True}, None), ({"began": -1}, None),
     ({"began": float("nan")}, None), ({"began": 1e300}, None), (None, None)],
)  # fmt: skip
def test_a_recording_may_say_when_it_began(about, began):
    assert began_of(about) == began
    assert (TimeUnit.WALL in formats(began)) is (began is not None)
