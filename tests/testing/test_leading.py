"""A test fails in one process, and a viewer in another one stands at the culprit."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.bus.door import Whereabouts, where

pytest_plugins = "pytester"
pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

LIMIT = 60.0
FAILS = 48
"""The frame in which the guard's check fails."""
MAIN = "import sys; from playhead.cli.main import main; main(sys.argv[1:])"
TESTS = """
def test_inside(session, playhead_world):
    playhead_world.step(session, 60)

def test_far(session, playhead_world):
    playhead_world.step(session, 10)
    assert playhead_world.guard.position[0] == 3
"""


def until(viewer: "subprocess.Popen[str]", holds: Callable[[Whereabouts], object]) -> Whereabouts:
    """Where a viewer is, as soon as something holds of it."""
    end = time.monotonic() + LIMIT
    pause = threading.Event()
    found: list[Whereabouts] = []
    while not (found and holds(found[0])):
        assert viewer.poll() is None, viewer.communicate(timeout=LIMIT)[0]
        assert time.monotonic() < end, f"it did not come to be in time: {found}"
        pause.wait(0.05)
        found = [at for at in where(patience=LIMIT) if at.process == viewer.pid]
    return found[0]


@pytest.fixture
def viewer(viewers: Path) -> Iterator[Callable[..., Any]]:
    """Start a viewer in a process of its own; it waits for a game unless told otherwise."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: object) -> subprocess.Popen[str]:
        started.append(subprocess.Popen(
            [sys.executable, "-c", MAIN, "view", *map(str, args)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        ))  # fmt: skip
        return started[-1]

    yield start
    for one in started:
        if one.poll() is None:
            one.kill()
        if one.stdout is not None and not one.stdout.closed:
            one.communicate(timeout=LIMIT)


def ended(viewer: subprocess.Popen[str]) -> str:
    """Close it as a person would with Ctrl-C; returns what it wrote."""
    viewer.send_signal(2)
    told, _ = viewer.communicate(timeout=LIMIT)
    assert viewer.returncode == 0, told
    return told


def test_a_running_viewer_jumps_to_the_culprit_of_the_first_failure(run, viewer, pytester):
    one = viewer("tcp://127.0.0.1:9")
    assert until(one, lambda at: True).frame == 0
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    text = result.stdout.str()
    assert text.count("a running viewer stands there now") == 1
    assert text.index("a running viewer") < text.index("TEST FAILED")
    there = until(one, lambda at: at.frame == FAILS and at.focus == 7 and at.settled)
    [clip] = (pytester.path / "playhead-results").glob("*inside*.mcap")
    assert there.target == str(clip)
    # The next run has a clip of its own, and the viewer goes there.
    run(TESTS).stdout.fnmatch_lines(["  a running viewer stands there now"])
    again = until(one, lambda at: at.target != str(clip) and at.frame == FAILS and at.focus == 7)
    assert Path(again.target).name.startswith(clip.stem)
    assert "Traceback" not in ended(one)


def test_a_link_is_shown_by_the_viewer_that_runs_already(run, viewer, pytester):
    run(TESTS)
    far, inside = sorted((pytester.path / "playhead-results").glob("*.mcap"))
    one = viewer(far)
    until(one, lambda at: at.target == str(far) and at.frame == 11)
    for link, frame, focus in (
        (f"playhead://{inside}#frame=20&focus=7", 20, 7),
        (f"playhead://{inside}#at=0.5", 32, 7),
        (f"playhead://{far}#frame=3", 3, None),
    ):
        told, _ = viewer(link, "--reuse").communicate(timeout=LIMIT)
        assert f"shown in the viewer that runs already (process {one.pid})" in told
        there = until(one, lambda at: at.frame == frame)  # noqa: B023
        assert there.target == link.removeprefix("playhead://").partition("#")[0]
        assert focus in (None, there.focus)
    ended(one)


def test_a_viewer_is_left_alone_if_so_wished(run, viewer):
    one = viewer("tcp://127.0.0.1:9")
    until(one, lambda at: True)
    result = run(TESTS, "--playhead-viewer=off")
    result.stdout.no_fnmatch_line("*a running viewer*")
    assert until(one, lambda at: True).frame == 0
    ended(one)


def test_a_viewer_that_was_killed_hinders_nobody(run, viewer, viewers):
    one = viewer("tcp://127.0.0.1:9")
    until(one, lambda at: True)
    one.kill()
    one.communicate(timeout=LIMIT)
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    result.stdout.no_fnmatch_line("*viewer stands*")
    assert list(viewers.iterdir()) == []


def test_several_processes_lead_it_once(run, viewer):
    pytest.importorskip("xdist")
    one = viewer("tcp://127.0.0.1:9")
    until(one, lambda at: True)
    result = run(TESTS, "-n", "2")
    result.assert_outcomes(failed=2)
    assert result.stdout.str().count("a running viewer stands there now") == 1
    until(one, lambda at: at.frame in (FAILS, 11))
    ended(one)


def test_what_is_wrong_with_the_place_of_viewers_is_said_and_the_run_goes_on(run, viewers):
    viewers.write_text("in the way")
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["  no viewer could be led there: *"])
