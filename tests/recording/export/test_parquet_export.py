"""Parquet files of a recording hold what its tables say."""

from pathlib import Path

import numpy as np
import pytest

parquet = pytest.importorskip("pyarrow.parquet")

from playhead import record  # noqa: E402
from playhead.errors import RecordingError  # noqa: E402
from playhead.recorder.clips.clip_source import ClipSource  # noqa: E402
from playhead.recording.export import parquet_export  # noqa: E402
from playhead.recording.export.parquet_export import export_parquet  # noqa: E402
from playhead.recording.open_file import open as open_recording  # noqa: E402


class Guard:
    def __init__(self) -> None:
        self.x, self.y, self.hp = 0.0, 0.0, 100


class Door:
    def __init__(self) -> None:
        self.x, self.y, self.open = 3.0, 1.0, False


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Frames in which a field changes its type, and objects of a second type come later."""
    guards, doors = [Guard(), Guard()], []
    path = tmp_path / "run.mcap"
    with record(lambda: [*guards, *doors], path, dt=1 / 60) as rec:
        for step in range(30):
            with rec.frame():
                guards[0].x += 0.5
                rec.watch("speed", step / 2, guards[0])
                if step == 12:
                    doors.append(Door())
                if step == 20:
                    guards[1].hp = 55.5
                    rec.log("hurt", object=guards[1])
    return path


def test_each_type_has_a_file_with_its_own_columns_and_all_rows(clip, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_export, "FRAMES_AT_ONCE", 7)
    with ClipSource.open(clip) as source:
        files = export_parquet(source, tmp_path / "out", 1, 30)
    tables = {path.stem: parquet.read_table(path) for path in files}
    guards, doors = tables["objects-Guard"], tables["objects-Door"]
    assert (len(guards), len(doors)) == (60, 18)
    assert "hp" not in doors.column_names
    assert "open" not in guards.column_names
    with open_recording(clip) as run:
        whole = run.table("objects", type="Guard")
        assert guards["frame"].to_pylist() == whole["frame"].tolist()
        assert guards["x"].to_pylist() == whole["x"].tolist()
        assert guards["hp"].to_pylist() == whole["hp"].tolist()
        assert tables["watches"]["value"].to_pylist() == run.table("watches")["value"].tolist()
        assert tables["logs"]["text"].to_pylist() == ["hurt"]
    assert set(tables) >= {"frames", "transitions", "marks", "inputs", "events", "phases"}
    assert np.diff(guards["frame"].to_numpy()).min() >= 0


def test_a_stretch_of_frames_can_be_exported_alone(clip, tmp_path):
    with ClipSource.open(clip) as source:
        export_parquet(source, tmp_path / "out", 5, 9)
    guards = parquet.read_table(tmp_path / "out" / "objects-Guard.parquet")
    assert sorted(set(guards["frame"].to_pylist())) == [5, 6, 7, 8, 9]
    assert not (tmp_path / "out" / "objects-Door.parquet").exists()


def test_types_whose_names_make_the_same_file_name_get_files_of_their_own(tmp_path):
    kinds = [type(name, (Guard,), {}) for name in ("a/b", "a_b", "A b")]
    path = tmp_path / "run.mcap"
    with record([kind() for kind in kinds], path, dt=1 / 60) as rec, rec.frame():
        pass
    with ClipSource.open(path) as source:
        files = export_parquet(source, tmp_path / "out", 1, 1)
    names = [path.stem for path in files if path.stem.startswith("objects")]
    assert len(names) == len({name.lower() for name in names}) == 3


def test_a_folder_with_something_in_it_is_refused_and_stays(clip, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with ClipSource.open(clip) as source:
        with pytest.raises(RecordingError):
            export_parquet(source, out, 1, 30)
        with pytest.raises(RecordingError, match=r"mine\.txt"):
            export_parquet(source, out, 1, 30, overwrite=True)
    assert [one.name for one in out.iterdir()] == ["mine.txt"]
