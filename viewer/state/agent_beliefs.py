"""What an agent believes in a frame: about which objects, how old that is, and how wrong."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ...recorder.text.duration_text import duration_text
from ..reader.frame_snapshot import FrameSnapshot, Key
from ..reader.history.history_record_types import StateChange, TreeTickEntry
from ..reader.history.recording_history import RecordingHistory
from ..toolkit.value_text import short_number

_FRAME = attrgetter("frame")


class CurrentBelief(NamedTuple):
    """What an agent believes about an object."""

    object: int
    label: str
    position: tuple[float, float, float]
    age: float
    """Seconds since the agent perceived the object."""
    note: str
    error: float | None
    """The distance to the object's real position; None if the object does not exist."""
    frame: int
    """The frame in which the agent stated it."""

    @property
    def seen(self) -> str:
        """Its age, in words."""
        return "seen now" if self.age < 0.02 else f"seen {duration_text(self.age)} ago"

    def error_text(self, unit: str) -> str:
        """How wrong it is, in words."""
        if self.error is None:
            return "not there"
        return f"off by {short_number(self.error)} {unit}".rstrip()


def beliefs_stated_by(
    history: RecordingHistory, agent: int, frame: int
) -> StateChange | TreeTickEntry | None:
    """The newest transition or tick, up to a frame, that states what an agent believes.

    Machines and trees that have never stated a belief are left out.
    """
    newest: StateChange | TreeTickEntry | None = None
    rows_of: tuple[Mapping[Key, Sequence[StateChange | TreeTickEntry]], ...] = (
        history.changes,
        history.ticks,
    )
    for rows, believing in zip(rows_of, history.believing, strict=True):
        for key, since in believing.items():
            if key[0] != agent or since > frame:
                continue
            candidate = _newest(rows[key], frame)
            # In the same frame a tick, which comes last here, replaces a transition.
            if candidate is not None and (newest is None or candidate.frame >= newest.frame):
                newest = candidate
    return newest


def beliefs_of(
    history: RecordingHistory, snapshot: FrameSnapshot, agent: int
) -> list[CurrentBelief]:
    """An agent's beliefs as it stated them last; none if it has been gone since."""
    newest = beliefs_stated_by(history, agent, snapshot.frame)
    if newest is None or history.end_of(agent, newest.frame - 1, snapshot.frame) is not None:
        return []
    beliefs = []
    for belief in newest.trace.beliefs:
        error = None
        if belief.object in snapshot.objects:
            error = math.dist(belief.position, snapshot.objects[belief.object].packet.position)
        beliefs.append(CurrentBelief(
            belief.object, snapshot.name_of(belief.object), belief.position,
            snapshot.time - belief.seen, belief.note, error, newest.frame,
        ))  # fmt: skip
    return beliefs


def _newest(
    rows: Sequence[StateChange | TreeTickEntry], frame: int
) -> StateChange | TreeTickEntry | None:
    """The last one at or before a frame; None if there is none."""
    end = bisect_right(rows, frame, key=_FRAME)
    return rows[end - 1] if end else None


def belief_text(belief: CurrentBelief, unit: str) -> str:
    """A belief in one line."""
    position = ", ".join(f"{part:.1f}" for part in belief.position)
    note = f"{belief.note}, " if belief.note else ""
    return f"{belief.label} at ({position})  {belief.error_text(unit)}  {note}{belief.seen}"
