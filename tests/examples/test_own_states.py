"""States of one's own, on the games that come with them: without them the demo can't be played."""

import json
from pathlib import Path

import pytest

from ..support.process import PLAYHEAD, run_process

FOLDER = Path(__file__).parents[2] / "examples" / "own_states"


def playhead(*args: object) -> tuple[int, list[dict]]:
    done = run_process(PLAYHEAD, *args, "--headless", "--json", cwd=FOLDER)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines, done.stderr
    return done.returncode, lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "agent", "fails"),
    [
        ("lake.py:Lake", "swimming.py", "the player died"),
        ("golem.py:Cave", "phased_boss.py", "the player died"),
    ],
)
def test_with_a_state_of_ones_own_a_demo_is_finished_that_fails_without(
    tmp_path, game, agent, fails
):
    demo = tmp_path / "demo.csv"
    code, (facts,) = playhead("demo-record", game, demo, "--seed", 1)
    assert code == 0
    assert facts["finished"]
    code, (without,) = playhead("replay", game, demo, "--seed", 2)
    assert code == 1
    assert fails in without["failure"]["message"]
    code, runs = playhead("replay", game, demo, "--seeds", "2..4", "--agent", agent)
    assert code == 0, runs
    assert all(run["finished"] for run in runs)
