"""Reads adventures from `*.level.yaml` files; errors name the line."""

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec
import yaml

from ...yaml_nodes import NodeReader, Point, text_of
from .level import (
    FIXTURES,
    LEVELS,
    AdventureLevel,
    Area,
    Boss,
    Cheat,
    Door,
    Effects,
    Exit,
    Fixture,
    Goods,
    Item,
    LevelBlock,
    LevelEvent,
    LevelStart,
    Named,
    Need,
    Needs,
    Option,
    Pit,
    Popups,
    Spawner,
    Talker,
    Zone,
)
from .terrain import MOST_TOPS, RIM

MARGIN = 0.45
"""Metres that people and arrival positions must be away from walls and fences."""
WALL = 2.5
"""The default height of walls and doors, metres."""
MAX_ENEMIES = 50
MOST_SIZE = 500.0


def level_path(name: str) -> Path:
    """Where the file of a level that comes with playhead is."""
    return LEVELS / f"{name}.level.yaml"


def load_level(path: str | Path) -> AdventureLevel:
    """The adventure in a `*.level.yaml` file.

    Raises:
        GameError: it can't be read or is no adventure; the message names the file and the line.
    """
    return parse_level(text_of(path, "level"), str(path))


def parse_level(text: str, file: str = "<level>") -> AdventureLevel:
    """The adventure that YAML text describes; `file` is what errors call it.

    Raises:
        GameError: the text is no adventure; the message names the file and the line.
    """
    reader = _Reader(file)
    return reader.level(reader.root(text, "the level is empty; give it a name, a start and areas"))


