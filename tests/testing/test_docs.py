"""The example of docs/testing.md does what the page says."""

import re
from pathlib import Path

import pytest

pytest_plugins = "pytester"
pytest.importorskip("pymunk")

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


@pytest.mark.slow
def test_the_example_fails_with_the_story_that_is_printed(pytester, viewers):
    page = PAGE.read_text(encoding="utf-8")
    python = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    found = re.findall(r"```\n(CHECK FAILED.*?)```", page, re.DOTALL)[0]
    pytester.makepyfile(test_guards=python)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(failed=1)
    # What is there shortened, or is this machine's, stands for itself up to there.
    lines = [re.split(r"…|/home/me|games/arena", line)[0] for line in found.splitlines()]
    expected = [line for line in lines if line.strip() and "a running viewer" not in line]
    text = result.stdout.str()
    missing = [line for line in expected if line not in text]
    assert not missing
