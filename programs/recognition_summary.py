"""What was recognised in a program, and what was not, for people to read."""

import sys
from collections.abc import Callable

_OTHERS = (
    "turtle", "tkinter", "pyglet", "panda3d", "ursina", "pyxel", "pyray", "raylib", "kivy",
    "moderngl", "glfw", "gym", "pybullet", "Box2D", "vizdoom", "cocos", "PyQt6", "PySide6", "wx",
    "curses", "textual",
)  # fmt: skip
"""Libraries that games are made with, whose things are not."""


class Recognition:
    """Collects what was recognised, in order.

    Args:
        report: Called with a line for each thing as it is recognised.
    """

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report
        self._found: dict[str, list[str]] = {}
        self.notes: list[str] = []
        """What could not be recorded, in sentences."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recognised."""
        return not self._found

    def found(self, kind: str, what: str) -> None:
        """Something was recognised.

        Args:
            kind: Such as `pygame window`.
            what: Which one, such as `640 × 480`, or a class.
        """
        found = self._found.setdefault(kind, [])
        if what not in found:
            found.append(what)
            self._report(f"recognised {kind}: {what}")

    def forget(self, kind: str) -> None:
        """Things of a kind turned out to be of no weight beside what was recognised since."""
        self._found.pop(kind, None)

    def note(self, sentence: str) -> None:
        """Something could not be recorded."""
        if sentence not in self.notes:
            self.notes.append(sentence)
            self._report(sentence)

    def lines(self) -> list[str]:
        """A line for each kind, and for what was imported and not recognised."""
        width = max([len(kind) for kind in self._found] + [_WIDTH])
        lines = [f"  {kind:{width}}  {_listed(found)}" for kind, found in self._found.items()]
        missed = self.unused() + [f"{name} is not recorded by itself" for name in imported_others()]
        return lines + [f"  {'not recorded':{width}}  {text}" for text in [*self.notes, *missed]]

    def unused(self) -> list[str]:
        """The notes on imported libraries of which nothing was recognised."""
        if self._found:  # and what it imports besides it uses in its own way
            return []
        return [
            f"{name} was imported, but {sign}"
            for name, sign in _SIGNS.items()
            if name in sys.modules
        ]


_SIGNS = {
    "pygame": "no picture was shown in a window of pygame.display",
    "arcade": "no window of arcade was updated",
    "pymunk": "no Space made a step",
    "gymnasium": "no environment made a step",
    "pettingzoo": "no environment made a step",
    "mujoco": "mj_step was not called",
}
"""What a library does in every program that uses it: its first such call begins the recording."""
_WIDTH = 12
_MOST = 8


def imported_others() -> list[str]:
    """The libraries for games that the program imported and that are not recorded."""
    found = [name for name in _OTHERS if name in sys.modules]
    if "arcade" in sys.modules:  # which is made with pyglet
        found = [name for name in found if name != "pyglet"]
    if "turtle" in found:
        found.remove("tkinter")
    if any(name in sys.modules for name in ("gymnasium", "mujoco")):
        found = [name for name in found if name not in ("Box2D", "glfw")]
    return found


def _listed(found: list[str]) -> str:
    shown = ", ".join(found[:_MOST])
    return shown if len(found) <= _MOST else f"{shown}, and {len(found) - _MOST} more"
