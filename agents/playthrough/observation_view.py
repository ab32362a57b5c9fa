"""One observation as the agent reads it: on the plan, with what its conditions ask."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...games.playable import Observation, Thing
from .engine_axes import EngineGeometry, Place, apart


class SeenThing(NamedTuple):
    """A thing, and where it is on the plan."""

    thing: Thing
    place: Place
    away: float
    """Metres from the player, seen from above."""


class ObservationView:
    """What is seen in one frame."""

    def __init__(self, seen: Observation, geometry: EngineGeometry) -> None:
        self.seen = seen
        self.geometry = geometry
        self.place = geometry.place(seen.position)
        self.heading = geometry.heading(seen.facing)
        self.camera = geometry.heading(seen.camera[0])
        self.pitch = geometry.pitch(seen.camera[1])

    def around(self, things: Iterable[Thing]) -> Iterator[SeenThing]:
        """These things with their places."""
        for thing in things:
            place = self.geometry.place(thing.position)
            yield SeenThing(thing, place, apart(place, self.place))

    def within(self, things: Iterable[Thing], range: float, height: float) -> list[SeenThing]:
        """Those in range, the nearest first; of equally near ones the one that was told first."""
        near = [
            found
            for found in self.around(things)
            if found.away <= range and abs(found.place[2] - self.place[2]) <= height
        ]
        return sorted(near, key=lambda found: found.away)


def same(things: Iterable[SeenThing], label: str, place: Place, radius: float) -> SeenThing | None:
    """Of things with this label the one nearest to a place, if one is within the radius.

    Games may give many things one label, so where it was last is what tells it from the others.
    """
    alike = (found for found in things if found.thing.label == label)
    best = min(alike, key=lambda found: apart(found.place, place), default=None)
    return best if best is not None and apart(best.place, place) <= radius else None
