"""Layouts: which panels are where, by name; the presets, and those that a user has saved."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...errors import CommandError
from ...recorder.text.name_hint import name_hint
from .settings import write_whole

FILE = "layouts.json"
LAST = ""
"""The name under which the last one is saved; nobody can type it."""
_LONGEST = 60


class PanelLayout(NamedTuple):
    """Panels by name, in stacks whose panels are tabs of one another; the first one is in front.

    What is in no stack is closed. The world is always in the middle.
    """

    left: tuple[tuple[str, ...], ...]
    right: tuple[tuple[str, ...], ...]
    bottom: tuple[tuple[str, ...], ...]
    widths: tuple[float, float] = (0.12, 0.235)
    """Shares of the window's width, for the panels on the left and on the right."""
    heights: tuple[float, ...] = ()
    """Heights of the stacks on the right, as shares of their sum; equal if empty."""
    timeline: float = 0.36
    """The share of the window's height for the panels at the bottom."""

    @property
    def docks(self) -> tuple[str, ...]:
        """All that are open."""
        stacks = (*self.left, *self.right, *self.bottom)
        return tuple(name for stack in stacks for name in stack)


PRESETS = {
    "AI": PanelLayout(
        left=(("Objects",),),
        right=(
            ("Inspector", "Plots", "Range"),
            ("Behaviour tree", "Log", "Marks", "Picture"),
            ("State machine", "Animation", "Steering"),
        ),
        bottom=(("Timeline",),),
        heights=(0.31, 0.34, 0.35),
    ),
    "Animation": PanelLayout(
        left=(("Objects",),),
        right=(("Animation", "State machine"), ("Plots", "Inspector", "Range"), ("Log", "Picture")),
        bottom=(("Timeline",),),
        widths=(0.12, 0.28),
        heights=(0.46, 0.34, 0.20),
    ),
    "Physics": PanelLayout(
        left=(("Objects",),),
        right=(("Plots", "Range"), ("Steering", "State machine"), ("Inspector", "Log", "Picture")),
        bottom=(("Timeline",),),
        widths=(0.12, 0.28),
        heights=(0.42, 0.32, 0.26),
        timeline=0.28,
    ),
    "Log": PanelLayout(
        left=(("Objects",),),
        right=(
            ("Log", "Marks", "Find"),
            ("Inspector", "Plots", "Range", "Decisions"),
            ("State machine", "Behaviour tree", "Picture"),
        ),
        bottom=(("Timeline",),),
        widths=(0.12, 0.36),
        heights=(0.54, 0.23, 0.23),
        timeline=0.28,
    ),
    "Plan": PanelLayout(
        left=(("Objects",),),
        right=(("Plan", "Inspector"), ("Log", "State machine", "Decisions")),
        bottom=(("Timeline",),),
        widths=(0.12, 0.26),
        heights=(0.74, 0.26),
        timeline=0.28,
    ),
}  # fmt: skip


class SavedLayouts:
    """Layouts in a file beside the settings: what Qt says of a window, by name.

    A file that makes no sense is left as it is, and nothing is saved until it is gone.

    Args:
        home: The folder of the file.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE
        self.error_text = ""
        """What is wrong with the file; empty if nothing is."""
        self._found: dict[str, str] = {}
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            self.error_text = f"{self.path} can't be read: {error}; move it away to save layouts"
            return
        if isinstance(found, dict) and all(isinstance(one, str) for one in found.values()):
            self._found = found
        else:
            self.error_text = f"{self.path} holds no layouts; move it away to save some"

    @property
    def names(self) -> list[str]:
        """Those that a user has saved."""
        return sorted(name for name in self._found if name != LAST)

    def get(self, name: str) -> str:
        """What was saved under a name; empty if nothing was."""
        return self._found.get(name, "")

    def save(self, name: str, state: str) -> None:
        """Keep a layout.

        Raises:
            CommandError: a preset has that name, it is empty or too long, or the file can't be
                written.
        """
        self._check(name, PRESETS)
        self._write({**self._found, name: state})

    def keep_last(self, state: str) -> None:
        """Keep how a window was left, for the next one.

        Raises:
            CommandError: the file can't be written.
        """
        if state != self._found.get(LAST):
            self._write({**self._found, LAST: state})

    def forget(self, name: str) -> None:
        """Forget a layout.

        Raises:
            CommandError: there is none of that name, or the file can't be written.
        """
        if name not in self.names:
            raise CommandError(f"no layout is named {name!r}: {name_hint(name, self.names)}")
        self._write({key: state for key, state in self._found.items() if key != name})

    def _write(self, layouts: dict[str, str]) -> None:
        if self.error_text:
            raise CommandError(f"not saved: {self.error_text}")
        write_whole(self.path, json.dumps(layouts, indent=1, ensure_ascii=False) + "\n")
        self._found = layouts

    @staticmethod
    def _check(name: str, taken: Iterable[str]) -> None:
        if not name.strip() or len(name) > _LONGEST:
            raise CommandError(f"layout {name!r}: give it a name of 1 to {_LONGEST} letters")
        if name.casefold() in {one.casefold() for one in taken}:
            raise CommandError(f"layout {name!r}: a preset has that name; give it another one")
