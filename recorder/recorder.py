"""The recorder manager: after each simulation step it asks every object's handler for a packet.

It owns the ring and is the one place that writes into it. It knows what all packets have in
common and no game: handlers are given to it, and what they write it never looks into.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from ..errors import HandlerError, PlayheadError, RecordingError
from ..native.fork import on_fork
from ..native.ring import FrameRing
from .arrivals import Arrivals
from .channels import Channels
from .encoding import encode
from .facts import Facts
from .faults import Faults, Refusing, words
from .frame import FrameFlag
from .handler import Batch, FrameImage, HandlerSpec, ImageType
from .instrumentation import Scalar
from .kinds import Kind, PacketType
from .layout import Layout
from .logs import LogLine, checked_level
from .losses import Loss
from .mailbox import Letter, Mailboxes
from .marks import Mark
from .meter import Meter
from .object_ids import ObjectIds, ObjectRef
from .objects import ObjectWriter
from .outside import Outside
from .packet_layouts import LAYOUTS_ROOM, PACKETS, EpochFact, PacketLayout, WorldFact
from .primitives import PrimitiveDraw, Site, site_of
from .reader import RingSource
from .recording_mode import RecordingMode, recording_mode
from .sayings import Sayings, not_a_number
from .status import Status, older_status
from .timeline import Tick, Timeline
from .traces import AnyTrace, Tracer, TreeNode, has_ids, with_ids
from .world import Conventions

_DROPPED = int(FrameFlag.DROPPED)
"""A plain number: an enum's `&` costs more than the rest of a frame without objects."""

_TELL_AGAIN = 64
"""Frames after which it is tried anew to tell of losses for which there was no room."""


