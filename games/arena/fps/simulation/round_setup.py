"""Starts rounds: chooses targets, and places or keeps agents and objects."""

import math
from collections.abc import Mapping
from random import Random

from .....errors import GameError
from .batch_state import BatchState
from .block_difficulty_probabilities import DifficultyProbabilities
from .round_targets_and_modes import ArenaMode, Target
from .rules import AGENT_RADIUS, ENEMY_RADIUS, SIDE
from .target_block_presets import Point, TargetBlock

START = 1.0
"""Both coordinates of the first agent in the first round: the lower left corner."""
BESIDE = 1.5
"""Metres between agents that begin side by side."""
APART = 1.2
"""Metres between the middles of bodies that are put down at random."""
FAR = 5.0
"""Metres from any agent at which enemies are put down at random."""
AROUND = 1.0
"""Metres that a block keeps from every agent."""
_TRIES = 10_000


class Rounds:
    """Begins the rounds of some arenas.

    In a free round agents are put down at random; in the others they stay where the last one left
    them, or begin in the lower left corner. They always go on facing as they did.

    Args:
        odds: For each target with a block, how likely each difficulty is; read when a block is
            generated.
    """

    def __init__(
        self, arenas: BatchState, mode: ArenaMode, odds: Mapping[Target, DifficultyProbabilities]
    ) -> None:
        self._arenas = arenas
        self._mode = mode
        self._odds = odds
        for arena in range(arenas.count):
            line_up(arenas, arena)

    def begin(self, arena: int) -> None:
        """Begin the next round of an arena."""
        arenas, rng = self._arenas, self._arenas.rngs[arena]
        arenas.gun[arena] = 0
        if not self._mode.trains:
            arenas.assign(arena, Target.STAY)
            return
        arenas.clear(arena)
        targets = self._mode.targets
        target = targets[0] if len(targets) == 1 else rng.choice(targets)
        if target is Target.FREE:
            self._scatter(arena, rng)
        else:
            block = self._generate(arena, target, rng)
            arenas.blocks[arena] = [block]
            arenas.wall_in(arena)
            self._make_way(arena, block, rng)
            for at in block.enemies:
                arenas.spawn(arena, at, home=0)
        arenas.assign(arena, target)

    def _scatter(self, arena: int, rng: Random) -> None:
        """Agents and enemies anywhere."""
        arenas = self._arenas
        arenas.at[:, arena, : arenas.agents] = -SIDE
        for agent in range(arenas.agents):
            arenas.at[:, arena, agent] = free_point(arenas, arena, rng, AGENT_RADIUS)
        enemies = arenas.rules.enemies
        count = enemies if isinstance(enemies, int) else rng.randint(*enemies)
        for _ in range(count):
            at = free_point(arenas, arena, rng, ENEMY_RADIUS, away=FAR)
            arenas.spawn(arena, at, wanders=True)

    def _generate(self, arena: int, target: Target, rng: Random) -> TargetBlock:
        """A block by the odds, at a random position that is clear of agents."""
        hall = self._arenas.hall
        difficulty = self._odds[target].draw(rng)
        preset = rng.choice(hall.presets_for(target, difficulty))
        agents = self._arenas.agents_at(arena)
        crowd: dict[Point, int] = {}
        for _ in range(100):
            corner = rng.choice(hall.corners)
            block = TargetBlock(preset, corner)
            crowd[corner] = sum(block.holds(agent, AROUND) for agent in agents)
            if not crowd[corner]:
                return block
        blocks = [TargetBlock(preset, corner) for corner in hall.corners]
        return min(blocks, key=lambda b: sum(b.holds(agent, AROUND) for agent in agents))

    def _make_way(self, arena: int, block: TargetBlock, rng: Random) -> None:
        """So many agents that no position is clear of them: those in the way are put elsewhere."""
        arenas = self._arenas
        for agent, at in enumerate(arenas.agents_at(arena)):
            if block.holds(at, AROUND):
                arenas.at[:, arena, agent] = free_point(
                    arenas, arena, rng, AGENT_RADIUS, outside=block
                )


def line_up(arenas: BatchState, arena: int) -> None:
    """Put the agents of an arena into the lower left corner, side by side, in rows of eight."""
    for agent in range(arenas.agents):
        row, column = divmod(agent, 8)
        arenas.at[:, arena, agent] = START + BESIDE * column, START + BESIDE * row


def free_point(
    arenas: BatchState,
    arena: int,
    rng: Random,
    radius: float,
    *,
    away: float = 0.0,
    outside: TargetBlock | None = None,
) -> Point:
    """A random free position for a body: in no other body and in no wall.

    Args:
        away: Metres to keep from every agent.
        outside: A block to keep out of.

    Raises:
        GameError: the hall is full.
    """
    agents, enemies = arenas.agents_at(arena), arenas.enemies_at(arena)
    boxes = [*arenas.hall.boxes, *(wall for b in arenas.blocks[arena] for wall in b.walls)]
    for attempt in range(_TRIES):
        point = (rng.uniform(radius, SIDE - radius), rng.uniform(radius, SIDE - radius))
        if outside is not None and outside.holds(point, AROUND):
            continue
        if any(box.near(point, radius) for box in boxes):
            continue
        if any(math.dist(point, other) < APART for other in enemies):
            continue
        # Where agents stand everywhere, it is enough not to stand in one.
        room = max(away if attempt < _TRIES // 2 else 0.0, APART)
        if any(math.dist(point, other) < room for other in agents):
            continue
        return point
    raise GameError(f"no room for another body among {len(agents)} agents, {len(enemies)} enemies")
