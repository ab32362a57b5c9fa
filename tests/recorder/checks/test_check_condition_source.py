"""The source of a check's condition, also where the program has no columns, or another source."""

from pathlib import Path

import pytest

from playhead.recorder.checks.check_condition_source import CallSite

NO_COLUMNS = 1 << 20
"""An offset behind all instructions: nothing is known of their columns, as of none with
`python -X no_debug_ranges`."""


def site(file: Path, source: str, *, line: int = 1, offset: int = NO_COLUMNS) -> CallSite:
    """A call in a file of that source."""
    file.write_text(source)
    return CallSite(compile("0", str(file), "eval"), offset, line)


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ('session.check(hp > 0, "alive")\n', "hp > 0"),
        ('check(message="alive", condition=hp > 0)\n', "hp > 0"),
        ('check(\n    hp\n    > 0,\n    "alive",\n)\n', "hp > 0"),
        ("check(*condition_and_message)\n", "check(*condition_and_message)"),
    ],
)
def test_without_columns_the_only_check_of_the_line_gives_its_condition(
    source, expression, tmp_path
):
    assert site(tmp_path / "game.py", source).expression == expression


@pytest.mark.parametrize(
    "line", ['check(a, "a"); check(b, "b")', "ensure(a)", "check(a and)", 'check("\\0"']
)
def test_without_columns_a_line_of_several_checks_or_none_is_given_as_it_is(line, tmp_path):
    assert site(tmp_path / "game.py", f"{line}\n").expression == line


def test_calls_without_columns_differ_by_their_instruction(tmp_path):
    file = tmp_path / "game.py"
    one, other = (site(file, "0\n", offset=NO_COLUMNS + n) for n in (0, 2))
    assert one.key[:2] == other.key[:2] == (str(file), 1)
    assert one.key != other.key


@pytest.mark.parametrize("changed", ["check(hp >", "hp = 3 # changed since"])
def test_of_a_file_that_was_changed_since_the_line_of_today_is_given(changed, tmp_path):
    file = tmp_path / "game.py"
    code = compile('check(hp > 0, "alive")', str(file), "eval")
    spans = list(code.co_positions())
    call = max(n for n, (_, end, _, last) in enumerate(spans) if (end, last) == (1, 22))
    file.write_text(f"{changed}\n")
    assert CallSite(code, 2 * call, 1).expression == changed
