"""Stretches that could not be copied: they are named, and nobody pretends that they were there."""

import struct

import pytest

from playhead.errors import DamagedError, EvictedError
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_format import Gap
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.reading.ring_source import RingSource

from ...support.other_process import OtherProcess
from .stories import at


def write(path, ring, *ranges, why="the disk was slow"):
    """A clip of these stretches of a ring."""
    with ClipWriter(path) as writer:
        for start, end in ranges:
            image = ring.image(start)
            writer.set_latched(latched_before(ring, start, image), why)
            for frame in range(start, end + 1):
                writer.add(ring.image(frame))
    return path


@pytest.fixture
def recorded_story(story):
    return story(60, seed=4)


@pytest.fixture
def clip(recorded_story, tmp_path):
    path = write(tmp_path / "gaps.mcap", recorded_story.recorder.ring, (5, 14), (20, 20), (33, 60))
    with ClipSource.open(path) as source:
        yield source


def test_gaps_are_given_with_their_reason_and_verified(clip):
    assert clip.clip.gaps == (
        Gap(15, 19, "the disk was slow"), Gap(21, 32, "the disk was slow"),
    )  # fmt: skip
    assert clip.clip.count == 10 + 1 + 28
    assert clip.info()["gaps"][0] == {"first": 15, "last": 19, "reason": "the disk was slow"}
    assert clip.info()["complete"]
    report = verify(clip.clip.path)
    assert report.problems == ()
    assert report.frames == 39


def test_a_frame_in_a_gap_is_not_recorded_and_the_message_names_the_gap(clip):
    assert clip.span.oldest == 5
    assert clip.span.newest == 60
    for frame in (15, 19, 21, 32):
        assert not clip.clip.holds(frame)
        for read in (clip.stamp, clip.packets, clip.facts, clip.drawn, clip.clip.latched_all):
            with pytest.raises(EvictedError, match=r"the clip has none from .*the disk was slow"):
                read(frame)
        with pytest.raises(EvictedError):
            clip.clip.versions(frame, 0, Kind.MARK, 0, 10)


def test_stepping_leads_over_a_gap_and_a_seek_into_it_lands_before_it(clip, recorded_story):
    frame, seen = clip.span.oldest, []
    while frame is not None:
        seen.append(frame)
        frame = clip.stamp(frame).next
    held = [*range(5, 15), 20, *range(33, 61)]
    assert seen == held
    assert [stamp.id for stamp in clip.stamps(5, 60)] == held
    assert [stamp.id for stamp in clip.stamps(16, 33)] == [20, 33]
    assert [stamp.previous for stamp in clip.stamps(14, 33)] == [13, 14, 20]
    times = {frame: recorded_story.recorder.source.stamp(frame).time for frame in (14, 17, 20, 30)}
    assert clip.frame_at(times[17]) == 14
    assert clip.frame_at(times[30]) == 20


def test_what_holds_at_a_frame_behind_a_gap_is_what_was_true_in_the_recording(clip, recorded_story):
    source = RingSource(recorded_story.recorder.ring)
    for stamp in clip.stamps(5, 60):
        frame = stamp.id
        here, there = clip.clip.latched_all(frame), recorded_story.recorder.ring.latched_all(frame)
        assert sorted(here) == sorted(there)
        assert clip.decoded(frame)[0][0] == source.decoded(frame)[0][0]
        assert clip.watches(frame) == source.watches(frame)


def test_of_what_changed_in_a_gap_the_last_is_known_and_what_ended_has_ended(
    make_recorder, tmp_path
):
    recorder = make_recorder()
    for frame in range(1, 13):
        if frame in (2, 5, 6, 11):
            recorder.fact(1, "mood", f"said in {frame}")
        if frame in (2, 10):
            recorder.fact(2, "mood", f"said in {frame}")
        if frame == 6:
            recorder.despawn(2)
        recorder.update([], 1.0)
    ring = recorder.ring
    path = write(tmp_path / "a.mcap", ring, (1, 4), (8, 9), (12, 12))
    with ClipFrames(path) as clip:
        number = {row[5]: row[2] for row in ring.latched_all(12) if row[1] == Kind.STRING}[
            b"\xa4mood"
        ]
        frames = [began for began, _, _ in clip.versions(12, 1, Kind.FACT, number, 10)]
        assert frames == [11, 6, 2]
        assert clip.versions(12, 1, Kind.FACT, number, 2) == ring.versions(
            12, 1, Kind.FACT, number, 2
        )
        result = clip.versions(12, 2, Kind.FACT, number, 10)
        assert [(began, type) for began, type, _ in result] == [
            (10, PacketType.FACT), (7, PacketType.TOMBSTONE), (2, PacketType.FACT),
        ]  # fmt: skip
        assert result[1][2] is None
        assert clip.versions(9, 2, Kind.FACT, number, 10)[0][:2] == (7, PacketType.TOMBSTONE)
        assert clip.latched(9, 2, Kind.FACT, number) is None


