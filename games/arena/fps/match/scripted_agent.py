"""A scripted player of the hall: walks to its target and shoots.

It reads the state of the simulation, not observations. It demonstrates the hall and that every
round can be won; it is no example for a learning agent.
"""

import math

import numpy as np
import numpy.typing as npt

from ..learning.actions import Actions
from ..simulation.batch_state import BatchState
from ..simulation.round_targets_and_modes import Target
from ..simulation.rules import AGENT_RADIUS, ENEMY_RADIUS, SIDE
from ..simulation.target_block_presets import Point, Rectangle
from .training_match import Match

GRID = 0.5
"""Metres between the points that a way leads over."""
TURN = 12.0
"""The most that it turns in a step."""
NEAR = 6.0
"""Metres to an enemy at which it stands and shoots, where it can see it."""
_NODES = int(SIDE / GRID) + 1
_FAR = np.iinfo(np.int64).max


class ScriptedAgent:
    """Plays all agents of a match."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._step_counts: dict[tuple[int, int], npt.NDArray[np.int64]] = {}
        self._ground: object = None
        self._free: npt.NDArray[np.bool_] = np.ones((_NODES, _NODES), bool)

    def actions(self) -> Actions:
        """What they do in the next step."""
        match = self._match
        arenas = match.arenas
        forward, right = (np.zeros((1, arenas.agents), np.int64) for _ in range(2))
        attack, turn = np.zeros((1, arenas.agents), bool), np.zeros((1, arenas.agents))
        self._look_around(arenas)
        for agent, at in enumerate(arenas.agents_at(0)):
            goal, seen = self._goal(arenas, agent, at)
            if goal is None:
                continue
            is_in_position = seen and self._aims_well(agent) and math.dist(at, goal) < NEAR
            way = None if is_in_position else self._way(at, goal)
            faced = goal if seen or way is None else (at[0] + way[0], at[1] + way[1])
            turn[0, agent] = self._turn(agent, at, faced)
            if way is not None:
                forward[0, agent], right[0, agent] = self._keys(agent, way, turn[0, agent])
            attack[0, agent] = self._aims_well(agent)
        return Actions(forward, right, attack, turn)

    def _goal(self, arenas: BatchState, agent: int, at: Point) -> tuple[Point | None, bool]:
        """Where to go, if anywhere, and whether that is an enemy that the agent sees."""
        target = self._match.target
        if target is Target.GOTO:
            x, y = arenas.firebase[:, 0].tolist()
            return (x, y), False
        bodies = arenas.agents + np.flatnonzero(arenas.needed[0] & (arenas.health[0] > 0))
        if target is Target.STAY or not len(bodies):
            return None, False
        seen = np.isin(bodies, self._match.simulation.ray_hits.hits[0, agent])
        if seen.any():
            bodies = bodies[seen]
        positions = [(x, y) for x, y in arenas.at[:, 0, bodies].T.tolist()]
        if seen.any() or target is Target.FREE:
            return min(positions, key=lambda position: math.dist(position, at)), bool(seen.any())
        # In a block the nearest one may be behind a wall that is long to walk around.
        return min(positions, key=lambda position: int(self._steps(position)[_node(at)])), False

    def _aims_well(self, agent: int) -> bool:
        """Whether an enemy is straight ahead, and it is worth a shot."""
        arenas = self._match.arenas
        ahead = int(self._match.simulation.ray_hits.hits[0, agent, -1]) - arenas.agents
        return ahead >= 0 and bool(arenas.needed[0, ahead])

    def _turn(self, agent: int, at: Point, point: Point) -> float:
        arenas = self._match.arenas
        target_heading = math.atan2(point[0] - at[0], point[1] - at[1])
        off = math.remainder(target_heading - float(arenas.yaw[0, agent]), math.tau)
        degrees = math.degrees(off) / arenas.rules.degrees
        return min(max(degrees, -TURN), TURN)

    def _keys(self, agent: int, way: Point, turn: float) -> tuple[int, int]:
        """The keys that walk most nearly along a way."""
        arenas = self._match.arenas
        yaw = float(arenas.yaw[0, agent]) + math.radians(turn * arenas.rules.degrees)
        sine, cosine = math.sin(yaw), math.cos(yaw)
        ahead = way[0] * sine + way[1] * cosine
        aside = way[0] * cosine - way[1] * sine
        least = 0.4 * math.hypot(ahead, aside)
        return _sign(ahead, least), _sign(aside, least)

    # --- ways -----------------------------------------------------------------------------------

    def _look_around(self, arenas: BatchState) -> None:
        """Update where one can walk, if blocks have changed."""
        ground = (
            self._match.starts,
            [id(block) for block in arenas.blocks[0]],
            arenas.health[0].sum(),
        )
        if ground == self._ground:
            return
        self._ground = ground
        self._step_counts.clear()
        boxes = [*arenas.hall.boxes, *(wall for b in arenas.blocks[0] for wall in b.walls)]
        if self._match.target is Target.GOTO:
            boxes += [Rectangle(x, y, ENEMY_RADIUS, ENEMY_RADIUS) for x, y in arenas.enemies_at(0)]
        self._free = free_nodes(boxes)

    def _steps(self, goal: Point) -> npt.NDArray[np.int64]:
        key = _node(goal)
        if key not in self._step_counts:
            if len(self._step_counts) > 64:
                self._step_counts.clear()
            self._step_counts[key] = steps_to(self._free, key)
        return self._step_counts[key]

    def _way(self, at: Point, goal: Point) -> Point | None:
        """The direction of the next point on the way; None if there is no way."""
        steps, (i, j) = self._steps(goal), _node(at)
        best, where = _FAR, None
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                k, m = i + di, j + dj
                if not (0 <= k < _NODES and 0 <= m < _NODES) or steps[k, m] == _FAR:
                    continue
                # No corner is cut.
                if di and dj and not (self._free[i, m] and self._free[k, j]):
                    continue
                if steps[k, m] < best:
                    best, where = int(steps[k, m]), (k * GRID, m * GRID)
        if where is None:
            return None
        if best == 0:
            where = goal
        return where[0] - at[0], where[1] - at[1]


def free_nodes(boxes: list[Rectangle]) -> npt.NDArray[np.bool_]:
    """The points of a grid at which an agent has room, between these walls."""
    along = np.arange(_NODES) * GRID
    free = np.ones((_NODES, _NODES), bool)
    edge = (along < AGENT_RADIUS) | (along > SIDE - AGENT_RADIUS)
    free[edge, :] = free[:, edge] = False
    for box in boxes:
        near_x: npt.NDArray[np.bool_] = np.abs(along - box.x) < box.half_x + AGENT_RADIUS
        near_y: npt.NDArray[np.bool_] = np.abs(along - box.y) < box.half_y + AGENT_RADIUS
        free[np.ix_(near_x, near_y)] = False
    return free


def steps_to(free: npt.NDArray[np.bool_], goal: tuple[int, int]) -> npt.NDArray[np.int64]:
    """How many steps along the grid it is from each point to the goal, which may be a wall's."""
    steps = np.full(free.shape, _FAR)
    front = np.zeros(free.shape, bool)
    front[goal] = True
    count = 0
    while front.any():
        steps[front] = count
        count += 1
        wider = front.copy()
        wider[1:] |= front[:-1]
        wider[:-1] |= front[1:]
        wider[:, 1:] |= front[:, :-1]
        wider[:, :-1] |= front[:, 1:]
        front = wider & free & (steps == _FAR)
    return steps


def _node(point: Point) -> tuple[int, int]:
    i, j = (min(max(round(value / GRID), 0), _NODES - 1) for value in point)
    return i, j


def _sign(value: float, least: float) -> int:
    return 0 if abs(value) < max(least, 1e-9) else (1 if value > 0 else -1)
