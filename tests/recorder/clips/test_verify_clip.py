"""`verify` finds also what has right checksums but tells lies."""

from contextlib import contextmanager
from unittest import mock

import msgspec
import pytest
from mcap.opcode import Opcode

from playhead.errors import DamagedError
from playhead.recorder.clips import clip_chunk_index as catalog
from playhead.recorder.clips import clip_writer as writer
from playhead.recorder.clips.chunk_change_index import ChangeMaker
from playhead.recorder.clips.clip_chunk_index import ClipTables
from playhead.recorder.clips.clip_format import ObjectTableRow
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.mcap_records import HEAD, MAGIC, ClipFile
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify


def saved(ring, path):
    """A clip in several chunks."""
    with mock.patch.object(writer, "KEYFRAME_SHARE", 0):
        save(path, ring, chunk_bytes=2000)
    return path


@pytest.fixture
def ring(story):
    return story(30, seed=2).recorder.ring


@contextmanager
def closing_file(path):
    file = ClipFile(path)
    try:
        yield file
    finally:
        file.close()


def problems(path) -> list[str]:
    report = verify(path)
    assert report.ok is (not report.problems)
    return [problem.what for problem in report.problems]


def test_a_complete_clip_has_no_problem_and_everything_in_it_is_counted(small_clip):
    received = []
    report = verify(small_clip, lambda done, total: received.append((done, total)))
    assert report.ok
    assert report.path == small_clip
    assert report.bytes == small_clip.stat().st_size
    assert report.frames == 40
    assert report.chunks == 4
    assert report.attachments == 1
    assert report.warnings == ()
    assert received == sorted(received)
    assert {total for _, total in received} == {report.bytes}


def test_a_keyframe_that_is_not_what_was_true_is_found(ring, tmp_path):
    class Forgetful(ClipWriter):
        """Leaves a row out of each keyframe but the first."""

        def _room_for(self, size):
            if self._frames and self._first is None:
                self._latched.pop(next(iter(self._latched)))
            return super()._room_for(size)

    with (
        mock.patch.object(writer, "KEYFRAME_SHARE", 0),
        Forgetful(tmp_path / "a.mcap", chunk_bytes=2000) as lying,
    ):
        lying.copy(ring, 1, 30)
    assert any("the keyframe before frame" in what for what in problems(tmp_path / "a.mcap"))


def test_a_change_record_that_says_something_else_is_found(ring, tmp_path, monkeypatch):
    real = ChangeMaker.finish

    def lying(self):
        record = real(self)
        return msgspec.structs.replace(record, changes=record.changes[:-1])

    monkeypatch.setattr(ChangeMaker, "finish", lying)
    path = saved(ring, tmp_path / "a.mcap")
    monkeypatch.undo()
    assert any("differs from them" in what for what in problems(path))


@pytest.mark.parametrize("table", ["keys", "objects"])
def test_a_table_that_says_something_else_is_found(ring, tmp_path, monkeypatch, table):
    lie = {"keys": {(1, 2, 3): 1}, "objects": [ObjectTableRow(1, "x", 1, 1, "", False)]}[table]
    monkeypatch.setattr(ClipTables, table, lie)
    path = saved(ring, tmp_path / "a.mcap")
    monkeypatch.undo()
    assert problems(path) == [f"the attachment playhead/{table} differs from the frames"]


def test_a_table_of_chunks_that_says_something_else_is_found(ring, tmp_path, monkeypatch):
    monkeypatch.setattr(ClipTables, "set_changes_position", lambda *_: None)
    path = saved(ring, tmp_path / "a.mcap")
    monkeypatch.undo()
    assert problems(path) == ["the attachment playhead/chunks differs from the frames"]


def test_a_clip_without_a_table_of_keys_is_reported_to_lack_it_if_it_could_have_one(
    ring, tmp_path, monkeypatch
):
    monkeypatch.setattr(catalog, "MOST_KEYS", 3)
    path = saved(ring, tmp_path / "a.mcap")
    assert problems(path) == []
    monkeypatch.undo()
    assert problems(path) == ["the attachment playhead/keys is missing"]


def test_frames_at_other_times_than_their_messages_say_are_found(ring, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "nanoseconds", lambda seconds: round(seconds * 1e9) + 1)
    path = saved(ring, tmp_path / "a.mcap")
    monkeypatch.undo()
    assert any("does not have the time" in what for what in problems(path))


def test_bytes_behind_the_end_and_a_missing_end_are_found(small_clip, tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(small_clip.read_bytes() + b"more")
    assert problems(path)
    path.write_bytes(small_clip.read_bytes()[:-1])
    assert problems(path)


def test_what_is_no_clip_is_refused(tmp_path):
    (tmp_path / "a.mcap").write_bytes(b"nothing of the kind")
    with pytest.raises(DamagedError, match="no clip"):
        verify(tmp_path / "a.mcap")


def test_a_record_among_the_data_that_does_not_belong_there_is_named(small_clip, tmp_path):
    data, path = small_clip.read_bytes(), tmp_path / "a.mcap"
    with closing_file(small_clip) as file:
        at = file.next_chunk(0)
    path.write_bytes(data[:at] + HEAD.pack(Opcode.STATISTICS, 3) + b"abc" + data[at:])
    assert "a record statistics among the data" in problems(path)


def test_what_only_looks_like_a_chunk_is_passed_over(tmp_path):
    path = tmp_path / "a.mcap"
    mark = b"\x03\x00\x00\x00lz4"
    path.write_bytes(MAGIC + bytes(100) + mark + bytes(50) + b"\xff" * 50 + mark)
    with closing_file(path) as file:
        assert file.next_chunk(0) is None
        assert not file.is_record(file.size - 3), "the file ends before such a record could"
