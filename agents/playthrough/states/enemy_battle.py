"""enemy_battle: defeat an enemy that came near, whatever the demo did."""

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from ..state_names import ENEMY
from .fighting import Fight


class EnemyBattleState(Fight):
    """Fights the nearest enemy. One that can't be hurt or reached is left alone for a while."""

    name = ENEMY
    leaves_route = True

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view, context.settings.enemies)
        self.aim_at(context, context.targets.enemies(view)[0])

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        found = self.follow(context, view, view.seen.enemies)
        if found is None:
            if not self.is_gone(context):
                return False
            won = "defeated"
            if context.memory.tar_enemy is not None:
                context.targets.defeated(context.memory.tar_enemy)
        else:
            won = self.why_give_up(context, view)
            if not won:
                self.attack(context, view, self.turn(context, found, context.targets.enemies(view)))
                return False
            context.targets.pardon(found, won)
        context.change(context.memory.way_back(), view, won=won)
        context.memory.tar_enemy = None
        return True
