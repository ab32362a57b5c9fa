"""`playhead plan` as people and scripts type it."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from playhead.recording.open_file import open as open_recording

from ...support.process import PLAYHEAD, run_process

SWITCH = "game: arena:dungeon\nnodes: [{actor: switch, action: interact}]\n"
LATE = "game: arena:dungeon\nnodes: [{actor: switch, action: interact, time_limit: 0.5}]\n"


def plan(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "plan", *map(str, args))


@pytest.mark.slow
def test_a_plan_is_carried_out_for_each_seed_in_processes_of_their_own(tmp_path):
    path = tmp_path / "switch.plan.yaml"
    path.write_text(SWITCH)
    done = plan("run", path, "--seeds", "1..2", "--jobs", "2", "--json")
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["seed"] for run in runs] == [1, 2]
    for run in runs:
        assert run["finished"]
        assert (run["failure"], run["clip"]) == (None, None)
        assert run["rules_fired"] == 0
        (node,) = run["nodes"]
        assert (node["index"], node["action"], node["actor"], node["validation"]) == (
            1, "interact", "switch", "passed",
        )  # fmt: skip


def test_a_failure_ends_with_1_with_a_clip_and_in_the_report(tmp_path):
    path = tmp_path / "late.plan.yaml"
    path.write_text(LATE)
    done = plan("run", path, "--seed", "1", "--clips", tmp_path, "--junit", tmp_path / "r.xml")
    assert done.returncode == 1
    assert "0 of 1 runs finished" in done.stdout
    assert "node 1 (interact switch): not done within 0.5 s" in done.stdout
    assert [clip.name for clip in tmp_path.glob("*.mcap")] == ["late-seed1.mcap"]
    (case,) = ElementTree.parse(tmp_path / "r.xml").iter("testcase")
    (failure,) = case.iter("failure")
    assert "not done within" in failure.attrib["message"]


@pytest.mark.slow
def test_each_seed_makes_another_level_where_that_is_asked_for(tmp_path):
    path, clip = tmp_path / "late.plan.yaml", tmp_path / "late.mcap"
    path.write_text(LATE)
    plan("run", path, "--seed", "1", "--level-variants", "--clip", clip)
    with open_recording(clip) as recording:
        assert recording.about["moved_actors"]
    refused = plan("run", "doom:map01", "--level-variants").stderr
    assert "doom:map01 has one level for all seeds: leave --level-variants out" in refused


OWN = """
from playhead.games.arena.adventure.adventure_game import AdventureGame

def game(seed=1):
    return AdventureGame("dungeon", seed=seed)
"""


@pytest.mark.slow
@pytest.mark.parametrize("named", ["arena:dungeon", "{file}:game"])
def test_a_plan_names_its_game_as_the_game_is_called_or_as_it_is_opened(named, tmp_path):
    file, path = tmp_path / "mine.py", tmp_path / "late.plan.yaml"
    file.write_text(OWN)
    path.write_text(LATE.replace("arena:dungeon", named.format(file=file)))
    assert plan("check", path, "--game", f"{file}:game").returncode == 0
    done = plan("run", path, "--game", f"{file}:game")
    assert "not done within 0.5 s" in done.stdout, done.stderr


def test_check_tells_every_mistake_with_its_line_and_plays_nothing(tmp_path):
    path = tmp_path / "bad.plan.yaml"
    path.write_text(SWITCH.replace("switch", "swich"))
    done = plan("check", path, "arena:dungeon")
    assert done.returncode == 1
    assert f"{path}:2: there is no actor 'swich': did you mean 'switch'?" in done.stdout
    assert "arena:dungeon: 3 nodes and 2 rules, all of them known" in done.stdout


def test_what_is_wrong_with_a_plan_is_an_error_before_anything_runs(tmp_path, run_here):
    path = tmp_path / "bad.plan.yaml"
    path.write_text("nodes: [{actor: a, tolerance: -1}]")
    done = run_here("plan", "run", path, "--json")
    assert done.code != 0
    assert done.facts["error"]["kind"] == "plan"
    done = run_here("plan", "run", "arena:yard")
    assert "no plan of arena:yard comes along" in done.err
    path.write_text("nodes: [{actor: a}]")
    assert "names no game" in run_here("plan", "run", path).err
    done = run_here("plan", "run", path, "--game", "arena:yard")
    assert "can't be driven by plans" in done.err
