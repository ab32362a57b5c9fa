"""enemy_battle: defeat an enemy that came near, whatever the demo did."""

from typing import TYPE_CHECKING

from ..state_transitions import ENEMY
from .fighting import Fight

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class EnemyBattle(Fight):
    """Fights the nearest one. Who can't be hurt or reached is left alone for a while."""

    name = ENEMY

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight, agent.settings.enemies)
        self.aim_at(agent, agent.enemies(sight)[0])

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        found = self.follow(agent, sight, sight.seen.enemies)
        if found is None:
            if not self.is_gone(agent):
                return False
            won = "defeated"
        else:
            won = self.why_give_up(agent, sight)
            if not won:
                self.attack(agent, sight, self.turn(agent, found, agent.enemies(sight)))
                return False
            agent.pardon(found, won)
        agent.change(agent.way_back(), sight, won=won)
        agent.tar_enemy = None
        return True
