"""What of a recording can be chosen."""

import pytest

from playhead.playback.commands import SeekFrame, SeekTime
from playhead.viewer.backends.open_target import open_file
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.search.recording_content_entries import objects, snapshots, typed_times

from ..yard import FAILS


@pytest.fixture
def backend(clip):
    one = open_file(clip)
    yield one
    one.close()


def test_objects_are_reported_with_their_state_and_select_themselves(backend):
    picked = []
    found = objects(SnapshotReader(backend.source).read(FAILS), picked.append)
    assert [one.title for one in found] == ["north", "south"]
    assert "walker 1" in found[0].note
    found[1].run()
    assert picked == [2]
    assert objects(None, picked.append) == []


def test_problems_marks_and_lines_lead_to_their_frames(backend):
    history = RecordingHistory()
    history.marks = tuple(backend.marks())
    for frame in (40, 100, 120, FAILS):
        history.put(backend.page(frame))
    gone = []
    found = snapshots(history, lambda id: f"walker {id}", lambda *to: gone.append(to))
    kinds = {one.title: one.kind for one in found}
    assert kinds["path request failed"] == "problem"
    assert kinds["walkers stay inside"] == "problem"
    assert kinds["here"] == "mark"
    assert kinds["path is long"] == "log"
    next(one for one in found if one.title == "walkers stay inside").run()
    assert gone == [(FAILS, 2)]


@pytest.mark.parametrize(
    ("text", "command"),
    [("#480", SeekFrame(480)), ("1:02", SeekTime(62.0)), ("+2", SeekTime(12.0))],
)
def test_an_instant_is_somewhere_to_go(text, command):
    sent = []
    (found,) = typed_times(text, 10.0, sent.append)
    found.run()
    assert sent == [command]


@pytest.mark.parametrize("text", ["", "here", "#x", "guard"])
def test_words_are_no_instant(text):
    assert typed_times(text, 0.0, lambda command: None) == []


def test_a_mark_that_looks_like_a_time_is_a_mark():
    assert typed_times("12", 0.0, lambda command: None, {"12"}) == []
