"""Moves to a position with a pad: along a path, straight, by teleport, or by a policy."""

import math
from collections.abc import Callable, Sequence

from ....games.plan_game_interface import PlanGame, Waypoint
from ....games.playable_interface import Observation, Vector
from ....games.walkable_grid import GridMap
from ....playback.pads.pad import NEUTRAL, Button, Pad
from ..plan import Movement
from ..policy.policy_navigator import PolicyNavigator

LOOKING = 0.5
"""Seconds between two looks whether one gets on, and whether the goal is still where it was."""
ASIDE = 0.4
"""Seconds that one goes another way when stuck."""
STUCK = 12
"""Looks in a row without getting on, after which there is no way."""
CORNER = 0.35
"""Distance from a place on the way at which the next one is headed for, in the unit `nearest`."""
BRAKING = 2.0
"""Distance from the end of a run, or from a jump, at which one walks on, in the same unit."""
ON_CELL = 0.25
"""Metres from the middle of a cell at which a policy takes its next step."""
PRESS = 4
"""Steps that a button is held for a jump."""
SHUT = 4
"""Steps without getting on after which the way is taken to be shut."""
FACED = 0.05
"""Radians that one may be off from what one opens."""
LONGEST = 45
"""Steps of the game that a policy's step from cell to cell may take, before it looks again."""
BUMPED = 6
"""Steps of the game that a policy's step into something takes."""
AIRBORNE = 12
"""Steps after which who is on the ground has landed."""

ARRIVED, GOING, LOST = "arrived", "going", "lost"
OnPath = Callable[[Sequence[Waypoint]], object]