class Recorder:
    """Frames in, memory fixed.

    Args:
        memory: All the memory that the recording may take.
        path: A file to hold it, so that it outlives a killed process.
        latch: Bytes of it for latched state; an eighth unless told otherwise.
        older: The share of the memory for an older tier, from 0 to less than 1: what leaves the
            rest stays there for longer, packed by a thread.
        conventions: How the game's numbers are to be read.
        about: Plain values that describe the recording (game, build, seed, …).
        strict: Raise what would else be counted: for tests. By default as `PLAYHEAD` says.
        mute_after: Frames in a row in which an object's packet may fail before the object is muted:
            then it is not asked for some frames, for more each time that it fails again.

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
    ) -> None:
        self.strict = recording_mode() is RecordingMode.STRICT if strict is None else strict
        self.ring = FrameRing(
            memory, path=os.fspath(path) if path else None, latch=latch, older=older
        )
        self.channels = Channels()
        self.ids = ObjectIds()
        """Finds the id of an object that was given instead; a session knows the world's."""
        self.draw = PrimitiveDraw(self)
        self.trace = Tracer(self)
        self.source = RingSource(self.ring)
        self.faults = Faults(raises=self.strict)
        self.resting = False
        """What `suspended` says, to be read where the call of a property costs too much."""
        self._restarted = False
        self._rested = False
        """Whether nothing was recorded for a while since the newest frame."""
        self._lost = 0
        self._untold: list[Loss] = []
        """Losses for which there was no room."""
        self.finished = 0
        """How many frames were finished."""
        self._facts = Facts(self.ring)
        self._objects = ObjectWriter(
            self.ring, self._facts, self.channels, self.faults, self.strict, mute_after
        )
        self._sayings = Sayings(self.ring, self._facts, self.channels)
        self._mail = Mailboxes()
        self._meter = Meter()
        self._timeline = Timeline()
        self.outside = Outside(self._sayings, self._timeline, self.ring.accounts["capacity"])
        """The way in for what other processes say, for any thread."""
        self._arrivals = Arrivals(self.ring, self._facts, self.faults, self.outside)
        self._late_listeners: list[Callable[[list[int]], object]] = []
        self._updating = False
        self._channels_told = 0
        """Whether it was logged that nothing can be recorded any more."""
        on_fork(self)
        self.describe(conventions or Conventions(), about or {})
        if self.ring.accounts["latch_capacity"] >= LAYOUTS_ROOM:
            for type, packet in PACKETS.items():
                self._facts.put(0, Kind.TYPE, type, packet, PacketLayout)

    @property
    def suspended(self) -> bool:
        """True in playback: then nothing is recorded, so nothing is evicted."""
        return self.resting

    @suspended.setter
    def suspended(self, value: bool) -> None:
        if value and not self.resting and self.ring.older is not None:
            self.ring.older.settle()  # what packing evicts goes before anybody looks
        self._rested |= self.resting
        self.resting = value

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
        self._objects.add(spec)

    def declare(self, type: str, layout: Layout, channels: tuple[str, ...] = ()) -> ImageType:
        """A type whose packets come laid out; another layout is another type under that name.

        Raises:
            HandlerError: the layout can't be recorded, or there are too many types.
            RecordingError: there is no room for its channels.
        """
        return self._objects.declare(type, layout, channels)

    def describe(self, conventions: Conventions, about: Mapping[str, Scalar]) -> None:
        """Say from now on what is recorded, and how its numbers are to be read.

        Raises:
            RecordingError: `about` holds what is no plain value.
        """
        self._facts.put(0, Kind.WORLD, 0, WorldFact(conventions, dict(about)))

    def restart(self) -> None:
        """Another run of the game begins, or another game.

        Its next frame opens an epoch, wherever its clock stands. From that frame on nothing is
        latched that was said before: names, states, trees, skeletons, drawings, facts.
        """
        self._timeline.restart()
        self._restarted = True

    def lose(self, frames: int) -> None:
        """Frames of a game that ran on in playback are dropped; a mark of the next one says so."""
        self._lost += frames

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
                what is in the open frame stays in it. Or, strict, something was said wrongly.
            HandlerError: strict, and a handler failed: the frame was recorded all the same.
        """
        if self._updating:
            raise RecordingError("update() within update(): the frame is being recorded already")
        if self.resting:
            self.faults.call_refused("update in playback", level=logging.INFO)
            raise RecordingError("the game is in playback: leave it before recording on")
        tick = self._timeline.next(dt, time, rested=self._rested)
        self._meter.start()
        self._mail.own()
        self._open()
        self._updating = True
        try:
            self._tell_channels()
            for cause, write in self._mail.take():
                with self.refusing(cause):
                    write()
            if self.outside.waits:
                self._arrivals.write(tick.time)
            entries, all_listed = self._listed(objects, "objects()")
            columns, all_given = self._listed(batches, "batches()")
            frames, all_sent = self._listed(images, "images()")
            self._objects.write(entries, columns, all_listed and all_given and all_sent, frames)
        finally:  # also when the program is being interrupted: half a frame is never recorded on
            self._updating = False
            frame = self._commit(tick)
            self._meter.stop()
        if self._arrivals.changed:
            self._tell_changed()
        if self.ring.raw.stamp(frame)[5] & _DROPPED:
            text = "packets found no room in the recording: give it more memory"
            self.faults.lost("room", "", text)
            self.faults.log("room", "", text)
        error = self.faults.take()
        if self.strict and error is not None:
            raise error
        return frame

    def on_late(self, listener: Callable[[list[int]], object]) -> Callable[[], None]:
        """Have `listener` called when something from outside changed older frames.

        Called on the game's thread, once for a finished frame that brought such things, with the
        older frames' ids in order. The states shown at frames behind them may have changed as
        well. Returns what ends it. What a listener raises is counted, or raised when strict.
        """
        self._late_listeners.append(listener)

        def stop() -> None:
            if listener in self._late_listeners:
                self._late_listeners.remove(listener)

        return stop

    def _tell_changed(self) -> None:
        frames = self._arrivals.take_changed()
        for listener in tuple(self._late_listeners) if frames else ():
            try:
                listener(list(frames))
            except Exception as error:
                self.faults.call_refused("on_late", error, kept=True)
                failed = RecordingError(f"on_late: {words(error)}")
                failed.__cause__ = error
                self.faults.keep(failed)

    def _listed(self, given: Iterable[Any], cause: str) -> tuple[list[Any], bool]:
        """What a game gives, and whether that is all of it."""
        if isinstance(given, list):
            return given, True
        listed: list[Any] = []
        try:
            listed.extend(given)
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
            self._facts.end_all()
        self._facts.flush()

    def _tell_channels(self) -> None:
        names = self.channels.names
        while self._channels_told < len(names):
            index = self._channels_told
            if not self._facts.put(0, Kind.CHANNEL, index, names[index]):
                return  # there was no room: the next frame tries again
            self._channels_told += 1

    def _commit(self, tick: Tick) -> int:
        self._tell_channels()
        before = self._timeline.newest
        if self._timeline.accept(tick) and before is not None:
            self._facts.put(0, Kind.EPOCH, 0, EpochFact(tick.epoch, tick.offset))
            self._facts.mark(Mark(
                f"epoch {tick.epoch}", 0, kind="epoch",
                note=f"game time went from {before.game:.3f} s to {tick.game:.3f} s",
            ))  # fmt: skip
        if tick.lost or self._lost:
            self._mark_gap(tick)
        self._rested = False
        if self._untold and not self.finished % _TELL_AGAIN:
            self.faults.tell_again(self._untold)
            self._untold.clear()
        if self.faults.has_unrecorded_losses:
            self._tell_losses()
        flags = FrameFlag.DAMAGED if self._objects.lost_batch else 0
        self._facts.stated.clear()
        if self.ring.raw.latch_evicted:
            self._facts.log_losses()
        if self.ids.keeps_objects:
            self.ids.release()
        frame = self.ring.commit(tick.time, tick.delta, tick.epoch, flags)
        self.finished += 1
        return frame

    def _tell_losses(self) -> None:
        for number, loss in self.faults.take_losses(self._facts.next_frame):
            if not self._facts.loss(number, loss):
                self._untold.append(loss)

    def _mark_gap(self, tick: Tick) -> None:
        """Say in this frame that the game ran on in front of it while nothing was recorded."""
        told = []
        if tick.lost:
            told.append(f"the game ran on for {tick.lost:.3f} s of which nothing is recorded")
        if self._lost:
            told.append(f"{self._lost} frames that it sent were dropped")
        note = f"while playback was on {', and '.join(told)}"
        self._facts.mark(Mark("not recorded", 0, kind="loss", note=note))
        self._lost = 0

    # --- what games and agents say ------------------------------------------------------------

    def refusing(self, cause: str) -> Refusing:
        """Within it an error costs one call, no more: it is counted, or raised when strict."""
        return Refusing(cause, self._refuse)

    def _refuse(self, cause: str, error: Exception) -> None:
        # An error that is raised is not logged as well; of those of one update the first is raised.
        level = logging.DEBUG if self.strict else logging.ERROR
        self.faults.call_refused(cause, error, lost=True, kept=self._updating, level=level)
        if not self.strict:
            return
        told = error if isinstance(error, PlayheadError) else None
        if told is None:
            told = RecordingError(f"{cause}: {words(error)}")
            told.__cause__ = error
        if not self._updating:
            raise told
        self.faults.keep(told)

    def _say(self, cause: str, write: Callable[[], object]) -> None:
        """Run a call that writes into the open frame, now or, from a worker thread, in its turn.

        What `write` takes along must be the caller's no more: it may run later.
        """
        if self.resting:
            self.faults.call_refused(f"{cause} in playback", level=logging.INFO)
        elif self._mail.is_owner:
            self._open()
            write()
        else:
            self._mail.post(Letter(cause, write))

    def _say_about(self, cause: str, object: ObjectRef, write: Callable[..., object]) -> None:
        """Like `_say`, with the object's id, which is looked up when it is written."""
        self._say(cause, lambda: write(object=self.ids.id_of(object)))

    def primitive(
        self, type: PacketType, object: ObjectRef, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> None:  # fmt: skip
        """Take a debug drawing into the open frame (the session's `draw` calls this)."""
        if not self._mail.is_owner:
            position, angles = tuple(position), tuple(angles)
        if object.__class__ is int:
            self._say("draw", partial(
                self._sayings.primitive,
                type, object, channel, latch, position, angles, site, head, tail,
            ))  # fmt: skip
        else:
            self._say_about("draw", object, partial(
                self._sayings.primitive, type, channel=channel, latch=latch, position=position,
                angles=angles, site=site, head=head, tail=tail,
            ))  # fmt: skip

    def decision(self, type: PacketType, agent: ObjectRef, key: str, trace: AnyTrace) -> None:
        """Take a trace into the open frame (the session's `trace` calls this)."""
        if agent.__class__ is not int or not has_ids(trace):
            self._say_about("trace", agent, partial(self._decision_about, type, key, trace))
            return
        payload = encode(trace, trace.__class__)
        self._say("trace", partial(self._sayings.decision, type, agent, key, payload))

    def _decision_about(self, type: PacketType, key: str, trace: AnyTrace, *, object: int) -> None:
        payload = encode(with_ids(trace, self.ids.id_of), trace.__class__)
        self._sayings.decision(type, object, key, payload)

    def define_tree(self, agent: ObjectRef, tree: str, nodes: tuple[TreeNode, ...]) -> None:
        """Latch the nodes of an agent's behaviour tree."""
        payload = encode(nodes, tuple[TreeNode, ...])
        self._say_fact("trace", agent, Kind.TREE, tree, payload)

    def watch(self, name: str, value: float, object: ObjectRef = 0) -> None:
        """Record a named number, of an object or of the world, in this frame.

        It is a graph in the viewer. Any thread may call it.

        Args:
            name: What is watched, such as `speed`.
            value: A number, or what `float` takes.
            object: The object it is about, or its id; 0 for the world.

        Raises:
            RecordingError: strict, and the value is no number, or the object is unknown. Else such
                a call is counted in `status.calls_refused`, and logged once.
        """
        with self.refusing("watch"):
            try:
                number = float(value)
            except (TypeError, ValueError, OverflowError):
                raise not_a_number(name, value) from None
            if object.__class__ is int:
                self._say("watch", partial(self._sayings.watch, name, number, object))
            else:
                self._say_about("watch", object, partial(self._sayings.watch, name, number))

    def log(
        self, text: str, *, level: str = "info", object: ObjectRef = 0, channel: str | None = None
    ) -> None:
        """Write a line into the log of the recording, in this frame. Any thread may call it.

        Args:
            text: What is said. The file and line of the call are kept beside it.
            level: `debug`, `info`, `warning` or `error`.
            object: The object it is about, or its id; 0 for the world.
            channel: With it the line is recorded only while that channel is.

        Raises:
            RecordingError: strict, and the level or the object is unknown; see `watch`.
        """
        with self.refusing("log"):
            line = LogLine(str(text), checked_level(level), *site_of(1))
            payload = encode(line, LogLine)
            if object.__class__ is int:
                self._say("log", partial(self._sayings.log, object, channel, payload))
            else:
                self._say_about(
                    "log", object, partial(self._sayings.log, channel=channel, payload=payload)
                )

    def name(self, object: ObjectRef, name: str) -> None:
        """Say what people call an object, such as `Guard 7`: this holds until it is said again.

        Raises:
            RecordingError: strict, and the name is no text, or the object is unknown.
        """
        with self.refusing("name"):
            self._say_fact("name", object, Kind.NAME, "", encode(name, str))

    def fact(self, object: ObjectRef, key: str, value: Any) -> None:
        """Record what stays true of an object, or of the world (0), until it is said again.

        Args:
            object: The object, or its id.
            key: What it is about, such as `team`.
            value: Plain data: numbers, texts, lists, dicts, None.

        Raises:
            RecordingError: strict, and the value is not plain, or the object is unknown.
        """
        with self.refusing("fact"):
            self._say_fact("fact", object, Kind.FACT, key, encode(value))

    def _say_fact(
        self, cause: str, object: ObjectRef, kind: Kind, key: str, payload: bytes
    ) -> None:
        write = partial(self._sayings.fact, kind=kind, key=key, payload=payload)
        self._say_about(cause, object, write)

    def mark(self, mark: Mark, object: ObjectRef = 0) -> None:
        """Set a mark at the frame that is being recorded; it is about `object`, if one is given."""
        with self.refusing("mark"):
            if object.__class__ is int and not object:
                self._say("mark", partial(self._sayings.mark, mark))
            else:
                self._say_about("mark", object, partial(self._mark_about, mark))

    def _mark_about(self, mark: Mark, *, object: int) -> None:
        self._sayings.mark(msgspec.structs.replace(mark, object=object))

    def known_id(self, cause: str, object: ObjectRef) -> int:
        """The id of an object that somebody gave; 0 if it is unknown, which is counted.

        Raises:
            RecordingError: strict, and it is unknown.
        """
        with self.refusing(cause):
            return self.ids.id_of(object)
        return 0

    def despawn(self, object: ObjectRef) -> None:
        """Say that an object is gone; the world's own objects are noticed without this."""
        with self.refusing("despawn"):
            self._say_about("despawn", object, self._sayings.end)

    # --- facts about itself -------------------------------------------------------------------

    @property
    def is_frame_open(self) -> bool:
        """Whether something was recorded since the newest frame, as part of the next one."""
        return self.ring.raw.is_open

    @property
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""
        return self._facts.next_frame

    @property
    def status(self) -> Status:
        """Seconds held, bytes used, cost per frame, and all that was dropped."""
        accounts, span, cost = self.ring.accounts, self.source.span, self._meter.cost
        return Status(
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
            calls_dropped=self._mail.dropped + self.outside.dropped,
            late_dropped=self._arrivals.dropped,
            handler_faults=dict(self.faults.handlers),
            unhandled=dict(self.faults.unhandled),
            calls_refused=dict(self.faults.calls),
            muted=self._objects.muting.muted,
            muted_packets=self._objects.muted_packets,
            ignored=tuple(sorted(self._objects.ignored)),
            cut=dict(self.faults.cut),
            partial=dict(self.faults.partial),
            newest_fault=self.faults.newest,
            older=older_status(self.ring),
        )

    def forked(self) -> None:
        """This is a forked child: other threads may have held locks, and are not here."""
        self.faults.renew_lock()
        self._mail = Mailboxes()

    def close(self) -> None:
        """Stop recording. A ring in a file stays there, finished in good order."""
        self.ring.close()
