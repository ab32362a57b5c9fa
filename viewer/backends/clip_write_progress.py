"""How far a clip that another process is writing can be read already."""

import struct
from pathlib import Path

_MAGIC = 8
_HEAD = struct.Struct("<BQ")
"""For each record: what it is, and how many bytes follow."""
_TIMES = struct.Struct("<QQ")
"""A chunk begins with the times of its first and last message, in nanoseconds."""
_CHUNK = 0x06


class ClipWriteProgress:
    """The file that a clip is written into before it gets its name. Complete chunks are read, by
    their first bytes.

    Args:
        path: What the clip will be called.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # What a killed process left there is not the one that is written now.
        self._old = frozenset(self._parts())
        self._part: Path | None = None
        self._at = _MAGIC
        self._until: float | None = None

    def until(self) -> float | None:
        """The instant up to which it holds frames, seconds; None while there are none."""
        try:
            if self._part is None:
                self._part = next((one for one in self._parts() if one not in self._old), None)
            if self._part is not None:
                self._look(self._part)
        except OSError:
            pass  # it has just got its name
        return self._until

    def _parts(self) -> list[Path]:
        name = self._path.name
        try:
            return [
                one for one in self._path.parent.iterdir()
                if one.name.startswith(f".{name}.") and one.suffix == ".part"
            ]  # fmt: skip
        except OSError:
            return []

    def _look(self, part: Path) -> None:
        size = part.stat().st_size
        with part.open("rb") as file:
            while self._at + _HEAD.size + _TIMES.size <= size:
                file.seek(self._at)
                read = file.read(_HEAD.size + _TIMES.size)
                kind, length = _HEAD.unpack_from(read)
                behind = self._at + _HEAD.size + length
                if behind > size:
                    return
                if kind == _CHUNK:
                    newest = _TIMES.unpack_from(read, _HEAD.size)[1] / 1e9
                    self._until = newest if self._until is None else max(self._until, newest)
                self._at = behind
