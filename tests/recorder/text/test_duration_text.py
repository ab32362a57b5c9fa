"""Durations read the same wherever they are printed."""

import pytest

from playhead.recorder.text.duration_text import clock_text, duration_text


def test_durations_have_fewer_decimals_the_longer_they_are():
    assert [duration_text(one) for one in (0.25, 9.983, 12.34, 200)] == [
        "0.25 s", "9.98 s", "12.3 s", "03:20",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"), [(62.5, "01:02.500"), (-0.5, "−00:00.500"), (3661.0, "1:01:01.000")]
)
def test_a_clock_has_hours_where_there_are_some(seconds, text):
    assert clock_text(seconds) == text
