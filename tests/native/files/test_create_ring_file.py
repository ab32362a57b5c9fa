"""Ring files that come from outside: other versions, damaged, or being overwritten right now.

What could crash runs in a process of its own, so that a crash is seen and not suffered.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import DamagedError
from playhead.native.ring import FrameRing

from ...support.process import run_process

NATIVE = Path(__file__).parents[1]
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="the writer is forked")


def run(script: str, *arguments: str) -> dict[str, Any]:
    """What a script in isolated/ tells as JSON; it fails if that one crashes, hangs or objects."""
    done = run_process(
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        f"isolated.{script}",
        *arguments,
        cwd=NATIVE,
        limit=250,
    )
    assert done.returncode == 0, f"{script} ended with {done.returncode}:\n{done.stderr}"
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture
def ring_file(tmp_path: Path) -> Path:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        for frame in range(20):
            ring.begin()
            ring.record(1, 1, True, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), b"frame %d" % frame)
            ring.commit(frame, 1.0)
    return path


@pytest.mark.parametrize("copy", [False, True], ids=["mapped", "copied"])
def test_a_complete_file_gives_back_what_was_recorded(ring_file: Path, copy: bool) -> None:
    ring = FrameRing.open(ring_file, copy=copy)
    assert len(ring) == 20
    assert [ring.packets(i + 1)[0][8] for i in range(20)] == [b"frame %d" % i for i in range(20)]
    assert all(ring.verify(frame) for frame in range(1, 21))


@pytest.mark.parametrize("copy", [False, True], ids=["mapped", "copied"])
def test_what_is_wrong_with_a_file_is_named_with_its_path(ring_file: Path, copy: bool) -> None:
    good = ring_file.read_bytes()
    wrong = {
        b"": "empty",
        b"PLAY": "not a ring",
        b"some text, much longer than any header" * 50: "not a ring",
        good[:30_000]: "cut off",
        good[:600]: "cut off",
        good[:12] + b"\x02" + good[13:]: "layout 2.0",
        good[:8] + b"\x01\x02\x03\x04" + good[12:]: "byte order",
        good[:20] + b"\x55" + good[21:]: "header is damaged",
    }
    for content, what in wrong.items():
        ring_file.write_bytes(content)
        with pytest.raises(DamagedError, match=what) as caught:
            FrameRing.open(ring_file, copy=copy)
        assert str(ring_file) in str(caught.value)


def test_a_damaged_frame_is_distinguished_from_the_complete_ones(ring_file: Path) -> None:
    content = bytearray(ring_file.read_bytes())
    at = content.rindex(b"frame 7")
    content[at + 6] = ord("8")
    ring_file.write_bytes(content)
    ring = FrameRing.open(ring_file)
    assert [frame for frame in range(1, 21) if not ring.verify(frame)] == [8]


def test_a_complete_ring_is_read_without_complaint() -> None:
    assert run("read_damaged", "whole")["whole frames"] > 20


def test_a_ring_of_another_layout_is_refused() -> None:
    assert run("read_damaged", "version")["rings"] == 1


def test_a_ring_cut_off_anywhere_is_refused() -> None:
    assert run("read_damaged", "cut")["rings"] > 600


@pytest.mark.slow
def test_any_byte_of_the_header_may_be_wrong() -> None:
    result = run("read_damaged", "header")
    assert result["rings"] == 3 * 512
    assert result["DamagedError"] > 300


def test_noise_is_no_ring() -> None:
    assert run("read_damaged", "noise")["rings"] == 300


@pytest.mark.parametrize("way", ["flips", "links", "latches", "ends"])
@pytest.mark.parametrize("trials", [120, pytest.param(1500, marks=pytest.mark.slow)])
def test_damage_anywhere_never_crashes_and_never_passes_for_truth(way: str, trials: int) -> None:
    result = run("read_damaged", way, "--trials", str(trials))
    assert result["rings"] >= trials / 2
    assert result["DamagedError"] > trials / 20
    assert result["whole frames"] > trials / 2, "what is not damaged can still be read"


@POSIX
@pytest.mark.parametrize("seconds", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_reading_while_a_writer_laps_gives_the_truth_or_says_evicted(
    seconds: int, tmp_path: Path
) -> None:
    evicted = 10 * seconds
    result = run("read_live", str(tmp_path), "--seconds", str(seconds), "--evicted", str(evicted))
    assert result["wrong"] == []
    assert result["read"] > 1000 * seconds
    assert result["evicted"] > evicted, "the writer never got in the way"
