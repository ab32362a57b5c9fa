"""The file of the settings: what is read, and what of it stays when something is changed."""

import tomllib
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from playhead.errors import CommandError
from playhead.viewer.state.settings import DEFAULTS, ViewerSettings, folder

WRITTEN = """# my settings
editor = "vim {file}"   # at work

[paths]
"/build/src" = "/home/me/src"
# the other machine
[keys]
play = "P"
unknown = "X"
[of_the_future]
more = [1, 2]
"""


def write(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    path = home / "viewer.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold_and_none_is_made(tmp_path):
    settings = ViewerSettings(tmp_path / "none")
    assert (settings.editor, settings.time) == (DEFAULTS["editor"], "clock")
    assert settings.errors == []
    assert not (tmp_path / "none").exists()


def test_what_is_written_holds(tmp_path):
    write(tmp_path, WRITTEN)
    settings = ViewerSettings(tmp_path)
    assert settings.editor == "vim {file}"
    assert settings.paths == {"/build/src": "/home/me/src"}
    assert settings.keys["play"] == "P"
    assert settings.errors == []


def test_the_environment_names_the_editor_before_the_file(tmp_path, monkeypatch):
    write(tmp_path, WRITTEN)
    monkeypatch.setenv("PLAYHEAD_EDITOR", "ed")
    assert ViewerSettings(tmp_path).editor == "ed"


def test_a_change_leaves_every_other_line_as_it_was(tmp_path):
    path = write(tmp_path, WRITTEN)
    settings = ViewerSettings(tmp_path)
    settings.set("play", "Ctrl+K", "keys")
    settings.set("time", "frame")
    settings.set("/other", 'C:\\my "src"', "paths")
    text = path.read_text(encoding="utf-8")
    assert set(WRITTEN.splitlines()) - set(text.splitlines()) == {'play = "P"'}
    found = tomllib.loads(text)
    assert found["keys"] == {"play": "Ctrl+K", "unknown": "X"}
    assert found["time"] == "frame"
    assert found["paths"]["/other"] == 'C:\\my "src"'
    assert found["of_the_future"] == {"more": [1, 2]}
    again = ViewerSettings(tmp_path)
    assert (again.time, again.keys["play"]) == ("frame", "Ctrl+K")


def test_the_default_takes_the_line_away(tmp_path):
    path = write(tmp_path, WRITTEN)
    settings = ViewerSettings(tmp_path)
    settings.set("play", None, "keys")
    settings.set("editor", None)
    assert "play" not in settings.keys
    assert settings.editor == DEFAULTS["editor"]
    assert "vim" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["editor = ", "[keys\n", "a = 1\na = 2\n", b"\xff\xfe="])
def test_a_file_that_makes_no_sense_is_reported_and_never_touched(tmp_path, text):
    path = write(tmp_path, "")
    raw = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(raw)
    settings = ViewerSettings(tmp_path)
    assert str(path) in settings.errors[0]
    assert settings.editor == DEFAULTS["editor"]
    with pytest.raises(CommandError, match=r"viewer\.toml"):
        settings.set("time", "frame")
    assert path.read_bytes() == raw


@pytest.mark.parametrize(
    ("text", "named"),
    [("editor = 3", "editor"), ("keys = 1", "keys"), ("[keys]\nplay = 2", "keys.play"),
     ("time = ''", "time")],
)  # fmt: skip
def test_a_value_of_another_kind_is_reported_and_the_rest_holds(tmp_path, text, named):
    write(tmp_path, f'layout = "Log"\n{text}\n')
    settings = ViewerSettings(tmp_path)
    assert named in settings.errors[0]
    assert settings.layout == "Log"


def test_a_value_over_several_lines_is_not_broken(tmp_path):
    text = 'editor = """\\\n  vim \\\n  {file}"""\n'
    path = write(tmp_path, text)
    with pytest.raises(CommandError, match="by hand"):
        ViewerSettings(tmp_path).set("editor", "ed")
    assert path.read_text(encoding="utf-8") == text


def test_what_can_t_be_written_is_reported_and_nothing_is_half_done(tmp_path):
    (tmp_path / "file").write_text("")
    settings = ViewerSettings(tmp_path / "file")
    with pytest.raises(CommandError):
        settings.set("time", "frame")
    assert settings.time == "clock"


@given(st.dictionaries(st.text(min_size=1), st.text()), st.text(min_size=1), st.text())
def test_whatever_is_set_is_read_again(tmp_path_factory, others, name, value):
    home = tmp_path_factory.mktemp("config")
    settings = ViewerSettings(home)
    for key, text in {**others, name: value}.items():
        settings.set(key, text, "paths")
    assert ViewerSettings(home).paths == {**others, name: value}


@pytest.mark.parametrize(
    ("environment", "platform", "end"),
    [({"PLAYHEAD_CONFIG": "/x"}, "linux", "/x"),
     ({"XDG_CONFIG_HOME": "/c"}, "linux", "/c/playhead"),
     ({"APPDATA": "/a"}, "win32", "/a/playhead"), ({}, "linux", "/.config/playhead"),
     ({}, "darwin", "/Library/Application Support/playhead")],
)  # fmt: skip
def test_each_system_has_its_place_for_settings(environment, platform, end):
    assert folder(environment, platform).as_posix().endswith(end)
