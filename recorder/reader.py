"""Reading a ring as a source: of the game that records into it, or of a file that was left.

Everything is decoded by what the ring itself says: the names of types, the layouts of payloads,
the texts behind numbers. No code of the game is needed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from ..errors import CommandError, DamagedError, EvictedError, RecordingError
from ..native.ring import FrameRing
from ..native.shapes import DAMAGED, HIDDEN, RUN_LATCHED
from .frame import FrameStamp, Packet, Span
from .kinds import FIRST_OBJECT, Kind, PacketType
from .layout import Layout
from .logs import WATCH, LogLine
from .marks import Mark
from .traces import TRACE_TYPES, AnyTrace, StateTrace

_PLACED = np.dtype([("position", "<f4", 3), ("angles", "<f4", 3)])
_T = TypeVar("_T")


class Drawn(NamedTuple):
    """A primitive as it was recorded."""

    kind: str
    """`line`, `lines`, `sphere`, `box`, `polygon` or `text`."""
    object: int
    channels: int
    position: tuple[float, float, float]
    angles: tuple[float, float, float]
    values: dict[str, Any]
    """The fields of its layout: `color`, `end`, `size`, `radius`, `points`, `segments`, `text`."""
    file: str
    line: int
    latched: str | None
    """The name it was latched under; None if it belongs to this frame alone."""


class Transition(NamedTuple):
    """A state transition and the frame it was recorded in."""

    frame: int
    agent: int
    trace: StateTrace


class RingSource:
    """A ring as something that can be scrubbed (see `Source`)."""

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._types: dict[int, tuple[str, Layout]] = {}
        self._texts: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    @classmethod
    def open(cls, path: str | Path, *, copy: bool = False) -> "RingSource":
        """The recording in a ring's file, of a running game or of one that died.

        Raises:
            DamagedError: it is not a ring, of another version, damaged or cut off.
        """
        return cls(FrameRing.open(path, copy=copy))

    @property
    def ring(self) -> FrameRing:
        """The ring that is read."""
        return self._ring

    # --- frames -------------------------------------------------------------------------------

    @property
    def span(self) -> Span | None:
        oldest, newest = self._ring.oldest, self._ring.newest
        if oldest is None or newest is None:
            return None
        return Span(oldest[0], newest[0], oldest[1], newest[1])

    def frame_at(self, time: float) -> int:
        try:
            return self._ring.find(time)
        except RecordingError as error:
            raise CommandError(str(error)) from None

    def stamp(self, frame: int) -> FrameStamp:
        id, time, delta, packets, epoch, flags, _, _ = self._ring.stamp(frame)
        span = self.span
        if span is None:
            raise EvictedError(f"frame {frame} is not held")
        return FrameStamp(
            id,
            id - 1 if id > span.oldest else None,
            id + 1 if id < span.newest else None,
            time, delta, packets, epoch, flags,
        )  # fmt: skip

    def stamps(self, start: int, end: int) -> Iterator[FrameStamp]:
        return (self.stamp(frame) for frame in range(start, end + 1))

    def packets(self, frame: int) -> list[Packet]:
        return [
            Packet(
                id, self._type(frame, type)[0], targetable, not flags & HIDDEN,
                bool(flags & DAMAGED), position, angles, channels, payload,
            )
            for id, type, targetable, flags, position, angles, channels, run_flags, payload
            in self._ring.packets(frame)
            if not run_flags & RUN_LATCHED
        ]  # fmt: skip

    def objects(self, frame: int) -> list[Packet]:
        return [
            Packet(
                id, self._type(frame, type)[0], targetable, not flags & HIDDEN,
                bool(flags & DAMAGED), position, angles, channels, payload,
            )
            for id, type, targetable, flags, position, angles, channels, _, payload
            in self._ring.packets(frame)
            if type >= FIRST_OBJECT
        ]  # fmt: skip

    def recorded_types(self, frame: int) -> frozenset[str]:
        return frozenset(self.latched(frame, 0, Kind.RECORDED, "") or ())

    def layout(self, frame: int, type: str) -> Layout | None:
        """How the payload of a type is to be read; None if the type is unknown at that frame."""
        for packet in self._ring.packets(frame):
            name, layout = self._type(frame, packet[1])
            if name == type:
                return layout
        return None

    def decoded(self, frame: int) -> list[tuple[Packet, dict[str, Any]]]:
        """The objects of a frame with their payloads read by their layouts."""
        read = []
        for raw, packet in zip(self._object_rows(frame), self.objects(frame), strict=True):
            layout = self._type(frame, raw)[1]
            read.append((packet, {} if packet.damaged else layout.decode(packet.payload)))
        return read

    def _object_rows(self, frame: int) -> list[int]:
        return [row[1] for row in self._ring.packets(frame) if row[1] >= FIRST_OBJECT]

    # --- what is latched ------------------------------------------------------------------------

    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        number = self._number(frame, key)
        found = None if number is None else self._ring.latched(frame, object, kind, number)
        return None if found is None else self._value(frame, found[1], found[2])

    def facts(self, frame: int) -> dict[tuple[int, Kind, str], Any]:
        """All that held at a frame, by object, kind and key; texts and types left out."""
        held: dict[tuple[int, Kind, str], Any] = {}
        for object, kind, number, _, type, payload in self._ring.latched_all(frame):
            if kind in (Kind.STRING, Kind.MARK):
                continue
            key = str(number) if kind in (Kind.TYPE, Kind.CHANNEL) else self.text(frame, number)
            held[object, Kind(kind), key] = self._value(frame, type, payload)
        return held

    def text(self, frame: int, number: int) -> str:
        """The text that a number stands for; empty if it found no room when it was recorded."""
        if number == 0:
            return ""
        found = self._texts.get(number)
        if found is None:
            latched = self._ring.latched(frame, 0, Kind.STRING, number)
            if latched is None:
                return ""
            found = self._texts[number] = _decoded(latched[2], str)
        return found

    def channel_names(self, frame: int) -> dict[int, str]:
        """The channels by their bit."""
        return {
            1 << number: _decoded(payload, str)
            for _, kind, number, _, _, payload in self._ring.latched_all(frame)
            if kind == Kind.CHANNEL
        }

    def _number(self, frame: int, text: str) -> int | None:
        if text == "":
            return 0
        if text not in self._numbers:
            for _, kind, number, _, _, payload in self._ring.latched_all(frame):
                if kind == Kind.STRING:
                    self._numbers[_decoded(payload, str)] = number
        return self._numbers.get(text)

    def _type(self, frame: int, number: int) -> tuple[str, Layout]:
        found = self._types.get(number)
        if found is None:
            name, layout = _own_name(number), Layout()
            latched = self._ring.latched(frame, 0, Kind.TYPE, number)
            if latched is not None:
                told = _decoded(latched[2], dict)
                name = str(told.get("name"))
                try:
                    layout = msgspec.convert(told.get("layout"), Layout)
                except msgspec.ValidationError as error:
                    raise DamagedError(f"the layout of type {name!r} is broken: {error}") from None
            found = self._types[number] = (name, layout)
        return found

    def _value(self, frame: int, type: int, payload: bytes) -> Any:
        if type == PacketType.STATE:
            return _decoded(payload, StateTrace)
        if type == PacketType.MARK:
            return _decoded(payload, Mark)
        if type in _PRIMITIVES:
            return self._drawn(frame, type, 0, 0, payload[_PLACED.itemsize :], payload, None)
        return _decoded(payload, object)

    # --- what games and agents said -------------------------------------------------------------

    def drawn(self, frame: int) -> list[Drawn]:
        """The primitives to be shown at a frame: its own, then those that are latched."""
        own = [
            self._drawn(frame, type, id, channels, payload, (position, angles), None)
            for id, type, _, _, position, angles, channels, run_flags, payload
            in self._ring.packets(frame)
            if type in _PRIMITIVES and not run_flags & RUN_LATCHED
        ]  # fmt: skip
        return own + [
            self._drawn(
                frame, type, object, 0, payload[_PLACED.itemsize :], payload,
                self.text(frame, number),
            )
            for object, kind, number, _, type, payload in sorted(self._ring.latched_all(frame))
            if kind == Kind.DRAWN
        ]  # fmt: skip

    def _drawn(
        self, frame: int, type: int, object: int, channels: int, payload: bytes,
        placed: Any, latched: str | None,
    ) -> Drawn:  # fmt: skip
        name, layout = self._type(frame, type)
        if isinstance(placed, bytes):
            head = np.frombuffer(placed, _PLACED, count=1)[0]
            placed = tuple(head["position"].tolist()), tuple(head["angles"].tolist())
        values = layout.decode(payload)
        file = self.text(frame, int(values.pop("file", 0)))
        line = int(values.pop("line", 0))
        return Drawn(
            name.lstrip("."), object, channels, placed[0], placed[1], values, file, line, latched
        )

    def watches(self, frame: int) -> dict[tuple[int, str], float]:
        """The watched values of a frame, by object and name."""
        watched: dict[tuple[int, str], float] = {}
        for row in self._ring.packets(frame):
            if row[1] == PacketType.WATCH and len(row[8]) == WATCH.size:
                number, _, value = WATCH.unpack(row[8])
                watched[row[0], self.text(frame, number)] = value
        return watched

    def logs(self, frame: int) -> list[LogLine]:
        """The log lines of a frame, in order."""
        return [
            msgspec.structs.replace(_decoded(row[8], LogLine), object=row[0])
            for row in self._ring.packets(frame)
            if row[1] == PacketType.LOG
        ]

    def traces(self, frame: int) -> list[tuple[int, AnyTrace]]:
        """The decisions of a frame, as (agent, trace), in order."""
        said: list[tuple[int, AnyTrace]] = []
        for id, type, _, _, _, _, _, run_flags, payload in self._ring.packets(frame):
            if type in _TRACES:
                body = payload[_VERSION_BYTES:] if run_flags & RUN_LATCHED else payload
                said.append((id, _decoded(body, TRACE_TYPES[PacketType(type)])))
        return said

    def transitions(
        self, frame: int, agent: int, machine: str, limit: int = 10
    ) -> list[Transition]:
        """The newest transitions of a machine up to a frame, newest first.

        The one that led to the state at the oldest frame is among them, though its own frame
        may be gone.
        """
        number = self._number(frame, machine)
        if number is None:
            return []
        return [
            Transition(when, agent, _decoded(payload, StateTrace))
            for when, _, payload in self._ring.versions(frame, agent, Kind.STATE, number, limit)
            if payload is not None
        ]

    def machines(self, frame: int) -> list[tuple[int, str]]:
        """Agents and names of the state machines that have a state at a frame."""
        return sorted(
            (object, self.text(frame, number))
            for object, kind, number, _, _, _ in self._ring.latched_all(frame)
            if kind == Kind.STATE
        )

    def marks(self, limit: int = 100_000) -> list[Mark]:
        """The marks whose frames are held, oldest first."""
        span = self.span
        if span is None:
            return []
        marks = [
            _decoded(payload, Mark)
            for _, _, payload in self._ring.versions(span.newest, 0, Kind.MARK, 0, limit)
            if payload is not None
        ]
        return [
            msgspec.structs.replace(mark, time=self._ring.stamp(mark.frame)[1])
            for mark in reversed(marks)
            if mark.frame >= span.oldest
        ]


_PRIMITIVES = frozenset(range(PacketType.LINE, PacketType.TEXT + 1))
_TRACES = frozenset(int(type) for type in TRACE_TYPES)
_VERSION_BYTES = 48
"""What stands before a latched packet's own payload (`version_header` in layout.h)."""


def _own_name(number: int) -> str:
    try:
        return f".{PacketType(number).name.lower()}"
    except ValueError:
        return f"type {number}"


def _decoded(payload: bytes, type: type[_T]) -> _T:
    try:
        return msgspec.msgpack.decode(payload, type=type)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DamagedError(
            f"{len(payload)} bytes recorded are no {type.__name__}: {error}"
        ) from None
