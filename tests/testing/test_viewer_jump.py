"""A test fails in one process, and a viewer in another one stands at the culprit."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.bus.running_viewer import InstanceInfo, instance_info

from ..support.process import Process
from ..support.waits import LIMIT, until

pytest_plugins = "pytester"
pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

FAILS = 48
"""The frame in which the guard's check fails."""
MAIN = "import sys; from playhead.cli.main import main; main(sys.argv[1:])"
INTERRUPTED = """
import signal, sys
from playhead.cli.main import main
from playhead.viewer.app.open_controller import OpenController
from playhead.viewer.state.viewer_store import ViewerStore

def open_link(self, link, begin=OpenController.open_link, make=ViewerStore.__init__):
    def interrupted(store, *arguments, **options):
        make(store, *arguments, **options)
        signal.raise_signal(signal.SIGINT)
    ViewerStore.__init__ = interrupted
    begin(self, link)

OpenController.open_link = open_link
main(sys.argv[1:])
"""
"""A viewer that hears of Ctrl-C in the middle of opening a recording."""
TESTS = """
def test_inside(session, playhead_world):
    playhead_world.step(session, 60)

def test_far(session, playhead_world):
    playhead_world.step(session, 10)
    assert playhead_world.guard.position[0] == 3
"""


def found(viewer: Process, holds: Callable[[InstanceInfo], object]) -> InstanceInfo:
    """Where a viewer is, as soon as something holds of it."""
    seen: list[InstanceInfo] = []

    def there() -> InstanceInfo | None:
        assert viewer.poll() is None, viewer.output
        seen[:] = [at for at in instance_info(patience=LIMIT) if at.process == viewer.pid]
        return next((at for at in seen if holds(at)), None)

    at = until(there, describe=lambda: seen)
    assert at is not None
    return at


def shows(target: str, frame: int, focus: int | None) -> Callable[[InstanceInfo], bool]:
    return lambda at: (at.target, at.frame) == (target, frame) and focus in (None, at.focus)


@pytest.fixture
def viewer(viewers: Path, start_process: Callable[..., Process]) -> Callable[..., Process]:
    """Start a viewer in a process of its own; it waits for a game by default."""

    def start(*args: object, program: str = MAIN) -> Process:
        env = {"QT_QPA_PLATFORM": "offscreen"}
        return start_process(sys.executable, "-c", program, "view", *args, env=env)

    return start


def ended(viewer: Process) -> str:
    """Close it as a person would with Ctrl-C; returns what it wrote."""
    end = viewer.interrupt()
    assert end.returncode == 0, viewer.output
    return end.stdout + end.stderr


def test_a_running_viewer_jumps_to_the_culprit_of_the_first_failure(run, viewer, pytester):
    one = viewer("tcp://127.0.0.1:9")
    assert found(one, lambda at: True).frame == 0
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    text = result.stdout.str()
    assert text.count("a running viewer shows it now") == 1
    assert text.index("a running viewer") < text.index("TEST FAILED")
    there = found(one, lambda at: at.frame == FAILS and at.focus == 7 and at.settled)
    [clip] = (pytester.path / "playhead-results").glob("*inside*.mcap")
    assert there.target == str(clip)
    # The next run has a clip of its own, and the viewer goes there.
    run(TESTS).stdout.fnmatch_lines(["  a running viewer shows it now"])
    again = found(one, lambda at: at.target != str(clip) and at.frame == FAILS and at.focus == 7)
    assert Path(again.target).name.startswith(clip.stem)
    assert "Traceback" not in ended(one)


@pytest.mark.slow
def test_a_link_is_shown_by_the_viewer_that_runs_already(run, viewer, pytester):
    run(TESTS)
    far, inside = sorted((pytester.path / "playhead-results").glob("*.mcap"))
    one = viewer(far)
    found(one, lambda at: at.target == str(far) and at.frame == 11 and at.settled)
    for link, frame, focus in (
        (f"playhead://{inside}#frame=20&focus=7", 20, 7),
        (f"playhead://{inside}#at=0.5", 32, 7),
        (f"playhead://{far}#frame=3", 3, None),
    ):
        output = viewer(link, "--reuse").end().stdout
        assert f"shown in the viewer that runs already (process {one.pid})" in output
        target = link.removeprefix("playhead://").partition("#")[0]
        # The frame is reached before the object of the link is selected: both are waited for.
        found(one, shows(target, frame, focus))
    ended(one)


@pytest.mark.slow
def test_ctrl_c_ends_a_viewer_that_is_just_opening_a_recording(run, viewer, pytester):
    run(TESTS)
    clip = next((pytester.path / "playhead-results").glob("*.mcap"))
    one = viewer("tcp://127.0.0.1:9", program=INTERRUPTED)
    found(one, lambda at: True)
    viewer(f"playhead://{clip}#frame=3", "--reuse")
    assert one.end().returncode == 0, one.output


@pytest.mark.slow
def test_a_viewer_is_left_alone_if_so_wished(run, viewer):
    one = viewer("tcp://127.0.0.1:9")
    found(one, lambda at: True)
    result = run(TESTS, "--playhead-viewer=off")
    result.stdout.no_fnmatch_line("*a running viewer*")
    assert found(one, lambda at: True).frame == 0
    ended(one)


@pytest.mark.slow
def test_a_viewer_that_was_killed_hinders_nobody(run, viewer, viewers):
    one = viewer("tcp://127.0.0.1:9")
    found(one, lambda at: True)
    one.kill()
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    result.stdout.no_fnmatch_line("*viewer stands*")
    assert list(viewers.iterdir()) == []


@pytest.mark.slow
def test_several_processes_lead_it_once(run, viewer):
    pytest.importorskip("xdist")
    one = viewer("tcp://127.0.0.1:9")
    found(one, lambda at: True)
    result = run(TESTS, "-n", "2")
    result.assert_outcomes(failed=2)
    assert result.stdout.str().count("a running viewer shows it now") == 1
    found(one, lambda at: at.frame in (FAILS, 11))
    ended(one)


def test_what_is_wrong_with_the_place_of_viewers_is_reported_and_the_run_goes_on(run, viewers):
    viewers.write_text("in the way")
    result = run(TESTS)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["  no viewer could be led there: *"])
