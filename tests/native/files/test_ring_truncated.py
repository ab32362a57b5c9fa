"""A ring's file that somebody truncates: those who use it get an error and are not killed."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import DamagedError
from playhead.native.ring import FrameRing
from playhead.native.ring_memory import MOST

from ...support.process import run_process

SCRIPT = Path(__file__).parents[1] / "isolated" / "truncated.py"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file can't shrink")
SIZES = pytest.mark.parametrize("size", [0, 100, 20_000])


def run(case: str, path: Path, size: int) -> dict[str, Any]:
    done = run_process(sys.executable, "-X", "faulthandler", SCRIPT, case, path, size)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr}"
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@SIZES
def test_a_ring_that_nobody_records_into_is_read_on_as_it_was(size: int, tmp_path: Path) -> None:
    result = run("dead", tmp_path / "game.ring", size)
    assert result["after"] == result["before"]
    assert result["len"] > 20


@SIZES
def test_who_reads_a_ring_that_is_recorded_into_is_told_that_it_was_truncated(
    size: int, tmp_path: Path
) -> None:
    result = run("live", tmp_path / "game.ring", size)
    assert result["live"]
    assert not [answer for answer in result["before"].values() if answer.startswith("Damaged")]
    for name, answer in result["after"].items():
        assert f"truncated this file from 262144 to {size} bytes" in answer, name
        assert "game.ring" in answer
    assert result["lent"] == [1], "what was read before is a copy"
    writer = json.loads(result["writer"])
    assert len(writer["errors"]) == 3


@SIZES
def test_a_game_whose_ring_is_truncated_records_nothing_more_and_lives_on(
    size: int, tmp_path: Path
) -> None:
    result = run("writer", tmp_path / "game.ring", size)
    assert len(result["errors"]) == 3
    assert "somebody truncated this file" in result["errors"][0]
    assert "Begin a new recording" in result["errors"][2]
    assert result["newest"] is None
    assert result["len"] == 0
    assert result["again"] == 5


def test_a_copy_takes_no_memory_for_the_holes_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    with FrameRing("64 KiB", path=path) as ring:
        ring.begin()
        ring.commit(0.0, 0.0)
    os.truncate(path, 1 << 33)
    if path.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("this file system has no holes")
    assert len(FrameRing.open(path)) == 1


def test_what_is_larger_than_a_ring_can_be_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "game.ring"
    path.write_bytes(b"PLAYHEAD")
    os.truncate(path, MOST + 1)
    with pytest.raises(DamagedError, match="16 GiB at most"):
        FrameRing.open(path)
