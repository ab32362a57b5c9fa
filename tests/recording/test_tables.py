"""Tables: the rows are what the recording says, and other libraries take them as they are."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playhead.errors import CommandError
from playhead.recorder.reading.table_columns_and_rows import TABLES
from playhead.recorder.saving.csv_export import export_csv
from playhead.recording.recording import Recording
from playhead.recording.tables.recording_table import RecordingTable, column_of
from playhead.recording.tables.table_builder import NAMES

from .guards import FRAMES


@pytest.fixture
def run(recordings: dict[str, Recording]) -> Recording:
    return recordings["clip"]


def test_a_table_is_columns_and_rows(run):
    table = run.table("objects", type="Guard", last=12)
    assert len(table) == 12 * 3 + 3
    assert table["hp"].dtype == np.float64
    assert table["ammo"].dtype.kind == "i"
    rows = list(table)
    assert rows[0]["name"] == "guard 1"
    assert rows[0]["type"] == "Guard"
    assert rows[-1]["id"] == 9
    assert rows[4]["position.0"] == run.object("guard 2", 2)["position"][0]
    assert "mood" in table
    assert "weight" not in table
    assert repr(table).startswith("<table 'objects': 39 rows of frame, time, id, type, name, ")
    with pytest.raises(KeyError, match="no column 'mana': there are frame, time"):
        table["mana"]


def test_what_a_type_does_not_have_is_nothing(run):
    table = run.table("objects", first=1, last=1)
    of_crates = table["type"] == "Crate"
    assert np.isnan(table["hp"][of_crates]).all()
    assert set(table["mood"][of_crates].tolist()) == {None}
    assert table["weight"][of_crates].tolist() == [0, 1, 2]


def test_only_every_so_manieth_frame_is_taken(run):
    assert sorted(set(run.table("objects", every=25, first=3)["frame"].tolist())) == [3, 28, 53]
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(CommandError, match="every=.*: give a whole number from 1 on"):
            run.table("objects", every=wrong)


def test_a_table_that_there_is_not_is_refused_with_those_that_there_are(run):
    with pytest.raises(CommandError, match="no table 'enemies': there are frames, objects,"):
        run.table("enemies")


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_table_has_its_columns(name, run):
    full, empty = run.table(name), run.table(name, first=FRAMES, type="nobody")
    assert len(full) > 0
    assert set(empty.columns) <= set(full.columns)
    assert len(empty.columns) > 4
    assert len(list(empty)) == len(empty)


@pytest.mark.parametrize(("name", "file"), [("frames", "frames"), ("watches", "watches"),
                                            ("marks", "marks"), ("logs", "log"),
                                            ("traces", "traces")])  # fmt: skip
def test_a_table_and_the_csv_export_say_the_same(name, file, run, tmp_path):
    export_csv(run._source, tmp_path / "all")
    table = run.table(name)
    assert table.columns == TABLES[file]
    table.to_csv(tmp_path / "one.csv")
    assert read(tmp_path / "one.csv") == read(tmp_path / "all" / f"{file}.csv")


def test_so_do_the_objects(run, tmp_path):
    export_csv(run._source, tmp_path / "all")
    run.table("objects", type="Guard").to_csv(tmp_path / "guards.csv")
    own, exported = read(tmp_path / "guards.csv"), read(tmp_path / "all" / "objects-Guard.csv")
    place = own[0].index("type")
    assert [row[:place] + row[place + 1 :] for row in own] == exported


def read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [[cell if cell != "[]" else "" for cell in row] for row in csv.reader(file)]


def test_no_text_of_a_recording_is_a_formula_in_a_spreadsheet(tmp_path):
    RecordingTable("logs", {"text": column_of(["=HYPERLINK(1)", "+1", "fine"])}).to_csv(
        tmp_path / "a.csv"
    )
    assert [row[0] for row in read(tmp_path / "a.csv")][1:] == ["'=HYPERLINK(1)", "'+1", "fine"]


@pytest.mark.parametrize("name", NAMES)
def test_arrow_and_parquet_take_every_table(name, run, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = run.table(name)
    taken = table.to_arrow()
    assert isinstance(taken, arrow.Table)
    assert taken.num_rows == len(table)
    assert tuple(taken.column_names) == table.columns
    table.to_parquet(tmp_path / "run.parquet")
    assert parquet.read_table(tmp_path / "run.parquet").num_rows == len(table)


def test_lists_in_a_table_are_json_for_arrow(run):
    pytest.importorskip("pyarrow")
    table = run.table("transitions")
    result = table.to_arrow().column("values").to_pylist()
    assert [json.loads(one) for one in result] == [row["values"] for row in table]
    assert table["rejected"][0] == [{"condition": "Sleep", "reason": "noise"}]


@pytest.mark.parametrize("name", NAMES)
def test_pandas_takes_every_table(name, run):
    pandas = pytest.importorskip("pandas")
    table = run.table(name)
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert (tuple(frame.columns), len(frame)) == (table.columns, len(table))


@pytest.mark.parametrize(("library", "call"), [("pandas", "to_pandas"), ("pyarrow", "to_arrow")])
def test_a_library_that_is_not_installed_is_named_with_the_way_to_get_it(
    library, call, run, monkeypatch
):
    def missing(name: str, *rest: Any, **named: Any) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("playhead.recording.tables.recording_table.import_module", missing)
    with pytest.raises(
        ModuleNotFoundError, match=rf"{library} is not installed.*\[tables\]"
    ) as result:
        getattr(run.table("frames"), call)()
    assert result.value.name == library


@pytest.mark.parametrize(("values", "kind"), [
    ([], "b"), ([True, False], "b"), ([1, -2], "i"), ([1, 2.5, None], "f"), (["a", "bc"], "U"),
    ([2**63, 1], "O"), ([1, "a"], "O"), (["a", None], "O"), (["a\0"], "O"), ([[1], [2]], "O"),
    ([{}, {}], "O"),
])  # fmt: skip
def test_a_column_keeps_its_values(values, kind):
    column = column_of(values)
    assert column.dtype.kind == kind
    for value, expected in zip(column.tolist(), values, strict=True):
        assert value == expected or (expected is None and np.isnan(value))
