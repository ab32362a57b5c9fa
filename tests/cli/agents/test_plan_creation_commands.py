"""`playhead plan new`, `record`, `from-demo`, `join` as people type them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from playhead.agents.plans.plan_file import load_plan
from playhead.cli.agents.plan import plan

pytest.importorskip("pymunk")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(plan, [str(one) for one in arguments])


def test_a_new_plan_passes_the_check_and_is_never_written_over_another(tmp_path: Path) -> None:
    out = tmp_path / "level.plan.yaml"
    assert run("new", out, "--game", "arena:dungeon").output == f"{out}: 1 node and 0 rules\n"
    assert run("check", out).exit_code == 0
    assert run("run", out).exit_code == 0
    again = run("new", out)
    assert again.exit_code != 0
    assert "level.plan.yaml" in str(again.exception)


@pytest.mark.slow
def test_a_recorded_play_and_another_plan_are_joined_and_carried_out(tmp_path: Path) -> None:
    first, second, both = (tmp_path / f"{name}.plan.yaml" for name in ("one", "two", "both"))
    done = run(
        "record", "arena:dungeon", first, "--headless", "--seed", "3", "--seconds", "16", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert (facts["plan"], facts["game"]) == (str(first), "arena:dungeon")
    assert facts["nodes"] == len(load_plan(first).plan.nodes)
    assert first.read_text().startswith("# Recorded: 16.0 s of play, seed 3.\n")
    assert "actor: switch, action: interact" in first.read_text()
    second.write_text("nodes: [{actor: lava pit, action: jump}]\n")
    assert run("join", first, second, "-o", both).exit_code == 0
    assert run("run", both, "--seed", "3").exit_code == 0


@pytest.mark.slow
def test_a_demo_becomes_a_plan_on_standard_output(tmp_path: Path) -> None:
    demo = next(Path(__file__).parents[3].glob("agents/demos/village/1-*.csv"))
    done = run("from-demo", demo, "--game", "arena:village", "--seed", "3")
    assert done.exit_code == 0, done.output
    assert "- {actor: elder, action: talk}" in done.stdout
    assert "no demo of arena:yard" in str(run("from-demo", "--game", "arena:yard").exception)


def test_numbers_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "level.plan.yaml"
    for options, result in (
        (("--seconds", "0"), "--seconds 0"),
        (("--period", "-1"), "period of -1"),
    ):
        done = run("record", "arena:dungeon", out, "--headless", *options)
        assert result in str(done.exception)
    assert not out.exists()