def test_late_things_are_read_across_a_gap_and_those_in_it_are_lost(make_recorder, tmp_path):
    recorder = make_recorder()
    for frame in range(1, 31):
        if frame in (8, 12, 16, 25):
            OtherProcess(recorder).line(LogLine(f"came in {frame}"), time=float(frame - 5))
            for when in (
                frame - 5.0,
                frame - 4.0,
            ):
                state = StateTransition("plan", "", f"came in {frame} for {when:g}", "")
                OtherProcess(recorder).decide(1, state, time=when)
        if frame == 25:
            OtherProcess(recorder).set_mark("late", time=4.0)
        recorder.update([], 0.0, float(frame))
    ring = recorder.ring
    source = RingSource(ring)
    path = write(tmp_path / "a.mcap", ring, (2, 9), (15, 22), (25, 30))
    with ClipSource.open(path) as clip:
        for stamp in clip.stamps(2, 30):
            frame = stamp.id
            assert at(clip, frame)["logs"] is not None
        assert [line.text for line in clip.logs(3)] == ["came in 8"]
        assert [line.text for line in clip.logs(7)] == []  # recorded in 12, which is missing
        assert [line.text for line in clip.logs(20)] == ["came in 25"]
        assert clip.marks() == source.marks()
        frames = [transition.frame for transition in clip.transitions(30, 1, "plan", 20)]
        assert frames == [21, 20, 12, 11, 8, 4, 3]


def test_frames_that_a_running_game_evicts_while_they_are_copied_become_a_gap(
    make_recorder, thing, tmp_path
):
    recorder = make_recorder("32 KiB", latch="8 KiB")
    for frame in range(1, 40):
        recorder.name(1, f"guard {frame}")
        recorder.update([(1, "thing", thing(float(frame)))], 0.5)
    start = recorder.source.span.oldest

    def play_on(done, total):
        if done == 3:  # the game records on, and all that was held at the start is gone
            for frame in range(40, 400):
                recorder.name(1, f"guard {frame}")
                recorder.update([(1, "thing", thing(float(frame)))], 0.5)

    with ClipWriter(tmp_path / "a.mcap") as writer:
        writer.copy(recorder.ring, start, 400, play_on)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        [gap] = clip.clip.gaps
        oldest = recorder.source.span.oldest
        assert gap == Gap(start + 3, oldest - 1, "evicted before it was copied")
        assert clip.span.newest == recorder.source.span.newest
        for frame in (start, start + 2, oldest, clip.span.newest):
            [(_, result)] = clip.decoded(frame)
            assert result["value"] == frame
            assert clip.facts(frame)[1, Kind.NAME, ""] == f"guard {frame}"
    assert verify(tmp_path / "a.mcap").ok


def test_a_clip_of_a_clip_with_gaps_has_the_same_gaps(clip, tmp_path):
    saved = save(tmp_path / "again.mcap", clip.clip)
    assert [gap[:2] for gap in saved.gaps] == [gap[:2] for gap in clip.clip.gaps]
    with ClipSource.open(tmp_path / "again.mcap") as again:
        assert again.clip.gaps[0].reason == "evicted before it was copied"
        for stamp in clip.stamps(5, 60):
            assert at(again, stamp.id) == at(clip, stamp.id)


def test_damaged_frames_become_a_gap_only_if_that_was_asked_for(small_clip, tmp_path):
    data = bytearray(small_clip.read_bytes())
    with ClipFrames(small_clip) as clip:
        hurt = clip._index.chunks[1]
    data[hurt.offset + 80] ^= 0xFF
    path = tmp_path / "hurt.mcap"
    path.write_bytes(data)
    with ClipFrames(path) as clip:
        with pytest.raises(DamagedError, match=f"frames {hurt.first} to {hurt.last}"):
            save(tmp_path / "strict.mcap", clip)
        assert not (tmp_path / "strict.mcap").exists()
        saved = save(tmp_path / "rescued.mcap", clip, skip_damaged=True)
    assert [gap[:2] for gap in saved.gaps] == [(hurt.first, hurt.last)]
    assert "damaged" in saved.gaps[0].reason
    assert verify(tmp_path / "rescued.mcap").ok


def test_a_gap_of_any_size_costs_nothing(make_recorder, tmp_path):
    recorder = make_recorder()
    for _ in range(3):
        recorder.update([], 1.0)
    images = [bytearray(recorder.ring.image(frame)) for frame in (1, 2, 3)]
    far = 2**62
    struct.pack_into("<Q", images[1], 0, far)
    struct.pack_into("<I", images[1], 92, 0)  # the check: not computed
    images[1][84] &= ~2
    with ClipWriter(tmp_path / "a.mcap") as writer:
        writer.set_latched([])
        writer.add(bytes(images[0]))
        writer.set_latched([])
        writer.add(bytes(images[1]))
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        assert [stamp.id for stamp in clip.stamps(1, 2**63 - 1)] == [1, far]
        assert clip.span.newest == far
        assert clip.marks() == []
