"""unlimited_pad_replay: the demo's pad row by row for as long as a screen takes the whole pad."""

from typing import TYPE_CHECKING

from ..pad_playback import replay_menu
from ..state_transitions import MOVE, UNLIMITED
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class UnlimitedPadReplay(State):
    """Replays what the demo did in this screen. One that the demo was not in is cancelled."""

    name = UNLIMITED

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        route, settle = agent.route, agent.settings.events.settle
        agent.walker.forget()
        agent.hands.rest()
        self._screen = sight.seen.screen
        self._gone = 0
        self._overdue = 0
        self._row, self._end = _after(agent, sight), route.count - 1
        self._known = not route.tells_screens
        stay = route.screen_at(self._screen, agent.screens_until)
        if stay is not None:
            self._known, self._row, self._end = True, stay.start + 1, stay.end
            for following in route.screens:
                # One screen that leads to another is one replay.
                if self._end < following.start <= self._end + settle:
                    self._end = following.end
        elif route.tells_screens:
            self._row, self._end = 1, 0

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        self.frames += 1
        self._gone = 0 if sight.seen.screen else self._gone + 1
        if self._gone >= agent.settings.events.settle:
            self._leave(agent, sight)
            return True
        if self._gone:
            return False
        if self._row <= self._end:
            replay_menu(agent, self._row)
            self._row += 1
            return False
        self._overdue += 1
        screens = agent.settings.screens
        if self._overdue > 2 * screens.patience:
            agent.fail("screen", f"screen {self._screen!r} does not close")
        elif self._overdue > screens.patience or not self._known:
            agent.hands.mash(agent.settings.keys.cancel, agent.settings.events.period)
        return False

    def _leave(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        if self._known:
            # Without a column that says where it ended, it ended where the replay is now.
            last = self._end if agent.route.tells_screens else self._row - 1
            agent.screens_until = last + 1
            agent.advance(last)
            agent.push(f"screen {self._screen}")
        agent.change(MOVE if not agent.ruled else agent.way_back(), sight, won="screen_closed")


def _after(agent: "PlaythroughAgent", sight: "ObservationView") -> int:
    """The first row to replay where no column of the demo tells its screens.

    A screen that follows on an event was opened by the row behind that event's last.
    """
    event = agent.events.matched
    if event is not None and not sight.seen.event:
        return event.end + 2
    return agent.row + 1