class PlanNavigator:
    """Knows the way to one place at a time.

    Args:
        on_path: Called with each path that is taken, from where the player is, and with an empty
            one where none is followed any more.
        pilot: What chooses the steps of the movement `policy`.
    """

    def __init__(
        self, game: PlanGame, dt: float, on_path: OnPath = lambda path: None,
        pilot: PolicyNavigator | None = None,
    ) -> None:  # fmt: skip
        self._game, self.dt, self._on_path, self._pilot = game, dt, on_path, pilot
        self._controls = game.plan_controls
        self.why = ""
        """Why there is no way, when it is lost."""
        self.paths = 0
        """How many paths were looked for."""
        self.rest()

    @property
    def leaping(self) -> bool:
        """Whether a jump is on its way."""
        return self._leap is not None

    @property
    def account(self) -> str:
        """What the policy has done so far for the present target; empty for nothing."""
        if self._pilot is None or not self._pilot.steps:
            return ""
        return f"the policy took {self._pilot.steps} steps over {self._pilot.cells} cells"

    def rest(self) -> None:
        """Forget the way: something else was done in between."""
        self._forget_way()
        self._on_path(())
        if self._pilot is not None:
            self._pilot.begin()

    def _forget_way(self) -> None:
        self._path: list[Waypoint] = []
        self._goal: Vector | None = None
        self._before: Vector | None = None
        self._steps = self._aside = self._stuck = 0
        self._leap: Waypoint | None = None
        self._air = 0
        self._height = 0.0
        self._again = False
        self._shut = self._opening = 0
        self._was: Vector | None = None
        self._leg_steps = self._bumps = 0

    def near(self, seen: Observation, goal: Vector, tolerance: float) -> bool:
        """Whether the player has come to a place."""
        reach = max(tolerance, self._controls.nearest)
        up = abs(seen.position[2] - goal[2])
        return not seen.in_air and up <= self._controls.step_up and _away(seen, goal) <= reach

    def go(
        self, seen: Observation, goal: Vector, tolerance: float, movement: Movement
    ) -> tuple[str, Pad]:
        """One step on the way to within `tolerance` of a place: there, going, or no way."""
        if self._leap is not None:
            return GOING, self._fly(seen)
        if self.near(seen, goal, tolerance):
            return ARRIVED, NEUTRAL
        if seen.in_air:
            return GOING, NEUTRAL
        if movement == "teleport":
            return self._teleport(seen, goal, tolerance)
        if movement == "policy":
            return self._step_by_policy(seen, goal, tolerance)
        if not self._look(seen, goal, tolerance, movement):
            return LOST, NEUTRAL
        if self._aside:
            self._aside -= 1
            turn = math.pi / 2 if self._stuck % 2 else -math.pi / 2
            return GOING, self._push(seen, goal, 0.8, turn=turn)
        if movement == "straight":
            return GOING, self._push(seen, goal, _slowing(_away(seen, goal)))
        if self._path[0].press is not None:
            return GOING, self._open(seen, self._path[0], self._path[0].press)
        return GOING, self._follow(seen, movement == "run")

    def _open(self, seen: Observation, ahead: Waypoint, button: Button) -> Pad:
        """One step through what may be shut: it is pressed where one gets no further."""
        self._steps = self._stuck = 0
        moved = math.inf if self._was is None else math.dist(self._was, seen.position)
        self._was = seen.position
        if self._opening:
            self._opening -= 1
            return NEUTRAL
        self._shut = 0 if moved > 0.02 * self._controls.nearest else self._shut + 1
        if self._shut <= SHUT:
            return self._follow(seen, run=False)
        off = math.remainder(_heading(seen, ahead.position) - seen.facing, math.tau)
        if self._controls.turn and abs(off) > FACED:
            return Pad(right=(self._stick(off), 0.0))
        self._shut, self._opening = 0, round(self._controls.opening / self.dt)
        return Pad(held=int(button))

    def _look(self, seen: Observation, goal: Vector, tolerance: float, movement: Movement) -> bool:
        """See whether one gets on, and find a path again where that is needed; False if none is."""
        self._steps += 1
        if self._steps * self.dt >= LOOKING:
            self._steps = 0
            moved = math.inf if self._before is None else math.dist(self._before, seen.position)
            self._before = seen.position
            if moved < 0.5 * self._controls.nearest:
                self._stuck += 1
                self._aside = round(ASIDE / self.dt) if self._stuck > 1 else 0
                self._path = []
            else:
                self._stuck = 0
            if self._stuck >= STUCK:
                self.why = f"the player gets no further at {place_text(seen.position)}"
                if seen.screen:
                    self.why += f": the screen {seen.screen!r} is shown, close it first"
                return False
        least = max(0.5 * tolerance, self._controls.nearest)
        moved_goal = self._goal is None or math.dist(self._goal, goal) > least
        if movement == "straight" or (self._path and not moved_goal):
            return True
        ground = self._game.plan_map()
        if ground is None:
            self._path, self._goal = [Waypoint(goal)], goal
            return True
        self.paths += 1
        path = ground.path(seen.position, goal, max(tolerance, self._controls.nearest))
        if path is None:
            self.why = f"there is no way from {place_text(seen.position)} to {place_text(goal)}"
            return False
        # The last few steps may be shorter than a cell of the map.
        self._path, self._goal = [*path], goal
        if math.dist(self._path[-1].position[:2], goal[:2]) > tolerance:
            self._path.append(Waypoint(goal))
        self._on_path([Waypoint(seen.position), *self._path])
        return True

    def _step_by_policy(
        self, seen: Observation, goal: Vector, tolerance: float
    ) -> tuple[str, Pad]:  # fmt: skip
        """Go on with the policy's step from cell to cell, or take the next."""
        assert self._pilot is not None, "a plan moves by a policy, and there is none"
        ground = self._game.plan_map()
        if not isinstance(ground, GridMap):
            self.why = "the game knows no map of cells just now, which a policy needs"
            return LOST, NEUTRAL
        moved_goal = self._goal is None or math.dist(self._goal, goal) > self._controls.nearest
        if moved_goal:
            # Only whether there is a way at all is asked of the map, not which.
            near = max(tolerance, self._controls.nearest)
            if ground.path(seen.position, goal, near) is None:
                self.why = f"there is no way from {place_text(seen.position)} to {place_text(goal)}"
                return LOST, NEUTRAL
            self._goal = goal
        unit = self._controls.nearest / 0.3
        self._leg_steps += 1
        if self._leg_steps > LONGEST:
            self._path = []
            self._pilot.lose_place()
        arrived = len(self._path) == 1 and _away(seen, self._path[0].position) < ON_CELL * unit
        if not self._path or arrived:
            if self._bumps:
                self._bumps -= 1
                return GOING, NEUTRAL
            leg = self._pilot.next(ground.grid(), seen.position, goal)
            if leg is None:
                self.why = f"no free cell of the map is near {place_text(seen.position)}"
                return LOST, NEUTRAL
            self._path, self._leg_steps = list(leg.ways), 0
            self._bumps = 0 if leg.ways else BUMPED
            if not self._path:
                return GOING, NEUTRAL
        if len(self._path) > 1:
            return GOING, self._follow(seen, run=False)
        if self._path[0].press is not None:
            return GOING, self._open(seen, self._path[0], self._path[0].press)
        return GOING, self._push(seen, self._path[0].position, 1.0)

    def _follow(self, seen: Observation, run: bool) -> Pad:
        path = self._path
        unit = self._controls.nearest / 0.3
        while len(path) > 1:
            exact = path[1].jump > 0.0
            if _away(seen, path[0].position) >= unit * (0.2 if exact else CORNER):
                break
            path.pop(0)
            if exact:
                self._leap, self._air, self._again = path[0], 0, False
                self._height = seen.position[2]
                return self._fly(seen)
        ahead = path[0].position
        exact = len(path) == 1 or path[1].jump > 0.0
        away = _away(seen, ahead)
        if exact and len(path) == 1 and away < 0.1 * unit:
            self._path = []
        size = _slowing(away / unit) if exact else 1.0
        fast = run and (not exact or away > BRAKING * unit)
        return self._push(seen, ahead, size, run=fast)

    def _fly(self, seen: Observation) -> Pad:
        """One step of a jump: off the ground, through the air, and the landing."""
        leap, controls = self._leap, self._controls
        assert leap is not None
        self._air += 1
        rising = seen.position[2] > self._height
        self._height = seen.position[2]
        held = 0
        if controls.jump is not None:
            short = leap.jump > controls.one_jump or seen.position[2] < leap.position[2] + 0.2
            if self._air <= PRESS:
                held = int(controls.jump)
            elif not rising and seen.in_air and seen.can_jump and short and not self._again:
                self._again, held = True, int(controls.jump)
        if self._air > AIRBORNE and not seen.in_air:
            goal = self._goal
            self._forget_way()
            if self._pilot is not None:
                self._goal = goal
                self._pilot.lose_place()
        away = _away(seen, leap.position) * 0.3 / controls.nearest
        return self._push(seen, leap.position, min(1.0, max(0.3, away / 0.8)), held=held)

    def _teleport(self, seen: Observation, goal: Vector, tolerance: float) -> tuple[str, Pad]:
        for place in _around(goal, 0.8 * tolerance):
            ground = self._game.plan_map()
            is_reachable = ground is None or ground.path(place, goal, tolerance) is not None
            if is_reachable and self._game.teleport(place):
                return GOING, NEUTRAL
        self.why = f"the game can't put the player at {place_text(goal)}"
        self._stuck += 1
        return LOST, NEUTRAL

    def _push(
        self, seen: Observation, to: Vector, size: float, *, run: bool = False, held: int = 0,
        turn: float = 0.0,
    ) -> Pad:  # fmt: skip
        heading = _heading(seen, to) + turn
        if run and self._controls.run is not None:
            held |= int(self._controls.run)
        if self._game.sticks == "world":
            return Pad((size * math.cos(heading), size * math.sin(heading)), held=held)
        off = math.remainder(heading - seen.facing, math.tau)
        right = (self._stick(off), 0.0) if self._controls.turn else (0.0, 0.0)
        return Pad((-size * math.sin(off), size * math.cos(off)), right, held=held)

    def _stick(self, off: float) -> float:
        """The right stick that turns by an angle within a step, or as far as it can."""
        return min(1.0, max(-1.0, -off / self._controls.turn))


def _away(seen: Observation, place: Vector) -> float:
    return math.dist(seen.position[:2], place[:2])


def _heading(seen: Observation, to: Vector) -> float:
    return math.atan2(to[1] - seen.position[1], to[0] - seen.position[0])


def _slowing(away: float) -> float:
    return min(1.0, max(0.4, away))


def _around(goal: Vector, distance: float) -> list[Vector]:
    """The place itself if the player can be exactly there, else eight around it."""
    if distance < 0.3:
        return [goal]
    angles = (math.pi / 4 * number for number in range(8))
    return [
        (goal[0] + distance * math.cos(a), goal[1] + distance * math.sin(a), goal[2])
        for a in angles
    ]


def place_text(place: Vector) -> str:
    """A place as a person reads it: `(1.0, 2.5, 0.0)`."""
    return f"({', '.join(f'{value:.1f}' for value in place)})"
