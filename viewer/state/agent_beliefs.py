"""What an agent believes in a frame: about whom, how old that is, and how far from the truth."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ..reader.frame_snapshot import FrameSnapshot, Key
from ..reader.history_entries import StateChange, TreeTickEntry
from ..reader.recording_history import RecordingHistory
from ..toolkit.number_text import short
from ..toolkit.time_text import span_text

_FRAME = attrgetter("frame")


class CurrentBelief(NamedTuple):
    """Something that an agent holds true."""

    object: int
    label: str
    position: tuple[float, float, float]
    age: float
    """Seconds since it was perceived."""
    note: str
    error: float | None
    """How far that is from where the object really is; None if it isn't there."""
    frame: int
    """The frame in which the agent stated it."""

    @property
    def seen(self) -> str:
        """How old it is, in words."""
        return "seen now" if self.age < 0.02 else f"seen {span_text(self.age)} ago"


def beliefs_stated_by(
    history: RecordingHistory, agent: int, frame: int
) -> StateChange | TreeTickEntry | None:
    """The newest transition or tick, up to a frame, that states what an agent believes.

    A machine or a tree that has stated nothing so far does not replace what another one stated.
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
            found = _newest(rows[key], frame)
            # At one instant the tick counts, which is looked at last.
            if found is not None and (newest is None or found.frame >= newest.frame):
                newest = found
    return newest


def beliefs_of(
    history: RecordingHistory, snapshot: FrameSnapshot, agent: int
) -> list[CurrentBelief]:
    """An agent's beliefs as last stated; none if it has been gone since."""
    newest = beliefs_stated_by(history, agent, snapshot.frame)
    if newest is None or history.end_of(agent, newest.frame - 1, snapshot.frame) is not None:
        return []
    held = []
    for belief in newest.trace.beliefs:
        error = None
        if belief.object in snapshot.objects:
            error = math.dist(belief.position, snapshot.objects[belief.object].packet.position)
        held.append(CurrentBelief(
            belief.object, snapshot.name_of(belief.object), belief.position,
            snapshot.time - belief.seen, belief.note, error, newest.frame,
        ))  # fmt: skip
    return held


def _newest(
    rows: Sequence[StateChange | TreeTickEntry], frame: int
) -> StateChange | TreeTickEntry | None:
    """The last one at or before a frame; None if there is none."""
    end = bisect_right(rows, frame, key=_FRAME)
    return rows[end - 1] if end else None


def words(held: CurrentBelief, unit: str) -> str:
    """A belief in one line."""
    place = ", ".join(f"{part:.1f}" for part in held.position)
    off = "not there" if held.error is None else f"off by {short(held.error)} {unit}".rstrip()
    note = f"{held.note}, " if held.note else ""
    return f"{held.label} at ({place})  {off}  {note}{held.seen}"
