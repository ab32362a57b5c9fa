"""Lines of the game's source, of a recording that may name any file."""

import os

import pytest

from playhead.viewer.state import source_lines
from playhead.viewer.state.source_lines import SourceLines


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "guard.py"
    path.write_text("one\n    check(hp > 0)  \n")
    return path


def test_a_line_is_read_without_blanks_and_read_again_when_the_file_changes(file):
    lines = SourceLines({})
    assert lines.line(str(file), 2) == "check(hp > 0)"
    file.write_text("other\nlines are here\n")
    os.utime(file, ns=(1, 1))
    assert lines.line(str(file), 2) == "lines are here"


def test_folders_of_the_recording_s_machine_are_found_here(file):
    lines = SourceLines({"/build/game": str(file.parent), "C:\\game": str(file.parent)})
    assert lines.line("/build/game/guard.py", 1) == "one"
    assert lines.line("C:\\game\\guard.py", 1) == "one"
    assert lines.line("/build/game/../guard.py", 1) == ""


def test_what_is_no_source_file_is_never_opened(tmp_path, file, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("password")
    link = tmp_path / "link.py"
    link.symlink_to(secret)
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    monkeypatch.setattr(source_lines, "MOST_BYTES", 10)
    lines = SourceLines({})
    for path in (secret, link, pipe, file, tmp_path, tmp_path / "none.py"):
        assert lines.line(str(path), 1) == ""


@pytest.mark.parametrize(
    ("name", "number"),
    [("", 1), ("\0.py", 1), ("x" * 5000 + ".py", 1), ("\\\\server\\share\\a.py", 1),
     ("//server/a.py", 1), ("<string>", 1)],
)  # fmt: skip
def test_names_of_no_file_have_no_line(name, number):
    assert SourceLines({}).line(name, number) == ""


def test_a_number_outside_of_the_file_has_no_line(file):
    for number in (-1, 0, 3, 10**9):
        assert SourceLines({}).line(str(file), number) == ""
