"""Recordings of programs that are killed, that never end, or that do what nobody expects."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import playhead as ph

from ..support.process import PLAYHEAD, environment
from ..support.waits import LIMIT
from .conftest import QUIET, Ended

pytest.importorskip("pymunk")
Run = Callable[..., Ended]
Write = Callable[[str, str], Path]

FALLING = """
import os, sys, time
import pymunk
space = pymunk.Space()
space.gravity = 0, -10
ball = pymunk.Body(1, 1)
space.add(ball, pymunk.Circle(ball, 1))
for step in range(20):
    space.step(0.05)
print("stepped", flush=True)
"""


def frames_of(path: Path) -> int:
    with ph.open(path) as run:
        return len(run.frames)


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `playhead record`, and wait until the program has stepped."""
    program = subprocess.Popen(
        [PLAYHEAD, "record", *arguments], cwd=folder, env=environment(QUIET), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "stepped\n"
    return program


def test_a_killed_program_leaves_a_ring_that_opens(write: Write, tmp_path: Path) -> None:
    write("game.py", FALLING + "time.sleep(60)")
    program = started(tmp_path, "game.py")
    program.kill()
    program.communicate(timeout=LIMIT)
    assert frames_of(tmp_path / "game.ring") == 20
    assert not (tmp_path / "game.mcap").exists()


def test_a_polite_kill_saves_the_clip_and_ends_as_with_plain_python(
    write: Write, tmp_path: Path
) -> None:
    write("game.py", FALLING + "time.sleep(60)")
    program = started(tmp_path, "game.py")
    program.terminate()
    _, said = program.communicate(timeout=LIMIT)
    assert program.returncode == -signal.SIGTERM
    assert "recorded game.mcap: 20 frames" in said
    assert "Traceback" not in said
    assert frames_of(tmp_path / "game.mcap") == 20


@pytest.mark.slow
def test_ctrl_c_saves_the_clip(write: Write, tmp_path: Path) -> None:
    write("game.py", FALLING + "time.sleep(60)")
    program = started(tmp_path, "game.py")
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=LIMIT)
    assert program.returncode == -signal.SIGINT
    assert said.index("KeyboardInterrupt") < said.index("recorded game.mcap")
    assert frames_of(tmp_path / "game.mcap") == 20


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os._exit(9)", 9),
        pytest.param("os.kill(os.getpid(), 9)", -9, marks=pytest.mark.slow),
        pytest.param("os.abort()", -signal.SIGABRT, marks=pytest.mark.slow),
    ],
)
def test_a_hard_end_leaves_the_ring(
    record: Run, write: Write, tmp_path: Path, end: str, code: int
) -> None:
    write("game.py", FALLING + end)
    assert record("game.py").returncode == code
    assert frames_of(tmp_path / "game.ring") == 20


def test_an_error_of_the_program_saves_the_clip(record: Run, write: Write, tmp_path: Path) -> None:
    write("game.py", FALLING + "1 / 0")
    ended = record("game.py")
    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback (most recent call last):\n  File")
    assert ended.stderr.index("ZeroDivisionError") < ended.stderr.index("recorded game.mcap")
    assert "program_run.py" not in ended.stderr
    assert frames_of(tmp_path / "game.mcap") == 20


@pytest.mark.slow
def test_a_second_run_keeps_the_first_clip(record: Run, write: Write, tmp_path: Path) -> None:
    write("game.py", FALLING)
    record("game.py")
    assert "game.1.mcap" in record("game.py").stderr
    assert frames_of(tmp_path / "game.1.mcap") == 20


@pytest.mark.slow
def test_the_ring_is_kept_alone_if_that_is_asked_for(
    record: Run, write: Write, tmp_path: Path
) -> None:
    write("game.py", FALLING)
    assert "recorded mine.ring: 20 frames" in record("--out", "mine.ring", "game.py").stderr
    assert frames_of(tmp_path / "mine.ring") == 20
    assert not list(tmp_path.glob("*.mcap"))


