"""`view`: a program opens the viewer on what it has recorded."""

import sys
from pathlib import Path

import pytest

from playhead.errors import CommandError
from playhead.viewer_process import view

from .support.process import Process, run_process
from .viewer.display import Display, display, needs_display
from .viewer.yard import make_clip

__all__ = ["display"]

PROGRAM = "import sys, playhead.viewer_process as v; v.view(sys.argv[1]); print('closed')"


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("view") / "yard.mcap"
    make_clip(path)
    return path


@needs_display
def test_a_program_opens_the_viewer_and_goes_on_when_its_window_is_closed(
    display: Display, clip: Path
) -> None:
    with Process(sys.executable, "-c", PROGRAM, clip, env=display.environment) as program:
        window = display.window("yard.mcap")
        assert program.poll() is None, "it waits as long as somebody looks"
        display.close_window(window)
        code, result, _ = program.end()
    assert (result, code) == ("closed\n", 0)


@needs_display
def test_what_the_viewer_refuses_is_raised(display: Display, tmp_path: Path) -> None:
    empty = tmp_path / "empty.mcap"
    empty.write_text("no clip")
    done = run_process(sys.executable, "-c", PROGRAM, empty, env=display.environment)
    assert done.returncode == 1
    assert "CommandError: playhead: " in done.stderr
    assert "empty.mcap" in done.stderr


def no_display(monkeypatch: pytest.MonkeyPatch, **given: str) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "there is no display"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "there is no display: QT_QPA_PLATFORM is offscreen"),
        ({"DISPLAY": "localhost:nonsense"}, "localhost:nonsense of DISPLAY does not answer"),
    ],
)
def test_without_a_display_it_warns_in_one_line_and_the_program_goes_on(
    given: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture, clip: Path,
) -> None:  # fmt: skip
    no_display(monkeypatch, **given)
    assert view(clip, at="#4", focus=7) is False
    (message,) = caplog.messages
    assert f"{clip}: " in message
    assert why in message
    assert "\n" not in message
    command = f"playhead view {clip} --at '#4' --focus 7"
    assert f"`{command}` on a machine with a display" in message
    assert f"`{command} --screenshot picture.png`" in message


def test_a_program_that_needs_the_window_gets_an_error_without_a_display(
    monkeypatch: pytest.MonkeyPatch, clip: Path
) -> None:
    no_display(monkeypatch)
    with pytest.raises(CommandError, match="yard.mcap: there is no display.*--screenshot"):
        view(clip, required=True)


@pytest.mark.parametrize("target", ["nofile.mcap", "/nowhere/run"])
def test_a_file_that_is_not_there_is_reported_before_a_display_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    with pytest.raises(CommandError, match=f"{target}: there is no such file"):
        view(target)


@pytest.mark.parametrize("target", [5670, "localhost:5670", "playhead:///nowhere/run.mcap"])
def test_an_address_and_a_link_are_no_files(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    no_display(monkeypatch)
    with pytest.raises(CommandError, match="there is no display"):
        view(target, required=True)


def test_the_package_runs_as_the_command_does() -> None:
    done = run_process(sys.executable, "-m", "playhead", "--version", check=True)
    assert done.stdout.startswith("playhead ")
