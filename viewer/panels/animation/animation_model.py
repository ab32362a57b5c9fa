"""The animation trees that were recorded: each clip's share of the pose, and where one popped.

A clip **pops** when its contribution changes by more than `POP` from one frame to the next.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ....recorder.packets.decision_traces import AnimationTrace
from ...reader.growable_array import GrowableArray
from ...toolkit import palette
from ...toolkit.time_text import span_text, time_text

Array = npt.NDArray[np.float64]
Path = tuple[tuple[str, int], ...]
"""A clip's place in its tree: names from the root on, and which of equal ones beside each other."""

POP = 0.35
"""The greatest change in one frame that can still be a blend. The fastest blends that people see
as such take a tenth of a second: at 30 frames a second those are three steps of a third each."""


class TreeShape:
    """What a tree keeps from frame to frame: its clips' names and who is below whom.

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
        """Each clip's place: what tells it from others of its name, in other frames too."""
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


class _Row(NamedTuple):
    shape: int
    criteria: tuple[str, ...]
    numbers: bytes
    site: tuple[str, int]


class Blends:
    """All that was recorded of one tree of one agent, kept in little room, in order of frames.

    A tree holds until it is recorded again: a game may leave out frames that change nothing.
    """

    def __init__(self) -> None:
        self._places = GrowableArray()
        """By frame the index in `_rows`."""
        self._rows: list[_Row] = []
        self._shapes: list[TreeShape] = []
        self._known: dict[tuple[tuple[str, ...], tuple[int, ...]], int] = {}
        self._texts: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._sites: dict[tuple[str, int], tuple[str, int]] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def frames(self) -> Array:
        """In which it was recorded."""
        return self._places.frames

    def put(self, frame: int, trace: AnimationTrace) -> None:
        """Take in a tree as it was in a frame, or what is to be said of that frame instead."""
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
        self._places.put(frame, len(self._rows))
        self._rows.append(_Row(
            number, self._texts.setdefault(texts, texts),
            np.array(numbers, np.float32).tobytes(), self._sites.setdefault(site, site),
        ))  # fmt: skip

    def at(self, frame: int) -> Blend | None:
        """The tree that holds at a frame; None before it was recorded at all."""
        place = int(np.searchsorted(self.frames, frame, side="right")) - 1
        if place < 0:
            return None
        row = self._rows[int(self._places.values[place])]
        numbers = np.frombuffer(row.numbers, np.float32).astype(np.float64).reshape(3, -1)
        shape = self._shapes[row.shape]
        return Blend(int(self.frames[place]), shape, row.criteria, numbers, *row.site)

    def between(self, first: int, last: int) -> list[tuple[TreeShape, list[int], Array]]:
        """What holds at `first` and what was recorded after it, up to `last`, newest last.

        Returns:
            For each shape that it has: the shape, frames, contributions (frames, clips).
        """
        start = max(0, int(np.searchsorted(self.frames, first, side="right")) - 1)
        end = int(np.searchsorted(self.frames, last, side="right"))
        rows = [self._rows[int(at)] for at in self._places.values[start:end].tolist()]
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
        """Let go of what is older; what holds at that frame stays."""
        held = int(np.searchsorted(self.frames, frame, side="right")) - 1
        if held > 0:
            self._places.drop_before(int(self.frames[held]))
        if len(self._rows) > 2 * len(self._places) + 64:
            kept = self._places.values.astype(int).tolist()
            self._rows = [self._rows[at] for at in kept]
            self._places.values[:] = np.arange(len(kept))


_MOST_TEXTS = 4096
"""Of criteria that are shared by frames; games that write numbers into them have ever new ones."""


class AnimationClipRow(NamedTuple):
    """A clip's line in the panel."""

    name: str
    depth: int
    last: tuple[bool, ...]
    """For each level above and its own, whether no sibling follows."""
    contribution: float
    rate: float
    time: float
    criteria: str
    change: float
    """By how much its contribution differs from the frame before."""
    inner: bool
    """Whether it only gathers those beneath it."""
    gone: bool = False
    """Whether it was in the tree one frame before, and no more."""

    @property
    def pops(self) -> bool:
        return abs(self.change) > POP


