"""Reading a ring as a source: of the game that records into it, or of a file that was left.

Everything is decoded by what the ring itself says: the names of types, the layouts of payloads,
the texts behind numbers. No code of the game is needed.
"""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import CommandError, DamagedError, EvictedError, HandlerError, RecordingError
from ..native.ring import FrameRing
from ..native.shapes import DAMAGED, HIDDEN, RUN_LATCHED, RawPacket
from .channels import MOST
from .encoding import decode
from .frame import FrameStamp, Packet, Span
from .kinds import FIRST_OBJECT, Kind, PacketType
from .layout import Layout
from .logs import WATCH, LogLine
from .marks import Mark
from .primitives import PLACED
from .traces import TRACE_TYPES, AnyTrace, StateTrace, TreeNode
from .world import Conventions


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
        except (RecordingError, TypeError) as error:
            raise CommandError(f"time {time!r}: {error}") from None

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
        rows = self._ring.packets(frame)
        return [self._packet(frame, row) for row in rows if not row[7] & RUN_LATCHED]

    def objects(self, frame: int) -> list[Packet]:
        return [self._packet(frame, row) for row in self._object_rows(frame)]

    def _object_rows(self, frame: int) -> list[RawPacket]:
        return [row for row in self._ring.packets(frame) if row[1] >= FIRST_OBJECT]

    def _packet(self, frame: int, row: RawPacket) -> Packet:
        id, type, targetable, flags, position, angles, channels, _, payload = row
        return Packet(
            id, self._type(frame, type)[0], targetable, not flags & HIDDEN,
            bool(flags & DAMAGED), position, angles, channels, payload,
        )  # fmt: skip

    def recorded_types(self, frame: int) -> frozenset[str]:
        found = self._ring.latched(frame, 0, Kind.RECORDED, 0)
        return frozenset() if found is None else frozenset(decode(found[2], list[str]))

    def layout(self, frame: int, type: str) -> Layout | None:
        """How the payload of a type is to be read; None if the type is unknown at that frame.

        If a type had several, it is the newest one.
        """
        layouts = [
            (number, layout)
            for _, kind, number, _, _, _ in self._ring.latched_all(frame)
            if kind == Kind.TYPE
            for name, layout in [self._type(frame, number)]
            if name == type
        ]
        return max(layouts, key=itemgetter(0))[1] if layouts else None

    def conventions(self, frame: int) -> Conventions:
        """How the recorded world's numbers are to be read."""
        told = self._world(frame).get("conventions", {})
        try:
            return msgspec.convert(told, Conventions)
        except msgspec.ValidationError as error:
            raise DamagedError(f"the recorded conventions are broken: {error}") from None

    def about(self, frame: int) -> dict[str, Any]:
        """What its makers said about the recording: game, build, seed, …"""
        told: dict[str, Any] = self._world(frame).get("about", {})
        return told

    def _world(self, frame: int) -> dict[str, Any]:
        found = self._ring.latched(frame, 0, Kind.WORLD, 0)
        return {} if found is None else decode(found[2], dict)

    def decoded(self, frame: int) -> list[tuple[Packet, dict[str, Any]]]:
        """The objects of a frame with their payloads read by their layouts.

        Raises:
            EvictedError: the frame is not held.
            HandlerError: a payload is not what its layout says.
        """
        read = []
        for row in self._object_rows(frame):
            packet, layout = self._packet(frame, row), self._type(frame, row[1])[1]
            read.append((packet, {} if packet.damaged else layout.decode(packet.payload)))
        return read

    # --- what is latched ------------------------------------------------------------------------

    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        number = self._number(frame, key)
        found = None if number is None else self._ring.latched(frame, object, kind, number)
        return None if found is None else self._value(frame, object, kind, key, *found[1:])

    def facts(self, frame: int) -> dict[tuple[int, Kind, str], Any]:
        """All that held at a frame, by object, kind and key; texts and marks left out.

        So are kinds that this version does not know.
        """
        held: dict[tuple[int, Kind, str], Any] = {}
        for object, kind, number, _, type, payload in self._ring.latched_all(frame):
            if kind not in _KINDS or kind in (Kind.STRING, Kind.MARK):
                continue
            key = str(number) if kind in (Kind.TYPE, Kind.CHANNEL) else self.text(frame, number)
            value = self._value(frame, object, kind, key, type, payload)
            held[object, Kind(kind), key] = value
        return held

    def tree(self, frame: int, agent: int, tree: str) -> tuple[TreeNode, ...]:
        """The nodes of an agent's behaviour tree, as defined; empty if it never was."""
        nodes: tuple[TreeNode, ...] | None = self.latched(frame, agent, Kind.TREE, tree)
        return nodes or ()

    def text(self, frame: int, number: int) -> str:
        """The text that a number stands for; empty if it found no room when it was recorded."""
        if number == 0:
            return ""
        found = self._texts.get(number)
        if found is None:
            latched = self._ring.latched(frame, 0, Kind.STRING, number)
            if latched is None:
                return ""
            found = self._texts[number] = decode(latched[2], str)
        return found

    def channel_names(self, frame: int) -> dict[int, str]:
        """The channels by their bit."""
        return {
            1 << number: decode(payload, str)
            for _, kind, number, _, _, payload in self._ring.latched_all(frame)
            if kind == Kind.CHANNEL and number < MOST
        }

    def _number(self, frame: int, text: str) -> int | None:
        if text == "":
            return 0
        if text not in self._numbers:
            for _, kind, number, _, _, payload in self._ring.latched_all(frame):
                if kind == Kind.STRING:
                    self._numbers[decode(payload, str)] = number
        return self._numbers.get(text)

    def _type(self, frame: int, number: int) -> tuple[str, Layout]:
        found = self._types.get(number)
        if found is None:
            name, layout = _own_name(number), Layout()
            latched = self._ring.latched(frame, 0, Kind.TYPE, number)
            if latched is not None:
                told = decode(latched[2], dict)
                name = str(told.get("name"))
                try:
                    layout = msgspec.convert(told.get("layout"), Layout)
                except (msgspec.ValidationError, HandlerError) as error:
                    raise DamagedError(f"the layout of type {name!r} is broken: {error}") from None
            found = self._types[number] = (name, layout)
        return found

    def _value(
        self, frame: int, object: int, kind: int, key: str, type: int, payload: bytes
    ) -> Any:
        if kind == Kind.DRAWN:
            return self._latched_drawn(frame, object, key, type, payload)
        return decode(payload, _VALUES.get(kind, Any))

    # --- what games and agents said -------------------------------------------------------------

    def drawn(self, frame: int) -> list[Drawn]:
        """The primitives to be shown at a frame: its own, then those that are latched."""
        own = [
            self._drawn(frame, type, id, channels, position, angles, payload, None)
            for id, type, _, _, position, angles, channels, run_flags, payload
            in self._ring.packets(frame)
            if type in _PRIMITIVES and not run_flags & RUN_LATCHED
        ]  # fmt: skip
        return own + [
            self._latched_drawn(frame, object, self.text(frame, number), type, payload)
            for object, kind, number, _, type, payload in sorted(self._ring.latched_all(frame))
            if kind == Kind.DRAWN
        ]

    def _latched_drawn(
        self, frame: int, object: int, name: str, type: int, payload: bytes
    ) -> Drawn:
        if len(payload) < PLACED.size:
            raise DamagedError(f"the primitive latched as {name!r} has {len(payload)} bytes")
        *placed, channels = PLACED.unpack_from(payload)
        position, angles, body = tuple(placed[:3]), tuple(placed[3:]), payload[PLACED.size :]
        return self._drawn(frame, type, object, channels, position, angles, body, name)

    def _drawn(
        self, frame: int, type: int, object: int, channels: int, position: Any, angles: Any,
        payload: bytes, latched: str | None,
    ) -> Drawn:  # fmt: skip
        name, layout = self._type(frame, type)
        values = layout.decode(payload)
        try:
            number, line = int(values.pop("file", 0)), int(values.pop("line", 0))
        except (TypeError, ValueError, OverflowError) as error:
            raise DamagedError(f"a primitive {name!r} does not say where from: {error}") from None
        file = self.text(frame, number)
        return Drawn(
            name.lstrip("."), object, channels, position, angles, values, file, line, latched
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
            msgspec.structs.replace(decode(row[8], LogLine), object=row[0])
            for row in self._ring.packets(frame)
            if row[1] == PacketType.LOG
        ]

    def traces(self, frame: int) -> list[tuple[int, AnyTrace]]:
        """The decisions of a frame, as (agent, trace), in order."""
        said: list[tuple[int, AnyTrace]] = []
        for id, type, _, _, _, _, _, run_flags, payload in self._ring.packets(frame):
            if type in _TRACES:
                body = payload[_VERSION_BYTES:] if run_flags & RUN_LATCHED else payload
                said.append((id, decode(body, TRACE_TYPES[PacketType(type)])))
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
            Transition(when, agent, decode(payload, StateTrace))
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
        """The newest marks whose frames are held, oldest first."""
        span = self.span
        if span is None:
            return []
        marks: list[Mark] = []
        for frame, _, payload in self._ring.versions(span.newest, 0, Kind.MARK, 0, limit):
            if frame < span.oldest or payload is None:
                break
            try:
                time = self._ring.stamp(frame)[1]
            except EvictedError:  # just now, by a writer in another process
                break
            mark = decode(payload, Mark)
            marks.append(msgspec.structs.replace(mark, frame=frame, time=time))
        return marks[::-1]


_PRIMITIVES = frozenset(range(PacketType.LINE, PacketType.TEXT + 1))
_TRACES = frozenset(int(type) for type in TRACE_TYPES)
_KINDS = frozenset(int(kind) for kind in Kind)
_VALUES: dict[int, Any] = {
    Kind.STATE: StateTrace,
    Kind.MARK: Mark,
    Kind.TREE: tuple[TreeNode, ...],
    Kind.NAME: str,
    Kind.RECORDED: list[str],
}
"""What is latched as what; anything plain where nothing is said."""
_VERSION_BYTES = 48
"""What stands before a latched packet's own payload (`version_header` in layout.h)."""


def _own_name(number: int) -> str:
    try:
        return f".{PacketType(number).name.lower()}"
    except ValueError:
        return f"type {number}"
