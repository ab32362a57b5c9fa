"""X servers without a screen, and commands whose windows are there: driven as by a person."""

import ctypes
import os
import shutil
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from ..support.process import LENIENT, PLAYHEAD, Ended, Process, run_process, starting

needs_display = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs xvfb and xdotool"
)


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
            self._server = Process(
                "Xvfb", "-displayfd", there, "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                "-fbdir", folder, pass_fds=(there,),
            )  # fmt: skip
        finally:
            os.close(there)
            with os.fdopen(here) as result:
                number = result.readline().strip()
        self.name = f":{number}"
        self.environment = {"DISPLAY": self.name, "QT_QPA_PLATFORM": "xcb"}

    def xdotool(self, *words: object) -> str:
        """Move the mouse, press keys, look for windows."""
        done = run_process("xdotool", *words, env=self.environment, check=True)
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
        self._server.send_signal(signal.SIGTERM)
        self._server.wait()
        self._server.close()


class ViewerWindow(Process):
    """A command that may have a window, in processes of their own."""

    def __init__(self, display: Display, *args: object) -> None:
        self.display = display
        super().__init__(PLAYHEAD, *args, env={**display.environment, **LENIENT})

    def leave(self) -> Ended:
        """Close the window; exit code and what was said."""
        self.display.close_window(self.display.window())
        return self.end()


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Display]:
    """An X server to open windows on."""
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    from playhead.viewer.app.viewer_main import missing_for_windows

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
def shown(display: Display) -> Iterator[Callable[..., ViewerWindow]]:
    """Start commands on that server; none of their processes is left."""
    yield from starting(lambda *args: ViewerWindow(display, *args))
