"""A recorded program sees, says and returns what it does with plain Python."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.cli.main import main

from .conftest import Ended

Run = Callable[..., Ended]
Write = Callable[[str, str], Path]

SURROUNDINGS = """
import os, sys
if __name__ == "__main__":
    import helper
    main = sys.modules["__main__"]
    print(sys.argv, sys.path[0], os.getcwd(), helper.VALUE, main.__file__, main.__package__)
    print(sorted(name for name in globals()), __builtins__)
    print(main.__spec__ and main.__spec__.name, type(main.__loader__).__name__, sys.excepthook)
"""


def test_a_script_finds_the_surroundings_of_plain_python(
    record: Run, plain: Run, write: Write
) -> None:
    write("game/helper.py", "VALUE = 7")
    write("game/start.py", SURROUNDINGS)
    args = ("game/start.py", "-v", "--", "--out", "--debug", "-m", "x")
    recorded, expected = record(*args), plain(*args)
    assert recorded.stdout == expected.stdout
    assert recorded.returncode == 0
    assert "--out stands behind game/start.py, so it is the program's own" in recorded.stderr


@pytest.mark.slow
def test_a_module_finds_the_surroundings_of_plain_python(
    record: Run, plain: Run, write: Write
) -> None:
    write("helper.py", "VALUE = 7")
    write("game/__init__.py", "")
    write("game/__main__.py", SURROUNDINGS)
    for args in (("-m", "game", "--json"), ("-m", "game.__main__", "-m", "other"), ("game",)):
        assert record(*args).stdout == plain(*args).stdout, args


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("raise SystemExit(7)", marks=pytest.mark.slow),
        "import sys; sys.exit('a message')",
        "def fall():\n    raise ValueError('fell')\ntry:\n    1 / 0\nexcept Exception:\n    fall()",
        "x = 1\nif x\n    pass",
        "import sys\nsys.excepthook = lambda kind, error, tb: print(kind, tb.tb_lineno)\n1/0",
        "import atexit\natexit.register(print, 'at the end')\nimport no_such_module",
        pytest.param("raise KeyboardInterrupt", marks=pytest.mark.slow),
        pytest.param("import os; os._exit(3)", marks=pytest.mark.slow),
        "import threading\nt = threading.Timer(0.05, print, ['late'])\nt.start()",
    ],
)
def test_a_program_ends_as_with_plain_python(
    record: Run, plain: Run, write: Write, text: str
) -> None:
    write("game.py", text)
    recorded, expected = record("game.py"), plain("game.py")
    assert (recorded.returncode, recorded.stdout) == (expected.returncode, expected.stdout)
    own = [line for line in recorded.stderr.splitlines() if not line.startswith("playhead: ")]
    assert own == expected.stderr.splitlines()


@pytest.mark.slow
def test_processes_that_a_program_starts_are_its_own(record: Run, plain: Run, write: Write) -> None:
    write(
        "game.py",
        "import multiprocessing, os, sys, time\n"
        "def double(x):\n    return 2 * x\n"
        "def sleep():\n    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    for way in ('spawn', 'fork'):\n"
        "        with multiprocessing.get_context(way).Pool(1) as pool:\n"
        "            print(pool.map(double, [1, 2]))\n"
        "    child = multiprocessing.get_context('fork').Process(target=sleep)\n"
        "    child.start()\n    child.terminate()\n    child.join()\n    print(child.exitcode)\n"
        "    sys.stdout.flush()\n"
        "    if os.fork() == 0:\n        sys.exit(5)\n"
        "    print(os.waitstatus_to_exitcode(os.wait()[1]))\n",
    )
    recorded, expected = record("game.py"), plain("game.py")
    assert recorded.stdout == expected.stdout
    assert recorded.stderr.count("nothing was recorded") == 1


def test_a_program_without_a_game_is_told_how_to_go_on(record: Run, write: Write) -> None:
    write("game.py", "import tkinter")
    ended = record("game.py")
    assert ended.returncode == 0
    assert "nothing was recorded of game.py" in ended.stderr
    assert "tkinter is not recorded by itself" in ended.stderr
    assert "ph.record(objects" in ended.stderr
    assert not list(Path(ended.args[0]).parent.glob("*.ring"))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "name a program"),
        (("gone.py",), "there is no such script"),
        (("gmae.py",), "game.py"),
        (("json",), "-m json"),
        (("-m",), "-m needs the name of a module"),
        (("--out", "x.mp4", "game.py"), "name it x.mcap"),
        (("--dt", "0", "game.py"), "dt=0"),
        (("--seconds", "0", "game.py"), "--seconds"),
        (("--ouut", "x.mcap", "game.py"), "--out"),
        (("empty",), "has no __main__.py"),
    ],
)
def test_mistakes_on_the_line_are_named(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], words: str,
) -> None:  # fmt: skip
    write("game.py", "print('ran')")
    write("empty/other.py", "")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["record", *args])
    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    assert words in shown.err


@pytest.mark.slow
def test_modules_that_cannot_be_run_are_named(record: Run) -> None:
    missing, package = record("-m", "no.such.module"), record("-m", "logging")
    assert (missing.returncode, package.returncode) == (2, 2)
    assert missing.stderr == "playhead: No module named no.such.module\n"
    assert "cannot be directly executed" in package.stderr


def test_a_program_that_never_ends_is_ended_in_time(record: Run, write: Write) -> None:
    write("game.py", "import time\nwhile True:\n    time.sleep(0.01)\n")
    ended = record("--seconds", "0.2", "game.py")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "Traceback" not in ended.stderr


def test_ctrl_c_ends_a_program_as_with_plain_python(record: Run, plain: Run, write: Write) -> None:
    write("game.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    recorded, expected = record("game.py"), plain("game.py")
    assert recorded.returncode == expected.returncode == -signal.SIGINT
    assert recorded.stderr.startswith(expected.stderr)
