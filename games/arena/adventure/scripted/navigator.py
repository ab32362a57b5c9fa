"""Walks a scripted player through an area: around obstacles, up ledges and over gaps."""

import math
from random import Random

from .....playback.pads.pad import Button
from ...entity import distance, wrapped
from ...yaml_nodes import Point
from ..adventure_state import AdventureState
from ..world.character_body import GRAVITY
from ..world.current_area import AreaState
from ..world.terrain import STEP_UP
from .humanlike_input import HumanInput
from .pathfinding import ONE_JUMP, PathLeg, WalkableArea

ARRIVED = 0.35
"""Metres from a waypoint at which the player heads for the next one."""
FOOT = 0.2
"""Metres from the foot of a ledge at which one jumps."""
LOOKING = 30
"""Steps between two checks of progress, and between two looks at a moving goal."""
SLOW = 0.12
"""Metres in that time that are not getting on."""
ASIDE = 20
"""Steps that one goes another way when stuck."""

THERE, GOING, LOST = "there", "going", "lost"


class Navigator:
    """Knows the way; says with the hands where to go. Draws all chance from the person's own."""

    def __init__(self, rng: Random, human_input: HumanInput) -> None:
        self._rng, self._input = rng, human_input
        self._area_state: AreaState | None = None
        self._ground: WalkableArea | None = None
        self._seen: tuple[object, ...] = ()
        self._path: list[PathLeg] = []
        self._goal: Point = (math.inf, math.inf)
        self._since = 0
        self._before: Point = (math.inf, math.inf)
        self._aside = 0
        self._heading = 0.0
        # A jump: where it ends, and how far it has come.
        self._leap: PathLeg | None = None
        self._off: tuple[Point, Point] | None = None
        """Where a run-up begins and where it takes off, until it has."""
        self._runs = False
        self._air = 0

    @property
    def leaping(self) -> bool:
        """Whether a jump is on its way."""
        return self._leap is not None

    def rest(self) -> None:
        """Forget the way: something else was done in between."""
        self._path = []
        self._leap = self._off = None

    def go(
        self,
        adventure: AdventureState,
        goal: Point,
        near: float,
        *,
        level: float | None = None,
        off: float = 0.5,
        run: bool = False,
    ) -> str:
        """One step on the way to within `near` metres of a position: there, going, or no way.

        Args:
            level: How high the position is; by default that of the ground there.
            off: Metres higher or lower that will do.
        """
        player, area_state = adventure.player, adventure.area_state
        if self._leap is not None:
            self._fly(adventure)
            return GOING
        if not player.grounded:
            return GOING
        if level is None:
            level = area_state.area.surface(*goal)
        if distance(player.at, goal) <= near and abs(player.z - level) <= off:
            self._path = []
            return THERE
        if not self._knows(adventure, goal):
            ground = self._look(area_state)
            path = ground.route(player.at, player.z, goal, near, level, off)
            if path is None:
                self._path = []
                return LOST
            self._path, self._goal = path, goal
        self._follow(adventure, near, run)
        return GOING

    def jump(
        self, adventure: AdventureState, start: Point, at: Point, run_up: float, run: bool
    ) -> str:
        """One step of a jump with a run-up, taking off at `start`: there, going, or no way."""
        player, area = adventure.player, adventure.area_state.area
        if self._leap is not None:
            self._fly(adventure)
            return GOING
        level = area.surface(*at)
        way = math.atan2(at[1] - start[1], at[0] - start[0])
        gone = (player.x - start[0]) * math.cos(way) + (player.y - start[1]) * math.sin(way)
        if gone > 0.5 * distance(start, at):
            return self.go(adventure, at, 1.5, level=level)
        begin = (start[0] - run_up * math.cos(way), start[1] - run_up * math.sin(way))
        arrived = self.go(adventure, begin, 0.3, level=area.surface(*start))
        if arrived == THERE:
            self._leap, self._off, self._runs, self._air = (
                PathLeg(at, level),
                (begin, start),
                run,
                0,
            )
        return LOST if arrived == LOST else GOING

    def towards(
        self, adventure: AdventureState, heading: float, size: float, run: bool = False
    ) -> None:
        """Push the stick along a heading, and turn the camera after it."""
        if run:
            self._input.runs |= int(Button.RB)
        self._input.push(heading, size)
        self._input.look(wrapped(heading - adventure.player.heading))

    def pack(self) -> bytes:
        """Everything that decides where it goes next."""
        state = (
            [tuple(leg) for leg in self._path], self._goal, self._since, self._before,
            self._aside, self._heading, self._leap, self._off, self._runs, self._air,
        )  # fmt: skip
        return repr(state).encode()

    def _look(self, area_state: AreaState) -> WalkableArea:
        seen = (
            area_state.area.name, *(gate.state for gate in area_state.gates),
            len(area_state.devices),
        )  # fmt: skip
        if self._ground is None or area_state is not self._area_state or seen != self._seen:
            self._area_state, self._seen, self._ground = area_state, seen, WalkableArea(area_state)
        return self._ground

    def _knows(self, adventure: AdventureState, goal: Point) -> bool:
        """Whether the way that is known still leads there. Looks up now and then."""
        player = adventure.player
        if adventure.area_state is not self._area_state or not self._path:
            self._before, self._since = player.at, 0
            return False
        self._since += 1
        if self._since < LOOKING:
            return distance(goal, self._goal) < 2.0
        self._since = 0
        stuck = distance(player.at, self._before) < SLOW
        self._before = player.at
        if stuck:
            self._aside, self._heading = ASIDE, self._rng.uniform(-math.pi, math.pi)
        return not stuck and distance(goal, self._goal) < 0.3

    def _follow(self, adventure: AdventureState, near: float, run: bool) -> None:
        player, path = adventure.player, self._path
        if self._aside:
            self._aside -= 1
            self.towards(adventure, self._heading, 0.7)
            return
        at = player.at
        while len(path) > 1 and distance(at, path[0].at) < (FOOT if path[1].jump else ARRIVED):
            path.pop(0)
            if path[0].jump:
                self._leap, self._off, self._runs, self._air = path[0], None, False, 0
                self._path = []
                self._fly(adventure)
                return
        leg = path[0]
        away = distance(player.at, leg.at)
        last = len(path) == 1
        if away < 0.1 or (last and away < 0.5 * near):
            # As near as it gets.
            self._path = []
        heading = math.atan2(leg.at[1] - player.y, leg.at[0] - player.x)
        exact = last or path[1].jump > 0.0
        size = min(1.0, max(0.4, away)) if exact else 1.0
        self.towards(adventure, heading, size, run and not exact)

    def _fly(self, adventure: AdventureState) -> None:
        """One step of a jump: the run-up, the air, and the landing."""
        player, human_input, leap = adventure.player, self._input, self._leap
        if leap is None:
            return
        (x, y), z = leap.at, leap.z
        away = distance(player.at, leap.at)
        heading = math.atan2(y - player.y, x - player.x)
        if player.knocked > 0.0:
            self.rest()
            return
        if self._runs:
            human_input.runs |= int(Button.RB)
        if self._off is not None:
            (bx, by), (sx, sy) = self._off
            way = math.atan2(sy - by, sx - bx)
            left = (sx - player.x) * math.cos(way) + (sy - player.y) * math.sin(way)
            human_input.push(heading, sure=True)
            if left < 0.1 and human_input.tap(Button.B):
                self._off = None
            return
        self._air += 1
        human_input.push(heading, min(1.0, max(0.3, away / 0.8)), sure=True)
        if player.grounded:
            if self._air == 1:
                human_input.tap(Button.B)
            elif self._air > 12:
                # It has landed, wherever that is.
                self.rest()
            return
        high = leap.jump > ONE_JUMP and player.rise < 0.8
        if player.jumps == 1 and (high or self._falls_short(adventure, z)):
            human_input.tap(Button.B)

    def _falls_short(self, adventure: AdventureState, z: float) -> bool:
        """Whether a fall, as it goes now, ends lower than meant."""
        player = adventure.player
        above = player.z - z
        if player.rise > 0.0 or above > 0.4:
            return False
        if above <= 0.0:
            return True
        left = (player.rise + math.sqrt(player.rise**2 + 2 * GRAVITY * above)) / GRAVITY
        end = player.x + left * player.vx, player.y + left * player.vy
        return adventure.area_state.area.surface(*end) < z - STEP_UP
