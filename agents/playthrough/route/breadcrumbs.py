"""The agent's own path, along which it can go back if a straight line is blocked."""

from collections import deque
from collections.abc import Sequence

from ..engine_axes import PlanPoint, plan_distance


class Breadcrumbs:
    """Points of the path, the newest last.

    Args:
        spacing: Metres between two points.
        length: The most points.
        warp: A player who moves this far in one frame did not walk, so it can't walk back.
    """

    def __init__(self, spacing: float, length: int, warp: float) -> None:
        self._spacing = spacing
        self._warp = warp
        self._places: deque[PlanPoint] = deque(maxlen=length)
        self._last: PlanPoint | None = None

    def step(self, point: PlanPoint) -> None:
        """The player is here now."""
        if self._last is not None and plan_distance(self._last, point) > self._warp:
            self._places.clear()
        self._last = point
        if not self._places or plan_distance(self._places[-1], point) >= self._spacing:
            self._places.append(point)

    def clear(self) -> None:
        """Forget the path."""
        self._places.clear()

    def back_from(self, places: Sequence[PlanPoint], distance: float) -> list[PlanPoint]:
        """The points on the way back until all places are so far away, the last of them first;
        empty if it does not lead so far."""
        way: list[PlanPoint] = []
        for point in reversed(self._places):
            way.insert(0, point)
            if all(plan_distance(point, place) >= distance for place in places):
                return way
        return []

    def back_to(self, point: PlanPoint) -> list[PlanPoint]:
        """The points on the way to one, the last of them first: pop them from the end."""
        points = list(self._places)
        if not points:
            return [point]
        nearest = min(range(len(points)), key=lambda at: (plan_distance(points[at], point), -at))
        return [point, *points[nearest:]]
