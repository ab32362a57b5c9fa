"""The agent's own steps: where straight lines are blocked, the way it came is a way back."""

from collections import deque

from .engine_axes import Place, apart


class Breadcrumbs:
    """The places it has walked over, the newest last.

    Args:
        spacing: Metres from one place kept to the next.
        length: The most places kept.
        warp: Whoever is so far off a frame later did not walk, and so can't walk back.
    """

    def __init__(self, spacing: float, length: int, warp: float) -> None:
        self._spacing = spacing
        self._warp = warp
        self._places: deque[Place] = deque(maxlen=length)
        self._last: Place | None = None

    def step(self, place: Place) -> None:
        """It is here now."""
        if self._last is not None and apart(self._last, place) > self._warp:
            self._places.clear()
        self._last = place
        if not self._places or apart(self._places[-1], place) >= self._spacing:
            self._places.append(place)

    def clear(self) -> None:
        """There is no way back from here."""
        self._places.clear()

    def back_to(self, place: Place) -> list[Place]:
        """The places to walk over to one, the last of them first: pop them from the end."""
        places = list(self._places)
        if not places:
            return [place]
        nearest = min(range(len(places)), key=lambda at: (apart(places[at], place), -at))
        return [place, *places[nearest:]]
