"""Times are formatted and parsed in each of the formats."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.errors import CommandError
from playhead.playback.commands import SeekFrame, SeekMark, SeekTime
from playhead.viewer.toolkit.time_text import (
    RULER_STEPS,
    TimeStyle,
    TimeUnit,
    available_formats,
    parse_seek,
    ruler_step,
    start_of,
    time_text,
    use_style,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "00:00.000"), (62.5, "01:02.500"), (3723.0004, "1:02:03.000"), (59.9996, "01:00.000"),
     (-1.25, "−00:01.250")],
)  # fmt: skip
def test_a_time_is_formatted_as_a_clock_by_default(seconds, text):
    assert time_text(seconds) == text


@given(st.integers(0, 10_000_000))
def test_a_formatted_time_can_be_parsed_again(milliseconds):
    command = parse_seek(time_text(milliseconds / 1000))
    assert isinstance(command, SeekTime)
    # It may have been rounded down: then it means the frame that comes before the next millisecond.
    assert -1e-6 <= command.time - milliseconds / 1000 < 0.0005


@pytest.mark.parametrize(
    ("text", "command"),
    [("12.5", SeekTime(12.5)), ("1:02.5", SeekTime(62.5)), ("#1,200", SeekFrame(1200)),
     ("+0.5", SeekTime(10.5)), ("-2", SeekTime(8.0)), ("−2", SeekTime(8.0)),
     ("player down", SeekMark("player down")), ("1:x", SeekMark("1:x"))],
)  # fmt: skip
def test_seconds_clock_times_frames_relative_times_and_marks_can_be_typed(text, command):
    assert parse_seek(text, 10.0) == command


@pytest.mark.parametrize("text", ["", "  ", "#", "#x", "#-1"])
def test_an_empty_destination_or_frame_number_raises(text):
    with pytest.raises(CommandError):
        parse_seek(text)


@given(st.floats(1e-6, 50))
def test_the_ruler_has_the_finest_step_that_leaves_room_for_its_numbers(seconds_per_pixel):
    step = ruler_step(seconds_per_pixel)
    finer = [other for other in RULER_STEPS if other < step]
    assert step / seconds_per_pixel >= 96 or step >= 3600
    assert step >= 3600 or not finer or finer[-1] / seconds_per_pixel < 96


START = 1_700_000_000.0
"""When the recordings of these tests began, seconds since 1970."""


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
def test_a_time_is_formatted_in_the_style_in_use(style, text):
    use_style(style)
    assert time_text(62.5) == text


@given(
    st.integers(0, 1_000_000), st.sampled_from((30.0, 60.0, 64.0, 120.0)),
    st.sampled_from(list(TimeUnit)),
)  # fmt: skip
def test_a_frame_s_time_can_be_parsed_in_every_format(frame, rate, format):
    use_style(TimeStyle(format, lambda time: round(time * rate), rate, START))
    time = frame / rate
    command = parse_seek(time_text(time), time)
    if isinstance(command, SeekFrame):
        assert command.frame == frame
    else:
        # Within that frame, but for rounding.
        assert -0.0006 <= command.time - time < 1 / rate - 1e-9


def test_a_time_of_day_is_found_on_the_day_nearest_to_the_playhead():
    use_style(TimeStyle(TimeUnit.WALL, None, 60.0, START))
    for hours in (0, 5, 20, 30):
        assert parse_seek(time_text(hours * 3600.0), hours * 3600.0).time == pytest.approx(
            hours * 3600.0
        )


@pytest.mark.parametrize(
    ("about", "began"),
    [({}, None), ({"began": 12.5}, 12.5), ({"began": "2026-01-01T00:00:00+00:00"}, 1767225600.0),
     ({"began": "yesterday"}, None), ({"began": True}, None), ({"began": -1}, None),
     ({"began": float("nan")}, None), ({"began": 1e300}, None), (None, None)],
)  # fmt: skip
def test_times_of_day_are_available_if_the_game_says_when_it_began(about, began):
    assert start_of(about) == began
    assert (TimeUnit.WALL in available_formats(began)) is (began is not None)