def clips_at(blends: Blends, times: GrowableArray, frame: int) -> list[AnimationClipRow]:
    """The whole tree at a frame, from top to bottom.

    Args:
        times: Of the frames that were read: a frame that is missing has no change.
    """
    now = blends.at(frame)
    if now is None:
        return []
    before = blends.at(frame - 1) if now.frame == frame and times.has(frame - 1) else None
    shares: dict[Path, float] = {}
    if before is not None:
        shares = dict(zip(before.shape.paths, before.numbers[0].tolist(), strict=True))
    shape, rows = now.shape, []
    last: dict[int, tuple[bool, ...]] = {}
    final = {up: at for at, up in enumerate(shape.parents)}
    for at in shape.order:
        up = shape.parents[at]
        last[at] = (*last.get(up, ()), final[up] == at)
        share, rate, time = now.numbers[:, at].tolist()
        was = shares.pop(shape.paths[at], 0.0) if before is not None else share
        rows.append(AnimationClipRow(
            shape.names[at], len(last[at]) - 1, last[at], share, rate, time, now.criteria[at],
            share - was, at in final,
        ))  # fmt: skip
    rows += [
        AnimationClipRow(path[-1][0], len(path) - 1, (True,) * len(path), 0.0, 0.0, 0.0,
             "no more in the tree", -was, inner=False, gone=True)
        for path, was in shares.items() if was > 0.0
    ]  # fmt: skip
    return rows


class BlendPop(NamedTuple):
    """A contribution that jumped."""

    time: float
    frame: int
    name: str
    before: float
    after: float


class Stack(NamedTuple):
    """The contributions of a stretch of time, to be drawn upon one another."""

    names: tuple[str, ...]
    """Of the clips that are blended."""
    edges: Array
    """(n + 1,) seconds: a row of shares holds from its edge to the next."""
    shares: Array
    """(n, clips)"""
    pops: list[BlendPop]

    @property
    def most(self) -> float:
        """What they add up to where they add up to most; at least 1."""
        return max(1.0, float(self.shares.sum(axis=1).max())) if len(self.shares) else 1.0

    def at(self, time: float) -> dict[str, float]:
        """What counts at a time, by name."""
        place = int(np.searchsorted(self.edges, time + 1e-9, side="right")) - 1
        if not 0 <= place < len(self.shares):
            return {}
        result: dict[str, float] = {}
        for name, share in zip(self.names, self.shares[place].tolist(), strict=True):
            if share > 0.0:
                result[name] = result.get(name, 0.0) + share
        return result


def stack_of(
    blends: Blends, times: GrowableArray, start: float, end: float, ends: Sequence[float] = ()
) -> Stack:  # fmt: skip
    """The contributions between two times (seconds), as far as they were recorded.

    Args:
        times: Of the frames that were read.
        ends: When whom it is about was gone, seconds: from then on nothing holds.
    """
    inside = slice(*np.searchsorted(times.values, (start, end), side="right").tolist())
    frames = times.frames[max(0, inside.start - 1) : inside.stop]
    if not len(frames):
        return Stack((), np.array([start]), np.zeros((0, 0)), [])
    stack = _stacked(blends, times, int(frames[0]), int(frames[-1]))
    until = min(end, float(times.values[-1]))
    gone = np.array([one for one in ends if len(stack.edges) and stack.edges[0] <= one < until])
    if len(gone):
        places = np.searchsorted(stack.edges, gone)
        nothing = np.zeros((len(gone), stack.shares.shape[1]))
        stack = stack._replace(
            edges=np.insert(stack.edges, places, gone),
            shares=np.insert(stack.shares, places, nothing, axis=0),
        )
    edges = np.append(np.maximum(stack.edges, start), max(until, start))
    return stack._replace(edges=edges, pops=[pop for pop in stack.pops if pop.time >= start])


