"""detour: look for a way around an obstacle, back to the demo's route."""

import math

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, bearing, plan_distance
from ..observation_view import ObservationView
from ..route.blocked_path_recovery import move_recovery
from ..route.route_rejoin_points import Rejoining
from ..state_names import DETOUR, MOVE
from .agent_state import PlaythroughAgentState

AHEAD = 4
"""So many cells of the way are looked ahead, to walk straight where nothing is in between."""
SPEED = 0.5
"""How fast it comes to the next point of its way at least: it looks for more than one way."""
MOST_ASKED = 5
"""So often the game is asked for a way: where that does not lead on, there is none."""
UNREACHED = 2.0
"""Metres around a place above or below that can't be climbed to: nor can others be there."""


class Detour(PlaythroughAgentState):
    """Walks on the map that the agent has made. Where it meets something the map learns of it, and
    the way is planned anew. Ends on the route, or when it has taken too long.
    """

    name = DETOUR

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        memory = context.memory
        self._why = memory.blocked_by
        self._patience = context.settings.recovery.detour * memory.detours**2
        self._rejoining = Rejoining(context, view)
        if context.walker.target is not None:
            memory.explored_map.meet(view.point, bearing(view.point, context.walker.target))
        self._goals = self._rejoining.goals(context, view)
        self._way: list[PlanPoint] = []
        self._planned = 0
        self._guided = False
        self._asked = 0
        context.walker.forget()

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        self.frames += 1
        memory = context.memory
        memory.detour_frames += 1
        row = self._rejoining.row_at(context, view)
        if row is not None and (not self._guided or row >= self._rejoining.target):
            self._rejoining.go_on(context, row)
            context.change(MOVE, view, won="back_on_the_route")
            context.trace.log(f"found a way round to row {row}")
            return True
        if not self._goals or self.frames > self._patience or not self._plan(context, view):
            context.change(MOVE, view, won="no_way_round")
            move_recovery(context, view, f"{self._why}, and no way round was found")
            return False
        self._walk(context, view)
        return False

    def _plan(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """Whether there is a way to walk on."""
        if not self._way:
            self._way = self._ask(context, view)
            self._guided = bool(self._way)
            self._way = self._way or context.memory.explored_map.way(view.point, self._goals)
            self._planned += 1
        return bool(self._way)

    def _ask(self, context: PlaythroughAgentContext, view: ObservationView) -> list[PlanPoint]:
        """The way up or down to the route that the game knows: the agent's map has no stairs."""
        geometry, moving = context.geometry, context.settings.moving
        goal = context.route.point(self._rejoining.target)
        if self._asked >= MOST_ASKED or abs(goal[2] - view.point[2]) <= moving.height:
            return []
        self._asked += 1
        near = moving.arrival / geometry.metres
        path = context.find_path(view.seen.position, geometry.game_position(goal), near)
        return [geometry.plan_point(place) for place in path]

    def _walk(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        walker, explored_map = context.walker, context.memory.explored_map
        moving, recovery = context.settings.moving, context.settings.recovery
        target = self._way[0]
        while len(self._way) > 1 and plan_distance(view.point, target) <= recovery.crumb:
            self._way.pop(0)
            target = self._way[0]
        for point in self._way[1:AHEAD] if not self._guided else ():
            if not explored_map.is_open(view.point, point):
                break
            target = point
        while self._way[0] is not target and plan_distance(view.point, target) <= recovery.crumb:
            self._way.pop(0)
        last = target is self._way[-1]
        # Progress is counted along the whole of the way: targets change from frame to frame.
        there = walker.approach(
            view, target, (DETOUR, self._planned, len(self._way)),
            radius=recovery.crumb / 2, speed=max(moving.cautious, SPEED),
        )  # fmt: skip
        if walker.stalled_frames > recovery.bump + math.ceil(view.late) or (
            last and plan_distance(view.point, target) <= recovery.crumb / 2
        ):
            if not there:
                explored_map.meet(view.point, bearing(view.point, target))
            if plan_distance(view.point, self._way[-1]) <= UNREACHED:
                self._strike_out(context, view)
            self._way = []
            walker.forget()

    def _strike_out(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        """It is below its goal, above it or before it, and can't reach it from here."""
        height, goal = context.settings.moving.height, self._way[-1]
        level = abs(goal[2] - view.point[2]) <= height
        near = 0.0 if level else UNREACHED
        self._goals = {
            point: cost
            for point, cost in self._goals.items()
            if plan_distance(point, goal) > near
            or (abs(point[2] - view.point[2]) <= height) != level
        }
