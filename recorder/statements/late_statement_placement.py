"""Places late statements: finds the frame that each belongs to."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ...errors import EvictedError
from ...native.ring import FrameRing
from ..latch_writer import UNKNOWN_TEXT, LatchWriter
from ..packets.layouts.plain_value_codec import decode
from ..packets.mark import Mark
from ..packets.packet_types import Kind
from ..packets.trace_types import StateTransition
from ..reading.late_statement_index import LateIndex, frame_of
from ..reading.ring_source import RingSource
from .statement_codecs import OPEN, Placement, mark_of
from .statement_messages import Picture, SetMark, TransitionStatement
from .statement_queue import StatementQueue, WaitingStatement

_PEAKS = 64
"""How exactly it is known how far back late things reach, once the farthest have gone."""


class _Peak(NamedTuple):
    """No frame up to `recorded`, after the peak before, holds anything from farther back."""

    recorded: int
    reach: int


class LatePlacement:
    """Finds the frames of statements that waited. For the game's thread.

    A late transition becomes its machine's latched state only if no other one belongs to a newer
    frame. So what is latched at a frame is right for all that had come by then, and a reader has
    to look only at what was recorded afterwards.
    """

    def __init__(self, ring: FrameRing, latches: LatchWriter) -> None:
        self._ring, self._latches = ring, latches
        self.changed: set[int] = set()
        """The older frames that something was added to since `pop_changed`."""
        self._peaks: list[_Peak] = []
        self._overtaken = 0
        self.dropped = 0
        """What was older than all recorded frames, or had no room."""

    def write(
        self,
        waiting: Sequence[WaitingStatement],
        time: float,
        write: Callable[[WaitingStatement, Placement], bool],
    ) -> None:
        """Write all that waited into the open frame, which will have this time.

        `write` answers whether it is in the frame now.
        """
        placed = self._placed(waiting, time)
        late = [placement for entry, placement in placed if _is_hidden(entry, placement)]
        if late and not self._latch_index(late):
            # Nothing would find them: they are not worth their room.
            self.dropped += len(late)
            placed = [
                (entry, placement)
                for entry, placement in placed
                if not _is_hidden(entry, placement)
            ]
        for entry, placement in placed:
            if write(entry, placement) and placement.belongs_to:
                self.changed.add(placement.belongs_to)

    def pop_changed(self) -> list[int]:
        """Those of them that are held, in order, which are forgotten with that."""
        changed, self.changed = self.changed, set()
        oldest = self._ring.oldest
        return [] if oldest is None else sorted(frame for frame in changed if frame >= oldest[0])

    def _placed(
        self, waiting: Sequence[WaitingStatement], time: float
    ) -> list[tuple[WaitingStatement, Placement]]:
        """Where everything goes, in order; without what is too old."""
        open = self._latches.next_frame
        newest: dict[tuple[int, str], int] = {}
        placed = []
        for entry in waiting:
            belongs = self._frame_at(entry.time, time)
            if belongs is None:
                self.dropped += 1
                continue
            placement = Placement(belongs) if belongs else OPEN
            machine = _machine_of(entry)
            if machine is not None:
                since = newest.get(machine)
                if since is None:
                    since = self._stated(open, *machine)
                frame = belongs or open
                ended = self._latches.ended.get(machine[0], 0) if belongs else 0
                if frame < since or ended >= frame:
                    placement = Placement(belongs, False, ended if ended >= frame else 0)
                newest[machine] = max(since, frame)
            placed.append((entry, placement))
        return placed

    def _frame_at(self, instant: float | None, time: float) -> int | None:
        """The older frame of an instant; 0 for the open one, None if it is gone."""
        if instant is None or instant >= time:
            return 0
        oldest = self._ring.oldest
        if oldest is None or instant < oldest[1]:
            return None
        try:
            return self._ring.find(instant)
        except EvictedError:
            return None

    def _stated(self, open: int, agent: int, machine: str) -> int:
        """The frame that the transition to a machine's present state belongs to; 0 for none."""
        number, newest = self._latches.number(machine), self._ring.newest
        if (agent, number) in self._latches.stated:
            return open
        if newest is None or (machine and number == UNKNOWN_TEXT):
            return 0
        found = self._ring.latched(newest[0], agent, Kind.STATE, number)
        return (
            0 if found is None else frame_of(decode(found[2], StateTransition).belongs_to, found[0])
        )

    def _latch_index(self, placements: list[Placement]) -> bool:
        """Latch that the open frame holds late things; False if there is no room for that."""
        open = self._latches.next_frame
        frames = [placement.belongs_to for placement in placements]
        overtaken = self._overtaken if all(placement.present for placement in placements) else open
        reach = self._reach(_Peak(open, open - min(frames)))
        late = LateIndex(reach, min(frames), max(frames), overtaken)
        if not self._latches.latch(0, Kind.LATE, 0, late, LateIndex):
            return False
        self._overtaken = overtaken
        return True

    def _reach(self, peak: _Peak) -> int:
        """The farthest that anything held, or about to be, reaches back."""
        peaks = self._peaks
        while peaks and peaks[-1].reach <= peak.reach:
            peaks.pop()
        peaks.append(peak)
        if len(peaks) > _PEAKS:  # two become one that is not too small
            peaks[-2:] = [_Peak(peak.recorded, peaks[-2].reach)]
        oldest = self._ring.oldest
        while oldest is not None and peaks[0].recorded < min(oldest[0], peak.recorded):
            peaks.pop(0)
        return peaks[0].reach


def _machine_of(entry: WaitingStatement) -> tuple[int, str] | None:
    """For a state transition: its agent and machine."""
    if not isinstance(entry.statement, TransitionStatement):
        return None
    agent = entry.statement.agent
    assert isinstance(agent, int)
    return agent, entry.statement.trace.machine


def _is_hidden(entry: WaitingStatement, placement: Placement) -> bool:
    """Whether it is found only through the index of late statements; marks and pictures have
    indexes of their own."""
    return bool(placement.belongs_to) and not isinstance(entry.statement, SetMark | Picture)


def waiting_marks(queue: StatementQueue, source: RingSource) -> list[Mark]:
    """The marks that wait for the next frame, at the frames where they will be found.

    One without a time is shown at the newest frame until the one comes that it is about.

    Args:
        source: What is recorded, for the calling thread.
    """
    waiting = queue.marks()
    span = source.span if waiting else None
    if span is None:
        return []
    marks = []
    for statement, time in waiting:
        frame = span.newest if time is None else source.frame_at(time)
        mark = mark_of(statement, frame)
        marks.append(msgspec.structs.replace(mark, time=source.stamp(frame).time))
    return marks
