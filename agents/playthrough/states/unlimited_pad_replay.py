"""unlimited_pad_replay: the demo's pad row by row for as long as a screen takes the whole pad."""

from ..agent_context import PlaythroughAgentContext
from ..dialogue.demo_menu_choices import MenuChoices
from ..observation_view import ObservationView
from ..pad.pad_playback import replay_menu
from ..state_names import MOVE, UNLIMITED
from .agent_state import PlaythroughAgentState


class UnlimitedPadReplay(PlaythroughAgentState):
    """Replays what the demo did in this screen. One that the demo was not in is cancelled."""

    name = UNLIMITED

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        route, settle = context.route, context.settings.events.settle
        context.walker.forget()
        context.presser.rest()
        self._screen = view.seen.screen
        self._gone = 0
        self._overdue = 0
        self._row, self._end = _after(context, view), route.count - 1
        self._known = not route.tells_screens
        stay = route.screen_at(self._screen, context.memory.screens_until)
        if stay is not None:
            self._known, self._row, self._end = True, stay.start + 1, stay.end
            for following in route.screens:
                # One screen that leads to another is one replay.
                if self._end < following.start <= self._end + settle:
                    self._end = following.end
        elif route.tells_screens:
            self._row, self._end = 1, 0
        self._choices = MenuChoices(context, self._row, self._end, skips=False)

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        self.frames += 1
        self._gone = 0 if view.seen.screen else self._gone + 1
        if self._gone >= context.settings.events.settle:
            self._leave(context, view)
            return True
        if self._gone:
            return False
        if self._row <= self._end:
            row = self._choices.row_for(context, view, self._row)
            if row is not None:
                replay_menu(context, row)
                self._row = row + 1
            return False
        self._overdue += 1
        screens = context.settings.screens
        if self._overdue > 2 * screens.patience:
            context.fail("screen", f"screen {self._screen!r} does not close")
        elif self._overdue > screens.patience or not self._known:
            context.presser.mash(context.settings.keys.cancel, context.settings.events.period)
        return False

    def _leave(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        memory = context.memory
        if self._known:
            # Without a column that says where it ended, it ended where the replay is now.
            last = self._end if context.route.tells_screens else self._row - 1
            memory.screens_until = last + 1
            memory.advance(last)
            memory.push(f"screen {self._screen}")
        context.change(
            MOVE if not memory.ruled else memory.way_back(),
            view,
            won="screen_closed",
        )


def _after(context: PlaythroughAgentContext, view: ObservationView) -> int:
    """The first row to replay where no column of the demo names its screens.

    A screen that follows on an event was opened by the row after that event's last.
    """
    event = context.events.matched
    if event is not None and not view.seen.event:
        return event.end + 2
    return context.memory.row + 1
