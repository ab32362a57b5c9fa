"""A clip with flipped bytes in its middle: nothing of it looks as if it were there."""

import time
from pathlib import Path
from unittest import mock

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.errors import RecordingError
from playhead.playback.commands import SeekFrame
from playhead.recorder.clips import clip_writer as clip_writer
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.reading.ring_source import RingSource
from playhead.viewer.app.main_window import MainWindow
from playhead.viewer.app.viewer_main import _wait, screenshot
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.reader.damaged_ranges import (
    DamagedRange,
    damaged_ranges_text,
    known_damaged_ranges,
    with_frame,
)
from playhead.viewer.search.problem_list import problems
from playhead.viewer.toolkit.qt import QApplication, QMessageBox, Qt

from .yard import make_clip


def save_in_small_chunks(ring: Path, path: Path) -> None:
    """A clip of a ring in many chunks, though each has all that is latched in front."""
    source = RingSource.open(ring)
    with (
        mock.patch.object(clip_writer, "KEYFRAME_SHARE", 1),
        ClipWriter(path, chunk_bytes=8192) as writer,
    ):
        writer.copy(source.ring, source.span.oldest, source.span.newest)
        writer.finish()
    source.ring.close()


def flipped(ring: Path, path: Path, *chunks: int) -> list[tuple[int, int]]:
    """A clip with one byte changed in each of these chunks; their first and last frames."""
    save_in_small_chunks(ring, path)
    with ClipSource.open(path) as clip:
        rows = [clip.clip._rows[at] for at in chunks]
    data = bytearray(path.read_bytes())
    for row in rows:
        data[row.offset + 200] ^= 0xFF
    path.write_bytes(data)
    return [(row.first, row.last) for row in rows]


@pytest.fixture
def damaged(ring, tmp_path):
    path = tmp_path / "damaged.mcap"
    return path, flipped(ring, path, 9, 10, 20)


def test_damaged_stretches_are_reported_at_the_top_and_hatched_and_n_leads_there(
    window, damaged, until
):
    path, ((first, _), (_, last), other) = damaged
    opened = window(path)
    history = opened.store.history
    results = [(hole.first, hole.last) for hole in history.damage]
    assert results == [(first, last), other]
    opened.store.send(SeekFrame(last + 2))
    until(lambda: opened.store.frame == last + 2)
    assert damaged_ranges_text(history.damage).startswith(
        "Damaged, N leads there: 2 stretches can't be read: "
    )
    gap = [one for one in history.gaps() if one.first == first]
    assert gap[0].last == last
    assert {one.why for one in history.missing(1.0, 4.0, history.span)} == {"damaged"}
    texts = [one.text for one in problems(history)]
    assert sum(text.startswith("Damaged: frames ") for text in texts) == 2  # one for each gap
    # From the very beginning N comes by them.
    opened.store.send(SeekFrame(first - 5))
    until(lambda: opened.store.frame == first - 5)
    QTest.keyClick(opened, Qt.Key.Key_N)
    until(lambda: opened.store.frame == first - 1)
    message = opened.status.left.text()
    assert message.startswith(f"Damaged: frames {first} – ")
    assert "the chunk at byte" in message
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, QMessageBox)]


def test_in_the_middle_of_it_the_world_says_which_frame_is_missing(window, damaged, until, app):
    path, ((first, _), *_) = damaged
    opened = window(path)
    opened.store.send(SeekFrame(first - 1))
    until(lambda: opened.store.frame == first - 1)
    QTest.keyClick(opened, Qt.Key.Key_Right)
    until(lambda: opened.store.error_text)
    error_text = opened.store.error_text
    assert error_text.startswith(f"Damaged: frame {first} can't be read: the chunk at byte ")
    assert str(path) not in error_text
    # The playhead is where the missing frame would be, not where the last one was.
    assert opened.store.cursor == pytest.approx(first / 64)
    # And one gets out on the other side, step by step.
    for _ in range(40):
        QTest.keyClick(opened, Qt.Key.Key_Right)
        app.processEvents()
    until(lambda: not opened.store.error_text)
    assert opened.store.frame > first


def test_a_picture_of_a_frame_that_is_damaged_is_refused_at_once_with_the_reason(
    app, damaged, tmp_path
):
    path, ((first, _), *_) = damaged
    picture = tmp_path / "picture.png"
    with pytest.raises(RecordingError) as caught:
        screenshot(target_of(str(path)), picture, commands=(SeekFrame(first),))
    assert str(caught.value).startswith(
        f"no picture: Damaged: frame {first} can't be read: the chunk at byte "
    )
    assert str(caught.value).endswith("--at chooses another frame of damaged.mcap")
    assert not picture.exists()
    screenshot(target_of(str(path)), picture, commands=(SeekFrame(first - 1),))
    assert picture.stat().st_size > 10_000


