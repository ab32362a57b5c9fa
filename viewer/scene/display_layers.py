"""Which kinds of things the world view draws, and how: this viewer's own switches."""

from typing import NamedTuple

from ..toolkit import palette
from ..toolkit.qt import QObject, pyqtSignal


class Layer(NamedTuple):
    """One switch."""

    title: str
    color: str


LAYERS = {
    "bodies": Layer("Objects", palette.TYPES[0]),
    "drawings": Layer("Drawings", palette.TYPES[4]),
    "trails": Layer("Trail", palette.ACCENT),
    "labels": Layer("Labels", palette.TEXT),
    "solid": Layer("Solid", palette.DIM),
}


class Layers(QObject):
    """All are on at first."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._off: set[str] = set()

    def is_on(self, name: str) -> bool:
        return name not in self._off

    def switch(self, name: str, on: bool) -> None:
        """Draw a kind of thing, or don't."""
        if on == self.is_on(name):
            return
        self._off ^= {name}
        self.changed.emit()
