"""Generates random levels from a seed, for training and evaluating policies."""

from random import Random

from ...yaml_nodes import Point
from .level import AdventureLevel, Area, LevelBlock, LevelStart, Pit, Zone

WIDTH, DEPTH = (16, 44), (14, 30)
"""Metres that a level may have along x and along y."""
TOPS = (0.3, 0.9, 1.5)
"""How high a floor may be: a step, a jump, two jumps."""
WALL, THICK, GAP = 4.0, (0.6, 1.2), (2.0, 3.5)
"""Metres that walls are high, thick, and apart where they have a gap."""
CELL_SIZE = (4.0, 11.0)
"""Metres that the sides of a cell, which is open on one side, may have."""
FREE = 2.0
"""Metres around the start that are left free."""


def generated_level(seed: int) -> AdventureLevel:
    """A level with walls that have gaps, cells that are open on one side, boxes, floors and pits.

    Not every part of it can be reached.
    """
    rng = Random(seed)
    size = (float(rng.randint(*WIDTH)), float(rng.randint(*DEPTH)))
    start = (rng.uniform(-0.4, 0.4) * size[0], rng.uniform(-0.4, 0.4) * size[1])
    made = _Generator(rng, size, start)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        made.parting_wall()
    for _ in range(rng.choice((0, 1, 1, 2))):
        made.cell()
    for _ in range(rng.randint(2, 12)):
        made.wall(made.place(), (rng.uniform(0.6, 5.0), rng.uniform(0.6, 5.0)))
    for _ in range(rng.choice((0, 1, 2, 3))):
        made.floor()
    for _ in range(rng.choice((0, 0, 1, 2))):
        made.pit()
    area = Area("area", size, tuple(made.walls), tuple(made.floors), tuple(made.pits))
    return AdventureLevel(f"generated {seed}", LevelStart("area", start, 0.0), {"area": area})


class _Generator:
    """What has been put into a level so far."""

    def __init__(self, rng: Random, size: Point, start: Point) -> None:
        self._rng, self._size = rng, size
        self._start = Zone(start, (FREE, FREE))
        self.walls: list[LevelBlock] = []
        self.floors: list[LevelBlock] = []
        self.pits: list[Pit] = []

    def place(self) -> Point:
        width, depth = self._size
        return self._rng.uniform(-width / 2, width / 2), self._rng.uniform(-depth / 2, depth / 2)

    def wall(self, at: Point, size: Point) -> None:
        if self._fits(Zone(at, size)):
            self.walls.append(LevelBlock(at, size, f"wall {len(self.walls)}", WALL, True))

    def parting_wall(self) -> None:
        """A wall from side to side, with one gap or two."""
        rng, across = self._rng, self._rng.choice((0, 1))
        length, thick = self._size[1 - across], rng.uniform(*THICK)
        along = rng.uniform(-0.35, 0.35) * self._size[across]
        low, high = 1.0 - length / 2, length / 2 - 1.0 - GAP[1]
        gaps = sorted(rng.uniform(low, high) for _ in range(rng.choice((1, 2))))
        ends = [-length / 2]
        for gap in gaps:
            ends += [max(gap, ends[-1]), gap + rng.uniform(*GAP)]
        ends.append(max(length / 2, ends[-1]))
        for low, high in zip(ends[::2], ends[1::2], strict=True):
            if high - low > 0.2:
                at, size = (along, (low + high) / 2), (thick, high - low)
                self.wall(at if across == 0 else at[::-1], size if across == 0 else size[::-1])

    def cell(self) -> None:
        """Two or three sides of a rectangle."""
        rng, (x, y) = self._rng, self.place()
        w, h, thick = rng.uniform(*CELL_SIZE), rng.uniform(*CELL_SIZE), rng.uniform(*THICK)
        sides = [
            ((x, y + h / 2), (w + thick, thick)), ((x, y - h / 2), (w + thick, thick)),
            ((x + w / 2, y), (thick, h)), ((x - w / 2, y), (thick, h)),
        ]  # fmt: skip
        for at, size in rng.sample(sides, rng.choice((2, 3, 3))):
            self.wall(at, size)

    def floor(self) -> None:
        rng = self._rng
        at, size = self.place(), (rng.uniform(1.6, 8.0), rng.uniform(1.6, 8.0))
        if self._fits(Zone(at, size)):
            name = f"floor {len(self.floors)}"
            self.floors.append(LevelBlock(at, size, name, rng.choice(TOPS)))

    def pit(self) -> None:
        rng = self._rng
        at, size = self.place(), (rng.uniform(2.0, 8.0), rng.uniform(2.0, 8.0))
        lava = rng.random() < 0.5
        zone = Zone(at, size)
        if self._fits(zone) and not any(one.overlaps(zone, 1.0) for one in self.floors):
            depth = 1.0 if lava else 0.6
            self.pits.append(Pit(at, size, f"pit {len(self.pits)}", depth, lava))

    def _fits(self, zone: Zone) -> bool:
        """Whether it leaves the start free."""
        return not zone.overlaps(self._start)
