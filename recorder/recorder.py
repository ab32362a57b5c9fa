"""The recorder: after each simulation step every object's handler writes a packet.

The recorder owns the ring, and nothing else writes into it. It knows what all packets have in
common, and nothing of any game: handlers are given to it, and it never interprets what they write.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from threading import get_ident
from typing import Any

from ..errors import HandlerError, RecordingError
from ..native.fork_safety import on_fork
from ..native.ring import FrameRing
from .channel_switches import Channels
from .fault_counts import FaultCounts, error_text
from .frame_cost import FrameCostMeter
from .handler_interface import Batch, FrameImage, HandlerSpec, ImageType
from .latch_writer import LatchWriter
from .monotonic_timeline import Timeline, TimelineTick
from .objects.object_ids import ObjectIds, ObjectOrId
from .objects.object_packets import ObjectWriter
from .packets.layouts.layout import Layout
from .packets.layouts.packet_layouts import (
    LAYOUTS_ROOM,
    PACKETS,
    EpochFact,
    PacketLayout,
    WorldFact,
)
from .packets.mark import Mark
from .packets.packet_types import Kind
from .packets.recorded_frame import FrameFlag
from .packets.recording_losses import RecordedLoss
from .packets.trace_types import Scalar
from .pictures.picture_recorder import PictureRecorder, PictureStatus
from .pictures.picture_settings import PictureSettings, settings_of
from .reading.ring_source import RingSource
from .recording_mode_from_env import RecordingMode, recording_mode
from .recording_status import RecordingStatus, older_tier_status
from .statement_intake import CLOSED, RecorderStatements
from .statements.late_statement_placement import LatePlacement
from .statements.statement_queue import StatementQueue
from .statements.statement_writer import StatementWriter
from .text.enum_names import plain_of
from .world_adapter import Conventions

_DROPPED = int(FrameFlag.DROPPED)
"""A plain number: an enum's `&` costs more than the rest of a frame without objects."""

_FRAMES_TO_RETRY = 64
"""Frames after which losses that found no room are recorded again."""


