"""Keeps Python's garbage collector out of the way while one scrubs through a recording."""

import gc

from ..state.viewer_store import ViewerStore
from .qt import QObject, QTimer

USUAL = gc.get_threshold()
SELDOM = 10_000, 10, 10
"""A move of the playhead makes thousands of objects and hardly any garbage in cycles: looked for as
often as usual, that takes a tenth of the move."""
_REST = 300
"""Milliseconds after the last page was read."""


class GcTuning(QObject):
    """Once a recording has been read, what is known of it is left out of collections: there are
    millions of objects in it that stay, and to look through them all takes longer than a frame."""

    def __init__(self, store: ViewerStore, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self.done: object = None
        """The history that was put aside last."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._tidy)
        store.history_grew.connect(self._grew)
        _windows.append(self)
        gc.set_threshold(*SELDOM)
        parent.destroyed.connect(lambda: _closed(self))

    def _grew(self) -> None:
        if self._store.is_settled and self.done is not self._store.history:
            self._rest.start()

    def _tidy(self) -> None:
        self.done = self._store.history
        # What was put aside before may be garbage by now.
        gc.unfreeze()
        gc.collect()
        gc.freeze()


_windows: list[GcTuning] = []
"""One for each window that is there."""


def _closed(one: GcTuning) -> None:
    # With its window gone, all of it may be garbage.
    gc.unfreeze()
    _windows.remove(one)
    if not _windows:
        gc.set_threshold(*USUAL)
