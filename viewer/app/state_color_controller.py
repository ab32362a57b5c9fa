"""Colours of states, also those that a person gives them; and that all panels have them."""

from collections.abc import Callable

from ...errors import CommandError
from ..backends.annotation_store import SetColors
from ..backends.playback_backend import LinkState
from ..state.settings import ViewerSettings
from ..state.state_colors import with_color
from ..state.viewer_store import ViewerStore
from ..state.workspace import Workspace
from ..toolkit import palette
from ..toolkit.qt import QObject


class StateColorController(QObject):
    """A clip has colours of its own, which travel in it; elsewhere the person's settings hold them.

    Colours in the settings hold for clips, too, where these say nothing else. A clip that is saved
    of a running game gets them.

    Args:
        redraw: Has everything that shows states drawn anew.
    """

    def __init__(
        self, clock: ViewerStore, settings: ViewerSettings, redraw: Callable[[], object]
    ) -> None:
        super().__init__(clock)
        self._clock = clock
        self._settings = settings
        self._redraw = redraw
        self._desk = Workspace.of(clock)
        self._told: dict[str, str] = {}
        """What the reader knows, for clips that it saves."""
        self._assigned = 0
        """As of which states of the history they have their usual colours."""
        palette.forget_states()
        self._desk.color_wanted.connect(self.give)
        clock.grew.connect(self._renew)
        clock.stood.connect(self._renew)
        self._renew()

    def give(self, state: str, color: str) -> None:
        """Give a state a colour, and keep it; its usual one if that is empty."""
        own = with_color(self._clock.colors, state, color)
        kept_in_clip = self._is_clip and own != self._clock.colors
        try:
            if not self._is_clip or (not color and state.lower() in self._settings.colors):
                self._settings.set_color(state, color)
        except CommandError as error:
            self._clock.said.emit(str(error))
        if kept_in_clip:
            self._clock.colors = own
            self._desk.keep(SetColors(own))
        self._renew()

    @property
    def _is_clip(self) -> bool:
        return self._clock.standing.link is LinkState.FILE

    def _renew(self) -> None:
        """Have the colours that hold now."""
        kept = dict(self._settings.colors)
        standing = self._clock.standing.link
        if standing in (LinkState.GROWING, LinkState.CONNECTED) and kept != self._told:
            self._told = kept
            self._desk.keep(SetColors(kept))
        before = palette.changes()
        if self._clock.history.new_states != self._assigned:
            self._assigned = self._clock.history.new_states
            palette.assign(self._clock.history.states)
        palette.choose({**kept, **self._clock.colors})
        if palette.changes() != before:
            self._desk.colored.emit()
            self._redraw()