class Recorder(RecorderStatements):
    """Frames in, memory fixed.

    Args:
        memory: All the memory that the recording may take.
        path: A file to hold it, so that it outlives a killed process.
        latch: Bytes of it for latched state; by default an eighth.
        older: The share of the memory for an older tier, from 0 to less than 1: what leaves the
            rest stays there for longer, packed by a thread.
        conventions: How the game's numbers are to be read.
        about: Plain values that describe the recording (game, build, seed, …).
        strict: Raise what would else be counted: for tests. By default as `PLAYHEAD` is set.
        mute_after: Frames in a row in which an object's packet may fail before the object is muted:
            then it is skipped for some frames, for more each time that it fails again.
        pictures: How pictures are recorded that are given as pixels; False for none.

    Raises:
        CapacityError: the memory is too small, or can't be had.
        RecordingError: the file can't be made, or is in use; `about` holds what is no plain value.
    """

    def __init__(
        self,
        memory: int | str = "64 MiB",
        *,
        path: str | os.PathLike[str] | None = None,
        latch: int | str | None = None,
        older: float = 0.0,
        conventions: Conventions | None = None,
        about: Mapping[str, Scalar] | None = None,
        strict: bool | None = None,
        mute_after: int = 3,
        pictures: PictureSettings | bool = True,
    ) -> None:
        self.strict = recording_mode() is RecordingMode.STRICT if strict is None else strict
        self.ring = FrameRing(
            memory, path=os.fspath(path) if path else None, latch=latch, older=older
        )
        self.channels = Channels()
        self.ids: ObjectIds
        """Finds the id of an object that was given instead; a session knows the world's."""
        self.source = RingSource(self.ring)
        self.faults = FaultCounts(raises=self.strict)
        self.is_suspended = self.closed = False
        """The same as `suspended`, for where the call of a property costs too much."""
        self._restarted = False
        self._was_suspended = False
        """Whether nothing was recorded for a while since the newest frame."""
        self._dropped_in_playback = 0
        self._waiting_losses: list[RecordedLoss] = []
        """Losses for which there was no room."""
        self.finished = 0
        """How many frames were finished."""
        self._latches = LatchWriter(self.ring)
        self._objects = ObjectWriter(
            self.ring, self._latches, self.channels, self.faults, self.strict, mute_after
        )
        self._writer = StatementWriter(
            self.ring, self._latches, self.channels, lambda ref: self.ids.id_of(ref)
        )
        self.ids = ObjectIds(names=self._writer.names)
        self.queue = StatementQueue(self.ring.accounts["capacity"])
        self._late = LatePlacement(self.ring, self._latches)
        settings = settings_of(pictures)
        self.pictures = None if settings is None else PictureRecorder(
            settings, self.ring.accounts["capacity"]
        )  # fmt: skip
        """Compresses the pictures that are given as pixels; None if there shall be none."""
        self._cost_meter = FrameCostMeter()
        self._timeline = Timeline()
        self._late_listeners: list[Callable[[list[int]], object]] = []
        self._updating = False
        self._make_calls()
        self._channels_latched = 0
        """Whether it was logged that nothing can be recorded any more."""
        on_fork(self)
        self.describe(conventions or Conventions(), about or {})
        if self.ring.accounts["latch_capacity"] >= LAYOUTS_ROOM:
            for type, packet in PACKETS.items():
                self._latches.latch(0, Kind.TYPE, type, packet, PacketLayout)

    @property
    def suspended(self) -> bool:
        """True in playback: then nothing is recorded, so nothing is evicted."""
        return self.is_suspended

    @suspended.setter
    def suspended(self, value: bool) -> None:
        if value and not self.is_suspended and self.ring.older is not None:
            self.ring.older.settle()  # what packing evicts goes before anybody looks
        self._was_suspended |= self.is_suspended
        self.is_suspended = value

    def add_handler(self, spec: HandlerSpec) -> None:
        """Take up the handler of a type, before recording begins or between two frames.

        Raises:
            HandlerError: the type has a handler, this one is none, or a frame is being recorded.
            RecordingError: there is no room for its channels.
        """
        if self.ring.raw.is_open:
            raise HandlerError(
                f"type {spec.type!r}: handlers are registered before recording or between frames,"
                " and a frame is open"
            )
        self._objects.types.add(spec)

    def declare(self, type: str, layout: Layout, channels: tuple[str, ...] = ()) -> ImageType:
        """A type whose packets come laid out; another layout is another type under that name.

        Raises:
            HandlerError: the layout can't be recorded, or there are too many types.
            RecordingError: there is no room for its channels.
        """
        return self._objects.types.declare(type, layout, channels)

    def describe(self, conventions: Conventions, about: Mapping[str, Scalar]) -> None:
        """Set the description of the recording, and how its numbers are to be read.

        Raises:
            RecordingError: `about` holds what is no plain value.
        """
        self._latches.latch(0, Kind.WORLD, 0, WorldFact(conventions, plain_of(dict(about))))

    def restart(self) -> None:
        """Another run of the game begins, or another game.

        Its next frame opens an epoch, whatever its clock shows. From that frame on nothing is
        latched that was stated before: names, states, trees, skeletons, drawings, facts.
        """
        self._timeline.restart()
        self._restarted = True

    def lose(self, frames: int) -> None:
        """Count frames of a game that ran on in playback as dropped; the next one marks it."""
        self._dropped_in_playback += frames

    def unmute(self, type: str, object: int | None = None) -> None:
        """Ask a muted object's handler again in the next frame; of all of a type by default."""
        self._objects.unmute(type, object)

    # --- frames -------------------------------------------------------------------------------

    def update(
        self,
        objects: Iterable[tuple[int, str, Any]],
        dt: float = 0.0,
        time: float | None = None,
        batches: Iterable[Batch] = (),
        images: Iterable[FrameImage] = (),
    ) -> int:
        """Record a finished simulation step and publish its frame; returns the frame's id.

        Args:
            objects: All objects of the game, as (id, type, object).
            dt: The step, seconds.
            time: Game time after it, seconds; by default the last one + `dt`.
            batches: Objects that the game holds as columns; their types need no handler.
            images: Objects that a game elsewhere has laid out already; their types are declared.

        Raises:
            RecordingError: a time is not finite, or playback is on: nothing was recorded, and
                what is in the open frame stays in it. Or, strict, a statement was wrong.
            HandlerError: strict, and a handler failed: the frame was recorded all the same.
        """
        if self.closed:
            raise RecordingError(f"update(): {CLOSED}")
        if self._updating:
            raise RecordingError("update() within update(): the frame is being recorded already")
        if self.is_suspended:
            self.faults.call_refused("update in playback", level=logging.INFO)
            raise RecordingError("the game is in playback: leave it before recording on")
        tick = self._timeline.next(dt, time, resumed=self._was_suspended)
        self._cost_meter.start()
        self._owner = get_ident()
        self._open()
        self._updating = True
        try:
            self._latch_channels()
            if self.queue:
                self._write_waiting(tick.time)
            if self.pictures is not None:
                self._write_pictures(self.pictures)
            entries, all_listed = self._listed(objects, "objects()")
            columns, all_given = self._listed(batches, "batches()")
            frames, all_sent = self._listed(images, "images()")
            self._objects.write(entries, columns, all_listed and all_given and all_sent, frames)
        finally:  # also when the program is being interrupted: half a frame is never recorded on
            self._updating = False
            frame = self._commit(tick)
            self._cost_meter.stop()
        if self._late.changed:
            self._report_changed()
        if self.ring.raw.stamp(frame)[5] & _DROPPED:
            text = "packets found no room in the recording: give it more memory"
            self.faults.lost("room", "", text)
            self.faults.log("room", "", text)
        error = self.faults.pop_error()
        if self.strict and error is not None:
            raise error
        return frame

    def on_late(self, listener: Callable[[list[int]], object]) -> Callable[[], None]:
        """Have `listener` called when something from outside changed older frames.

        Called on the game's thread, once for a finished frame that brought such things, with the
        older frames' ids in order. The states shown at frames after them may have changed as
        well. Returns what ends it. What a listener raises is counted, or raised when strict.
        """
        self._late_listeners.append(listener)

        def stop() -> None:
            if listener in self._late_listeners:
                self._late_listeners.remove(listener)

        return stop

    def _report_changed(self) -> None:
        frames = self._late.pop_changed()
        for listener in tuple(self._late_listeners) if frames else ():
            try:
                listener(list(frames))
            except Exception as error:
                self.faults.call_refused("on_late", error, deferred=True)
                failed = RecordingError(f"on_late: {error_text(error)}")
                failed.__cause__ = error
                self.faults.defer(failed)

    def _listed(self, items: Iterable[Any], cause: str) -> tuple[list[Any], bool]:
        """The items that a game gives, and whether those are all."""
        if isinstance(items, list):
            return items, True
        listed: list[Any] = []
        try:
            listed.extend(items)
        except Exception as error:
            self._refuse(cause, error)
            return listed, False
        return listed, True

    def _open(self) -> None:
        if self.ring.raw.is_open:
            return
        self.ring.begin()
        if self._restarted:
            self._restarted = False
            self._latches.end_all()
        self._latches.flush()

    def _latch_channels(self) -> None:
        names = self.channels.names
        while self._channels_latched < len(names):
            index = self._channels_latched
            if not self._latches.latch(0, Kind.CHANNEL, index, names[index]):
                return  # there was no room: the next frame tries again
            self._channels_latched += 1

    def _commit(self, tick: TimelineTick) -> int:
        self._latch_channels()
        before = self._timeline.newest
        if self._timeline.accept(tick) and before is not None:
            self._latches.latch(0, Kind.EPOCH, 0, EpochFact(tick.epoch, tick.offset))
            self._latches.mark(Mark(
                f"epoch {tick.epoch}", 0, kind="epoch",
                note=f"game time went from {before.game:.3f} s to {tick.game:.3f} s",
            ))  # fmt: skip
        if tick.lost or self._dropped_in_playback:
            self._mark_gap(tick)
        self._was_suspended = False
        if self._waiting_losses and not self.finished % _FRAMES_TO_RETRY:
            self.faults.return_losses(self._waiting_losses)
            self._waiting_losses.clear()
        if self.faults.has_unrecorded_losses:
            self._latch_losses()
        flags = FrameFlag.DAMAGED if self._objects.lost_batch else 0
        self._latches.stated.clear()
        if self.ring.raw.latch_evicted:
            self._latches.log_losses()
        if self.ids.keeps_objects:
            self.ids.release()
        frame = self.ring.commit(tick.time, tick.delta, tick.epoch, flags)
        self.finished += 1
        return frame

    def _latch_losses(self) -> None:
        for number, loss in self.faults.pop_losses(self._latches.next_frame):
            if not self._latches.loss(number, loss):
                self._waiting_losses.append(loss)

    def _mark_gap(self, tick: TimelineTick) -> None:
        """Mark in this frame that the game ran on before it while nothing was recorded."""
        notes = []
        if tick.lost:
            notes.append(f"the game ran on for {tick.lost:.3f} s of which nothing is recorded")
        if self._dropped_in_playback:
            notes.append(f"{self._dropped_in_playback} frames that it sent were dropped")
        note = f"while playback was on {', and '.join(notes)}"
        self._latches.mark(Mark("not recorded", 0, kind="loss", note=note))
        self._dropped_in_playback = 0

    # --- statements ---------------------------------------------------------------------------

    @property
    def names(self) -> Mapping[int, str]:
        """What objects are called now, by id."""
        return self._writer.names

    def known_id(self, cause: str, object: ObjectOrId) -> int:
        """The id of an object that a caller gave; 0 if it is unknown, which is counted.

        Raises:
            RecordingError: strict, and it is unknown.
        """
        with self.refusing(cause):
            return self.ids.id_of(object)
        return 0

    # --- facts about itself -------------------------------------------------------------------

    @property
    def is_frame_open(self) -> bool:
        """Whether something was recorded since the newest frame, as part of the next one."""
        return self.ring.raw.is_open

    @property
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""
        return self._latches.next_frame

    @property
    def status(self) -> RecordingStatus:
        """Recorded seconds, bytes used, cost per frame, and all that was dropped."""
        accounts, span, cost = self.ring.accounts, self.source.span, self._cost_meter.cost
        return RecordingStatus(
            frames=accounts["frames_recorded"],
            frames_held=len(self.ring),
            seconds_held=span.seconds if span else 0.0,
            memory=accounts["total"] + (self.ring.older.memory if self.ring.older else 0),
            bytes_used=accounts["live"],
            bytes_gap=accounts["gap"],
            bytes_waste=accounts["waste"],
            latch_used=accounts["latch_used"],
            latch_memory=accounts["latch_capacity"],
            cost_us_p50=cost.p50,
            cost_us_p99=cost.p99,
            packets=accounts["packets_recorded"],
            packets_dropped=accounts["packets_dropped"],
            latch_refused=accounts["latch_refused"],
            latch_evicted=accounts["latch_evicted"],
            calls_dropped=self.queue.dropped,
            late_dropped=self._late.dropped,
            handler_faults=dict(self.faults.handlers),
            unhandled=dict(self.faults.unhandled),
            calls_refused=dict(self.faults.calls),
            muted=self._objects.muting.muted,
            muted_packets=self._objects.muted_packets,
            ignored=tuple(sorted(self._objects.types.ignored)),
            cut=dict(self.faults.cut),
            partial=dict(self.faults.partial),
            newest_fault=self.faults.newest,
            older=older_tier_status(self.ring),
            pictures=PictureStatus() if self.pictures is None else self.pictures.status,
        )

    def forked(self) -> None:
        """This is a forked child: other threads may have held locks, and are not here."""
        self.faults.renew_lock()
        self.ids = ObjectIds(names=self._writer.names)
        self.queue = StatementQueue(self.ring.accounts["capacity"])
        self.pictures = None  # its thread is the parent's
        self._owner = get_ident()

    def close(self) -> None:
        """Stop recording. A ring in a file stays there, finished in good order."""
        self.closed = True
        self._owner = 0  # what is stated from now on goes where it is refused
        if self.pictures is not None:
            self.pictures.close()
        self.ring.close()
