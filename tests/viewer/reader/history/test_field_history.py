"""The course of an object: what is read in any order is what was recorded."""

import time

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from playhead.recorder.clips.clip_source import ClipSource
from playhead.viewer.reader.history.field_history import FieldBatch, FieldHistory, FieldNote
from playhead.viewer.reader.history.field_history_scan import FieldHistoryScan

NOTES = {
    "hp": FieldNote(),
    "at": FieldNote("m", 2),
    "state": FieldNote(is_text=True),
    "up": FieldNote(is_flag=True),
}
NAMES = ("Patrol", "Chase", "Hide")


def value_of(frame: int) -> tuple[float, tuple[float, float], str, bool]:
    return frame / 2, (frame, -frame), NAMES[frame // 3 % 3], frame % 5 < 2


def batch(frames: list[int], *, absent: bool = False) -> FieldBatch:
    numbers = np.array(frames, np.float64)
    if absent:
        return FieldBatch(numbers, numbers / 4, {}, {}, {})
    results = [value_of(frame) for frame in frames]
    # Each batch has its own numbers for texts.
    texts = tuple(sorted({one[2] for one in results}))
    fields = {
        "hp": np.array([[one[0]] for one in results]),
        "at": np.array([one[1] for one in results], np.float64),
        "state": np.array([[texts.index(one[2])] for one in results], np.float64),
        "up": np.array([[one[3]] for one in results], np.float64),
    }
    return FieldBatch(numbers, numbers / 4, fields, {"state": texts}, NOTES)


@given(st.lists(st.tuples(st.sets(st.integers(1, 60), min_size=1), st.booleans()), max_size=8))
def test_whatever_order_frames_come_in_each_has_what_was_stated_of_it_last(parts):
    field_history, expected = FieldHistory(1), {}
    for frames, absent in parts:
        field_history.put(batch(sorted(frames), absent=absent))
        expected |= dict.fromkeys(frames, absent)
    assert field_history.frames.tolist() == sorted(expected)
    assert field_history.times.tolist() == [frame / 4 for frame in sorted(expected)]
    for at, frame in enumerate(sorted(expected)):
        if not field_history.notes:
            continue
        hp, position, state, up = value_of(frame)
        if expected[frame]:
            assert np.isnan(field_history.numbers("hp")[at])
            assert field_history.text("state", at) == ""
        else:
            assert field_history.numbers("hp")[at] == hp
            assert tuple(field_history.parts("at")[at]) == position
            assert field_history.text("state", at) == state
            assert field_history.text("up", at) == ("true" if up else "false")


def test_a_vector_is_represented_by_its_length():
    field_history = FieldHistory(1)
    field_history.put(batch([3, 4]))
    assert field_history.numbers("at").tolist() == pytest.approx([18**0.5, 32**0.5])


def test_a_text_is_a_lane_whose_equal_neighbours_are_one_and_which_is_empty_where_it_is_not():
    field_history = FieldHistory(1)
    field_history.put(batch([1, 2, 3, 4]))
    field_history.put(batch([5, 6], absent=True))
    field_history.put(batch([7]))
    lane = field_history.lane("state")
    assert lane.names == ["Patrol", "Chase", "", "Hide"]
    assert lane.starts.tolist() == [0.25, 0.75, 1.25, 1.75]
    assert lane.ends[-1] == 1.75, "nothing is known behind what was read"
    assert field_history.lane("state") is lane
    field_history.put(batch([8]))
    assert field_history.lane("state") is not lane


def test_older_frames_can_be_forgotten():
    field_history = FieldHistory(1)
    field_history.put(batch([1, 2, 3, 4]))
    field_history.drop_before(3)
    assert field_history.frames.tolist() == [3, 4]
    assert field_history.at(0.5) is None
    assert field_history.at(0.8) == 0


def test_a_field_history_without_frames_has_an_empty_lane():
    field_history = FieldHistory(1)
    field_history.put(batch([1]))
    field_history.drop_before(9)
    assert len(field_history.lane("state")) == 0


class Progress:
    """Takes what a scan tells."""

    def __init__(self, object: int) -> None:
        self.rings = 0
        self.scan = FieldHistoryScan(object, self._ring)
        self.field_history = FieldHistory(object)
        self.restarted = False

    def _ring(self) -> None:
        self.rings += 1

    def read(self, source, *, backwards: bool = False) -> FieldHistory:
        while self.scan.go_on(source, source.span, time.monotonic() + 0.01, backwards=backwards):
            pass
        return self.take()

    def take(self) -> FieldHistory:
        batches, self.field_history.progress, self.restarted = self.scan.take()
        for one in batches:
            self.field_history.put(one)
        return self.field_history


@pytest.mark.parametrize("backwards", [False, True])
def test_a_scan_reads_every_frame_of_an_object(clip, backwards):
    with ClipSource.open(clip) as source:
        field_history = Progress(1).read(source, backwards=backwards)
        assert field_history.progress == 1.0
        assert field_history.frames.tolist() == list(range(1, 257))
        assert {name: note.parts for name, note in field_history.notes.items()} == {
            "position": 3, "angles": 3, "visible": 1, "state": 1, "hp": 1, "skeleton": 1,
        }  # fmt: skip
        assert field_history.notes["position"].unit == "m"
        for frame in (1, 63, 64, 200, 256):
            (values,) = (result for packet, result in source.decoded(frame) if packet.id == 1)
            at = frame - 1
            assert field_history.numbers("hp")[at] == values["hp"]
            assert field_history.parts("position")[at] == pytest.approx(values["position"])
            assert field_history.text("state", at) == values["state"].rstrip(b"\0").decode()


def test_a_scan_goes_over_gaps_and_an_object_that_is_nowhere_has_no_fields(gapped):
    with ClipSource.open(gapped) as source:
        assert len(Progress(2).read(source)) == 176
        nobody = Progress(77).read(source)
    assert len(nobody) == 176
    assert nobody.notes == {}


def test_a_scan_that_is_restarted_says_so_and_begins_anew(clip):
    result = Progress(1)
    with ClipSource.open(clip) as source:
        result.read(source)
        assert result.rings > 0
        result.scan.restart()
        result.take()
        assert result.restarted
        result.field_history = FieldHistory(1)
        assert len(result.read(source)) == 256
