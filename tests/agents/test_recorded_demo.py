"""Demos: what is written while somebody plays, and what is read back."""

import csv
import os
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.agents.demo_reader import read_demo
from playhead.agents.recorded_demo import COLUMNS, TYPES, DemoWriter
from playhead.errors import DamagedError, RecordingError
from playhead.games.playable_interface import Observation
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

from ..support.process import run_python

HERE = Observation((1.5, -2.25, 0.5), 0.75, (1.25, -0.5), level="yard", event="E1", message=True)
FRAME = 1 / 30


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "walk.csv"


def written(path: Path, *pads: Pad, dt: float = FRAME, **rest: object) -> list[object]:
    """Play with these pads, one step each, and read the demo."""
    with DemoWriter(path, dt, **rest) as demo:
        for pad in pads:
            demo.step(pad, HERE)
    return list(read_demo(path).rows)


def held(*buttons: Button) -> Pad:
    return Pad(held=sum(buttons))


def test_the_columns_are_those_of_the_playthrough_tester():
    kinds = {float: "float", bool: "bool", str: "str"}
    assert [kinds[kind] for kind in TYPES] == (
        ["float"] * 8 + ["bool"] * 11 + ["float"] + ["bool"] * 3 + ["str"] * 2
    )
    assert COLUMNS[:6] == (
        "player_x", "player_y", "player_z", "player_facing", "camera_horizontal",
        "camera_vertical",
    )  # fmt: skip
    assert [name.split("_")[1] for name in COLUMNS[8:19]] == [
        "y", "x", "b", "a", "up", "left", "right", "down", "r", "start", "l",
    ]  # fmt: skip
    assert COLUMNS[-2:] == ("level", "event")


def test_a_row_has_where_the_player_is_and_what_was_held(path):
    pad = Pad(left=(0.5, -1.0), left_trigger=0.25)
    (row,) = written(path, pad)
    assert (row.player_x, row.player_y, row.player_z) == (1.5, -2.25, 0.5)
    assert (row.player_facing, row.camera_horizontal, row.camera_vertical) == (0.75, 1.25, -0.5)
    assert (row.stick_x, row.stick_y) == (0.5, -1.0)
    assert (row.trigger_l, row.trigger_l_value) == (False, 0.25)
    assert (row.message, row.in_air, row.can_jump) == (True, False, False)
    assert (row.level, row.event) == ("yard", "E1")


def test_places_are_written_with_four_decimals_and_pushes_as_they_were(path):
    there = msgspec.structs.replace(HERE, position=(1 / 3, -200 / 3, 1e-9), facing=2.123456)
    pad = Pad(left=(1 / 3, -2 / 3), left_trigger=1 / 7)
    with DemoWriter(path, FRAME) as demo:
        demo.step(pad, there)
    (row,) = read_demo(path).rows
    assert (row.player_x, row.player_y, row.player_z) == (0.3333, -66.6667, 0.0)
    assert row.player_facing == 2.1235
    assert (row.stick_x, row.stick_y, row.trigger_l_value) == (1 / 3, -2 / 3, 1 / 7)


def test_a_button_is_true_only_in_the_row_in_which_it_is_pressed(path):
    down = [held(Button.A) if 10 <= frame <= 19 else NEUTRAL for frame in range(25)]
    assert [at for at, row in enumerate(written(path, *down)) if row.button_a] == [10]


@pytest.mark.parametrize(
    ("button", "column"),
    [
        (Button.Y, 8), (Button.X, 9), (Button.B, 10), (Button.A, 11), (Button.UP, 12),
        (Button.LEFT, 13), (Button.RIGHT, 14), (Button.DOWN, 15), (Button.RB, 16),
        (Button.START, 17),
    ],
)  # fmt: skip
def test_each_button_has_its_column(path, button, column):
    (row,) = written(path, held(button))
    assert [at for at, value in enumerate(msgspec.structs.astuple(row)) if value is True] == [
        column, COLUMNS.index("message"),
    ]  # fmt: skip


def test_the_trigger_is_a_button_and_a_value(path):
    pulls = [0.0, 0.4, 0.8, 1.0, 0.0]
    rows = written(path, *(Pad(left_trigger=pull) for pull in pulls))
    assert [row.trigger_l for row in rows] == [False, False, True, False, False]
    assert [row.trigger_l_value for row in rows] == pulls


def test_there_is_a_row_for_each_thirtieth_of_a_second(path):
    assert len(written(path, *[NEUTRAL] * 60, dt=1 / 60)) == 30


