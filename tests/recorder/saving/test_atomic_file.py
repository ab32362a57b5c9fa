"""Files and folders appear whole or not at all."""

import os
import sys
from pathlib import Path

import pytest

from playhead.errors import RecordingError
from playhead.recorder.saving.atomic_file import (
    check_free,
    check_replaceable,
    give_name,
    new_file,
    new_folder,
)


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
    with pytest.raises(RecordingError, match="give another name, or remove it first$"):
        check_free(tmp_path / "x")
    with pytest.raises(RecordingError, match="or overwrite it"):
        check_free(tmp_path / "x", can_overwrite=True)
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
    with (
        pytest.raises(RecordingError, match="there is no folder"),
        new_folder(tmp_path / "a" / "b"),
    ):
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


# --- clips that keep their predecessors -------------------------------------------------------

CLIP = b"\x89MCAP0\r\n"


def finished(folder: Path, content: bytes) -> Path:
    part = folder / f".{content.decode()}.part"
    part.write_bytes(CLIP + content)
    return part


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().removeprefix(CLIP).decode() for path in folder.iterdir()}


def test_a_clip_of_the_same_name_gets_the_next_free_number(tmp_path):
    for content in (b"a", b"b", b"c"):
        give_name(finished(tmp_path, content), tmp_path / "run.mcap", keep_older=True)
    assert contents(tmp_path) == {"run.1.mcap": "a", "run.2.mcap": "b", "run.mcap": "c"}


@pytest.mark.parametrize("kind", ["text", "folder", "empty", "dangling"])
def test_what_is_no_clip_is_never_renamed(tmp_path, kind):
    path = tmp_path / "run.mcap"
    match kind:
        case "text":
            path.write_text("mine")
        case "folder":
            path.mkdir()
        case "empty":
            path.touch()
        case "dangling":
            path.symlink_to(tmp_path / "gone" / "x")
    before, part = path.lstat(), finished(tmp_path, b"a")
    with pytest.raises(RecordingError, match="this is there already and is no clip"):
        check_free(path, keep_older=True)
    with pytest.raises(RecordingError, match="this is there already and is no clip"):
        give_name(part, path, keep_older=True)
    part.unlink()
    assert os.path.samestat(path.lstat(), before)


def test_a_clip_that_can_not_be_renamed_stays_and_the_new_one_has_the_number(tmp_path, monkeypatch):
    give_name(finished(tmp_path, b"a"), tmp_path / "run.mcap", keep_older=True)
    replace = Path.replace

    def held(self: Path, target: Path) -> Path:
        if self.name == "run.mcap":
            raise PermissionError(13, "somebody has it open")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", held)
    named = give_name(finished(tmp_path, b"b"), tmp_path / "run.mcap", keep_older=True)
    assert named == (tmp_path / "run.1.mcap", None)
    assert contents(tmp_path) == {"run.mcap": "a", "run.1.mcap": "b"}


def test_processes_that_save_under_one_name_at_once_all_keep_their_clip(tmp_path, start_process):
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from playhead.recorder.saving.atomic_file import give_name\n"
        "folder, own = Path(sys.argv[1]), sys.argv[2]\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "for n in range(25):\n"
        "    part = folder / f'.{own}-{n}.part'\n"
        "    part.write_bytes(b'\\x89MCAP0\\r\\n' + f'{own}-{n}'.encode())\n"
        "    give_name(part, folder / 'run.mcap', keep_older=True)\n"
    )
    writers = [
        start_process(sys.executable, "-c", script, tmp_path, own, talks=True)
        for own in "abc"
    ]  # fmt: skip
    for writer in writers:
        assert writer.line() == "ready"
    for writer in writers:
        writer.say("go")
    for writer in writers:
        assert writer.wait() == 0
    files = contents(tmp_path)
    assert len(files) == 75
    assert sorted(files.values()) == sorted(f"{own}-{n}" for own in "abc" for n in range(25))


def test_a_clip_that_comes_while_the_one_before_is_moved_is_kept_as_well(tmp_path, monkeypatch):
    path, part = tmp_path / "run.mcap", tmp_path / "part"
    path.write_bytes(b"\x89MCAP first")
    part.write_bytes(b"\x89MCAP mine")
    opened = Path.open

    def gone_and_here_again(self: Path, *args: object, **rest: object) -> object:
        if self == path and not (tmp_path / "run.1.mcap").exists():
            self.rename(tmp_path / "run.1.mcap")  # as another process does that saves
            try:
                return opened(self, *args, **rest)
            finally:
                self.write_bytes(b"\x89MCAP second")
        return opened(self, *args, **rest)

    monkeypatch.setattr(Path, "open", gone_and_here_again)
    named = give_name(part, path, keep_older=True)
    monkeypatch.undo()
    assert named == (path, tmp_path / "run.2.mcap")
    assert [one.read_bytes()[6:] for one in sorted(tmp_path.iterdir())] == [
        b"first", b"second", b"mine",
    ]  # fmt: skip


def test_a_link_to_nothing_is_no_clip_and_stays(tmp_path):
    path, part = tmp_path / "run.mcap", tmp_path / "part"
    path.symlink_to(tmp_path / "nowhere")
    part.write_bytes(b"\x89MCAP")
    with pytest.raises(RecordingError, match="is no clip"):
        give_name(part, path, keep_older=True)
    assert path.is_symlink()


def test_a_file_that_is_moved_while_it_is_looked_at_is_no_device(tmp_path, monkeypatch):
    path = tmp_path / "run.mcap"
    path.touch()
    looked, looks = Path.stat, []

    def moved_behind_that(self: Path, **rest: bool) -> os.stat_result:
        found = looked(self, **rest)
        looks.append(self)
        if len(looks) == 2:
            path.rename(tmp_path / "run.1.mcap")  # as another process does that saves
        return found

    monkeypatch.setattr(Path, "stat", moved_behind_that)
    check_replaceable(path)
