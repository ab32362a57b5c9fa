"""The part of a recorder that takes statements: at once, or from the queue."""

import logging
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from threading import get_ident
from typing import Any, cast

from ..errors import CapacityError, EvictedError, PlayheadError, RecordingError
from ..native.ring import FrameRing
from .checks.failed_check_tracker import FailedCheck
from .fault_counts import FaultCounts, RefusedCall, error_text
from .latch_writer import LatchWriter
from .monotonic_timeline import Timeline, seconds
from .objects.object_ids import ObjectIds, ObjectOrId
from .objects.object_packets import ObjectWriter
from .packets.layouts.plain_value_codec import encode_plain
from .packets.mark import Mark
from .packets.packet_types import FIRST_OBJECT, PacketType
from .packets.picture_index import MOST_LATE
from .packets.trace_types import checked_statuses
from .pictures.picture_encoder import EncodedPicture
from .pictures.picture_recorder import PictureRecorder
from .reading.ring_source import RingSource
from .statements.decision_trace_calls import DecisionTracer
from .statements.draw_calls import Draw, emit_by
from .statements.late_statement_placement import LatePlacement, waiting_marks
from .statements.resolve_object_ids import names_ids_only, with_ids_only
from .statements.statement_calls import CAUSES, Emitter
from .statements.statement_checks import check_plain, copied, validate
from .statements.statement_codecs import OPEN, Placement
from .statements.statement_messages import (
    Despawn,
    Picture,
    PlacedStatement,
    SetMark,
    Statement,
    TreeTickStatement,
)
from .statements.statement_queue import StatementQueue, StatementSource, WaitingStatement
from .statements.statement_writer import StatementWriter
from .statements.tree_tick_writer import TreeTickWriter

CLOSED = (
    "this recording is closed, and takes nothing any more: ph.record or ph.Session begins another"
)
"""The message for every call after `close`."""