def test_a_game_that_steps_seldom_has_a_row_for_each_step(path):
    assert len(written(path, *[NEUTRAL] * 20, dt=0.1)) == 20


def test_how_often_there_is_a_row_is_a_setting(path):
    assert len(written(path, *[NEUTRAL] * 60, dt=1 / 60, interval=1 / 15)) == 15


def test_what_is_pressed_between_two_rows_is_in_the_next_one(path):
    pads = [NEUTRAL, held(Button.B), NEUTRAL, NEUTRAL]
    rows = written(path, *pads, dt=1 / 60)
    assert [row.button_b for row in rows] == [False, True]


def test_what_was_held_before_it_began_is_not_pressed_anew(path):
    rows = written(path, held(Button.A), held(Button.A, Button.X), held=held(Button.A))
    assert [(row.button_a, row.button_x) for row in rows] == [(False, False), (False, True)]


def test_a_demo_that_is_there_is_never_replaced(path):
    path.write_text("mine")
    with pytest.raises(RecordingError, match="already"):
        DemoWriter(path, FRAME)
    assert path.read_text() == "mine"
    with pytest.raises(RecordingError, match="no demo can be written there"):
        DemoWriter(path.parent / "no" / "such.csv", FRAME)


KILLED = """
import os, signal, sys
from pathlib import Path
from playhead.agents.recorded_demo import DemoWriter
from playhead.games.playable_interface import Observation
from playhead.playback.pads.pad import NEUTRAL

demo = DemoWriter(Path(sys.argv[1]), 1.0)
for step in range(7):
    demo.step(NEUTRAL, Observation((float(step), 0.0, 0.0), 0.0, (0.0, 0.0)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_game_leaves_all_rows(path):
    done = run_python(KILLED, path)
    assert done.returncode == -9
    assert [row.player_x for row in read_demo(path).rows] == [float(step) for step in range(7)]


def test_a_row_that_was_cut_off_is_left_out_and_reported(path):
    written(path, NEUTRAL, NEUTRAL, NEUTRAL)
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    path.write_bytes(whole[: last + 20])
    demo = read_demo(path)
    assert (len(demo.rows), demo.cut) == (2, True)


def test_a_demo_of_others_needs_no_names_and_may_say_nothing_in_many_ways(path):
    written(path, *[NEUTRAL] * 5)
    _, *rows = csv.reader(path.read_text().splitlines())
    for row, event in zip(rows, ("", " None ", "null", "NONE", "E7"), strict=True):
        row[24] = event
        row[8:10] = ["1", "TRUE"]
        row.append("a column of theirs")
    path.write_text("\ufeff" + "\r\n".join(",".join(row) for row in rows), encoding="utf-8")
    read = read_demo(path).rows
    assert [row.event for row in read] == ["", "", "", "", "E7"]
    assert all(row.button_y and row.button_x for row in read)


def damaged(path: Path, column: int, text: str) -> str:
    """The error about a demo whose second row has this text in a column."""
    names, first, second = csv.reader(path.read_text().splitlines())
    second[column] = text
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, first, second])
    with pytest.raises(DamagedError) as error:
        read_demo(path)
    return str(error.value)


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        (0, "east", "walk.csv:3: column 0 (player_x) is 'east', not a number"),
        (3, "nan", "column 3 (player_facing) is 'nan', not a number"),
        (19, "", "column 19 (trigger_l_value) is '', not a number"),
        (11, "maybe", "column 11 (button_a) is 'maybe', neither True nor False"),
        (2, "1e308", "walk.csv:3: column 2 (player_z) is 1e+308, not -1e+09 to 1e+09"),
        (3, "-1e12", "column 3 (player_facing) is -1e+12"),
        (0, "inf", "walk.csv:3: column 0 (player_x) is 'inf', not a number"),
        (6, "1.5", "walk.csv:3: column 6 (stick_x) is 1.5, not -1 to 1"),
        (7, "-2", "column 7 (stick_y) is -2, not -1 to 1"),
        (19, "-0.1", "column 19 (trigger_l_value) is -0.1, not 0 to 1"),
    ],
)
def test_a_wrong_value_is_refused_with_its_line_and_column(path, column, text, message):
    written(path, NEUTRAL, NEUTRAL)
    assert message in damaged(path, column, text)


def test_a_number_of_the_games_own_may_be_large_but_not_beyond_counting(path):
    own_demo(path, {"mana": 2.0**40, "special": True, "mode": ""})
    assert read_demo(path, columns=OWN).columns["mana"].tolist() == [2.0**40]
    path.unlink()
    own_demo(path, {"mana": 1e300, "special": True, "mode": ""})
    with pytest.raises(DamagedError, match=r"walk\.csv:2: column 25 \(mana\) is 1e\+300, not"):
        read_demo(path, columns=OWN)


def test_levels_that_the_game_does_not_have_are_refused(path):
    written(path, *[NEUTRAL] * 3)
    assert len(read_demo(path, levels=("yard", "cave"))) == 3
    with pytest.raises(DamagedError) as error:
        read_demo(path, levels=("village", "hollow"))
    assert str(error.value).endswith(
        "walk.csv:2: column 23 (level) is 'yard', and the game has hollow, village"
        " (so are 2 more rows)"
    )


def renamed(path: Path, names: list[str]) -> str:
    """What is said of a demo with these names at its top."""
    written(path, NEUTRAL, NEUTRAL)
    _, *rows = path.read_text().splitlines()
    path.write_text("\n".join([",".join(names), *rows, ""]))
    with pytest.raises(DamagedError) as error:
        read_demo(path)
    return str(error.value)


def test_columns_in_another_order_are_refused(path):
    names = list(COLUMNS)
    names[3], names[4] = names[4], names[3]
    assert renamed(path, names).endswith(
        "walk.csv:1: column 3 (player_facing) is named 'camera_horizontal'; player_facing is in"
        " column 4"
    )


def test_a_missing_column_is_refused(path):
    names = [name for name in COLUMNS if name != "camera_vertical"]
    text = "walk.csv:1: column 5 (camera_vertical) is named 'stick_x'; camera_vertical is missing"
    assert renamed(path, names).endswith(text)


def test_a_walk_that_stands_there_twice_or_jumps_is_only_odd(path):
    names = ",".join(COLUMNS)
    still = f"{',0.0' * 7}{',False' * 11},0.0{',False' * 3},yard,None"
    walk = [f"{row / 10}{still}" for row in range(40)]
    path.write_text("\n".join([names, *walk, ""]))
    assert read_demo(path).oddities == ()
    path.write_text("\n".join([names, *walk[:30], *walk[10:], ""]))
    (result,) = read_demo(path).oddities
    assert result == f"{path}:32: 20 rows are the same as those from row 10 on"
    path.write_text("\n".join([names, *walk[:20], f"90.0{still}", ""]))
    (result,) = read_demo(path).oddities
    assert result == f"{path}:22: the player jumps by 88.1 in one row, 0.1 is usual"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no rows"),
        (b"player_x,player_y\n", "no rows"),
        (b"1.0,2.0\n", "2 columns; a demo has 25"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
    ],
)
def test_files_of_other_kinds_are_refused(path, content, message):
    path.write_bytes(content)
    with pytest.raises(DamagedError, match=message):
        read_demo(path)


def test_a_missing_file_raises(path):
    with pytest.raises(RecordingError, match=r"walk\.csv"):
        read_demo(path)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_a_demo_or_an_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}.csv"
    path.write_bytes(data)
    try:
        read_demo(path)
    except DamagedError as error:
        assert path.name in str(error)


numbers = st.floats(-1, 1)


@given(
    st.lists(
        st.builds(
            Pad, left=st.tuples(numbers, numbers), left_trigger=st.floats(0, 1),
            held=st.integers(0, 16383),
        ),
        max_size=8,
    ),
    st.text(st.characters(exclude_categories=("C", "Zl", "Zp"))),
)  # fmt: skip
def test_what_is_written_is_read_back(tmp_path_factory, pads, level):
    path = tmp_path_factory.getbasetemp() / f"back-{os.getpid()}.csv"
    path.unlink(missing_ok=True)
    seen = msgspec.structs.replace(HERE, level=level)
    with DemoWriter(path, 1.0) as demo:
        for pad in [NEUTRAL, *pads]:
            demo.step(pad, seen)
    _, *rows = read_demo(path).rows
    assert [(row.stick_x, row.stick_y, row.trigger_l_value) for row in rows] == [
        (*pad.left, pad.left_trigger) for pad in pads
    ]
    assert {row.level for row in rows} <= {level}
    before = NEUTRAL
    for row, pad in zip(rows, pads, strict=True):
        assert row.button_a == (pad.holds(Button.A) and not before.holds(Button.A))
        assert row.pad_down == (pad.holds(Button.DOWN) and not before.holds(Button.DOWN))
        before = pad


OWN = {"mana": float, "special": bool, "mode": str}


def own_demo(
    path: Path, *result: dict[str, object], columns: dict[str, type] | None = None
) -> None:
    """A demo with a row for each of these, with the game's own columns."""
    with DemoWriter(path, 1.0, columns=OWN if columns is None else columns) as demo:
        for extras in result:
            demo.step(NEUTRAL, msgspec.structs.replace(HERE, extras=extras))


