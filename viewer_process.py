"""Opens the viewer in a process of its own, and checks whether it can run here."""

import ctypes
import importlib.util
import logging
import os
import shlex
import subprocess
import sys
import threading
from os import PathLike
from pathlib import Path

from .errors import CommandError
from .installation import EXTRAS, install_line
from .recorder.text.safe_log import log_safely

_logger = logging.getLogger("playhead")
_BLIND = ("offscreen", "minimal")
"""Qt's platforms on which nobody sees anything."""
_SUFFIXES = (".mcap", ".ring", ".clip")
"""Suffixes of files: no address ends so."""


def why_no_window() -> str:
    """Why no window can be opened here; empty if one can."""
    return why_no_display() or why_no_viewer()


def why_no_viewer() -> str:
    """Why the viewer can't even draw pictures here; empty if it can."""
    for module in EXTRAS["viewer"].modules:
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed ({install_line('viewer')})"
    return ""


def why_no_display() -> str:
    """Why there is no display for a window; empty if there is one, as always outside Linux."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in _BLIND:
        return f"there is no display: QT_QPA_PLATFORM is {platform}"
    if not sys.platform.startswith("linux"):
        return ""
    if platform not in ("", "xcb") and not platform.startswith("wayland"):
        return ""  # it draws on hardware, or for a remote viewer
    if os.environ.get("WAYLAND_DISPLAY"):
        return ""
    name = os.environ.get("DISPLAY", "")
    if not name:
        return "there is no display"
    return "" if _answers(name) else f"the display {name} of DISPLAY does not answer"


def _answers(display: str) -> bool:
    """Whether an X server can be reached: Qt aborts the process if not."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # the viewer says which libraries it lacks
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(display), None))
    error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not error


def python_path() -> dict[str, str]:
    """The environment in which a child process finds this package as this process did."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path}


def _why_no_file(text: str) -> str:
    """Why there is nothing to open at a path; empty if there is, or if it may be an address."""
    path = Path(text)
    is_path = "://" not in text and (path.suffix in _SUFFIXES or path.is_absolute())
    return f"{text}: there is no such file" if is_path and not path.exists() else ""


def view(
    target: str | int | PathLike[str],
    *,
    at: str | float | None = None,
    focus: int = 0,
    wait: bool = True,
    required: bool = False,
) -> bool:
    """Open the viewer on a recording, in a process of its own.

    A clip opens where a check failed first. On a machine without a display a warning is logged that
    says how to look at the recording elsewhere, and the program goes on.

    Args:
        target: A clip, the ring file of a running or killed game, the address of a running game
            (`5670`), or a `playhead://` link.
        at: Where to go first: seconds, or as text `#480` for a frame or the name of a mark.
        focus: The id of the object to select.
        wait: Return when the window is closed. False returns at once, and the window stays open
            after this program has ended.
        required: Raise where no window can be opened.

    Returns:
        Whether a window was opened.

    Raises:
        CommandError: there is no such file, or the viewer refused `target`; with `required` also if
            there is no display or the viewer is not installed.
    """
    text = str(target) if isinstance(target, int) else os.fspath(target)
    if why := _why_no_file(text):
        raise CommandError(why)
    options = [] if at is None else ["--at", str(at)]
    options += ["--focus", str(focus)] if focus else []
    if why := why_no_window():
        problem = f"the viewer can't open a window on {text}: {why}. {_elsewhere([text, *options])}"
        if required:
            raise CommandError(problem)
        log_safely(_logger, logging.WARNING, problem)
        return False
    command = [sys.executable, "-P", "-m", str(__package__), "view", *options, "--", text]
    window = subprocess.Popen(
        command, env=python_path(), stdin=subprocess.DEVNULL, text=True,
        stderr=subprocess.PIPE if wait else None, start_new_session=not wait,
    )  # fmt: skip
    if not wait:
        # Its exit is collected, so that no zombie is left while this program runs.
        threading.Thread(target=window.wait, name="playhead viewer", daemon=True).start()
        return True
    try:
        _, errors = window.communicate()
    except BaseException:
        window.kill()
        window.communicate()
        raise
    if window.returncode:
        raise CommandError(errors.strip() or f"the viewer ended with code {window.returncode}")
    return True


def _elsewhere(arguments: list[str]) -> str:
    """How to look at what `playhead view` with these arguments shows, if it can't be shown here."""
    command = f"playhead view {shlex.join(arguments)}"
    other = f"run `{command}` on a machine with a display and the viewer"
    if why_no_viewer():
        return f"To see it {other}"
    return f"Save a picture with `{command} --screenshot picture.png`, or {other}"
