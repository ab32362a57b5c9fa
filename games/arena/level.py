"""A level as a file describes it: its size, walls, guards with their routes, and way points."""

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import msgspec
import yaml

from ...errors import GameError

Point = tuple[float, float]

YARD = Path(__file__).parent / "levels" / "yard.level.yaml"
MARGIN = 0.5
"""Metres that a spawn or a way point must stay away from any wall: a person is 0.35 m wide."""


class Wall(msgspec.Struct, frozen=True):
    """A solid box, its sides along the axes. Metres."""

    name: str
    at: Point
    """The middle of its footprint."""
    size: Point
    height: float = 2.5

    def holds(self, point: Point, margin: float = 0.0) -> bool:
        """True if the point is inside, or closer than `margin` to it."""
        return all(
            abs(point[axis] - self.at[axis]) < self.size[axis] / 2 + margin for axis in (0, 1)
        )


class GuardPost(msgspec.Struct, frozen=True):
    """A guard to be: its name and the points that it walks around."""

    name: str
    route: tuple[Point, ...]
    lantern: bool = False


class Level(msgspec.Struct, frozen=True):
    """What a yard is built from; the origin is its middle. Metres, facing in radians."""

    name: str
    size: Point
    player: Point
    facing: float
    walls: tuple[Wall, ...]
    guards: tuple[GuardPost, ...]
    waypoints: tuple[Point, ...]
    """Where the scripted person wanders, and where guards flee to."""


def load_level(path: str | Path = YARD) -> Level:
    """The level in a `*.level.yaml` file.

    Raises:
        GameError: it can't be read or is not a level; the message names the file and the line.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"{path}: the level can't be read: {error}") from error
    return parse_level(text, str(path))


def parse_level(text: str, file: str = "<level>") -> Level:
    """The level that YAML text describes; `file` is what errors call it.

    Raises:
        GameError: the text is no level; the message names the file and the line.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise GameError(f"{file}:{line}: no YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise GameError(f"{file}:1: no YAML: {error}") from error
    if root is None:
        raise GameError(f"{file}:1: the level is empty; give it a size, a player, walls and guards")
    return _Reader(file).level(root)


class _Reader:
    """Turns YAML nodes into values and knows the line of each."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, node: yaml.Node, message: str) -> NoReturn:
        raise GameError(f"{self.file}:{node.start_mark.line + 1}: {message}")

    def level(self, root: yaml.Node) -> Level:
        needed = ("name", "size", "player", "walls", "guards", "waypoints")
        parts = self.mapping(root, "the level", needed)
        size = self.extent(parts["size"], "size")
        spawn = self.mapping(parts["player"], "player", ("at",), ("facing",))
        walls = tuple(self.wall(node, size) for node in self.items(parts["walls"], "walls"))

        def free(node: yaml.Node, what: str) -> Point:
            return self.free_point(node, what, size, walls)

        guards = []
        for node in self.items(parts["guards"], "guards", least=1):
            post = self.mapping(node, "a guard", ("name", "route"), ("lantern",))
            name = self.text(post["name"], "name")
            route = tuple(
                free(point, f"route of {name}")
                for point in self.items(post["route"], f"route of {name}", least=2)
            )
            lantern = "lantern" in post and self.flag(post["lantern"], "lantern")
            guards.append(GuardPost(name, route, lantern))
        ways = self.items(parts["waypoints"], "waypoints", least=2)
        facing = self.number(spawn["facing"], "facing") if "facing" in spawn else 0.0
        return Level(
            name=self.text(parts["name"], "name"),
            size=size,
            player=free(spawn["at"], "player"),
            facing=math.radians(facing),
            walls=walls,
            guards=tuple(guards),
            waypoints=tuple(free(node, "waypoints") for node in ways),
        )

    def wall(self, node: yaml.Node, level_size: Point) -> Wall:
        parts = self.mapping(node, "a wall", ("name", "at", "size"), ("height",))
        at = self.point(parts["at"], "at")
        height = self.number(parts["height"], "height") if "height" in parts else 2.5
        if height <= 0:
            self.fail(parts["height"], f"height is {height:g}; it must be more than 0")
        if any(abs(at[axis]) > level_size[axis] / 2 for axis in (0, 1)):
            self.fail(parts["at"], f"at {at} is outside the level's size {level_size}")
        size = self.extent(parts["size"], "size")
        return Wall(self.text(parts["name"], "name"), at, size, height)

    def free_point(self, node: yaml.Node, what: str, size: Point, walls: tuple[Wall, ...]) -> Point:
        point = self.point(node, what)
        if any(abs(point[axis]) > size[axis] / 2 - MARGIN for axis in (0, 1)):
            self.fail(node, f"{what}: {point} is outside the level or too close to its fence")
        for wall in walls:
            if wall.holds(point, MARGIN):
                self.fail(
                    node, f"{what}: {point} is inside wall {wall.name} or within {MARGIN} m of it"
                )
        return point

    def mapping(
        self,
        node: yaml.Node,
        what: str,
        needed: tuple[str, ...],
        optional: tuple[str, ...] = (),
    ) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            self.fail(node, f"{what} must be a mapping with {', '.join(needed)}")
        parts: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if name not in needed and name not in optional:
                known = ", ".join(needed + optional)
                self.fail(key, f"{what} has no {name!r}; known are {known}")
            if name in parts:
                self.fail(key, f"{what} gives {name!r} twice")
            parts[name] = value
        for name in needed:
            if name not in parts:
                self.fail(node, f"{what} lacks {name!r}")
        return parts

    def items(self, node: yaml.Node, what: str, least: int = 0) -> Iterator[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, f"{what} must be a list")
        if len(node.value) < least:
            self.fail(node, f"{what} has {len(node.value)} entries, it needs {least} or more")
        return iter(node.value)

    def point(self, node: yaml.Node, what: str) -> Point:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != 2:
            self.fail(node, f"{what} must be two numbers, as in [3.5, -2]")
        x, y = (self.number(item, what) for item in node.value)
        return x, y

    def extent(self, node: yaml.Node, what: str) -> Point:
        size = self.point(node, what)
        if min(size) <= 0:
            self.fail(node, f"{what} is {size}; both numbers must be more than 0")
        return size

    def number(self, node: yaml.Node, what: str) -> float:
        value = math.nan
        if isinstance(node, yaml.ScalarNode) and node.tag.rpartition(":")[2] in ("int", "float"):
            with contextlib.suppress(ValueError):
                value = float(node.value)
        if not math.isfinite(value):
            self.fail(node, f"{what} must be a finite number, not {_shown(node)}")
        return value

    def flag(self, node: yaml.Node, what: str) -> bool:
        if not isinstance(node, yaml.ScalarNode) or node.value not in ("true", "false"):
            self.fail(node, f"{what} must be true or false, not {_shown(node)}")
        return bool(node.value == "true")

    def text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            self.fail(node, f"{what} must be a text, not {_shown(node)}")
        return str(node.value)


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        return repr(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