def test_waiting_for_a_frame_leaves_the_processor_to_others(app, window, clip, until):
    store = window(clip).store
    until(lambda: store.is_settled)  # while it reads, its thread has work to do

    def costs() -> float:
        """Seconds of this thread's time that a wait takes."""
        began = time.thread_time()
        assert not _wait(store, lambda: False, 0.4)
        return time.thread_time() - began

    # At first there may still be something to be painted.
    until(lambda: costs() < 0.1)
    assert _wait(store, lambda: True, 60.0)


def test_a_window_that_opens_at_a_damaged_frame_says_so(app, damaged, until):
    path, ((first, _), *_) = damaged
    opened = MainWindow(target_of(str(path)), commands=(SeekFrame(first),))
    try:
        opened.show()
        until(lambda: opened.store.error_text)
        assert opened.store.snapshot is None
        assert f"frame {first} can't be read" in opened.card.waiting.text()
        assert "Shown is" not in opened.store.error_text, "nothing is shown so far"
        assert f"frame {first} can't be read" in opened.world.text()
        QTest.keyClick(opened, Qt.Key.Key_Home)
        until(lambda: opened.store.frame == 1 and not opened.store.error_text)
    finally:
        opened.close()
        opened.deleteLater()


def test_behind_it_the_states_are_those_that_hold_there(window, ring, tmp_path, until):
    """Patrol becomes Chase at frame 64 and Patrol again at 128: the second one is lost."""
    path = tmp_path / "damaged.mcap"
    save_in_small_chunks(ring, path)
    with ClipSource.open(path) as clip:
        index = next(at for at, row in enumerate(clip.clip._rows) if row.first <= 128 <= row.last)
    path.unlink()
    ((_, last),) = flipped(ring, path, index)
    opened = window(path)
    changes = opened.store.history.changes[1, "guard"]
    assert [(one.frame, one.trace.target) for one in changes] == [
        (1, "Patrol"), (64, "Chase"), (last + 1, "Patrol"), (192, "Chase"), (256, "Patrol"),
    ]  # fmt: skip


def test_a_state_that_was_entered_in_a_gap_and_never_again_is_that_behind_it(window, tmp_path):
    """Patrol becomes Chase at frame 64, and Patrol again at 128, which is in the gap."""
    path = tmp_path / "gapped.mcap"
    make_clip(path, (1, 100), (140, 190))
    opened = window(path)
    changes = opened.store.history.changes[1, "guard"]
    assert [(one.frame, one.trace.target) for one in changes] == [
        (1, "Patrol"), (64, "Chase"), (140, "Patrol"),
    ]  # fmt: skip


def test_of_a_clip_without_an_index_the_damaged_ranges_are_known_when_it_opens(ring, tmp_path):
    path = tmp_path / "damaged.mcap"
    ((first, last),) = flipped(ring, path, 7)
    path.write_bytes(path.read_bytes()[:-40])
    with ClipSource.open(path) as clip:
        (hole,) = known_damaged_ranges(clip)
    assert (hole.first, hole.last) == (first, last)
    assert (hole.start, hole.end) == pytest.approx(((first - 1) / 64, last / 64))


def test_damaged_ranges_that_touch_are_one():
    row = with_frame([], DamagedRange(5, 5, 0.4, 0.5, "a"))
    row = with_frame(row, DamagedRange(6, 6, 0.5, 0.6, "a"))
    assert row == [DamagedRange(5, 6, 0.4, 0.6, "a")]
    assert with_frame(row, DamagedRange(6, 6, 0.5, 0.6, "a")) == row
    row = with_frame(row, DamagedRange(7, 7, 0.6, 0.7, "b"))
    assert row == [DamagedRange(5, 7, 0.4, 0.7, "a; b")]
    row = with_frame(row, DamagedRange(9, 9, 0.8, 0.9, "c"))
    assert damaged_ranges_text([]) == ""
    assert damaged_ranges_text(row[1:]) == (
        "Damaged, N leads there: frame 9 can't be read (00:00.800 – 00:00.900): c"
    )
    assert damaged_ranges_text(row) == (
        "Damaged, N leads there: 2 stretches can't be read:"
        " 00:00.400 – 00:00.700, 00:00.800 – 00:00.900"
    )
