"""Chooses the layout of the panels, and remembers it for the next window."""

from collections.abc import Callable

from ...errors import CommandError
from ..state.panel_layouts import LAST, PRESETS, SavedLayouts
from ..state.settings import ViewerSettings
from .dock_manager import DockManager


class LayoutManager:
    """The layouts of a window.

    Args:
        docking: Whose panels they are; another one with each recording, so it is asked for.
        remember: Whether it begins as the last window was left, and the next one as this one is.
        say: Called with what could not be done.
    """

    def __init__(
        self,
        settings: ViewerSettings,
        docks: Callable[[], DockManager],
        say: Callable[[str], object],
        *,
        remember: bool,
    ) -> None:
        self.saved = SavedLayouts(settings.path.parent)
        self._settings = settings
        self._docks = docks
        self._say = say
        self._remember = remember
        self.is_preset = False
        """Whether the panels are where a preset or the settings put them, not the user."""
        self._left = ""
        """How the panels of the recording before were left."""

    @property
    def names(self) -> list[str]:
        """All that can be chosen."""
        return [*PRESETS, *self.saved.names]

    def begin(self, front: str = "") -> None:
        """Put the panels of a recording where they were last, else where the settings say.

        Args:
            front: A panel to be in front of its neighbours where nothing was chosen before.
        """
        self.is_preset = False
        last = self._left or (self.saved.get(LAST) if self._remember else "")
        if last and self._docks().restore(last):
            return
        chosen = self._settings.layout if self._remember else "AI"
        if chosen not in self.names:
            self._say(f"layout = {chosen!r}: there is none of that name, but {self._names_text()}")
            chosen = "AI"
        self.arrange(chosen)
        self.is_preset = True
        if front and front in PRESETS["AI"].docks and self._docks().is_open(front):
            self._docks().open(front)

    def arrange(self, name: str) -> None:
        """Put the panels where a layout has them."""
        self.is_preset = False
        if name in PRESETS:
            self._docks().arrange(PRESETS[name])
        elif not self._docks().restore(self.saved.get(name)):
            self._docks().arrange(PRESETS["AI"])
            self._say(f"The layout {name!r} is of another version: save it again")

    def save(self, name: str) -> None:
        """Save the arrangement of the panels under a name."""
        self._try(lambda: self.saved.save(name, self._docks().state()), f"Saved as {name}")

    def forget(self, name: str) -> None:
        """Forget a layout that was saved."""
        self._try(lambda: self.saved.forget(name), f"Forgot the layout {name}")

    def leave(self) -> None:
        """The panels go; the next ones come where these were."""
        self._left = self._docks().state()

    def close(self) -> None:
        """Remember how the panels were left."""
        if self._remember and self._left:
            self._try(lambda: self.saved.keep_last(self._left), "")

    def _try(self, keep: Callable[[], object], done: str) -> None:
        try:
            keep()
        except CommandError as error:
            self._say(str(error))
        else:
            if done:
                self._say(done)

    def _names_text(self) -> str:
        return ", ".join(self.names)
