"""collect_item: fetch an item, whatever the demo did."""

from typing import TYPE_CHECKING

from ..engine_axes import Place, apart
from ..observation_view import same
from ..state_transitions import COLLECT
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class CollectItem(State):
    """Walks to the nearest item. What can't be fetched in time is tried again, but not for ever."""

    name = COLLECT

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        agent.walker.forget()
        nearest = agent.items(sight)[0]
        self._label, self._place = nearest.thing.label, nearest.place
        self._missing = 0

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        self.frames += 1
        items = agent.settings.items
        found = same(sight.around(sight.seen.items), self._label, self._place, items.same)
        if found is None:
            self._missing += 1
            if self._missing >= agent.settings.events.settle:
                agent.change(agent.way_back(), sight, won="collected")
                return True
            return False
        self._missing, self._place = 0, found.place
        if self.frames > items.patience or agent.walker.stuck:
            if not agent.items_tried.try_again(self._label, self._place):
                agent.give_up_item(found)
            won = "time_is_up" if self.frames > items.patience else "no_way"
            agent.change(agent.way_back(), sight, won=won)
            return True
        agent.walker.approach(
            sight, found.place, (COLLECT, self._label), radius=items.reach / 2, exact=True
        )
        if apart(sight.place, found.place) <= items.reach:
            agent.hands.mash(agent.settings.keys.take, items.period)
        return False


class Tries:
    """How often the fetching of each item has failed: items are told apart by where they lie."""

    def __init__(self, retries: int, radius: float) -> None:
        self._retries = retries
        self._radius = radius
        self._failed: list[tuple[str, Place, int]] = []
        self.ignored: list[tuple[str, Place]] = []
        """Those that are not tried any more."""

    def try_again(self, label: str, place: Place) -> bool:
        """It failed; False if that was once too often, and it is ignored from now on."""
        count = 1
        for at, (known, there, failed) in enumerate(self._failed):
            if known == label and apart(there, place) <= self._radius:
                count += failed
                del self._failed[at]
                break
        if count > self._retries:
            self.ignored.append((label, place))
            return False
        self._failed.append((label, place, count))
        return True

    def is_ignored(self, label: str, place: Place) -> bool:
        """Whether it was given up."""
        return any(
            known == label and apart(there, place) <= self._radius for known, there in self.ignored
        )
