"""Clips of a running game: how far they are is told, and nobody waits for them."""

import threading
import time

import pytest

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.reading.ring_source import RingSource
from playhead.viewer.backends.annotation_store import SaveViewedClip
from playhead.viewer.backends.clip_write_progress import ClipWriteProgress

from ...support.waits import LIMIT


@pytest.fixture
def held_up(monkeypatch):
    """Clips are not written to their end before this is set; `begun` says that one is begun."""
    gate, begun, add = threading.Event(), threading.Event(), ClipWriter.add

    def slowly(writer, image):
        add(writer, image)
        begun.set()
        gate.wait(LIMIT)

    monkeypatch.setattr(ClipWriter, "add", slowly)
    gate.begun = begun
    yield gate
    gate.set()


@pytest.fixture
def next_message(reader, live):
    """What a reader in front of a game says: waits for words, and returns the whole line."""
    made = reader(live().endpoint)
    lines: list[str] = []

    def wait(words: str) -> str:
        end = time.monotonic() + LIMIT
        while True:
            lines.extend(made.take().messages)
            found = [line for line in lines if words in line]
            if found:
                return found[0]
            assert time.monotonic() < end, lines
            threading.Event().wait(0.01)

    def ready() -> None:
        end = time.monotonic() + LIMIT
        # One frame alone has no length: there is no share of it.
        while (snapshot := made.take().snapshot) is None or snapshot.frame < 5:
            assert time.monotonic() < end
            threading.Event().wait(0.01)

    ready()
    wait.reader = made
    return wait


def test_how_far_it_is_is_reported_until_it_is_there(next_message, held_up, tmp_path):
    path = tmp_path / "saved.mcap"
    next_message.reader.annotate(SaveViewedClip(str(path)))
    assert next_message("%") == "Saving saved.mcap … 0%"
    held_up.set()
    assert next_message("Saved").startswith(f"Saved {path}: ")
    with ClipSource.open(path) as source:
        assert source.span is not None


def test_closing_the_window_waits_for_no_clip(next_message, held_up, tmp_path):
    next_message.reader.annotate(SaveViewedClip(str(tmp_path / "saved.mcap")))
    assert held_up.begun.wait(LIMIT)
    began = time.monotonic()
    next_message.reader.close()
    assert time.monotonic() - began < LIMIT / 2


def test_what_is_wrong_with_a_place_is_reported_at_once(next_message, tmp_path):
    path = tmp_path / "there.mcap"
    path.write_text("something else")
    next_message.reader.annotate(SaveViewedClip(str(path)))
    next_message("this is there already: give another name")
    assert path.read_text() == "something else"


def test_a_clip_that_is_being_written_tells_up_to_where_it_is(ring, tmp_path):
    source = RingSource.open(ring)
    path = tmp_path / "out.mcap"
    left = tmp_path / ".out.mcap.0000.part"
    left.write_bytes(bytes(100))  # by a process that was killed
    part, calls = ClipWriteProgress(path), []
    assert part.until() is None
    with ClipWriter(path, chunk_bytes=4096) as writer:
        span = source.span
        for frame in range(span.oldest, span.newest + 1):
            writer.copy(source.ring, frame, frame)
            writer._file.flush()
            calls.append(part.until())
        writer.finish()
    times = sorted({time for time in calls if time is not None})
    assert len(times) > 5
    known = [time for time in calls if time is not None]
    assert known == sorted(known)
    for frame, until in zip(range(span.oldest, span.newest + 1), calls, strict=True):
        assert until is None or until <= source.stamp(frame).time
    assert times[-1] > span.end - 0.5
    assert ClipWriteProgress(tmp_path / "nowhere" / "x.mcap").until() is None
    source.ring.close()
