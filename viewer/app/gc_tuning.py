"""Keeps Python's garbage collector from slowing down scrubbing."""

import gc

from ..backends.playback_backend import LinkState
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import QObject, QTimer

DEFAULT_THRESHOLD = gc.get_threshold()
VIEWER_THRESHOLD = 10_000, 10, 10
"""A move of the playhead makes thousands of objects and hardly any cyclic garbage: with the default
threshold, collections take a tenth of the move."""
_DELAY = 300
"""Milliseconds after the last page was read."""


class GcTuning(QObject):
    """Freezes a recording's history once it has been read, so that collections skip it.

    The history consists of millions of objects that stay: a collection that visits them all takes
    longer than a frame.
    """

    def __init__(self, store: ViewerStore, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self.frozen: object = None
        """The history that was frozen last."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._freeze)
        store.history_grew.connect(self._on_history_grew)
        _windows.append(self)
        gc.set_threshold(*VIEWER_THRESHOLD)
        parent.destroyed.connect(lambda: _on_window_closed(self))

    def _on_history_grew(self) -> None:
        if self._store.is_settled and self.frozen is not self._store.history:
            self._timer.start()
        elif not self._store.is_settled and self._store.backend_state.link is LinkState.FILE:
            # What was read so far stays, too. What little garbage is among it goes with `_freeze`.
            gc.freeze()

    def _freeze(self) -> None:
        self.frozen = self._store.history
        # What was frozen before may be garbage by now.
        gc.unfreeze()
        gc.collect()
        gc.freeze()


_windows: list[GcTuning] = []
"""One for each open window."""


def _on_window_closed(window: GcTuning) -> None:
    # The window's history may be garbage now.
    gc.unfreeze()
    _windows.remove(window)
    if not _windows:
        gc.set_threshold(*DEFAULT_THRESHOLD)
