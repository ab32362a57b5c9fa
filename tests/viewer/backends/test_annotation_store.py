"""Keeping marks and clips of a recording in a file."""

import shutil
import threading

import pytest

from playhead.errors import CommandError, EvictedError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.mark import Mark
from playhead.recorder.reading.ring_source import RingSource
from playhead.viewer.backends.annotation_store import (
    BY_HAND,
    AddMark,
    ChangeMark,
    FileAnnotationStore,
    SaveViewedClip,
    clip_path,
    frames_of,
    name_and_note,
)
from playhead.viewer.reader.background_jobs import Job, JobQueue


def done(granted) -> str:
    """What is said in the end."""
    return granted.work(lambda share: None) if isinstance(granted, Job) else granted


@pytest.fixture
def path(clip, tmp_path):
    return shutil.copy(clip, tmp_path / "yard.mcap")


@pytest.fixture
def source(path):
    with ClipSource.open(path) as opened:
        yield opened


@pytest.fixture
def keeping(path, source):
    return FileAnnotationStore(path, source)


def by_hand(path) -> list[tuple[str, str, int]]:
    with ClipSource.open(path) as opened:
        marks = [mark for mark in opened.marks() if mark.kind == BY_HAND]
    assert verify(path).ok
    return [(mark.name, mark.note, mark.frame) for mark in marks]


def test_a_mark_goes_into_the_clip_at_once_and_can_be_renamed_and_removed(keeping, source, path):
    result = done(keeping.apply(AddMark(77, "door: opens late", 2), source))
    assert result == "Marked 'door' at 00:01.203, in yard.mcap"
    assert by_hand(path) == [("door", "opens late", 77)]
    (mark,) = (one for one in keeping.marks(source.marks()) if one.kind == BY_HAND)
    assert (mark.time, mark.object) == (77 / 64, 2)
    assert keeping.unsaved == 0
    done(keeping.apply(ChangeMark(mark, "gate"), source))
    assert by_hand(path) == [("gate", "", 77)]
    (mark,) = (one for one in keeping.marks(source.marks()) if one.kind == BY_HAND)
    done(keeping.apply(ChangeMark(mark), source))
    assert by_hand(path) == []


def test_marks_of_a_clip_that_was_marked_before_can_be_changed_too(keeping, source, path):
    done(keeping.apply(AddMark(77, "door"), source))
    with ClipSource.open(path) as again:
        second = FileAnnotationStore(path, again)
        (mark,) = (one for one in second.marks(again.marks()) if one.kind == BY_HAND)
        done(second.apply(ChangeMark(mark, "gate"), again))
    assert by_hand(path) == [("gate", "", 77)]


def test_a_mark_without_a_name_is_called_by_its_time(keeping, source, path):
    done(keeping.apply(AddMark(64, "  "), source))
    assert by_hand(path) == [("00:01.000", "", 64)]


def test_recorded_marks_stay_and_the_same_mark_is_set_once(keeping, source):
    (recorded,) = (mark for mark in source.marks() if mark.name == "here")
    with pytest.raises(CommandError, match="'here' was recorded by the game"):
        keeping.apply(ChangeMark(recorded, "there"), source)
    keeping.apply(AddMark(64, "door"), source)
    with pytest.raises(CommandError, match="frame 64 is marked 'door' already"):
        keeping.apply(AddMark(64, "door"), source)
    with pytest.raises(CommandError, match="'nowhere' is not there any more"):
        keeping.apply(ChangeMark(Mark("nowhere", 9, kind=BY_HAND)), source)
    with pytest.raises(EvictedError):
        keeping.apply(AddMark(999, "door"), source)


def test_a_mark_of_a_read_only_clip_is_kept_and_goes_into_the_next_clip(
    keeping, source, path, tmp_path
):
    path.chmod(0o444)
    result = done(keeping.apply(AddMark(100, "door"), source))
    assert "here only" in result
    assert "read-only: save it under another name (Ctrl+S)" in result
    assert keeping.unsaved == 1
    assert by_hand(path) == []
    assert "door" in {mark.name for mark in keeping.marks(source.marks())}
    other = tmp_path / "other"
    result = done(keeping.apply(SaveViewedClip(str(other), (1.0, 2.0)), source))
    assert result.startswith(f"Saved {other}.mcap: 65 frames")
    assert by_hand(other.with_suffix(".mcap")) == [("door", "", 100)]
    assert keeping.unsaved == 0
    # As soon as it can be written again, what was only here goes along.
    path.chmod(0o644)
    done(keeping.apply(AddMark(101, "wall"), source))
    assert by_hand(path) == [("door", "", 100), ("wall", "", 101)]


