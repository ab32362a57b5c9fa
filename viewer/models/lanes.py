"""Lanes of the timeline: spans and curves at any zoom, exact without a loop over what is drawn.

A lane keeps the running sum of colour times duration. A pixel's colour is the difference of that
sum at its two edges: a box filter, so nothing shimmers while zooming.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .history import Change, Tick
from .palette import GRAVE, rgb, state_color

Floats = npt.NDArray[np.float64]


class SpanLane:
    """Stretches that follow one another, each with a name and a colour.

    Args:
        starts: When each begins, seconds, rising; each lasts until the next one begins.
        end: When the last one ends.
        names: What each is called; an empty one is nothing.
    """

    def __init__(self, starts: Sequence[float], end: float, names: Sequence[str]) -> None:
        self.starts: Floats = np.asarray(starts, np.float64)
        self.ends: Floats = (
            np.append(self.starts[1:], max(end, self.starts[-1]))
            if len(self.starts)
            else np.empty(0)
        )
        self.names = list(names)
        self.colors = [state_color(name) if name else "" for name in names]
        values = np.array([rgb(color) if color else (0, 0, 0) for color in self.colors], float)
        weight = np.array([1.0 if name else 0.0 for name in names])
        lasts = self.ends - self.starts
        rows = (
            np.column_stack([values * weight[:, None], weight]) if len(names) else np.empty((0, 4))
        )
        # Rows stand one behind the other in memory: interpolating a strided one copies it.
        self._sums = np.zeros((4, len(names) + 1))
        np.cumsum((rows * lasts[:, None]).T, axis=1, out=self._sums[:, 1:])
        self._edges = np.append(self.starts, self.ends[-1:])
        self.grave = [at for at, name in enumerate(names) if name.lower() in GRAVE]

    def __len__(self) -> int:
        return len(self.names)

    def visible(self, start: float, end: float) -> tuple[int, int]:
        """Which spans touch a stretch of time, from … to (not included)."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        return first, max(first, int(np.searchsorted(self.starts, end, side="left")))

    def pixels(self, start: float, end: float, width: int) -> npt.NDArray[np.uint8]:
        """(width, 4) red, green, blue and cover of each pixel column."""
        told = np.zeros((width, 4), np.uint8)
        if not len(self):
            return told
        edges = np.linspace(start, end, width + 1)
        sums = np.array([np.diff(np.interp(edges, self._edges, row)) for row in self._sums])
        cover = sums[3] / ((end - start) / width)
        with np.errstate(invalid="ignore", divide="ignore"):
            colors = np.where(sums[3] > 0, sums[:3] / sums[3], 0.0)
        told[:, :3] = np.clip(colors.T, 0, 255)
        told[:, 3] = np.clip(cover * 255, 0, 255)
        return told

    def at(self, time: float) -> int | None:
        """Which span holds at a time; the last one goes on."""
        place = int(np.searchsorted(self.starts, time, side="right")) - 1
        return place if place >= 0 else None


def state_lane(changes: Sequence[Change], end: float) -> SpanLane:
    """A machine's states."""
    return SpanLane(
        [change.time for change in changes], end, [change.trace.target for change in changes]
    )


def leaf_lane(ticks: Sequence[Tick], names: Sequence[str], end: float) -> SpanLane:
    """The leaf that a tree was at, by the names of its nodes: equal neighbours are one."""
    starts: list[float] = []
    leaves: list[str] = []
    for tick in ticks:
        leaf = active_leaf(tick.trace.statuses)
        name = names[leaf] if leaf is not None and leaf < len(names) else ""
        if not leaves or leaves[-1] != name:
            starts.append(tick.time)
            leaves.append(name)
    return SpanLane(starts, end, leaves)


def active_leaf(statuses: Sequence[str]) -> int | None:
    """The last node that runs, else the last that succeeded: where the tick ended."""
    for wanted in ("running", "success"):
        found = [at for at, status in enumerate(statuses) if status.lower() == wanted]
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
    columns = np.clip((seen_times - start) * scale, 0, width - 1).astype(np.int64)
    begins = np.flatnonzero(np.append(True, np.diff(columns) > 0))
    least: Any = np.minimum.reduceat(seen, begins)
    most: Any = np.maximum.reduceat(seen, begins)
    return columns[begins].astype(np.float64), least, most
