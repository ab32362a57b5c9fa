"""What a clip says is what the ring said that it was saved from."""

from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.native.ring import FrameRing
from playhead.recorder.clips import clip_writer as writer
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.recorder import Recorder

from .stories import ACTS, Story, at, whole

FRAMES = st.lists(
    st.tuples(st.lists(st.sampled_from(ACTS), max_size=5), st.sampled_from([0.0, 0.25, 1.5]),
              st.integers(0, 9).map(lambda n: n == 9)),
    min_size=1, max_size=40,
)  # fmt: skip


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    frames=FRAMES, seed=st.integers(0, 1000), memory=st.sampled_from(["24 KiB", "64 KiB", "1 MiB"]),
    chunk=st.sampled_from([1, 2000, 20_000, 1 << 20]), begun=st.integers(0, 30),
    share=st.sampled_from([-1, writer.KEYFRAME_SHARE]),
)  # fmt: skip
def test_every_reading_method_says_the_same_of_the_ring_and_of_the_clip(
    tmp_path: Path, frames, seed, memory, chunk, begun, share
):
    story = Story(memory, seed, latch="12 KiB" if memory != "1 MiB" else "64 KiB")
    story.recorder.strict = False  # the latch area of the small ones overflows
    for _ in range(begun):
        story.frame([])
    for acts, delta, jump in frames:
        story.frame(acts, delta, jump)
    path = tmp_path / "story.mcap"
    with mock.patch.object(writer, "KEYFRAME_SHARE", share):  # −1: many chunks, of a few frames
        save(path, story.recorder.ring, overwrite=True, chunk_bytes=chunk)
    with ClipSource.open(path) as clip:
        assert whole(clip) == whole(RingSource(story.recorder.ring))
        assert clip.info()["complete"]
    report = verify(path)
    assert report.problems == ()
    assert report.frames == len(story.recorder.ring)
    story.close()


def test_a_ring_that_has_evicted_much_is_saved_with_all_that_was_true_before(story, tmp_path):
    result = story(300, memory="48 KiB", latch="16 KiB")
    result.recorder.strict = False
    span = result.recorder.source.span
    assert span.oldest > 100
    save(tmp_path / "a.mcap", result.recorder.ring, chunk_bytes=4000)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        assert len(clip.facts(span.oldest)) > 10
        assert whole(clip) == whole(RingSource(result.recorder.ring))


def test_a_stretch_says_of_its_frames_what_the_whole_says(story, tmp_path):
    result = story(80, seed=3)
    source = RingSource(result.recorder.ring)
    save(tmp_path / "a.mcap", result.recorder.ring, 31, 80, chunk_bytes=3000)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        assert clip.span == source.span._replace(oldest=31, start=source.stamp(31).time)
        for frame in range(31, 81):
            here, there = at(clip, frame, neighbours=False), at(source, frame, neighbours=False)
            # Of those before its first frame a clip has one, as a ring that has evicted them.
            for told_here, told_there in zip(
                here.pop("transitions"), there.pop("transitions"), strict=True
            ):
                since = [one for one in told_there if one.frame >= 31]
                assert told_here[: len(since)] == since
                assert len(told_here) <= len(since) + 1
            assert here == there
        marks = [mark for mark in source.marks() if mark.frame >= 31]
        assert clip.marks() == marks


def test_a_clip_of_a_clip_is_the_same_clip(small_clip, tmp_path):
    with ClipSource.open(small_clip) as first:
        save(tmp_path / "again.mcap", first.clip, chunk_bytes=700, created=0.0)
        with ClipSource.open(tmp_path / "again.mcap") as second:
            assert whole(second) == whole(first)
    assert verify(tmp_path / "again.mcap").ok


def test_the_frames_of_a_store_that_makes_no_images_are_put_together(story, tmp_path):
    result = story(40, seed=9)
    ring = result.recorder.ring

    class Plain:
        """The frames of a ring without its `image`."""

        newest, oldest = ring.newest, ring.oldest
        find, stamp, packets = ring.find, ring.stamp, ring.packets
        latched, latched_all, versions = ring.latched, ring.latched_all, ring.versions

    save(tmp_path / "a.mcap", Plain())
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        assert whole(clip) == whole(RingSource(ring))


def test_the_ring_file_of_a_process_that_died_becomes_a_clip(story, tmp_path):
    result = Recorder("256 KiB", path=tmp_path / "game.ring", strict=True)
    for frame in range(1, 20):
        result.name(1, f"guard {frame}")
        result.update([], 0.5)
    # Not closed: as a killed process leaves it.
    with FrameRing.open(tmp_path / "game.ring") as ring:
        save(tmp_path / "a.mcap", ring)
        with ClipSource.open(tmp_path / "a.mcap") as clip:
            assert whole(clip) == whole(RingSource(ring))
    result.close()


def test_saving_the_same_twice_gives_the_same_bytes(story, tmp_path):
    ring = story(30).recorder.ring
    for name in ("a", "b"):
        save(tmp_path / name, ring, created=86400.0, command=["game", "--seed", "1"])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("time", [-5.0, 0.0, 1e10, 1e300])
def test_a_time_that_mcap_cannot_say_is_kept_all_the_same(tmp_path, time):
    ring = FrameRing("64 KiB")
    for later in (0.0, 0.1):
        ring.begin()
        ring.commit(time + later, 0.1)
    save(tmp_path / "a.mcap", ring)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        assert clip.span == RingSource(ring).span
    assert verify(tmp_path / "a.mcap").ok
