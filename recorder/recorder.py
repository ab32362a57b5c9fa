"""The recorder manager: after each simulation step it asks every object's handler for a packet.

It owns the ring and is the one place that writes into it. It knows what all packets have in
common and no game: handlers are given to it, and what they write it never looks into.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ..errors import HandlerError, PlayheadError, RecordingError
from ..native.ring import FrameRing
from .arrivals import Arrivals
from .channels import Channels
from .encoding import encode
from .facts import Facts
from .faults import Faults, Refusing, words
from .frame import FrameFlag
from .handler import Batch, FrameImage, HandlerSpec, ImageType
from .instruments import Scalar
from .kinds import Kind, PacketType
from .layout import Layout
from .logs import LogLine
from .mailbox import Letter, Mailboxes
from .marks import Mark
from .meter import Meter
from .objects import ObjectWriter
from .outside import Outside
from .primitives import LAYOUTS, PrimitiveDraw, Site, site_of
from .reader import RingSource
from .sayings import Sayings
from .status import Status, older_status
from .timeline import Tick, Timeline
from .traces import AnyTrace, Tracer, TreeNode
from .world import Conventions


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
        strict: Raise what would else be counted: for tests. From `PLAYHEAD_STRICT` by default.
        mute_after: Frames in a row in which a type's handler may fail before it is muted.

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
        self.strict = os.environ.get("PLAYHEAD_STRICT") == "1" if strict is None else strict
        self.ring = FrameRing(
            memory, path=os.fspath(path) if path else None, latch=latch, older=older
        )
        self.channels = Channels()
        self.draw = PrimitiveDraw(self)
        self.trace = Tracer(self)
        self.source = RingSource(self.ring)
        self.faults = Faults(mute_after)
        self._suspended = False
        self._facts = Facts(self.ring)
        self._objects = ObjectWriter(
            self.ring, self._facts, self.channels, self.faults, self.strict
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
        self.describe(conventions or Conventions(), about or {})
        for type, layout in LAYOUTS.items():
            self._facts.put(0, Kind.TYPE, type, {"name": f".{type.name.lower()}", "layout": layout})

    @property
    def suspended(self) -> bool:
        """True in playback: then nothing is recorded, so nothing is evicted."""
        return self._suspended

    @suspended.setter
    def suspended(self, value: bool) -> None:
        if value and not self._suspended and self.ring.older is not None:
            self.ring.older.settle()  # what packing evicts goes before anybody looks
        self._suspended = value

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
        told = {"conventions": conventions, "about": dict(about)}
        self._facts.put(0, Kind.WORLD, 0, told)

    def restart(self) -> None:
        """The game starts anew: its next frame opens an epoch, wherever its clock stands."""
        self._timeline.restart()

    def unmute(self, type: str) -> None:
        """Ask the handler of a muted type again."""
        self._objects.unmute(type)

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
        if self.suspended:
            self.faults.call_refused("update in playback")
            raise RecordingError("the game is in playback: leave it before recording on")
        tick = self._timeline.next(dt, time)
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
                self.faults.call_refused("on_late", error)
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
        if not self.ring.raw.is_open:
            self.ring.begin()
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
            self._facts.put(0, Kind.EPOCH, 0, {"epoch": tick.epoch, "offset": tick.offset})
            self._facts.mark(Mark(
                f"epoch {tick.epoch}", 0, kind="epoch",
                note=f"game time went from {before.game:.3f} s to {tick.game:.3f} s",
            ))  # fmt: skip
        flags = FrameFlag.DAMAGED if self._objects.lost_batch else 0
        self._facts.stated.clear()
        return self.ring.commit(tick.time, tick.delta, tick.epoch, flags)

    # --- what games and agents say ------------------------------------------------------------

    def refusing(self, cause: str) -> Refusing:
        """Within it an error costs one call, no more: it is counted, or raised when strict."""
        return Refusing(cause, self._refuse)

    def _refuse(self, cause: str, error: Exception) -> None:
        self.faults.call_refused(cause, error)
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
        if self.suspended:
            self.faults.call_refused(f"{cause} in playback")
        elif self._mail.is_owner:
            self._open()
            write()
        else:
            self._mail.post(Letter(cause, write))

    def primitive(
        self, type: PacketType, object: int, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> None:  # fmt: skip
        """Take a debug drawing into the open frame (the session's `draw` calls this)."""
        if not self._mail.is_owner:
            position, angles = tuple(position), tuple(angles)

        self._say("draw", partial(
            self._sayings.primitive,
            type, object, channel, latch, position, angles, site, head, tail,
        ))  # fmt: skip

    def decision(self, type: PacketType, agent: int, key: str, trace: AnyTrace) -> None:
        """Take a trace into the open frame (the session's `trace` calls this)."""
        payload = encode(trace, trace.__class__)
        self._say("trace", partial(self._sayings.decision, type, agent, key, payload))

    def define_tree(self, agent: int, tree: str, nodes: tuple[TreeNode, ...]) -> None:
        """Latch the nodes of an agent's behaviour tree."""
        payload = encode(nodes, tuple[TreeNode, ...])
        self._say("trace", partial(self._sayings.fact, agent, Kind.TREE, tree, payload))

    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object in this frame."""
        with self.refusing("watch"):
            number = float(value)
            self._say("watch", partial(self._sayings.watch, name, number, object))

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None
    ) -> None:
        """A line of the log, in this frame."""
        with self.refusing("log"):
            payload = encode(LogLine(str(text), level, *site_of(1)), LogLine)
            self._say("log", partial(self._sayings.log, object, channel, payload))

    def name(self, object: int, name: str) -> None:
        """What people call an object; stays until said again."""
        with self.refusing("name"):
            payload = encode(name, str)
            self._say("name", partial(self._sayings.fact, object, Kind.NAME, "", payload))

    def fact(self, object: int, key: str, value: Any) -> None:
        """Anything plain that stays true of an object until said again."""
        with self.refusing("fact"):
            payload = encode(value)
            self._say("fact", partial(self._sayings.fact, object, Kind.FACT, key, payload))

    def mark(self, mark: Mark) -> None:
        """Set a mark at the frame that is being recorded."""
        with self.refusing("mark"):
            self._say("mark", partial(self._sayings.mark, mark))

    def despawn(self, object: int) -> None:
        """An object is gone; the world's own objects are noticed without this."""
        with self.refusing("despawn"):
            self._say("despawn", partial(self._sayings.end, object))

    # --- facts about itself -------------------------------------------------------------------

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
            calls_dropped=self._mail.dropped + self.outside.dropped,
            late_dropped=self._arrivals.dropped,
            handler_faults=dict(self.faults.handlers),
            unhandled=dict(self.faults.unhandled),
            calls_refused=dict(self.faults.calls),
            muted=tuple(sorted(self.faults.muted)),
            newest_fault=self.faults.newest,
            older=older_status(self.ring),
        )

    def close(self) -> None:
        """Stop recording. A ring in a file stays there, finished in good order."""
        self.ring.close()
