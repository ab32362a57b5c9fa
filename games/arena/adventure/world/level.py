"""An adventure as a level file describes it: areas with height, who and what is there, events.

Lengths in metres, angles in radians once read; z is up, and the ground of every area is z = 0.
"""

from pathlib import Path
from typing import Protocol

import msgspec

from ...yaml_nodes import Point

LEVELS = Path(__file__).parents[2] / "levels"
GROUND = 0.0
FENCE = 0.5
"""Metres that the fence around an area is thick."""


class Need(msgspec.Struct, frozen=True):
    """A condition on the story: a flag that is set, or `has KIND`; `not` before it turns it."""

    name: str
    """A flag, or a kind of item."""
    item: bool = False
    expected: bool = True

    def __str__(self) -> str:
        return ("" if self.expected else "not ") + ("has " if self.item else "") + self.name


class Named(Protocol):
    """What is called something, in its area by itself alone."""

    @property
    def name(self) -> str: ...


Needs = tuple[Need, ...]


class Zone(msgspec.Struct, frozen=True):
    """A rectangle on the ground, its sides along the axes."""

    at: Point
    """Its middle."""
    size: Point

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """True if the point is inside, or closer than `margin` to it."""
        return (
            abs(x - self.at[0]) <= self.size[0] / 2 + margin
            and abs(y - self.at[1]) <= self.size[1] / 2 + margin
        )

    def overlaps(self, other: "Zone", margin: float = 0.0) -> bool:
        """True if both share more than an edge, or come closer than `margin`."""
        return all(
            abs(self.at[axis] - other.at[axis]) < (self.size[axis] + other.size[axis]) / 2 + margin
            for axis in (0, 1)
        )


class LevelBlock(Zone, frozen=True):
    """A solid box from below the ground up to its top, on which one can stand."""

    name: str
    top: float
    wall: bool = False
    """Whether it is an obstacle that nobody can step on; drawn so."""


class Pit(Zone, frozen=True):
    """A hole in the ground."""

    name: str
    depth: float
    lava: bool = False
    """Whether its bottom kills."""


class Door(Zone, frozen=True):
    """A solid box of any height that is gone while its needs hold."""

    name: str
    height: float
    needs: Needs


class Talker(msgspec.Struct, frozen=True):
    """A person or a sign, and what it says: the first of its events whose needs hold."""

    name: str
    at: Point
    facing: float
    says: tuple[str, ...]
    sign: bool = False


FIXTURES = ("switch", "shrine", "boulder", "target")


class Fixture(msgspec.Struct, frozen=True):
    """Something that is used, broken or shot, and sets a flag by it.

    A `switch` is used and turns its flag on and off, a `shrine` is used once, a `boulder` stands in
    the way until the special move breaks it, a `target` is shot in aim mode.
    """

    kind: str
    name: str
    at: Point
    up: float
    """Metres above what is below it."""
    sets: str
    needs: Needs = ()
    """What is needed to use it; without them it does nothing."""
    ends: bool = False
    """Whether the game has come to its good end with it."""


class Item(msgspec.Struct, frozen=True):
    """Something that is taken by touching it."""

    name: str
    kind: str
    at: Point
    up: float
    needs: Needs = ()
    """It is there while these hold."""


class Spawner(msgspec.Struct, frozen=True):
    """Enemies of one kind that appear at random positions in a zone, at random times."""

    label: str
    zone: Zone
    count: tuple[int, int]
    """The fewest and the most."""
    within: float
    """Seconds after the area was entered until the last one is there."""
    hp: float
    damage: float


class Boss(msgspec.Struct, frozen=True):
    """A boss to beat, and the field that it fights in, together with its followers."""

    name: str
    at: Point
    field: Zone
    hp: float
    damage: float
    followers: int
    label: str
    """What all followers are called."""
    sets: str
    """The flag that says that all of them are beaten."""


class Exit(msgspec.Struct, frozen=True):
    """Where one walks over into another area."""

    name: str
    zone: Zone
    to: str
    arrive: Point
    facing: float
    needs: Needs = ()


class Area(msgspec.Struct, frozen=True):
    """One part of the level that is entered as a whole; the origin is its middle."""

    name: str
    size: Point
    walls: tuple[LevelBlock, ...] = ()
    floors: tuple[LevelBlock, ...] = ()
    pits: tuple[Pit, ...] = ()
    doors: tuple[Door, ...] = ()
    people: tuple[Talker, ...] = ()
    signs: tuple[Talker, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    items: tuple[Item, ...] = ()
    enemies: tuple[Spawner, ...] = ()
    boss: Boss | None = None
    exits: tuple[Exit, ...] = ()

    @property
    def blocks(self) -> tuple[LevelBlock, ...]:
        """Walls and floors: both are solid, and characters can be on both."""
        return (*self.walls, *self.floors)

    def floor(self, x: float, y: float, feet: float) -> float:
        """How high the ground is under feet at this height: what is above them is not ground."""
        top = None
        for block in self.blocks:
            if block.top <= feet and (top is None or block.top > top) and block.holds(x, y):
                top = block.top
        if top is not None:
            return top
        for pit in self.pits:
            if pit.holds(x, y):
                return -pit.depth
        return GROUND

    def surface(self, x: float, y: float) -> float:
        """How high the ground is for what falls from the sky."""
        return self.floor(x, y, float("inf"))


class Effects(msgspec.Struct, frozen=True):
    """What a deed changes in the story."""

    sets: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    """Kinds of items, one of each."""


class Option(msgspec.Struct, frozen=True):
    """One answer that can be given."""

    label: str
    pages: tuple[str, ...] = ()
    effects: Effects = Effects()


class LevelEvent(msgspec.Struct, frozen=True):
    """A dialogue, page by page, and its effect when it is over."""

    id: str
    needs: Needs = ()
    movie: float = 0.0
    """Seconds of a scene without words before the first page."""
    pages: tuple[str, ...] = ()
    question: str = ""
    """Asked behind the last page; empty for none."""
    options: tuple[Option, ...] = ()
    """The first is under the cursor at first."""
    effects: Effects = Effects()
    shop: bool = False
    """Whether the shop opens after it."""
    ends: bool = False
    """Whether the game has come to its good end with it."""


class Goods(msgspec.Struct, frozen=True):
    """What the shop sells."""

    kind: str
    price: int


class Cheat(msgspec.Struct, frozen=True):
    """An entry of the debug menu, which forces the story on."""

    label: str
    effects: Effects


class Popups(msgspec.Struct, frozen=True):
    """Windows that come up by themselves."""

    every: tuple[float, float]
    """Seconds of play between two of them: the fewest and the most."""
    texts: tuple[str, ...]


class LevelStart(msgspec.Struct, frozen=True):
    """Where a new game begins."""

    area: str
    at: Point
    facing: float


class AdventureLevel(msgspec.Struct, frozen=True):
    """A whole adventure."""

    name: str
    start: LevelStart
    areas: dict[str, Area]
    events: dict[str, LevelEvent] = {}
    goods: tuple[Goods, ...] = ()
    debug: tuple[Cheat, ...] = ()
    popups: Popups | None = None
    title: bool = False
    """Whether it begins with a title screen."""
