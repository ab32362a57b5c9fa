"""The player of Doom as a body for behaviour trees: its values, map, doors and exit."""

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..pad_tree_body import PadBody
from ..playable_interface import Playable
from ..tree_body_interface import CommandRange, TreeValue
from ..walk_map import SIDES, WalkMap, map_of_steps
from .level_walk_grid import CELL, LevelWalkGrid, Point, Solid
from .pad_to_buttons import TURN
from .scripted_player import exit_of
from .tic_game import DoomGame

STRIDE = 3
"""Cells of the engine's fine grid that make up one of the map that is searched."""
AT_DOOR = 72.0
"""Map units ahead within which a door is reported."""


class DoomBody(PadBody):
    """Adds to the keys of every player `exit_position`, where one presses the switch that ends the
    level; `exit_heading`, where the switch then lies; `door_ahead`, whether a door is right in
    front; and `ground_ahead`, `ground_left` and `ground_right`, whether one can go a little way
    there.

    Args:
        solids: What is in the way beside the walls.
    """

    commands: Mapping[str, CommandRange] = {
        **PadBody.commands,
        "turn_by": CommandRange(-math.radians(TURN), math.radians(TURN)),
        "shoot": CommandRange(0.0, 1.0),
        "use": CommandRange(0.0, 1.0),
        "next_weapon": CommandRange(0.0, 1.0),
    }
    """Doom's own command: `turn_by` is the angle to turn by in this tic, positive to the left."""

    def __init__(self, game: Playable, engine: DoomGame, solids: tuple[Solid, ...] = ()) -> None:
        super().__init__(game)
        self._engine, self._solids = engine, solids
        self.values = self.values | {
            "exit_position", "exit_heading", "door_ahead", "ground_ahead", "ground_left",
            "ground_right",
        }  # fmt: skip

    def observe(self) -> Mapping[str, TreeValue]:
        values = super().observe()
        here, switch = self.position, self._exit[0]
        return {
            **values,
            "exit_position": self._exit[1],
            "exit_heading": math.atan2(switch[1] - here[1], switch[0] - here[0]),
            "door_ahead": self._is_door_ahead(),
            "ground_ahead": self._is_ground(0.0),
            "ground_left": self._is_ground(math.pi / 2),
            "ground_right": self._is_ground(-math.pi / 2),
        }

    def act(self, commands: Mapping[str, float]) -> None:
        given = dict(commands)
        turn = given.pop("turn_by", 0.0)
        pressed = {"shoot": "button_a", "use": "button_x", "next_weapon": "button_y"}
        for name, button in pressed.items():
            given[button] = max(given.get(button, 0.0), given.pop(name, 0.0))
        if turn:
            given["turn"] = -turn / math.radians(TURN)
        super().act(given)

    def walk_map(self) -> WalkMap | None:
        """The map of the level with all doors open that open by hand."""
        ground = self._ground
        fine: npt.NDArray[np.bool_] = ground.steps
        # A stride is a step in one direction done several times.
        strides = fine.copy()
        rows, columns = ground.shape
        for side, (down, across) in enumerate(SIDES):
            for step in range(1, STRIDE):
                there = np.zeros((rows, columns), bool)
                r, c = step * down, step * across
                source = fine[side][max(0, r) : rows + min(0, r), max(0, c) : columns + min(0, c)]
                there[max(0, -r) : rows + min(0, -r), max(0, -c) : columns + min(0, -c)] = source
                strides[side] &= there
        return map_of_steps(strides[:, ::STRIDE, ::STRIDE], STRIDE * CELL, ground.point((0, 0)))

    @cached_property
    def _ground(self) -> LevelWalkGrid:
        level = self._engine.level
        return LevelWalkGrid(level, opened=level.doors(), solids=self._solids)

    @cached_property
    def _doors(self) -> npt.NDArray[np.bool_]:
        return np.isin(self._ground.sectors, self._engine.level.doors())

    @cached_property
    def _exit(self) -> tuple[Point, Point]:
        """The switch, and the place from which to press it."""
        switch, cells = exit_of(self._engine.level, self._ground)
        nearest_cell = min(cells, key=lambda cell: math.dist(self._ground.point(cell), switch))
        return switch, self._ground.point(nearest_cell)

    def _is_door_ahead(self) -> bool:
        x, y = self.position[0], self.position[1]
        cos, sin = math.cos(self.facing), math.sin(self.facing)
        return any(
            self._doors[self._ground.cell(x + away * cos, y + away * sin)]
            for away in np.arange(16.0, AT_DOOR, CELL)
        )

    def _is_ground(self, turn: float) -> bool:
        x, y, z = self.position
        there = (x + 48 * math.cos(self.facing + turn), y + 48 * math.sin(self.facing + turn))
        level = abs(float(self._ground.floor[self._ground.cell(*there)]) - z) < 25
        return level and self._ground.open_way(self.position, there)
