"""The command line as a whole: its table of commands, and how errors are said."""

import json
import os
import sys
from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner

from playhead.cli import main as cli
from playhead.errors import CapacityError
from playhead.runner import command_error

from ..support.process import Process, run_process


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make `playhead doctor` raise what is given."""

    def raising(error: BaseException) -> None:
        @click.command()
        @click.option("--json", "as_json", is_flag=True)
        def broken(as_json: bool) -> None:
            raise error

        monkeypatch.setattr("playhead.cli.doctor.doctor", broken)

    return raising


def exit_code_of(*args: str) -> int:
    with pytest.raises(SystemExit) as exit:
        cli.main(args)
    assert isinstance(exit.value.code, int)
    return exit.value.code


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_has_help_with_an_example(name: str) -> None:
    shown = CliRunner().invoke(cli.playhead, [name, "--help"], prog_name="playhead")
    assert shown.exit_code == 0, shown.output
    _, _, example = shown.output.partition("Example")
    assert f"playhead {name}" in example


def test_the_list_of_commands_is_shown_without_loading_any() -> None:
    script = (
        "import sys\n"
        "from playhead.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "finally:\n"
        "    print([m for m in ('numpy', 'pymunk', 'playhead.cli.doctor') if m in sys.modules])\n"
    )
    shown = run_process(sys.executable, "-c", script)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.splitlines()[-1] == "[]"
    assert all(f"  {name} " in shown.stdout for name in cli.COMMANDS)


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of() == 0
    assert "Commands:" in capsys.readouterr().out


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of("docter") == command_error.FAILED
    assert capsys.readouterr().err == (
        "playhead: no command 'docter': did you mean 'doctor'?\n  see playhead --help\n"
    )


def test_an_unknown_option_is_reported_in_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of("doctor", "--frobnicate") == command_error.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert "--frobnicate" in lines[0]
    assert lines[1:] == ["  see playhead doctor --help"]


def test_an_error_of_playhead_is_one_line_and_exit_code_two(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(CapacityError("memory of 10 bytes is too small:\n  give at least 64 KiB"))
    assert exit_code_of("doctor") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "playhead: memory of 10 bytes is too small: give at least 64 KiB\n"


def test_with_json_an_error_is_one_object_on_stdout(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(CapacityError("memory of 10 bytes is too small"))
    assert exit_code_of("doctor", "--json") == 2
    shown = capsys.readouterr()
    assert shown.err == ""
    assert json.loads(shown.out) == {
        "error": {"kind": "capacity", "message": "memory of 10 bytes is too small"}
    }


def test_with_json_a_wrong_option_is_an_object_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of("doctor", "--json", "--frobnicate") == command_error.FAILED
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "usage"


@pytest.mark.parametrize("args", [("--debug", "doctor"), ("doctor", "--debug")])
def test_debug_shows_the_traceback_wherever_it_stands(
    args: tuple[str, ...],
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing(CapacityError("too small"))
    assert exit_code_of(*args) == 2
    shown = capsys.readouterr().err
    assert "Traceback (most recent call last)" in shown
    assert shown.endswith("playhead: too small\n")


def test_a_missing_extra_is_named_with_the_line_that_installs_it(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(ModuleNotFoundError("No module named 'pymunk'", name="pymunk.vec2d"))
    assert exit_code_of("doctor") == command_error.FAILED
    needs, line = capsys.readouterr().err.splitlines()
    assert needs == "playhead: this needs pymunk.vec2d, which is not installed"
    assert "pip install" in line
    assert "[agents]" in line


def test_a_file_that_is_not_there_is_named(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(FileNotFoundError(2, "No such file or directory", "gone.ring"))
    assert exit_code_of("doctor") == command_error.FAILED
    assert capsys.readouterr().err == "playhead: gone.ring: No such file or directory\n"


def test_an_unexpected_error_shows_no_traceback_but_says_how_to_get_it(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(ZeroDivisionError("division by zero"))
    assert exit_code_of("doctor") == command_error.UNEXPECTED
    shown = capsys.readouterr().err
    assert "Traceback" not in shown
    assert "unexpected ZeroDivisionError: division by zero" in shown
    assert "--debug" in shown


def test_an_interrupted_command_exits_with_the_shells_code(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing(KeyboardInterrupt())
    assert exit_code_of("doctor") == command_error.INTERRUPTED
    assert capsys.readouterr().err.strip() == "playhead: interrupted"


@pytest.mark.parametrize(
    "args",
    [["--help"], pytest.param(["doctor"], marks=pytest.mark.slow), ["nothing", "--json"]],
)
def test_a_reader_that_has_seen_enough_is_no_error(args: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    script = "from playhead.cli.main import main; main()"
    with Process(sys.executable, "-c", script, *args, stdout=write) as process:
        os.close(write)
        done = process.end()
    assert (done.returncode, done.stderr) in ((1, ""), (command_error.FAILED, ""))