def test_a_games_own_columns_stand_behind_ours_and_are_read_by_their_types(path):
    own_demo(
        path,
        {"mana": 1.5, "special": True, "mode": "aim"},
        {"mana": 2, "special": False, "mode": ""},
    )
    names, first, second = csv.reader(path.read_text().splitlines())
    assert names == [*COLUMNS, "mana", "special", "mode"]
    assert first[25:] == ["1.5", "True", "aim"]
    assert second[25:] == ["2.0", "False", ""]
    demo = read_demo(path, columns=OWN)
    assert demo.own == OWN
    assert demo.columns["mana"].tolist() == [1.5, 2.0]
    assert demo.columns["special"].tolist() == [True, False]
    assert demo.columns["mode"].tolist() == ["aim", ""]
    # Who does not ask for them reads the demo all the same.
    assert len(read_demo(path)) == 2


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        ({"mana": 1.0, "special": True}, "says None for its column 'mode', declared as str"),
        ({"mana": "much", "special": True, "mode": ""}, "says 'much' for its column 'mana'"),
        ({"mana": True, "special": True, "mode": ""}, "says True for its column 'mana'"),
        ({"mana": float("nan"), "special": True, "mode": ""}, "says nan for its column 'mana'"),
        ({"mana": 1.0, "special": 1, "mode": ""}, "says 1 for its column 'special'"),
    ],
)
def test_a_game_with_other_values_than_it_declared_raises(path, extras, message):
    with pytest.raises(RecordingError) as error:
        own_demo(path, extras)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"mana": int}, "float, bool or str"),
        ({"level": str}, "every demo has one of that name"),
        ({" ": str}, "every demo has one of that name"),
    ],
)
def test_columns_that_no_demo_can_have_are_refused(path, columns, message):
    with pytest.raises(RecordingError, match=message):
        own_demo(path, columns=columns)
    assert not path.exists()
    with pytest.raises(RecordingError, match=message):
        read_demo(path, columns=columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"special": bool}, "walk.csv:1: column 25 (special) is named 'mana'"),
        ({**OWN, "more": str}, "walk.csv:1: column 28 (more) is missing"),
        ({"mana": bool}, "walk.csv:2: column 25 (mana) is '1.5', neither True nor False"),
    ],
)
def test_own_columns_that_are_not_as_declared_are_named(path, columns, message):
    own_demo(path, {"mana": 1.5, "special": True, "mode": "aim"})
    with pytest.raises(DamagedError) as error:
        read_demo(path, columns=columns)
    assert message in str(error.value)


