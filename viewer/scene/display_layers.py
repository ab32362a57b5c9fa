"""Which kinds of things the world view draws, and how: this viewer's own switches."""

from typing import NamedTuple

from ..toolkit import palette
from ..toolkit.qt import QObject, pyqtSignal


class DisplayLayer(NamedTuple):
    """One switch."""

    title: str
    color: str


LAYERS = {
    "bodies": DisplayLayer("Objects", palette.TYPES[0]),
    "drawings": DisplayLayer("Drawings", palette.TYPES[4]),
    "trails": DisplayLayer("Trail", palette.ACCENT),
    "labels": DisplayLayer("Labels", palette.TEXT),
    "solid": DisplayLayer("Solid", palette.DIM),
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
