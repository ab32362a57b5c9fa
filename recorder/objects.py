"""The game objects' part of a frame: each object's handler is asked for its packet.

What a handler writes is never looked into. One that fails costs its own packet: the object's
header stays in the frame, flagged damaged, and the rest of the frame is recorded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..errors import HandlerError, RecordingError
from ..native import _ring
from ..native.ring import FrameRing
from ..native.shapes import Plan
from .channels import Channels
from .encoding import encode
from .facts import Facts
from .faults import Faults, words
from .handler import (
    Batch,
    BatchHandler,
    Columns,
    FrameImage,
    HandlerSpec,
    ImageType,
    RecordHandler,
)
from .kinds import FIRST_OBJECT, Kind
from .layout import Layout
from .marks import Mark

Entry = tuple[int, str, Any]
MOST_TYPES = 0xFFFF - FIRST_OBJECT
PATTERN = 0xA5
"""Fills packets before strict handlers write them, so that what they leave out is seen."""


class _Type(NamedTuple):
    """What packets of an object type are known by in the ring."""

    number: int
    layout: Layout


class _Served(NamedTuple):
    """A type with a handler, and the number that its packets have."""

    spec: HandlerSpec
    number: int


class _Gathered(NamedTuple):
    """The objects of a type that its handler takes all at once."""

    handler: BatchHandler
    ids: list[int]
    objects: list[Any]
    bits: int


class _Intake(NamedTuple):
    """How images with these types are taken in, while these channels are on."""

    types: Mapping[int, ImageType]
    recording: int
    taken: dict[int, tuple[int, int]]
    """Number in the image to number and channels in the ring."""
    off: frozenset[int]
    """Types whose channels are off."""


class ObjectWriter:
    """Writes the packets of game objects, and what follows from which objects there are."""

    def __init__(
        self, ring: FrameRing, facts: Facts, channels: Channels, faults: Faults, strict: bool
    ) -> None:
        self.lost_batch = False
        """Whether columns of this frame could not be read: then headers are missing in it."""
        self._ring, self._facts, self._channels, self._faults = ring, facts, channels, faults
        self._strict = strict
        self._served: dict[str, _Served] = {}
        self._types: dict[str, _Type] = {}
        self._numbers: dict[bytes, int] = {}
        self._plans: dict[str, Plan | None] = {}
        self._planned_for: tuple[int, int] | None = None
        self._gathered: dict[str, _Gathered] = {}
        self._facts_taken: dict[str, int] = {}
        self._columnar: set[str] = set()
        self._imaged: set[str] = set()
        self._intake: _Intake | None = None
        self._recorded: set[str] | None = None
        self._present: set[int] = set()

    # --- types and what is to be done with them -----------------------------------------------

    def add(self, spec: HandlerSpec) -> None:
        """Take up the handler of a type.

        Raises:
            HandlerError: the type has one already, or this one lacks what a handler needs.
            RecordingError: there is no room for its channels.
        """
        handler = spec.record
        if spec.type in self._served:
            raise HandlerError(f"type {spec.type!r} has a handler already")
        if handler is None:
            return
        if not isinstance(handler, RecordHandler | BatchHandler):
            raise HandlerError(
                f"type {spec.type!r}: {handler!r} has not layout, size() and record()"
            )
        fixed = getattr(handler, "fixed_size", None)
        if fixed is not None and not (type(fixed) is int and fixed >= 0):
            raise HandlerError(f"type {spec.type!r}: fixed_size {fixed!r} is no number of bytes")
        self._channels.bits(spec.channels)
        number = self._take_type(spec.type, handler.layout, spec.channels)
        self._served[spec.type] = _Served(spec, number)
        self._planned_for = None

    def unmute(self, type: str) -> None:
        """Ask the handler of a muted type again."""
        self._faults.unmute(type)
        self._planned_for = None

    def _take_type(self, type: str, layout: Layout, channels: tuple[str, ...]) -> int:
        """The number of a type's packets; another layout is another number under that name."""
        known = self._types.get(type)
        if known is not None and (known.layout is layout or known.layout == layout):
            return known.number
        if not isinstance(layout, Layout):
            raise HandlerError(f"type {type!r}: layout {layout!r} is no Layout")
        told = {"name": type, "layout": layout, "channels": channels}
        try:
            key = encode(told, dict[str, Any])
            encode(layout, Layout)
        except RecordingError as error:
            raise HandlerError(f"type {type!r}: its layout {error}") from None
        number = self._numbers.get(key)
        if number is None:
            if len(self._numbers) == MOST_TYPES:
                raise HandlerError(f"type {type!r}: there are {MOST_TYPES} types already")
            number = self._numbers[key] = FIRST_OBJECT + len(self._numbers)
            self._facts.put(0, Kind.TYPE, number, told)
        self._types[type] = _Type(number, layout)
        return number

    def _plan(self) -> None:
        """Work out, for each type, what is to be done with its objects; only after a change."""
        key = (self._channels.recording, len(self._faults.muted))
        if key == self._planned_for:
            return
        self._planned_for = key
        self._plans.clear()
        self._gathered.clear()
        for type, (spec, number) in self._served.items():
            bits = self._channels.bits(spec.channels)
            if not self._channels.records(bits):
                self._plans[type] = None
            elif type not in self._faults.muted and isinstance(spec.record, BatchHandler):
                gathered = self._gathered[type] = _Gathered(spec.record, [], [], bits)
                ids, objects = gathered.ids, gathered.objects
                self._plans[type] = (number, bits, 0, None, None, ids, objects)
            else:
                self._plans[type] = self._single_plan(type, bits)

    def _single_plan(self, type: str, bits: int) -> Plan:
        """Packets one by one; only damaged headers where no handler can or may write them."""
        number, handler = self._served[type].number, self._served[type].spec.record
        if type in self._faults.muted or not isinstance(handler, RecordHandler):
            return (number, bits, 0, None, None, None, None)
        fixed = getattr(handler, "fixed_size", None)
        size = -1 if fixed is None else fixed
        return (number, bits, size, handler.size, handler.record, None, None)

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
        self._plan()
        self._record(iter(entries), len(entries), self._plans)
        for type, gathered in self._gathered.items():
            if gathered.ids:
                self._write_gathered(type, gathered)
        named = self._facts.objects
        present = _present(entries, named) if named or self._present else set()
        for batch in batches:
            present |= self._write_batch(batch)
        self._imaged.clear()
        for image in images:
            present |= self._write_image(image)
        self._tell_recorded()
        if complete:
            for gone in sorted(self._present - present):
                self._facts.end(gone)
            self._present = present
        self._take_facts()

    def _record(self, entries: Iterator[Entry], count: int, plans: dict[str, Plan | None]) -> None:
        """Have the ring walk over the entries; one that is none costs itself and no other."""
        for _ in range(count + 1):
            try:
                self._ring.record_objects(
                    entries, plans, self._fault, PATTERN if self._strict else -1
                )
                return
            except Exception as error:
                self._faults.call_refused("objects()", error)
                self._faults.keep(RecordingError(f"objects(): {words(error)}"))

    def _write_gathered(self, type: str, gathered: _Gathered) -> None:
        """Write a type's objects in one batch, or one by one if the batch can't be had."""
        handler, ids, objects, bits = gathered
        try:
            columns = handler.record_many(ids, objects)
            if len(columns.ids) != len(ids) or (self._strict and list(columns.ids) != ids):
                raise HandlerError(
                    f"record_many() was given {len(ids)} objects and wrote {len(columns.ids)},"
                    " or wrote others, or in another order"
                )
            self._write_columns(self._served[type].number, columns, bits)
        except Exception as error:
            failed = self._faults.handlers[type]
            plan = self._single_plan(type, bits)
            self._record(zip(ids, repeat(type), objects), len(ids), {type: plan})
            if self._faults.handlers[type] == failed:  # none alone: then it was the batch
                self._fault(ids[0], type, error)
        finally:
            ids.clear()
            objects.clear()

    def _write_batch(self, batch: Batch) -> set[int]:
        """Write a batch; returns those of its objects for which something is latched."""
        present: set[int] = set()
        try:
            ids, named = np.asarray(batch.columns.ids), self._facts.objects
            if named:
                present = named.intersection(ids.tolist())
            bits = self._channels.bits(batch.channels)
            number = self._take_type(batch.type, batch.layout, batch.channels)
            if not self._channels.records(bits):
                self._columnar.discard(batch.type)
                return present
            self._columnar.add(batch.type)
            if not ids.all():
                raise RecordingError("object id 0 is the world: objects have ids from 1 on")
            self._write_columns(number, batch.columns, bits)
        except Exception as error:
            self.lost_batch = True
            self._faults.batch_failed(str(batch.type), error)
            self._faults.keep(HandlerError(f"batch of {batch.type!r}: {words(error)}"))
        return present

    def declare(self, type: str, layout: Layout, channels: tuple[str, ...]) -> ImageType:
        """Take up a type whose packets come laid out; errors as of `Recorder.declare`."""
        bits = self._channels.bits(channels)
        return ImageType(type, self._take_type(type, layout, channels), bits)

    def _write_image(self, given: FrameImage) -> set[int]:
        """Write a frame image; returns those of its objects for which something is latched."""
        present: set[int] = set()
        image, intake = given.image, self._intake_of(given.types)
        self._imaged |= {
            type.name for number, type in given.types.items() if number not in intake.off
        }
        try:
            if self._facts.objects:
                for _, _, _, headers, _ in _ring.image_runs(image):
                    present |= self._facts.objects.intersection(headers["id"].tolist())
            if intake.off:
                image = _without(image, intake.off)
            self._ring.take(image, intake.taken)
        except Exception as error:
            self.lost_batch = True
            self._faults.batch_failed("image", error)
            self._faults.keep(HandlerError(f"a frame image: {words(error)}"))
        self._latch_facts("image", given.facts)
        return present

    def _intake_of(self, types: Mapping[int, ImageType]) -> _Intake:
        recording, known = self._channels.recording, self._intake
        if known is None or known.types is not types or known.recording != recording:
            on = {n: t for n, t in types.items() if self._channels.records(t.channels)}
            taken = {number: (type.number, type.channels) for number, type in on.items()}
            known = self._intake = _Intake(types, recording, taken, frozenset(types) - on.keys())
        return known

    def _write_columns(self, number: int, columns: Columns, bits: int) -> None:
        self._ring.record_batch(
            number, columns.ids, columns.positions, columns.angles, columns.targetable,
            columns.payloads, columns.visible, bits,
        )  # fmt: skip

    # --- what follows from them ---------------------------------------------------------------

    def _tell_recorded(self) -> None:
        """Latch which types are being recorded, when that has changed."""
        planned = {type for type, plan in self._plans.items() if plan is not None}
        recorded = planned | self._columnar | self._imaged
        if recorded != self._recorded and self._facts.put(0, Kind.RECORDED, 0, sorted(recorded)):
            self._recorded = recorded

    def _take_facts(self) -> None:
        """Latch what handlers have learned since the last frame, such as a new skeleton."""
        for type, served in self._served.items():
            facts = getattr(served.spec.record, "facts", None)
            taken = self._facts_taken.get(type, 0)
            if facts is None or len(facts) == taken:
                continue
            self._facts_taken[type] = len(facts)
            self._latch_facts(type, facts[taken:], f"{type}/")

    def _latch_facts(self, whose: str, facts: Iterable[Any], prefix: str = "") -> None:
        for fact in facts:
            try:
                kind, key, value = fact
                self._facts.put_named(0, kind, f"{prefix}{key}", encode(value))
            except Exception as error:
                self._faults.call_refused(f"facts of {whose}", error)
                self._faults.keep(HandlerError(f"facts of {whose!r}: {words(error)}"))

    def _fault(self, id: Any, type: Any, error: BaseException | None) -> None:
        """An object could not be recorded: `error` is None if its type has no handler."""
        if error is None:
            self._faults.has_no_handler(str(type))
            return
        if not isinstance(error, Exception):
            raise error  # somebody wants the program to end
        if not _is_object_id(id):
            self._faults.call_refused("object id", error)
            self._faults.keep(RecordingError(f"type {type!r}: {words(error)}"))
            return
        if self._faults.handler_failed(type, self._facts.next_frame, error):
            self._planned_for = None
            self._facts.mark(Mark(
                f"{type} muted", 0, kind="loss", object=index(id),
                note=f"its handler failed in several frames in a row, last with {words(error)}",
            ))  # fmt: skip
        failed = HandlerError(f"type {type!r}, object {id}: {words(error)}")
        failed.__cause__ = error
        self._faults.keep(failed)


def _without(image: bytes, types: frozenset[int]) -> bytes:
    """The image without packets of these types."""
    id, time, delta, _, epoch, *_ = _ring.image_stamp(image)
    kept = [packet for packet in _ring.image_packets(image) if packet[1] not in types]
    return _ring.make_image(id, time, delta, epoch, kept)


def _is_object_id(id: Any) -> bool:
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
    return len(entry) == 3 and _is_object_id(entry[0])