class _Reader(NodeReader):
    """Turns YAML nodes into an adventure, then looks whether all that it names exists."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._flags: set[str] = set()
        self._kinds: set[str] = set()
        """Flags that something sets, and kinds of items that there are."""
        self._asked: list[tuple[yaml.Node, Need]] = []
        self._named: list[tuple[yaml.Node, str]] = []
        """Kinds of items that a person gives or takes."""
        self._event_references: list[tuple[yaml.Node, str]] = []
        self._led: list[tuple[yaml.Node, Exit]] = []

    def level(self, root: yaml.Node) -> AdventureLevel:
        parts = self.mapping(
            root, "the level", ("name", "start", "areas"),
            ("title", "popups", "goods", "debug", "events"),
        )  # fmt: skip
        goods = tuple(self.ware(node) for node in self.some(parts, "goods"))
        events: dict[str, LevelEvent] = {}
        for node in self.some(parts, "events"):
            event = self.event(node)
            if event.id in events:
                self.fail(node, f"there are two events {event.id!r}")
            events[event.id] = event
        areas: dict[str, Area] = {}
        for node in self.items(parts["areas"], "areas", least=1):
            area = self.area(node)
            if area.name in areas:
                self.fail(node, f"there are two areas {area.name!r}")
            areas[area.name] = area
        start = self.mapping(parts["start"], "start", ("area", "at"), ("facing",))
        begin = LevelStart(
            self.text(start["area"], "area"), self.point(start["at"], "at"),
            self.heading(start),
        )  # fmt: skip
        if begin.area not in areas:
            self.fail(start["area"], f"there is no area {begin.area!r}")
        self.check_free(start["at"], begin.at, areas[begin.area])
        level = AdventureLevel(
            name=self.text(parts["name"], "name"),
            start=begin,
            areas=areas,
            events=events,
            goods=goods,
            debug=tuple(self.cheat(node) for node in self.some(parts, "debug")),
            popups=self.popups(parts["popups"]) if "popups" in parts else None,
            title="title" in parts and self.flag(parts["title"], "title"),
        )
        self.check_names(level)
        return level

    # --- what an area has -----------------------------------------------------------------------

    def area(self, node: yaml.Node) -> Area:
        lists = (
            "walls", "floors", "pits", "doors", "people", "signs", "fixtures", "items", "enemies",
            "exits",
        )  # fmt: skip
        parts = self.mapping(node, "an area", ("name", "size"), (*lists, "boss"))
        size = self.extent(parts["size"], "size")
        if max(size) > MOST_SIZE:
            self.fail(parts["size"], f"size is {size}; the most is {MOST_SIZE:g} m")
        area = Area(
            name=self.text(parts["name"], "name"),
            size=size,
            walls=tuple(self.block(n, size, wall=True) for n in self.some(parts, "walls")),
            floors=tuple(self.block(n, size, wall=False) for n in self.some(parts, "floors")),
            pits=tuple(self.pit(n, size) for n in self.some(parts, "pits")),
            doors=tuple(self.door(n, size) for n in self.some(parts, "doors")),
        )
        tops = {block.top for block in area.blocks}
        if len(tops) > MOST_TOPS:
            self.fail(node, f"{area.name} has {len(tops)} different heights, more than {MOST_TOPS}")
        self.check_pits(parts, area)
        signs = [self.talker(n, area, sign=True) for n in self.some(parts, "signs")]
        area = msgspec.structs.replace(
            area,
            people=tuple(self.talker(n, area, sign=False) for n in self.some(parts, "people")),
            signs=tuple(signs),
            fixtures=tuple(self.fixture(n, area) for n in self.some(parts, "fixtures")),
            items=tuple(self.item(n, area) for n in self.some(parts, "items")),
            enemies=tuple(self.spawner(n, area) for n in self.some(parts, "enemies")),
            boss=self.boss(parts["boss"], area) if "boss" in parts else None,
            exits=tuple(self.exit(n, area) for n in self.some(parts, "exits")),
        )
        self.check_doubles(parts, area)
        return area

    def block(self, node: yaml.Node, within: Point, *, wall: bool) -> LevelBlock:
        what = "a wall" if wall else "a floor"
        needed = ("name", "at", "size") if wall else ("name", "at", "size", "top")
        parts = self.mapping(node, what, needed, ("height",) if wall else ())
        key = "height" if wall else "top"
        top = self.positive(parts[key], key) if key in parts else WALL
        zone = self.zone(parts, within)
        return LevelBlock(zone.at, zone.size, self.text(parts["name"], "name"), top, wall)

    def pit(self, node: yaml.Node, within: Point) -> Pit:
        parts = self.mapping(node, "a pit", ("name", "at", "size", "depth"), ("lava",))
        zone = self.zone(parts, within)
        return Pit(
            zone.at, zone.size, self.text(parts["name"], "name"),
            self.positive(parts["depth"], "depth"),
            "lava" in parts and self.flag(parts["lava"], "lava"),
        )  # fmt: skip

    def door(self, node: yaml.Node, within: Point) -> Door:
        parts = self.mapping(node, "a door", ("name", "at", "size", "needs"), ("height",))
        zone = self.zone(parts, within)
        height = self.positive(parts["height"], "height") if "height" in parts else WALL
        needs = self.needs(parts)
        if not needs:
            self.fail(parts["needs"], "a door needs something to open; leave out one that is open")
        return Door(zone.at, zone.size, self.text(parts["name"], "name"), height, needs)

    def talker(self, node: yaml.Node, area: Area, *, sign: bool) -> Talker:
        what = "a sign" if sign else "a person"
        parts = self.mapping(node, what, ("name", "at", "says"), ("facing",))
        says = []
        for item in self.items(parts["says"], "says", least=1):
            says.append(self.text(item, "says"))
            self._event_references.append((item, says[-1]))
        at = self.free(parts["at"], area)
        name = self.text(parts["name"], "name")
        return Talker(name, at, self.heading(parts), tuple(says), sign)

    def fixture(self, node: yaml.Node, area: Area) -> Fixture:
        parts = self.mapping(
            node, "a fixture", ("kind", "name", "at", "sets"), ("up", "needs", "ends")
        )
        kind = self.text(parts["kind"], "kind")
        if kind not in FIXTURES:
            self.fail(parts["kind"], f"kind is {kind!r}; known are {', '.join(FIXTURES)}")
        return Fixture(
            kind, self.text(parts["name"], "name"), self.inside(parts["at"], "at", area.size),
            self.height(parts), self.set_flag(parts["sets"]), self.needs(parts),
            "ends" in parts and self.flag(parts["ends"], "ends"),
        )  # fmt: skip

    def item(self, node: yaml.Node, area: Area) -> Item:
        parts = self.mapping(node, "an item", ("name", "kind", "at"), ("up", "needs"))
        kind = self.text(parts["kind"], "kind")
        self._kinds.add(kind)
        return Item(
            self.text(parts["name"], "name"), kind, self.inside(parts["at"], "at", area.size),
            self.height(parts), self.needs(parts),
        )  # fmt: skip

    def spawner(self, node: yaml.Node, area: Area) -> Spawner:
        parts = self.mapping(
            node, "enemies", ("label", "at", "size", "count"), ("within", "hp", "damage")
        )
        least, most = self.span(parts["count"], "count")
        if not (least.is_integer() and most.is_integer() and most <= MAX_ENEMIES):
            self.fail(parts["count"], f"count must be two whole numbers up to {MAX_ENEMIES}")
        within = self.number(parts["within"], "within") if "within" in parts else 0.0
        if within < 0:
            self.fail(parts["within"], f"within is {within:g} s; it can't be below 0")
        return Spawner(
            self.text(parts["label"], "label"), self.zone(parts, area.size),
            (int(least), int(most)), within,
            self.positive(parts["hp"], "hp") if "hp" in parts else 60.0,
            self.positive(parts["damage"], "damage") if "damage" in parts else 5.0,
        )  # fmt: skip

    def boss(self, node: yaml.Node, area: Area) -> Boss:
        parts = self.mapping(
            node, "a boss", ("name", "at", "field", "sets"),
            ("hp", "damage", "followers", "label"),
        )  # fmt: skip
        field = self.mapping(parts["field"], "field", ("at", "size"))
        followers = self.number(parts["followers"], "followers") if "followers" in parts else 0.0
        if not followers.is_integer() or not 0 <= followers <= MAX_ENEMIES:
            self.fail(parts["followers"], f"followers: a whole number from 0 to {MAX_ENEMIES}")
        return Boss(
            self.text(parts["name"], "name"), self.free(parts["at"], area),
            self.zone(field, area.size),
            self.positive(parts["hp"], "hp") if "hp" in parts else 300.0,
            self.positive(parts["damage"], "damage") if "damage" in parts else 9.0,
            int(followers), self.text(parts["label"], "label") if "label" in parts else "follower",
            self.set_flag(parts["sets"]),
        )  # fmt: skip

    def exit(self, node: yaml.Node, area: Area) -> Exit:
        parts = self.mapping(
            node, "an exit", ("name", "at", "size", "to", "arrive"), ("facing", "needs")
        )
        way = Exit(
            self.text(parts["name"], "name"), self.zone(parts, area.size),
            self.text(parts["to"], "to"), self.point(parts["arrive"], "arrive"),
            self.heading(parts), self.needs(parts),
        )  # fmt: skip
        self._led.append((parts["arrive"], way))
        return way

    # --- the story ------------------------------------------------------------------------------

    def event(self, node: yaml.Node) -> LevelEvent:
        parts = self.mapping(
            node, "an event", ("id",),
            ("needs", "movie", "pages", "question", "options", "sets", "gives", "takes", "shop",
             "ends"),
        )  # fmt: skip
        if ("question" in parts) != ("options" in parts):
            self.fail(node, "an event has a question and options, or neither")
        options = []
        if "options" in parts:
            for item in self.items(parts["options"], "options", least=2):
                answer = self.mapping(
                    item, "an option", ("label",), ("pages", "sets", "gives", "takes")
                )
                options.append(Option(
                    self.text(answer["label"], "label"), self.texts(answer, "pages"),
                    self.effects(answer),
                ))  # fmt: skip
            labels = [option.label for option in options]
            if len(set(labels)) < len(labels):
                self.fail(parts["options"], f"two options have one label: {', '.join(labels)}")
        movie = self.positive(parts["movie"], "movie") if "movie" in parts else 0.0
        pages = self.texts(parts, "pages")
        if not (movie or pages or options):
            self.fail(node, "an event needs pages, a movie or a question")
        return LevelEvent(
            id=self.text(parts["id"], "id"),
            needs=self.needs(parts),
            movie=movie,
            pages=pages,
            question=self.text(parts["question"], "question") if "question" in parts else "",
            options=tuple(options),
            effects=self.effects(parts),
            shop="shop" in parts and self.flag(parts["shop"], "shop"),
            ends="ends" in parts and self.flag(parts["ends"], "ends"),
        )

    def effects(self, parts: dict[str, yaml.Node]) -> Effects:
        sets = tuple(self.set_flag(node) for node in self.some(parts, "sets"))
        gives = []
        for node in self.some(parts, "gives"):
            gives.append(self.text(node, "gives"))
            self._kinds.add(gives[-1])
        takes = []
        for node in self.some(parts, "takes"):
            takes.append(self.text(node, "takes"))
            self._named.append((node, takes[-1]))
        return Effects(sets, tuple(gives), tuple(takes))

    def cheat(self, node: yaml.Node) -> Cheat:
        parts = self.mapping(node, "a debug entry", ("label",), ("sets", "gives", "takes"))
        return Cheat(self.text(parts["label"], "label"), self.effects(parts))

    def ware(self, node: yaml.Node) -> Goods:
        parts = self.mapping(node, "goods", ("kind", "price"))
        price = self.number(parts["price"], "price")
        if price < 0 or not price.is_integer():
            self.fail(parts["price"], f"price is {price:g}; it must be a whole number from 0 on")
        kind = self.text(parts["kind"], "kind")
        self._kinds.add(kind)
        return Goods(kind, int(price))

    def popups(self, node: yaml.Node) -> Popups:
        parts = self.mapping(node, "popups", ("every", "texts"))
        every = self.span(parts["every"], "every")
        if every[0] < 1.0:
            self.fail(parts["every"], "every: there is at least 1 s between two pop-ups")
        self.texts(parts, "texts")
        texts = tuple(
            self.text(item, "texts") for item in self.items(parts["texts"], "texts", least=1)
        )
        return Popups(every, texts)

    def needs(self, parts: dict[str, yaml.Node]) -> Needs:
        found = []
        for node in self.some(parts, "needs"):
            words = self.text(node, "needs").split()
            expected = words[:1] != ["not"]
            words = words if expected else words[1:]
            item = words[:1] == ["has"]
            words = words[1:] if item else words
            if not words:
                self.fail(node, "needs: write a flag or has KIND, perhaps with not before it")
            need = Need(" ".join(words), item, expected)
            self._asked.append((node, need))
            found.append(need)
        return tuple(found)

    def set_flag(self, node: yaml.Node) -> str:
        name = self.text(node, "sets")
        if name.split() != name.split(" ") or name.split()[0] in ("not", "has"):
            self.fail(node, f"sets {name!r}: a flag has single spaces and no `not` or `has` ahead")
        self._flags.add(name)
        return name

    # --- small parts ----------------------------------------------------------------------------

    def some(self, parts: dict[str, yaml.Node], key: str) -> list[yaml.Node]:
        """The entries of a list that need not be there."""
        return list(self.items(parts[key], key)) if key in parts else []

    def texts(self, parts: dict[str, yaml.Node], key: str) -> tuple[str, ...]:
        return tuple(self.text(node, key) for node in self.some(parts, key))

    def positive(self, node: yaml.Node, what: str) -> float:
        value = self.number(node, what)
        if value <= 0:
            self.fail(node, f"{what} is {value:g}; it must be more than 0")
        return value

    def height(self, parts: dict[str, yaml.Node]) -> float:
        up = self.number(parts["up"], "up") if "up" in parts else 0.0
        if up < 0:
            self.fail(parts["up"], f"up is {up:g}; nothing is below the ground")
        return up

    def heading(self, parts: dict[str, yaml.Node]) -> float:
        return math.radians(self.number(parts["facing"], "facing")) if "facing" in parts else 0.0

    def span(self, node: yaml.Node, what: str) -> Point:
        least, most = self.point(node, what)
        if not 0 <= least <= most:
            self.fail(node, f"{what} is [{least:g}, {most:g}]; give the least first, from 0 on")
        return least, most

    def inside(self, node: yaml.Node, what: str, within: Point, margin: float = 0.0) -> Point:
        point = self.point(node, what)
        if any(abs(point[axis]) > within[axis] / 2 - margin for axis in (0, 1)):
            self.fail(node, f"{what} {point} is outside the area or too close to its fence")
        return point

    def zone(self, parts: dict[str, yaml.Node], within: Point) -> Zone:
        at = self.inside(parts["at"], "at", within)
        return Zone(at, self.extent(parts["size"], "size"))

    def free(self, node: yaml.Node, area: Area) -> Point:
        point = self.inside(node, "at", area.size)
        self.check_free(node, point, area)
        return point

    # --- what must fit together -----------------------------------------------------------------

    def check_free(self, node: yaml.Node, point: Point, area: Area) -> None:
        """One can stand there: away from the fence, not in a wall, not at an edge."""
        x, y = point
        if any(abs(point[axis]) > area.size[axis] / 2 - MARGIN for axis in (0, 1)):
            self.fail(node, f"{point} is outside {area.name} or too close to its fence")
        surface = area.surface(x, y)
        for block in (*area.walls, *area.floors):
            if block.top > surface and block.holds(x, y, MARGIN):
                self.fail(node, f"{point} is within {MARGIN} m of {block.name}, which is higher")
        for wall in area.walls:
            if wall.holds(x, y, MARGIN):
                self.fail(node, f"{point} is inside wall {wall.name} or within {MARGIN} m of it")
        for door in area.doors:
            if door.holds(x, y, MARGIN):
                self.fail(node, f"{point} is inside door {door.name} or within {MARGIN} m of it")

    def check_pits(self, parts: dict[str, yaml.Node], area: Area) -> None:
        nodes = self.some(parts, "pits")
        for number, pit in enumerate(area.pits):
            for other in area.pits[:number]:
                if pit.overlaps(other, RIM):
                    self.fail(
                        nodes[number],
                        f"pit {pit.name} is within {RIM} m of pit {other.name}",
                    )

    def check_doubles(self, parts: dict[str, yaml.Node], area: Area) -> None:
        lists: tuple[tuple[str, Sequence[Named]], ...] = (
            ("doors", area.doors), ("people", area.people), ("signs", area.signs),
            ("fixtures", area.fixtures), ("items", area.items), ("exits", area.exits),
        )  # fmt: skip
        for key, named in lists:
            seen: set[str] = set()
            for node, thing in zip(self.some(parts, key), named, strict=True):
                if thing.name in seen:
                    self.fail(node, f"{area.name} has two {key} that are called {thing.name!r}")
                seen.add(thing.name)

    def check_names(self, level: AdventureLevel) -> None:
        for node, need in self._asked:
            known = self._kinds if need.item else self._flags
            if need.name not in known:
                what = "gives an item" if need.item else "sets the flag"
                self.fail(node, f"needs {str(need)!r}: nothing {what} {need.name!r}")
        for node, kind in self._named:
            if kind not in self._kinds:
                self.fail(node, f"takes {kind!r}: nothing gives such an item")
        for node, event in self._event_references:
            if event not in level.events:
                self.fail(node, f"says {event!r}: there is no such event")
        for node, way in self._led:
            if way.to not in level.areas:
                self.fail(node, f"exit {way.name}: there is no area {way.to!r}")
            self.check_free(node, way.arrive, level.areas[way.to])
