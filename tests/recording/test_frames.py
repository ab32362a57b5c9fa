"""Frames as a sequence, and which of them somebody means."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import CommandError, EvictedError
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.recording.frame_list import RecordedFrames
from playhead.recording.frame_lookup import frame_of, range_of

from .guards import DT, FRAMES


class Stretches:
    """A source that has nothing but these stretches of frames, four of them in a second."""

    def __init__(self, stretches: list[tuple[int, int]]) -> None:
        self.stretches = stretches
        self.span = FrameRange(stretches[0][0], stretches[-1][1], stretches[0][0] / 4,
                         stretches[-1][1] / 4)  # fmt: skip
        self.held = [frame for low, high in stretches for frame in range(low, high + 1)]

    def stamp(self, frame: int) -> SimpleNamespace:
        assert frame in self.held
        return SimpleNamespace(time=frame / 4, delta=0.25, epoch=0, flags=0)

    def time(self, frame: int) -> float:
        return self.stamp(frame).time

    def settle(self, frame: int) -> int:
        return max(one for one in self.held if one <= frame)

    def frame_at(self, time: float) -> int:
        return max([one for one in self.held if one / 4 <= time], default=self.held[0])


@st.composite
def stretches(draw: st.DrawFn) -> list[tuple[int, int]]:
    at, found = draw(st.integers(1, 5)), []
    for length, gap in draw(
        st.lists(st.tuples(st.integers(1, 6), st.integers(1, 4)), min_size=1, max_size=4)
    ):
        found.append((at, at + length - 1))
        at += length + gap
    return found


ends = st.one_of(st.none(), st.integers(-40, 40))


@given(stretches(), ends, ends, st.one_of(st.none(), st.integers(-5, 5).filter(bool)), ends)
def test_a_list_of_frames_is_sliced_as_any_list(held, start, stop, step, index):
    source = Stretches(held)
    frames, numbers = RecordedFrames(source), source.held  # type: ignore[arg-type]
    assert [one.number for one in frames] == numbers
    some, expected = frames[start:stop:step], numbers[start:stop:step]
    assert [one.number for one in some] == expected
    assert len(some) == len(expected)
    assert [one.number for one in some[::-2]] == expected[::-2]
    assert [one.number for one in reversed(some)] == expected[::-1]
    for frame in range(30):
        assert (frame in some) == (frame in expected)
    if index is not None:
        try:
            expected_one = expected[index]
        except IndexError:
            with pytest.raises(IndexError):
                some[index]
        else:
            assert some[index].number == expected_one


times = st.one_of(st.none(), st.integers(-10, 50).map(lambda quarter: quarter / 8))
numbers = st.one_of(st.none(), st.integers(-3, 40))


@given(stretches(), numbers, times)
def test_the_frame_that_is_meant_is_recorded_or_refused(held, frame, at):
    source = Stretches(held)
    span = source.span
    try:
        found = frame_of(source, frame, at)  # type: ignore[arg-type]
    except CommandError:
        assert frame is not None
        assert at is not None
    except EvictedError as error:
        assert f"it holds the frames {span.oldest} to {span.newest}" in str(error)
        assert frame not in source.held
        assert at is None or not span.start <= at <= span.end
    else:
        assert found in source.held
        if frame is not None:
            assert found == frame
        elif at is not None:
            assert found == source.frame_at(at)
        else:
            assert found == span.newest


def test_before_the_first_frame_that_there_ever_was_nothing_was_evicted():
    with pytest.raises(EvictedError) as caught:
        frame_of(Stretches([(1, 8)]), None, 0.0)  # type: ignore[arg-type]
    assert str(caught.value).startswith(
        "no frame was recorded by 0 s: the first frame is at 0.250 s; it holds the frames 1 to 8"
    )
    with pytest.raises(EvictedError, match="^0 s is not held"):
        frame_of(Stretches([(5, 8)]), None, 0.0)  # type: ignore[arg-type]


@given(stretches(), numbers, numbers, times, times)
def test_a_stretch_is_within_what_is_recorded_or_refused(held, first, last, start, end):
    source = Stretches(held)
    span = source.span
    try:
        low, high = range_of(source, first, last, start, end)  # type: ignore[arg-type]
    except CommandError:
        assert (first is not None and start is not None) or (last is not None and end is not None)
        return
    except EvictedError as error:
        assert "it holds the frames" in str(error)
        return
    inside = [
        frame
        for frame in source.held
        if (first is None or frame >= first)
        and (last is None or frame <= last)
        and (start is None or frame / 4 >= start)
        and (end is None or frame / 4 <= end)
    ]
    assert [frame for frame in source.held if low <= frame <= high] == inside
    if span.oldest > 1:
        assert first is None or first >= span.oldest, "what was evicted is not passed over"
        assert start is None or start >= span.start


def test_a_time_lasts_until_the_next_frame(recordings):
    run = recordings["ring"]
    assert run.frames.at(FRAMES * DT + DT / 2).number == FRAMES
    assert run.frames.at(0.0155).number == 1, "rounded by somebody who has read it"
    for time, result in (
        (0.01, "no frame was recorded by 0.01 s: the first frame is at 0.015625 s"),
        (-1, "no frame was recorded by -1 s: the first frame is at 0.015625 s"),
        (FRAMES * DT + 2 * DT, "s is not held: it holds the frames 1 to 60"),
        (float("inf"), "inf s is not held: it holds the frames 1 to 60"),
    ):
        with pytest.raises(EvictedError, match=result):
            run.frames.at(time)


@pytest.mark.parametrize("wrong", [True, "3", 1.5, None.__class__, b"1", float("nan"), 1j])
def test_what_is_no_number_is_refused_by_name(wrong, recordings):
    run = recordings["ring"]
    with pytest.raises(CommandError, match="give the number of a frame; a time, in seconds, is"):
        run.objects(frame=wrong)
    with pytest.raises(CommandError, match="first=.*: give the number of a frame"):
        run.logs(first=wrong)
    if wrong != 1.5:
        with pytest.raises(CommandError, match="at=.*: give a number of seconds"):
            run.state(1, "ai", at=wrong)
        with pytest.raises(CommandError, match="end=.*: give a number of seconds"):
            run.transitions(end=wrong)


def test_both_ways_to_mean_one_thing_are_one_too_many(recordings):
    run = recordings["ring"]
    with pytest.raises(CommandError, match="frame=3 and at=0.1: give one of them"):
        run.objects(3, at=0.1)
    with pytest.raises(CommandError, match="first=3 and start=0.1: give one of them"):
        run.history(1, "hp", first=3, start=0.1)
    with pytest.raises(CommandError, match="last=3 and end=0.1: give one of them"):
        run.history(1, "hp", last=3, end=0.1)
