"""A game that forks while it records, with everything that a session may have on its way."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ..support.process import LENIENT, WITH_SUPPORT, run_process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
PROGRAM = Path(__file__).parent / "programs" / "forking.py"


def forked(case: str, folder: Path) -> tuple[dict[str, Any], str]:
    """What the program says of a case, and what it logged."""
    done = run_process(
        sys.executable,
        "-X",
        "faulthandler",
        PROGRAM,
        case,
        folder,
        env={**LENIENT, **WITH_SUPPORT},
        limit=90,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result, done.stderr


def parent_is_whole(report: dict[str, Any]) -> bool:
    return (report["frames"], report["torn"], report["finished"]) == (600, [], True)


@pytest.mark.parametrize("case", ["counted", "older", "bus"])
def test_a_game_in_a_forked_child_runs_on_unrecorded_and_is_answered_so_once(
    case: str, tmp_path: Path
) -> None:
    result, logged = forked(case, tmp_path)
    child = result["child"]
    assert child["error"] is None
    assert child["seconds"] == pytest.approx((300 + 600 + 1) / 64)
    assert child["live"], "nobody could resume it"
    assert child["refused"]["update"] == 601
    assert child["refused"]["watch"] == 600
    assert child["reads"] == 8, "what was held can be read"
    assert "save()" in child["clip"]
    assert child["own"] == 50
    assert logged.count("inherited through a fork") == 1
    assert logged.startswith("ERROR playhead.recorder")
    assert parent_is_whole(result)
    assert result["is_live"], "the child's close() did not give up the parent's lock"
    assert not result["taken"]
    assert (case == "bus") == bool(result["endpoint"])


def test_strict_a_forked_child_is_refused_with_the_reason_and_what_to_do(tmp_path: Path) -> None:
    result, logged = forked("strict", tmp_path)
    assert "inherited through a fork" in result["child"]["error"]
    assert "game.ring" in result["child"]["error"]
    assert "with another path" in result["child"]["error"]
    assert result["child"]["own"] == 50
    assert logged == ""
    assert parent_is_whole(result)
    assert result["is_live"]


def test_a_child_that_outlives_its_parent_does_not_hold_its_lock(tmp_path: Path) -> None:
    result, _ = forked("outlives", tmp_path)
    assert result == {"is_live": False, "frames": 10, "again": None}


def test_a_clip_that_is_being_written_is_finished_by_the_parent_alone(tmp_path: Path) -> None:
    result, _ = forked("clip", tmp_path)
    waited, error = result["child"]
    assert waited
    assert "forked" in error
    assert result["frames"] > 300
    assert result["damage"] == []
    assert len(result["files"]) == 1, "nothing half written is left"


def test_workers_of_multiprocessing_that_are_forked_cost_the_recording_nothing(
    tmp_path: Path,
) -> None:
    result, logged = forked("pool", tmp_path)
    assert result["squares"] == 50
    assert parent_is_whole(result)
    assert logged == ""
