"""A game on a grid: a push of the stick goes a cell on; a key opens the door.

playhead demo-record grid_game.py:Grid grid.csv --headless
playhead replay grid_game.py:Grid grid.csv --seeds 1..10
"""

import random
from collections import deque
from dataclasses import dataclass

import playhead as ph

ROWS = """\
#############
#@....#.....#
#.##.##.###.#
#..#..+...#.#
##.#.######.#
#...k.#.....#
#.#######.#.#
#..........>#
#############
""".splitlines()
FRAMES = 10  # steps from one cell to the next
MOVES = [(1, 0), (-1, 0), (0, 1), (0, -1)]


@dataclass
class Hero:
    x: float = 0.0
    y: float = 0.0
    has_key: bool = False


class Grid(ph.PlayableGame):
    columns = {"has_key": bool}
    outcomes = {"has_key": "equal"}
    settings = "moving: {arrival: 0.3, exact: 0.1}\nitems: {range: 1.2}"  # corridors are narrow

    def __init__(self, seed: int = 0) -> None:
        self.cells = {(x, -y): cell for y, row in enumerate(ROWS) for x, cell in enumerate(row)}
        self.cell = next(place for place, cell in self.cells.items() if cell == "@")
        self.player = Hero(float(self.cell[0]), float(self.cell[1]))
        self.target, self.left = self.cell, 0
        self.slip = random.Random(seed)  # now and then a step takes longer

    def objects(self) -> dict[str, object]:
        return {"hero": self.player}

    def step(self, pad: ph.Pad) -> None:
        if self.left == 0:
            self.cell = self.target
            self.choose(*pad.left)
        if self.left:
            (x, y), (to_x, to_y), self.left = self.cell, self.target, self.left - 1
            share = 1 - min(self.left, FRAMES) / FRAMES
            self.player.x, self.player.y = x + (to_x - x) * share, y + (to_y - y) * share
        if self.cells.get(self.target) == "k" and self.left == 0:
            self.player.has_key, self.cells[self.target] = True, "."

    def choose(self, x: float, y: float) -> None:
        """The cell that the stick points at, or the next best one."""
        for dx, dy in sorted(MOVES, key=lambda move: -(move[0] * x + move[1] * y)):
            if dx * x + dy * y > 0.3 and self.is_free((self.cell[0] + dx, self.cell[1] + dy)):
                self.target = self.cell[0] + dx, self.cell[1] + dy
                self.left = FRAMES + self.slip.randrange(3)
                return

    def is_free(self, cell: tuple[int, int]) -> bool:
        there = self.cells.get(cell, "#")
        return there != "#" and (there != "+" or self.player.has_key)

    def observe(self) -> ph.Observation:
        keys = [place for place, cell in self.cells.items() if cell == "k"]
        return ph.Observation(
            (self.player.x, self.player.y, 0.0), level="grid",
            finished=self.cells[self.target] == ">" and self.left == 0,
            items=tuple(ph.ObservedEntity("key", (x, y, 0.0)) for x, y in keys),
            extras={"has_key": self.player.has_key},
        )  # fmt: skip

    def person(self) -> ph.Pad:
        """A scripted person takes the shortest way to the key, and then to the exit."""
        wanted = ">" if self.player.has_key else "k"
        ways = deque([[self.target]])
        seen = {self.target}
        while ways:
            way = ways.popleft()
            if self.cells[way[-1]] == wanted:
                (x, y), (to_x, to_y) = self.target, way[1] if len(way) > 1 else way[0]
                return ph.Pad((float(to_x - x), float(to_y - y)))
            for dx, dy in MOVES:
                cell = way[-1][0] + dx, way[-1][1] + dy
                if cell not in seen and self.is_free(cell):
                    seen.add(cell)
                    ways.append([*way, cell])
        return ph.NEUTRAL

    def text(self) -> str:
        cells = {**self.cells, self.cell: "@"}
        size = range(len(ROWS[0])), range(len(ROWS))
        return "\n".join(
            "".join(
                cells[x, -y].replace("@", "." if (x, -y) != self.cell else "@") for x in size[0]
            )
            for y in size[1]
        )
