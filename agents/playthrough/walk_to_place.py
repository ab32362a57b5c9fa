"""Walking to a place, facing a heading, and noticing that nothing comes of it."""

import math
from collections.abc import Hashable

from .button_presses import ButtonPresser, bits_of
from .engine_axes import EngineGeometry, Place, Stick, apart, bearing, turn_to
from .observation_view import ObservationView
from .playthrough_settings import AgentSettings

EXACTLY = 4
"""What part of the radius is near enough at once."""


class Walker:
    """Pushes the sticks towards places and counts the frames without progress."""

    def __init__(
        self, settings: AgentSettings, geometry: EngineGeometry, hands: ButtonPresser
    ) -> None:
        self._settings = settings
        self._geometry = geometry
        self._hands = hands
        self._goal: Hashable = None
        self._start: Place = (0.0, 0.0, 0.0)
        self._best = math.inf
        self._closest = math.inf
        self.still = 0
        """Frames without progress towards the present target."""
        self.target: Place | None = None
        """Where it is going."""

    @property
    def stuck(self) -> bool:
        """No progress for too long."""
        return self.still >= self._settings.recovery.stuck

    def forget(self) -> None:
        """Whatever comes next is a new target."""
        self._goal, self.target, self.still = None, None, 0

    def approach(
        self,
        view: ObservationView,
        place: Place,
        goal: Hashable,
        *,
        radius: float,
        exact: bool = False,
        passing: bool = False,
        face: float | None = None,
    ) -> bool:
        """Walk straight to a place; True if it is there already, and then nothing is pushed.

        Args:
            goal: What the place stands for: progress is counted anew when this changes.
            radius: How near is there.
            exact: Slow down in time to stop there.
            passing: To have gone past it is enough, unless far off.
            face: Where to look meanwhile; ahead if None.
        """
        moving = self._settings.moving
        away = apart(view.place, place)
        if goal != self._goal:
            self._goal, self._start, self._best, self.still = goal, view.place, math.inf, 0
            self._closest = math.inf
        self.target = place
        level = abs(view.place[2] - place[2]) <= moving.height
        progress = self._settings.recovery.progress
        if level and away <= radius:
            # Where it must be just there it comes as near as it can, which is not for ever.
            if not exact or away <= radius / EXACTLY or away > self._closest:
                return True
        elif level and passing and self._passed(view.place, place, away):
            return True
        self._closest = min(self._closest, away)
        if away < self._best - progress:
            self._best, self.still = away, 0
        else:
            self.still += 1
        speed = max(moving.slowest, min(1.0, away / moving.slow)) if exact else 1.0
        heading = bearing(view.place, place)
        self.walk(view, (speed * math.cos(heading), speed * math.sin(heading)), face)
        return False

    def idle(self) -> None:
        """A frame in which something should have come of standing here."""
        self.still += 1

    def walk(self, view: ObservationView, direction: Stick, face: float | None = None) -> None:
        """Walk in a direction on the plan, its length how fast, and look ahead or at `face`."""
        wanted = math.atan2(direction[1], direction[0]) if face is None else face
        turned = self.face(view, wanted) if self._settings.engine.facing != "walk" else True
        heading = math.atan2(direction[1], direction[0])
        if not turned and abs(turn_to(view.heading, heading)) > self._settings.turning.sidle:
            return
        self._hands.walk(self._geometry.stick(direction, view.heading, view.camera))
        self._hands.hold(bits_of(self._settings.keys.run))

    def face(self, view: ObservationView, wanted: float) -> bool:
        """Turn to a heading; True if it is faced already."""
        turning, facing = self._settings.turning, self._settings.engine.facing
        off = turn_to(view.heading, wanted)
        there = abs(off) <= turning.still
        if facing == "turn":
            self._hands.look((-turning.gain * off, 0.0))
            return there
        direction = math.cos(wanted), math.sin(wanted)
        if facing == "aim":
            self._hands.look(self._geometry.stick(direction, view.heading, view.camera))
        elif not there:
            nudge = turning.nudge
            self._hands.walk(
                self._geometry.stick(
                    (nudge * direction[0], nudge * direction[1]), view.heading, view.camera
                )
            )
        return there

    def _passed(self, here: Place, place: Place, away: float) -> bool:
        if away > 2 * self._settings.moving.arrival:
            return False
        ahead = place[0] - self._start[0], place[1] - self._start[1]
        return ahead[0] * (here[0] - place[0]) + ahead[1] * (here[1] - place[1]) > 0.0
