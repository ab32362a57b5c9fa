"""A source that decodes raw frames, of a ring or of any other store.

The frames themselves contain all descriptions that decoding needs: names of types, layouts of
payloads, the texts that numbers stand for. No code of the game is needed.
"""

from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import msgspec

from ...errors import CommandError, DamagedError, EvictedError, RecordingError
from ...native import _ring
from ...native.ring_type_aliases import CUT, DAMAGED, HIDDEN, PARTIAL, RUN_LATCHED, RawPacket, Run
from ..channel_switches import MOST
from ..clips.frame_serialization import image_of, read_image
from ..packets.draw_primitives import PLACED, RecordedDrawing
from ..packets.layouts.layout import Layout
from ..packets.layouts.packet_layouts import PACKETS
from ..packets.layouts.plain_value_codec import decode
from ..packets.mark import Mark
from ..packets.named_phases import PhaseStart
from ..packets.packet_types import FIRST_OBJECT, Kind, PacketType
from ..packets.recorded_frame import FrameRange, FrameStamp, Packet
from ..packets.recording_losses import RecordedLoss
from ..packets.reexecutable_decisions import DecisionMaker, DecisionState
from ..packets.trace_types import StateTransition, TreeNode
from ..packets.tree_tick_packets import TreeState
from ..world_adapter import Conventions
from .decision_reader import DecisionReader
from .frame_statements import StatementReader
from .late_statement_index import LatePacket, LateReader, frame_of
from .name_tables import NameTables
from .picture_lookup import PictureLookup
from .raw_frames import LatchChange, RawFrames
from .tree_tick_reader import TreeTickReader

TOLERANCE = 1e-6
"""Seconds by which a frame may lie after a time and still be the one at that time."""


class Transition(NamedTuple):
    """A state transition and the frame it belongs to."""

    frame: int
    agent: int
    trace: StateTransition


