"""Problems: failed checks, errors, losses and gaps to jump to, and what is wrong there."""

from bisect import bisect_left
from itertools import islice
from operator import attrgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ...recorder.packets.recording_losses import loss_text
from ..reader.frame_snapshot import FrameSnapshot
from ..reader.history.recording_history import RecordingHistory
from ..toolkit.time_text import time_text

_FRAME = attrgetter("frame")


class RecordingProblem(NamedTuple):
    """Something wrong in a recording."""

    frame: int
    time: float
    text: str
    object: int = 0


_known: WeakKeyDictionary[RecordingHistory, tuple[tuple[int, int], list[RecordingProblem]]] = (
    WeakKeyDictionary()
)
"""As of what a history held: they are asked for at each move of the playhead."""


def problems(history: RecordingHistory) -> list[RecordingProblem]:
    """Failed checks, errors, losses and incomplete frames, oldest first."""
    versions = history.version, history.spoken
    if history not in _known or _known[history][0] != versions:
        _known[history] = versions, _found(history)
    return _known[history][1]


def _found(history: RecordingHistory) -> list[RecordingProblem]:
    found = [
        RecordingProblem(mark.frame, mark.time, mark.name, mark.object)
        for mark in history.marks
        if mark.kind in ("check", "loss")
    ]
    found += [
        RecordingProblem(row.frame, row.time, row.line.text, row.line.object)
        for row in history.lines
        if row.line.level == "error"
    ]
    found += [
        RecordingProblem(frame, time, "this frame is incomplete")
        for frame, time in history.damaged.items()
    ]
    frames, times = history.times.frames, history.times.values
    if len(frames):
        # Where it began, or, where that was evicted, at the oldest frame.
        for loss in history.losses:
            at = min(int(frames.searchsorted(loss.frame)), len(frames) - 1)
            found.append(RecordingProblem(int(frames[at]), float(times[at]), loss_text(loss)))
    for gap in history.gaps():
        at, damaged = int(times.searchsorted(gap.start)), history.damage_in(gap)
        text = f"no frames for {gap.end - gap.start:.3f} s" if damaged is None else damaged.text
        found.append(RecordingProblem(int(frames[at]), gap.start, text))
    if len(frames):
        # At the ends there is no gap around them: the nearest frame that can be read is there.
        for damaged in history.damage:
            if damaged.last < frames[0]:
                found.append(RecordingProblem(int(frames[0]), float(times[0]), damaged.text))
            elif damaged.first > frames[-1]:
                found.append(RecordingProblem(int(frames[-1]), float(times[-1]), damaged.text))
    return sorted(found, key=lambda problem: (problem.frame, problem.text))


def next_problem(
    found: list[RecordingProblem], frame: int, direction: int
) -> RecordingProblem | None:
    """The next problem after a frame, or the one before; around at the ends."""
    if not found:
        return None
    if direction > 0:
        return next((problem for problem in found if problem.frame > frame), found[0])
    return next((problem for problem in reversed(found) if problem.frame < frame), found[-1])


def wrong_at(
    history: RecordingHistory, snapshot: FrameSnapshot | None, drag_time: float | None = None
) -> str:
    """What is wrong in a frame, in a line; empty if nothing is. Failed checks have a banner.

    Args:
        drag_time: Where the playhead is held, seconds, though there may be no frame.
    """
    if snapshot is None:
        return ""
    first = bisect_left(history.marks, snapshot.frame, key=_FRAME)
    for mark in islice(history.marks, first, None):
        if mark.frame > snapshot.frame:
            break
        if mark.kind == "loss":
            return mark.name
    for gap in history.gaps():
        if snapshot.time == gap.start or (
            drag_time is not None and gap.start < drag_time < gap.end
        ):
            damaged = history.damage_in(gap)
            if damaged is not None:
                return damaged.text
            lasts = gap.end - gap.start
            return (
                f"No frames for {lasts:.3f} s here ({time_text(gap.start)} – {time_text(gap.end)})"
            )
    if snapshot.frame in history.damaged:
        return "This frame is incomplete: a handler failed or something found no room"
    return ""
