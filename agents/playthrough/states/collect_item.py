"""collect_item: fetch an item, whatever the demo did."""

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import plan_distance
from ..observation_view import ObservationView, same
from ..state_names import COLLECT
from .agent_state import PlaythroughAgentState


class CollectItem(PlaythroughAgentState):
    """Walks to the nearest item. What can't be fetched in time is tried again, but not for ever."""

    name = COLLECT
    leaves_route = True

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        context.walker.forget()
        nearest = context.targets.items(view)[0]
        self._label, self._place = nearest.thing.label, nearest.point
        self._missing = 0

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        self.frames += 1
        items = context.settings.items
        found = same(view.around(view.seen.items), self._label, self._place, items.same)
        if found is None:
            self._missing += 1
            if self._missing >= context.settings.events.settle:
                context.change(context.memory.way_back(), view, won="collected")
                return True
            return False
        self._missing, self._place = 0, found.point
        if self.frames > items.patience or context.walker.stuck:
            if not context.targets.item_tries.try_again(self._label, self._place):
                context.targets.give_up_item(found)
            won = "time_is_up" if self.frames > items.patience else "no_way"
            context.change(context.memory.way_back(), view, won=won)
            return True
        context.walker.approach(
            view, found.point, (COLLECT, self._label), radius=items.reach / 2, exact=True
        )
        if plan_distance(view.point, found.point) <= items.reach:
            context.presser.mash(context.settings.keys.take, items.period)
        return False
