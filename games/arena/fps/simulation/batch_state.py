"""The simulated state of several arenas at once, as columns."""

import hashlib
from collections.abc import Sequence
from random import Random

import numpy as np

from .collisions import move, reach_of
from .hall_level_loader import HallMap
from .ray_sensor import Floats
from .round_targets_and_modes import Target
from .rules import AGENT_RADIUS, ENEMY_RADIUS, SIDE, Rules
from .target_block_presets import Point, TargetBlock

_STAY = int(Target.STAY)
AWAY = -1000.0
"""Both coordinates of walls that are not there: so far that no ray and no body ever meets them."""
WANDERS = 16
"""How many headings an enemy has for a round; then they begin again."""
WANDER_TIME = 2.0
"""Seconds that it keeps one."""


class BatchState:
    """All arrays begin with the arenas, but for those with a leading axis of x and y.

    Bodies are numbered in one row: the agents, then slots for enemies. A slot is empty where
    `health` is 0.

    Args:
        hall: What all of them are played in.
        seeds: One for each arena; an arena depends on its own alone.
        agents: In each.
        enemies, blocks: The most that there can be in each.
    """

    def __init__(
        self,
        hall: HallMap,
        rules: Rules,
        seeds: Sequence[int],
        agents: int,
        enemies: int,
        blocks: int,
    ) -> None:
        count, bodies = len(seeds), agents + enemies
        walls = len(hall.walls) + blocks * max(len(preset.walls) for preset in hall.presets)
        self.hall, self.rules = hall, rules
        self.count, self.agents, self.enemies = count, agents, enemies
        self.rngs = [Random(seed) for seed in seeds]
        self.rounds = np.zeros(count, np.int64)
        """Rounds begun."""
        self.target = np.full(count, int(Target.STAY))
        self.ticks = np.zeros(count, np.int64)
        """Steps of the round so far."""
        self.at = np.empty((2, count, bodies))
        self.at[:] = [_away(body) for body in range(bodies)]
        """Where bodies are, metres."""
        self.yaw = np.zeros((count, agents))
        """Which way agents face: radians clockwise from y, as a compass."""
        self.sine, self.cosine = np.zeros((count, agents)), np.ones((count, agents))
        """The direction that they face, x and y, from `yaw`."""
        self.gun = np.zeros((count, agents), np.int64)
        """Steps until an agent can shoot again."""
        self.turns = np.zeros((count, agents, rules.records))
        """The newest turning actions, in a ring."""
        self.before = np.full((count, agents), np.nan)
        """Metres to the fire base's middle one step ago; none at the beginning of a round."""
        self.health = np.zeros((count, enemies), np.int64)
        """Hits that an enemy still takes."""
        self.is_target = np.zeros((count, enemies), bool)
        """Enemies that are targets, for the reward."""
        self.needed = np.zeros((count, enemies), bool)
        """Enemies that must be defeated to win."""
        self.home = np.full((count, enemies), -1)
        """Which of the arena's blocks an enemy belongs to; −1 for none."""
        self.ids = np.zeros((count, enemies), np.int64)
        """Counts the enemies of an arena: no two ever have the same."""
        self.drift = np.zeros((count, WANDERS, 2, enemies))
        """Velocities that enemies wander with, one after the other."""
        self.centers = np.full((2, count, walls), AWAY)
        """The middles of walls."""
        self.halves = np.zeros((2, count, walls))
        self.firebase = np.zeros((2, count))
        """The middle of the target's circle; 0 where there is none."""
        self.diameter = np.zeros(count)
        self.blocks: list[list[TargetBlock]] = [[] for _ in range(count)]
        """The objects of each arena; a target belongs to the last."""
        self.low, self.high = np.full((count, bodies), -np.inf), np.full((count, bodies), np.inf)
        """Bounds of bodies; none for slots that are empty."""
        self.low[:, :agents] = AGENT_RADIUS
        self.high[:, :agents] = SIDE - AGENT_RADIUS
        self._half = np.array([AGENT_RADIUS] * agents + [ENEMY_RADIUS] * enemies)
        self.reach = reach_of(self._half, self.halves)
        self._made = [0] * count
        for arena in range(count):
            self.wall_in(arena)

    # --- changing it ----------------------------------------------------------------------------

    def wall_in(self, arena: int) -> None:
        """Lay out the walls of the hall and of the arena's blocks."""
        boxes = [*self.hall.boxes, *(wall for b in self.blocks[arena] for wall in b.walls)]
        self.centers[:, arena], self.halves[:, arena] = AWAY, 0.0
        for number, box in enumerate(boxes):
            self.centers[:, arena, number] = box.x, box.y
            self.halves[:, arena, number] = box.half_x, box.half_y
        self.reach[:, arena] = reach_of(self._half, self.halves[:, arena : arena + 1])[:, 0]

    def turn_to(self, yaw: Floats) -> None:
        """Have all agents face so."""
        self.yaw = yaw
        self.sine, self.cosine = np.sin(yaw), np.cos(yaw)

    def spawn(self, arena: int, at: Point, home: int = -1, wanders: bool = False) -> int:
        """Put an enemy into an empty slot; returns its number.

        There must be an empty slot.
        """
        number = int((self.health[arena] == 0).argmax())
        rng, body = self.rngs[arena], self.agents + number
        self._made[arena] += 1
        self.ids[arena, number] = self._made[arena]
        self.health[arena, number] = self.rules.hits
        self.home[arena, number] = home
        self.at[:, arena, body] = at
        self.low[arena, body], self.high[arena, body] = ENEMY_RADIUS, SIDE - ENEMY_RADIUS
        self.drift[arena, :, :, number] = 0.0
        if wanders and self.rules.enemy_speed:
            headings = np.array([rng.random() for _ in range(WANDERS)]) * (2 * np.pi)
            self.drift[arena, :, 0, number] = self.rules.enemy_speed * np.sin(headings)
            self.drift[arena, :, 1, number] = self.rules.enemy_speed * np.cos(headings)
        return number

    def defeat(self, arena: int, number: int) -> None:
        """Take an enemy away."""
        body = self.agents + number
        self.health[arena, number] = 0
        self.at[:, arena, body] = _away(body)
        self.low[arena, body], self.high[arena, body] = -np.inf, np.inf
        self.drift[arena, :, :, number] = 0.0
        self.is_target[arena, number] = self.needed[arena, number] = False
        self.home[arena, number] = -1

    def clear(self, arena: int) -> None:
        """Take away all enemies and blocks."""
        for number in np.flatnonzero(self.health[arena]).tolist():
            self.defeat(arena, number)
        self.blocks[arena] = []
        self.wall_in(arena)

    def assign(self, arena: int, target: Target) -> None:
        """Give a target, and begin its round. One with a block is about the arena's last."""
        self.rounds[arena] += 1
        self.target[arena] = target
        self.ticks[arena] = 0
        self.turns[arena] = 0.0
        self.before[arena] = np.nan
        block = self.blocks[arena][-1] if target.has_block else None
        self.firebase[:, arena] = block.firebase if block else (0.0, 0.0)
        self.diameter[arena] = block.diameter if block else 0.0
        alive = self.health[arena] > 0
        self.is_target[arena] = self.needed[arena] = alive if target is Target.FREE else False
        if block and target is Target.ATTACK:
            self.needed[arena] = alive & (self.home[arena] == len(self.blocks[arena]) - 1)
            near = np.hypot(*(self.at[:, arena, self.agents :].T - block.firebase).T)
            self.is_target[arena] = alive & (near <= block.diameter / 2)

    def move(self, by: Floats) -> None:
        """Have all bodies walk so far, (2, arenas, bodies) metres, or as far as they can."""
        self.at = move(self.at, by, self.centers, self.reach, self.low, self.high)

    # --- looking at it --------------------------------------------------------------------------

    @property
    def remaining(self) -> Floats:
        """Seconds left of each round; 0 where there is none."""
        left = (self.rules.limit - self.ticks) * self.rules.step
        return np.where(self.target == _STAY, 0.0, left)

    def agents_at(self, arena: int) -> list[Point]:
        """Where the agents of an arena are."""
        return [(x, y) for x, y in self.at[:, arena, : self.agents].T.tolist()]

    def enemies_at(self, arena: int) -> list[Point]:
        """Where its living enemies are."""
        alive = self.health[arena] > 0
        return [(x, y) for x, y in self.at[:, arena, self.agents :].T[alive].tolist()]

    def state_hash(self, arena: int = 0) -> str:
        """A hash of everything that decides how an arena goes on, equal in every process."""
        digest = hashlib.blake2b(digest_size=16)
        columns = (
            self.rounds, self.target, self.ticks, self.yaw, self.gun, self.turns, self.before,
            self.health, self.is_target, self.needed, self.home, self.ids, self.drift,
            self.diameter,
        )  # fmt: skip
        for column in columns:
            digest.update(np.ascontiguousarray(column[arena]).astype(column.dtype.str).tobytes())
        for pair in (self.at, self.centers, self.halves, self.firebase):
            digest.update(np.ascontiguousarray(pair[:, arena]).tobytes())
        digest.update(repr(self.rngs[arena].getstate()).encode())
        return digest.hexdigest()


def _away(body: int) -> float:
    """Both coordinates of a body that is not there, where none of the others is either."""
    return 2 * AWAY - 10.0 * body
