"""Confirms only the option that the demo chose, and moves the cursor there if necessary."""

from collections.abc import Mapping
from typing import NamedTuple

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..pad.button_presser import bits_of
from .selected_option import Option, parse_option

KEYS = ("DOWN", "UP", "RIGHT", "LEFT")
"""What moves a cursor, in the order in which it is tried."""
STANDS = 2
"""So many presses of one of them without effect, and the next one is tried."""
TRIES = 3
"""So often an option is chosen again if nothing came of it."""
SOON = 3
"""Rows after a choice within which its effect on the demo's outcomes was seen."""


class MenuChoice(NamedTuple):
    """An option that the demo confirmed."""

    row: int
    """The row of the press."""
    option: Option


class _Effect(NamedTuple):
    """What came of a choice in the demo, and has not yet come of it here."""

    choice: MenuChoice
    before: Mapping[str, object]
    """The columns that changed in the demo, as they were here before the press."""


class MenuChoices:
    """The choices of one of the demo's stays in an event or a screen, in their order.

    Args:
        first: The stay's first row.
        last: Its last one; without a stay in the demo, a row before the first.
        skips: Whether pages may be turned to come to a question that is not asked yet.
    """

    def __init__(
        self, context: PlaythroughAgentContext, first: int, last: int, *, skips: bool
    ) -> None:
        route = context.route
        self._column = context.settings.screens.cursor
        self._tells = self._column in route.own
        self._choices = [
            MenuChoice(row, option)
            for row in range(first, last + 1)
            if (option := route.option(row)) is not None
        ]
        self._known = last >= first
        self._skips = skips
        self._next = 0
        self._last: MenuChoice | None = None
        """What was confirmed last."""
        self._effect: _Effect | None = None
        self._waited = self._since = self._tries = 0
        self._key = self._turned = self._idle_frames = self._pause = 0
        self._before: Option | None = None
        """Where the cursor was before the last press."""
        self._seen: list[Option] = []

    def row_for(
        self, context: PlaythroughAgentContext, view: ObservationView, row: int
    ) -> int | None:
        """The row whose pad is replayed in this frame instead of this one, mostly itself; None if
        something else must come first: it is pressed, or waited for."""
        if not self._tells:
            return row
        self._since += 1
        route = context.route
        if not self._has_come(context, view, row):
            return None
        if not route.pressed[row] & bits_of(context.settings.keys.confirm):
            return row
        option, actual = route.option(row), self._actual(view)
        if option == actual:
            self._confirmed(context, view, row)
            return row
        self._waited += 1
        if self._waited <= context.settings.events.settle:
            return None  # what was pressed last may not be seen yet
        if option is not None:
            self._seek(context, actual, option)
            return None
        if self._last is not None and actual == self._last.option:
            self._mash(context, context.settings.keys.confirm)  # that press was lost
            return None
        return self._question(context, actual)

    def may_confirm(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """Whether a press that turns pages chooses nothing else than the demo did; if not, the
        cursor is moved, or waited for."""
        actual = self._actual(view) if self._tells else None
        if actual is None:
            if self._last is not None and self._waited == 0:
                self._next, self._last = self._next + 1, None
            self._waited = 0
            self._forget_keys()
            return True
        if not self._known:
            return True  # the demo has no such conversation, so there is no right answer
        if self._next >= len(self._choices):
            self._question(context, actual)
            return False
        choice = self._choices[self._next]
        if actual == choice.option:
            self._last, self._waited = choice, 0
            return True
        self._waited += 1
        if self._waited > context.settings.events.settle:
            self._seek(context, actual, choice.option)
        return False

    def _actual(self, view: ObservationView) -> Option | None:
        return parse_option(view.seen.extras.get(self._column))

    def _confirmed(self, context: PlaythroughAgentContext, view: ObservationView, row: int) -> None:
        self._waited = self._since = self._tries = 0
        self._forget_keys()
        while self._next < len(self._choices) and self._choices[self._next].row <= row:
            self._last = self._choices[self._next]
            self._next += 1
            changed = context.route.changed_outcomes(row, row + SOON)
            if changed and self._last.row == row:
                before = {name: view.seen.extras.get(name) for name in changed}
                self._effect = _Effect(self._last, before)

    def _has_come(self, context: PlaythroughAgentContext, view: ObservationView, row: int) -> bool:
        """Whether what the demo's last choice led to was seen, or nothing depends on it yet."""
        effect, route = self._effect, context.route
        if effect is None:
            return True
        if any(view.seen.extras.get(name) != value for name, value in effect.before.items()):
            self._effect = None
            return True
        if not route.pressed[row]:
            return True
        if self._since <= 2 * context.settings.events.settle:
            return False
        if self._tries >= TRIES:
            row = effect.choice.row + SOON
            lacking = ", ".join(
                f"{name} is {value!r}, in the demo's row {row} it is {route.value(row, name)!r}"
                for name, value in effect.before.items()
            )
            context.fail("choice", f"nothing came of choosing {effect.choice.option!r}: {lacking}")
            return False
        actual = self._actual(view)
        if actual != effect.choice.option:
            self._seek(context, actual, effect.choice.option)
        else:
            context.presser.press(bits_of(context.settings.keys.confirm))
            self._since, self._tries = 0, self._tries + 1
        return False

    def _question(self, context: PlaythroughAgentContext, actual: Option | None) -> int | None:
        """A question that the demo's present row was not asked: the row of the next one."""
        if self._next < len(self._choices):
            self._waited = 0
            return self._choices[self._next].row - 1
        context.fail("choice", f"the demo was not asked to choose here, with {actual!r}")
        return None

    # --- the cursor -----------------------------------------------------------------------------

    def _seek(
        self, context: PlaythroughAgentContext, actual: Option | None, option: Option
    ) -> None:
        """Bring the cursor to an option: one press after another, each after the last was seen."""
        settings = context.settings
        if actual is None:
            if self._skips:
                self._mash(context, settings.keys.skip)
            if self._waited > settings.events.patience:
                context.fail("choice", f"{option!r} can't be chosen: nothing is asked")
            return
        self._pause -= 1
        if self._pause > 0:
            return
        if isinstance(actual, float) and isinstance(option, float) and not self._seen:
            self._key = 0 if option > actual else 1
        if actual == self._before:
            self._idle_frames += 1
        elif actual in self._seen and self._before is not None:
            self._idle_frames = STANDS  # it has gone round
        else:
            self._idle_frames = 0
        self._seen = [*self._seen, actual] if actual not in self._seen else self._seen
        if self._idle_frames >= STANDS:
            self._key, self._idle_frames, self._turned = self._key + 1, 0, self._turned + 1
        if self._turned >= len(KEYS):
            there = ", ".join(repr(one) for one in self._seen)
            context.fail("choice", f"the demo chose {option!r}, and there are only {there}")
            return
        self._before = actual
        self._pause = settings.events.period
        context.presser.press(bits_of(KEYS[self._key % len(KEYS)]))

    def _forget_keys(self) -> None:
        self._key = self._turned = self._idle_frames = self._pause = 0
        self._before = None
        self._seen = []

    def _mash(self, context: PlaythroughAgentContext, key: str) -> None:
        context.presser.mash(key, context.settings.events.period)
