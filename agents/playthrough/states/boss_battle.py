"""boss_battle: defeat a boss and all its followers; there is no way round them."""

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..state_names import BOSS, MOVE
from .fighting import Fight


class BossBattleState(Fight):
    """Fights one after the other, until none is left."""

    name = BOSS
    leaves_route = True

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view, context.settings.bosses.fight)
        self.aim_at(context, context.targets.bosses(view)[0])
        self._nobody = 0

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        found = self.follow(context, view, view.seen.bosses)
        left = [thing for thing in view.seen.bosses if thing.hp > 0 or found is not None]
        self._nobody = 0 if left else self._nobody + 1
        if found is None:
            if left and self.is_gone(context):
                others = view.within(left, float("inf"), float("inf"))
                self.aim_at(context, others[0])
            elif self._nobody >= context.settings.events.settle:
                self._leave(context, view)
                return True
            return False
        why = self.why_give_up(context, view)
        if why:
            context.fail("stuck", f"the fight with {found.thing.label!r} leads nowhere: {why}")
            return False
        self.attack(context, view, self.turn(context, found, view.around(left)))
        return False

    def _leave(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        memory = context.memory
        memory.tar_enemy = None
        memory.ruled = True
        back = MOVE if context.settings.bosses.exit == MOVE else memory.way_back()
        context.change(back, view, won="all_defeated")
