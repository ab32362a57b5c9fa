"""A real window on a real X server, driven from outside as a person would."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

PLAYHEAD = Path(sys.executable).parent / "playhead"
LIMIT = 60.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs xvfb and xdotool"
    ),
]


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The environment of an X server of its own."""
    from playhead.viewer.app import missing_for_windows

    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    if missing := missing_for_windows():
        pytest.skip(f"needs {missing}")
    here, there = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(there), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=(there,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(there)
    try:
        with os.fdopen(here) as told:
            number = told.readline().strip()
        environment = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        yield environment
    finally:
        server.terminate()
        server.wait(LIMIT)


def test_a_window_opens_scrubs_and_closes(display, clip, tmp_path):
    viewer = subprocess.Popen(
        [str(PLAYHEAD), "view", str(clip), "--size", "1200x760"], env=display,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def xdotool(*words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=display, capture_output=True, text=True, timeout=LIMIT,
            check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def title() -> str:
        return xdotool("getwindowname", window)

    try:
        window = xdotool("search", "--sync", "--onlyvisible", "--name", "yard.mcap").split()[0]
        end = time.monotonic() + LIMIT
        xdotool("windowfocus", "--sync", window)
        # The title says the frame: what a person reads there, a test can read too.
        while "frame 160" not in title():
            assert time.monotonic() < end, title()
        xdotool("key", "--window", window, "Home")
        while "frame 1 —" not in title():
            assert time.monotonic() < end, title()
        xdotool("mousemove", "--window", window, "700", "640", "click", "1")
        while "frame 1 —" in title():
            assert time.monotonic() < end, title()
        viewer.send_signal(2)
        assert viewer.wait(LIMIT) == 0
        assert viewer.stderr is not None
        assert "Traceback" not in viewer.stderr.read()
    finally:
        viewer.kill()
        viewer.wait(LIMIT)
        if viewer.stderr is not None:
            viewer.stderr.close()
