"""Answers questions about what is recorded, on the bus's thread.

It only reads, so it also answers while the game is stopped at a breakpoint.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np

from ...errors import CommandError, DamagedError, HandlerError
from ...native.ring import FrameRing
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.layouts.packet_layouts import PACKETS
from ...recorder.packets.mark import Mark
from ...recorder.packets.packet_types import Kind
from ...recorder.reading.ring_source import RingSource
from ...recorder.recording_status import RecordingStatus
from ...recorder.statements.statement_messages import Picture
from ..messages.message import MOST_ROWS
from ..messages.message_types import Question, ResponseBody
from ..messages.requests import (
    FindFrame,
    GetFrame,
    GetFrameHeaders,
    GetHooks,
    GetLatched,
    GetLatchHistory,
    GetMarks,
    GetObjects,
    GetPicture,
    GetPublished,
    GetSnapshot,
    GetStatements,
    GetStatus,
    GetTypes,
)
from ..messages.response_rows import BusStatus, ObjectRow, TraceRow, TypeRow
from ..messages.responses import (
    FoundFrame,
    FoundPicture,
    FrameBytes,
    FrameHeaders,
    FrameStatements,
    HookList,
    LatchedValues,
    LatchHistory,
    MarkList,
    NewestPublished,
    ObjectList,
    Snapshot,
    StatusReport,
    TypeList,
)


class QueryHandler:
    """Answers questions from a ring that another thread writes into.

    Args:
        ring: What is recorded.
        present: Returns the present state.
        status: How the recorder is doing.
        bus: How the bus is doing.
        published: The newest value that the game published under a name.
        waiting_marks: Marks that are recorded when the game runs on.
        hooks: The hooks that are set, and edits.
    """

    def __init__(
        self,
        ring: FrameRing,
        present: Callable[[], Snapshot],
        status: Callable[[], RecordingStatus],
        bus: Callable[[], BusStatus],
        published: Callable[[str], NewestPublished] = lambda name: NewestPublished(None),
        waiting_marks: Callable[[RingSource], list[Mark]] = lambda source: [],
        hooks: Callable[[], HookList] = lambda: HookList([], []),
    ) -> None:
        self._ring = ring
        # A source of its own: what it remembers of the ring is one thread's.
        self.source = RingSource(ring)
        self._present, self._status, self._bus = present, status, bus
        self._newest_published = published
        self._waiting_marks = waiting_marks
        self._hooks = hooks

    def answer(self, question: Question) -> ResponseBody:
        """What is recorded about that.

        Raises:
            EvictedError: the frame is not in the recording.
            DamagedError, HandlerError: what is recorded can't be read.
            CommandError: the question makes no sense.
        """
        try:
            return self._respond(question)
        except OverflowError as error:
            raise CommandError(f"{question!r}: a number is out of range: {error}") from None

    def _respond(self, question: Question) -> ResponseBody:
        source = self.source
        match question:
            case GetSnapshot():
                return self._present()
            case GetStatus():
                return StatusReport(msgspec.to_builtins(self._status()), self._bus())
            case GetFrame(frame=frame):
                stamp = source.stamp(frame)
                image = self._ring.image(frame)
                return FrameBytes(frame, stamp.time, stamp.delta, stamp.epoch, image)
            case GetObjects(frame=frame):
                return ObjectList(frame, self._objects(frame))
            case GetStatements(frame=frame):
                statements = source.statements(frame)
                watches = [(*key, value) for key, value in statements.watches.items()]
                traces = [TraceRow.of(agent, trace) for agent, trace in statements.traces]
                inputs = [(*key, value) for key, value in statements.inputs.items()]
                return FrameStatements(
                    frame,
                    traces,
                    statements.logs,
                    watches,
                    statements.gone,
                    inputs,
                    statements.phase,
                    statements.events,
                )
            case GetPicture(frame=frame, name=name):
                return _found_picture(source.newest_picture(frame, name))
            case GetTypes(frame=frame):
                return self._types(frame)
            case GetFrameHeaders(start=start, end=end):
                return FrameHeaders(self._stamps(start, end))
            case FindFrame(time=time):
                return FoundFrame(source.frame_at(time))
            case GetMarks():
                marks = source.marks(MOST_ROWS) + self._waiting_marks(source)
                return MarkList(marks[-MOST_ROWS:])
            case GetLatched():
                return LatchedValues(self._latched(question))
            case GetLatchHistory(frame=frame, object=object, kind=kind, key=key, limit=limit):
                most = min(max(limit, 0), MOST_ROWS)
                return LatchHistory(self._ring.versions(frame, object, kind, key, most))
            case GetPublished(name=name):
                return self._newest_published(name)
            case GetHooks():
                return self._hooks()
        raise CommandError(f"{question!r:.200} is no question that is answered here")

    def _latched(self, request: GetLatched) -> list[tuple[int, int, int, int, int, bytes]]:
        frame, object, kind, key = request.frame, request.object, request.kind, request.key
        if object is not None and kind is not None and key is not None:
            found = self._ring.latched(frame, object, kind, key)
            return [] if found is None else [(object, kind, key, *found)]
        for name, number in (("object", object), ("kind", kind), ("key", key)):
            _whole_number(number or 0, name)
        return [
            row
            for row in self._ring.latched_all(_whole_number(frame, "frame"))
            if object in (None, row[0]) and kind in (None, row[1]) and key in (None, row[2])
        ]

    def _objects(self, frame: int) -> list[ObjectRow]:
        names = {
            object: str(value)
            for (object, kind, _), value in self.source.facts(frame).items()
            if kind == Kind.NAME
        }
        return [
            ObjectRow(
                packet.id, packet.type, packet.position, packet.angles,
                {name: _plain(value) for name, value in values.items()},
                names.get(packet.id, ""), packet.targetable, packet.visible, packet.damaged,
            )
            for packet, values in self.source.decoded(frame)
        ]  # fmt: skip

    def _types(self, frame: int) -> TypeList:
        # playhead's own are the same in every recording, and a small one does not list them.
        types = {int(type): (packet.name, packet.layout) for type, packet in PACKETS.items()}
        for (_, kind, key), fact in self.source.facts(frame).items():
            if kind == Kind.TYPE:
                types[int(key)] = _name_and_layout(int(key), fact)
        rows = [_type_row(number, *known) for number, known in types.items()]
        channels = {name: bit for bit, name in self.source.channel_names(frame).items()}
        return TypeList(sorted(rows, key=lambda row: row.number), channels)

    def _stamps(self, start: int, end: int) -> list[tuple[int, float, float, int, int, int]]:
        if end - start >= MOST_ROWS:
            raise CommandError(
                f"frame_headers: {end - start + 1:,} frames at once; ask for {MOST_ROWS:,} at most"
            )
        stamps = [self.source.stamp(frame) for frame in range(start, end + 1)]
        return [(s.id, s.time, s.delta, s.packets, s.epoch, s.flags) for s in stamps]


def _found_picture(found: tuple[int, Picture] | None) -> FoundPicture:
    if found is None:
        return FoundPicture(0)
    frame, one = found
    return FoundPicture(frame, one.name, one.format, one.width, one.height, one.data)


def _whole_number(number: int, name: str) -> int:
    if number < 0:
        raise CommandError(f"{name} {number}: give a whole number that is not below 0")
    return number


def _name_and_layout(number: int, fact: Any) -> tuple[str, Layout]:
    try:
        return str(fact["name"]), msgspec.convert(fact["layout"], Layout)
    except (msgspec.ValidationError, HandlerError, KeyError, TypeError) as error:
        raise DamagedError(f"the layout of type {number} is broken: {error}") from None


def _type_row(number: int, name: str, layout: Layout) -> TypeRow:
    dtype = layout.dtype
    fields: Mapping[str, Any] = dtype.fields or {}
    return TypeRow(
        number, name, dtype.itemsize,
        [(at, fmt, shape, int(fields[at][1])) for at, fmt, shape in layout.fields],
        layout.tail, layout.tail_shape, layout.tail_name, layout.space,
        {at: note.unit for at, note in layout.notes.items() if note.unit},
        {at: note.role for at, note in layout.notes.items() if note.role},
    )  # fmt: skip


def _plain(value: object) -> object:
    """A decoded value as MessagePack has it: no numpy, bytes of a text field as text."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return value
