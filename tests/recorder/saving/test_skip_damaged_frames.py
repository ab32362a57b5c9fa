"""Damaged frames are left out of what is written, with a warning; all of them are an error."""

import logging

import pytest

from playhead.errors import DamagedError
from playhead.recorder.saving.skip_damaged_frames import DamagedFrames


def skipped(*frames: int) -> DamagedFrames:
    damaged = DamagedFrames()
    for frame in frames:
        with damaged.skipping(frame):
            raise DamagedError(f"frame {frame} is torn")
    return damaged


def test_how_many_were_left_out_and_why_is_one_warning(caplog):
    caplog.set_level(logging.WARNING, "playhead")
    skipped(3, 5).finish(4)
    [record] = caplog.records
    assert record.getMessage() == (
        "2 of 4 frames are damaged and left out, the first of them frame 3: frame 3 is torn"
    )


def test_nothing_is_logged_if_no_frame_was_damaged(caplog):
    damaged = skipped()
    with damaged.skipping(1):
        pass
    damaged.finish(0)
    assert caplog.records == []


def test_if_all_are_damaged_it_is_the_first_ones_error():
    with pytest.raises(DamagedError, match="frame 3 is torn"):
        skipped(3, 5).finish(2)


def test_another_error_is_not_passed_over():
    damaged = DamagedFrames()
    with pytest.raises(ZeroDivisionError), damaged.skipping(1):
        raise ZeroDivisionError
