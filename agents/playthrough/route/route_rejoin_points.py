"""Chooses where a detour may come back to the demo's route: further on, or where it was before."""

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, plan_distance
from ..observation_view import ObservationView
from .interaction_pose import interaction_pose
from .row_tasks import opening_here, start_here

AHEAD, BACK = 0.3, 1.0
"""What a metre of the route costs that is skipped, and one that is walked again."""
FARTHEST = 40.0
"""Metres of the route, forwards and backwards."""


class Rejoining:
    """The rows of the route at which the agent may go on, without skipping what is to be done."""

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        route, memory = context.route, context.memory
        returning = memory.returning is not None
        row = memory.row if memory.returning is None else memory.returning
        first, end = route.part_starts[route.part(row)], route.part_end(row)
        gate = context.events.gate
        if gate is not None:
            end = min(end, max(gate.start, row))
        busy = not returning and (
            opening_here(context) is not None or start_here(context) is not None
        )
        end = row if busy else min(end, route.next_exact(row))
        target = row if returning else min(max(row, memory.target_row), end)
        context.memory.explored_map.learn_route(
            route.part(row), map(route.point, route.walked_rows(first, route.part_end(row)))
        )
        rows = [*route.walked_rows(first, end - 1), end]
        near = 2.0 * context.settings.moving.arrival
        if any(_is_near(context, view, at, near) for at in rows if at <= target):
            # On the route, before what is in the way: only what is after that is of use.
            rows = [at for at in rows if at >= target]
        self.rows = [at for at in rows if abs(route.length(at) - route.length(target)) <= FARTHEST]
        self.target = target
        """The row that it was going to."""

    def goals(
        self, context: PlaythroughAgentContext, view: ObservationView
    ) -> dict[PlanPoint, float]:  # fmt: skip
        """Places of these rows, each with what it costs to be there and not farther on."""
        route, goals = context.route, dict[PlanPoint, float]()
        for row in self.rows:
            along = route.length(row) - route.length(self.target)
            goals[_place(context, view, row)] = AHEAD * along if along >= 0 else BACK * -along
        return goals

    def row_at(self, context: PlaythroughAgentContext, view: ObservationView) -> int | None:
        """The last of these rows whose place the player is at; None if it is beside the route."""
        here = (row for row in reversed(self.rows) if self._stands_at(context, view, row))
        return next(here, None)

    def go_on(self, context: PlaythroughAgentContext, row: int) -> None:
        """Follow the route from this row on."""
        memory = context.memory
        memory.row = memory.target_row = row
        memory.furthest = max(memory.furthest, row)
        memory.retraced = None
        # Where something is to be done it has to stand just there.
        memory.returning = row if row in context.route.exact else None

    def _stands_at(self, context: PlaythroughAgentContext, view: ObservationView, row: int) -> bool:
        arrival, explored_map = context.settings.moving.arrival, context.memory.explored_map
        return _is_near(context, view, row, arrival) and explored_map.is_open(
            view.point, _place(context, view, row)
        )


def _is_near(
    context: PlaythroughAgentContext, view: ObservationView, row: int, radius: float
) -> bool:
    point = _place(context, view, row)
    level = abs(view.point[2] - point[2]) <= context.settings.moving.height
    return level and plan_distance(view.point, point) <= radius


def _place(context: PlaythroughAgentContext, view: ObservationView, row: int) -> PlanPoint:
    """Where a row is gone on with: beside the demo's place, if that could not be reached."""
    if row in context.memory.sides:
        return interaction_pose(context, view, row).point
    return context.route.point(row)
