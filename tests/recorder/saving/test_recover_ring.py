"""The black box: of a ring's file every finished frame, of a damaged clip every whole chunk."""

import random
from pathlib import Path

import pytest

from playhead.errors import CommandError, DamagedError, RecordingError
from playhead.native.ring import FrameRing
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipAttachment
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.saving.recover_ring import RECOVERED, kind_of, recover

from .tapes import DT, Tape, content, frames_of, rows


def ring_file(path: Path, frames: int = 60, size: int = 500) -> FrameRing:
    """A ring in a file, still open, with frames that say who they are."""
    ring = FrameRing(64 << 10, path=path, latch=8 << 10)
    for frame in range(1, frames + 1):
        ring.begin()
        payload = random.Random(frame).randbytes(size)
        ring.record(frame, 40, True, (0, 0, 0), (0, 0, 0), payload)
        ring.commit(frame * DT, DT)
    return ring


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A clip of 60 frames in many chunks, with a file in it."""
    tape = Tape(memory=1 << 20)
    tape.record(60)
    path = tmp_path / "clip.mcap"
    save(
        path, tape.ring, about={"seed": "7"}, command=["game", "--seed", "7"], chunk_bytes=3000,
        attachments=[ClipAttachment("level.json", b"{}", "application/json")], created=1e9,
    )  # fmt: skip
    tape.close()
    return path


def test_the_ring_of_a_process_that_ended_gives_all_its_frames(tmp_path):
    ring = ring_file(tmp_path / "run.ring", 300)
    oldest, newest = ring.oldest, ring.newest
    images = {f: ring.image(f) for f in range(oldest[0], newest[0] + 1)}
    ring.close()
    found = recover(tmp_path / "run.ring", tmp_path / "out.mcap")
    assert (found.kind, found.lost, found.damage, found.live) == ("ring", 0, (), False)
    assert found.bytes == 64 << 10
    assert verify(tmp_path / "out.mcap").ok
    with ClipFrames(tmp_path / "out.mcap") as clip:
        assert {f: clip.image(f) for f in frames_of(clip)} == images
        assert clip.metadata["about"][RECOVERED] == "run.ring"
    assert oldest[0] > 1


def test_a_ring_that_is_still_recorded_into_gives_what_is_recorded(tmp_path):
    ring = ring_file(tmp_path / "run.ring")
    found = recover(tmp_path / "run.ring", tmp_path / "out.mcap")
    assert found.live
    assert found.saved.frames == 60
    ring.close()


def test_frames_of_a_ring_that_are_torn_are_gaps_that_say_so(tmp_path):
    ring = ring_file(tmp_path / "run.ring")
    ring.close()
    data = bytearray((tmp_path / "run.ring").read_bytes())
    for frame in (20, 21, 40):
        at = data.index(random.Random(frame).randbytes(500))
        data[at + 250] ^= 1
    (tmp_path / "run.ring").write_bytes(data)
    found = recover(tmp_path / "run.ring", tmp_path / "out.mcap")
    assert found.lost == 3
    assert [(gap.first, gap.last) for gap in found.gaps] == [(20, 21), (40, 40)]
    assert all("damaged" in gap.reason for gap in found.gaps)
    assert verify(tmp_path / "out.mcap").ok
    with ClipFrames(tmp_path / "out.mcap") as clip:
        assert frames_of(clip) == [f for f in range(1, 61) if f not in (20, 21, 40)]


def test_a_complete_clip_is_recovered_as_it_is(clip, tmp_path):
    found = recover(clip, tmp_path / "out.mcap")
    assert (found.kind, found.lost, found.damage) == ("clip", 0, ())
    with ClipSource.open(clip) as old, ClipSource.open(tmp_path / "out.mcap") as new:
        for frame in range(1, 61):
            assert new.clip.image(frame) == old.clip.image(frame)
            assert rows(new.clip.latched_all(frame)) == rows(old.clip.latched_all(frame))
        assert new.clip.attachment("level.json") == b"{}"
        about, own = new.clip.metadata["about"], new.clip.metadata["playhead"]
        assert about == {"seed": "7", RECOVERED: "clip.mcap"}
        assert own == old.clip.metadata["playhead"]


@pytest.mark.parametrize("part", [0.15, 0.3, 0.5, 0.77, 0.999])
def test_of_a_clip_that_was_cut_off_every_complete_chunk_is_there(clip, tmp_path, part):
    data = clip.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(data[: int(len(data) * part)])
    with ClipFrames(tmp_path / "cut.mcap") as cut:
        whole = {frame: cut.image(frame) for frame in frames_of(cut)}
    found = recover(tmp_path / "cut.mcap", tmp_path / "out.mcap")
    assert found.saved.frames == len(whole) > 0
    assert found.damage
    assert verify(tmp_path / "out.mcap").ok
    with ClipFrames(tmp_path / "out.mcap") as out:
        assert {frame: out.image(frame) for frame in frames_of(out)} == whole


def test_a_broken_chunk_is_a_gap_and_the_report_says_where(clip, tmp_path):
    data = bytearray(clip.read_bytes())
    with ClipFrames(clip) as old:
        row = old._rows[4]
    data[row.offset + 200] ^= 1
    (tmp_path / "bad.mcap").write_bytes(data)
    found = recover(tmp_path / "bad.mcap", tmp_path / "out.mcap")
    assert [(gap.first, gap.last) for gap in found.gaps] == [(row.first, row.last)]
    assert found.lost == row.count
    assert verify(tmp_path / "out.mcap").ok


@pytest.mark.parametrize("broken", [1, 8, 9, 30, 200, 700])
def test_a_clip_whose_beginning_is_gone_gives_all_its_chunks(clip, tmp_path, broken):
    data = clip.read_bytes()
    (tmp_path / "bad.mcap").write_bytes(bytes(broken) + data[broken:])
    found = recover(tmp_path / "bad.mcap", tmp_path / "out.mcap")
    assert verify(tmp_path / "out.mcap").ok
    assert found.saved.frames >= 57  # of the first chunk some may be gone
    assert found.damage[0].offset == 0
    with ClipFrames(clip) as old, ClipFrames(tmp_path / "out.mcap") as new:
        for frame in frames_of(new):
            assert content(new.image(frame)) == content(old.image(frame))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.mcap", "clip.mcap", "out.mcap"]


def test_gaps_that_were_there_keep_their_reason(tape, tmp_path):
    from playhead.recorder.clips.clip_writer import ClipWriter
    from playhead.recorder.clips.frame_serialization import latched_before

    tape.record(30)
    with ClipWriter(tmp_path / "gap.mcap") as writer:
        for frame in (*range(1, 11), *range(15, 31)):
            image = tape.twin.image(frame)
            if frame in (1, 15):
                writer.set_latched(latched_before(tape.twin, frame, image), "the disk was slow")
            writer.add(image)
    found = recover(tmp_path / "gap.mcap", tmp_path / "out.mcap")
    assert found.gaps == ((11, 14, "the disk was slow"),)
    assert found.damage == ()


def test_what_a_file_is_is_recognised_by_how_it_begins(clip, tmp_path):
    ring_file(tmp_path / "any.name").close()
    assert kind_of(tmp_path / "any.name") == "ring"
    assert kind_of(clip) == "clip"
    for name, kind in (("a.ring", "ring"), ("a.mcap", "clip")):
        (tmp_path / name).write_bytes(b"nonsense")
        assert kind_of(tmp_path / name) == kind


def test_what_is_nothing_of_ours_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DamagedError, match="text: this is neither a ring's file nor a clip"):
        recover(tmp_path / "text", tmp_path / "out.mcap")
    with pytest.raises(DamagedError, match="none: can't be read: No such file"):
        recover(tmp_path / "none", tmp_path / "out.mcap")
    for name in ("x.mcap", "x.ring"):
        for data in (b"", b"x" * 5000):
            (tmp_path / name).write_bytes(data)
            with pytest.raises(DamagedError, match=name):
                recover(tmp_path / name, tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()


def test_a_ring_without_a_frame_has_nothing_to_give(tmp_path):
    ring_file(tmp_path / "run.ring", 0).close()
    with pytest.raises(RecordingError, match="there is no frame to be saved"):
        recover(tmp_path / "run.ring", tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()


def test_a_file_is_never_replaced_by_what_is_made_of_it(clip, tmp_path):
    (tmp_path / "link.mcap").symlink_to(clip)
    for target in (clip, tmp_path / "link.mcap"):
        with pytest.raises(CommandError, match="this is the file itself"):
            recover(clip, target, overwrite=True)
    ring_file(tmp_path / "run.ring").close()
    with pytest.raises(CommandError, match="this is the file itself"):
        recover(tmp_path / "run.ring", tmp_path / "run.ring", overwrite=True)
    assert kind_of(tmp_path / "run.ring") == "ring"
    (tmp_path / "there.mcap").write_text("precious")
    with pytest.raises(RecordingError, match="this is there already"):
        recover(clip, tmp_path / "there.mcap")
    recover(clip, tmp_path / "there.mcap", overwrite=True)
    assert verify(tmp_path / "there.mcap").ok
