"""The game objects' part of a frame: each object's handler writes its packet.

What a handler writes is never interpreted. If a handler fails, only its own packet is lost: the
object's header stays in the frame, flagged damaged, and the rest of the frame is recorded.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ...errors import HandlerError, RecordingError
from ...native import _ring
from ...native.ring import FrameRing
from ...native.ring_type_aliases import CUT, PARTIAL, Plan
from ..channel_switches import Channels
from ..fault_counts import MOST_WORDS, FaultCounts, error_text
from ..handler_interface import (
    Batch,
    Columns,
    FrameImage,
    ImageType,
)
from ..latch_writer import LatchWriter
from ..packets.layouts.layout import Sizes
from ..packets.layouts.plain_value_codec import encode
from ..packets.mark import Mark
from ..packets.packet_types import Kind
from ..text.safe_text import safe_text
from .failing_handler_backoff import BATCH, FIRST_MUTING, MOST_FAILURES, HandlerMuting, Key
from .object_types import GatheredType, ObjectTypes, header_plan

Entry = tuple[int, str, Any]
PATTERN = 0xA5
"""Fills packets before strict handlers write them, so that what they leave out is seen."""
MOST_MARKED = 3
"""Objects of a type that have a mark each when they are muted in one frame; more have one mark."""


class _Intake(NamedTuple):
    """How images with these types are taken in, while these channels are on."""

    types: Mapping[int, ImageType]
    recording: int
    numbers: dict[int, tuple[int, int]]
    """Number in the image to number and channels in the ring."""
    off: frozenset[int]
    """Types whose channels are off."""


class ObjectWriter:
    """Writes the packets of game objects, and what follows from which objects there are."""

    def __init__(
        self,
        ring: FrameRing,
        latches: LatchWriter,
        channels: Channels,
        faults: FaultCounts,
        strict: bool,
        mute_after: int,
    ) -> None:
        self.lost_batch = False
        """Whether columns of this frame could not be read: then headers are missing in it."""
        self.muting = HandlerMuting(None if strict else mute_after)
        """Mutes objects after repeated failures; none if strict, where each failure is raised."""
        self.muted_packets = 0
        """Headers written for objects that were skipped, since they are muted."""
        self.types = ObjectTypes(latches, channels)
        self._ring, self._latches, self._channels, self._faults = ring, latches, channels, faults
        self._strict = strict
        self._in_use: dict[Any, Plan | None] = self.types.plans
        """The plans that the ring goes by just now."""
        self._newly_muted: dict[str, list[tuple[int, str]]] = {}
        self._facts_latched: dict[str, int] = {}
        self._columnar: set[str] = set()
        self._imaged: set[str] = set()
        self._intake: _Intake | None = None
        self._recorded: set[str] | None = None
        self.present: set[int] = set()
        """Those of the objects with something latched that the newest frame has."""

    def unmute(self, type: str, object: int | None = None) -> None:
        """Try a muted object's handler again in the next frame; of all of a type by default."""
        self.muting.forget(type, object)

    # --- packets ------------------------------------------------------------------------------

    def write(
        self,
        entries: list[Entry],
        batches: Iterable[Batch],
        complete: bool,
        images: Iterable[FrameImage] = (),
    ) -> None:
        """Write all objects into the open frame.

        Args:
            entries: Objects, as (id, type, object).
            batches: Objects that came as columns.
            complete: Whether these are all that there are, so that who is missing is gone.
            images: Objects that came laid out.
        """
        self.lost_batch = False
        self.types.plan()
        self.muting.begin(self._latches.next_frame)
        aside, plans = self._set_aside(entries)
        self._record(iter(aside), len(aside), plans)
        for type, gathered in self.types.gathered.items():
            if gathered.ids:
                self._write_gathered(type, gathered)
        if self.muting:
            off = [type for type, plan in self.types.plans.items() if plan is None]
            self.muting.end(self._failing_among(entries) if complete else None, off)
            self._mark_muted()
        named = self._latches.objects
        present = _present(entries, named) if named or self.present else set()
        for batch in batches:
            present |= self._write_batch(batch)
        self._imaged.clear()
        for image in images:
            present |= self._write_image(image)
        self._latch_recorded_types()
        if complete:
            for ended in sorted(self.present - present):
                self._latches.end(ended)
            self.present = present
        self._latch_new_facts()

    def _set_aside(self, entries: list[Entry]) -> tuple[list[Entry], dict[Any, Plan | None]]:
        """The entries and their plans, such that of muted objects only headers are written."""
        # A change of plans is for this frame: if too many fail, the others are skipped.
        plans: dict[Any, Plan | None] = dict(self.types.plans)
        skipped = self.muting.skipped
        if not skipped:
            return entries, plans
        for type in {type for type, _ in skipped}:
            if plans.get(type) is not None:
                served = self.types.served[type]
                plans[type,] = header_plan(served.number, self._channels.bits(served.spec.channels))
        aside: list[Entry] = []
        for entry in entries:
            if _is_known(entry, skipped) and (entry[1],) in plans:
                entry = (entry[0], (entry[1],), None)  # type: ignore[assignment]
                self.muted_packets += 1
            aside.append(entry)
        return aside, plans

    def _failing_among(self, entries: list[Entry]) -> set[Key]:
        """Which of the objects that failed lately are among the entries."""
        failing = self.muting
        return {(e[1], e[0]) for e in entries if _is_known(e, failing)}

    def _record(self, entries: Iterator[Entry], count: int, plans: dict[Any, Plan | None]) -> None:
        """Have the ring walk over the entries; one that is none costs itself and no other."""
        self._in_use = plans
        for _ in range(count + 1):
            try:
                self._ring.record_objects(
                    entries, plans, self._fault, PATTERN if self._strict else -1
                )
                return
            except Exception as error:
                self._faults.call_refused("objects()", error, lost=True, deferred=True)
                self._faults.defer(RecordingError(f"objects(): {error_text(error)}"))

    def _write_gathered(self, type: str, gathered: GatheredType) -> None:
        """Write a type's objects in one batch, or one by one if the batch can't be had."""
        handler, ids, objects, bits, sizes, single = gathered
        try:
            if (type, BATCH) in self.muting.skipped:
                self.muted_packets += len(ids) if single[4] is None else 0
                self._record(zip(ids, repeat(type), objects), len(ids), {type: single})
                return
            columns = handler.record_many(ids, objects)
            if len(columns.ids) != len(ids) or (self._strict and list(columns.ids) != ids):
                raise HandlerError(
                    f"record_many() was given {len(ids)} objects and wrote {len(columns.ids)},"
                    " or wrote others, or in another order"
                )
            _check_size(columns, sizes)
            self._write_columns(self.types.served[type].number, columns, bits, type)
        except Exception as error:
            failed = self._faults.handlers[type]
            self._record(zip(ids, repeat(type), objects), len(ids), {type: single})
            if self._faults.handlers[type] == failed:  # none alone: then it was the batch
                self._batch_failed(type, error)
        finally:
            ids.clear()
            objects.clear()

    def _write_batch(self, batch: Batch) -> set[int]:
        """Write a batch; returns those of its objects for which something is latched."""
        present: set[int] = set()
        try:
            ids, named = np.asarray(batch.columns.ids), self._latches.objects
            if named:
                present = named.intersection(ids.tolist())
            bits = self._channels.bits(batch.channels)
            number = self.types.number_of(batch.type, batch.layout, batch.channels)
            if not self._channels.records(bits):
                self._columnar.discard(batch.type)
                return present
            self._columnar.add(batch.type)
            if not ids.all():
                raise RecordingError("object id 0 is the world: objects have ids from 1 on")
            _check_size(batch.columns, self.types.known[batch.type].sizes)
            self._write_columns(number, batch.columns, bits, batch.type)
        except Exception as error:
            self.lost_batch = True
            self._faults.batch_failed(str(batch.type), error)
            self._faults.defer(HandlerError(f"batch of {batch.type!r}: {error_text(error)}"))
        return present

    def _write_image(self, frame_image: FrameImage) -> set[int]:
        """Write a frame image; returns those of its objects for which something is latched."""
        present: set[int] = set()
        image, intake = frame_image.image, self._intake_of(frame_image.types)
        self._imaged |= {
            type.name for number, type in frame_image.types.items() if number not in intake.off
        }
        try:
            if self._latches.objects:
                for _, _, _, headers, _ in _ring.image_runs(image):
                    present |= self._latches.objects.intersection(headers["id"].tolist())
            if intake.off:
                image = _without(image, intake.off)
            self._ring.ingest(image, intake.numbers)
        except Exception as error:
            self.lost_batch = True
            self._faults.batch_failed("image", error)
            self._faults.defer(HandlerError(f"a frame image: {error_text(error)}"))
        self._latch_facts("image", frame_image.facts)
        return present

    def _intake_of(self, types: Mapping[int, ImageType]) -> _Intake:
        recording, known = self._channels.recording, self._intake
        if known is None or known.types is not types or known.recording != recording:
            on = {n: t for n, t in types.items() if self._channels.records(t.channels)}
            numbers = {number: (type.number, type.channels) for number, type in on.items()}
            known = self._intake = _Intake(types, recording, numbers, frozenset(types) - on.keys())
        return known

    def _write_columns(self, number: int, columns: Columns, bits: int, type: str) -> None:
        parts = (
            columns.ids, columns.positions, columns.angles, columns.targetable,
            _little_endian(columns.payloads), columns.visible,
        )  # fmt: skip
        cut = getattr(columns, "cut", None)
        if cut is None or not np.any(cut):
            self._ring.record_batch(number, *parts, bits)
            return
        # All rows of a call have the same flags, so there is one call for each run of rows that are
        # all cut, or all complete.
        ids, cut = np.asarray(columns.ids), np.asarray(cut, np.bool_)
        if cut.shape != ids.shape:
            raise HandlerError(f"the column cut has the shape {cut.shape}, not {ids.shape}")
        edges = [0, *(np.flatnonzero(np.diff(cut)) + 1).tolist(), len(cut)]
        for start, end in pairwise(edges):
            row = [None if column is None else column[start:end] for column in parts]
            self._ring.record_batch(
                number, row[0], row[1], row[2], row[3], row[4], row[5], bits,
                CUT if cut[start] else 0,
            )  # fmt: skip
        for id in ids[cut].tolist():
            self._noticed(id, type, CUT)

    # --- what follows from them ---------------------------------------------------------------

    def _latch_recorded_types(self) -> None:
        """Latch which types are being recorded, when that has changed."""
        planned = {type for type, plan in self.types.plans.items() if plan is not None}
        recorded = planned | self._columnar | self._imaged
        if recorded != self._recorded and self._latches.latch(
            0, Kind.RECORDED, 0, sorted(recorded)
        ):
            self._recorded = recorded

    def _latch_new_facts(self) -> None:
        """Latch what handlers have learned since the last frame, such as a new skeleton."""
        for type, served in self.types.served.items():
            facts = getattr(served.spec.record, "facts", None)
            latched = self._facts_latched.get(type, 0)
            if facts is None or len(facts) == latched:
                continue
            self._facts_latched[type] = len(facts)
            self._latch_facts(type, facts[latched:], f"{type}/")

    def _latch_facts(self, owner: str, facts: Iterable[Any], prefix: str = "") -> None:
        for fact in facts:
            try:
                kind, key, value = fact
                self._latches.latch_named(0, kind, f"{prefix}{key}", encode(value))
            except Exception as error:
                self._faults.call_refused(f"facts of {owner}", error, lost=True, deferred=True)
                self._faults.defer(HandlerError(f"facts of {owner!r}: {error_text(error)}"))

    def _fault(self, id: Any, type: Any, error: BaseException | int | None) -> None:
        """An object could not be recorded, or not completely.

        Args:
            error: None if its type has no handler; flags of a packet that was written and lacks
                something; or what its handler raised.
        """
        if error is None:
            self._faults.defer(
                HandlerError(self._faults.has_no_handler(safe_text(type, MOST_WORDS, str)))
            )
            return
        if isinstance(error, int):
            self._noticed(id, type, error)
            return
        if not isinstance(error, Exception):
            raise error  # it ends the program
        if not is_object_id(id):
            self._faults.call_refused("object id", error, lost=True, deferred=True)
            self._faults.defer(RecordingError(f"type {type!r}: {error_text(error)}"))
            return
        object = index(id)
        self._faults.handler_failed(type, object, error)
        if self.muting.failed(type, object):
            self._newly_muted.setdefault(type, []).append((object, error_text(error)))
        if self.muting.is_too_much(type):
            self._skip_type(type)
        failed = HandlerError(f"type {type!r}, object {id}: {error_text(error)}")
        failed.__cause__ = error
        self._faults.defer(failed)

    def _batch_failed(self, type: str, error: Exception) -> None:
        """A handler could not take all objects of its type at once."""
        self._faults.batch_failed(type, error)
        if self.muting.failed(type, BATCH):
            self._newly_muted.setdefault(type, []).append((BATCH, error_text(error)))
        failed = HandlerError(f"type {type!r}: {error_text(error)}")
        failed.__cause__ = error
        self._faults.defer(failed)

    def _noticed(self, id: Any, type: str, flags: int) -> None:
        """A packet was written and lacks something."""
        if flags & CUT:
            self._faults.defer(HandlerError(self._faults.was_cut(type, index(id))))
        if flags & PARTIAL:
            self._faults.defer(HandlerError(self._faults.was_partial(type, index(id))))

    def _skip_type(self, type: str) -> None:
        """Too many objects of a type failed: of its others this frame has headers only."""
        plan = self._in_use.get(type)
        if plan is not None:
            self._in_use[type] = header_plan(plan[0], plan[1])
        text = (
            f"{MOST_FAILURES} objects of type {type!r} failed in one frame: its other objects"
            " are not asked in such frames"
        )
        self._faults.lost("not asked", type, text)
        self._faults.log("not asked", type, text)

    def _mark_muted(self) -> None:
        """Set marks where objects were muted: one each, or one for many."""
        muted, self._newly_muted = self._newly_muted, {}
        for type, rows in muted.items():
            ids = [id for id, _ in rows]
            if len(ids) > MOST_MARKED:
                some = ", ".join(map(str, ids[:10])) + (", …" if len(ids) > 10 else "")
                rows, summary = rows[:1], f"{len(ids)} objects of {type} muted: {some}"
            else:
                summary = ""
            for id, error in rows:
                name = summary or (f"{type} {id} muted" if id else f"{type} muted as a batch")
                self._latches.mark(Mark(
                    name, 0, kind="loss", object=id,
                    note=f"the handler failed in several frames in a row, last with {error};"
                    f" it is asked again after {FIRST_MUTING} frames",
                ))  # fmt: skip


