"""`playhead tree check|run|chat|schemas` as people and scripts type it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from playhead.agents.behaviour_trees.workspace.workspace import SHIPPED
from playhead.recording import open_file

from ...support.process import PLAYHEAD, run_process

YARD = SHIPPED / "yard_guard"


def tree(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "tree", *map(str, args))


@pytest.mark.slow
def test_a_run_tells_what_the_agent_did_for_each_seed_and_keeps_clips(tmp_path):
    clip = tmp_path / "guard.mcap"
    done = tree(
        "run", "yard_guard", "arena:yard", "--frames", "120", "--seeds", "1..2", "--clip", clip,
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(run["seed"], run["agent"], run["frames"]) for run in runs] == [
        (1, "guard", 120), (2, "guard", 120),
    ]  # fmt: skip
    assert [Path(run["clip"]).name for run in runs] == ["guard-seed1.mcap", "guard-seed2.mcap"]
    info = run_process(PLAYHEAD, "clip", "info", runs[0]["clip"], "--json")
    assert json.loads(info.stdout)["frames"] >= 119


def test_check_tells_everything_and_the_exit_code(tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(YARD, mine)
    actions = mine / "tree_items/action_nodes.json"
    actions.write_text(actions.read_text().replace('"strike"', '"strik"'))
    formats = mine / "tree_items/formats.json"
    formats.write_text(formats.read_text().replace('"hp":', '"hpp":'))
    done = tree("check", mine, "--game", "arena:yard")
    assert done.returncode == 1
    text = "action_nodes.json:3: hit: there is no key operation 'strik': did you mean 'strike'?"
    assert text in done.stdout
    assert "trigger_nodes.json:2: is hurt: there is no key 'hp'" in done.stdout
    assert "formats.json:2: hpp: middle of arena:yard has no value 'hpp'" in done.stdout
    sound = tree("check", "yard_guard", "--game", "arena:yard", "--json")
    assert sound.returncode == 0, sound.stderr
    assert json.loads(sound.stdout)["problems"] == []


@pytest.mark.slow
def test_a_run_with_an_error_in_a_leaf_exits_with_1_and_ends_at_once_if_strict(tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(YARD, mine)
    triggers = mine / "tree_items/trigger_nodes.json"
    triggers.write_text(triggers.read_text().replace("hp < 35 or", "hp < 35 or 1 / 0 > 1 or"))
    done = tree("run", mine, "arena:yard", "--frames", "20")
    assert done.returncode == 1
    assert "guard > guard the yard > flee > is hurt: " in done.stdout
    assert "division by zero (20 times)" in done.stdout
    strict = tree("run", mine, "arena:yard", "--frames", "20", "--strict", "--json")
    assert strict.returncode == 2
    assert "is hurt" in json.loads(strict.stdout)["error"]["message"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("run", "nowhere", "arena:yard"), "nowhere is no workspace"),
        (("run", "yard_guard", "arena:yard", "--agent", "gard"), "did you mean 'guard'?"),
        (("run", "yard_guard", "arena:village"), "no character called 'middle'"),
        (("run", "yard_guard", "arena:yard", "--frames", "2", "--seconds", "1"), "not both"),
        (("chat", "yard_guard", "arena:yard", "bake a cake"), "no agent is like that"),
    ],
)
def test_what_cannot_be_run_is_one_plain_line(run_here, args, message):
    done = run_here("tree", *args)
    assert done.code != 0
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_a_sentence_runs_the_agent_that_it_calls_for():
    done = tree(
        "chat",
        "yard_guard",
        "arena:yard",
        "only walk your round, please",
        "--frames",
        "60",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["agent"] == "sentry"
    assert "sentry: these are its own words" in done.stderr


def test_schemas_are_written_to_a_folder(tmp_path):
    done = tree("schemas", tmp_path / "schemas")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "schemas/tree_structure.schema.json").read_text())["$defs"]


@pytest.mark.slow
def test_a_scan_draws_the_map_of_a_workspace_and_agents_walk_by_it(tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(YARD, mine)
    done = tree("scan", mine, "arena:yard")
    assert done.returncode == 0, done.stderr
    assert "a map of 56 × 80 cells" in done.stdout
    text = (mine / "map_data/map_info.yml").read_text()
    assert "gate: [0, 9]" in text
    assert "####" in text
    assert tree("check", mine).returncode == 0
    ran = tree("run", mine, "arena:yard", "--agent", "sentry", "--frames", "300", "--json")
    assert json.loads(ran.stdout)["actions"]["walk to the post"] > 100
    assert "can't be scanned" in tree("scan", mine, "arena:village").stderr


def test_without_a_language_model_nothing_is_made(tmp_path):
    done = tree("make", tmp_path / "new", "arena:yard", "walk about", "--agent", "walker")
    assert done.returncode != 0
    assert "no language model is set: set PLAYHEAD_LLM_URL and PLAYHEAD_LLM_MODEL" in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_a_game_is_run_with_an_agent_in_it(tmp_path):
    clip = tmp_path / "driven.mcap"
    done = run_process(
        PLAYHEAD, "run", "arena:yard", "--headless", "--seconds", "2", "--tree", "yard_guard",
        "--agent", "sentry", "--clip", clip, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["frames"] == 120
    with open_file.open(str(clip)) as run:
        (tree,) = [name for _, name in run.trees() if name == "sentry"]
    assert tree == "sentry"
    for args, message in (
        (("--agent", "sentry"), "--agent is for --tree"),
        (("--tree", "yard_guard", "--agent", "knight"), "no agent 'knight'"),
    ):
        refused = run_process(PLAYHEAD, "run", "arena:yard", "--headless", *args)
        assert refused.returncode == 2
        assert message in refused.stderr
