"""Gives states the colours that a user chose, and redraws all panels with them."""

from collections.abc import Callable

from ...errors import CommandError
from ..backends.annotation_store import SetColors
from ..backends.playback_backend import LinkState
from ..state.clip_state_colors import with_color
from ..state.settings import ViewerSettings
from ..state.shared_pins_and_histories import PanelContext
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import QObject


class StateColorController(QObject):
    """A clip has colours of its own, which travel in it; elsewhere the user's settings hold them.

    Colours in the settings hold for clips, too, where these say nothing else. A clip that is saved
    of a running game gets them.

    Args:
        redraw: Has everything that shows states redrawn.
    """

    def __init__(
        self, store: ViewerStore, settings: ViewerSettings, redraw: Callable[[], object]
    ) -> None:
        super().__init__(store)
        self._store = store
        self._settings = settings
        self._redraw = redraw
        self._workspace = PanelContext.of(store)
        self._saved_colors: dict[str, str] = {}
        """What the reader knows, for clips that it saves."""
        self._assigned = 0
        """As of which states of the history they have their usual colours."""
        palette.forget_states()
        self._workspace.color_requested.connect(self.give)
        store.history_grew.connect(self._renew)
        store.status_changed.connect(self._renew)
        self._renew()

    def give(self, state: str, color: str) -> None:
        """Give a state a colour, and keep it; its usual one if that is empty."""
        own = with_color(self._store.colors, state, color)
        saved_in_clip = self._is_clip and own != self._store.colors
        try:
            if not self._is_clip or (not color and state.lower() in self._settings.colors):
                self._settings.set_color(state, color)
        except CommandError as error:
            self._store.message.emit(str(error))
        if saved_in_clip:
            self._store.colors = own
            self._workspace.annotate(SetColors(own))
        self._renew()

    @property
    def _is_clip(self) -> bool:
        return self._store.backend_state.link is LinkState.FILE

    def _renew(self) -> None:
        """Have the colours that hold now."""
        saved = dict(self._settings.colors)
        link = self._store.backend_state.link
        if link in (LinkState.GROWING, LinkState.CONNECTED) and saved != self._saved_colors:
            self._saved_colors = saved
            self._workspace.annotate(SetColors(saved))
        before = palette.changes()
        if self._store.history.new_states != self._assigned:
            self._assigned = self._store.history.new_states
            palette.assign(self._store.history.states)
        palette.choose({**saved, **self._store.colors})
        if palette.changes() != before:
            self._workspace.colors_changed.emit()
            self._redraw()
