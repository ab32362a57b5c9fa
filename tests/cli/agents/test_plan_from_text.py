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
