"""Restores starred fields and hidden objects when a recording of the same game is opened."""

from ...errors import CommandError
from ..state.game_preferences import Eyes, SavedPreferences
from ..state.shared_pins_and_histories import PanelContext
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import QObject


class PreferenceSync(QObject):
    """For one recording. Games that don't say what they are called are not remembered.

    Args:
        saved: Where it is kept; None to neither look nor keep.
    """

    def __init__(self, store: ViewerStore, saved: SavedPreferences | None) -> None:
        super().__init__(store)
        self._store = store
        self._saved = saved
        self._workspace = PanelContext.of(store)
        self._eyes = Eyes()
        self._game = ""
        self._hidden = store.hidden
        """The objects that this has hidden, or has seen hidden."""
        self._is_reported = False
        if saved is not None:
            store.moved.connect(self._moved)
            store.selection_changed.connect(self._picked)
            self._workspace.pins_changed.connect(self._keep)

    def _moved(self) -> None:
        snapshot, game = self._store.snapshot, self._store.backend_state.game
        if snapshot is None or self._saved is None:
            return
        if game != self._game:
            self._game = game
            found = self._saved.get(game) if game else {}
            self._eyes.take(found.get("eyes"))
            if found:
                self._workspace.pins.take(found)
                self._workspace.pins_changed.emit()
        if self._eyes:
            more = self._eyes.shut(snapshot) - self._hidden
            if more:
                self._hidden |= more
                self._store.hide(self._hidden)
                self._tell(len(more))

    def _tell(self, count: int) -> None:
        if not self._is_reported:
            self._is_reported = True
            who = "object is" if count == 1 else "objects are"
            self._store.message.emit(
                f"{count} {who} hidden, as when this game was looked at last:"
                " right click in Objects, Show everything"
            )

    def _picked(self) -> None:
        snapshot, hidden = self._store.snapshot, self._store.hidden
        if hidden != self._hidden and snapshot is not None:
            self._hidden = hidden
            self._eyes.learn(snapshot, hidden)
            self._keep()

    def _keep(self) -> None:
        if self._saved is None or not self._game:
            return
        facts = {**self._workspace.pins.facts, "eyes": self._eyes.facts}
        before = self._saved.get(self._game)
        if facts == before or (not before and not self._eyes and not facts["stars"]):
            return
        try:
            self._saved.keep(self._game, facts)
        except CommandError as error:
            self._store.message.emit(str(error))