def _stacked(blends: Blends, times: GrowableArray, first: int, last: int) -> Stack:
    """What holds at a frame and what was recorded after it, without the last edge."""
    parts = blends.between(first, last)
    paths: dict[Path, int] = {}
    for shape, _, _ in parts:
        for at in shape.leaves:
            paths.setdefault(shape.paths[at], len(paths))
    rows = sorted(
        (frame, at, which)
        for which, (_, held, _) in enumerate(parts) for at, frame in enumerate(held)
    )  # fmt: skip
    order = np.array(rows, np.int64).reshape(-1, 3)
    shares = np.zeros((len(rows), len(paths)))
    for which, (shape, _, table) in enumerate(parts):
        mine = np.flatnonzero(order[:, 2] == which)
        columns = [paths[shape.paths[at]] for at in shape.leaves]
        shares[np.ix_(mine, np.array(columns, np.int64))] = table[:, list(shape.leaves)]
    edges = np.interp(order[:, 0], times.frames, times.values)
    names = tuple(path[-1][0] for path in paths)
    return Stack(names, edges, shares, _pops(names, times, order[:, 0], edges, shares))


_CHUNK = 1000
"""Recorded trees that are searched for pops at once."""


def pop_beside(blends: Blends, times: GrowableArray, frame: int, direction: int) -> int | None:
    """The nearest frame in a direction in which a clip popped; None if there is none."""
    frames = blends.frames
    at = int(np.searchsorted(frames, frame, side="right" if direction > 0 else "left"))
    while at > 0 if direction < 0 else at < len(frames):
        low, high = (at, at + _CHUNK) if direction > 0 else (max(0, at - _CHUNK), at)
        high = min(high, len(frames))
        found = _stacked(blends, times, int(frames[max(0, low - 1)]), int(frames[high - 1])).pops
        if found:
            return found[0 if direction > 0 else -1].frame
        at = high if direction > 0 else low
    return None


def _pops(
    names: Sequence[str],
    times: GrowableArray,
    frames: npt.NDArray[np.int64],
    at: Array,
    shares: Array,
) -> list[BlendPop]:
    jumps = np.diff(shares, axis=0)
    return [
        BlendPop(float(at[row + 1]), int(frames[row + 1]), names[which],
            float(shares[row, which]), float(shares[row + 1, which]))
        for row, which in np.argwhere(np.abs(jumps) > POP).tolist()
        if times.has(int(frames[row + 1]) - 1)
    ]  # fmt: skip


def colors_of(names: Sequence[str]) -> Mapping[str, str]:
    """A colour for each clip: the same wherever it is shown with these others, no two alike."""
    result: dict[str, str] = {}
    for name in sorted(set(names)):
        if name.lower() == "idle":
            result[name] = palette.IDLE
            continue
        at, count = crc32(name.lower().encode()), len(palette.SERIES)
        # The curves' colours differ most; only a tree with more clips needs those of states too.
        turned = (*(palette.SERIES[(at + step) % count] for step in range(count)), *palette.STATES)
        taken = set(result.values())
        result[name] = next((shade for shade in turned if shade not in taken), turned[0])
    return result


def words(clip: AnimationClipRow) -> str:
    """A clip in one line of plain text."""
    text = (
        f"{'  ' * clip.depth}{clip.name}  {clip.contribution:.2f}  ×{clip.rate:.2f}"
        f"  at {clip.time:.2f}"
    )
    if clip.criteria:
        text += f"  ({clip.criteria})"
    return text + (f"  POP {clip.change:+.2f}" if clip.pops else "")


def held_clips(blend: Blend, times: GrowableArray, now: float) -> str:
    """How old what is shown is; empty if it is of this very frame."""
    time = times.at(blend.frame)
    age = 0.0 if time is None else now - time
    return f"unchanged for {span_text(age)}, since {time_text(time or 0.0)}" if age > 1e-6 else ""
