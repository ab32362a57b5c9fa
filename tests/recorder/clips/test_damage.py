"""Clips that were cut off or have a wrong byte: what is whole is read, the rest is named."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import DamagedError, EvictedError
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.packet_types import Kind

BEGINNING = 8 + 9 + 4 + 8 + 4 + 14
"""Bytes up to the end of the file's header: without them it is no clip."""


def frame_contents(clip: ClipFrames, frame: int) -> dict[str, Any]:
    """All that a clip's file says of a frame."""
    held = clip.latched_all(frame)
    return {
        "stamp": clip.stamp(frame),
        "packets": clip.packets(frame),
        "held": sorted(held),
        "one": [clip.latched(frame, *row[:3]) for row in sorted(held)[:3]],
    }


def versions(clip: ClipFrames, frame: int, keys: Iterable[tuple[int, int, int]]) -> list[Any]:
    """Versions of these keys that the frames themselves told."""
    return [
        (key, *version)
        for key in keys
        for version in clip.versions(frame, *key, 100)
        if version[2] is not None
    ]


class Original:
    """What a whole clip says."""

    def __init__(self, path: Path) -> None:
        with ClipFrames(path) as clip:
            assert clip.oldest is not None
            assert clip.newest is not None
            self.data = path.read_bytes()
            self.frames = range(clip.oldest[0], clip.newest[0] + 1)
            self.frame_contents = {frame: frame_contents(clip, frame) for frame in self.frames}
            self.keys = [row[:3] for row in clip.latched_all(self.frames[-1])][::7]
            self.versions = set(versions(clip, self.frames[-1], self.keys))
            self.chunks = [(row.first, row.last, row.offset) for row in clip._index.chunks]
            self.metadata = clip.metadata
            self.attachments = {name: clip.attachment(name) for name in clip.attachments}

    def check(self, path: Path) -> tuple[set[int], bool]:
        """Nothing in a file may be another than here; returns the frames that it still has, and
        whether it says that something is missing."""
        try:
            clip = ClipSource.open(path)
        except DamagedError as error:
            assert str(path) in str(error)
            return set(), True
        with clip:
            read, says_so = set(), bool(clip.clip.damage)
            for frame in self.frames:
                try:
                    assert frame_contents(clip.clip, frame) == self.frame_contents[frame]
                    read.add(frame)
                except DamagedError:
                    says_so = True
                except EvictedError:
                    pass
            try:
                newest = clip.clip.newest
                if newest is not None:
                    assert set(versions(clip.clip, newest[0], self.keys)) <= self.versions
                assert clip.info()["frames"] <= len(self.frames)
                for name in clip.clip.attachments:
                    assert clip.clip.attachment(name) == self.attachments[name]
            except DamagedError:
                says_so = True
            for name, pairs in clip.clip.metadata.items():
                assert pairs == self.metadata[name]
            return read, says_so or bool(clip.clip.damage)


@pytest.fixture(scope="module")
def original(small_clip: Path) -> Original:
    return Original(small_clip)


@pytest.fixture(scope="module")
def tiny(tiny_clip: Path) -> Original:
    return Original(tiny_clip)


def offsets(original: Original, step: int) -> list[int]:
    """Every so many bytes, and all those around which records begin."""
    found = set(range(0, len(original.data), step))
    for _, _, offset in original.chunks:
        found.update(range(offset - 2, offset + 50, 3))
    return sorted(place for place in found if place < len(original.data))


def check_cuts(original: Original, path: Path, at: Iterable[int]) -> None:
    for length in at:
        path.write_bytes(original.data[:length])
        read, says_so = original.check(path)
        assert says_so
        whole = {
            frame
            for number, (first, last, offset) in enumerate(original.chunks)
            for frame in range(first, last + 1)
            if offset + 9 + int.from_bytes(original.data[offset + 1 : offset + 9], "little")
            <= length
        }
        assert read == whole, f"cut at {length}"
        if length >= BEGINNING + 9:
            assert not verify(path).ok


def check_flips(original: Original, path: Path, at: Iterable[int], mask: int) -> None:
    for place in at:
        damaged = bytearray(original.data)
        damaged[place] ^= mask
        path.write_bytes(damaged)
        read, says_so = original.check(path)
        assert says_so or read == set(original.frames), f"byte {place}"
        hit = {
            frame
            for first, last, offset in original.chunks
            for frame in range(first, last + 1)
            if offset <= place < offset + 9
            + int.from_bytes(original.data[offset + 1 : offset + 9], "little")
        }  # fmt: skip
        if read:
            assert read >= set(original.frames) - hit, f"byte {place}"
        else:
            assert place < BEGINNING, f"byte {place}"
        try:
            assert not verify(path).ok, f"byte {place}"
        except DamagedError:
            assert place < BEGINNING, f"byte {place}"


@pytest.mark.slow
def test_a_clip_that_was_cut_off_has_every_complete_chunk_and_says_what_is_lost(original, tmp_path):
    check_cuts(original, tmp_path / "cut.mcap", offsets(original, 97))


