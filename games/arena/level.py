"""A level file of the arena: its size, walls, guards with their routes, and way points."""

import math
from pathlib import Path

import msgspec
import yaml

from .yaml_nodes import NodeReader, Point, text_of

LEVELS = Path(__file__).parent / "levels"
YARD = LEVELS / "yard.level.yaml"
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
    return parse_level(text_of(path, "level"), str(path))


def parse_level(text: str, file: str = "<level>") -> Level:
    """The level that YAML text describes; `file` is what errors call it.

    Raises:
        GameError: the text is no level; the message names the file and the line.
    """
    reader = _LevelReader(file)
    empty = "the level is empty; give it a size, a player, walls and guards"
    return reader.level(reader.root(text, empty))


class _LevelReader(NodeReader):
    """Turns YAML nodes into a level."""

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
        waypoint_nodes = self.items(parts["waypoints"], "waypoints", least=2)
        facing = self.number(spawn["facing"], "facing") if "facing" in spawn else 0.0
        return Level(
            name=self.text(parts["name"], "name"),
            size=size,
            player=free(spawn["at"], "player"),
            facing=math.radians(facing),
            walls=walls,
            guards=tuple(guards),
            waypoints=tuple(free(node, "waypoints") for node in waypoint_nodes),
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
