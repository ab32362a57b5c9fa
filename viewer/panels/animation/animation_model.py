"""Recorded animation trees: each animation clip's share of the pose, and where one popped.

A clip **pops** when its contribution changes by more than `POP` from one frame to the next.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ....recorder.text.duration_text import duration_text
from ...reader.history.animation_history import Blend, Blends, Path
from ...reader.history.growable_array import GrowableArray
from ...toolkit import palette
from ...toolkit.time_text import time_text

Array = npt.NDArray[np.float64]
POP = 0.35
"""The greatest change in one frame that can still be a blend. The fastest blends that people see
as such take a tenth of a second: at 30 frames a second those are three steps of a third each."""


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
    """The change of its contribution since the frame before."""
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
    """The contributions of a range of time, to be drawn upon one another."""

    names: tuple[str, ...]
    """The names of the blended animation clips."""
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
        index = int(np.searchsorted(self.edges, time + 1e-9, side="right")) - 1
        if not 0 <= index < len(self.shares):
            return {}
        result: dict[str, float] = {}
        for name, share in zip(self.names, self.shares[index].tolist(), strict=True):
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
        indexes = np.searchsorted(stack.edges, gone)
        nothing = np.zeros((len(gone), stack.shares.shape[1]))
        stack = stack._replace(
            edges=np.insert(stack.edges, indexes, gone),
            shares=np.insert(stack.shares, indexes, nothing, axis=0),
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
        for which, (_, frames, _) in enumerate(parts) for at, frame in enumerate(frames)
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


def unchanged_text(blend: Blend, times: GrowableArray, now: float) -> str:
    """How old what is shown is; empty if it is of this very frame."""
    time = times.at(blend.frame)
    age = 0.0 if time is None else now - time
    return (
        f"unchanged for {duration_text(age)}, since {time_text(time or 0.0)}" if age > 1e-6 else ""
    )
