"""Opens the viewer in a process of its own, and checks whether it can run here."""

import importlib.util
import os
import subprocess
import sys
import threading
from os import PathLike
from pathlib import Path

from .errors import CommandError
from .installation import EXTRAS, install_line

_BLIND = ("offscreen", "minimal")
"""Qt's platforms on which nobody sees anything."""
_SUFFIXES = (".mcap", ".ring", ".clip")
"""Suffixes of files: no address ends so."""


def why_no_window() -> str:
    """Why no window can be opened here; empty if one can."""
    return why_no_viewer() if has_display() else "there is no display"


def why_no_viewer() -> str:
    """Why the viewer can't even draw pictures here; empty if it can."""
    for module in EXTRAS["viewer"].modules:
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed ({install_line('viewer')})"
    return ""


def has_display() -> bool:
    """Whether there is a display; systems other than Linux always have one."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in _BLIND:
        return False
    if not sys.platform.startswith("linux"):
        return True
    if platform not in ("", "xcb") and not platform.startswith("wayland"):
        return True  # it draws on hardware, or for a remote viewer
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


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
) -> None:
    """Open the viewer on a recording, in a process of its own.

    A clip opens where a check failed first.

    Args:
        target: A clip, the ring file of a running or killed game, the address of a running game
            (`5670`), or a `playhead://` link.
        at: Where to go first: seconds, or as text `#480` for a frame or the name of a mark.
        focus: The id of the object to select.
        wait: Return when the window is closed. False returns at once, and the window stays open
            after this program has ended.

    Raises:
        CommandError: there is no such file, no display, or no viewer installed, or the viewer
            refused `target`.
    """
    text = str(target) if isinstance(target, int) else os.fspath(target)
    if why := _why_no_file(text):
        raise CommandError(why)
    if why := why_no_window():
        raise CommandError(
            f"the viewer can't be opened on {text}: {why}."
            " `playhead view FILE --screenshot PNG` draws a picture without a display"
        )
    command = [sys.executable, "-P", "-m", str(__package__), "view"]
    command += [] if at is None else ["--at", str(at)]
    command += ["--focus", str(focus)] if focus else []
    command += ["--", text]
    window = subprocess.Popen(
        command, env=python_path(), stdin=subprocess.DEVNULL, text=True,
        stderr=subprocess.PIPE if wait else None, start_new_session=not wait,
    )  # fmt: skip
    if not wait:
        # Its exit is collected, so that no zombie is left while this program runs.
        threading.Thread(target=window.wait, name="playhead viewer", daemon=True).start()
        return
    try:
        _, errors = window.communicate()
    except BaseException:
        window.kill()
        window.communicate()
        raise
    if window.returncode:
        raise CommandError(errors.strip() or f"the viewer ended with code {window.returncode}")
