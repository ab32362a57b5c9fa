"""Executes a person's orders, refuses impossible ones, and previews their effect."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .....errors import GameError
from ..learning.side_channel import SideChannel
from ..simulation.block_difficulty_probabilities import DifficultyProbabilities
from ..simulation.hall_level_loader import ROOM
from ..simulation.round_setup import AROUND
from ..simulation.round_targets_and_modes import ArenaMode, Target
from ..simulation.rules import ENEMY_RADIUS, SIDE
from ..simulation.simulation import HallSimulation
from ..simulation.target_block_presets import SIZE, Point, Preset, Rectangle, TargetBlock
from .match_control_commands import (
    AskCommand,
    ClearGame,
    FreeMode,
    LockOdds,
    Order,
    SetOdds,
    SpawnBlock,
    SpawnEnemy,
    StayMode,
    block_target,
)

MOST_ENEMIES = 64
"""How many may be in the hall in test mode."""
MOST_BLOCKS = 9


class SpawnPreview(NamedTuple):
    """What a spawning order would put into the hall, and whether it can."""

    walls: list[Rectangle]
    enemies: list[Point]
    firebase: Point | None
    diameter: float
    refused: str
    """Why it can't; empty if it can."""


def change_odds(odds: Mapping[Target, DifficultyProbabilities], order: SetOdds | LockOdds) -> None:
    """Do to the panels what is ordered.

    Raises:
        GameError: it can't be done, and nothing was.
    """
    panel = odds[block_target(order.target)]
    match order:
        case SetOdds(_, difficulty, value):
            panel.set(difficulty, value)
        case LockOdds(_, difficulty, locked):
            panel.lock(difficulty, locked)