def test_a_limit_of_frames_ends_the_program(record: Run, write: Write, tmp_path: Path) -> None:
    write("game.py", FALLING.replace("range(20)", "range(10 ** 9)"))
    ended = record("--frames", "7", "game.py")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert frames_of(tmp_path / "game.mcap") == 7


@pytest.mark.slow
def test_a_program_that_catches_everything_is_ended_in_time(
    record: Run, write: Write, tmp_path: Path
) -> None:
    lines = FALLING.replace("range(20)", "range(9)").splitlines()
    body = "\n".join(f"        {line}" for line in lines)
    write("game.py", f"while True:\n    try:\n{body}\n    except Exception:\n        pass\n")
    ended = record("--seconds", "0.3", "game.py")
    assert ended.returncode == 0
    assert frames_of(tmp_path / "game.mcap") > 0


@pytest.mark.slow
def test_a_changed_folder_does_not_move_the_clip(record: Run, write: Write, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write("game.py", FALLING + "os.chdir('elsewhere'); print('x' * 3_000_000)")
    ended = record("game.py")
    assert len(ended.stdout) > 3_000_000
    assert str(tmp_path / "game.mcap") in ended.stderr
    assert frames_of(tmp_path / "game.mcap") == 20


def test_a_forked_child_leaves_the_recording_to_its_parent(
    record: Run, write: Write, tmp_path: Path
) -> None:
    write(
        "game.py",
        FALLING + "if os.fork() == 0:\n    space.step(0.1)\n    sys.exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]))\nspace.step(0.05)",
    )
    ended = record("game.py")
    assert ended.stdout.endswith("3\n")
    assert ended.stderr.count("recorded game.mcap: 21 frames") == 1


def test_a_program_that_records_itself_is_left_alone(
    record: Run, write: Write, tmp_path: Path
) -> None:
    own = "import playhead as ph\nrec = ph.record([], 'own.mcap', dt=0.05)\n"
    write("game.py", own + FALLING + "rec.add(space)\nwith rec.frame():\n    pass\nrec.close()")
    ended = record("game.py")
    assert (ended.returncode, ended.stdout) == (0, "stepped\n")
    assert "game.py records itself with playhead" in ended.stderr
    assert ended.stderr.endswith("playhead view own.mcap\n")
    assert "ph.record(" not in ended.stderr, "it has that line"
    assert frames_of(tmp_path / "own.mcap") == 1


ITSELF = """
import playhead as ph
ball = {"x": 0.0}
with ph.record(ball, PATHdt=0.05) as rec:
    for step in range(10**9):
        LOOP
"""
IN_BLOCKS = "with rec.frame(): ball['x'] += 1"
BY_UPDATES = "ball['x'] += 1; rec.update()"


@pytest.mark.parametrize("loop", [IN_BLOCKS, BY_UPDATES])
def test_frames_ends_a_program_that_records_itself(
    record: Run, write: Write, tmp_path: Path, loop: str
) -> None:
    write("game.py", ITSELF.replace("PATH", "'own.mcap', ").replace("LOOP", loop))
    ended = record("--frames", 20, "game.py")
    assert ended.returncode == 0, ended.stderr
    assert frames_of(tmp_path / "own.mcap") == 20


def test_a_program_s_own_recording_without_a_file_is_reported_as_gone(
    record: Run, write: Write
) -> None:
    write("game.py", ITSELF.replace("PATH", "").replace("LOOP", IN_BLOCKS))
    ended = record("--frames", 5, "game.py")
    assert ended.returncode == 0
    assert "it is not saved at its end" in ended.stderr
    assert "playhead view" not in ended.stderr


def test_a_program_whose_own_recording_is_switched_off_is_not_advised_to_write_one(
    record: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYHEAD", "off")
    loop = ITSELF.replace("10**9", "5").replace("PATH", "").replace("LOOP", IN_BLOCKS)
    write("game.py", loop)
    ended = record("game.py")
    assert "PLAYHEAD=off is set" in ended.stderr
    assert "by a line in it" not in ended.stderr