class RecorderStatements(Emitter):
    """What is stated on the game's thread about the frame being recorded is written at once; all
    else waits in one bounded queue for the thread that finishes frames.

    A wrong statement of the game is counted, or raised if the recorder is strict; one of another
    process is raised always, so that it can be answered.
    """

    ring: FrameRing
    ids: ObjectIds
    faults: FaultCounts
    strict: bool
    is_suspended: bool
    closed: bool
    """Whether nothing is recorded any more."""
    queue: StatementQueue
    """What waits for the next frame, from threads and from other processes."""
    _writer: StatementWriter
    _late: LatePlacement
    _latches: LatchWriter
    _objects: ObjectWriter
    _timeline: Timeline
    _updating: bool
    pictures: PictureRecorder | None

    @property
    @abstractmethod
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""

    def _make_calls(self) -> None:
        self._owner = get_ident()
        """The thread that finishes frames; none is 0, where all waits that is stated."""
        self._emit_drawing = emit_by(self._emit)
        self.draw = Draw(self._draw, self._refuse)
        self.trace = DecisionTracer(self._emit, self._refuse)

    @abstractmethod
    def _open(self) -> None:
        """Open a frame, if none is."""

    # --- who raises -----------------------------------------------------------------------------

    def refusing(self, cause: str) -> RefusedCall:
        """Within it an error costs one call, no more: it is counted, or raised when strict."""
        return RefusedCall(cause, self._refuse)

    def _refuse(self, cause: str, error: Exception) -> None:
        # An error that is raised is not logged as well; of those of one update the first is raised.
        level = logging.DEBUG if self.strict else logging.ERROR
        self.faults.call_refused(cause, error, lost=True, deferred=self._updating, level=level)
        if not self.strict:
            return
        refusal = error if isinstance(error, PlayheadError) else None
        if refusal is None:
            refusal = RecordingError(f"{cause}: {error_text(error)}")
            refusal.__cause__ = error
        if not self._updating:
            raise refusal
        self.faults.defer(refusal)

    # --- the game -------------------------------------------------------------------------------

    def _emit(self, statement: Statement) -> None:
        kind = statement.__class__
        if kind not in CAUSES:
            raise RecordingError(f"{statement!r:.100} is no statement")
        placed = kind in _PLACED and (
            statement.time is not None or statement.game_time is not None  # type: ignore[union-attr]
        )
        if placed or get_ident() != self._owner:
            self._wait(statement, placed=placed)
        elif self.is_suspended:
            self._rests(CAUSES[kind])
        else:
            if not self.ring.raw.is_open:
                self._open()
            if kind is TreeTickStatement:
                checked_statuses(statement.trace)  # type: ignore[union-attr, arg-type]
            self._writer.write(statement)

    def _draw(
        self, type: PacketType, object: ObjectOrId, channel: str | None, latch: str | None,
        position: Any, angles: Any, file: str, line: int, color: Any, numbers: Sequence[float],
        tail: bytes,
    ) -> None:  # fmt: skip
        """Take a debug drawing: on the game's thread it is written without a statement of it."""
        if get_ident() != self._owner:
            self._emit_drawing(
                type, object, channel, latch, position, angles, file, line, color, numbers, tail
            )
        elif self.is_suspended:
            self._rests("draw")
        else:
            if not self.ring.raw.is_open:
                self._open()
            if object.__class__ is not int:
                object = self.ids.id_of(object)
            self._writer.draw(
                type, object, channel, latch, position, angles, file, line, color, numbers, tail
            )

    def _rests(self, cause: str) -> None:
        """Playback is on: nothing is recorded."""
        self.faults.call_refused(f"{cause} in playback", level=logging.INFO)

    def _wait(self, statement: Statement, *, placed: bool) -> None:
        """Have a statement of the game wait for the next frame.

        Raises:
            RecordingError: there will be none.
        """
        if self.closed:
            raise RecordingError(CLOSED)
        if self.is_suspended and not placed:
            self._rests(CAUSES[statement.__class__])
            return
        size = 0
        if names_ids_only(statement):  # else its objects are looked up on the game's thread
            statement, size = copied(statement)
            validate(statement)
        self._queue(
            WaitingStatement(statement, self._instant(statement), StatementSource.THREAD, size)
        )

    # --- pictures of pixels ---------------------------------------------------------------------

    def _take_pixels(self, image: Any, name: str) -> None:
        self.take_picture(image, name, self.next_frame)

    def take_picture(self, image: Any, name: str, frame: int) -> None:
        """Take a picture of a frame, which is the open one or an older one; if one is due.

        Raises:
            RecordingError: it is no picture; see `picture`. Or what the function raises.
        """
        if self.closed:
            raise RecordingError(CLOSED)
        if self.is_suspended:
            self._rests("picture")
        elif self.pictures is not None:
            newest = self.ring.newest
            self.pictures.take(image, name, 0.0 if newest is None else newest[1], frame)

    def wait_for_pictures(self, timeout: float) -> bool:
        """Wait until the pictures taken so far are compressed; whether any are to be recorded."""
        if self.pictures is None or self.pictures.is_idle:
            return False
        self.pictures.wait(timeout)
        return self.pictures.has_encoded

    def _write_pictures(self, pictures: PictureRecorder) -> None:
        """Write the pictures that are compressed by now into the open frame."""
        for one in pictures.take_encoded():
            if one.error is not None:
                self._refuse("picture", one.error)
            pictures.count(one, recorded=one.error is None and self._write_picture(one))

    def _write_picture(self, picture: EncodedPicture) -> bool:
        frame, oldest = picture.instant, self.ring.oldest
        placement = OPEN
        if frame < self.next_frame:
            if oldest is None or frame < max(oldest[0], self.next_frame - MOST_LATE):
                error = RecordingError(
                    f"picture {picture.name!r} of frame {frame} was compressed too late: the frame"
                    " is gone, or too many have come since"
                )
                # The machine was slow, and no call was wrong: strict sessions do not raise it.
                self.faults.call_refused("picture", error, lost=True, level=logging.WARNING)
                return False
            placement = Placement(frame)
        return self._writer.write(
            Picture(picture.data, "jpeg", picture.width, picture.height, picture.name), placement
        )

    # --- other processes ------------------------------------------------------------------------

    def accept(self, statement: Statement, size: int = 0) -> None:
        """Take a statement of another process into the next frame; from any thread.

        What is stated while playback is on waits for the game to run on. What finds no room is
        counted in `RecordingStatus.calls_dropped`, what is older than all recorded frames in
        `RecordingStatus.late_dropped`.

        Args:
            statement: As it was decoded; its fields have the right types.
            size: The bytes of its message.

        Raises:
            RecordingError: it can't be recorded; the message says why. Strict or not.
        """
        validate(statement)
        self._queue(
            WaitingStatement(statement, self._instant(statement), StatementSource.PEER, size)
        )

    def accept_in_step(self, statement: Statement | FailedCheck, size: int = 0) -> None:
        """Take what a game elsewhere states in the step that it has not finished (see `accept`).

        Raises:
            RecordingError: it can't be recorded; the message says why.
            CapacityError: the step has stated too much.
        """
        instant = None
        if not isinstance(statement, FailedCheck):
            validate(statement)
            instant = self._instant(statement)
        if not self.queue.add_to_step(statement, instant, size):
            self._log_drop()
            raise CapacityError(
                "too many statements wait for this step's frame, and more are dropped: finish the"
                " step, or record less in it"
            )

    def check_tool(self, statement: Statement) -> None:
        """See that a tool may state this: nothing in the game's own name.

        Raises:
            RecordingError: it may not, its value is not plain, or the tree of a tick is not
                defined.
        """
        if isinstance(statement, SetMark) and statement.kind != "mark":
            raise RecordingError(f"mark kind {statement.kind!r}: tools set marks of kind 'mark'")
        if isinstance(statement, Despawn) and self._is_present(statement.object):
            raise RecordingError(
                f"despawn {statement.object}: this object is the game's own and is there, so that"
                " only the game can end it"
            )
        check_plain(statement)
        self.expect_tree(statement)

    def _is_present(self, object: Any) -> bool:
        """Whether it is one of the game's own, in the newest frame."""
        if object in self._objects.present:
            return True
        newest = self.ring.newest
        if newest is None:
            return False
        with suppress(EvictedError), self.ring.read(newest[0]) as runs:
            return any(
                type >= FIRST_OBJECT and bool((headers["id"] == object).any())
                for type, _, _, headers, _ in runs
            )
        return False

    def expect_tree(self, statement: Statement) -> None:
        """See that the tree of a tick is defined, or will be in the next frame.

        Raises:
            RecordingError: it is not.
        """
        if not isinstance(statement, TreeTickStatement):
            return
        agent, tree = cast(int, statement.agent), statement.trace.tree
        if not self.queue.defines(agent, tree) and not self._latches.has_tree(agent, tree):
            raise RecordingError(
                f"tree {tree!r} of agent {agent} is not defined: define its nodes first, with"
                " define_tree"
            )

    # --- trees ----------------------------------------------------------------------------------

    def tree_writer(self, agent: int, tree: str) -> TreeTickWriter:
        """Writes the ticks of a tree in the frames that this thread records."""
        return TreeTickWriter(self.ring, self._latches, agent, tree)

    def has_tree(self, agent: int, tree: str) -> bool:
        """Whether a behaviour tree of that name is defined for an agent, and not ended."""
        return self._latches.has_tree(agent, tree)

    def open_frame(self) -> bool:
        """Open a frame if none is; False on any thread but the one that finishes frames."""
        if get_ident() != self._owner:
            return False
        if not self.ring.raw.is_open:
            self._open()
        return True

    def waiting_marks(self, source: RingSource) -> list[Mark]:
        """The marks that wait for the next frame (see `late_placement.waiting_marks`)."""
        return waiting_marks(self.queue, source)

    # --- the queue ------------------------------------------------------------------------------

    def _queue(self, entry: WaitingStatement) -> None:
        if not self.queue.put(entry):
            self._log_drop()

    def _log_drop(self) -> None:
        self.faults.log("calls dropped", "", (
            "statements of threads or of other processes found no room to wait for the next frame:"
            " they are lost, and counted in status.calls_dropped; record frames more often, or"
            " state less"
        ))  # fmt: skip

    def _instant(self, statement: Statement) -> float | None:
        """The instant that a statement names, timeline seconds; None for the open frame's."""
        if not isinstance(statement, PlacedStatement):
            return None
        if statement.game_time is not None:
            return self._timeline.at(statement.game_time)
        return None if statement.time is None else seconds(statement.time, "time")

    def _write_waiting(self, time: float) -> None:
        """Write what waits into the open frame, which will have this time."""
        waiting = [entry for one in self.queue.take() if (entry := self._with_ids(one)) is not None]
        self._late.write(waiting, time, self._write_entry)

    def _with_ids(self, entry: WaitingStatement) -> WaitingStatement | None:
        """The same with ids for all objects; None if one is unknown, which is counted."""
        if entry.source is not StatementSource.THREAD or names_ids_only(entry.statement):
            return entry
        with self.refusing(CAUSES[entry.statement.__class__]):
            statement, _ = copied(with_ids_only(entry.statement, self.ids.id_of))
            validate(statement)
            return entry._replace(statement=statement)
        return None

    def _write_entry(self, entry: WaitingStatement, placement: Placement) -> bool:
        try:
            return self._writer.write(entry.statement, placement, encode_plain)
        except Exception as error:
            cause = CAUSES[entry.statement.__class__]
            if entry.source is StatementSource.THREAD:
                self._refuse(cause, error)
            else:  # nothing stated elsewhere may end the game, strict or not
                self.faults.call_refused(cause, error, lost=True)
            return False


_PLACED = frozenset(kind for kind in CAUSES if issubclass(kind, PlacedStatement))
