"""An enemy: wanders near its home, chases what it sees, strikes, and is knocked back."""

import math
import struct
from random import Random

from .....hooks.decision_hooks import DecisionHooks
from .....recorder.statements.instrumentation_interface import Belief
from ...entity import STEP, HitReason, distance, pack_text
from ...yaml_nodes import Point
from .character_body import CharacterBody
from .enemy_fsm import EnemyDecision, EnemyFacts, EnemyState, decide
from .level import Zone
from .player import AdventurePlayer
from .terrain import ENEMY, STEP_UP, Terrain

SIGHT = 6.0
"""Metres."""
HALF_CONE = math.radians(60)
CLOSE = 1.5
"""Metres within which it senses a player behind its back."""
EYES = 1.2
THINKING = 6
"""Steps between two looks at the world; enemies take turns, so that the cost is spread."""
STROLL, HUNT, HUNT_BOSS = 1.2, 3.0, 2.4
"""Metres a second; all slower than the player."""
LEVEL = 0.9
"""Metres up or down that a blow reaches."""
NEVER = 999.0
"""The age and the distance of what was never seen."""


class Enemy(CharacterBody):
    """One of a kind: `label` is what all of that kind are called."""

    def __init__(
        self, id: int, type: str, label: str, at: Point, facing: float, hp: float, damage: float,
        home: Zone,
    ) -> None:  # fmt: skip
        super().__init__(id, label, at, facing, hp, ENEMY)
        self.type = type
        self.label = label
        self.damage = damage
        self.home = home
        self.state = EnemyState.WANDER
        self.since = 0.0
        """Game time at which this mood began."""
        self.sees = False
        self.belief: Point | None = None
        """Where it believes the player to be."""
        self.seen = -NEVER
        """Game time at which it saw the player last."""
        self.goal: Point = at
        self.wait = 0.0
        self.stuck = 0.0
        """Seconds without getting anywhere while wanting to."""

    @property
    def why(self) -> HitReason:
        raised = "winds up" if self.state is EnemyState.STRIKE else "strikes in Strike only"
        return HitReason(
            f"{self.state.value} wants {math.hypot(*self.desired):.1f}", "strike", raised
        )

    def thinks(self, tick: int) -> bool:
        """True in the steps in which it is its turn to look and to decide."""
        hit = self.knocked > 0.0 and self.state is not EnemyState.REEL
        return hit or (tick + self.id) % THINKING == 0

    def think(
        self, now: float, player: AdventurePlayer, terrain: Terrain,
        hooks: DecisionHooks | None = None,
    ) -> EnemyDecision | None:  # fmt: skip
        """Look and decide; the transition to take, if any."""
        away = distance(self.at, player.at)
        self.sees = (
            not player.dead
            and away <= SIGHT
            and (
                away <= CLOSE
                or self.angle_off_front(player.at) <= HALF_CONE
                or self.state is EnemyState.CHASE
            )
            and terrain.clear(self.at, player.at, max(self.z, player.z) + EYES)
        )
        if self.sees:
            self.belief, self.seen = player.at, now
        return decide(self.state, self.facts(now, player), hooks)

    def facts(self, now: float, player: AdventurePlayer) -> EnemyFacts:
        """What its conditions are asked about."""
        believed = self.belief
        return EnemyFacts(
            sees=self.sees,
            distance=NEVER if believed is None else distance(self.at, believed),
            belief_age=min(now - self.seen, NEVER),
            from_home=NEVER if believed is None else distance(self.home.at, believed),
            mood_time=now - self.since,
            knocked=self.knocked > 0.0,
            target_down=player.dead,
        )

    def beliefs(self, target: int) -> list[Belief]:
        """What it holds true about the player, in the words of a trace."""
        if self.belief is None:
            return []
        note = "in sight" if self.sees else "last seen"
        return [Belief(target, (*self.belief, 0.0), self.seen, note)]

    def apply(self, decision: EnemyDecision, now: float) -> bool:
        """Go over to another mood; True if a blow lands with it."""
        lands = self.state is EnemyState.STRIKE and decision.target is EnemyState.BREATHE
        self.state, self.since = decision.target, now
        self.stuck = 0.0
        if self.state is EnemyState.WANDER:
            self.belief, self.wait, self.goal = None, 0.5, self.at
        return lands

    def act(self, rng: Random, terrain: Terrain) -> None:
        """Move and turn for one step as the mood wants it."""
        striking = self.state is EnemyState.STRIKE
        self.lift = min(1.0, self.lift + 3.0 * STEP) if striking else max(0.0, self.lift - STEP)
        if self.carried():
            return
        if self.state is EnemyState.WANDER:
            self._stroll(rng, terrain)
        elif self.state is EnemyState.CHASE and self.belief is not None:
            self._go(self.belief, HUNT_BOSS if self.type == "boss" else HUNT, terrain, 0.8)
        else:
            self.push(0.0, 0.0)
            if self.belief is not None and self.state is not EnemyState.REEL:
                self.turn(self._bearing(self.belief), rate=3.0)

    def reaches(self, player: AdventurePlayer, reach: float) -> bool:
        """Whether a blow along its front would land."""
        return (
            distance(self.at, player.at) <= reach
            and abs(self.z - player.z) <= LEVEL
            and self.angle_off_front(player.at) <= HALF_CONE
        )

    def pack(self) -> bytes:
        believed = self.belief if self.belief is not None else (0.0, 0.0)
        numbers = struct.pack(
            "<9d2?", *believed, *self.goal, self.since, self.seen, self.wait, self.stuck,
            self.damage, self.sees, self.belief is not None,
        )  # fmt: skip
        return super().pack() + pack_text(self.state.value) + pack_text(self.label) + numbers

    def _stroll(self, rng: Random, terrain: Terrain) -> None:
        if self.wait > 0.0:
            self.wait -= STEP
            self.push(0.0, 0.0)
        elif distance(self.at, self.goal) < 0.4 or self.stuck > 1.0:
            self.goal, self.stuck = place_in(self.home, rng), 0.0
            self.wait = rng.uniform(0.2, 1.5)
        else:
            self._go(self.goal, STROLL, terrain, 0.0)

    def _go(self, goal: Point, speed: float, terrain: Terrain, near: float) -> None:
        """One step towards a position, but over no edge that it could not climb again."""
        heading = self._bearing(goal)
        self.turn(heading)
        ahead = (self.x + 0.5 * math.cos(heading), self.y + 0.5 * math.sin(heading))
        drop = self.z - terrain.floor(ahead, self.z, STEP_UP)
        if distance(self.at, goal) <= near or drop > STEP_UP:
            speed = 0.0
        self.push(speed * math.cos(heading), speed * math.sin(heading))
        self.stuck = self.stuck + STEP if self.speed < 0.3 else 0.0

    def _bearing(self, point: Point) -> float:
        if distance(self.at, point) < 0.05:
            return self.facing
        return math.atan2(point[1] - self.y, point[0] - self.x)


def place_in(zone: Zone, rng: Random) -> Point:
    """Any position in a zone."""
    (x, y), (w, h) = zone.at, zone.size
    return x + rng.uniform(-w / 2, w / 2), y + rng.uniform(-h / 2, h / 2)
