"""Reads the map of a level from the game's WAD file: lines, sectors and things."""

import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import DamagedError, GameError

_HEADER = struct.Struct("<4sii")
_ENTRY = np.dtype([("offset", "<i4"), ("size", "<i4"), ("name", "S8")])
_MOST = 1 << 16
"""More lumps than any data file has: a header that claims them is a torn one."""

_PARTS = frozenset({
    "THINGS", "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS", "SSECTORS", "NODES", "SECTORS", "REJECT",
    "BLOCKMAP",
})  # fmt: skip
"""The lumps of a level: those that follow its name, up to the first other one."""

THING = np.dtype([("x", "<i2"), ("y", "<i2"), ("angle", "<i2"), ("kind", "<i2"), ("flags", "<i2")])
LINE = np.dtype(
    [
        ("start", "<u2"),
        ("end", "<u2"),
        ("flags", "<u2"),
        ("special", "<u2"),
        ("tag", "<u2"),
        ("right", "<u2"),
        ("left", "<u2"),
    ]
)
SIDE = np.dtype(
    [
        ("x", "<i2"),
        ("y", "<i2"),
        ("upper", "S8"),
        ("lower", "S8"),
        ("middle", "S8"),
        ("sector", "<u2"),
    ]
)
SECTOR = np.dtype(
    [
        ("floor", "<i2"),
        ("ceiling", "<i2"),
        ("floor_flat", "S8"),
        ("ceiling_flat", "S8"),
        ("light", "<i2"),
        ("special", "<i2"),
        ("tag", "<i2"),
    ]
)
_VERTEX = np.dtype([("x", "<i2"), ("y", "<i2")])
_NO_SIDE = 0xFFFF
HAND_DOORS = (1, 31, 117, 118)
"""What lines do that open the door behind them when they are used, without a key."""
EXITS = (11, 51)
"""What switches do that end the level."""
_BLOCKS = 1
"""The flag of a line that blocks walking."""


class WadMap:
    """One level, read from a file. Lengths in map units.

    Args:
        path: the data file, a WAD.
        name: the level in it, such as `map01`.

    Raises:
        GameError: there is no such file, or no such level in it.
        DamagedError: the file is no WAD, or is torn.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        lumps = _lumps(path, name.upper())
        vertexes = _table(lumps, "VERTEXES", _VERTEX, path)
        lines = _table(lumps, "LINEDEFS", LINE, path)
        sides = _table(lumps, "SIDEDEFS", SIDE, path)
        sectors = _table(lumps, "SECTORS", SECTOR, path)
        self.things = _table(lumps, "THINGS", THING, path)
        points = np.stack([vertexes["x"], vertexes["y"]], axis=1).astype(np.float64)
        two_sided = lines["left"] != _NO_SIDE
        try:
            self.starts: npt.NDArray[np.float64] = points[lines["start"]]
            """(n, 2): where each line begins. Its right side is on the right from there."""
            self.ends: npt.NDArray[np.float64] = points[lines["end"]]
            right = sides["sector"][lines["right"]].astype(int)
            left = sides["sector"][np.where(two_sided, lines["left"], 0)].astype(int)
            self.floors = sectors["floor"].astype(np.float64)
            """One for each sector, at the start of the level."""
            self.ceilings = sectors["ceiling"].astype(np.float64)
            self.right: npt.NDArray[np.int_] = right
            """(n,): the sector on the right of each line."""
            self.left: npt.NDArray[np.int_] = np.where(two_sided, left, -1)
            """The same on the left; -1 where there is none."""
            self.floors[right], self.floors[left]
        except IndexError as error:
            raise DamagedError(
                f"{path}: {name} refers to a part that it does not have: {error}; take another copy"
            ) from None
        self.special = lines["special"].astype(int)
        """What each line does; 0 for nothing."""
        self.blocking: npt.NDArray[np.bool_] = ~two_sided | ((lines["flags"] & _BLOCKS) != 0)
        """Whether each line blocks walking."""

    def lines_of(self, specials: Collection[int]) -> list[int]:
        """The lines that do one of these."""
        return np.flatnonzero(np.isin(self.special, list(specials))).tolist()

    def doors(self) -> list[int]:
        """The sectors that are doors which anybody can open by hand."""
        return sorted({int(self.left[line]) for line in self.lines_of(HAND_DOORS)} - {-1})

    def shut(self) -> list[int]:
        """The sectors without any room as the level begins: doors, by whatever they are opened."""
        return np.flatnonzero(self.ceilings <= self.floors).tolist()

    def beside(self, sector: int) -> list[int]:
        """The sectors that a sector has a line in common with."""
        there = {
            *self.left[self.right == sector].tolist(),
            *self.right[self.left == sector].tolist(),
        }
        return sorted(there - {-1, sector})


def _lumps(path: Path, name: str) -> dict[str, bytes]:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                raise DamagedError(f"{path}: {len(header)} bytes are no WAD")
            kind, count, offset = _HEADER.unpack(header)
            if kind not in (b"IWAD", b"PWAD") or not 0 <= count <= _MOST or offset < 0:
                raise DamagedError(f"{path}: this is no WAD: it begins with {header!r}")
            file.seek(offset)
            directory = file.read(count * _ENTRY.itemsize)
            if len(directory) < count * _ENTRY.itemsize:
                raise DamagedError(f"{path}: the list of its {count} lumps is torn")
            entries = np.frombuffer(directory, _ENTRY)
            names = [entry.decode("ascii", "replace") for entry in entries["name"].tolist()]
            if name not in names:
                raise GameError(f"{path}: there is no level {name} in it")
            at = names.index(name)
            found = {}
            for entry, lump in zip(entries[at + 1 :], names[at + 1 :], strict=True):
                if lump not in _PARTS:
                    break
                if entry["offset"] < 0 or entry["size"] < 0:
                    raise DamagedError(
                        f"{path}: lump {lump} of {name} lies outside of the file; take another copy"
                    )
                file.seek(int(entry["offset"]))
                found[lump] = file.read(int(entry["size"]))
            return found
    except OSError as error:
        raise GameError(f"{path}: the level's data can't be read: {error}") from error


def _table(lumps: dict[str, bytes], lump: str, kind: Any, path: Path) -> npt.NDArray[Any]:
    data = lumps.get(lump, b"")
    if not data or len(data) % kind.itemsize:
        raise DamagedError(f"{path}: {lump} has {len(data)} bytes: it is missing or torn")
    return np.frombuffer(data, kind)
