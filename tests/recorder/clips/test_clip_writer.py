"""Writing a clip: it appears when it is whole, and what goes wrong leaves nothing behind."""

import errno
import gc
import os
import stat
import sys
import tracemalloc
from pathlib import Path
from unittest import mock

import pytest

from playhead.errors import CapacityError, DamagedError, EvictedError, RecordingError
from playhead.native.ring import FrameRing
from playhead.recorder.clips import clip_writer as writer_module
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_format import MAJOR, MINOR
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipAttachment, ClipWriter
from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify


@pytest.fixture
def ring(story) -> FrameRing:
    return story(20).recorder.ring


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_file_has_its_name_only_when_it_is_complete(ring, tmp_path):
    path = tmp_path / "a.mcap"
    with ClipWriter(path) as writer:
        writer.copy(ring, 1, 20)
        assert not path.exists()
        [part] = left_in(tmp_path)
        assert part.startswith(".a.mcap.")
        assert part.endswith(".part")
    assert left_in(tmp_path) == ["a.mcap"]
    assert path.stat().st_size == ClipFrames(path).size


def test_what_was_saved_is_reported(ring, tmp_path):
    saved = save(tmp_path / "a.mcap", ring, 3, 12)
    assert saved == (tmp_path / "a.mcap", 10, (tmp_path / "a.mcap").stat().st_size, (), None)


def test_a_clip_that_was_being_written_can_be_read_as_one_that_was_cut_off(ring, tmp_path):
    with (
        mock.patch.object(writer_module, "KEYFRAME_SHARE", 0),
        ClipWriter(tmp_path / "a.mcap", chunk_bytes=1) as writer,
    ):
        writer.copy(ring, 1, 20)
        [part] = tmp_path.iterdir()
        with ClipSource.open(part) as cut:
            assert cut.span is not None
            assert cut.span.oldest == 1
            assert cut.clip.damage
            assert cut.info()["metadata"]["playhead"]["format"] == f"{MAJOR}.{MINOR}"
        writer.abort()
    assert left_in(tmp_path) == []


def test_a_name_that_is_taken_is_refused_at_once_and_the_file_stays(ring, tmp_path):
    path = tmp_path / "a.mcap"
    path.write_text("mine")
    with pytest.raises(RecordingError, match="this is there already"):
        save(path, ring)
    assert path.read_text() == "mine"
    assert left_in(tmp_path) == ["a.mcap"]
    save(path, ring, overwrite=True)
    assert verify(path).ok
    assert left_in(tmp_path) == ["a.mcap"]


@pytest.mark.parametrize("links", [True, False])
def test_a_name_that_was_taken_meanwhile_is_not_overwritten(ring, tmp_path, monkeypatch, links):
    def no_links(*_):
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path, writer = tmp_path / "a.mcap", ClipWriter(tmp_path / "a.mcap")
    writer.copy(ring, 1, 20)
    path.write_text("mine")
    with pytest.raises(RecordingError, match="this is there already"):
        writer.finish()
    assert path.read_text() == "mine"
    assert left_in(tmp_path) == ["a.mcap"]


def test_where_files_can_not_be_linked_it_is_renamed(ring, tmp_path, monkeypatch):
    monkeypatch.delattr(os, "link")
    save(tmp_path / "a.mcap", ring)
    assert left_in(tmp_path) == ["a.mcap"]
    assert verify(tmp_path / "a.mcap").ok


