"""The plug-in's settings: which clips it keeps, where, and under which names."""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

MODES = ("off", "on", "retain-on-failure")
RETAIN = "retain-on-failure"
FOLDER = "playhead-results"
_MOST_LETTERS = 80


class PluginSettings(NamedTuple):
    """How recordings of tests are dealt with."""

    mode: str
    """`off`: no clips; `on`: of each test; `retain-on-failure`: of tests that fail."""
    folder: Path
    """Where clips go; absolute."""
    viewer: bool
    """Whether a running viewer is led to the first failure."""
    home: Path
    """Files of the project are named from here."""


def clip_name(test: str) -> str:
    """A file's name for a test's clip, without its ending: safe everywhere, and no other test's.

    Args:
        test: The id that pytest gives to the test.
    """
    # Its end says more than its beginning; the digest distinguishes equal ends.
    words = re.sub(r"[^A-Za-z0-9_]+", "-", test).strip("-")[-_MOST_LETTERS:].lstrip("-")
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{words}-{digest}" if words else digest


def made(folder: Path) -> Path:
    """The folder, made if need be; one made here is not taken into version control.

    Raises:
        OSError: it can't be made.
    """
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    return folder
