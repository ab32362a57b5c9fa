"""The recorder manager: after each simulation step it asks every object's handler for a packet.

It owns the ring and is the one place that writes into it. It knows what all packets have in
common and no game: handlers are given to it, and what they write it never looks into.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from ..errors import HandlerError, PlayheadError, RecordingError
from ..native.ring import FrameRing
from ..native.shapes import Plan
from .channels import Channels
from .facts import Facts
from .faults import Faults
from .handler import Batch, BatchHandler, Columns, HandlerSpec
from .instruments import Scalar
from .kinds import FIRST_OBJECT, Kind, PacketType
from .layout import Layout
from .logs import WATCH, LogLine
from .mailbox import Mailboxes
from .marks import Mark
from .meter import Meter
from .primitives import LAYOUTS, PrimitiveDraw, Site, site_of
from .reader import RingSource
from .status import Status
from .timeline import Tick, Timeline
from .traces import AnyTrace, Tracer, TreeNode
from .world import Conventions

_encode = msgspec.msgpack.Encoder().encode
_ORIGIN = (0.0, 0.0, 0.0)
_DRAWN_HEAD = np.dtype("<f4")
STRICT_FILL = 0xA5


class Recorder:
    """Frames in, memory fixed.

    Args:
        memory: All the memory that the recording may take.
        path: A file to hold it, so that it outlives a killed process.
        latch: Bytes of it for latched state; an eighth unless told otherwise.
        conventions: How the game's numbers are to be read.
        about: Plain values that describe the recording (game, build, seed, …).
        strict: Raise what would else be counted: for tests. From `PLAYHEAD_STRICT` by default.
        mute_after: Frames in a row in which a type's handler may fail before it is muted.

    Raises:
        CapacityError: the memory is too small, or can't be had.
        RecordingError: the file can't be made, or is in use.
    """

    def __init__(
        self,
        memory: int | str = "64 MiB",
        *,
        path: str | os.PathLike[str] | None = None,
        latch: int | str | None = None,
        conventions: Conventions | None = None,
        about: Mapping[str, Scalar] | None = None,
        strict: bool | None = None,
        mute_after: int = 3,
    ) -> None:
        self.strict = os.environ.get("PLAYHEAD_STRICT") == "1" if strict is None else strict
        self.ring = FrameRing(memory, path=os.fspath(path) if path else None, latch=latch)
        self.channels = Channels()
        self.draw = PrimitiveDraw(self)
        self.trace = Tracer(self)
        self.source = RingSource(self.ring)
        self.faults = Faults(mute_after)
        self.suspended = False
        """True in playback: then nothing is recorded, so nothing is evicted."""
        self._facts = Facts(self.ring)
        self._mail = Mailboxes()
        self._meter = Meter()
        self._timeline = Timeline()
        self._specs: dict[str, HandlerSpec] = {}
        self._types: dict[str, int] = {}
        self._plans: dict[str, Plan | None] = {}
        self._batches: dict[str, tuple[BatchHandler, list[int], list[Any]]] = {}
        self._facts_taken: dict[str, int] = {}
        self._planned_for: tuple[int, int] | None = None
        self._channels_told = 0
        self._columnar: set[str] = set()
        self._recorded: set[str] | None = None
        self._present: set[int] = set()
        self._error: PlayheadError | None = None
        told = {"conventions": conventions or Conventions(), "about": dict(about or {})}
        self._facts.put(0, Kind.WORLD, 0, told)
        for type, layout in LAYOUTS.items():
            self._facts.put(0, Kind.TYPE, type, {"name": f".{type.name.lower()}", "layout": layout})

    # --- handlers -----------------------------------------------------------------------------

    def add_handler(self, spec: HandlerSpec) -> None:
        """Take up the handler of a type, before recording begins or between two frames.

        Raises:
            HandlerError: the type has a handler, or a frame is being recorded.
        """
        if self.ring.raw.is_open:
            raise HandlerError(
                f"type {spec.type!r}: handlers are registered before recording or between frames,"
                " and a frame is open"
            )
        if spec.type in self._specs:
            raise HandlerError(f"type {spec.type!r} has a handler already")
        if spec.record is None:
            return
        self._specs[spec.type] = spec
        self._planned_for = None
        self._new_type(spec.type, spec.record.layout, spec.channels)

    def unmute(self, type: str) -> None:
        """Ask the handler of a muted type again."""
        self.faults.unmute(type)
        self._planned_for = None

    def _plan(self) -> None:
        """Work out, for each type, what is to be done with its objects; only after a change."""
        key = (self.channels.recording, len(self.faults.muted))
        if key == self._planned_for:
            return
        self._plans.clear()
        self._batches.clear()
        for type, spec in self._specs.items():
            bits = self.channels.bits(spec.channels)
            if not self.channels.records(bits):
                self._plans[type] = None
                continue
            self._plans[type] = self._plan_of(type, spec, bits)
        self._planned_for = (self.channels.recording, len(self.faults.muted))

    def _plan_of(self, type: str, spec: HandlerSpec, bits: int) -> Plan:
        number, handler = self._types[type], spec.record
        if type in self.faults.muted:
            return (number, bits, 0, None, None, None, None)
        if isinstance(handler, BatchHandler):
            ids: list[int] = []
            objs: list[Any] = []
            self._batches[type] = (handler, ids, objs)
            return (number, bits, 0, None, None, ids, objs)
        assert handler is not None
        fixed = getattr(handler, "fixed_size", None)
        return (
            number, bits, -1 if fixed is None else int(fixed), handler.size, handler.record,
            None, None,
        )  # fmt: skip

    # --- frames -------------------------------------------------------------------------------

    def update(
        self,
        objects: Iterable[tuple[int, str, Any]],
        dt: float = 0.0,
        time: float | None = None,
        batches: Iterable[Batch] = (),
    ) -> int:
        """Record a finished simulation step and publish its frame; returns the frame's id.

        Args:
            objects: All objects of the game, as (id, type, object).
            dt: The step, seconds.
            time: Game time after it, seconds; by default the last one + `dt`.
            batches: Objects that the game holds as columns; their types need no handler.

        Raises:
            RecordingError: a time is not finite, or playback is on: nothing was recorded, and
                what is in the open frame stays in it.
            HandlerError: strict, and a handler failed: the frame was recorded all the same.
        """
        if self.suspended:
            self.faults.call_refused("update in playback")
            raise RecordingError("the game is in playback: leave it before recording on")
        tick = self._timeline.next(dt, time)
        self._meter.start()
        self._mail.own()
        self._open()
        for call in self._mail.take():
            call()
        entries = objects if isinstance(objects, list) else self._gathered(objects)
        self._plan()
        self.ring.record_objects(
            entries, self._plans, self._fault, STRICT_FILL if self.strict else -1
        )
        for type in self._batches:
            self._gather_batch(type)
        latched = self._facts.objects
        present = latched.intersection([entry[0] for entry in entries]) if latched else set()
        for batch in batches:
            self._record_columns(batch)
            if latched:
                present |= latched.intersection(batch.columns.ids.tolist())
        self._tell_recorded()
        for gone in sorted(self._present - present):
            self._facts.end(gone)
        self._present = present
        self._take_facts()
        frame = self._commit(tick)
        self._meter.stop()
        self._raise_if_strict()
        return frame

    def _gathered(self, objects: Iterable[tuple[int, str, Any]]) -> list[tuple[int, str, Any]]:
        entries: list[tuple[int, str, Any]] = []
        try:
            entries.extend(objects)
        except Exception as error:
            self._refuse("objects()", error)
        return entries

    def _open(self) -> None:
        if not self.ring.raw.is_open:
            self.ring.begin()
            self._facts.flush()
        if len(self.channels.names) != self._channels_told:
            for index in range(self._channels_told, len(self.channels.names)):
                self._facts.put(0, Kind.CHANNEL, index, self.channels.names[index])
            self._channels_told = len(self.channels.names)

    def _commit(self, tick: Tick) -> int:
        before = self._timeline.newest
        if self._timeline.accept(tick) and before is not None:
            self._facts.put(0, Kind.EPOCH, 0, {"epoch": tick.epoch, "offset": tick.offset})
            self._latch_mark(Mark(
                f"epoch {tick.epoch}", 0, kind="epoch",
                note=f"game time went from {before.game:.3f} s back to {tick.game:.3f} s",
            ))  # fmt: skip
        return self.ring.commit(tick.time, tick.delta, tick.epoch)

    def _gather_batch(self, type: str) -> None:
        """Record the objects of a type that its handler takes all at once."""
        handler, ids, objs = self._batches[type]
        if not ids:
            return
        try:
            columns = handler.record_many(ids, objs)
            self._write_columns(type, columns, self.channels.bits(self._specs[type].channels))
        except Exception as error:
            for id in ids:
                self._fault(id, type, error)
        finally:
            ids.clear()
            objs.clear()

    def _record_columns(self, batch: Batch) -> None:
        """Record objects that came as columns."""
        type = batch.type
        bits = self.channels.bits(batch.channels)
        if type not in self._types:
            self._new_type(type, batch.layout, batch.channels)
        if not self.channels.records(bits):
            self._columnar.discard(type)
            return
        self._columnar.add(type)
        try:
            self._write_columns(type, batch.columns, bits)
        except Exception as error:
            self._fault(0, type, error)

    def _write_columns(self, type: str, columns: Columns, bits: int) -> None:
        self.ring.record_batch(
            self._types[type], columns.ids, columns.positions, columns.angles, columns.targetable,
            columns.payloads, columns.visible, bits,
        )  # fmt: skip

    def _new_type(self, type: str, layout: Layout, channels: tuple[str, ...]) -> None:
        number = self._types[type] = FIRST_OBJECT + len(self._types)
        told = {"name": type, "layout": layout, "channels": channels}
        self._facts.put(0, Kind.TYPE, number, told)

    def _tell_recorded(self) -> None:
        """Latch which types are being recorded, when that has changed."""
        planned = {type for type, plan in self._plans.items() if plan is not None}
        recorded = planned | self._columnar
        if recorded != self._recorded:
            self._recorded = recorded
            self._facts.put(0, Kind.RECORDED, 0, sorted(recorded))

    def _take_facts(self) -> None:
        """Latch what handlers have learned since the last frame, such as a new skeleton."""
        for type, spec in self._specs.items():
            facts = getattr(spec.record, "facts", None)
            if facts is None:
                continue
            for kind, key, value in facts[self._facts_taken.get(type, 0) :]:
                self._facts.put(0, kind, self._facts.number(f"{type}/{key}"), value)
            self._facts_taken[type] = len(facts)

    # --- faults -------------------------------------------------------------------------------

    def _fault(self, id: int, type: str, error: BaseException | None) -> None:
        """An object could not be recorded: `error` is None if its type has no handler."""
        if error is None:
            self.faults.has_no_handler(str(type))
            return
        newest = self.next_frame
        if self.faults.handler_failed(str(type), newest, error):
            self._planned_for = None
            self._latch_mark(Mark(
                f"{type} muted", 0, kind="loss", object=id if isinstance(id, int) else 0,
                note=f"its handler failed in several frames in a row, last with {error!r}",
            ))  # fmt: skip
        if self._error is None:
            self._error = HandlerError(f"type {type!r}, object {id}: {error}")
            self._error.__cause__ = error

    def _refuse(self, cause: str, error: Exception) -> None:
        """A call could not be recorded: counted, or raised when strict."""
        self.faults.call_refused(cause, error)
        if self.strict:
            if isinstance(error, PlayheadError):
                raise error
            raise RecordingError(f"{cause}: {error}") from error

    def _raise_if_strict(self) -> None:
        error, self._error = self._error, None
        if self.strict and error is not None:
            raise error

    # --- what games and agents say ------------------------------------------------------------

    def _say(self, cause: str, write: Callable[[], object]) -> None:
        """Run a call that writes into the open frame, now or, from a worker thread, in its turn."""
        if self.suspended:
            self.faults.call_refused(f"{cause} in playback")
        elif self._mail.is_owner:
            self._written(cause, write)
        else:
            self._mail.post(lambda: self._written(cause, write))

    def _written(self, cause: str, write: Callable[[], object]) -> None:
        try:
            self._open()
            write()
        except Exception as error:
            self._refuse(cause, error)

    def _site(self, site: Site) -> tuple[int, int]:
        return self._facts.number(site[0]), site[1]

    def primitive(
        self, type: PacketType, object: int, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> None:  # fmt: skip
        """Take a debug drawing into the open frame (the session's `draw` calls this)."""

        def write() -> None:
            bits = self.channels.bit(channel) if channel else 0
            if not self.channels.records(bits):
                return
            packer, color, *rest = head
            payload = packer.pack(color, *self._site(site), *rest) + tail
            if latch is None:
                self.ring.record(object, type, False, position, angles, payload, bits)
                return
            placed = np.array((position, angles), _DRAWN_HEAD).tobytes() + payload
            key = self._facts.number(latch)
            self._facts.put_bytes(object, Kind.DRAWN, key, placed, type, bits)

        self._say("draw", write)

    def decision(self, type: PacketType, agent: int, key: str, trace: AnyTrace) -> None:
        """Take a trace into the open frame (the session's `trace` calls this)."""

        def write() -> None:
            payload = _encode(trace)
            if type is PacketType.STATE:
                number = self._facts.number(key)
                self._facts.put_bytes(agent, Kind.STATE, number, payload, type)
            else:
                self.ring.record(agent, type, False, _ORIGIN, _ORIGIN, payload)

        self._say("trace", write)

    def define_tree(self, agent: int, tree: str, nodes: tuple[TreeNode, ...]) -> None:
        """Latch the nodes of an agent's behaviour tree."""
        self._say(
            "trace",
            lambda: self._facts.put(agent, Kind.TREE, self._facts.number(tree), (tree, nodes)),
        )

    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object in this frame."""

        def write() -> None:
            payload = WATCH.pack(self._facts.number(name), 0, value)
            self.ring.record(object, PacketType.WATCH, False, _ORIGIN, _ORIGIN, payload)

        self._say("watch", write)

    def log(
        self, text: str, *, level: str = "info", object: int = 0, channel: str | None = None
    ) -> None:
        """A line of the log, in this frame."""
        site = site_of(1)

        def write() -> None:
            bits = self.channels.bit(channel) if channel else 0
            if self.channels.records(bits):
                payload = _encode(LogLine(str(text), level, *site))
                self.ring.record(object, PacketType.LOG, False, _ORIGIN, _ORIGIN, payload, bits)

        self._say("log", write)

    def name(self, object: int, name: str) -> None:
        """What people call an object; stays until said again."""
        self._say("name", lambda: self._facts.put(object, Kind.NAME, 0, name))

    def fact(self, object: int, key: str, value: Any) -> None:
        """Anything plain that stays true of an object until said again."""
        self._say(
            "fact", lambda: self._facts.put(object, Kind.FACT, self._facts.number(key), value)
        )

    def mark(self, mark: Mark) -> None:
        """Set a mark at the frame that is being recorded."""
        self._say("mark", lambda: self._latch_mark(mark))

    def _latch_mark(self, mark: Mark) -> None:
        placed = msgspec.structs.replace(mark, frame=self.next_frame)
        self._facts.put_bytes(0, Kind.MARK, 0, _encode(placed), PacketType.MARK)

    def despawn(self, object: int) -> None:
        """An object is gone; the world's own objects are noticed without this."""
        self._say("despawn", lambda: self._facts.end(object))

    # --- facts about itself -------------------------------------------------------------------

    @property
    def next_frame(self) -> int:
        """The id of the frame that is being recorded, or will be next."""
        newest = self.ring.newest
        return self.ring.accounts["frames_recorded"] + 1 if newest is None else newest[0] + 1

    @property
    def status(self) -> Status:
        """Seconds held, bytes used, cost per frame, and all that was dropped."""
        accounts, span, cost = self.ring.accounts, self.source.span, self._meter.cost
        calls = self._mail.dropped
        return Status(
            frames=accounts["frames_recorded"],
            frames_held=len(self.ring),
            seconds_held=span.seconds if span else 0.0,
            memory=accounts["total"],
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
            calls_dropped=calls,
            handler_faults=dict(self.faults.handlers),
            unhandled=dict(self.faults.unhandled),
            calls_refused=dict(self.faults.calls),
            muted=tuple(sorted(self.faults.muted)),
            newest_fault=self.faults.newest,
        )

    def close(self) -> None:
        """Stop recording. A ring in a file stays there, finished in good order."""
        self.ring.close()
