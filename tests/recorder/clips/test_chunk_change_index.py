"""The index of a chunk's frames: what contradicts itself is damage, and never an answer."""

import numpy as np
import pytest

from playhead.errors import DamagedError
from playhead.recorder.clips.chunk_change_index import STAMP_DTYPE, ChangeRecord, ChunkChanges

NAME = (7, 1)
"""Whose watched value, and the number of its name."""


def stamps(*times):
    rows = np.zeros(len(times), STAMP_DTYPE)
    rows["time"] = times
    return rows.tobytes()


def index(*, times=(0.5, 0.5, 0.75), changes=(), frames=None, values=(1.0, 2.0, 3.0), count=3):
    """An index of three frames from 10 on."""
    offsets = None if frames is None else np.array(frames, "<u4").tobytes()
    watched = [(*NAME, offsets, np.array(values, "<f8").tobytes())]
    return ChunkChanges(ChangeRecord(10, count, stamps(*times), list(changes), watched))


def change(frame):
    return (frame, 7, 3, 0, 40, b"payload")


def test_values_are_of_all_frames_or_of_those_that_are_named():
    frames, values = index().watched(*NAME)
    assert (frames.tolist(), values.tolist()) == ([10, 11, 12], [1.0, 2.0, 3.0])
    frames, values = index(frames=[0, 2], values=[1.0, 3.0]).watched(*NAME)
    assert (frames.tolist(), values.tolist()) == ([10, 12], [1.0, 3.0])
    assert [len(one) for one in index().watched(7, 2)] == [0, 0]


@pytest.mark.parametrize("times", [(0.5, 0.25, 0.75), (0.5, float("nan"), 1.0), (0, 1, np.inf)])
def test_times_that_run_backwards_or_are_none_are_damage(times):
    with pytest.raises(DamagedError, match="the times of the frames from 10 on are broken"):
        index(times=times)


def test_stamps_of_more_or_fewer_frames_than_are_announced_are_damage():
    with pytest.raises(DamagedError, match=r"96 bytes of stamps where 4 × 32 are announced"):
        index(count=4)


@pytest.mark.parametrize("frame", [9, 13])
def test_a_change_of_another_chunks_frame_is_damage_that_names_it(frame):
    assert index(changes=[change(10), change(12)])
    with pytest.raises(DamagedError, match=f"a change of frame {frame} among those from 10 on"):
        index(changes=[change(10), change(frame)])


@pytest.mark.parametrize("frames", [[0, 3], [1, 0], [1, 1]])
def test_watched_values_of_frames_that_are_not_there_or_out_of_order_are_damage(frames):
    with pytest.raises(DamagedError, match="watched values of frames from 10 on are broken"):
        index(frames=frames, values=[1.0, 2.0]).watched(*NAME)
