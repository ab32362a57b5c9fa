"""A map that the agent makes while it walks: where it has been, and what it has met.

No game has to list its walls. Unknown cells count as free until the agent meets something there
(the free-space assumption of S. Koenig's and A. Stentz's planners), and the shortest way is planned
anew each time. Floors above one another are kept apart.
"""

import heapq
import math
from collections.abc import Iterable, Mapping

from ..engine_axes import PlanPoint, plan_distance

Cell = tuple[int, int]

WALKED, ROUTE, UNKNOWN, FAR = 0.6, 0.7, 1.0, 2.0
"""What a metre costs where the agent walked, on the demo's route, beside that, and far from it."""
NEAR = 1.6
"""Metres from the demo's route that are not far: the area farther away is unknown."""
MET, BESIDE, FELL = 40.0, 8.0, 25.0
"""What a cell costs more where something was met, beside that, and where the player fell."""
WIDE = 3
"""Cells to each side of where it met something: an obstacle is seldom as thin as a post."""
MOST_CELLS = 6000
"""Cells that one search looks at; a search takes at most some tens of milliseconds."""
_STEPS = tuple(
    (dx, dy, math.hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy
)  # fmt: skip


class ExploredMap:
    """Square cells, for each floor. They have no end and change at every step, while a search looks
    at a few hundred of them: so it has its own Dijkstra's algorithm, as a library would need them
    all as a graph, made anew for each search.

    Args:
        cell: Metres.
        height: Metres from one floor to the next.
        warp: A player who moves this far in one frame did not walk.
    """

    def __init__(self, cell: float, height: float, warp: float) -> None:
        self._cell = cell
        self._height = height
        self._warp = warp
        self._walked: set[tuple[int, int, int]] = set()
        self._met: dict[tuple[int, int, int], float] = {}
        self._near: set[Cell] = set()
        self._route: set[Cell] = set()
        self._known: object = None
        self._last: PlanPoint | None = None

    def step(self, point: PlanPoint) -> None:
        """The player is here now."""
        last, self._last = self._last, point
        if last is not None and plan_distance(last, point) > self._warp:
            return
        key = (*self._cell_of(point), self._floor(point))
        if last is not None and last[2] - point[2] > 0.5 * self._height:
            fell = (*self._cell_of(last), self._floor(last))
            self._met[fell] = max(self._met.get(fell, 0.0), FELL)
            return
        self._walked.add(key)
        self._met.pop(key, None)

    def has_walked(self, point: PlanPoint) -> bool:
        """Whether the player has been there, on this floor, and met nothing since."""
        return (*self._cell_of(point), self._floor(point)) in self._walked

    def clear(self) -> None:
        """The player is somewhere else altogether."""
        self._walked.clear()
        self._met.clear()
        self._last = self._known = None

    def learn_route(self, part: object, points: Iterable[PlanPoint]) -> None:
        """The demo walked here; `part` says whether these points are known already."""
        if part == self._known:
            return
        self._known = part
        self._route = {self._cell_of(point) for point in points}
        reach = math.ceil(NEAR / self._cell)
        around = range(-reach, reach + 1)
        self._near = {(x + dx, y + dy) for x, y in self._route for dx in around for dy in around}

    def meet(self, point: PlanPoint, heading: float) -> None:
        """Something blocks the way from here in this direction."""
        cos, sin, floor = math.cos(heading), math.sin(heading), self._floor(point)
        for side in range(-WIDE, WIDE + 1):
            x = point[0] + self._cell * (cos - side * sin)
            y = point[1] + self._cell * (sin + side * cos)
            cell = self._cell_of((x, y, point[2]))
            if cell == self._cell_of(point):
                cell = self._cell_of((x + self._cell * cos, y + self._cell * sin, point[2]))
            key = (*cell, floor)
            self._walked.discard(key)
            self._met[key] = self._met.get(key, 0.0) + (BESIDE / abs(side) if side else MET)

    def way(self, start: PlanPoint, goals: Mapping[PlanPoint, float]) -> list[PlanPoint]:
        """The cheapest way to one of these places, each with what it costs to be there; the goal is
        its last point. Empty if there is none near enough to be found.
        """
        floor, cell = self._floor(start), self._cell
        ends: dict[Cell, tuple[float, PlanPoint]] = {}
        for point, cost in goals.items():
            at = self._cell_of(point)
            if at not in ends or cost < ends[at][0]:
                ends[at] = cost, point
        first = self._cell_of(start)
        costs: dict[Cell, float] = {first: 0.0}
        came: dict[Cell, Cell] = {}
        queue = [(0.0, first)]
        best, found = math.inf, None
        done: set[Cell] = set()
        while queue and len(done) < MOST_CELLS:
            cost, here = heapq.heappop(queue)
            if cost >= best:
                break
            if here in done:
                continue
            done.add(here)
            if here in ends and cost + ends[here][0] < best:
                best, found = cost + ends[here][0], here
            for dx, dy, length in _STEPS:
                there = here[0] + dx, here[1] + dy
                total = cost + length * cell * self._price(there, floor) + self._met_at(
                    there, floor
                )  # fmt: skip
                if total < costs.get(there, math.inf):
                    costs[there], came[there] = total, here
                    heapq.heappush(queue, (total, there))
        if found is None:
            return []
        way, at = [ends[found][1]], found
        while at != first:
            at = came[at]
            way.append(((at[0] + 0.5) * cell, (at[1] + 0.5) * cell, start[2]))
        way.reverse()
        return way[1:] if len(way) > 1 else way

    def is_open(self, start: PlanPoint, end: PlanPoint) -> bool:
        """Whether nothing is known to be in the way of a straight line."""
        floor, away = self._floor(start), plan_distance(start, end)
        steps = max(1, math.ceil(2 * away / self._cell))
        return not any(
            self._met_at(
                self._cell_of((
                    start[0] + (end[0] - start[0]) * at / steps,
                    start[1] + (end[1] - start[1]) * at / steps, start[2],
                )), floor,
            )
            for at in range(1, steps + 1)
        )  # fmt: skip

    def _price(self, cell: Cell, floor: int) -> float:
        if (*cell, floor) in self._walked:
            return WALKED
        if cell in self._route:
            return ROUTE
        return UNKNOWN if cell in self._near else FAR

    def _met_at(self, cell: Cell, floor: int) -> float:
        return self._met.get((*cell, floor), 0.0)

    def _cell_of(self, point: PlanPoint) -> Cell:
        return math.floor(point[0] / self._cell), math.floor(point[1] / self._cell)

    def _floor(self, point: PlanPoint) -> int:
        return round(point[2] / self._height)
