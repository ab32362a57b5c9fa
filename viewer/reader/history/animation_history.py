"""An agent's animation trees, frame by frame: their shape, and each clip's share of the pose."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....recorder.packets.trace_types import AnimationFrame
from .growable_array import GrowableArray

Array = npt.NDArray[np.float64]
Path = tuple[tuple[str, int], ...]
"""A clip's position in its tree: names from the root on, and which of equal siblings each is."""


class TreeShape:
    """The part of a tree that stays the same from frame to frame: its clips and their parents.

    Args:
        names: Of all clips, in recording order.
        parents: Their indices; −1 for a root.
    """

    def __init__(self, names: tuple[str, ...], parents: tuple[int, ...]) -> None:
        self.names = names
        # A parent that does not come before its child would never end.
        self.parents = tuple(up if 0 <= up < at else -1 for at, up in enumerate(parents))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Each clip's index, which distinguishes it from others of its name in all frames."""
        result: list[Path] = []
        known: dict[Path, int] = {}
        for name, up in zip(self.names, self.parents, strict=True):
            above = result[up] if up >= 0 else ()
            plain = (*above, (name, 0))
            number = known[plain] = known.get(plain, -1) + 1
            result.append((*above, (name, number)))
        return tuple(result)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The clips from top to bottom as people read a tree."""
        children: dict[int, list[int]] = {}
        for at, up in enumerate(self.parents):
            children.setdefault(up, []).append(at)
        result: list[int] = []
        waiting = children.get(-1, [])[::-1]
        while waiting:
            at = waiting.pop()
            result.append(at)
            waiting += children.get(at, [])[::-1]
        return tuple(result)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The clips that are blended; those above them only gather."""
        inner = set(self.parents)
        return tuple(at for at in self.order if at not in inner)


class Blend(NamedTuple):
    """A tree as it was recorded in one frame."""

    frame: int
    shape: TreeShape
    criteria: tuple[str, ...]
    """Why each clip was selected."""
    numbers: Array
    """(3, clips): contributions, rates, normalized times."""
    file: str
    line: int


class _BlendRow(NamedTuple):
    shape: int
    criteria: tuple[str, ...]
    numbers: bytes
    site: tuple[str, int]


class Blends:
    """The records of one tree of one agent, packed, in order of frames.

    A tree holds until it is recorded again: a game may leave out frames that change nothing.
    """

    def __init__(self) -> None:
        self._row_indexes = GrowableArray()
        """The index in `_rows`, by frame."""
        self._rows: list[_BlendRow] = []
        self._shapes: list[TreeShape] = []
        self._known: dict[tuple[tuple[str, ...], tuple[int, ...]], int] = {}
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._sites: dict[tuple[str, int], tuple[str, int]] = {}

    def __len__(self) -> int:
        return len(self._row_indexes)

    @property
    def frames(self) -> Array:
        """The frames in which it was recorded."""
        return self._row_indexes.frames

    def put(self, frame: int, trace: AnimationFrame) -> None:
        """Add a tree as it was in a frame, or replace the earlier record of that frame."""
        clips = trace.clips
        shape = tuple(clip.name for clip in clips), tuple(clip.parent for clip in clips)
        number = self._known.get(shape)
        if number is None:
            number = self._known[shape] = len(self._shapes)
            self._shapes.append(TreeShape(*shape))
        texts = tuple(clip.criteria for clip in clips)
        site = trace.file, trace.line
        numbers = [
            *(clip.contribution for clip in clips), *(clip.rate for clip in clips),
            *(clip.time for clip in clips),
        ]  # fmt: skip
        if len(self._texts) > _MOST_TEXTS:
            self._texts.clear()
        self._row_indexes.put(frame, len(self._rows))
        self._rows.append(_BlendRow(
            number, self._texts.setdefault(texts, texts),
            np.array(numbers, np.float32).tobytes(), self._sites.setdefault(site, site),
        ))  # fmt: skip

    def at(self, frame: int) -> Blend | None:
        """The tree that holds at a frame; None before it was recorded at all."""
        index = int(np.searchsorted(self.frames, frame, side="right")) - 1
        if index < 0:
            return None
        row = self._rows[int(self._row_indexes.values[index])]
        numbers = np.frombuffer(row.numbers, np.float32).astype(np.float64).reshape(3, -1)
        shape = self._shapes[row.shape]
        return Blend(int(self.frames[index]), shape, row.criteria, numbers, *row.site)

    def between(self, first: int, last: int) -> list[tuple[TreeShape, list[int], Array]]:
        """What holds at `first` and what was recorded after it, up to `last`, newest last.

        Returns:
            For each shape that it has: the shape, frames, contributions (frames, clips).
        """
        start = max(0, int(np.searchsorted(self.frames, first, side="right")) - 1)
        end = int(np.searchsorted(self.frames, last, side="right"))
        rows = [self._rows[int(at)] for at in self._row_indexes.values[start:end].tolist()]
        frames = self.frames[start:end].astype(int).tolist()
        result: list[tuple[TreeShape, list[int], Array]] = []
        for number in dict.fromkeys(row.shape for row in rows):
            mine = [at for at, row in enumerate(rows) if row.shape == number]
            shape = self._shapes[number]
            table = np.frombuffer(b"".join(rows[at].numbers for at in mine), np.float32)
            shares = table.reshape(len(mine), 3, len(shape.names))[:, 0].astype(np.float64)
            result.append((shape, [frames[at] for at in mine], shares))
        return result

    def drop_before(self, frame: int) -> None:
        """Forget older records; the one that is valid at that frame stays."""
        index = int(np.searchsorted(self.frames, frame, side="right")) - 1
        if index > 0:
            self._row_indexes.drop_before(int(self.frames[index]))
        if len(self._rows) > 2 * len(self._row_indexes) + 64:
            still_used = self._row_indexes.values.astype(int).tolist()
            self._rows = [self._rows[at] for at in still_used]
            self._row_indexes.values[:] = np.arange(len(still_used))


_MOST_TEXTS = 4096
"""Texts of criteria that frames share; games that write numbers into them have ever new ones."""
