"""Walks to a position, turns to a heading, and notices when neither works."""

import math
from collections.abc import Hashable

from ..engine_axes import EngineGeometry, PlanPoint, Stick, bearing, plan_distance, turn_to
from ..observation_view import ObservationView
from ..pad.button_presser import ButtonPresser, bits_of
from ..playthrough_settings import AgentSettings

EXACTLY = 4
"""What part of the radius is near enough at once."""


class Walker:
    """Pushes the sticks towards places and counts the frames without progress."""

    def __init__(
        self, settings: AgentSettings, geometry: EngineGeometry, presser: ButtonPresser
    ) -> None:
        self._settings = settings
        self._geometry = geometry
        self._presser = presser
        self._goal: Hashable = None
        self._start: PlanPoint = (0.0, 0.0, 0.0)
        self._best = math.inf
        self._closest = math.inf
        self.stalled_frames = 0
        """Frames without progress towards the present target."""
        self.target: PlanPoint | None = None
        """Where it is going."""

    @property
    def stuck(self) -> bool:
        """No progress for too long."""
        return self.stalled_frames >= self._settings.recovery.stuck

    def forget(self) -> None:
        """Whatever comes next is a new target."""
        self._goal, self.target, self.stalled_frames = None, None, 0

    def approach(
        self,
        view: ObservationView,
        point: PlanPoint,
        goal: Hashable,
        *,
        radius: float,
        exact: bool = False,
        passing: bool = False,
        speed: float = 1.0,
        most: float = 1.0,
        face: float | None = None,
    ) -> bool:
        """Walk straight to a place; True if it is there already, and then nothing is pushed.

        Args:
            goal: What the place belongs to: progress is counted again when this changes.
            radius: How near is there.
            exact: Slow down in time to stop there.
            passing: To have gone past it is enough, unless far off.
            speed: How fast it may be when it comes there, of all that is possible.
            most: How fast it may be until then.
            face: Where to look meanwhile; ahead if None.
        """
        moving = self._settings.moving
        away = plan_distance(view.point, point)
        if goal != self._goal:
            self._goal, self._start, self._best, self.stalled_frames = goal, view.point, math.inf, 0
            self._closest = math.inf
        self.target = point
        level = abs(view.point[2] - point[2]) <= moving.height
        progress = self._settings.recovery.progress
        if level and away <= radius:
            # Where it must be just there it comes as near as it can, which is not for ever.
            if not exact or away <= radius / EXACTLY or away > self._closest:
                return True
        elif level and passing and self._passed(view.point, point, away):
            return True
        self._closest = min(self._closest, away)
        if away < self._best - progress:
            self._best, self.stalled_frames = away, 0
        else:
            self.stalled_frames += 1
        if exact:
            fast = max(moving.slowest, min(1.0, away / moving.slow))
        else:
            fast = min(most, speed + away / moving.slow)
        heading = bearing(view.point, point)
        self.walk(view, (fast * math.cos(heading), fast * math.sin(heading)), face)
        return False

    def idle(self) -> None:
        """A frame at the place in which something should have happened."""
        self.stalled_frames += 1

    def walk(self, view: ObservationView, direction: Stick, face: float | None = None) -> None:
        """Walk in a direction on the plan, its length how fast, and look ahead or at `face`."""
        target_heading = math.atan2(direction[1], direction[0]) if face is None else face
        # Who turns fast walks astray until it is seen how far the turn has come.
        calm = 1.0 / (1.0 + view.late) if face is None else 1.0
        turned = True
        if self._settings.engine.facing != "walk":
            turned = self.face(view, target_heading, most=calm)
        heading = math.atan2(direction[1], direction[0])
        if not turned and abs(turn_to(view.heading, heading)) > self._settings.turning.sidle:
            return
        self._presser.walk(self._geometry.stick(direction, view.heading, view.camera))
        self._presser.hold(bits_of(self._settings.keys.run))

    def face(self, view: ObservationView, target_heading: float, *, most: float = 1.0) -> bool:
        """Turn to a heading, with at most so much of the stick; True if it is faced already."""
        turning, facing = self._settings.turning, self._settings.engine.facing
        off = turn_to(view.heading, target_heading)
        there = abs(off) <= turning.still
        if facing == "turn":
            # The later a pad takes effect the less is known of how far it turns already.
            turn = -turning.gain * off / (1.0 + view.late)
            self._presser.look((max(-most, min(most, turn)), 0.0))
            return there
        direction = math.cos(target_heading), math.sin(target_heading)
        if facing == "aim":
            self._presser.look(self._geometry.stick(direction, view.heading, view.camera))
        elif not there:
            nudge = turning.nudge
            self._presser.walk(
                self._geometry.stick(
                    (nudge * direction[0], nudge * direction[1]), view.heading, view.camera
                )
            )
        return there

    def _passed(self, here: PlanPoint, point: PlanPoint, away: float) -> bool:
        if away > 2 * self._settings.moving.arrival:
            return False
        ahead = point[0] - self._start[0], point[1] - self._start[1]
        return ahead[0] * (here[0] - point[0]) + ahead[1] * (here[1] - point[1]) > 0.0
