"""A recording as CSV files: every value in its column, readable by any program."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playhead.errors import RecordingError
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import Layout
from playhead.recorder.packets.trace_types import AnimationClip, TreeNode
from playhead.recorder.reading.table_columns_and_rows import TABLES
from playhead.recorder.recorder import Recorder
from playhead.recorder.saving.csv_export import export_csv
from playhead.recorder.statements.statement_messages import SetMark

DTYPE = np.dtype(
    [("hp", "<f8"), ("aim", "<f4", (3,)), ("grid", "<u2", (2, 2)), ("long", "<i4", (20,)),
     ("state", "|S8"), ("visible", "|b1")]
)  # fmt: skip


class Guard:
    layout = Layout(
        tuple((name, DTYPE[name].base.str, tuple(DTYPE[name].shape)) for name in DTYPE.names),
        "msgpack", (), "thought",
    )  # fmt: skip

    def size(self, guard: SimpleNamespace) -> int:
        return DTYPE.itemsize + len(guard.tail)

    def record(self, guard: SimpleNamespace, packet: Any) -> None:
        if guard.hp < 0:
            raise ZeroDivisionError("a guard that can't be recorded")
        packet.position = (1.5, 0.1, -2.0)
        values = np.zeros((), DTYPE)
        values["hp"], values["aim"], values["grid"] = guard.hp, (0.1, 2, 3), ((1, 2), (3, 4))
        values["long"], values["state"], values["visible"] = range(20), b"Flee", True
        packet.payload[: DTYPE.itemsize] = values.tobytes()
        packet.payload[DTYPE.itemsize :] = guard.tail


class Points:
    """A tail of numbers, of another length in each frame."""

    layout = Layout((("n", "<i4", ()),), "<f4", (2,), "points")

    def size(self, points: list[float]) -> int:
        return 4 + 8 * len(points)

    def record(self, points: list[float], packet: Any) -> None:
        packet.payload[:4] = np.int32(len(points)).tobytes()
        packet.payload[4:] = np.array([(p, p) for p in points], np.float32).tobytes()


@pytest.fixture
def recorder():
    made = Recorder("1 MiB", strict=False)
    made.add_handler(HandlerSpec("guard / 1", Guard(), None, ()))
    made.add_handler(HandlerSpec("points", Points(), None, ()))
    yield made
    made.close()


def exported(recorder: Recorder, folder: Path, **rest: Any) -> dict[str, list[dict[str, str]]]:
    files = export_csv(recorder.source, folder, **rest)
    assert sorted(files) == sorted(folder.iterdir())
    found = {}
    for path in files:
        with path.open(newline="", encoding="utf-8") as file:
            found[path.stem] = list(csv.DictReader(file, strict=True))
    return found


def guard(hp: float) -> tuple[int, str, Any]:
    return 7, "guard / 1", SimpleNamespace(hp=hp, tail=b"\x81\xa1a\x92\x01\xa2\xc3\xbc")


def test_every_value_has_its_column(recorder, tmp_path):
    recorder.name(7, 'the "north", guard\nof ours')
    recorder.watch("speed", 1 / 3, 7)
    recorder.log("a line, with; commas", object=7)
    recorder.trace.state(7, "guard", "Idle", "Flee", won="hp < 20", values={"hp": 3.5},
                         also_true=["late"])  # fmt: skip
    recorder.trace.define_tree(7, "mind", [TreeNode("root")])
    recorder.trace.tree(7, "mind", ["running"], ended_early={0: "why"}, blackboard={"x": 1})
    recorder.trace.animation(7, "body", [AnimationClip("walk", 1.0)])
    recorder.emit(SetMark("here", note="n", object=7))
    recorder.update([guard(0.1), (8, "points", [1.0])], 0.0, 0.25)
    recorder.update([guard(2.0), (8, "points", [1.0, 2.0])], 0.0, 0.5)
    recorder.update([guard(-1.0)], 0.0, 0.75)
    tables = exported(recorder, tmp_path / "out")
    assert set(tables) == {*TABLES, "objects-guard_1", "objects-points"}
    first, second, third = tables["objects-guard_1"]
    assert first == {
        "frame": "1", "time": "0.25", "id": "7", "name": 'the "north", guard\nof ours',
        "visible": "1", "damaged": "0", "x": "1.5", "y": "0.1", "z": "-2.0", "rx": "0.0",
        "ry": "0.0", "rz": "0.0", "hp": "0.1", "aim.0": "0.1", "aim.1": "2.0", "aim.2": "3.0",
        "grid.0.0": "1", "grid.0.1": "2", "grid.1.0": "3", "grid.1.1": "4",
        "long": json.dumps(list(range(20))), "state": "Flee", "payload.visible": "1",
        "thought": '{"a": [1, "ü"]}',
    }  # fmt: skip
    assert (second["frame"], second["hp"]) == ("2", "2.0")
    assert (third["damaged"], third["hp"], third["name"]) == ("1", "", first["name"])
    assert [row["points"] for row in tables["objects-points"]] == [
        "[[1.0, 1.0]]", "[[1.0, 1.0], [2.0, 2.0]]",
    ]  # fmt: skip
    assert tables["frames"][1] == {
        "frame": "2", "time": "0.5", "delta": "0.25", "epoch": "0", "packets": "2", "flags": "0",
    }  # fmt: skip
    assert tables["watches"] == [
        {"frame": "1", "time": "0.25", "object": "7", "name": "speed", "value": repr(1 / 3)}
    ]
    (line,) = tables["log"]
    assert (line["object"], line["level"], line["text"]) == ("7", "info", "a line, with; commas")
    assert Path(line["file"]) == Path(__file__)
    state, tree, animation = tables["traces"]
    assert (state["kind"], state["machine"], state["target"]) == ("state", "guard", "Flee")
    assert json.loads(state["also_true"]) == ["late"]
    assert json.loads(state["values"]) == {"hp": 3.5}
    assert (tree["kind"], json.loads(tree["nodes"])) == ("tree", ["running"])
    assert json.loads(tree["rejected"]) == {"0": "why"}
    assert json.loads(animation["nodes"])[0]["name"] == "walk"
    (mark,) = tables["marks"]
    assert (mark["frame"], mark["name"], mark["note"], mark["object"]) == ("1", "here", "n", "7")


def test_another_layout_under_one_name_is_another_file(recorder, tmp_path):
    small = recorder.declare("door", Layout((("open", "|b1", ()),)))
    large = recorder.declare("door", Layout((("open", "|b1", ()), ("by", "<u8", ()))))
    assert small.number != large.number
    ring, facts = recorder.ring, recorder
    facts.update([], 0.0, 0.25)
    ring.begin()
    facts._latches.flush()
    ring.record(1, small.number, True, (0, 0, 0), (0, 0, 0), b"\x01")
    ring.record(1, large.number, True, (0, 0, 0), (0, 0, 0), b"\x01" + bytes(8))
    ring.commit(0.5, 0.25)
    tables = exported(recorder, tmp_path / "out")
    assert "by" not in tables["objects-door"][0]
    assert tables["objects-door-2"][0]["by"] == "0"


def test_a_stretch_is_exported_and_progress_reported(recorder, tmp_path):
    for frame in range(10):
        recorder.emit(SetMark(f"m{frame + 1}"))
        recorder.update([guard(1.0)], 0.0, frame / 4)
    received: list[tuple[int, int]] = []
    tables = exported(
        recorder, tmp_path / "out", start=4, end=6, progress=lambda *at: received.append(at)
    )
    assert [row["frame"] for row in tables["objects-guard_1"]] == ["4", "5", "6"]
    assert [row["name"] for row in tables["marks"]] == ["m4", "m5", "m6"]
    assert received == [(1, 3), (2, 3), (3, 3)]


def test_an_empty_recording_has_tables_without_rows(recorder, tmp_path):
    assert exported(recorder, tmp_path / "out") == {name: [] for name in TABLES}


def test_what_is_there_is_replaced_only_if_told(recorder, tmp_path):
    recorder.update([guard(1.0)], 0.0, 0.25)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(RecordingError, match="is there already"):
        export_csv(recorder.source, tmp_path / "out")
    assert (tmp_path / "out" / "mine").exists()
    # Told to, it replaces an export, but no folder that has something else in it.
    (tmp_path / "out" / "older.csv").touch()
    with pytest.raises(RecordingError, match="such as 'mine'"):
        export_csv(recorder.source, tmp_path / "out", overwrite=True)
    assert len(list((tmp_path / "out").iterdir())) == 2
    (tmp_path / "out" / "mine").unlink()
    exported(recorder, tmp_path / "out", overwrite=True)
    assert not (tmp_path / "out" / "older.csv").exists()


def test_no_text_is_a_formula_and_negative_numbers_stay_numbers(recorder, tmp_path):
    harm = "=cmd|' /C calc'!A0"
    recorder.name(7, harm)
    recorder.watch("@SUM(A1)", -2.5, object=1)
    recorder.watch("count", -3)
    recorder.log("+1", object=1)
    recorder.emit(SetMark("\t=1", note="=2", object=1))
    recorder.update([guard(1.0)], 0.5)
    tables = exported(recorder, tmp_path / "out")
    (row,) = tables["objects-guard_1"]
    assert row["name"] == f"'{harm}"
    assert float(row["z"]) == -2.0
    values = {row["name"]: row["value"] for row in tables["watches"]}
    assert values == {"'@SUM(A1)": "-2.5", "count": "-3.0"}
    assert tables["log"][0]["text"] == "'+1"
    (mark,) = tables["marks"]
    assert (mark["name"], mark["note"]) == ("'\t=1", "'=2")
    for rows in tables.values():
        for row in rows:
            for cell in (*row, *row.values()):
                if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
                    float(cell)
