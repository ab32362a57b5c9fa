"""The state of a replay as a recording tells it: a clip has no agent that could publish it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from ....recorder.packets.mark import Mark
from ...backends.playback_backend import first_divergence
from ...reader.history.history_record_types import StateChange
from ...reader.history.recording_history import RecordingHistory
from .replay_model import (
    MARK,
    WATCHED,
    CurrentDemo,
    DemoDivergenceRow,
    DemoFailureRow,
    DemoOutcomeRow,
    ReplayedDemo,
    ReplayState,
)

_ROW, _ROWS, _SEED = WATCHED + "row", WATCHED + "rows", WATCHED + "seed"
"""Watched values: the demo's row that the agent is at, how many it has, and the game's seed."""
_MACHINE = "playthrough"
"""The agent's state machine."""
_ENDS = {"demo finished": "finished", "demo skipped": "skipped"}
"""What a demo's last mark says of it. One that failed has a failed check instead."""
_RECOVERY = "recovery"
_FRAME = attrgetter("frame")


def recorded_replay(history: RecordingHistory, frame: int) -> ReplayState | None:
    """The state of the replay in a recording; None if no agent plays a demo there.

    Args:
        frame: The shown frame, which decides what is being played.
    """
    if not any(name == _ROW for _, name in history.series):
        return None  # what a person plays into a demo has the mark alone
    marks = history.marks
    begins = [at for at, mark in enumerate(marks) if mark.kind == "mark" and mark.name == MARK]
    parts = [marks[begin:end] for begin, end in pairwise([*begins, len(marks)])]
    ends = [part[0].frame - 1 for part in parts[1:]]
    if parts and history.span is not None:
        ends.append(history.span.newest)
    played = [_RecordedDemo(history, part, end) for part, end in zip(parts, ends, strict=False)]
    demos = {one.name: one.demo for one in played}
    return ReplayState(
        demos=tuple(demos.values()),
        now=next((now for one in played if (now := one.at(frame)) is not None), None),
        outcomes=tuple(one.outcome for one in played),
    )


class _RecordedDemo:
    """One demo, from the mark with which it begins.

    Args:
        marks: This mark, and those up to the next demo's.
        end: The newest frame that may belong to it.
    """

    def __init__(self, history: RecordingHistory, marks: Sequence[Mark], end: int) -> None:
        begin = marks[0]
        self.name = begin.note
        self._history, self._begin = history, begin
        last = next((one for one in marks if one.name in _ENDS or one.kind == "check"), None)
        self._last = end if last is None else last.frame
        self._marks = [one for one in marks if one.frame <= self._last]
        self._check = last if last is not None and last.kind == "check" else None
        status = "playing" if last is None else _ENDS.get(last.name, "failed")
        self.demo = ReplayedDemo(self.name, status=status, frame=begin.frame)
        self._seconds = (history.end if last is None else last.time) - begin.time

    @property
    def outcome(self) -> DemoOutcomeRow:
        check = self._check
        return DemoOutcomeRow(
            self.name,
            self.demo.status,
            seed=self._watched(_SEED, self._last),
            seconds=max(0.0, self._seconds),
            recoveries=sum(mark.name == _RECOVERY for mark in self._marks),
            transitions=sum(one.frame >= self._begin.frame for one in self._changes(self._last)),
            row=self._watched(_ROW, self._last),
            failure=None
            if check is None
            else DemoFailureRow(check.name, check.time, check.frame, check.object),
            divergence=self._divergence(),
        )

    def at(self, frame: int) -> CurrentDemo | None:
        """What is played of it in a frame; None for nothing."""
        row = self._watched(_ROW, frame)
        if row is None or not self._begin.frame <= frame <= self._last:
            return None
        changes = self._changes(frame)
        rows = self._watched(_ROWS, frame) or 0
        return CurrentDemo(self.name, row, rows, changes[-1].trace.target if changes else "")

    def _watched(self, name: str, frame: int) -> int | None:
        """A watched value of the demo up to a frame; None if it is not known."""
        series = self._history.series.get((self._begin.object, name))
        known = None if series is None else series.at(frame)
        return None if known is None else int(known)

    def _changes(self, frame: int) -> Sequence[StateChange]:
        """The agent's transitions up to a frame."""
        changes = self._history.changes.get((self._begin.object, _MACHINE), [])
        return changes[: bisect_right(changes, frame, key=_FRAME)]

    def _divergence(self) -> DemoDivergenceRow | None:
        found = first_divergence(self._marks)
        return None if found is None else DemoDivergenceRow(found.note, found.frame)
