"""Every benchmark runs; what it measures here is of no interest."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..support.process import run_process

ROOT = Path(__file__).resolve().parents[2]
NAMES = {
    "record", "record_list", "record_batch", "seek", "mapped", "growth", "frame", "calls",
    "loggers", "gateway", "clips", "bus", "saving", "older", "viewer", "arena", "playthrough",
    "learning", "switched_off", "history", "policy", "text_to_plan", "trees", "tree_agent", "hooks",
    "pictures",
}  # fmt: skip


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_process(
        sys.executable,
        "-W",
        "error",
        "-m",
        "benchmarks.run",
        *arguments,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT)},
        limit=240,
    )


@pytest.mark.parametrize("names", [{"seek", "calls"}, pytest.param(NAMES, marks=pytest.mark.slow)])
def test_every_benchmark_gives_its_lines_as_json(names: set[str], tmp_path: Path) -> None:
    only = [] if names == NAMES else [word for name in names for word in ("--only", name)]
    done = run("--tiny", "--json", *only, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert {line["benchmark"] for line in result["results"]} == names
    assert result["machine"]["ring"]
    for line in result["results"]:
        assert line["reached"] is None or line["reached"] >= 0, line
        assert line["reached"] is not None or line["note"], line
        assert (line["met"] is None) == (line["goal"] is None or line["reached"] is None), line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["record_list", pytest.param("calls", marks=pytest.mark.slow)])
def test_one_benchmark_alone_prints_an_aligned_table(name: str, tmp_path: Path) -> None:
    done = run("--tiny", "--only", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    machine, empty, title, heading, *lines, seconds = done.stdout.splitlines()
    assert machine.startswith("python ")
    assert (empty, title) == ("", name)
    end = heading.index("reached") + len("reached")
    assert lines
    assert {line[end - 1] for line in lines} <= {"×", "s"}, done.stdout
    assert seconds.endswith(" s)")


@pytest.mark.slow
def test_an_unknown_benchmark_is_refused_by_name(tmp_path: Path) -> None:
    done = run("--only", "nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert "record_list" in done.stderr
