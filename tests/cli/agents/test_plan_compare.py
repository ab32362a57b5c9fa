"""`playhead plan compare`: ways of moving side by side."""

import json
import subprocess
from pathlib import Path

import pytest

from ...support.process import PLAYHEAD, run_process

COIN = "game: arena:dungeon\nnodes: [{actor: coin by the door, action: take}]\n"


@pytest.fixture
def coin(tmp_path):
    path = tmp_path / "coin.plan.yaml"
    path.write_text(COIN)
    return path


def compare(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "plan", "compare", *map(str, args))


@pytest.mark.slow
def test_each_model_is_reported_with_what_it_finished_and_covered(coin):
    done = compare(coin, "--model", "policy", "--model", "walk", "--seeds", "1..2", "--json")
    assert done.returncode == 0, done.stderr
    scores = [json.loads(line) for line in done.stdout.splitlines()]
    assert {score["model"] for score in scores} == {"policy", "walk"}
    for score in scores:
        assert (score["runs"], score["finished"], score["failures"]) == (2, 2, [])
        assert score["nodes"] == {"done": 2, "total": 2}
        assert score["validations"] == {"done": 2, "total": 2}
        assert 5 < score["cells"]["done"] < score["cells"]["total"]


def test_a_table_says_why_a_model_did_not_finish(coin):
    coin.write_text(COIN.replace("take}", "take, time_limit: 0.2}"))
    done = compare(coin, "--model", "straight")
    assert done.returncode == 0, done.stderr
    assert "0 of 1" in done.stdout
    assert "straight: coin, seed None" not in done.stdout
    assert "straight: coin: node 1 (take coin by the door): not done within 0.2 s" in done.stdout


def test_a_model_that_is_none_is_refused_before_anything_runs(coin):
    done = compare(coin, "--model", "nowhere.npz")
    assert done.returncode != 0
    assert "nowhere.npz: the policy can't be read" in done.stderr
    misspelt = compare(coin, "--model", "wlak")
    assert misspelt.returncode != 0
    assert (
        "wlak: there is no such movement and no such file: did you mean 'walk'?" in misspelt.stderr
    )


@pytest.mark.slow
def test_a_plan_is_run_by_a_policy_if_that_is_asked_for(coin, tmp_path):
    done = run_process(PLAYHEAD, "plan", "run", str(coin), "--movement", "policy", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["finished"]
    foreign = tmp_path / "foreign.npz"
    foreign.write_text("nothing")
    done = run_process(PLAYHEAD, "plan", "run", str(coin), "--policy", str(foreign))
    assert done.returncode != 0
    assert "foreign.npz is no complete policy file" in done.stderr