def test_a_clip_is_never_saved_onto_itself(keeping, source, path):
    with pytest.raises(CommandError, match="this is the file itself"):
        done(keeping.apply(SaveViewedClip(str(path)), source))


def test_the_marks_of_a_ring_are_kept_and_written_into_the_clip(ring, tmp_path):
    source = RingSource.open(ring)
    keeping = FileAnnotationStore(ring, source)
    span = source.span
    result = done(keeping.apply(AddMark(span.newest - 5, "last: words"), source))
    assert result.endswith("kept here until you save a clip (Ctrl+S)")
    assert keeping.unsaved == 1
    shares = []
    job = keeping.apply(SaveViewedClip(str(tmp_path / "out.mcap")), source)
    job.work(shares.append)
    assert shares[-1] == 1.0
    assert by_hand(tmp_path / "out.mcap") == [("last", "words", span.newest - 5)]
    with ClipSource.open(tmp_path / "out.mcap") as saved:
        assert (saved.span.oldest, saved.span.newest) == (span.oldest, span.newest)
        assert "here" in {mark.name for mark in saved.marks()}
    source.ring.close()


def test_a_stretch_holds_the_frames_within_it(source):
    assert frames_of(source, None) == (1, 256)
    assert frames_of(source, (1.0, 2.0)) == (64, 128)
    assert frames_of(source, (1.001, 1.999)) == (65, 127)
    with pytest.raises(CommandError, match="no frame is between"):
        frames_of(source, (1.001, 1.002))


@pytest.mark.parametrize(
    ("typed", "name", "note"),
    [("door", "door", ""), ("door: late", "door", "late"), ("a:b", "a:b", ""), (": x", "", "x")],
)
def test_a_name_and_a_note_are_typed_in_one(typed, name, note):
    assert name_and_note(typed) == (name, note)


def test_where_a_clip_goes():
    assert clip_path("bug").name == "bug.mcap"
    assert clip_path("bug.mcap").name == "bug.mcap"
    with pytest.raises(CommandError, match="give the clip a name"):
        clip_path("  ")


# --- the clerk ----------------------------------------------------------------------------------


class Said:
    """What a clerk says, for whoever waits for it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._news = threading.Condition()

    def __call__(self, text: str) -> None:
        with self._news:
            self.texts.append(text)
            self._news.notify_all()

    def wait(self, text: str) -> None:
        with self._news:
            assert self._news.wait_for(lambda: text in self.texts, 20), self.texts


def test_the_job_queue_does_one_job_after_another_and_reports_each_outcome(monkeypatch):
    monkeypatch.setattr("playhead.viewer.reader.background_jobs._EVERY", 0.0)
    result = Said()
    clerk = JobQueue(result)

    def refused(progress):
        raise CommandError("no room")

    def long(progress):
        progress(0.25)
        return "first"

    clerk.do(Job("Saving", long))
    clerk.do(Job("Refusing", refused))
    clerk.do(Job("Breaking", lambda progress: 1 // 0))
    result.wait("Breaking failed: ZeroDivisionError: integer division or modulo by zero")
    assert result.texts[:3] == ["Saving … 25%", "first", "no room"]
    clerk.do(Job("Again", lambda progress: "again"))
    result.wait("again")
    clerk.close()


def test_a_job_queue_that_is_closed_takes_back_what_it_does(clip, tmp_path):
    begun, closing = threading.Event(), threading.Event()
    path = tmp_path / "out.mcap"
    clerk = JobQueue(lambda text: None)
    with ClipSource.open(clip) as source:
        keeping = FileAnnotationStore(clip, source)
        job = keeping.apply(SaveViewedClip(str(path)), source)

        def slowly(progress):
            def step(share: float) -> None:
                begun.set()
                closing.wait(20)
                progress(share)

            return job.work(step)

        clerk.do(Job("Saving", slowly))
        assert begun.wait(20)
        clerk._closed = True
        closing.set()
        clerk.close()
    assert not list(tmp_path.iterdir())
