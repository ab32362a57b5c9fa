"""The map of the hall: walls, presets of target blocks, and where blocks can be placed."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml

from .....errors import GameError
from ...yaml_nodes import NodeReader, Point, text_of
from .block_difficulty_probabilities import DIFFICULTIES
from .round_targets_and_modes import Target
from .rules import SIDE, Rules
from .target_block_presets import CELLS, SIZE, Preset, Rectangle, TargetBlock, boxes_of, enemies_of

DOOMLIKE = Path(__file__).parents[2] / "levels" / "doomlike.level.yaml"
ROOM = 1.5
"""Metres that stay free between a block and any wall or other block, to walk through."""


class Pillar(NamedTuple):
    """A wall of the hall itself."""

    name: str
    box: Rectangle
    height: float


class HallMap(msgspec.Struct, frozen=True):
    """What the environment is played in: a square of 47 m, its near left corner at the origin."""

    name: str
    walls: tuple[Pillar, ...]
    presets: tuple[Preset, ...]
    corners: tuple[Point, ...]
    """Where the near left corner of a block may be put when one is generated."""

    @property
    def boxes(self) -> list[Rectangle]:
        return [wall.box for wall in self.walls]

    def presets_for(self, target: Target, difficulty: int) -> list[Preset]:
        """The presets that a target of this difficulty may be given."""
        return [
            preset
            for preset in self.presets
            if preset.difficulty == difficulty and (target is Target.GOTO or preset.defended)
        ]

    def preset(self, name: str) -> Preset:
        """The preset of this name.

        Raises:
            GameError: there is none.
        """
        for preset in self.presets:
            if preset.name == name:
                return preset
        known = ", ".join(preset.name for preset in self.presets)
        raise GameError(f"block {name!r}: the hall {self.name} has {known}")

    def has_room(self, block: TargetBlock) -> bool:
        """Whether a block there is in the hall and far enough from its walls."""
        x, y = block.corner
        if not all(ROOM <= value <= SIDE - SIZE - ROOM for value in (x, y)):
            return False
        footprint = Rectangle(*block.middle, SIZE / 2, SIZE / 2)
        return not any(
            abs(wall.x - footprint.x) < wall.half_x + footprint.half_x + ROOM
            and abs(wall.y - footprint.y) < wall.half_y + footprint.half_y + ROOM
            for wall in self.boxes
        )


def load_hall(path: str | Path = DOOMLIKE) -> HallMap:
    """The hall in a `*.level.yaml` file.

    Raises:
        GameError: it can't be read or is no hall; the message names the file and the line.
    """
    return parse_hall(text_of(path, "hall"), str(path))


@lru_cache(maxsize=4)
def parse_hall(text: str, file: str = "<hall>") -> HallMap:
    """The hall that YAML text describes; `file` is what errors call it.

    Raises:
        GameError: the text is no hall; the message names the file and the line.
    """
    reader = _HallReader(file)
    return reader.hall(reader.root(text, "the hall is empty; give it a name, walls and blocks"))


class _HallReader(NodeReader):
    """Turns YAML nodes into a hall."""

    def hall(self, root: yaml.Node) -> HallMap:
        parts = self.mapping(root, "the hall", ("name", "size", "walls", "blocks"))
        if self.extent(parts["size"], "size") != (SIDE, SIDE):
            self.fail(parts["size"], f"size must be [{SIDE:g}, {SIDE:g}]")
        hall = HallMap(
            self.text(parts["name"], "name"),
            tuple(self.pillar(node) for node in self.items(parts["walls"], "walls")),
            tuple(self.block(node) for node in self.items(parts["blocks"], "blocks", least=1)),
            (),
        )
        for target in (Target.GOTO, Target.ATTACK):
            for difficulty in DIFFICULTIES:
                if not hall.presets_for(target, difficulty):
                    self.fail(
                        parts["blocks"],
                        f"there is no block of difficulty {difficulty} for {target.word}"
                        " (to attack, its fire base needs an enemy in it)",
                    )
        corners = [
            (float(x), float(y))
            for x in range(int(SIDE - SIZE) + 1)
            for y in range(int(SIDE - SIZE) + 1)
            if hall.has_room(TargetBlock(hall.presets[0], (float(x), float(y))))
        ]
        if not corners:
            self.fail(parts["walls"], f"the walls leave no room for a block of {SIZE:g} m")
        return msgspec.structs.replace(hall, corners=tuple(corners))

    def pillar(self, node: yaml.Node) -> Pillar:
        parts = self.mapping(node, "a wall", ("name", "at", "size"), ("height",))
        x, y = self.point(parts["at"], "at")
        width, depth = self.extent(parts["size"], "size")
        if not (x - width / 2 >= 0 and x + width / 2 <= SIDE) or not (
            y - depth / 2 >= 0 and y + depth / 2 <= SIDE
        ):
            self.fail(parts["at"], f"the wall at ({x:g}, {y:g}) is not whole inside the hall")
        height = self.number(parts["height"], "height") if "height" in parts else 2.5
        if height <= 0:
            self.fail(parts["height"], f"height is {height:g}; it must be more than 0")
        name = self.text(parts["name"], "name")
        return Pillar(name, Rectangle(x, y, width / 2, depth / 2), height)

    def block(self, node: yaml.Node) -> Preset:
        parts = self.mapping(node, "a block", ("name", "difficulty", "firebase", "plan"))
        name = self.text(parts["name"], "name")
        difficulty = self.number(parts["difficulty"], "difficulty")
        if difficulty not in DIFFICULTIES:
            self.fail(parts["difficulty"], f"difficulty is {difficulty:g}; it goes from 1 to 5")
        circle = self.mapping(parts["firebase"], f"firebase of {name}", ("at", "diameter"))
        at = self.point(circle["at"], "at")
        diameter = self.number(circle["diameter"], "diameter")
        if not 1 <= diameter <= SIZE:
            self.fail(circle["diameter"], f"diameter is {diameter:g}; it goes from 1 to {SIZE:g}")
        if any(not diameter / 2 <= value <= SIZE - diameter / 2 for value in at):
            self.fail(circle["at"], f"the fire base of {name} reaches beyond its block")
        plan = self.plan(parts["plan"], name)
        preset = Preset(name, int(difficulty), boxes_of(plan), enemies_of(plan), at, diameter)
        if not preset.reachable(Rules().centre):
            self.fail(parts["plan"], f"no agent can walk to the middle of the fire base of {name}")
        return preset

    def plan(self, node: yaml.Node, name: str) -> list[str]:
        lines = self.text(node, f"plan of {name}").rstrip("\n").split("\n")
        if len(lines) != CELLS or any(len(line) != CELLS for line in lines):
            self.fail(node, f"the plan of {name} must be {CELLS} lines of {CELLS} characters")
        for line in lines:
            strange = set(line) - set("#.e")
            if strange:
                self.fail(node, f"the plan of {name} has {min(strange)!r}; known are # . e")
        return lines
