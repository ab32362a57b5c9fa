"""What is opened: clips and rings, whole, cut and killed; and what is none of these."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.errors import CommandError, DamagedError, EvictedError
from playhead.native.ring import FrameRing
from playhead.recorder.clips.save_clip import save
from playhead.recording.open_file import open

from .guards import FRAMES


@pytest.fixture
def clip(play_game: Callable[..., object], tmp_path: Path) -> Path:
    """Of many chunks, so that a cut leaves some of them."""
    one = play_game(600)
    path = tmp_path / "run.mcap"
    save(path, one.session.recorder.ring, chunk_bytes=20_000)  # type: ignore[attr-defined]
    return path


def test_a_ring_of_a_running_game_is_read_while_it_records_on(resident, tmp_path):
    game = resident(tmp_path / "run.ring", FRAMES)
    assert game.line()
    with open(tmp_path / "run.ring") as run:
        assert len(run.frames) == FRAMES
        before = run.frames
        game.say("15")
        assert game.line() == str(FRAMES + 15)
        assert len(before) == FRAMES
        assert len(run.frames) == FRAMES + 15
        assert run.history("guard 1", "hp").values[-1] == 100.0 - (FRAMES + 15) / 10
        assert "75 frames" in repr(run)


def test_a_killed_game_leaves_a_ring_that_answers(resident, tmp_path):
    game = resident(tmp_path / "run.ring", FRAMES)
    assert game.line()
    game.kill()
    with open(tmp_path / "run.ring") as run:
        (check,) = run.checks
        assert "guard 1 (id 1)" in check.story
        assert run.transitions("guard 1", "ai", to="Attack")[-1].rejected[0].condition == "Sleep"
        assert run.state("guard 1", "ai", at=check.time) == "Flee"
        assert len(run.history("guard 1", "hp").times) == FRAMES
        assert check.command == f"playhead view '{check.link}'" or os.name == "nt"
    with open(check.link) as again:
        assert again.checks == [check]


def test_a_closed_recording_says_so(clip):
    with open(os.fspath(clip)) as run:
        assert not run.closed
    run.close()
    assert run.closed
    assert "closed" in repr(run)
    for ask in (run.objects, lambda: run.frames, lambda: run.history(1, "hp"), lambda: run.checks):
        with pytest.raises(CommandError, match=r"this recording was closed; open it again"):
            ask()


@pytest.mark.parametrize("given", [None, 5, b"\xff\xfe", "", "a\0b", "tcp://127.0.0.1:5670",
                                   "playhead://tcp://127.0.0.1:5670#frame=3"])  # fmt: skip
def test_what_is_no_path_is_refused_with_what_to_give(given):
    with pytest.raises(CommandError, match="give the path|connect to|there is no such file"):
        open(given)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(CommandError, match=r"run\.mcap: there is no such file; seen from the fold"):
        open("run.mcap")
    with pytest.raises(CommandError, match=r"missing\.ring: there is no such file$"):
        open(tmp_path / "missing.ring")
    with pytest.raises(CommandError, match=r"this is a folder: name a clip"):
        open(tmp_path)


@pytest.mark.parametrize("name", ["run.mcap", "run.ring", "run"])
def test_an_empty_file_is_named(name, tmp_path):
    (tmp_path / name).touch()
    with pytest.raises(DamagedError, match=rf"{name}: the file is empty: nothing was recorded"):
        open(tmp_path / name)


@pytest.mark.parametrize("name", ["run.mcap", "run.ring", "run.txt"])
def test_a_foreign_file_is_named(name, tmp_path):
    (tmp_path / name).write_text("hp,ammo\n" * 100)
    with pytest.raises(DamagedError, match=rf"{name}: (this is (neither|no clip)|not a ring)"):
        open(tmp_path / name)


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DamagedError, match="a named pipe"):
        open(tmp_path / "pipe")


def test_a_ring_of_another_version_says_what_opens_it(tmp_path):
    path = tmp_path / "run.ring"
    with FrameRing("64 KiB", path=path) as ring:
        ring.begin()
        ring.commit(0.0, 1.0)
    data = bytearray(path.read_bytes())
    data[12] += 8
    path.write_bytes(data)
    with pytest.raises(DamagedError, match=r"a ring of layout 9\.0.*playhead that recorded it"):
        open(path)


def test_a_ring_without_a_frame_waits_to_be_asked_later(tmp_path):
    path = tmp_path / "run.ring"
    with FrameRing("64 KiB", path=path) as ring, open(path) as run:
        assert (run.span, run.duration, len(run.frames), run.checks) == (None, 0.0, 0, [])
        assert "no frame so far" in repr(run)
        for ask in (run.objects, run.transitions, lambda: run.history(1, "hp"), run.logs,
                    lambda: run.table("frames"), lambda: run.about):  # fmt: skip
            with pytest.raises(EvictedError, match="holds no frame so far"):
                ask()
        ring.begin()
        ring.commit(0.0, 1.0)
        assert len(run.frames) == 1
        assert run.objects() == []


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_cut_clip_gives_what_is_complete_and_says_so_once(share, clip, tmp_path, caplog):
    data = clip.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: int(len(data) * share)])
    with caplog.at_level(logging.WARNING, "playhead"), open(cut) as run:
        assert 0 < len(run.frames) < 600
        assert len(run.history("guard 1", "hp").times) == len(run.frames)
        assert run.damage
        assert run.state(1, "ai") is not None
        run.table("objects", every=50)
    (line,) = [one.getMessage() for one in caplog.records]
    assert "cut off or damaged" in line
    assert "playhead clip recover" in line


def test_a_clip_cut_before_its_first_frame_is_refused(clip, tmp_path):
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(clip.read_bytes()[:300])
    with pytest.raises(DamagedError, match=r"cut\.mcap: not one frame of this clip can be read"):
        open(cut)


def test_a_damaged_stretch_is_left_out_and_listed(clip, tmp_path, caplog):
    with open(clip) as run:
        every = run.history("guard 1", "hp")
        rows = run._source.clip._rows  # type: ignore[attr-defined]
    hurt, data = tmp_path / "hurt.mcap", bytearray(clip.read_bytes())
    data[rows[1].offset + 200] ^= 0xFF
    hurt.write_bytes(data)
    with caplog.at_level(logging.WARNING, "playhead"), open(hurt) as run:
        times, values = run.history("guard 1", "hp")
        lost = set(range(rows[1].first, rows[1].last + 1))
        assert len(times) == 600 - len(lost)
        assert set(values) <= set(every.values)
        for question in (run.transitions, run.logs, lambda: run.watches(1, "distance"),
                         lambda: run.table("objects"), lambda: run.table("traces")):  # fmt: skip
            assert len(question()) > 0
        (one,) = [each for each in run.damage if each.first is not None]
        assert (one.first, one.last) == (rows[1].first, rows[1].last)
        with pytest.raises(DamagedError):
            run.objects(rows[1].first)
    assert len([one for one in caplog.records if "left out" in one.getMessage()]) == 1
