"""The statements of the whole recording: the lanes, the log and the curves are made from it.

It is filled page by page, one for each frame, in any order, while it is already shown.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from ....recorder.packets.mark import Mark
from ....recorder.packets.recorded_frame import FrameRange
from ....recorder.packets.recording_losses import RecordedLoss
from ....recorder.packets.trace_types import AnimationFrame, StateTransition, TreeTick
from ..damaged_ranges import DamagedRange
from ..frame_snapshot import Key
from .animation_history import Blends
from .curve_gaps import CurveSamples, broken
from .event_series import EventRow, GameEvents
from .growable_array import GrowableArray
from .history_record_types import (
    UNREAD,
    ChoiceChange,
    FramePage,
    HistoryLine,
    ObjectEnd,
    StateChange,
    TimeGap,
    TreeTickEntry,
    UnreadRange,
)
from .input_series import InputSeries, TextSeries
from .node_running_since import RunningSince

_R = TypeVar("_R", StateChange, TreeTickEntry, HistoryLine, ChoiceChange)


_ROUNDING = 1e-6
"""Seconds by which the stamps of two neighbours may miss each other without a gap between them."""


_FRAME = attrgetter("frame")


class RecordingHistory:
    """All statements, in order of frames."""

    def __init__(self) -> None:
        self.times = GrowableArray()
        self.deltas = GrowableArray()
        self.changes: dict[Key, list[StateChange]] = {}
        self.ticks: dict[Key, list[TreeTickEntry]] = {}
        self.choices: dict[Key, list[ChoiceChange]] = {}
        """What each decider chose, by agent and decider, where it differs from the time before."""
        self._states: dict[str, tuple[int, bool]] = {}
        """Where the states of all machines appear first: the frame, and whether it is entered."""
        self.new_states = 0
        """Counts up when a state appears that was not known, or earlier than was known."""
        self.believing: tuple[dict[Key, int], dict[Key, int]] = {}, {}
        """The frame since which each machine, and each tree, has stated what the agent believes."""
        self.ends: dict[int, list[ObjectEnd]] = {}
        """The frames in which each object was gone."""
        self._begun: set[tuple[Key, int]] = set()
        """Machines and frames of those transitions that only `begin` has given."""
        self._runs: dict[Key, RunningSince] = {}
        self.blends: dict[Key, Blends] = {}
        """Keyed by agent and animation tree."""
        self.lines: list[HistoryLine] = []
        self.series: dict[Key, GrowableArray] = {}
        self.inputs: dict[Key, InputSeries] = {}
        """Inputs, keyed by object and name."""
        self.game_events = GameEvents()
        """The events of the game."""
        self.phases = TextSeries()
        """The phase of each frame."""
        self.damaged: dict[int, float] = {}
        """Frames that don't hold all they should, with their times."""
        self.damage: tuple[DamagedRange, ...] = ()
        """What of the file is known to be damaged."""
        self.losses: tuple[RecordedLoss, ...] = ()
        """What was not recorded, as the recording says itself."""
        self._marks: tuple[Mark, ...] = ()
        self.span: FrameRange | None = None
        self.complete = False
        """Whether all that is held has been read."""
        self.lag = 0.0
        """How many seconds of the newest end may be unread without being reported: a game that runs
        is always read a moment later."""
        self.version = 0
        """Counts up with each change: what is drawn from it is valid until then."""
        self._gaps: tuple[int, list[TimeGap]] = (-1, [])
        """As of which version, and the gaps: they are asked for at each move of the playhead."""
        self._samples: dict[Key, tuple[int, CurveSamples]] = {}
        """The same of the curves."""
        self.rewrites = 0
        """Counts up when transitions or ticks change elsewhere than at their newest end."""
        self.spoken = 0
        """Counts up when a line of the log or a mark comes or goes."""
        self.respoken = 0
        """The same of those elsewhere than at the newest end."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks, oldest first."""
        return self._marks

    @marks.setter
    def marks(self, marks: tuple[Mark, ...]) -> None:
        self._marks = tuple(sorted(marks, key=_FRAME))
        self.spoken += 1
        self.respoken += 1

    # --- filling --------------------------------------------------------------------------------

    def put(self, page: FramePage) -> None:
        """Add the page of a frame, or replace an earlier one."""
        known = self.times.has(page.frame)
        self.times.put(page.frame, page.time)
        self.deltas.put(page.frame, page.delta)
        if known:
            self._forget(page.frame)
        if page.flags & _INCOMPLETE:
            self.damaged[page.frame] = page.time
        for agent, trace in page.traces:
            if isinstance(trace, StateTransition):
                key = agent, trace.machine
                if self._begun and (key, page.frame) in self._begun:
                    # The frame itself has all its transitions in their order.
                    self._begun.discard((key, page.frame))
                    self._forget_rows(self.changes[key], page.frame)
                    self.rewrites += 1
                changes = self.changes.get(key)
                if changes is None:
                    changes = self.changes[key] = []
                self._insert(changes, StateChange(page.frame, page.time, trace))
                self._appears(page.frame, trace)
                _believes(self.believing[0], key, trace, page.frame)
            elif isinstance(trace, TreeTick):
                key = agent, trace.tree
                ticks = self.ticks.setdefault(key, [])
                runs = self._runs.setdefault(key, RunningSince())
                runs.cut(self._insert(ticks, TreeTickEntry(page.frame, page.time, trace)))
                _believes(self.believing[1], key, trace, page.frame)
            elif isinstance(trace, AnimationFrame):
                self.blends.setdefault((agent, trace.tree), Blends()).put(page.frame, trace)
        for agent, decider, choice in page.choices:
            choices = self.choices.setdefault((agent, decider), [])
            if choice and (not choices or choices[-1].choice != choice):
                _insert(choices, ChoiceChange(page.frame, page.time, choice))
        for object in page.gone:
            self._end(object, ObjectEnd(page.frame, page.time))
        for line in page.lines:
            index = _insert(self.lines, HistoryLine(page.frame, page.time, line))
            self.spoken += 1
            self.respoken += index < len(self.lines) - 1
        for key, value in page.watches.items():
            series = self.series.get(key)
            if series is None:
                series = self.series[key] = GrowableArray()
            series.put(page.frame, value)
        for key, value in page.inputs.items():
            self.inputs.setdefault(key, InputSeries()).put(page.frame, value)
        for event in page.events:
            self.game_events.put(EventRow(page.frame, page.time, *event))
        self.phases.put(page.frame, page.phase)
        self.version += 1

    def begin(self, frame: int, time: float, states: Mapping[Key, StateTransition]) -> None:
        """Say which states held at a frame before which transitions may be missing.

        Whose machines held none any longer was gone by then.
        """
        live_agents = {agent for agent, _ in states}
        for agent in {agent for agent, _ in self.changes} - live_agents:
            before = [
                at for key, changes in self.changes.items() if key[0] == agent
                if (at := self._newest_before(changes, frame)) is not None
            ]  # fmt: skip
            if before and self.end_of(agent, max(before), frame) is None:
                self._end(agent, ObjectEnd(frame, time))
                self.version += 1
        for key, trace in states.items():
            changes = self.changes.setdefault(key, [])
            before_it = bisect_right(changes, frame, key=_FRAME) - 1
            if before_it < 0 or changes[before_it].trace != trace:
                self._insert(changes, StateChange(frame, time, trace))
                self._appears(frame, trace)
                self._begun.add((key, frame))
                _believes(self.believing[0], key, trace, frame)
                self.version += 1

    def _appears(self, frame: int, trace: StateTransition) -> None:
        for name, is_entered in ((trace.source, False), (trace.target, True)):
            known = self._states.get(name)
            if name and (known is None or (known[0] >= frame and (frame, is_entered) < known)):
                self._states[name] = frame, is_entered
                self.new_states += 1

    @property
    def states(self) -> list[str]:
        """The states of all machines, in the order in which they appear."""
        return sorted(self._states, key=lambda name: (*self._states[name], name))

    @staticmethod
    def _newest_before(changes: Sequence[StateChange], frame: int) -> int | None:
        at = bisect_left(changes, frame, key=_FRAME) - 1
        return changes[at].frame if at >= 0 else None

    def _end(self, object: int, end: ObjectEnd) -> None:
        ends = self.ends.setdefault(object, [])
        if all(one.frame != end.frame for one in ends):
            ends.insert(bisect_right(ends, end.frame, key=_FRAME), end)

    def forget_before(self, frame: int) -> None:
        """Let go of what is older, so that a long live session does not grow for ever.

        The transition to each machine's state at that frame stays.
        """
        for column in (self.times, self.deltas, *self.series.values()):
            column.drop_before(frame)
        for changes in self.changes.values():
            del changes[: max(0, bisect_right(changes, frame, key=_FRAME) - 1)]
        for choices in self.choices.values():
            del choices[: max(0, bisect_right(choices, frame, key=_FRAME) - 1)]
        for key, ticks in self.ticks.items():
            gone = max(0, bisect_right(ticks, frame, key=_FRAME) - 1)
            del ticks[:gone]
            self._runs[key].drop(gone)
        self.phases.drop_before(frame)
        for inputs in self.inputs.values():
            inputs.drop_before(frame)
        self.game_events.drop_before(frame)
        for blends in self.blends.values():
            blends.drop_before(frame)
        for object, ends in list(self.ends.items()):
            self.ends[object] = [end for end in ends if end.frame >= frame]
        self._begun = {one for one in self._begun if one[1] >= frame}
        del self.lines[: bisect_left(self.lines, frame, key=_FRAME)]
        self.damaged = {at: time for at, time in self.damaged.items() if at >= frame}
        self.version += 1
        self.rewrites += 1
        self.spoken += 1
        self.respoken += 1

    def _forget(self, frame: int) -> None:
        for key, ticks in self.ticks.items():
            self._runs[key].cut(bisect_left(ticks, frame, key=_FRAME))
        for key, changes in self.changes.items():
            if (key, frame) not in self._begun:  # it was in no page, and this one takes it not back
                self._forget_rows(changes, frame)
        rows: list[Any] = [
            self.lines, *self.ticks.values(), *self.ends.values(), *self.choices.values()
        ]  # fmt: skip
        for sorted_rows in rows:
            self._forget_rows(sorted_rows, frame)
        self.game_events.forget(frame)
        self.rewrites += 1
        self.spoken += 1
        self.respoken += 1

    @staticmethod
    def _forget_rows(rows: list[Any], frame: int) -> None:
        del rows[bisect_left(rows, frame, key=_FRAME) : bisect_right(rows, frame, key=_FRAME)]

    def _insert(self, rows: "list[_R]", row: "_R") -> int:
        """Insert a row; returns its index."""
        if not rows or rows[-1].frame <= row.frame:
            rows.append(row)
            return len(rows) - 1
        index = _insert(rows, row)
        if index < len(rows) - 1:
            self.rewrites += 1
        return index

    # --- looking --------------------------------------------------------------------------------

    def is_known(self, frame: int, since: int = 0, *, newest: bool = False) -> bool:
        """Whether all statements between two frames have been read.

        Args:
            since: Without one, since the oldest that is held.
            newest: Whether that frame is the newest of a running game; its statements come a moment
                later.
        """
        frames, span = self.times.frames, self.span
        if not len(frames) or span is None:
            return False
        if frame < frames[0] or (frame > frames[-1] and not newest):
            return any(damaged.first <= frame <= damaged.last for damaged in self.damage)
        oldest = max(since, span.oldest)
        return frames[0] <= oldest or any(
            damaged.first <= oldest and damaged.last + 1 >= frames[0] for damaged in self.damage
        )

    def __len__(self) -> int:
        """How many frames have been read."""
        return len(self.times)

    @property
    def end(self) -> float:
        """The newest instant that is known, seconds; live, frames come before the span does."""
        end = self.span.end if self.span is not None else 0.0
        return max(end, float(self.times.values[-1])) if len(self.times) else end

    @property
    def read_until(self) -> float:
        """Up to where it was read, seconds: nothing may look as if it were known after that."""
        return float(self.times.values[-1]) if len(self.times) else 0.0

    def end_of(self, object: int, since: int, frame: int) -> ObjectEnd | None:
        """The first time after the frame `since`, and up to `frame`, that an object was gone."""
        ends = self.ends.get(object, ())
        at = bisect_right(ends, since, key=_FRAME)
        return ends[at] if at < len(ends) and ends[at].frame <= frame else None

    def samples(self, key: Key) -> CurveSamples:
        """A watched value over time; it breaks where it was not watched."""
        known = self._samples.get(key)
        if known is None or known[0] != self.version:
            series = self.series[key]
            times = np.interp(series.frames, self.times.frames, self.times.values)
            last = float(self.times.frames[-1]) if len(self.times) else -np.inf
            known = self.version, broken(series.frames, times, series.values, last)
            self._samples[key] = known
        return known[1]

    def gaps(self) -> list[TimeGap]:
        """Where frames are missing between frames that are held.

        Their ids are missing, or a game ran on that was not recorded: then the frame after it
        has its own step's delta, which does not reach back to the frame in front.
        """
        if self._gaps[0] == self.version:
            return self._gaps[1]
        frames, times, deltas = self.times.frames, self.times.values, self.deltas.values
        unseen = times[1:] - deltas[1:] - times[:-1]
        after = np.flatnonzero((np.diff(frames) > 1) | (unseen > _ROUNDING)) + 1
        gaps = [
            TimeGap(
                float(times[at - 1]), float(times[at] - deltas[at]),
                int(frames[at - 1]) + 1, int(frames[at]) - 1,
            )
            for at in after.tolist()
        ]  # fmt: skip
        self._gaps = self.version, [gap for gap in gaps if gap.end > gap.start]
        return self._gaps[1]

    def damage_in(self, gap: TimeGap) -> DamagedRange | None:
        """The damage of the file that a gap comes from, if it does."""
        return next((one for one in self.damage if gap.first <= one.first <= gap.last), None)

    def missing(self, start: float, end: float, recorded: FrameRange | None) -> list[UnreadRange]:
        """What of a range can't be shown: gaps, what `held` does not hold any more, and what of
        it has not been read so far."""
        found = [
            UnreadRange(gap.start, gap.end, "damaged" if self.damage_in(gap) else "no data")
            for gap in self.gaps()
        ]
        # Between frames that can be read they are gaps; else nothing else would say so.
        outer = [
            UnreadRange(damaged.start, damaged.end, "damaged")
            for damaged in self.damage
            if not len(self.times)
            or damaged.last < self.times.frames[0] or damaged.first > self.times.frames[-1]
        ]  # fmt: skip
        found += outer
        if recorded is not None:
            found.append(UnreadRange(start, recorded.start, "evicted"))
            found += self._unread(recorded, outer)
        return [
            UnreadRange(max(one.start, start), min(one.end, end), one.why)
            for one in found
            if one.end > one.start and one.end > start and one.start < end
        ]

    def all_missing(self) -> list[UnreadRange]:
        """The same of everything that was ever read or is held."""
        if self.span is None:
            return []
        start = self.span.start
        if len(self.times):
            start = min(start, float(self.times.values[0]))
        return self.missing(start, self.end, self.span)

    def _unread(self, recorded: FrameRange, damaged: Sequence[UnreadRange]) -> list[UnreadRange]:
        """The ranges that were not read yet."""
        if self.complete:
            return []
        if not len(self.times):
            ranges = [(recorded.start, recorded.end)]
        else:
            first = float(self.times.values[0] - self.deltas.values[0])
            first = min(first, float(np.nextafter(self.times.values[0], -np.inf)))
            ranges = [(recorded.start, first)]
            if recorded.end - self.read_until > self.lag:
                ranges.append((self.read_until, recorded.end))
        for one in damaged:
            ranges = [
                piece
                for start, end in ranges
                for piece in ((start, min(end, one.start)), (max(start, one.end), end))
                if piece[1] > piece[0]
            ]
        return [UnreadRange(start, end, UNREAD) for start, end in ranges if end > start]

    def why_missing(self, time: float, recorded: FrameRange | None) -> str:
        """Why nothing is known at a time; empty if something is."""
        index = int(np.searchsorted(self.times.values, time + _SAME, side="right")) - 1
        if index >= 0 and time - float(self.times.values[index]) <= _SAME:
            return ""  # the very instant of a frame that was read
        found = self.missing(time - _SAME, time + _SAME, recorded)
        return found[-1].why if found else ""

    def changes_until(self, key: Key, frame: int, most: int) -> list[StateChange]:
        """The newest of a machine's transitions up to a frame, newest first."""
        changes = self.changes.get(key, [])
        end = bisect_right(changes, frame, key=_FRAME)
        return changes[max(0, end - most) : end][::-1]

    def tick_at(self, key: Key, frame: int) -> TreeTickEntry | None:
        """The newest tick of a tree at or before a frame."""
        ticks = self.ticks.get(key, [])
        at = bisect_right(ticks, frame, key=_FRAME) - 1
        return ticks[at] if at >= 0 else None

    def running_since(self, key: Key, node: int, tick: TreeTickEntry) -> tuple[float, bool]:
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
        """The agents, by id."""
        return sorted({agent for agent, _ in (*self.changes, *self.ticks)})


_SAME = 1e-9
"""Seconds within which two times are one instant."""
_INCOMPLETE = 1 | 4 | 8
"""A handler failed, a packet was dropped, or a fact refused: see `FrameFlag`."""


def _believes(
    since: dict[Key, int], key: Key, trace: StateTransition | TreeTick, frame: int
) -> None:
    if trace.beliefs:
        since[key] = min(frame, since.get(key, frame))


def _insert(rows: "list[_R]", row: "_R") -> int:
    """Insert a row by its frame; returns its index."""
    index = len(rows)
    if rows and rows[-1].frame > row.frame:
        index = bisect_right(rows, row.frame, key=_FRAME)
    rows.insert(index, row)
    return index
