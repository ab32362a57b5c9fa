"""Navigates over a game's map cells with a trained policy."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from ....games.plan_game_interface import Waypoint
from ....games.playable_interface import Vector
from ....games.walkable_grid import DIRECTIONS, NOWHERE, STEPS, Cell, WalkGrid
from ....recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
    Rejected,
    Scalar,
)
from .grid_sensor import CHANNELS, TARGET, Floats32, GridSensor, Trails
from .policy_model import Judgement, PolicyModel

MACHINE, CHANNEL = "policy", "plan"
LIKELY = 0.7
"""The temperature that steps are drawn with: below 1 the likelier ones are preferred further."""
MENTIONED = 0.01
"""The least probability of a step that a trace lists as rejected."""
CHOSEN, SEEN = (250, 200, 60), (120, 120, 130)


class Leg(NamedTuple):
    """One step from a cell to another."""

    start: Vector
    ways: tuple[Waypoint, ...]
    """Where it goes: two where a jump begins at the middle of its cell."""


class PolicyNavigator:
    """Takes one step after another with a policy's networks.

    Args:
        seed: Decides between likely steps.
        step_up: How far up or down the middle of its own cell a player may stand.
        instruments: Where each decision is left.
        player: The object that is about.
    """

    def __init__(
        self, model: PolicyModel, seed: int = 0, *, step_up: float = 0.5,
        instruments: Instrumentation = NULL_INSTRUMENTATION, player: int = 0,
    ) -> None:  # fmt: skip
        self._model, self._random, self._step_up = model, Random(seed), step_up
        self._instruments, self._player = instruments, player
        self._grid: WalkGrid | None = None
        self._sensor: GridSensor | None = None
        self._trails: Trails | None = None
        self._cell: Cell | None = None
        self._visited: set[Cell] = set()
        self._direction = ""
        self._seen: Floats32 | None = None
        self._judged: Judgement | None = None
        self.steps = 0
        """Steps since the last new target."""

    @property
    def cells(self) -> int:
        """Different cells since the last new target."""
        return len(self._visited)

    def begin(self) -> None:
        """There is a new target: the trail to the last one is of no use."""
        self.steps = 0
        self._visited.clear()
        self._cell = None
        if self._trails is not None:
            self._trails.forget(0)

    def lose_place(self) -> None:
        """The last step was not finished: find again which cell the player is on."""
        self._cell = None

    def next(self, grid: WalkGrid, position: Vector, goal: Vector) -> Leg | None:
        """The next step from there; None if there is no free cell to stand on."""
        if grid is not self._grid:
            self._grid, self._cell = grid, None
            self._sensor = GridSensor([grid], self._model.reach, self._model.stride)
            self._trails = Trails(self._sensor, 1)
        sensor, trails = self._sensor, self._trails
        assert sensor is not None
        assert trails is not None
        if self._cell is None:
            near = grid.nearest_free_cell(position, self._step_up)
            self._cell = (
                near if near is not None else grid.nearest_free_cell(position, self._step_up, 6)
            )
        if self._cell is None:
            return None
        places = np.array([sensor.place(0, self._cell)])
        self._visited.add(self._cell)
        self._seen = sensor.observe(places, np.array([goal], np.float32), trails)[0]
        self._judged = self._model.judge(self._seen)
        direction = self._choose(self._judged.probabilities)
        trails.visit(places)
        self.steps += 1
        self._trace(direction)
        found = int(sensor.step(places, np.array([direction]))[0])
        start = grid.middle(self._cell)
        if found == NOWHERE:
            return Leg(start, ())
        self._cell = sensor.cell(found)
        there = grid.middle(self._cell)
        rise = there[2] - start[2]
        if rise > self._step_up:
            return Leg(start, (Waypoint(start), Waypoint(there, rise)))
        return Leg(start, (Waypoint(there, press=grid.press.get(self._cell)),))

    def watch(self) -> None:
        """Leave in this frame what was seen and made of it last."""
        if self._instruments is NULL_INSTRUMENTATION or self._judged is None:
            return
        assert self._seen is not None
        watch, player = self._instruments.watch, self._player
        watch("policy.value", self._judged.value, player)
        for name, odds in zip(DIRECTIONS, self._judged.probabilities, strict=True):
            watch(f"policy.{name}", float(odds), player)
        for name, number in zip(TARGET, self._seen[-len(TARGET) :], strict=True):
            watch(f"policy.{name}", float(number), player)
        for channel in CHANNELS:
            share = float(self.window(channel).mean())
            watch(f"policy.mean {channel}", share, player)

    def window(self, channel: str) -> Floats32:
        """What the sensor saw last in its near window; its first axis is x."""
        assert self._sensor is not None
        assert self._seen is not None
        return self._sensor.window(self._seen, channel)

    def _choose(self, probabilities: Floats32) -> int:
        weights = probabilities.astype(float) ** (1.0 / LIKELY)
        return self._random.choices(range(len(DIRECTIONS)), weights.tolist())[0]

    def _trace(self, direction: int) -> None:
        name = DIRECTIONS[direction]
        if self._instruments is NULL_INSTRUMENTATION or self._judged is None:
            return
        self._draw(direction)
        if name == self._direction:
            return
        odds = self._judged.probabilities
        values: dict[str, Scalar] = {"value": self._judged.value, "step": self.steps}
        assert self._seen is not None
        numbers = self._seen[-len(TARGET) :]
        values |= {one: float(number) for one, number in zip(TARGET, numbers, strict=True)}
        values |= {f"grid {row + 1}": text for row, text in enumerate(self._rows())}
        self._instruments.trace.state(
            self._player, MACHINE, self._direction or None, name,
            won=f"probability {odds[direction]:.2f}",
            rejected=[
                Rejected(other, f"probability {odds[number]:.2f}")
                for number, other in enumerate(DIRECTIONS)
                if number != direction and odds[number] >= MENTIONED
            ],
            values=values,
        )  # fmt: skip
        self._direction = name

    def _rows(self) -> Sequence[str]:
        """The near window as text, north on top: `#` blocked, `+` higher, `-` lower, `o` trail."""
        blocked, rise, trail = (self.window(channel) for channel in CHANNELS)
        marks = np.full(blocked.shape, ".")
        marks[rise > 0.1], marks[rise < -0.1] = "+", "-"
        marks[trail > 0], marks[blocked > 0] = "o", "#"
        side = len(marks)
        marks[side // 2, side // 2] = "@"
        return ["".join(row) for row in marks.T[::-1]]

    def _draw(self, direction: int) -> None:
        """What is blocked around the player, and how likely each step is."""
        assert self._judged is not None
        assert self._grid is not None
        assert self._cell is not None
        x, y, z = middle = self._grid.middle(self._cell)
        size, reach = self._grid.size, self._model.reach
        draw = self._instruments.draw
        lines = [
            (middle, (x + 3 * size * odds * dx, y + 3 * size * odds * dy, z))
            for (dx, dy), odds in zip(STEPS, self._judged.probabilities.tolist(), strict=True)
        ]
        draw.lines(
            np.array(lines, float), color=CHOSEN, object=self._player, channel=CHANNEL,
            latch="policy probabilities",
        )  # fmt: skip
        seen = [
            ((x + size * (i - reach) - 0.2 * size, y + size * (j - reach), z),
             (x + size * (i - reach) + 0.2 * size, y + size * (j - reach), z))
            for i, j in np.argwhere(self.window("blocked") > 0).tolist()
        ]  # fmt: skip
        draw.lines(
            np.array(seen, float).reshape(-1, 2, 3), color=SEEN, object=self._player,
            channel=CHANNEL, latch="policy sensor",
        )  # fmt: skip