class FrameSource(StatementReader):
    """Finished frames as something that can be scrubbed (see `Source`). For one thread.

    What came late from other processes is in the frames that it belongs to; only `packets`
    gives everything where it was recorded.
    """

    indexes_changes = False
    """Whether `latch_changes` has an index: else it goes through all frames of its range."""

    def __init__(self, frames: RawFrames) -> None:
        self._frames = frames
        self._names = NameTables(frames)
        self._late = LateReader(frames)
        self._pictures = PictureLookup(frames)
        self._ticks = TreeTickReader()
        self._decisions = DecisionReader()

    # --- frames -------------------------------------------------------------------------------

    @property
    def span(self) -> FrameRange | None:
        oldest, newest = self._frames.oldest, self._frames.newest
        if oldest is None or newest is None:
            return None
        return FrameRange(oldest[0], newest[0], oldest[1], newest[1])

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """First and last frame of each recorded range without a gap, oldest first."""
        span = self.span
        return [] if span is None else [(span.oldest, span.newest)]

    def time(self, frame: int) -> float:
        """The timeline time of a frame, seconds.

        Raises:
            EvictedError: the frame is not in the recording.
        """
        return self._frames.stamp(frame)[1]

    def frame_at(self, time: float) -> int:
        """The newest frame at or before `time`, clamped to the ends.

        Times of frames are sums of steps, and a user types them with a few digits: a frame that
        comes up to `TOLERANCE` after `time` counts as at it, if none before is as near.
        """
        try:
            found = self._frames.find(time + TOLERANCE)
            if self._frames.stamp(found)[1] <= time:
                return found
            before = self._frames.find(time)
            if before == found:
                return found
            since = time - self._frames.stamp(before)[1]
            after = self._frames.stamp(self.step(before, 1))[1]
            # With steps as short as the tolerance there are several frames within it.
            return self._frames.find(after) if after - time <= min(since, TOLERANCE) else before
        except (EvictedError, DamagedError):  # a header can't be read, but was not asked for
            return self._frames.find(time)
        except (RecordingError, TypeError) as error:
            raise CommandError(f"time {time!r}: {error}") from None

    def step(self, frame: int, frames: int) -> int:
        return frame + frames

    def settle(self, frame: int) -> int:
        return frame

    def stamp(self, frame: int) -> FrameStamp:
        id, time, delta, packets, epoch, flags, _, _ = self._frames.stamp(frame)
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
        rows = self._frames.packets(frame)
        return [self._packet(frame, row) for row in rows if not row[7] & RUN_LATCHED]

    def objects(self, frame: int) -> list[Packet]:
        return [self._packet(frame, row) for row in self._object_rows(frame)]

    def runs(self, frame: int) -> list[Run]:
        """A frame's packets as columns, in recording order: read-only numpy views of a copy.

        Raises:
            EvictedError: the frame is not in the recording.
            DamagedError: it can't be read.
        """
        return _ring.image_runs(image_of(self._frames, frame))

    def type_of(self, frame: int, number: int) -> tuple[str, Layout]:
        """Name and layout of a run's packets.

        Raises:
            DamagedError: the layout is broken.
        """
        return self._names.type(frame, number)

    def _object_rows(self, frame: int) -> list[RawPacket]:
        return [row for row in self._frames.packets(frame) if row[1] >= FIRST_OBJECT]

    def _packet(self, frame: int, row: RawPacket) -> Packet:
        id, type, targetable, flags, position, angles, channels, _, payload = row
        return Packet(
            id, self._names.type(frame, type)[0], targetable, not flags & HIDDEN,
            bool(flags & DAMAGED), position, angles, channels, payload, type, bool(flags & CUT),
            bool(flags & PARTIAL),
        )  # fmt: skip

    def recorded_types(self, frame: int) -> frozenset[str]:
        found = self._frames.latched(frame, 0, Kind.RECORDED, 0)
        return frozenset() if found is None else frozenset(decode(found[2], list[str]))

    def layout(self, frame: int, type: str) -> Layout | None:
        """How the payload of a type is to be read; None if the type is unknown at that frame.

        If a type had several, it is the newest one.
        """
        layouts = [
            (number, layout)
            for _, kind, number, _, _, _ in self._frames.latched_all(frame)
            if kind == Kind.TYPE
            for name, layout in [self._names.type(frame, number)]
            if name == type
        ]
        if layouts:
            return max(layouts, key=itemgetter(0))[1]
        own = (packet.layout for packet in PACKETS.values() if packet.name == type)
        return next(own, None)  # which a small recording does not list

    def conventions(self, frame: int) -> Conventions:
        """How the recorded world's numbers are to be read."""
        conventions = self._world(frame).get("conventions", {})
        try:
            return msgspec.convert(conventions, Conventions)
        except msgspec.ValidationError as error:
            raise DamagedError(f"the recorded conventions are broken: {error}") from None

    def about(self, frame: int) -> dict[str, Any]:
        """The description of the recording: game, build, seed, …"""
        about: dict[str, Any] = self._world(frame).get("about", {})
        return about

    def _world(self, frame: int) -> dict[str, Any]:
        found = self._frames.latched(frame, 0, Kind.WORLD, 0)
        return {} if found is None else decode(found[2], dict)

    def losses(self, frame: int) -> list[RecordedLoss]:
        """What is known at a frame to be missing in the recording so far, oldest first."""
        found = [
            decode(payload, RecordedLoss)
            for _, kind, _, _, _, payload in self._frames.latched_all(frame)
            if kind == Kind.LOSS
        ]
        return sorted(found, key=attrgetter("frame"))

    def decoded(self, frame: int) -> list[tuple[Packet, dict[str, Any]]]:
        """The objects of a frame with their payloads read by their layouts.

        Raises:
            EvictedError: the frame is not in the recording.
            HandlerError: a payload does not fit its layout.
        """
        read = []
        for row in self._object_rows(frame):
            packet, layout = self._packet(frame, row), self._names.type(frame, row[1])[1]
            read.append((packet, {} if packet.damaged else layout.decode(packet.payload)))
        return read

    # --- what is latched ------------------------------------------------------------------------

    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        if kind == Kind.STATE:
            return self._state(frame, object, key, self._late.transitions(frame))
        number = self._names.number(frame, key)
        found = None if number is None else self._frames.latched(frame, object, kind, number)
        return None if found is None else self._value(frame, object, kind, key, *found[1:])

    def facts(
        self, frame: int, kinds: Container[Kind] = frozenset(Kind)
    ) -> dict[tuple[int, Kind, str], Any]:
        """All that held at a frame, by object, kind and key; except what is in damaged frames.

        Texts, marks, losses, where late things are, trees' statuses, what decisions were made from
        and kinds that this version does not know are left out.

        Args:
            kinds: Only these.
        """
        values: dict[tuple[int, Kind, str], Any] = {}
        for object, kind, number, _, type, payload in self._frames.latched_all(frame):
            fact_kind = _FACTS.get(kind)
            if fact_kind is None or fact_kind not in kinds:
                continue
            key = str(number) if kind in (Kind.TYPE, Kind.CHANNEL) else self.text(frame, number)
            value = self._value(frame, object, kind, key, type, payload)
            values[object, fact_kind, key] = value
        late = self._late.transitions(frame) if Kind.STATE in kinds else []
        for agent, machine in {(packet.object, packet.machine) for packet in late}:
            state = self._readable_state(frame, agent, machine, late)
            if state is not None:
                values[agent, Kind.STATE, machine] = state
        return values

    def latch_changes(self, kind: int, start: int, end: int) -> Iterator[LatchChange]:
        """The values of a kind that were latched, or ended, in the frames from `start` to `end`.

        In the order of the frames they were recorded in; what is in damaged frames,
        or evicted meanwhile, is left out.
        """
        for frame in range(start, end + 1):
            try:
                packets = read_image(image_of(self._frames, frame)).latched
            except (DamagedError, EvictedError):
                continue
            for (object, its_kind, key), _, payload in packets:
                if its_kind == kind:
                    yield LatchChange(frame, object, key, payload)

    def may_latch(self, kind: int, text: str, start: int, end: int) -> int | None:
        """The first frame from `start` to `end` before which nothing of a kind with this text in
        it was latched; None if nothing was at all. If only frames could show it, it is `start`."""
        return start

    def names(self, frame: int) -> dict[int, str]:
        """What the objects are called at a frame, by id; those without a name are left out."""
        return {
            object: decode(payload, str)
            for object, kind, _, _, _, payload in self._frames.latched_all(frame)
            if kind == Kind.NAME
        }

    def tree(self, frame: int, agent: int, tree: str) -> tuple[TreeNode, ...]:
        """The nodes of an agent's behaviour tree, as defined; empty if it never was."""
        nodes: tuple[TreeNode, ...] | None = self.latched(frame, agent, Kind.TREE, tree)
        return nodes or ()

    def text(self, frame: int, number: int) -> str:
        """The text of a number; empty if it found no room when it was recorded."""
        return self._names.text(frame, number)

    def channel_names(self, frame: int) -> dict[int, str]:
        """The channels by their bit."""
        return {
            1 << number: decode(payload, str)
            for _, kind, number, _, _, payload in self._frames.latched_all(frame)
            if kind == Kind.CHANNEL and number < MOST
        }

    def _value(
        self, frame: int, object: int, kind: int, key: str, type: int, payload: bytes
    ) -> Any:
        if kind == Kind.DRAWN:
            return self._latched_drawn(frame, object, key, type, payload)
        return decode(payload, _VALUES.get(kind, Any))

    def _state(
        self, frame: int, agent: int, machine: str, late: Iterable[LatePacket]
    ) -> StateTransition | None:
        """The transition to a machine's state at a frame, with those recorded only later."""
        state, since = None, 0
        number = self._names.number(frame, machine)
        if number is not None:
            found = self._frames.latched(frame, agent, Kind.STATE, number)
            if found is not None:
                state = decode(found[2], StateTransition)
                since = frame_of(state.belongs_to, found[0])
        for packet in late:
            is_its_own = packet.object == agent and packet.machine == machine
            if is_its_own and packet.belongs >= since and not 0 < packet.gone <= frame:
                state, since = decode(packet.payload, StateTransition), packet.belongs
        return state

    def _readable_state(
        self, frame: int, agent: int, machine: str, late: Iterable[LatePacket]
    ) -> StateTransition | None:
        """As `_state`; None too if it is in a damaged frame, so that queries for all go on."""
        try:
            return self._state(frame, agent, machine, late)
        except DamagedError:
            return None

    # --- statements -----------------------------------------------------------------------------

    def drawn(self, frame: int) -> list[RecordedDrawing]:
        """The primitives to be shown at a frame: its own, then those that are latched."""
        own = [
            self._drawn(frame, type, id, channels, position, angles, payload, None)
            for id, type, _, _, position, angles, channels, run_flags, payload
            in self._frames.packets(frame)
            if type in _PRIMITIVES and not run_flags & RUN_LATCHED
        ]  # fmt: skip
        return own + [
            self._latched_drawn(frame, object, self.text(frame, number), type, payload)
            for object, kind, number, _, type, payload in sorted(self._frames.latched_all(frame))
            if kind == Kind.DRAWN
        ]

    def _latched_drawn(
        self, frame: int, object: int, name: str, type: int, payload: bytes
    ) -> RecordedDrawing:
        if len(payload) < PLACED.size:
            raise DamagedError(f"the primitive latched as {name!r} has {len(payload)} bytes")
        *placed, channels = PLACED.unpack_from(payload)
        position, angles, rest = tuple(placed[:3]), tuple(placed[3:]), payload[PLACED.size :]
        return self._drawn(frame, type, object, channels, position, angles, rest, name)

    def _drawn(
        self, frame: int, type: int, object: int, channels: int, position: Any, angles: Any,
        payload: bytes, latched: str | None,
    ) -> RecordedDrawing:  # fmt: skip
        name, layout = self._names.type(frame, type)
        values = layout.decode(payload)
        try:
            number, line = int(values.pop("file", 0)), int(values.pop("line", 0))
        except (TypeError, ValueError, OverflowError) as error:
            raise DamagedError(f"a primitive {name!r} has no file and line: {error}") from None
        file = self.text(frame, number)
        return RecordedDrawing(
            name.lstrip("."), object, channels, position, angles, values, file, line, latched
        )

    def transitions(
        self, frame: int, agent: int, machine: str, limit: int = 10
    ) -> list[Transition]:
        """The newest transitions of a machine up to a frame, newest first.

        The one that led to the state at the oldest frame is among them, though its own frame
        may be gone. Of those that belong to one frame, the one that came last is the newest.
        """
        if limit < 1:
            return []
        rows = self._own_transitions(frame, agent, machine, limit)
        since = rows[-1][0] if len(rows) >= limit else 0
        rows.reverse()
        rows += [
            (packet.belongs, packet.recorded, decode(packet.payload, StateTransition))
            for packet in self._late.history(frame, since)
            if packet.object == agent and packet.machine == machine
        ]
        rows.sort(key=itemgetter(0, 1))
        end = self._frames.oldest
        oldest = 0 if end is None else end[0]
        transitions: list[Transition] = []
        for belongs, _, trace in reversed(rows):
            if belongs >= oldest:
                transitions.append(Transition(belongs, agent, trace))
            elif not 0 < trace.gone < oldest:
                transitions.append(Transition(belongs, agent, trace))
                break
        return transitions[:limit]

    def _own_transitions(
        self, frame: int, agent: int, machine: str, limit: int
    ) -> list[tuple[int, int, StateTransition]]:
        """Those that were latched, as (frame it belongs to, position, trace)."""
        number, fetched = self._names.number(frame, machine), limit
        if number is None:
            return []
        while True:
            rows = self._frames.versions(frame, agent, Kind.STATE, number, fetched)
            read = [
                (when, decode(payload, StateTransition))
                for when, _, payload in rows
                if payload is not None
            ]
            if len(read) >= limit or len(rows) < fetched:
                return [(frame_of(trace.belongs_to, when), when, trace) for when, trace in read]
            fetched *= 2

    def machines(self, frame: int) -> list[tuple[int, str]]:
        """Agents and names of the state machines that have a state at a frame."""
        found = {
            (object, self.text(frame, number))
            for object, kind, number, _, _, _ in self._frames.latched_all(frame)
            if kind == Kind.STATE
        }
        late = self._late.transitions(frame)
        for agent, machine in {(packet.object, packet.machine) for packet in late} - found:
            if self._readable_state(frame, agent, machine, late) is not None:
                found.add((agent, machine))
        return sorted(found)

    def all_machines(self) -> list[tuple[int, str]]:
        """Agents and names of the state machines that have a state at any recorded frame."""
        found: set[tuple[int, str]] = set()
        for first, last in self.stretches:
            with suppress(DamagedError, EvictedError):
                found.update(self.machines(first))
            for row in self.latch_changes(Kind.STATE, first, last):
                found.add((row.object, self.text(row.frame, row.key)))
            for row in self.latch_changes(Kind.LATE, first, last):
                late = self._late.held(row.frame)
                found.update(
                    (one.object, one.machine) for one in late if one.type == PacketType.STATE
                )
        return sorted(found)

    def marks(self, limit: int = 100_000) -> list[Mark]:
        """The newest marks whose frames are in the recording, by their frames, oldest first."""
        fetched = limit
        while True:
            span = self.span
            if span is None or limit < 1:
                return []
            rows = self._frames.versions(span.newest, 0, Kind.MARK, 0, fetched)
            marks: list[Mark] = []
            for recorded, _, payload in rows:
                if recorded < span.oldest:
                    break
                if payload is None:  # a mark found no room, or the world was despawned
                    continue
                mark = decode(payload, Mark)
                frame = frame_of(mark.frame, recorded)
                if frame >= span.oldest:
                    marks.append(msgspec.structs.replace(mark, frame=frame))
            marks.reverse()  # of those at one frame, what came first is first
            marks = sorted(marks, key=attrgetter("frame"))[-limit:]
            # A mark comes after its frame: older ones can't belong to newer frames than these.
            is_all = len(rows) < fetched or rows[-1][0] < span.oldest
            if is_all or (len(marks) == limit and marks[0].frame >= rows[-1][0]):
                return list(self._timed(marks))
            fetched *= 2

    def _timed(self, marks: list[Mark]) -> Iterator[Mark]:
        for mark in marks:
            try:
                time = self._frames.stamp(mark.frame)[1]
            except EvictedError:  # just now, by a writer in another process
                continue
            yield msgspec.structs.replace(mark, time=time)


_PRIMITIVES = frozenset(range(PacketType.LINE, PacketType.TEXT + 1))
_FACTS = {
    int(kind): kind
    for kind in Kind
    if kind not in (
        Kind.STRING, Kind.MARK, Kind.LATE, Kind.LOSS, Kind.TREE_STATE, Kind.DECISION_STATE,
        Kind.DECISION_MAKER, Kind.PICTURE,
    )
}  # fmt: skip
_VALUES: dict[int, Any] = {
    Kind.STATE: StateTransition,
    Kind.MARK: Mark,
    Kind.TREE: tuple[TreeNode, ...],
    Kind.NAME: str,
    Kind.PHASE: PhaseStart,
    Kind.RECORDED: list[str],
    Kind.TREE_STATE: TreeState,
    Kind.DECISION_STATE: DecisionState,
    Kind.DECISION_MAKER: DecisionMaker,
}
"""The types of latched values by kind; anything plain for other kinds."""
