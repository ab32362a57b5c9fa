"""Counts which of the demo's events have happened, for each id, despite late observations."""

from ..playthrough_settings import Events
from ..replay_report import ReplayReport
from ..route.demo_route import DemoEvent, DemoRoute


class EventLog:
    """Follows the game's events and compares them with the demo's.

    Observations may be some frames old, out of their order, or lost: an event is over when it was
    not seen for `settle` frames.
    """

    def __init__(self, route: DemoRoute, settings: Events, report: ReplayReport) -> None:
        self._settings = settings
        self._report = report
        self._expected = [event for event in route.events if event.id not in settings.ignored]
        self._names = {event.id for event in route.events}
        self._next = 0
        self._missing = 0
        self._since = 0
        self._last = ""
        self.current = ""
        """The event that is being played, as far as can be known; empty for none."""
        self.matched: DemoEvent | None = None
        """The demo's event that it is; None if it is none of the demo's."""
        self.frames = 0
        """Since when it is played."""
        self.assumed = ""
        """The event that is, or was last, taken for one that has another name in the demo."""
        self.refused = ""
        """The last event that was taken for another one, and was none."""
        self._renamed: dict[str, str] = {}
        """The demo's name of an event, by its name in the game."""
        self.skipped: DemoEvent | None = None
        """The demo's event that should have come before the present one, if there is such."""

    @property
    def gate(self) -> DemoEvent | None:
        """The next event that the demo has: the route leads no farther until it has begun."""
        return self._expected[self._next] if self._next < len(self._expected) else None

    @property
    def skipping(self) -> bool:
        """Whether an event takes the pad just now."""
        return bool(self.current) and self.current not in self._settings.playable

    def occurrence(self, id: str) -> int:
        """How many of the demo's pairs of this event have begun."""
        return sum(event.id == id for event in self._expected[: self._next])

    def is_brief(self, event: DemoEvent) -> bool:
        """Whether an event is so short that no observation need have contained it."""
        return event.end - event.start < self._settings.settle

    def give_up(self, event: DemoEvent) -> None:
        """Go on without the event that is due."""
        self._report.unseen.append(event.id)
        self._next += 1

    def expect_again(self, event: DemoEvent) -> None:
        """An event that was played is due once more, before those that are due now."""
        self._expected.insert(self._next, event)

    def take_back(self) -> None:
        """The event that has ended was not the one that it was taken for: that is due still."""
        self.refused, self.assumed = self.assumed, ""
        self._report.events.pop()
        self._report.surprises.append(self.refused)
        self._next -= 1

    def confirm(self, event: DemoEvent) -> None:
        """The event that has ended did what this one of the demo did: it has another name now."""
        self._renamed[self.assumed] = event.id
        self._report.renamed.append(f"{event.id} is {self.assumed} now")
        self.assumed = ""

    def step(self, id: str, *, due: bool = False) -> DemoEvent | None:
        """What is observed in this frame; the demo's event that has ended just now, if one has.

        Args:
            due: Whether the agent has just done what began the demo's next event: one that the demo
                does not have is taken for that, until its end shows whether it was.
        """
        ended: DemoEvent | None = None
        self._since += 1
        if not id:
            if self.current:
                self._missing += 1
                self.frames += 1
                if self._missing >= self._settings.settle:
                    ended = self._end()
            return ended
        self._missing = 0
        if id == self.current:
            self.frames += 1
            return None
        if id == self._last and self._since <= self._settings.settle:
            return None  # an old observation of the event before
        if self.current:
            ended = self._end()
        self._begin(id, due)
        return ended

    def _begin(self, id: str, due: bool) -> None:
        self.current, self.frames, self.matched = id, 1, None
        self.assumed = self.refused = ""
        if id in self._settings.ignored:
            return
        name = self._renamed.get(id, id)
        at = next(
            (at for at in range(self._next, len(self._expected)) if self._expected[at].id == name),
            None,
        )
        if at is None and due and self.gate is not None and id not in self._names:
            at, self.assumed = self._next, id
        if at is None:
            self._report.surprises.append(id)
            return
        for event in self._expected[self._next : at]:
            if self.is_brief(event):
                self._report.unseen.append(event.id)
            elif self._settings.ordered:
                self.skipped = self.skipped or event
            else:
                self._report.unseen.append(event.id)
        self.matched = self._expected[at]
        self._report.events.append(id)
        self._next = at + 1

    def _end(self) -> DemoEvent | None:
        ended, self._last, self._since = self.matched, self.current, 0
        self.current, self.matched, self._missing = "", None, 0
        while ended is not None and (following := self.gate) is not None:
            # It could not be distinguished from the same event going on.
            if following.id != ended.id or following.start - ended.end > self._settings.settle:
                break
            ended = following
            self._next += 1
            self._report.events.append(ended.id)
        return ended
