"""A writer that is killed leaves all of its finished frames behind, whole.

And the proof that this test can fail: a ring built with a planted fault is caught by it.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...support.process import run_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked to be killed")

HERE = Path(__file__).parents[1]


def kill_writers(folder: Path, *options: str, package: Path | None = None) -> dict[str, Any]:
    """Runs the script and returns what it says; `package` holds another `playhead` to use."""
    environment = {}
    if package:
        environment["PYTHONPATH"] = str(package)
    done = run_process(
        sys.executable,
        "-m",
        "isolated.kill_writers",
        folder,
        *options,
        cwd=HERE,
        limit=280,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("kills", [52, pytest.param(120, marks=pytest.mark.slow)])
def test_whenever_a_writer_is_killed_all_its_finished_frames_are_complete(
    kills: int, tmp_path: Path
) -> None:
    result = kill_writers(tmp_path, "--kills", str(kills))
    assert result["wrong"] == []
    assert result["kills"] == kills
    assert result["recorded"] > kills * 0.8, "most writers were killed before they recorded"
    assert result["frames"] > 10 * kills


@pytest.mark.slow
def test_a_tail_that_is_published_too_late_is_caught(
    build_ring: Callable[..., Path], tmp_path: Path
) -> None:
    planted = build_ring("PLAYHEAD_PLANT_LATE_TAIL")
    result = kill_writers(tmp_path, "--kills", "300", "--until-wrong", package=planted)
    assert result["wrong"], f"{result['kills']} kills and the planted fault went unnoticed"
