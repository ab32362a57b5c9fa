"""In pytest a plan's file is a test."""

import shutil
from pathlib import Path

import pytest

pytest_plugins = "pytester"

EXAMPLES = Path(__file__).parents[2] / "examples"
SWITCH = "game: arena:dungeon\nnodes: [{actor: switch, action: interact}]\n"


@pytest.mark.slow
def test_a_plan_is_a_test_that_fails_with_its_failed_check_and_keeps_a_clip(pytester):
    (pytester.path / "good.plan.yaml").write_text(SWITCH)
    (pytester.path / "late.plan.yaml").write_text(SWITCH.replace("}]", ", time_limit: 0.5}]"))
    (pytester.path / "bad.plan.yaml").write_text(SWITCH.replace("switch", "swich"))
    for name in ("plan_room.py", "lamp.plan.yaml"):  # a game of one's own, named by its file
        shutil.copy(EXAMPLES / name, pytester.path)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines([
        "*bad.plan.yaml:2: there is no actor 'swich': did you mean 'switch'?",
        "*node 1 (interact switch): not done within 0.5 s*",
        "CHECK FAILED at *",
    ])  # fmt: skip
    assert len(list((pytester.path / "playhead-results").glob("*late*.mcap"))) == 1