def test_without_a_line_of_names_a_missing_column_is_found_in_its_row(path):
    own_demo(path, {"mana": 1.5, "special": True, "mode": "aim"})
    _, first = path.read_text().splitlines()
    path.write_text(f"{first}\n{first.rpartition(',')[0]}\n")
    with pytest.raises(
        DamagedError, match=r"walk\.csv:2: 27 columns; a demo has 28: column 27 \(mode\)"
    ):
        read_demo(path, columns=OWN)


def test_a_huge_demo_with_a_mistake_near_its_end_names_the_line(path):
    written(path, NEUTRAL)
    names, first = path.read_text().splitlines()
    lines = [names, *[first] * 9000, first.replace("1.5", "east", 1), *[first] * 10]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DamagedError, match=r"walk\.csv:9002: column 0"):
        read_demo(path)
    path.write_text("\n".join(lines[:9001]) + "\n" + first[:20])
    demo = read_demo(path)
    assert (len(demo), demo.cut) == (9000, True)


def test_the_page_names_every_column_in_its_place():
    page = (Path(__file__).parents[2] / "docs" / "playing.md").read_text()
    calls: list[str] = []
    for first, last, names in re.findall(r"^\| (\d+)(?:–(\d+))? ((?:`\w+`,? ?)+)\|", page, re.M):
        assert int(first) == len(calls)
        calls += re.findall(r"`(\w+)`", names)
        assert int(last or first) == len(calls) - 1
    assert tuple(calls) == COLUMNS
