"""Steps out of the way of what flies at the player."""

import math

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, Stick, plan_distance
from ..observation_view import ObservationView

MISS = 1.2
"""Metres at which it passes by: half a player, half a missile, and as much again."""
SLACK = 0.5
"""Metres by which a way to a place beside the player may be longer than the straight one."""


class Dodge:
    """Where to step in each frame."""

    def __init__(self) -> None:
        self._checked: dict[tuple[int, int, int, int], bool] = {}
        """What the game has said of steps, by cells of start and end."""

    def step(self, context: PlaythroughAgentContext, view: ObservationView, time: float) -> Stick:
        """The direction of the step; (0, 0) if nothing would hit the player within `time` seconds.

        It is at a right angle to the flight, to the side that is nearer out of it if one can stand
        there.
        """
        for danger in view.around(view.seen.dangers):
            vx, vy = view.geometry.plan_direction(danger.thing.velocity)
            speed = math.hypot(vx, vy)
            if not speed:
                continue
            x, y = view.point[0] - danger.point[0], view.point[1] - danger.point[1]
            along, aside = (x * vx + y * vy) / speed, (vx * y - vy * x) / speed
            if not 0.0 < along <= time * speed or abs(aside) >= MISS:
                continue
            left = 1.0 if aside >= 0.0 else -1.0
            for side in (left, -left):
                far = MISS - side * aside
                step = -side * vy / speed, side * vx / speed
                if self._can_stand(context, view, step, far):
                    return step
        return 0.0, 0.0

    def _can_stand(
        self, context: PlaythroughAgentContext, view: ObservationView, step: Stick, far: float
    ) -> bool:
        x, y, z = view.point
        there: PlanPoint = x + far * step[0], y + far * step[1], z
        if context.memory.explored_map.has_walked(there):
            return True
        cell = context.settings.recovery.crumb
        key = (round(x / cell), round(y / cell), round(there[0] / cell), round(there[1] / cell))
        if key not in self._checked:
            self._checked[key] = _game_says(context, view, there)
        return self._checked[key]


def _game_says(context: PlaythroughAgentContext, view: ObservationView, there: PlanPoint) -> bool:
    """Whether the game knows a straight way; not where it knows none."""
    geometry = context.geometry
    near = context.settings.recovery.crumb / geometry.metres
    path = context.find_path(view.seen.position, geometry.game_position(there), near)
    away = plan_distance(view.point, there) + SLACK
    return bool(path) and all(
        plan_distance(geometry.plan_point(place), view.point) <= away for place in path
    )
