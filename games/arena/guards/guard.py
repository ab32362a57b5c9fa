"""A guard: eyes and ears, a belief about the player, and what it does in each state."""

import math
import struct
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from ....hooks.decision_hooks import DecisionHooks
from ....recorder.statements.instrumentation_interface import Belief
from ..animation.walk_animation import BODY_JOINTS
from ..entity import (
    GUARD,
    PLAYER,
    STEP,
    STONE,
    WALL,
    Character,
    HitReason,
    distance,
    pack_points,
    pack_text,
)
from ..level import GuardPost
from ..level_physics_and_routes import PhysicsSpace
from ..yaml_nodes import Point
from ..yard_player import Player
from .guard_fsm import SOUND, GuardDecision, GuardFacts, RuleTable, State, decide

HEALTH = 100.0
SIGHT = 9.0
"""Metres."""
HALF_CONE = math.radians(50)
CLOSE = 1.2
"""Metres within which a guard senses a person behind its back."""
THINKING = 6
"""Steps between two looks at the world; guards take turns, so that the cost is spread."""
HEARING = 9.0
"""Metres at which the loudest noise is heard."""
HEALING = 7.0
"""Health regained each second in flight."""
SWING = 0.8
"""Seconds from one strike to the next."""
STRIKE_REACH = 1.8
STRIKE_CONE = math.radians(60)

SPEEDS = {
    State.PATROL: 1.5,
    State.NOTICE: 0.0,
    State.CHASE: 3.4,
    State.ATTACK: 1.8,
    State.SEARCH: 2.3,
    State.FLEE: 4.2,
}
"""Metres a second."""


class Noise(NamedTuple):
    """Something to be heard for as long as it takes each guard to think once."""

    tick: int
    at: Point
    loudness: float
    """0 … 1 of `HEARING`."""


class Sighting(NamedTuple):
    """A position, and when it was perceived (game time, seconds)."""

    at: Point
    time: float


class GuardOrders(NamedTuple):
    """What something else than its state machine makes a guard do in a step."""

    heading: float = 0.0
    """Where it walks to, radians."""
    speed: float = 0.0
    face: float | None = None
    """Where it looks; by default where it walks."""
    strikes: bool = False
    recovers: bool = False


