"""Source files in the person's editor."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.errors import CommandError
from playhead.viewer.app.source_editor import SourceEditor
from playhead.viewer.state.settings import ViewerSettings

SCRIPT = "import json, sys; open(sys.argv[1], 'w').write(json.dumps(sys.argv[2:]))"


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "my game" / "guard.py"
    path.parent.mkdir()
    path.write_text("check(True)\n")
    return path


def test_it_runs_the_command_with_file_and_line(source, tmp_path, monkeypatch, until):
    result = tmp_path / "told.json"
    script = tmp_path / "editor.py"
    script.write_text(SCRIPT)
    command = f"'{sys.executable}' '{script}' '{result}' -g {{file}}:{{line}}"
    monkeypatch.setenv("PLAYHEAD_EDITOR", command)
    message = SourceEditor(ViewerSettings()).open(str(source), 7)
    assert "guard.py:7" in message
    until(lambda: result.exists() and result.read_text())
    assert json.loads(result.read_text()) == ["-g", f"{source}:7"]


def test_vs_code_is_asked_if_nothing_else_is_set(source):
    assert SourceEditor(ViewerSettings()).command(source, 3) == ["code", "-g", f"{source}:3"]


@pytest.mark.parametrize(
    ("template", "words"),
    [("vim +{line} {file}", ["vim", "+5", "FILE"]), ("gedit", ["gedit", "FILE"]),
     ("'my editor' {file}", ["my editor", "FILE"])],
)  # fmt: skip
def test_any_command_can_be_set(source, monkeypatch, template, words):
    monkeypatch.setenv("PLAYHEAD_EDITOR", template)
    found = SourceEditor(ViewerSettings()).command(source, 5)
    assert [word.replace(str(source), "FILE") for word in found] == words


def test_a_program_that_is_missing_is_named_with_the_setting(source, monkeypatch):
    monkeypatch.setenv("PLAYHEAD_EDITOR", "no-such-editor-here {file}")
    with pytest.raises(CommandError, match=r"no-such-editor-here.*viewer\.toml"):
        SourceEditor(ViewerSettings()).open(str(source), 1)


def test_a_file_that_is_elsewhere_is_found_by_its_folder(source):
    settings = ViewerSettings()
    settings.set("/build", "/nowhere", "paths")
    settings.set("/build/src", str(source.parent), "paths")
    settings.set("C:\\game", str(source.parent), "paths")
    editor = SourceEditor(settings)
    assert editor.find("/build/src/guard.py") == source
    assert editor.find("C:\\game\\guard.py") == source
    assert editor.find(str(source)) == source


def test_a_file_that_is_nowhere_is_named_with_the_setting(tmp_path):
    with pytest.raises(CommandError, match=r"/build/src/guard\.py .*viewer\.toml.*\"/build/src\""):
        SourceEditor(ViewerSettings()).find("/build/src/guard.py")
    with pytest.raises(CommandError, match="which file"):
        SourceEditor(ViewerSettings()).find("")


def test_a_recording_can_t_lead_out_of_the_folder_that_was_named(source, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("")
    settings = ViewerSettings()
    settings.set("/build", str(source.parent), "paths")
    with pytest.raises(CommandError):
        SourceEditor(settings).find("/build/../secret.txt")


def test_the_window_opens_what_a_panel_wants_and_says_what_is_missing(window, clip, monkeypatch):
    opened = window(clip)
    asked = []
    monkeypatch.setattr(
        opened.editor, "open", lambda *location: asked.append(location) or "Opened it"
    )
    opened.store.source_requested.emit("/src/guard.py", 12)
    assert asked == [("/src/guard.py", 12)]
    assert opened.status.left.text() == "Opened it"
    monkeypatch.undo()
    opened.store.source_requested.emit("/src/guard.py", 12)
    assert "/src/guard.py" in opened.status.left.text()


def test_e_opens_the_check_and_else_the_last_decision(window, clip):
    opened = window(clip)
    asked = []
    opened.store.source_requested.disconnect(opened.open_source)
    opened.store.source_requested.connect(lambda *location: asked.append(location))
    opened.action_handlers.open_shown_source()
    assert Path(asked[0][0]).name == "yard.py"
    opened.banner.dismiss()
    opened.store.select(1)
    opened.action_handlers.open_shown_source()
    assert Path(asked[1][0]).name == "yard.py"
    assert asked[1][1] != asked[0][1]


def test_the_settings_open_too_and_are_begun_if_they_are_not_there(window, clip, monkeypatch):
    opened = window(clip)
    asked = []
    monkeypatch.setattr(opened.editor, "open", lambda *location: asked.append(location) or "")
    opened.open_settings()
    ((file, _),) = asked
    assert Path(file).read_text().startswith("editor = ")
