"""Small levels for tests, written as the files that Doom reads."""

import struct
from pathlib import Path

import numpy as np

from playhead.games.doom.wad_map import LINE, SECTOR, SIDE, THING, WadMap

DOOR, EXIT = 117, 11
_TWO_SIDED, _ONE_SIDED = 4, 1


class Plan:
    """A level in the making: rooms are rectangles, from west to east, each beside the one before.

    Args:
        rooms: (west, east, floor, ceiling) of each; all reach from y 0 to `depth`.
        depth: how far north they reach.
    """

    def __init__(self, *rooms, depth=128):
        self.rooms = rooms
        self.depth = depth
        self.points, self.lines, self.sides = [], [], []
        for at, (west, east, _, _) in enumerate(rooms):
            self._wall((west, depth), (east, depth), at)
            self._wall((east, 0), (west, 0), at)
        self._wall((rooms[0][0], 0), (rooms[0][0], depth), 0)
        self._wall((rooms[-1][1], depth), (rooms[-1][1], 0), len(rooms) - 1)
        for at, (_, east, _, _) in enumerate(rooms[:-1]):
            self._wall((east, depth), (east, 0), at, at + 1)

    def _wall(self, start, end, right, left=None):
        """From start to end, with `right` on the right."""
        ids = []
        for point in (start, end):
            if point not in self.points:
                self.points.append(point)
            ids.append(self.points.index(point))
        behind = 0xFFFF if left is None else len(self.sides) + 1
        flags = _ONE_SIDED if left is None else _TWO_SIDED
        self.lines.append([*ids, flags, 0, 0, len(self.sides), behind])
        self.sides += [right] if left is None else [right, left]

    def does(self, special, *, x):
        """The line that stands at this x does something."""
        for line in self.lines:
            if all(self.points[line[end]][0] == x for end in (0, 1)):
                line[3] = special
        return self

    def lumps(self):
        lines = np.array([tuple(line) for line in self.lines], LINE)
        sides = np.zeros(len(self.sides), SIDE)
        sides["sector"] = self.sides
        sectors = np.zeros(len(self.rooms), SECTOR)
        sectors["floor"] = [room[2] for room in self.rooms]
        sectors["ceiling"] = [room[3] for room in self.rooms]
        return {
            "THINGS": np.zeros(1, THING).tobytes(),
            "LINEDEFS": lines.tobytes(),
            "SIDEDEFS": sides.tobytes(),
            "VERTEXES": np.array(self.points, "<i2").tobytes(),
            "SECTORS": sectors.tobytes(),
        }

    def write(self, path: Path, name="MAP01", lumps=None) -> Path:
        return write_wad(path, {name: b"", **(self.lumps() if lumps is None else lumps)})

    def level(self, path: Path) -> WadMap:
        return WadMap(self.write(path / "level.wad"), "map01")


def write_wad(path: Path, lumps: dict[str, bytes]) -> Path:
    data, directory = b"", b""
    for name, content in lumps.items():
        directory += struct.pack("<ii8s", 12 + len(data), len(content), name.encode())
        data += content
    path.write_bytes(struct.pack("<4sii", b"PWAD", len(lumps), 12 + len(data)) + data + directory)
    return path
