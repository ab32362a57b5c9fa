"""A game on a grid, and an environment of Gymnasium: recorded once, replayed with other seeds."""

import json
from pathlib import Path

import pytest

from ..support.process import PLAYHEAD, run_process

FOLDER = Path(__file__).parents[2] / "examples" / "tester"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "noted"),
    [("grid_game.py:Grid", ""), ("frozen_lake.py:FrozenLake", "debug function start(0.0)")],
)
def test_an_example_is_recorded_once_and_replayed_from_ten_seeds(tmp_path, game, noted):
    demo = tmp_path / "demo.csv"
    done = run_process(PLAYHEAD, "demo-record", game, demo, "--headless", "--seed", 0, cwd=FOLDER)
    assert done.returncode == 0, done.stderr
    done = run_process(
        PLAYHEAD, "replay", game, demo, "--seeds", "1..10", "--headless", "--json", cwd=FOLDER
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(runs) == 10
    for run in runs:
        assert run["finished"]
        assert any(note.startswith(noted) for note in [*run["demos"][0]["notes"], ""])