def _is_known(entry: Any, keys: Container[Key]) -> bool:
    """Whether an entry, if it is one at all, is of an object that is among the keys."""
    try:
        return isinstance(entry, tuple) and len(entry) == 3 and (entry[1], entry[0]) in keys
    except TypeError:
        return False


def _without(image: bytes, types: frozenset[int]) -> bytes:
    """The image without packets of these types."""
    id, time, delta, _, epoch, *_ = _ring.image_stamp(image)
    packets = [packet for packet in _ring.image_packets(image) if packet[1] not in types]
    return _ring.image_encode(id, time, delta, epoch, packets)


def _check_size(columns: Columns, sizes: Sizes) -> None:
    """Raise HandlerError if the payloads of these columns have another size than declared."""
    if columns.payloads is None or not len(columns.ids):
        return
    payloads = np.asarray(columns.payloads)
    size = payloads.nbytes // (len(payloads) or 1)
    if size != sizes.record and not sizes.fit(size):
        raise HandlerError(f"payloads of {size} bytes, and the layout has {sizes}")


def _little_endian(payloads: Any) -> Any:
    """The same, in the byte order that every layout has."""
    dtype = getattr(payloads, "dtype", None)
    if dtype is None or dtype.isnative:
        return payloads
    return payloads.astype(dtype.newbyteorder("<"))


def is_object_id(id: Any) -> bool:
    """Whether something can be the id of an object: a whole number from 1 on, and no bool."""
    try:
        return not isinstance(id, bool) and 0 < index(id) < 1 << 63
    except TypeError:
        return False


def _present(entries: Sequence[Entry], named: set[int]) -> set[int]:
    """Which of these objects are among the entries."""
    try:
        return named.intersection([entry[0] for entry in entries])
    except (TypeError, IndexError):  # some are no entries
        return {entry[0] for entry in entries if isinstance(entry, tuple) and _has_id(entry)}


def _has_id(entry: tuple[Any, ...]) -> bool:
    return len(entry) == 3 and is_object_id(entry[0])
