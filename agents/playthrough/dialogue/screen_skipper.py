"""Presses through title screens, debug menus and pop-ups."""

from ....games.playable_interface import Observation
from ....playback.pads.pad import NEUTRAL, Pad
from ..pad.button_presser import ButtonPresser, bits_of
from ..playthrough_settings import OrderRule, Orders


class ScreenDriver:
    """Presses what is declared for the screen that is shown.

    Args:
        settings: The rules.
        popups: Only those that may be closed during the playback.
    """

    def __init__(self, settings: Orders, *, popups: bool = False) -> None:
        self._rules = {rule.screen: rule for rule in settings.rules if rule.popup or not popups}
        self._settings = settings
        self._presser = ButtonPresser()
        self._screen = ""
        self._frames = 0
        self._shown = 0
        self.driven = 0
        """How many screens it has driven."""

    def knows(self, screen: str) -> bool:
        """Whether there is a rule for a screen."""
        return screen in self._rules

    @property
    def exhausted(self) -> bool:
        """Whether screens have been shown on end for too long."""
        return self._shown > self._settings.patience

    def step(self, seen: Observation) -> Pad | None:
        """What to hold in this frame; None if no screen is shown, or none that has a rule."""
        rule: OrderRule | None = self._rules.get(seen.screen)
        if rule is None:
            self._screen, self._frames, self._shown = "", 0, 0
            return None
        if seen.screen != self._screen:
            self._screen, self._frames = seen.screen, 0
            self.driven += 1
        self._shown += 1
        if rule.press and self._frames % self._settings.period == 0:
            turn = self._frames // self._settings.period
            self._presser.press(bits_of(rule.press[turn % len(rule.press)]))
        self._frames += 1
        return self._presser.pad() if rule.press else NEUTRAL
