"""What was said over the whole recording: the lanes, the log and the curves are made from it.

It is filled page by page, one for each frame, in any order, while somebody already looks at it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...recorder.frame import Span
from ...recorder.logs import LogLine
from ...recorder.marks import Mark
from ...recorder.traces import AnimationTrace, AnyTrace, StateTrace, TreeTrace
from .animation import Blends
from .growing import Growing
from .holes import Hole
from .moment import Key
from .runs import Runs

_R = TypeVar("_R", "Change", "Tick", "Line")


class Page(NamedTuple):
    """What was said in one frame."""

    frame: int
    time: float
    delta: float
    flags: int
    traces: Sequence[tuple[int, AnyTrace]] = ()
    lines: Sequence[LogLine] = ()
    watches: Mapping[Key, float] = {}


class Change(NamedTuple):
    """A transition of a state machine, and when."""

    frame: int
    time: float
    trace: StateTrace


class Tick(NamedTuple):
    """A tick of a behaviour tree, and when."""

    frame: int
    time: float
    trace: TreeTrace

    @property
    def statuses(self) -> Sequence[str]:
        """How each node stood."""
        return self.trace.statuses


class Line(NamedTuple):
    """A line of the log, and when."""

    frame: int
    time: float
    line: LogLine


class Missing(NamedTuple):
    """A stretch of which there is nothing to be shown; seconds."""

    start: float
    end: float
    why: str


class Gap(NamedTuple):
    """A stretch without frames between two that are held; seconds."""

    start: float
    end: float
    first: int = 0
    """The first frame that is missing, …"""
    last: int = 0
    """… and the last one."""


_FRAME = attrgetter("frame")


class History:
    """All that was said, in order of frames."""

    def __init__(self) -> None:
        self.times = Growing()
        self.deltas = Growing()
        self.changes: dict[Key, list[Change]] = {}
        self.ticks: dict[Key, list[Tick]] = {}
        self.believing: tuple[dict[Key, int], dict[Key, int]] = {}, {}
        """From which frame on each machine, and each tree, has told what the agent believes."""
        self._runs: dict[Key, Runs] = {}
        self.blends: dict[Key, Blends] = {}
        """By agent and animation tree."""
        self.lines: list[Line] = []
        self.series: dict[Key, Growing] = {}
        self.damaged: dict[int, float] = {}
        """Frames that don't hold all they should, with their times."""
        self.holes: tuple[Hole, ...] = ()
        """What of the file is known to be damaged."""
        self._marks: tuple[Mark, ...] = ()
        self.span: Span | None = None
        self.version = 0
        self._gaps: tuple[int, list[Gap]] = (-1, [])
        """As of which version, and the gaps: they are asked for at each move of the playhead."""
        """Counts up with each change: what is drawn from it can be kept until then."""
        self.rewrites = 0
        """Counts up when transitions or ticks change elsewhere than at their newest end."""
        self.spoken = 0
        """Counts up when a line of the log or a mark comes or goes."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks, oldest first."""
        return self._marks

    @marks.setter
    def marks(self, marks: tuple[Mark, ...]) -> None:
        self._marks = marks
        self.spoken += 1

    # --- filling --------------------------------------------------------------------------------

    def put(self, page: Page) -> None:
        """Take in what was said in a frame, or what is to be said of it instead."""
        known = self.times.has(page.frame)
        self.times.put(page.frame, page.time)
        self.deltas.put(page.frame, page.delta)
        if known:
            self._forget(page.frame)
        if page.flags & _INCOMPLETE:
            self.damaged[page.frame] = page.time
        for agent, trace in page.traces:
            if isinstance(trace, StateTrace):
                changes = self.changes.setdefault((agent, trace.machine), [])
                change = Change(page.frame, page.time, trace)
                if change not in changes[-2:]:  # `begin` may have said it
                    self._insert(changes, change)
                _believes(self.believing[0], (agent, trace.machine), trace, page.frame)
            elif isinstance(trace, TreeTrace):
                key = agent, trace.tree
                ticks = self.ticks.setdefault(key, [])
                runs = self._runs.setdefault(key, Runs())
                runs.cut(self._insert(ticks, Tick(page.frame, page.time, trace)))
                _believes(self.believing[1], key, trace, page.frame)
            elif isinstance(trace, AnimationTrace):
                self.blends.setdefault((agent, trace.tree), Blends()).put(page.frame, trace)
        for line in page.lines:
            _insert(self.lines, Line(page.frame, page.time, line))
            self.spoken += 1
        for key, value in page.watches.items():
            series = self.series.get(key)
            if series is None:
                series = self.series[key] = Growing()
            series.put(page.frame, value)
        self.version += 1

    def begin(self, frame: int, time: float, states: Mapping[Key, StateTrace]) -> None:
        """Say which states held at a frame before which transitions may be missing."""
        for key, trace in states.items():
            changes = self.changes.setdefault(key, [])
            before = bisect_right(changes, frame, key=_FRAME) - 1
            if before < 0 or changes[before].trace != trace:
                self._insert(changes, Change(frame, time, trace))
                _believes(self.believing[0], key, trace, frame)
                self.version += 1

    def forget_before(self, frame: int) -> None:
        """Let go of what is older, so that a long live session does not grow for ever.

        The transition to each machine's state at that frame stays.
        """
        for column in (self.times, self.deltas, *self.series.values()):
            column.drop_before(frame)
        for changes in self.changes.values():
            del changes[: max(0, bisect_right(changes, frame, key=_FRAME) - 1)]
        for key, ticks in self.ticks.items():
            gone = max(0, bisect_right(ticks, frame, key=_FRAME) - 1)
            del ticks[:gone]
            self._runs[key].drop(gone)
        for blends in self.blends.values():
            blends.drop_before(frame)
        del self.lines[: bisect_left(self.lines, frame, key=_FRAME)]
        self.damaged = {at: time for at, time in self.damaged.items() if at >= frame}
        self.version += 1
        self.rewrites += 1
        self.spoken += 1

    def _forget(self, frame: int) -> None:
        for key, ticks in self.ticks.items():
            self._runs[key].cut(bisect_left(ticks, frame, key=_FRAME))
        rows: list[Any] = [self.lines, *self.changes.values(), *self.ticks.values()]
        for kept in rows:
            del kept[bisect_left(kept, frame, key=_FRAME) : bisect_right(kept, frame, key=_FRAME)]
        self.rewrites += 1
        self.spoken += 1

    def _insert(self, rows: "list[_R]", row: "_R") -> int:
        """Put in a row; returns its place."""
        place = _insert(rows, row)
        if place < len(rows) - 1:
            self.rewrites += 1
        return place

    # --- looking --------------------------------------------------------------------------------

    def is_known(self, frame: int, since: int = 0, *, newest: bool = False) -> bool:
        """Whether all has been read that was said up to a frame, since another one.

        Args:
            since: Without one, since the oldest that is held.
            newest: Whether that frame is the newest of a game that runs: what was said in it comes
                a moment later.
        """
        frames, span = self.times.frames, self.span
        if not len(frames) or span is None:
            return False
        if frame < frames[0] or (frame > frames[-1] and not newest):
            return any(hole.first <= frame <= hole.last for hole in self.holes)
        oldest = max(since, span.oldest)
        return frames[0] <= oldest or any(
            hole.first <= oldest and hole.last + 1 >= frames[0] for hole in self.holes
        )

    def __len__(self) -> int:
        """How many frames have been read."""
        return len(self.times)

    @property
    def end(self) -> float:
        """The newest instant that is known, seconds; live, frames come before the span does."""
        told = self.span.end if self.span is not None else 0.0
        return max(told, float(self.times.values[-1])) if len(self.times) else told

    def gaps(self) -> list[Gap]:
        """Where frames are missing between frames that are held."""
        if self._gaps[0] == self.version:
            return self._gaps[1]
        frames, times, deltas = self.times.frames, self.times.values, self.deltas.values
        after = np.flatnonzero(np.diff(frames) > 1) + 1
        gaps = [
            Gap(
                float(times[at - 1]), float(times[at] - deltas[at]),
                int(frames[at - 1]) + 1, int(frames[at]) - 1,
            )
            for at in after.tolist()
        ]  # fmt: skip
        self._gaps = self.version, [gap for gap in gaps if gap.end > gap.start]
        return self._gaps[1]

    def hole_in(self, gap: Gap) -> Hole | None:
        """The damage of the file that a gap comes from, if it does."""
        return next((one for one in self.holes if gap.first <= one.first <= gap.last), None)

    def missing(self, start: float, end: float, held: Span | None) -> list[Missing]:
        """What of a stretch can't be shown: gaps, and what `held` does not hold any more."""
        found = [
            Missing(gap.start, gap.end, "damaged" if self.hole_in(gap) else "no data")
            for gap in self.gaps()
        ]
        # Between frames that can be read they are gaps; else nothing else would say so.
        found += [
            Missing(hole.start, hole.end, "damaged")
            for hole in self.holes
            if not len(self.times)
            or hole.last < self.times.frames[0] or hole.first > self.times.frames[-1]
        ]  # fmt: skip
        if held is not None:
            found.append(Missing(start, held.start, "evicted"))
            # Of what was not looked at nobody knows which states it had.
            if len(self.times) and self.times.values[0] - self.deltas.values[0] > held.start:
                first = float(self.times.values[0] - self.deltas.values[0])
                found.append(Missing(held.start, first, "not read yet"))
        return [
            Missing(max(one.start, start), min(one.end, end), one.why)
            for one in found
            if one.end > one.start and one.end > start and one.start < end
        ]

    def changes_until(self, key: Key, frame: int, most: int) -> list[Change]:
        """The newest of a machine's transitions up to a frame, newest first."""
        changes = self.changes.get(key, [])
        end = bisect_right(changes, frame, key=_FRAME)
        return changes[max(0, end - most) : end][::-1]

    def tick_at(self, key: Key, frame: int) -> Tick | None:
        """The newest tick of a tree at or before a frame."""
        ticks = self.ticks.get(key, [])
        at = bisect_right(ticks, frame, key=_FRAME) - 1
        return ticks[at] if at >= 0 else None

    def running_since(self, key: Key, node: int, tick: Tick) -> tuple[float, bool]:
        """When a node that runs in this tick began to, seconds; and whether it really was then.

        It was not, as far as anybody knows, if what was before is missing: then it ran at least
        since the instant that is returned.
        """
        ticks, runs = self.ticks[key], self._runs[key]
        at = bisect_right(ticks, tick.frame, key=_FRAME) - 1
        began = runs.since(ticks, at, node)
        if began is None:
            return tick.time, True
        lost = max((gap.last for gap in self.gaps() if gap.last < tick.frame), default=0)
        first = max(began, bisect_right(ticks, lost, key=_FRAME), 0)
        since = ticks[first]
        if began < 0 or first > began:
            return since.time, False
        # The tick in front of it, or if there is none, the frame: whether that was read.
        before = ticks[first - 1].frame if first else since.frame - 1
        oldest = int(self.times.frames[0]) if len(self.times) else since.frame
        return since.time, before == 0 or (before > lost and (first > 0 or before >= oldest))

    def events(self, object: int) -> list[int]:
        """The frames in which an object changed its state or its tree's active leaf, in order."""
        frames = {
            change.frame
            for (agent, _), changes in self.changes.items()
            if agent == object
            for change in changes
        }
        for (agent, _), ticks in self.ticks.items():
            if agent == object:
                frames |= {
                    tick.frame
                    for before, tick in zip([None, *ticks], ticks, strict=False)
                    if before is None or before.trace.statuses != tick.trace.statuses
                }
        return sorted(frames)

    def agents(self) -> list[int]:
        """Who decides something, by id."""
        return sorted({agent for agent, _ in (*self.changes, *self.ticks)})


_INCOMPLETE = 1 | 4 | 8
"""A handler failed, a packet was dropped, or a fact refused: see `FrameFlag`."""


def _believes(since: dict[Key, int], key: Key, trace: StateTrace | TreeTrace, frame: int) -> None:
    if trace.beliefs:
        since[key] = min(frame, since.get(key, frame))


def _insert(rows: "list[_R]", row: "_R") -> int:
    """Put in a row by its frame; returns its place."""
    place = len(rows)
    if rows and rows[-1].frame > row.frame:
        place = bisect_right(rows, row.frame, key=_FRAME)
    rows.insert(place, row)
    return place
