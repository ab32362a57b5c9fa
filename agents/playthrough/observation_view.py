"""One observation in plan coordinates, and queries on it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...games.playable_interface import Observation, ObservedEntity
from .engine_axes import EngineGeometry, PlanPoint, plan_distance
from .pad.input_latency_estimator import PadDelay


class EntityOnPlan(NamedTuple):
    """A thing, and its position on the plan."""

    thing: ObservedEntity
    point: PlanPoint
    away: float
    """Metres from the player, seen from above."""


class ObservationView:
    """What is seen in one frame.

    Args:
        delay: Where pads take effect late, the player's place and heading are those of that time.
    """

    def __init__(
        self, seen: Observation, geometry: EngineGeometry, delay: PadDelay | None = None
    ) -> None:
        self.seen = seen
        self.geometry = geometry
        self.point = geometry.plan_point(seen.position)
        self.heading = geometry.heading(seen.facing)
        self.late = 0.0
        """Frames by which a pad takes effect late, as far as that is known."""
        if delay is not None:
            self.point, self.heading = delay.predict(self.point, self.heading)
            self.late = delay.frames
        self.camera = geometry.heading(seen.camera[0])
        self.pitch = geometry.pitch(seen.camera[1])

    def around(self, things: Iterable[ObservedEntity]) -> Iterator[EntityOnPlan]:
        """These things with their positions on the plan."""
        for thing in things:
            point = self.geometry.plan_point(thing.position)
            yield EntityOnPlan(thing, point, plan_distance(point, self.point))

    def within(
        self, things: Iterable[ObservedEntity], range: float, height: float
    ) -> list[EntityOnPlan]:
        """Those in range, the nearest first; of equally near ones the first one."""
        near = [
            found
            for found in self.around(things)
            if found.away <= range and abs(found.point[2] - self.point[2]) <= height
        ]
        return sorted(near, key=lambda found: found.away)


def same(
    things: Iterable[EntityOnPlan], label: str, point: PlanPoint, radius: float
) -> EntityOnPlan | None:
    """The nearest thing to a point with this label, if one is within the radius.

    Games may give many things one label, so the last position distinguishes them.
    """
    alike = (found for found in things if found.thing.label == label)
    best = min(alike, key=lambda found: plan_distance(found.point, point), default=None)
    return best if best is not None and plan_distance(best.point, point) <= radius else None
