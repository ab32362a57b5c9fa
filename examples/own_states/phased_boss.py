"""Rules of one's own for a boss with phases, in the place of the usual ones.

playhead replay golem.py:Cave golem.csv --agent phased_boss.py
"""

import math

import playhead as ph


class PhasedBoss(ph.BossBattleState):
    """Steps aside while the boss is of stone, and strikes while its skin is broken."""

    def attack(
        self, context: ph.PlaythroughAgentContext, view: ph.ObservationView, found: ph.EntityOnPlan
    ) -> None:
        if view.seen.extras["phase"] == "open":
            super().attack(context, view, found)
            return
        self.wait(context)  # it can't be hurt now: that is no fruitless fight
        x, y = found.point[0] - view.point[0], found.point[1] - view.point[1]
        if found.away < 4.0:
            context.walk(view, math.atan2(y, x) + math.pi / 2)


def agent() -> ph.PlaythroughAgentStates:
    states = ph.PlaythroughAgentStates()
    states.replace(PhasedBoss)
    return states
