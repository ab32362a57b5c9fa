"""How late pads take effect, measured by the agent itself, and where the player will be by then.

An agent that sees the player turn only some frames after it asked for that turns too far, and back,
and too far again. What is still on its way has to be counted in (O. J. Smith's predictor, 1957).
The delay differs from pad to pad, so it is a distribution: of each turn that is seen it is asked
which of the last pads it came from.
"""

from collections import deque
from typing import NamedTuple

from ..engine_axes import PlanPoint, plan_distance, turn_to

LONGEST = 12
"""Frames that a pad may be late. With more a fight is hopeless."""
APART = 0.3
"""The sticks of the last pads must differ by this much: otherwise it is unclear which was seen."""
NEAR = 0.1
"""So near to a pad's stick the turn must be, or something else turned the player."""
FORGETS = 0.98
"""What is left of an old sample with each new one: the last fifty count."""
PRIOR = 0.1
"""Of a sample: what speaks for each delay before anything was seen."""
SURE = 4.0
"""Samples, so weighted, from which on the delay is believed."""
JUMP = 2.0
"""Metres in one frame from which on the player did not walk."""


class Prediction(NamedTuple):
    """The player when a pad that is sent now takes effect."""

    point: PlanPoint
    heading: float


class PadDelay:
    """Follows what was sent and what came of it, for players that the right stick turns.

    Args:
        turns: Whether it does. Else nothing is measured, and nothing predicted.
    """

    def __init__(self, turns: bool) -> None:
        self._turns = turns
        self._sent: deque[float] = deque(maxlen=LONGEST + 1)
        """The right stick's x of the last pads, the newest first."""
        self._rate = 0.0
        """Radians a frame, counter-clockwise, with the stick all the way to the left."""
        self._counts = [0.0] * (LONGEST + 1)
        self._point: PlanPoint | None = None
        self._heading = 0.0

    @property
    def frames(self) -> float:
        """The mean delay beyond the one frame that every pad takes; 0 as long as it is unknown."""
        total = sum(self._counts)
        if total < SURE:
            return 0.0
        return sum(at * count for at, count in enumerate(self._counts)) / total

    def predict(self, point: PlanPoint, heading: float) -> Prediction:
        """Take what is seen in this frame; where the player will be."""
        before, turned = self._point, turn_to(self._heading, heading)
        self._point, self._heading = point, heading
        if not self._turns or before is None:
            return Prediction(point, heading)
        self._measure(turned)
        late = self.frames
        if not late:
            return Prediction(point, heading)
        dx, dy = point[0] - before[0], point[1] - before[1]
        if plan_distance(point, before) > JUMP:
            dx = dy = 0.0
        ahead = point[0] + late * dx, point[1] + late * dy, point[2]
        return Prediction(ahead, heading + self._rate * self._pending())

    def sent(self, stick_x: float) -> None:
        """This pad was sent in answer."""
        self._sent.appendleft(-stick_x)

    def _measure(self, turned: float) -> None:
        if len(self._sent) <= LONGEST:
            return
        least, most = min(self._sent), max(self._sent)
        if most - least < NEAR:
            if abs(most) > 0.5:
                self._rate = turned / most if turned * most > 0 else self._rate
            return
        if not self._rate or most - least < APART:
            return
        stick = turned / self._rate
        fits = [abs(stick - sent) <= NEAR for sent in self._sent]
        if not any(fits):
            return
        # Each delay that explains the turn gets its share, by how likely it was before.
        shares = [fit * (count + PRIOR) for fit, count in zip(fits, self._counts, strict=True)]
        total = sum(shares)
        self._counts = [
            FORGETS * count + share / total
            for count, share in zip(self._counts, shares, strict=True)
        ]

    def _pending(self) -> float:
        """What of the last sticks is still to come, each weighted by how likely that is."""
        total, passed, pending = sum(self._counts), 0.0, 0.0
        for stick, count in zip(self._sent, self._counts, strict=True):
            passed += count
            pending += stick * (1.0 - passed / total)
        return pending