@pytest.mark.slow
def test_a_clip_with_a_wrong_byte_says_nothing_wrong(original, tmp_path):
    check_flips(original, tmp_path / "flip.mcap", offsets(original, 97), 0x55)


@pytest.mark.slow
def test_a_clip_cut_off_at_every_sixth_byte(tiny, tmp_path):
    assert len(tiny.chunks) >= 3
    check_cuts(tiny, tmp_path / "cut.mcap", range(1, len(tiny.data), 6))


@pytest.mark.slow
@pytest.mark.parametrize(("mask", "first"), [(0xFF, 0), (0x01, 3)])
def test_a_clip_with_every_sixth_byte_wrong_in_turn(tiny, tmp_path, mask, first):
    check_flips(tiny, tmp_path / "flip.mcap", range(first, len(tiny.data), 6), mask)


def test_a_clip_without_its_end_but_with_a_wrong_byte_still_has_the_chunks_beside_it(
    original, tmp_path
):
    path, end = tmp_path / "both.mcap", len(original.data) - 200
    for number, (first, last, offset) in enumerate(original.chunks[:-1]):
        following = original.chunks[number + 1][2]
        for place in {offset, offset + 3, offset + 5, offset + 60, following - 20}:
            damaged = bytearray(original.data[:end])
            damaged[place] ^= 0x11
            path.write_bytes(damaged)
            read, says_so = original.check(path)
            assert says_so
            assert read >= set(original.frames) - set(range(first, last + 1)), f"byte {place}"


def test_what_is_lost_is_reported_by_place_and_the_lost_frames_are_a_gap(original, tmp_path):
    path = tmp_path / "damaged.mcap"
    first, last, offset = original.chunks[1]
    damaged = bytearray(original.data[:-1])
    damaged[offset + 100] ^= 0xFF
    path.write_bytes(damaged)
    with ClipFrames(path) as clip:
        assert [(gap.first, gap.last) for gap in clip.gaps] == [(first, last)]
        assert any(damage.offset == offset for damage in clip.damage)
        assert any("cut off" in damage.what for damage in clip.damage)
        with pytest.raises(EvictedError, match=f"has none from {first} to {last}"):
            clip.packets(first)
        assert clip.following(first - 1) == last + 1
    with ClipSource.open(path) as source:
        info = source.info()
    assert info["complete"] is False
    assert info["damage"]


def test_a_damaged_chunk_in_a_complete_file_is_named_with_its_frames(original, tmp_path):
    path = tmp_path / "damaged.mcap"
    first, last, offset = original.chunks[1]
    damaged = bytearray(original.data)
    damaged[offset + 100] ^= 0xFF
    path.write_bytes(damaged)
    with ClipFrames(path) as clip:
        assert clip.gaps == ()
        with pytest.raises(DamagedError, match=f"frames {first} to {last} .* byte {offset}"):
            clip.packets(last)
        assert clip.packets(last + 1) == original.frame_contents[last + 1]["packets"]
        assert clip.stamp(first) == original.frame_contents[first]["stamp"]
    report = verify(path)
    assert any(problem.offset == offset for problem in report.problems)


def test_a_cut_off_clip_is_read_as_far_as_it_goes_also_by_search(original, tmp_path):
    path = tmp_path / "cut.mcap"
    path.write_bytes(original.data[: original.chunks[-1][2]])
    with ClipSource.open(path) as cut:
        assert cut.span is not None
        newest = original.chunks[-2][1]
        assert cut.span.newest == newest
        assert [damage.offset for damage in cut.clip.damage] == [path.stat().st_size]
        names = {row["name"] for row in cut.info()["objects"]}
        assert names
        for agent in (1, 2):
            own = {
                transition.frame
                for transition in cut.transitions(newest, agent, "plan", 100)
                if not transition.trace.belongs_to
            }
            assert set(cut.changed(agent, Kind.STATE, "plan")) >= own
            assert own


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "no clip"),
        (b"\x89MCA", "no clip"),
        (b"PLAYHEAD" + bytes(600), "no clip"),
        (b"time,x\n1,2\n" * 50, "no clip"),
    ],
)
def test_what_is_no_clip_is_reported_to_be_none(tmp_path, data, match):
    path = tmp_path / "odd.mcap"
    path.write_bytes(data)
    for read in (ClipFrames, verify):
        with pytest.raises(DamagedError, match=match) as caught:
            read(path)
        assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.mcap", tmp_path):
        with pytest.raises(DamagedError, match=str(path)):
            ClipFrames(path)


def test_a_file_that_shrinks_while_it_is_read_is_damaged_and_no_crash(original, tmp_path):
    path = tmp_path / "shrinking.mcap"
    path.write_bytes(original.data)
    with ClipFrames(path) as clip:
        with path.open("r+b") as file:
            file.truncate(original.chunks[1][2])
        assert (
            clip.packets(original.chunks[0][0])
            == original.frame_contents[original.frames[0]]["packets"]
        )
        with pytest.raises(DamagedError, match="is gone"):
            clip.packets(original.frames[-1])