def test_a_folder_that_is_not_there_and_one_in_the_place_are_named(ring, tmp_path):
    with pytest.raises(RecordingError, match="there is no folder .*none"):
        save(tmp_path / "none" / "a.mcap", ring)
    with pytest.raises(RecordingError, match="this is a folder"):
        save(tmp_path, ring, overwrite=True)
    assert left_in(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such permissions")
def test_a_folder_that_may_not_be_written_into_is_named(ring, tmp_path, monkeypatch):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(folder, os.W_OK):  # root may: so let the system say what it says to others
        refuse = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        monkeypatch.setattr(Path, "open", mock.Mock(side_effect=refuse))
    with pytest.raises(RecordingError, match=r"locked.*Permission denied.*another path"):
        save(folder / "a.mcap", ring)
    folder.chmod(stat.S_IRWXU)
    assert left_in(folder) == []


class FullDisk:
    """A file on a disk that has room for so many bytes."""

    def __init__(self, file, room):
        self._file, self.room = file, room

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_a_disk_that_runs_full_at_any_byte_leaves_nothing_behind(ring, tmp_path, monkeypatch):
    whole = save(tmp_path / "whole.mcap", ring, created=0.0).bytes
    (tmp_path / "whole.mcap").unlink()
    real, rooms = Path.open, [0]

    def opened(path, *args, **rest):
        file = real(path, *args, **rest)
        return FullDisk(file, rooms[-1]) if path.suffix == ".part" else file

    monkeypatch.setattr(Path, "open", opened)
    for room in range(0, whole, 211):
        rooms.append(room)
        with pytest.raises(RecordingError, match=r"a\.mcap.*No space left.*make room"):
            save(tmp_path / "a.mcap", ring, created=0.0)
        assert left_in(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_disk_that_is_full_only_at_the_end_leaves_nothing_behind(ring, tmp_path, monkeypatch):
    def no_sync(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_sync)
    with pytest.raises(RecordingError, match="No space left"):
        save(tmp_path / "a.mcap", ring)
    assert left_in(tmp_path) == []


def test_an_error_in_the_middle_takes_everything_back(ring, tmp_path):
    def stop(done, total):
        assert total == 20
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(tmp_path / "a.mcap", ring, progress=stop)
    assert left_in(tmp_path) == []


def test_a_writer_that_is_forgotten_takes_everything_back(ring, tmp_path):
    writer = ClipWriter(tmp_path / "a.mcap")
    writer.copy(ring, 1, 5)
    del writer
    gc.collect()
    assert left_in(tmp_path) == []


def test_nothing_is_done_with_a_clip_that_is_finished_or_was_given_up(ring, tmp_path):
    finished, given_up = ClipWriter(tmp_path / "a.mcap"), ClipWriter(tmp_path / "b.mcap")
    finished.copy(ring, 1, 20)
    finished.finish()
    given_up.abort()
    for writer in (finished, given_up):
        writer.abort()
        with pytest.raises(RecordingError, match="finished, or was given up"):
            writer.copy(ring, 1, 20)
        with pytest.raises(RecordingError, match="finished, or was given up"):
            writer.finish()
        with pytest.raises(RecordingError, match="finished, or was given up"):
            writer.attach(ClipAttachment("a", b""))
    assert left_in(tmp_path) == ["a.mcap"]


def test_a_clip_without_frames_is_refused(tmp_path, ring):
    with pytest.raises(RecordingError, match="no frame to be saved"):
        save(tmp_path / "a.mcap", FrameRing("64 KiB"))
    with (
        pytest.raises(RecordingError, match="no frame to be saved"),
        ClipWriter(tmp_path / "a.mcap"),
    ):
        pass
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("start", "end"), [(0, 5), (5, 21), (9, 8), (-3, None), (None, 99)])
def test_frames_that_are_not_recorded_can_not_be_asked_for(ring, tmp_path, start, end):
    with pytest.raises(EvictedError, match="1 to 20 are held"):
        save(tmp_path / "a.mcap", ring, start, end)
    assert left_in(tmp_path) == []


def test_frames_come_in_order_and_what_was_true_before_comes_first(ring, tmp_path):
    with ClipWriter(tmp_path / "a.mcap") as writer:
        with pytest.raises(RecordingError, match=r"frame 4 does not follow frame None.*latched"):
            writer.add(ring.image(4))
        writer.set_latched(latched_before(ring, 4, ring.image(4)))
        writer.add(ring.image(4))
        for frame in (4, 3):
            with pytest.raises(RecordingError, match=f"frame {frame} at .* can't follow frame 4"):
                writer.add(ring.image(frame))
        with pytest.raises(RecordingError, match="frame 6 does not follow frame 4"):
            writer.add(ring.image(6))
        with pytest.raises(DamagedError):
            writer.add(ring.image(5)[:-8])
        writer.add(ring.image(5))
    assert verify(tmp_path / "a.mcap").frames == 2


def test_progress_is_reported_frame_by_frame(ring, tmp_path):
    received = []
    save(tmp_path / "a.mcap", ring, 5, 14, progress=lambda *at: received.append(at))
    assert received == [(n, 10) for n in range(1, 11)]


def test_attachments_travel_along_and_the_clips_own_names_are_its_own(ring, tmp_path):
    files = [
        ClipAttachment("level.json", b"{}" * 1000, "application/json"),
        ClipAttachment("empty", b""),
        ClipAttachment("bild ü.png", bytes(range(256)), "image/png"),
    ]
    save(tmp_path / "a.mcap", ring, attachments=files)
    with ClipFrames(tmp_path / "a.mcap") as clip:
        read = [
            ClipAttachment(info.name, clip.attachment(info.name), info.media_type)
            for info in clip.attachments.values()
        ]
        assert read == files
        assert [info.bytes for info in clip.attachments.values()] == [2000, 0, 256]
        with pytest.raises(EvictedError, match="no attachment 'none'"):
            clip.attachment("none")
    with ClipWriter(tmp_path / "b.mcap") as writer:
        writer.copy(ring, 1, 2)
        for name in ("", "playhead/chunks"):
            with pytest.raises(RecordingError, match="does not begin with 'playhead/'"):
                writer.attach(ClipAttachment(name, b""))


def test_the_clip_says_what_it_is_and_what_the_recording_says(ring, tmp_path):
    command = ["game", "--level", "3", "bad \udcff"]
    save(tmp_path / "a.mcap", ring, about={"tester": "Ann", "seed": "7"}, command=command,
         created=1e9)  # fmt: skip
    with ClipFrames(tmp_path / "a.mcap") as clip:
        result = clip.metadata
    assert result["playhead"]["created"] == "2001-09-09T01:46:40Z"
    assert result["playhead"]["command"] == '["game", "--level", "3", "bad \\udcff"]'
    assert result["about"] == {"game": "yard", "seed": "7", "tester": "Ann"}
    assert result["conventions"]["up"] == "y"


def test_a_frame_larger_than_a_chunk_may_be_is_refused_and_the_rest_is_kept(ring, tmp_path):
    with (
        mock.patch.object(writer_module, "MOST_CHUNK", 40_000),
        ClipWriter(tmp_path / "a.mcap") as writer,
    ):
        writer.copy(ring, 1, 3)
        big = FrameRing("256 KiB")
        for frame in range(1, 5):
            big.begin()
            if frame == 4:
                big.record(1, 40, True, (0, 0, 0), (0, 0, 0), bytes(50_000))
            big.commit(100.0, 0.0)
        with pytest.raises(CapacityError, match="a frame of 50"):
            writer.add(big.image(4))
        writer.copy(ring, 4, 20)
    report = verify(tmp_path / "a.mcap")
    assert report.ok
    assert report.frames == 20


def test_a_chunk_never_grows_beyond_what_one_may_be(ring, tmp_path):
    with mock.patch.object(writer_module, "MOST_CHUNK", 16_000):
        save(tmp_path / "a.mcap", ring)
    with ClipFrames(tmp_path / "a.mcap") as clip:
        sizes = [len(clip._frame_chunk(index).data) for index in range(len(clip._rows))]
    assert max(sizes) <= 16_000
    assert len(sizes) > 1


@pytest.mark.slow
def test_memory_for_writing_and_for_reading_grows_by_some_bytes_for_each_chunk_only(tmp_path):
    def peak(frames: int) -> tuple[int, int]:
        ring = FrameRing("64 KiB")
        path = tmp_path / f"{frames}.mcap"
        tracemalloc.start()
        with ClipWriter(path, chunk_bytes=100_000) as writer:
            for frame in range(1, frames + 1):
                ring.begin()
                for agent in range(40):
                    payload = bytes([frame % 251, agent]) * 200
                    ring.record(agent + 1, 40, True, (0, 0, 0), (0, 0, 0), payload)
                ring.latch(1, 9, 0, 9, 1, b"x" * 50)
                ring.commit(float(frame), 1.0)
                writer.copy(ring, frame, frame)
        written = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        with ClipFrames(path) as clip:
            for frame in range(1, frames + 1):
                clip.packets(frame)
                clip.latched_all(frame)
        read = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return written, read

    short, long = peak(500), peak(1500)  # 100 chunks and 300
    assert long[0] < short[0] + 200 * 4096
    assert long[1] < short[1] + 200 * 4096
