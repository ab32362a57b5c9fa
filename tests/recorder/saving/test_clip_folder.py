"""The folder of triggers' clips: names that sort, and no more than so many and so much."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playhead.errors import RecordingError
from playhead.recorder.saving.clip_folder import ClipFolder, file_name

WHEN = 1_769_860_800.123
"""2026-01-31 12:00:00.123 UTC"""


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("stuck", "2026-01-31T12-00-00.123Z-stuck.mcap"),
        ("guard 7: hp < 0!", "2026-01-31T12-00-00.123Z-guard-7-hp-0.mcap"),
        ("../../etc/passwd", "2026-01-31T12-00-00.123Z-etc-passwd.mcap"),
        ("", "2026-01-31T12-00-00.123Z-clip.mcap"),
        ("…", "2026-01-31T12-00-00.123Z-clip.mcap"),
        ("wütend", "2026-01-31T12-00-00.123Z-wütend.mcap"),
        ("a\0b\n", "2026-01-31T12-00-00.123Z-a-b.mcap"),
        ("x" * 500, f"2026-01-31T12-00-00.123Z-{'x' * 60}.mcap"),
    ],
)
def test_a_clips_file_is_named_by_time_and_trigger(name, file):
    assert file_name(name, WHEN) == file


def test_a_name_that_is_taken_gets_a_number():
    assert file_name("stuck", WHEN, 2) == "2026-01-31T12-00-00.123Z-stuck.2.mcap"


@given(st.text(max_size=300), st.floats(0, 4e9), st.integers(1, 50))
@example("\U0001f600" * 200, 0.0, 1)
@example("é" * 200, 0.0, 1)
@example("\ud800", 1.0, 1)
def test_whatever_a_trigger_is_called_its_file_can_be_made_and_is_known_again(
    tmp_path_factory, name, when, count
):
    folder = ClipFolder(tmp_path_factory.mktemp("clips"), 1, 0)
    path = folder.path / file_name(name, when, count)
    assert path.parent == folder.path
    assert len(os.fsencode(path.name)) < 200
    path.touch()
    assert folder.clips == [path]


def test_later_names_come_later_in_the_folder(tmp_path):
    folder = ClipFolder(tmp_path, 1, 0)
    whens = (WHEN - 86_400, WHEN - 0.5, WHEN, WHEN + 0.002, WHEN + 3600)
    paths = [tmp_path / file_name(name, when) for name, when in zip("zyxwv", whens, strict=True)]
    again = [tmp_path / file_name("v", WHEN + 3600, count) for count in (2, 10)]
    for path in [*again, *paths]:
        path.touch()
    assert folder.clips == [*paths, *again]


def test_a_free_path_is_no_files_and_nobodys(tmp_path):
    folder = ClipFolder(tmp_path / "a" / "b", 1, 0)
    first = folder.free("x", WHEN)
    assert folder.path.is_dir()
    first.touch()
    second = folder.free("x", WHEN)
    assert second.name.endswith("-x.2.mcap")
    assert folder.free("x", WHEN, {second}).name.endswith("-x.3.mcap")
    second.symlink_to("nowhere")
    assert folder.free("x", WHEN).name.endswith("-x.3.mcap")


def test_a_folder_that_can_not_be_made_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError, match="file/clips: no folder for clips can be made here"):
        ClipFolder(tmp_path / "file" / "clips", 1, 0).free("x", WHEN)


def test_a_folder_that_is_not_there_has_no_clips(tmp_path):
    folder = ClipFolder(tmp_path / "none", 1, 0)
    assert (folder.clips, folder.prune()) == ([], [])


@given(
    sizes=st.lists(st.integers(0, 300), max_size=12),
    keep=st.integers(1, 14),
    most=st.integers(0, 1500),
    pinned=st.sets(st.integers(0, 11), max_size=3),
)
def test_what_stays_is_the_newest_that_fits_and_others_files_are_never_touched(
    tmp_path_factory, sizes, keep, most, pinned
):
    path = tmp_path_factory.mktemp("clips")
    others = ["mine.mcap", "2026-01-31T12-00-00.123Z-x.ring", "x-2026-01-31T12-00-00.123Z-x.mcap",
              ".2026-01-31T12-00-00.123Z-x.mcap.ab12.part"]  # fmt: skip
    for name in others:
        (path / name).write_bytes(bytes(5000))
    clips = [path / file_name("x", WHEN + number) for number in range(len(sizes))]
    for clip, size in zip(clips, sizes, strict=True):
        clip.write_bytes(bytes(size))
    pinned_clips = {clips[number] for number in pinned if number < len(clips)}
    folder = ClipFolder(path, keep, most)
    removed = folder.prune(pinned_clips)
    left = folder.clips
    assert sorted([*removed, *left]) == clips
    assert all((path / name).exists() for name in others)
    assert pinned_clips <= set(left)
    if clips:
        assert left[-1] == clips[-1]
    may_go = [clip for clip in left[:-1] if clip not in pinned_clips]
    total = sum(clip.stat().st_size for clip in left)
    assert not may_go or (len(left) <= keep and total <= most)
    # Nothing went that could have stayed: with the last one that went it was too much.
    if removed:
        back = removed[-1]
        size = sizes[clips.index(back)]
        assert len(left) + 1 > keep or total + size > most
        assert all(clip < one for clip in removed for one in may_go)


def test_one_that_can_not_be_removed_is_passed_over(tmp_path: Path, monkeypatch):
    folder = ClipFolder(tmp_path, 1, 1000)
    paths = [tmp_path / file_name("x", WHEN + number) for number in range(3)]
    for path in paths:
        path.touch()
    unlink = Path.unlink

    def refuse(path: Path, **rest: bool) -> None:
        if path == paths[0]:
            raise PermissionError(13, "not yours")
        unlink(path, **rest)

    monkeypatch.setattr(Path, "unlink", refuse)
    assert folder.prune() == [paths[1]]
