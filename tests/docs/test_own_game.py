"""The game of docs/test-your-own-game.md, recorded and replayed as the page says."""

import json
import sys

import pytest

from playhead.games.game_catalog import open_game

from ..support.process import PLAYHEAD, run_process
from .test_code_blocks import ROOT, blocks_of


@pytest.mark.slow
def test_the_pages_game_is_recorded_and_replayed_with_public_names_only(tmp_path):
    block = blocks_of(ROOT / "docs" / "test-your-own-game.md")[0]
    (tmp_path / "maze.py").write_text(block.code, encoding="utf-8")
    assert len(block.code.splitlines()) < 60
    assert "playhead." not in block.code
    done = run_process(
        PLAYHEAD, "demo-record", "maze.py:Maze", "walk.csv", "--headless", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["finished"]
    done = run_process(
        PLAYHEAD, "replay", "maze.py:Maze", "walk.csv", "--seeds", "1..3", "--headless", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(json.loads(line)["finished"] for line in done.stdout.splitlines())


def test_a_game_of_ones_own_is_opened_from_a_file(tmp_path):
    block = blocks_of(ROOT / "docs" / "test-your-own-game.md")[0]
    path = tmp_path / "page_maze.py"
    path.write_text(block.code, encoding="utf-8")
    with open_game(f"{path}:Maze", seed=3) as game:
        assert (game.name, game.about["seed"]) == ("Maze", 3)
    sys.modules.pop("page_maze")
