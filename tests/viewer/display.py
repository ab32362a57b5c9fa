"""X servers without a screen, and commands whose windows are there: driven as by a person."""

import contextlib
import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PLAYHEAD = Path(sys.executable).parent / "playhead"
LIMIT = 60.0
"""Seconds after which something that should have happened is taken for lost."""

needs_display = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs xvfb and xdotool"
)


def until(holds: Callable[[], Any], told: Callable[[], object] = lambda: "") -> Any:
    """Wait until something holds; returns it. If it never does, `told` says how things stand."""
    end = time.monotonic() + LIMIT
    pause = threading.Event()
    while not (found := holds()):
        assert time.monotonic() < end, f"it did not come to be in time: {told()}"
        pause.wait(0.02)
    return found


class Message(ctypes.Structure):
    """Xlib's XClientMessageEvent, with room for any event."""

    _fields_ = (
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p), ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 24),
    )  # fmt: skip


class Display:
    """An X server of its own, without a window manager. Close it.

    Args:
        folder: Where it may keep its picture.
    """

    def __init__(self, folder: Path) -> None:
        self._picture = folder / "Xvfb_screen0"
        here, there = os.pipe()
        try:
            self._server = subprocess.Popen(
                ["Xvfb", "-displayfd", str(there), "-screen", "0", "1280x800x24", "-nolisten",
                 "tcp", "-fbdir", str(folder)],
                pass_fds=(there,), stderr=subprocess.DEVNULL,
            )  # fmt: skip
        finally:
            os.close(there)
            with os.fdopen(here) as told:
                number = told.readline().strip()
        self.name = f":{number}"
        self.environment = {**os.environ, "DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb"}

    def xdotool(self, *words: object) -> str:
        """Move the mouse, press keys, look for windows."""
        done = subprocess.run(
            ["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True,
            timeout=LIMIT, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def window(self, name: str = "playhead") -> str:
        """The newest window that is called so, in focus."""
        found = self.xdotool("search", "--sync", "--onlyvisible", "--name", name).split()[-1]
        self.xdotool("windowfocus", "--sync", found)
        return found

    def title(self, window: str) -> str:
        """What is written on a window."""
        return self.xdotool("getwindowname", window)

    def close_window(self, window: str) -> None:
        """What a window manager does when a window's cross is clicked."""
        try:
            x = ctypes.CDLL("libX11.so.6")
        except OSError:
            pytest.skip("needs libX11")
        pointer = ctypes.c_void_p
        x.XOpenDisplay.restype, x.XInternAtom.restype = pointer, ctypes.c_ulong
        x.XInternAtom.argtypes = [pointer, ctypes.c_char_p, ctypes.c_int]
        x.XSendEvent.argtypes = [pointer, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, pointer]
        x.XCloseDisplay.argtypes = [pointer]
        server = x.XOpenDisplay(self.name.encode())
        kind = x.XInternAtom(server, b"WM_PROTOCOLS", 0)
        message = Message(type=33, window=int(window), message_type=kind, format=32)
        message.data[0] = x.XInternAtom(server, b"WM_DELETE_WINDOW", 0)
        x.XSendEvent(server, int(window), 0, 0, ctypes.byref(message))
        x.XCloseDisplay(server)

    def pixels(self) -> np.ndarray:
        """The whole screen as it is now: 0xRRGGBB by row and column."""
        dump = self._picture.read_bytes()
        # XWD's header: numbers of 32 bits with the high byte first, then the table of colours.
        head = struct.unpack_from(">20I", dump)
        size, across, down, order, row_bytes, colors = (
            head[at] for at in (0, 4, 5, 7, 12, 19)
        )  # fmt: skip
        kind = np.dtype("<u4" if order == 0 else ">u4")
        flat = np.frombuffer(dump, kind, down * row_bytes // 4, size + 12 * colors)
        return flat.reshape(down, -1)[:, :across] & 0xFFFFFF

    def close(self) -> None:
        """End the server."""
        self._server.terminate()
        self._server.wait(LIMIT)


class Shown:
    """A command that may have a window, in processes of their own."""

    def __init__(self, display: Display, *args: object) -> None:
        self.display = display
        environment = {**display.environment, "PYTHONUNBUFFERED": "1", "PLAYHEAD_STRICT": "0"}
        self.process = subprocess.Popen(
            [PLAYHEAD, *map(str, args)], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def endpoint(self) -> str:
        """Where it is on the bus, as it says first."""
        assert self.process.stderr is not None
        found = re.match(r"on the bus at (\S+)", line := self.process.stderr.readline())
        assert found, line + self.process.stderr.read()
        return found[1]

    def close(self) -> tuple[int, str, str]:
        """Close the window; exit code and what was said."""
        self.display.close_window(self.display.window())
        return self.end()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; exit code and what was said."""
        out, err = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out, err

    def children(self) -> list[int]:
        """The processes that it has started."""
        pid = self.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(child) for child in found.split()]

    def kill(self) -> None:
        """Leave none of its processes."""
        children: list[int] = []
        with contextlib.suppress(OSError):
            children = self.children()
        self.process.kill()
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self.process.wait(LIMIT)


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Display]:
    """An X server to open windows on."""
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    from playhead.viewer.app import missing_for_windows

    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    if missing := missing_for_windows():
        pytest.skip(f"needs {missing}")
    folder = tmp_path / "screen"
    folder.mkdir()
    made = Display(folder)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def shown(display: Display) -> Iterator[Callable[..., Shown]]:
    """Start commands on that server; none of their processes is left."""
    made: list[Shown] = []

    def start(*args: object) -> Shown:
        made.append(Shown(display, *args))
        return made[-1]

    yield start
    for one in made:
        one.kill()
