"""Lanes of the timeline: spans and curves at any zoom, exact without a loop over what is drawn.

A lane keeps the running sum of colour times duration. A pixel's colour is the difference of that
sum at its two edges: a box filter, so nothing shimmers while zooming.
"""

import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from ...toolkit import palette
from ...toolkit.palette import GRAVE, rgb, state_color
from .history_record_types import ObjectEnd, StateChange, TimeGap, TreeTickEntry

Floats = npt.NDArray[np.float64]
TRUE, FALSE = "true", "false"
"""What the two values of a flag are called."""
NO = palette.NOT_SET
"""A flag that is not set: something is known there, and it is nothing to look at."""


class SpanLane:
    """Stretches that follow one another, each with a name and a colour. It can grow at its end.

    Args:
        starts: When each begins, seconds, rising; each lasts until the next one begins.
        end: When the last one ends.
        names: What each is called; an empty one is nothing.
    """

    def __init__(self, starts: Sequence[float], end: float, names: Sequence[str]) -> None:
        self.names = list(names)
        known = {name: at for at, name in enumerate(dict.fromkeys(names))}
        shades = [_color_of(name) for name in known]
        codes = np.fromiter((known[name] for name in names), np.int64, len(self.names))
        self.colors = [shades[code] for code in codes.tolist()]
        is_grave = np.array([name.lower() in GRAVE for name in known], np.bool_)
        self.grave: list[int] = np.flatnonzero(is_grave[codes]).tolist() if len(codes) else []
        """Which of them are never to vanish."""
        self._graves = np.array(self.grave, np.int64)
        self._grave_edges: tuple[Floats, Floats] = np.empty(0), np.empty(0)
        """When those begin, and how long they last."""
        count = len(self.names)
        self._edges = np.zeros(count + 1)
        """Where each begins, and at last where the last one ends. There may be room after it."""
        self._edges[:count] = starts
        self._edges[count:] = max(end, starts[-1]) if count else end
        # Rows stand one after the other in memory: interpolating a strided one copies it.
        self._sums = np.zeros((4, count + 1))
        weights = np.array([_weight(shade) for shade in shades]).reshape(-1, 4).T
        np.cumsum(weights[:, codes] * np.diff(self._edges), axis=1, out=self._sums[:, 1:])

    def __len__(self) -> int:
        return len(self.names)

    @property
    def starts(self) -> Floats:
        """When each begins, seconds."""
        return self._edges[: len(self.names)]

    @property
    def ends(self) -> Floats:
        return self._edges[1 : len(self.names) + 1] if self.names else self._edges[:0]

    def graves(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """Those of `grave` from `first` to `last` (not included)."""
        rows = self._grave_rows(first, last)
        return self._graves[rows]

    def _grave_rows(self, first: int, last: int) -> slice:
        if len(self._graves) != len(self.grave):
            self._graves = np.array(self.grave, np.int64)
        return slice(*np.searchsorted(self._graves, (first, last)).tolist())

    def grave_ticks(
        self, start: float, end: float, width: int
    ) -> tuple[npt.NDArray[np.int64], Floats]:
        """At most one grave per pixel: where the first begins, and how long the longest lasts.

        Gathering all of a long lane takes longer than painting it, so their times are cached.
        """
        rows = self._grave_rows(*self.visible(start, end))
        if len(self._grave_edges[0]) != len(self._graves):
            starts = self.starts[self._graves]
            self._grave_edges = starts, self.ends[self._graves] - starts
        starts, lasts = (column[rows] for column in self._grave_edges)
        if not len(starts):
            return self._graves[rows], lasts
        if self._graves[rows][-1] == len(self) - 1:
            lasts = np.append(lasts[:-1], self.ends[-1] - self.starts[-1])  # it may still grow
        inner = np.linspace(start, end, width + 1)[1:-1]
        begins = np.unique(np.append(0, np.searchsorted(starts, inner)))
        begins = begins[begins < len(starts)]
        return self._graves[rows][begins], np.maximum.reduceat(lasts, begins)

    def append(self, start: float, name: str, end: float) -> None:
        """One more, which begins where the last one now ends."""
        count = len(self.names)
        if count + 1 >= len(self._edges):
            room = count + 2 + count // 2
            edges, sums = np.zeros(room), np.zeros((4, room))
            edges[: count + 1], sums[:, : count + 1] = self._edges, self._sums
            self._edges, self._sums = edges, sums
        if count:
            self.extend_to(start)
        self._edges[count] = start
        if name.lower() in GRAVE:
            self.grave.append(count)
        self.names.append(name)
        self.colors.append(_color_of(name))
        self.extend_to(end)

    def extend_to(self, end: float) -> None:
        """The last one ends there."""
        last = len(self.names)
        if last:
            start = float(self._edges[last - 1])
            self._edges[last] = max(end, start)
            more = np.array(_weight(self.colors[-1])) * (self._edges[last] - start)
            self._sums[:, last] = self._sums[:, last - 1] + more

    def visible(self, start: float, end: float) -> tuple[int, int]:
        """Which spans touch a range of time, from … to (not included)."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        return first, max(first, int(np.searchsorted(self.starts, end, side="left")))

    def pixels(self, start: float, end: float, width: int) -> npt.NDArray[np.uint8]:
        """(width, 4) red, green, blue and cover of each pixel column."""
        result = np.zeros((width, 4), np.uint8)
        if not len(self):
            return result
        edges, last = np.linspace(start, end, width + 1), len(self)
        # The sums at the edges: found once, and then interpolated in all rows.
        known = self._edges[: last + 1]
        index = np.clip(np.searchsorted(known, edges, side="right") - 1, 0, last - 1)
        left, right = known[index], known[index + 1]
        lasts = right - left
        share = np.clip(edges - left, 0.0, lasts) / np.where(lasts > 0, lasts, 1.0)
        before, behind = self._sums[:, index], self._sums[:, index + 1]
        sums = np.diff(before + (behind - before) * share)
        cover = sums[3] / ((end - start) / width)
        with np.errstate(invalid="ignore", divide="ignore"):
            colors = np.where(sums[3] > 0, sums[:3] / sums[3], 0.0)
        result[:, :3] = np.clip(colors.T, 0, 255)
        result[:, 3] = np.clip(cover * 255, 0, 255)
        return result

    def at(self, time: float) -> int | None:
        """Which span holds at a time; the last one goes on."""
        index = int(np.searchsorted(self.starts, time, side="right")) - 1
        return index if index >= 0 else None


def _color_of(name: str) -> str:
    return "" if not name else NO if name == FALSE else state_color(name)


def _weight(color: str) -> tuple[float, float, float, float]:
    """What a second of a colour adds to the sums."""
    return (*rgb(color), 1.0) if color else (0.0, 0.0, 0.0, 0.0)


def state_lane(
    changes: Sequence[StateChange], end: float, gaps: Callable[[], Sequence[TimeGap]] = tuple,
    ends: Sequence[ObjectEnd] = (),
) -> SpanLane:  # fmt: skip
    """A machine's states.

    Args:
        end: Up to where it was read, seconds.
        gaps: Gives where frames are missing, if it is asked.
        ends: Where whom it is about was gone.
    """
    spans = [
        span
        for before, change in zip((None, *changes), changes, strict=False)
        for span in entered(before, change, gaps)
    ]
    return _lane(spans, [change.frame for change in changes], end, gaps(), ends)


def entered(
    before: StateChange | None, change: StateChange, gaps: Callable[[], Sequence[TimeGap]]
) -> list[tuple[float, str]]:
    """When which states begin with a transition: two if the one before it was lost in a gap."""
    spans = [(change.time, change.trace.target)]
    source = change.trace.source
    if before is not None and source and source != before.trace.target:
        # What it left must have been entered where nothing was recorded.
        lost = [gap.end for gap in gaps() if before.time <= gap.start and gap.end <= change.time]
        spans = [(end, source) for end in lost[-1:]] + spans
    return spans


def leaf_lane(
    ticks: Sequence[TreeTickEntry], names: Sequence[str], end: float, gaps: Sequence[TimeGap] = (),
    ends: Sequence[ObjectEnd] = (),
) -> SpanLane:  # fmt: skip
    """The leaf that a tree was at, by the names of its nodes: equal neighbours are one.

    Args:
        end: Up to where it was read, seconds.
        gaps: Where frames are missing.
        ends: Where whom it is about was gone.
    """
    spans: list[tuple[float, str]] = []
    frames: list[int] = []
    cuts = iter(sorted(one.frame for one in ends))
    cut = next(cuts, None)
    for tick in ticks:
        name = leaf_name(tick, names)
        was_cut = cut is not None and cut <= tick.frame
        while cut is not None and cut <= tick.frame:
            cut = next(cuts, None)
        if not spans or spans[-1][1] != name or was_cut:
            spans.append((tick.time, name))
            frames.append(tick.frame)
    return _lane(spans, frames, end, gaps, ends)


_BEGINS, _ENDS, _LOST, _FOUND = range(4)
"""What happens at one instant, in this order."""


def _lane(
    spans: Sequence[tuple[float, str]], frames: Sequence[int], end: float, gaps: Sequence[TimeGap],
    ends: Sequence[ObjectEnd],
) -> SpanLane:  # fmt: skip
    """A lane of what begins when, empty where nothing is known or the object was absent.

    Args:
        frames: In which something begins.
    """
    begun = set(frames)
    events = [(start, _BEGINS, name) for start, name in spans]
    events += [(one.time, _ENDS, "") for one in ends]
    for gap in gaps:
        events.append((gap.start, _LOST, ""))
        if gap.last + 1 not in begun:  # else the frame after it says what holds there
            events.append((gap.end, _FOUND, ""))
    if len(events) > len(spans):
        events.sort(key=itemgetter(0, 1))
    starts: list[float] = []
    names: list[str] = []
    holds = ""
    for start, what, name in events:
        if what in (_BEGINS, _ENDS):
            holds = name
        state = "" if what == _LOST else holds
        if what == _BEGINS or (names and names[-1] != state):
            starts.append(start)
            names.append(state)
    return SpanLane(starts, end, names)


def leaf_name(tick: TreeTickEntry, names: Sequence[str]) -> str:
    """What the leaf that a tick ended at is called; empty if there is none."""
    leaf = active_leaf(tick.trace.statuses)
    return names[leaf] if leaf is not None and leaf < len(names) else ""


def active_leaf(statuses: Sequence[str]) -> int | None:
    """The last node that runs, else the last that succeeded: where the tick ended."""
    for status_name in ("running", "success"):
        found = [at for at, status in enumerate(statuses) if status.lower() == status_name]
        if found:
            return found[-1]
    return None


def envelope(
    times: Floats, values: Floats, start: float, end: float, width: int
) -> tuple[Floats, Floats, Floats]:
    """A curve for `width` pixels: x (pixels), and the least and greatest value there.

    With less than one value a pixel these are the values themselves.
    """
    first = max(0, int(np.searchsorted(times, start)) - 1)
    last = min(len(times), int(np.searchsorted(times, end, side="right")) + 1)
    seen_times, seen = times[first:last], values[first:last]
    scale = width / max(end - start, 1e-12)
    if len(seen) <= width:
        x = (seen_times - start) * scale
        return x, seen, seen
    # Looking up where each pixel begins costs less than asking each value for its pixel.
    inner = np.linspace(start, end, width + 1)[1:-1]
    bounds = np.concatenate([[0], np.searchsorted(seen_times, inner), [len(seen)]])
    columns = np.flatnonzero(np.diff(bounds) > 0)
    begins = bounds[columns]
    # What is no number counts only where a pixel has nothing else.
    least: Any = np.fmin.reduceat(seen, begins)
    most: Any = np.fmax.reduceat(seen, begins)
    x = columns.astype(np.float64)
    # A break that begins in a pixel with values, and lasts for more: it has to be one all the same.
    lasts = seen[bounds[columns + 1] - 1]
    lost = np.flatnonzero((np.diff(columns) > 1) & ~np.isfinite(lasts[:-1])) + 1
    if len(lost):
        x, least, most = (
            np.insert(one, lost, what)
            for one, what in ((x, x[lost - 1] + 1), (least, np.nan), (most, np.nan))
        )
    return x, least, most


def curve_lines(
    x: Floats, y: Floats, fine: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.int64]]:  # fmt: skip
    """The lines of a curve, (n, 4), and which of its points each ends at.

    Between two points there is a line only if both are fine; a single point is a short
    one: it must not vanish.
    """
    if len(x) > 1 and fine.all():
        ends = np.empty((len(x) - 1, 4))
        ends[:, 0], ends[:, 1], ends[:, 2], ends[:, 3] = x[:-1], y[:-1], x[1:], y[1:]
        return ends, np.arange(1, len(x))
    both = np.flatnonzero(fine[:-1] & fine[1:])
    joined = np.zeros(len(fine), np.bool_)
    joined[both], joined[both + 1] = True, True
    alone = np.flatnonzero(fine & ~joined)
    ends = np.empty((len(both) + len(alone), 4))
    ends[: len(both)] = np.stack([x[both], y[both], x[both + 1], y[both + 1]], axis=1)
    ends[len(both) :] = np.stack([x[alone] - 1.0, y[alone], x[alone] + 1.0, y[alone]], axis=1)
    return ends, np.concatenate([both + 1, alone])


def finite_ends(values: npt.NDArray[np.float64]) -> tuple[float, float] | None:
    """The least and the greatest of the values that are numbers; None if none is."""
    if not values.size:
        return None
    least, most = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    if math.isfinite(least) and math.isfinite(most):
        return least, most
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else None
