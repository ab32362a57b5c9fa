"""`playhead plan from-text`: steps in, a plan out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from playhead.agents.plans.plan_file import load_plan
from playhead.cli.agents.plan import plan

pytest.importorskip("pymunk")


def test_steps_become_a_plan_of_the_game(tmp_path: Path) -> None:
    steps, out = tmp_path / "steps.txt", tmp_path / "level.plan.yaml"
    steps.write_text(
        "Activate the switch.\nJump over the ledge.\nUse the shrine.\nFight any foe.\n"
    )
    done = CliRunner().invoke(
        plan, ["from-text", str(steps), "--game", "arena:dungeon", "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "Jump over the ledge.  jump lava pit" in done.stderr
    made = load_plan(out).plan
    assert made.game == "arena:dungeon"
    assert [node.title for node in made.nodes] == [
        "interact switch", "jump lava pit", "interact shrine",
    ]  # fmt: skip
    assert [rule.title for rule in made.rules] == ["attack enemy"]


def test_what_is_not_understood_makes_no_plan(tmp_path: Path) -> None:
    steps, out = tmp_path / "steps.txt", tmp_path / "level.plan.yaml"
    steps.write_text("Activate the switch.\nPolish the trombone.\n")
    arguments = ["from-text", str(steps), "--game", "arena:dungeon", "-o", str(out), "--json"]
    done = CliRunner().invoke(plan, arguments)
    assert done.exit_code == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["kind"] for row in rows] == ["node", "unknown"]
    assert rows[0]["instance"] == "switch"
    assert not out.exists()


def test_each_sentence_is_one_object_with_all_that_it_was_read_as(tmp_path: Path) -> None:
    steps = tmp_path / "steps.txt"
    steps.write_text(
        "Activate the switch.\nGo to the shrine.\nJump.\nWhenever an enemy is near, attack it.\n"
        "Polish the trombone.\n"
    )
    done = CliRunner().invoke(plan, ["from-text", str(steps), "--game", "arena:dungeon", "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["sentence"] for row in rows] == steps.read_text().splitlines()
    read = [
        tuple(row[key] for key in ("kind", "action", "actor", "instance", "fallback"))
        for row in rows
    ]
    assert read == [
        ("node", "interact", "switch", "switch", False),
        ("node", None, "shrine", "shrine", False),
        ("node", "jump", None, None, True),
        ("rule", "attack", "enemy", None, False),
        ("unknown", None, None, None, False),
    ]
    confidence = [row["confidence"] for row in rows]
    assert all(0.5 < sure <= 1.0 for sure in confidence[:-1])
    assert confidence[-1] == 0.0
    assert [bool(row["problem"]) for row in rows] == [False, False, False, False, True]


@pytest.mark.slow
def test_a_plan_made_of_sentences_is_carried_out_to_its_good_end(tmp_path: Path) -> None:
    steps, out = tmp_path / "steps.txt", tmp_path / "level.plan.yaml"
    steps.write_text(
        "First read the notice.\nThen activate the switch.\n"
        "If a coin lies in your way, pick it up.\n"
    )
    made = CliRunner().invoke(
        plan, ["from-text", str(steps), "--game", "arena:dungeon", "-o", str(out)]
    )
    assert made.exit_code == 0, made.output
    assert f"{out}: 2 nodes and 3 rules" in made.stdout, "one for each coin"
    done = CliRunner().invoke(plan, ["run", str(out), "--seed", "7", "--json"])
    assert done.exit_code == 0, done.output
    run = json.loads(done.stdout)
    assert run["finished"]
    assert [(node["action"], node["actor"], node["validation"]) for node in run["nodes"]] == [
        ("talk", "notice", "passed"), ("interact", "switch", "passed"),
    ]  # fmt: skip
    assert run["rules_fired"] >= 1
