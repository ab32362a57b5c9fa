"""Marks put into a saved clip: all else stays, and whoever is killed meanwhile loses nothing."""

import os
import shutil
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from mcap.reader import make_reader

from playhead.errors import DamagedError, EvictedError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.mark_editor import annotate
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.mark import Mark
from playhead.recorder.saving.trim_clip import cut

from ...support.process import run_process

DOOR = Mark("door", 2, kind="hand", note="opens late", object=7)
WALL = Mark("wall", 5, kind="hand")


@pytest.fixture
def clip(tiny_clip, tmp_path):
    return Path(shutil.copy(tiny_clip, tmp_path / "a.mcap"))


def test_a_mark_is_in_the_clip_with_its_note_and_its_frame_s_time(clip):
    assert annotate(clip, [DOOR]) == (DOOR,)
    with ClipSource.open(clip) as source:
        assert [(mark.name, mark.note, mark.time, mark.object) for mark in source.marks()] == [
            ("door", "opens late", 2.0, 7), ("here", "", 3.0, 0),
        ]  # fmt: skip
    assert verify(clip).ok


def test_what_was_in_the_clip_stays_byte_for_byte(clip):
    before = clip.read_bytes()
    annotate(clip, [DOOR])
    marked = clip.read_bytes()
    data = before.index(b"\x0f\x04\0\0\0\0\0\0\0")  # the data end record
    assert marked[:data] == before[:data]
    annotate(clip, [WALL], [DOOR])
    annotate(clip, remove=[WALL])
    assert clip.read_bytes() == before


def test_other_readers_of_mcap_read_it_as_before(clip):
    def messages():
        with clip.open("rb") as file:
            return [
                (channel.topic, message.log_time, message.data)
                for _, channel, message in make_reader(file, validate_crcs=True).iter_messages()
            ]

    before = messages()
    annotate(clip, [DOOR])
    assert messages() == before
    with clip.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        names = [one.name for one in reader.iter_attachments()]
        assert names[-1] == "playhead/marks"
        assert reader.get_summary().statistics.attachment_count == len(names)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 6), st.sampled_from("abc")), max_size=12))
def test_marks_come_and_go_in_any_order(tiny_clip, tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("marks") / "a.mcap"
    shutil.copy(tiny_clip, path)
    expected: list[Mark] = []
    for comes, frame, name in steps:
        mark = Mark(name, frame, kind="hand")
        if comes:
            annotate(path, [mark])
            expected.append(mark)
        else:
            annotate(path, remove=[mark])
            expected = [one for one in expected if one != mark]
    assert verify(path).ok
    with ClipSource.open(path) as source:
        assert list(source.clip.marks) == expected


def test_what_another_one_put_in_meanwhile_stays(clip):
    annotate(clip, [DOOR])
    assert annotate(clip, [WALL], remove=[Mark("never", 1)]) == (DOOR, WALL)


def test_a_clip_that_is_replaced_while_it_is_read_is_marked_as_it_is_then(clip, tmp_path):
    other = tmp_path / "other.mcap"
    shutil.copy(clip, other)
    annotate(other, [DOOR])

    def meanwhile(done: int, of: int) -> None:
        if other.exists():
            other.replace(clip)

    assert annotate(clip, [WALL], progress=meanwhile) == (DOOR, WALL)
    assert verify(clip).ok


def test_a_read_only_clip_is_left_alone(clip):
    before = clip.read_bytes()
    clip.chmod(0o444)
    with pytest.raises(RecordingError, match="read-only: save it under another name"):
        annotate(clip, [DOOR])
    assert clip.read_bytes() == before


def test_a_clip_keeps_its_permissions_and_a_link_to_it_stays_one(clip, tmp_path):
    clip.chmod(0o640)
    link = tmp_path / "link.mcap"
    link.symlink_to(clip)
    annotate(link, [DOOR])
    assert link.is_symlink()
    assert clip.stat().st_mode & 0o777 == 0o640
    with ClipSource.open(clip) as source:
        assert source.clip.marks == (DOOR,)


def test_a_mark_of_a_frame_that_is_not_there_is_refused(clip):
    with pytest.raises(EvictedError, match=r"mark 'door': frame 99 is not in"):
        annotate(clip, [Mark("door", 99)])


def test_a_cut_off_or_damaged_clip_is_refused_and_not_changed(clip):
    whole = clip.read_bytes()
    for broken in (whole[:-40], whole[:400] + b"\xff" + whole[401:]):
        clip.write_bytes(broken)
        with pytest.raises(DamagedError, match=r"playhead clip (recover|verify)"):
            annotate(clip, [DOOR])
        assert clip.read_bytes() == broken


def test_a_full_disk_costs_nothing(clip, monkeypatch):
    before = clip.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("playhead.recorder.clips.mark_editor.os.fsync", full)
    with pytest.raises(RecordingError, match="No space left on device: make room"):
        annotate(clip, [DOOR])
    assert clip.read_bytes() == before


def test_marks_are_found_in_a_clip_without_its_summary(clip):
    annotate(clip, [DOOR])
    clip.write_bytes(clip.read_bytes()[:-30])
    with ClipSource.open(clip) as source:
        assert source.clip.marks == (DOOR,)


def test_a_cut_takes_the_marks_of_its_frames_along(clip, tmp_path):
    annotate(clip, [DOOR, WALL])
    with ClipSource.open(clip) as source:
        cut(source, tmp_path / "part.mcap", 1, 3)
    with ClipSource.open(tmp_path / "part.mcap") as part:
        assert part.clip.marks == (DOOR,)
    assert verify(tmp_path / "part.mcap").ok


def test_verify_names_a_mark_that_is_of_no_frame(clip, tmp_path, monkeypatch):
    monkeypatch.setattr("playhead.recorder.clips.clip_chunk_index.ClipTables.has", lambda *_: True)
    with ClipSource.open(clip) as source:
        cut(source, tmp_path / "part.mcap", 1, 3, marks=[WALL])
    monkeypatch.undo()
    (problem,) = verify(tmp_path / "part.mcap").problems
    assert problem.what == "the mark 'wall' is of frame 5, which is not in the clip"


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from playhead.recorder.clips import mark_editor as module
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.mark import Mark

clip, work, stride = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
new = Mark("new", 4, kind="hand")
module.annotate(clip, [Mark("old", 2, kind="hand")])
shutil.copy(clip, work)
module.annotate(work, [new])
assert verify(clip).ok and verify(work).ok
right = {clip.read_bytes(): 0, work.read_bytes(): 0}

def child(steps):
    left = steps
    def count(frame, event, argument):
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count)
    module.annotate(work, [new])
    os._exit(0)

steps = 0
while True:
    shutil.copy(clip, work)
    pid = os.fork()
    if not pid:
        child(steps)
    _, status = os.waitpid(pid, 0)
    right[work.read_bytes()] += 1  # nothing but the one or the other
    for part in work.parent.glob("*.part"):
        part.unlink()
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
    steps += stride
print(*right.values())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_instant_it_leaves_the_clip_as_it_was_or_as_it_should_be(clip, tmp_path):
    stride = 7
    work = tmp_path / "work.mcap"
    result = run_process(sys.executable, "-c", KILLED, clip, work, stride, limit=200)
    assert result.returncode == 0, result.stderr
    as_before, as_it_should_be = map(int, result.stdout.split())
    assert as_before > 350 / stride
    assert as_it_should_be > 1
