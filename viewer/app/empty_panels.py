"""Closes the panels of a preset layout that have nothing to show of this recording.

Their room goes to the panels that have something. Each stays in the list of layouts (F4), and opens
by itself if a running game begins to record what it shows.
"""

from collections.abc import Callable, Mapping
from itertools import chain

from ..state.recorded_pictures import RecordedPictures
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import QObject
from .dock_manager import DockManager


class EmptyPanels(QObject):
    """Looks at a recording once all of it has been read, and opens again what is recorded later.

    Args:
        docks: Whose panels they are.
        is_preset: Whether nobody has arranged the panels: else all stay as they are.
    """

    def __init__(
        self, store: ViewerStore, docks: DockManager, is_preset: Callable[[], bool]
    ) -> None:
        super().__init__(docks)
        self._store, self._docks, self._is_preset = store, docks, is_preset
        self._pictures = RecordedPictures.of(store)
        self._closed: set[str] | None = None
        """What was closed; None until the recording has been looked at."""
        self._signals = [store.history_grew, store.moved, self._pictures.changed]
        for signal in self._signals:
            signal.connect(self._look)

    def finish(self) -> None:
        """The panels are about to go: open all again, as the next recording may fill them."""
        while self._signals:
            self._signals.pop().disconnect(self._look)
        for name in self._closed or ():
            self._docks.reopen(name)
        self._closed = set()

    def _look(self) -> None:
        store = self._store
        if store.snapshot is None:  # another game has come, and nothing of it is there so far
            return
        if self._closed is None:
            if self._is_preset() and store.is_settled and self._pictures.is_complete:
                self._close(self._contents())
        elif self._closed:
            contents = self._contents()
            for name in [name for name in self._closed if contents[name]]:
                self._closed.remove(name)
                self._docks.reopen(name)

    def _close(self, contents: Mapping[str, bool]) -> None:
        self._closed = set()
        for name in chain.from_iterable(self._docks.stacks):
            if not contents.get(name, True) and self._docks.is_open(name):
                self._docks.shut(name)
                self._closed.add(name)

    def _contents(self) -> dict[str, bool]:
        """Whether each panel that may be empty has something to show."""
        history, snapshot = self._store.history, self._store.snapshot
        assert snapshot is not None
        around = self._store.surroundings.values()
        return {
            "Behaviour tree": bool(history.ticks or snapshot.trees),
            "State machine": bool(history.changes or snapshot.states),
            "Animation": bool(history.blends),
            # A velocity can be worked out of positions; that alone is not worth a panel.
            "Steering": any(position.vectors for position in around),
            "Picture": bool(self._pictures.names),
            "Marks": bool(history.marks),
        }
