"""Whenever a game is killed, a clip can be made of every frame that it had finished."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import DamagedError
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.reading.ring_source import RingSource

from ..support.process import PLAYHEAD, Process, run_process
from ..support.waits import until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="games are forked to be killed")

ROOT = Path(__file__).resolve().parents[2]


def soak(*args: object, timeout: float = 280) -> dict[str, Any]:
    done = run_process(sys.executable, ROOT / "tools" / "soak.py", *args, limit=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_at_any_moment_it_leaves_every_finished_frame_on_disk_and_in_memory(kills, tmp_path):
    memory = Path("/dev/shm")
    folders = [tmp_path, memory] if memory.is_dir() else [tmp_path]
    result = soak("kills", "--count", kills, *folders)
    assert result["wrong"] == []
    assert result["recorded"] > 0.7 * kills, "most games were killed before they recorded"
    assert result["frames"] > 20 * kills


@pytest.mark.slow
def test_three_minutes_of_a_game_do_not_grow_the_process():
    result = soak("hour", "--seconds", 180)
    assert result["wrong"] == []
    assert result["frames"] == 10_800


@pytest.mark.slow
def test_the_black_box_of_a_run_is_opened_from_the_command_line(tmp_path):
    def recorded() -> bool:
        assert game.poll() is None, game.output
        try:
            span = RingSource.open(tmp_path / "run.ring").span
        except DamagedError:
            return False
        return span is not None and span.newest > 100

    args = ("run", "arena:yard", "--headless", "--seconds", "100000")
    with Process(PLAYHEAD, *args, "--ring", tmp_path / "run.ring") as game:
        until(recorded)
    done = run_process(PLAYHEAD, "clip", "recover", "run.ring", "out.mcap", "--json", check=True)
    facts = json.loads(done.stdout)
    assert facts["frames"] > 100
    assert (facts["lost"], facts["verified"], facts["live"]) == (0, True, False)
    assert verify(tmp_path / "out.mcap").ok
