"""boss_battle: defeat a boss and all its followers; there is no way round them."""

from typing import TYPE_CHECKING

from ..state_transitions import BOSS, MOVE
from .fighting import Fight

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class BossBattle(Fight):
    """Fights one after the other, until none is left."""

    name = BOSS

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight, agent.settings.bosses.fight)
        self.aim_at(agent, agent.bosses(sight)[0])
        self._nobody = 0

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        found = self.follow(agent, sight, sight.seen.bosses)
        left = [thing for thing in sight.seen.bosses if thing.hp > 0 or found is not None]
        self._nobody = 0 if left else self._nobody + 1
        if found is None:
            if left and self.is_gone(agent):
                others = sight.within(left, float("inf"), float("inf"))
                self.aim_at(agent, others[0])
            elif self._nobody >= agent.settings.events.settle:
                self._leave(agent, sight)
                return True
            return False
        why = self.why_give_up(agent, sight)
        if why:
            agent.fail("stuck", f"the fight with {found.thing.label!r} leads nowhere: {why}")
            return False
        self.attack(agent, sight, self.turn(agent, found, sight.around(left)))
        return False

    def _leave(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        agent.tar_enemy = None
        agent.ruled = True
        back = MOVE if agent.settings.bosses.exit == MOVE else agent.way_back()
        agent.change(back, sight, won="all_defeated")