class Guard(Character):
    """Patrols, notices, chases, attacks, searches and flees."""

    type = "guard"

    def __init__(self, id: int, post: GuardPost, leg: int, table: RuleTable = SOUND) -> None:
        route = post.route
        leg %= len(route)
        start, towards = route[leg], route[(leg + 1) % len(route)]
        facing = math.atan2(towards[1] - start[1], towards[0] - start[0])
        super().__init__(id, post.name, start, facing, HEALTH, GUARD, WALL | GUARD | PLAYER | STONE)
        self.joints = BODY_JOINTS + (2 if post.lantern else 1)
        self.table = table
        self.patrol = route
        self.leg = (leg + 1) % len(route)
        self.state = State.PATROL
        self.since = 0.0
        """Game time at which the state was entered."""
        self.sees = False
        self.belief: Sighting | None = None
        self.noise: Sighting | None = None
        self.path: list[Point] = []
        self.goal: Point = route[self.leg]
        self.wait = 0.0
        self.stuck = 0.0
        """Seconds without getting anywhere while wanting to."""
        self.swing = 0.0
        """Seconds to the next strike."""
        self.astray = 0
        """Steps on end that it has been attacking with the player not in front of it."""
        self.orders: GuardOrders | None = None
        """What it does instead of what its states make it do: something else drives it."""

    @property
    def why(self) -> HitReason:
        waits = self.wait > 0.0 and self.state not in (State.ATTACK, State.NOTICE)
        wish = "waits" if waits else f"wants {math.hypot(*self.desired):.1f}"
        if self.lift > 0.0:
            raised = "struck, the arm comes down"
        elif self.state is State.ATTACK:
            raised = f"next strike in {max(0.0, self.swing):.1f} s"
        else:
            raised = "strikes in Attack only"
        return HitReason(f"{self.state.value} {wish}", "strike", raised)

    def thinks(self, tick: int) -> bool:
        """True in the steps in which it is this guard's turn to look and to decide."""
        return (tick + self.id) % THINKING == 0

    def think(
        self, now: float, player: Player, ground: PhysicsSpace, noises: Sequence[Noise],
        hooks: DecisionHooks | None = None,
    ) -> GuardDecision | None:  # fmt: skip
        """Look, listen and decide; the transition to take, if any."""
        self.perceive(now, player, ground, noises)
        return decide(self.table, self.state, self.facts(now, player.down), hooks)

    def apply(
        self, decision: GuardDecision | None, now: float, ground: PhysicsSpace, rng: Random
    ) -> None:
        """Do what was decided: go over to another state, or go on with the present one."""
        if decision is not None:
            self._enter(decision.target, now, ground, rng)
        elif self.state is State.CHASE and self.belief is not None:
            self._head_for(self.belief.at, ground)
        elif self.stuck > 1.5:
            self._unstick(ground)

    def perceive(
        self, now: float, player: Player, ground: PhysicsSpace, noises: Sequence[Noise]
    ) -> None:
        """Renew the belief if the player is in sight; remember where the last noise came from."""
        away = distance(self.at, player.at)
        self.sees = (
            not player.down
            and away <= SIGHT
            and (away <= CLOSE or self.angle_off_front(player.at) <= HALF_CONE)
            and ground.clear(self.at, player.at)
        )
        if self.sees:
            self.belief = Sighting(player.at, now)
        for noise in noises:
            if distance(self.at, noise.at) <= noise.loudness * HEARING:
                self.noise = Sighting(noise.at, now)

    def facts(self, now: float, target_down: bool) -> GuardFacts:
        """What the machine's conditions are asked about."""
        believed, heard = self.belief, self.noise
        return GuardFacts(
            hp=self.hp,
            sees=self.sees,
            target_down=target_down,
            distance=distance(self.at, believed.at) if believed else math.inf,
            belief_age=now - believed.time if believed else math.inf,
            noise_age=now - heard.time if heard else math.inf,
            goal_distance=distance(self.at, self.goal),
            state_time=now - self.since,
        )

    def beliefs(self, target: int) -> list[Belief]:
        """What it holds true about the player, in the words of a trace."""
        if self.belief is None:
            return []
        (x, y), seen = self.belief
        return [Belief(target, (x, y, 0.0), seen, "in sight" if self.sees else "last seen")]

    def act(self, now: float) -> bool:
        """Move and turn as the state wants it; True if a strike falls in this step."""
        self.lift = max(0.0, self.lift - 4.0 * STEP)
        if self.orders is not None:
            return self._obey(self.orders, now)
        if self.state is State.FLEE:
            self.hp = min(HEALTH, self.hp + HEALING * STEP)
        if self.state is State.ATTACK:
            return self._fight()
        if self.state is State.NOTICE:
            self.push(0.0, 0.0)
            self.turn(self._bearing(self.stimulus()))
            return False
        if self.wait > 0.0:
            self.wait -= STEP
            self.push(0.0, 0.0)
        elif not self._walk(SPEEDS[self.state]):
            self._arrived()
        return False

    def stimulus(self) -> Point:
        """Where what it perceived last came from."""
        known = [sighting for sighting in (self.belief, self.noise) if sighting is not None]
        return max(known, key=lambda sighting: sighting.time).at if known else self.at

    def pack(self) -> bytes:
        believed = (*self.belief.at, self.belief.time) if self.belief else (0.0, 0.0, -1.0)
        heard = (*self.noise.at, self.noise.time) if self.noise else (0.0, 0.0, -1.0)
        numbers = struct.pack(
            "<12d3q", *believed, *heard, *self.goal, self.since, self.wait, self.stuck, self.swing,
            self.leg, self.astray, self.sees,
        )  # fmt: skip
        ordered = b"" if self.orders is None else pack_text(repr(self.orders))
        state = pack_text(self.state.value) + pack_points(self.path) + ordered
        return super().pack() + numbers + state

    def _obey(self, orders: GuardOrders, now: float) -> bool:
        """One step as ordered; its state is what it looks like from outside."""
        state = self._look_of(orders)
        if state is not self.state:
            self.state, self.since = state, now
        speed = min(max(orders.speed, 0.0), SPEEDS[State.FLEE])
        self.push(speed * math.cos(orders.heading), speed * math.sin(orders.heading))
        if orders.face is not None or speed:
            self.turn(orders.heading if orders.face is None else orders.face)
        if orders.recovers:
            self.hp = min(HEALTH, self.hp + HEALING * STEP)
        self.swing = max(0.0, self.swing - STEP)
        if not orders.strikes or self.swing > 0.0:
            return False
        self.swing, self.lift = SWING, 1.0
        return True

    def _look_of(self, orders: GuardOrders) -> State:
        if orders.recovers:
            return State.FLEE
        if orders.strikes:
            return State.ATTACK
        return State.CHASE if orders.speed > SPEEDS[State.SEARCH] else State.PATROL

    def _enter(self, state: State, now: float, ground: PhysicsSpace, rng: Random) -> None:
        self.state = state
        self.since = now
        self.wait = self.stuck = 0.0
        self.path = []
        if state is State.PATROL:
            self.belief = self.noise = None
            self._head_for(self.patrol[self.leg], ground)
        elif state is State.CHASE or state is State.SEARCH:
            self._head_for(self.stimulus(), ground)
        elif state is State.ATTACK:
            self.swing = 0.3
        elif state is State.FLEE:
            self._head_for(self._shelter(ground, rng), ground)

    def _head_for(self, goal: Point, ground: PhysicsSpace) -> None:
        # A goal that moved by less is reached along the old route, with a new end.
        if self.path and distance(self.path[-1], goal) < 0.3:
            self.path[-1] = goal
        else:
            self.path = ground.route(self.at, goal)
        self.goal = goal

    def _walk(self, speed: float) -> bool:
        """One step along the path; False at its end."""
        while self.path and distance(self.at, self.path[0]) < 0.35:
            self.path.pop(0)
        if not self.path:
            self.push(0.0, 0.0)
            self.stuck = 0.0
            return False
        heading = self._bearing(self.path[0])
        self.push(speed * math.cos(heading), speed * math.sin(heading))
        self.turn(heading)
        self.stuck = self.stuck + STEP if self.speed < 0.3 else 0.0
        return True

    def _arrived(self) -> None:
        if self.state is State.PATROL:
            self.leg = (self.leg + 1) % len(self.patrol)
            self.goal = self.patrol[self.leg]
            self.path = [self.goal]
            self.wait = 0.4 * (self.leg % 3)
        elif self.state is State.SEARCH:
            self.turn(self.facing + 1.0, rate=1.8)

    def _fight(self) -> bool:
        target = self.belief.at if self.belief else self.at
        heading = self._bearing(target)
        speed = SPEEDS[State.ATTACK] if distance(self.at, target) > 0.9 else 0.0
        self.push(speed * math.cos(heading), speed * math.sin(heading))
        self.turn(heading)
        self.swing -= STEP
        if self.swing > 0.0:
            return False
        self.swing = SWING
        self.lift = 1.0
        return True

    def _unstick(self, ground: PhysicsSpace) -> None:
        """A person is in the way: take the next point, or find another way."""
        self.stuck = 0.0
        if self.state is State.PATROL:
            self.leg = (self.leg + 1) % len(self.patrol)
            self.goal = self.patrol[self.leg]
        self.path = ground.route(self.at, self.goal)

    def _shelter(self, ground: PhysicsSpace, rng: Random) -> Point:
        danger = self.stimulus()
        candidates = sorted(ground.level.waypoints, key=lambda way: -distance(way, danger))
        return rng.choice(candidates[:3])

    def _bearing(self, point: Point) -> float:
        if distance(self.at, point) < 0.05:
            return self.facing
        return math.atan2(point[1] - self.y, point[0] - self.x)
