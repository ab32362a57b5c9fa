"""Files and folders appear whole or not at all."""

import os
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.recorder.saving.place import check_free, new_file, new_folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_has_its_name_only_at_the_end(tmp_path):
    with new_file(tmp_path / "x") as part:
        part.write_text("new")
        assert "x" not in names(tmp_path)
    assert names(tmp_path) == ["x"]


def test_after_an_error_nothing_is_left(tmp_path):
    with pytest.raises(ZeroDivisionError), new_file(tmp_path / "x") as part:
        part.write_text("half")
        raise ZeroDivisionError
    with (
        pytest.raises(RecordingError, match="x: this can't be written: No space"),
        new_file(tmp_path / "x") as part,
    ):
        part.write_text("half")
        raise OSError(28, "No space left on device")
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "y") as part:
        (part / "a").write_text("half")
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_a_file_that_is_there_or_comes_meanwhile_is_not_replaced(tmp_path):
    (tmp_path / "x").write_text("old")
    with pytest.raises(RecordingError, match="is there already"), new_file(tmp_path / "x"):
        pytest.fail("it was begun")
    with pytest.raises(RecordingError, match="is there already"), new_file(tmp_path / "y") as part:
        part.write_text("new")
        (tmp_path / "y").write_text("came meanwhile")
    assert (tmp_path / "y").read_text() == "came meanwhile"
    with new_file(tmp_path / "x", overwrite=True) as part:
        part.write_text("new")
    assert (tmp_path / "x").read_text() == "new"
    assert names(tmp_path) == ["x", "y"]


def test_where_there_are_no_hard_links_it_works_too(tmp_path, monkeypatch):
    def no_links(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    with new_file(tmp_path / "x") as part:
        part.write_text("new")
    with pytest.raises(RecordingError, match="is there already"), new_file(tmp_path / "y") as part:
        part.write_text("new")
        (tmp_path / "y").touch()
    assert names(tmp_path) == ["x", "y"]


def test_a_folder_has_its_name_only_at_the_end(tmp_path):
    with new_folder(tmp_path / "x") as part:
        (part / "a").touch()
        assert "x" not in names(tmp_path)
    assert names(tmp_path / "x") == ["a"]
    (tmp_path / "empty").mkdir()
    with new_folder(tmp_path / "empty") as part:
        (part / "b").touch()
    assert names(tmp_path / "empty") == ["b"]


def test_a_folder_with_something_in_it_is_replaced_only_if_told(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "old").touch()
    with pytest.raises(RecordingError, match="is there already"), new_folder(tmp_path / "x"):
        pytest.fail("it was begun")
    with new_folder(tmp_path / "x", overwrite=True) as part:
        (part / "new").touch()
    assert names(tmp_path / "x") == ["new"]
    (tmp_path / "file").touch()
    with (
        pytest.raises(RecordingError, match="is there already"),
        new_folder(tmp_path / "file", overwrite=True),
    ):
        pytest.fail("it was begun")
    with pytest.raises(RecordingError, match="can't be written"), new_folder(tmp_path / "a" / "b"):
        pytest.fail("it was begun")


def test_a_place_can_be_looked_at_before(tmp_path, monkeypatch):
    check_free(tmp_path / "x")
    (tmp_path / "x").touch()
    with pytest.raises(RecordingError, match="x: this is there already"):
        check_free(tmp_path / "x")
    with pytest.raises(RecordingError, match=f"there is no folder {tmp_path / 'none'}"):
        check_free(tmp_path / "none" / "x")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RecordingError, match="can't be written into"):
        check_free(tmp_path / "y")
    with pytest.raises(RecordingError, match="this is a folder"), new_file(tmp_path):
        pytest.fail("it was begun")