class OrderExecutor:
    """Carries orders out in one arena."""

    def __init__(
        self,
        simulation: HallSimulation,
        mode: ArenaMode,
        odds: Mapping[Target, DifficultyProbabilities],
        side: SideChannel,
    ) -> None:
        self._simulation = simulation
        self._arenas = simulation.arenas
        self._mode = mode
        self._odds = odds
        self._side = side
        self._turns: dict[tuple[Target, int], int] = {}

    @property
    def turns(self) -> list[tuple[Target, int, int]]:
        """How many blocks were spawned of each target and difficulty."""
        return sorted((*key, count) for key, count in self._turns.items())

    def carry_out(self, order: Order) -> None:
        """Do what is ordered.

        Raises:
            GameError: it can't be done, and nothing was.
        """
        match order:
            case SetOdds() | LockOdds():
                change_odds(self._odds, order)
            case AskCommand(command):
                self._side.ask(command)
            case _:
                self._by_hand(order)

    def preview(self, order: SpawnEnemy | SpawnBlock) -> SpawnPreview:
        """What this order would do now; changes nothing.

        Raises:
            GameError: there is no such target, difficulty or preset.
        """
        if isinstance(order, SpawnEnemy):
            return SpawnPreview([], [(order.x, order.y)], None, 0.0, self._enemy_refused(order))
        block = self._block(order)
        refused = self._block_refused(block)
        return SpawnPreview(block.walls, block.enemies, block.firebase, block.diameter, refused)

    # --- by hand --------------------------------------------------------------------------------

    def _by_hand(self, order: Order) -> None:
        arenas = self._arenas
        if self._mode.trains:
            raise GameError(
                f"{type(order).__name__}: {self._mode} gives its targets itself; orders by hand"
                f" are for mode {ArenaMode.TEST}"
            )
        match order:
            case SpawnEnemy():
                self._spawn_enemy(order)
            case SpawnBlock():
                self._spawn_block(order)
            case FreeMode():
                if not arenas.health[0].any():
                    raise GameError("FreeMode: there is no enemy to defeat; spawn some first")
                arenas.assign(0, Target.FREE)
            case StayMode():
                arenas.assign(0, Target.STAY)
            case ClearGame():
                arenas.clear(0)
                arenas.assign(0, Target.STAY)
        self._simulation.look()

    def _spawn_enemy(self, order: SpawnEnemy) -> None:
        refused = self._enemy_refused(order)
        if refused:
            raise GameError(refused)
        arenas, at = self._arenas, (float(order.x), float(order.y))
        home = max((n for n, b in enumerate(arenas.blocks[0]) if b.holds(at)), default=-1)
        number = arenas.spawn(0, at, home=home, wanders=home < 0)
        target = arenas.target[0]
        current = home >= 0 and home == len(arenas.blocks[0]) - 1
        if target == Target.FREE:
            arenas.is_target[0, number] = arenas.needed[0, number] = True
        elif target == Target.ATTACK and current:
            arenas.needed[0, number] = True
            arenas.is_target[0, number] = arenas.blocks[0][-1].in_firebase(at)

    def _spawn_block(self, order: SpawnBlock) -> None:
        arenas, block = self._arenas, self._block(order)
        refused = self._block_refused(block)
        if refused:
            raise GameError(refused)
        target = block_target(order.target)
        if not order.preset:
            key = (target, order.difficulty)
            self._turns[key] = self._turns.get(key, 0) + 1
        arenas.blocks[0].append(block)
        arenas.wall_in(0)
        for at in block.enemies:
            arenas.spawn(0, at, home=len(arenas.blocks[0]) - 1)
        arenas.assign(0, target)

    def _block(self, order: SpawnBlock) -> TargetBlock:
        return TargetBlock(self._preset(order), (order.x - SIZE / 2, order.y - SIZE / 2))

    def _preset(self, order: SpawnBlock) -> Preset:
        target, hall = block_target(order.target), self._arenas.hall
        presets = hall.presets_for(target, order.difficulty)
        if order.preset:
            preset = hall.preset(order.preset)
            if preset not in presets:
                raise GameError(
                    f"block {order.preset!r} is none for {target.word} of difficulty"
                    f" {order.difficulty}: those are {', '.join(p.name for p in presets)}"
                )
            return preset
        if not presets:
            raise GameError(f"difficulty {order.difficulty!r}: they go from 1 to 5")
        return presets[self._turns.get((target, order.difficulty), 0) % len(presets)]

    # --- what can't be --------------------------------------------------------------------------

    def _enemy_refused(self, order: SpawnEnemy) -> str:
        arenas, at = self._arenas, (order.x, order.y)
        where = f"an enemy at ({order.x:g}, {order.y:g})"
        if not all(math.isfinite(v) and ENEMY_RADIUS <= v <= SIDE - ENEMY_RADIUS for v in at):
            return f"{where} would not be in the hall"
        boxes = [*arenas.hall.boxes, *(wall for b in arenas.blocks[0] for wall in b.walls)]
        if any(box.near(at, ENEMY_RADIUS) for box in boxes):
            return f"{where} would stand in a wall"
        others = [*arenas.agents_at(0), *arenas.enemies_at(0)]
        if any(math.dist(at, other) < 2 * ENEMY_RADIUS for other in others):
            return f"{where} would overlap an agent or an enemy"
        return self._full(1)

    def _block_refused(self, block: TargetBlock) -> str:
        arenas, (x, y) = self._arenas, block.middle
        where = f"a block at ({x:g}, {y:g})"
        if not (math.isfinite(x) and math.isfinite(y)) or not arenas.hall.has_room(block):
            return f"{where} would be too close to a wall of the hall: leave {ROOM:g} m"
        if any(block.overlaps(other, ROOM) for other in arenas.blocks[0]):
            return f"{where} would be too close to another block: leave {ROOM:g} m"
        if any(block.holds(agent, AROUND) for agent in arenas.agents_at(0)):
            return f"{where} would be too close to an agent: leave {AROUND:g} m"
        if any(block.holds(enemy, ENEMY_RADIUS) for enemy in arenas.enemies_at(0)):
            return f"{where} would stand on an enemy"
        if len(arenas.blocks[0]) >= MOST_BLOCKS:
            return f"{where}: there are {MOST_BLOCKS} blocks already; clear the game first"
        return self._full(len(block.enemies))

    def _full(self, more: int) -> str:
        alive = int(np.count_nonzero(self._arenas.health[0]))
        if alive + more > self._arenas.enemies:
            return f"there are {alive} enemies: {self._arenas.enemies} is the most"
        return ""
