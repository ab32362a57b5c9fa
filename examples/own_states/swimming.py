"""A state of one's own: in the water the agent swims along the demo's route.

playhead replay lake.py:Lake lake.csv --agent swimming.py
"""

import playhead as ph


class Swim(ph.PlaythroughAgentState):
    """Follows the route, and makes a stroke before it is too deep in the water."""

    name = "swim"

    def step(self, context: ph.PlaythroughAgentContext, view: ph.ObservationView) -> bool:
        if not in_water(context, view):
            context.leave(view, won="ashore")
            return True
        self.follow_route(context, view)
        if view.point[2] < -0.4:
            context.press("A", every=6)
        return False


def in_water(context: ph.PlaythroughAgentContext, view: ph.ObservationView) -> bool:
    return bool(view.seen.extras["in_water"])


def agent() -> ph.PlaythroughAgentStates:
    states = ph.PlaythroughAgentStates()
    states.add(Swim, when=in_water, why_not="it is on land", before="enemy_battle")
    return states
