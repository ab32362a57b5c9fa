"""Which frames somebody means, and the clip of a stretch of a clip."""

from pathlib import Path

import pytest

from playhead.errors import CommandError, EvictedError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipAttachment, ClipWriter
from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.mark import COLORS, Mark
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.saving.trim_clip import cut, instant

from .tapes import DT, Tape, frames_of, rows


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """60 frames without 21 to 30, and a mark at 12, 40 and 50; two of one name."""
    tape = Tape(memory=1 << 20)
    for frame in range(1, 61):
        for ring in (tape.ring, tape.twin) if frame in (12, 40, 50) else ():
            ring.begin()
            name = "there" if frame > 12 else "here"
            mark = encode(Mark(name, frame), Mark)
            ring.latch(0, PacketType.MARK, 0, Kind.MARK, 0, mark)
            ring.commit(frame * DT, DT)
        if frame in (12, 40, 50):
            tape.frames += 1
        else:
            tape.frame()
    path = tmp_path / "clip.mcap"
    with ClipWriter(path, chunk_bytes=4000, command=["game"], created=1e9) as writer:
        writer.attach(ClipAttachment("level", b"x"))
        for frame in (*range(1, 21), *range(31, 61)):
            image = tape.ring.image(frame)
            if frame in (1, 31):
                writer.set_latched(latched_before(tape.ring, frame, image), "lost")
            writer.add(image)
    tape.close()
    return path


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("#12", 12), ("#1", 1), ("#60", 60), ("10", 40), ("10.1", 40), ("0", 1), ("-3", 1),
        ("1e9", 60), ("inf", 60), ("here", 12), ("there", 40),
    ],
)  # fmt: skip
def test_an_instant_is_a_frame_a_time_or_a_mark(clip, text, frame):
    with ClipSource.open(clip) as source:
        assert instant(source, text) == frame


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("#0", EvictedError, "#0: the recording has the frames 1 to 60"),
        ("#61", EvictedError, "the recording has the frames 1 to 60"),
        ("nan", CommandError, "nan"),
        ("ther", CommandError, "the name of no mark: did you mean 'there'"),
        ("", CommandError, "'' is no time in seconds"),
        ("#x", CommandError, "'#x' is no time"),
    ],
)
def test_what_is_no_instant_is_reported(clip, text, error, message):
    with ClipSource.open(clip) as source, pytest.raises(error, match=message):
        instant(source, text)


@pytest.mark.parametrize(
    ("start", "end"), [(1, 60), (5, 15), (15, 35), (25, 35), (31, 31), (20, 25)]
)
def test_a_stretch_is_the_same_frames_with_all_that_was_true_at_them(clip, tmp_path, start, end):
    with ClipSource.open(clip) as old:
        received: list[tuple[int, int]] = []
        saved = cut(
            old, tmp_path / "cut.mcap", start, end, progress=lambda *at: received.append(at)
        )
        frames = [frame for frame in frames_of(old.clip) if start <= frame <= end]
        assert verify(saved.path).ok
        with ClipSource.open(saved.path) as new:
            assert frames_of(new.clip) == frames
            for frame in frames:
                assert new.clip.image(frame) == old.clip.image(frame)
                assert rows(new.clip.latched_all(frame)) == rows(old.clip.latched_all(frame))
                assert new.packets(frame) == old.packets(frame)
            assert [gap.reason for gap in new.clip.gaps] == ["lost"] * (start < 21 and end > 30)
            assert new.clip.attachment("level") == b"x"
            assert new.clip.metadata["playhead"] == old.clip.metadata["playhead"]
            inside = [mark for mark in old.marks() if start <= mark.frame <= end]
            assert new.marks() == inside
        assert received == sorted(received)
        assert received[-1] == (frames[-1] - start + 1, end - start + 1)


def test_what_is_marked_of_the_whole_recording_is_in_each_cut_of_it(clip, tmp_path):
    colored, short = tmp_path / "colored.mcap", tmp_path / "short.mcap"
    colors = Mark("colours of states", 1, kind=COLORS, note='{"chase": "#ff0000"}')
    with ClipSource.open(clip) as source:
        cut(source, colored, 1, 10, marks=[colors, Mark("not there", 2)])
    with ClipSource.open(colored) as source:
        cut(source, short, 5, 8)
    with ClipSource.open(short) as source:
        (mark,) = [mark for mark in source.marks() if mark.kind == COLORS]
        assert (mark.frame, mark.note) == (5, colors.note)
        assert not [mark for mark in source.marks() if mark.name == "not there"]


def test_a_stretch_without_a_frame_can_not_be_cut(clip, tmp_path):
    with ClipSource.open(clip) as source:
        with pytest.raises(RecordingError, match="there is no frame to be saved"):
            cut(source, tmp_path / "cut.mcap", 22, 28)
        with pytest.raises(CommandError, match="frames 9 to 4: that ends before it begins"):
            cut(source, tmp_path / "cut.mcap", 9, 4)
    assert not (tmp_path / "cut.mcap").exists()


def test_damaged_frames_and_files_are_left_out_of_a_cut(clip, tmp_path):
    with ClipSource.open(clip) as source:
        row = source.clip._rows[1]
        level = source.clip.attachments["level"].offset
    data = bytearray(clip.read_bytes())
    data[row.offset + 100] ^= 1
    data[level + 30] ^= 1
    clip.write_bytes(data)
    with ClipSource.open(clip) as source:
        saved = cut(source, tmp_path / "cut.mcap", 1, 60)
    assert verify(saved.path).ok
    with ClipSource.open(saved.path) as new:
        assert not set(range(row.first, row.last + 1)) & set(frames_of(new.clip))
        assert not new.clip.attachments


def test_metadata_that_others_wrote_does_not_hinder_a_cut(tape, tmp_path):
    tape.record(5)
    save(tmp_path / "a.mcap", tape.ring, created=0.0)
    with ClipSource.open(tmp_path / "a.mcap") as source:
        source.clip.metadata["playhead"] |= {"command": "{nonsense", "created": "yesterday"}
        cut(source, tmp_path / "b.mcap", 1, 5)
        source.clip.metadata["playhead"] |= {"command": '"text"'}
        cut(source, tmp_path / "c.mcap", 1, 5)
    with ClipSource.open(tmp_path / "b.mcap") as source:
        assert source.clip.metadata["playhead"]["command"] == "[]"
