"""Rows as aligned lines."""

from playhead.runner.terminal.text_table import table_lines


def test_columns_are_as_wide_as_their_widest_cell_and_numbers_stand_on_the_right():
    rows = [("1", "short", "9.5 s"), ("12", "a longer one", "10.0 s")]
    assert table_lines(("seed", "demo", "time"), rows, ("demo",)) == [
        "seed  demo            time",
        "   1  short          9.5 s",
        "  12  a longer one  10.0 s",
    ]


def test_without_rows_there_is_the_head_alone():
    assert table_lines(("seed", "demo"), [], ("demo",)) == ["seed  demo"]
