"""Reads the statements of frames: the part of a source that decodes them by their table."""

from abc import abstractmethod
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from ...errors import DamagedError, EvictedError
from ...native.ring_type_aliases import RUN_LATCHED, Run
from ..packets.layouts.plain_value_codec import decode
from ..packets.log_lines import WATCH, LogLine
from ..packets.named_phases import PhaseSpan, PhaseStart, phases_of
from ..packets.packet_types import Kind, PacketType
from ..packets.picture_validation import LATE
from ..packets.reexecutable_decisions import DecisionMaker, DecisionTrace
from ..packets.trace_types import TRACE_TYPES, AnyTrace
from ..statements.statement_codecs import BY_TYPE, PackedStatement
from ..statements.statement_messages import Picture
from .decision_reader import DECISION_TYPES, DecisionReader, RecordedInputs
from .late_statement_index import LateReader, frame_of
from .picture_lookup import PictureEntry, PictureLookup
from .raw_frames import VERSION_BYTES, RawFrames
from .tree_tick_reader import TICK_TYPES, TreeTickReader

PICTURE_SECONDS = 10.0 + 1e-6
"""How far behind an instant a picture may lie that is still shown for it; times are sums."""
PICTURE_FRAMES = 10_000
"""Frames that are looked through for it: those of 10 s, but for a game of many short steps."""


class StatementsInFrame(NamedTuple):
    """The statements of one frame; see the methods of `FrameSource` with these names."""

    traces: list[tuple[int, AnyTrace]]
    logs: list[LogLine]
    watches: dict[tuple[int, str], float]
    gone: list[int]
    inputs: dict[tuple[int, str], Any]
    phase: str
    """The phase that the run is in; empty if in none."""
    events: list[tuple[int, str, Any]]
    choices: Sequence[tuple[int, str, str]] = ()
    """What was decided for with its inputs recorded: agent, decider, and the choice."""


class StatementReader:
    """Reads what was stated in a frame. Late ones count to the frames that they belong to."""

    _frames: RawFrames
    _late: LateReader
    _pictures: PictureLookup
    _ticks: TreeTickReader
    _decisions: DecisionReader

    @property
    @abstractmethod
    def stretches(self) -> list[tuple[int, int]]:
        """First and last frame of each recorded range without a gap, oldest first."""

    @abstractmethod
    def runs(self, frame: int) -> list[Run]:
        """A frame's packets as columns."""

    @abstractmethod
    def text(self, frame: int, number: int) -> str:
        """The text that has a number."""

    @abstractmethod
    def latched(self, frame: int, object: int, kind: int, key: str) -> Any | None:
        """The value valid at a frame."""

    @abstractmethod
    def time(self, frame: int) -> float:
        """The timeline time of a frame, seconds."""

    @abstractmethod
    def settle(self, frame: int) -> int:
        """The newest recorded frame at or before this one."""

    def statements(self, frame: int) -> "StatementsInFrame":
        """All statements of a frame, read at once: faster for a pass over a whole recording."""
        runs = self.runs(frame)
        return StatementsInFrame(
            self._traces(frame, runs), self._logs(frame, runs), self._watches(frame, runs),
            _gone(runs), self._inputs(frame, runs), self.phase(frame), self._events(frame, runs),
            _choices(runs),
        )  # fmt: skip

    def gone(self, frame: int) -> list[int]:
        """The objects that are gone from a frame on, by id: what was latched of them ended."""
        return _gone(self.runs(frame))

    def watches(self, frame: int) -> dict[tuple[int, str], float]:
        """The watched values of a frame, by object and name."""
        return self._watches(frame, self.runs(frame))

    def _watches(self, frame: int, runs: Iterable[Run]) -> dict[tuple[int, str], float]:
        watched: dict[tuple[int, str], float] = {}
        for type, _, _, headers, payloads in runs:
            if type != PacketType.WATCH or payloads is None or payloads.shape[1] != WATCH.size:
                continue  # of another size it is damaged
            rows = WATCH.iter_unpack(payloads.tobytes())
            for object, (name, _, value) in zip(headers["id"].tolist(), rows, strict=True):
                try:
                    watched[object, self.text(frame, name)] = value
                except DamagedError:
                    continue
        return watched

    def inputs(self, frame: int) -> dict[tuple[int, str], Any]:
        """What came from outside in a frame, by object and name: of several values the last."""
        return self._inputs(frame, self.runs(frame))

    def _inputs(self, frame: int, runs: Iterable[Run]) -> dict[tuple[int, str], Any]:
        rows = _statement_rows(runs, (PacketType.INPUT,))
        found = [self._statement(frame, *row) for row in rows]
        return {(one.object, one.name): one.value for one in found}

    def events(self, frame: int) -> list[tuple[int, str, Any]]:
        """What happened in a frame, in order: object, name and value of each event."""
        return self._events(frame, self.runs(frame))

    def _events(self, frame: int, runs: Iterable[Run]) -> list[tuple[int, str, Any]]:
        rows = _statement_rows(runs, (PacketType.EVENT,))
        found = [self._statement(frame, *row) for row in rows]
        return [(one.object, one.name, one.value) for one in found]

    def pictures(self, frame: int) -> dict[str, Picture]:
        """The pictures of a frame by name: of several of one name the last."""
        rows = _statement_rows(self.runs(frame), (PacketType.PICTURE,))
        found: list[Picture] = [self._statement(frame, *row) for row in rows]
        for recorded in dict.fromkeys(one.recorded for one in self._pictures.late(frame)):
            found += self._late_pictures(recorded, frame)
        return {one.name: one for one in found}

    def _late_pictures(self, recorded: int, frame: int) -> list[Picture]:
        """The pictures of a frame that a newer one holds."""
        rows = _statement_rows(self.runs(recorded), (PacketType.LATE_PICTURE,))
        return [
            self._statement(recorded, *row)
            for row in rows
            if LATE.unpack_from(row[2].ljust(LATE.size))[0] == frame
        ]

    def picture_entries(self, first: int, last: int) -> list[tuple[PictureEntry, str]] | None:
        """Where the pictures of some frames are, and their names, oldest first.

        None if the recording has no index of pictures, as older ones: then only its frames tell.
        """
        if not self._pictures.is_indexed(self._newest_frame(last)):
            return None
        entries = self._pictures.entries(first, last)
        return [(entry, self._picture_name(entry.name)) for entry in entries]

    def picture_at(self, entry: PictureEntry) -> Picture | None:
        """The picture of an entry; None if it is not there.

        Raises:
            DamagedError: its frame can't be read.
            EvictedError: its frame was evicted.
        """
        if entry.recorded != entry.frame:
            found = self._late_pictures(entry.recorded, entry.frame)
        else:
            rows = _statement_rows(self.runs(entry.frame), (PacketType.PICTURE,))
            found = [self._statement(entry.frame, *row) for row in rows]
        name = self._picture_name(entry.name)
        return next((one for one in reversed(found) if one.name == name), None)

    def newest_picture(self, frame: int, name: str) -> tuple[int, Picture] | None:
        """The newest picture of a name at or before a frame, and the frame that it is of.

        None if there is none; in older recordings, which have no index of pictures, none within 10
        seconds, or 10,000 frames. Frames that can't be read are passed over.

        Raises:
            EvictedError: the frame is not in the recording.
        """
        oldest = self.time(frame) - PICTURE_SECONDS
        if self._pictures.is_indexed(self._newest_frame(frame)):
            return self._newest_indexed(frame, name)
        for at in islice(self._backwards(frame), PICTURE_FRAMES):
            try:
                if self.time(at) < oldest:
                    break
                found = self.pictures(at).get(name)
            except (DamagedError, EvictedError):
                continue
            if found is not None:
                return at, found
        return None

    def _newest_indexed(self, frame: int, name: str) -> tuple[int, Picture] | None:
        at = frame
        while (entry := self._pictures.newest(at, name, self._picture_name)) is not None:
            with suppress(DamagedError, EvictedError):
                found = self.picture_at(entry)
                if found is not None:
                    return entry.frame, found
            at = entry.frame - 1
        return None

    def _picture_name(self, number: int) -> str:
        """What a number means, which it does for good: the frame it was recorded in may be gone."""
        return self.text(self._newest_frame(0), number)

    def _newest_frame(self, otherwise: int) -> int:
        newest = self._frames.newest
        return otherwise if newest is None else newest[0]

    def _backwards(self, frame: int) -> Iterator[int]:
        """A frame and those before it, newest first, without those in gaps."""
        for first, last in reversed(self.stretches):
            yield from range(min(last, frame), first - 1, -1)

    def phases(self) -> list[PhaseSpan]:
        """The recorded phases of the run, oldest first."""
        return phases_of(self._frames, self)

    def phase(self, frame: int) -> str:
        """The phase that the run was in at a frame; empty if in none."""
        found: PhaseStart | None = self.latched(frame, 0, Kind.PHASE, "")
        return "" if found is None else found.name

    def phases_in(self, frame: int) -> list[str]:
        """The phases that began in a frame, by name; an empty name ended one."""
        rows = _statement_rows(self.runs(frame), (PacketType.PHASE,))
        return [self._statement(frame, *row).name for row in rows]

    def _statement(self, frame: int, object: int, type: int, payload: bytes) -> Any:
        packed = PackedStatement(payload, object)
        return BY_TYPE[type].unpack(packed, lambda number: self.text(frame, number))

    def watched(
        self, object: int, name: str, start: int | None = None, end: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The frames from `start` to `end` in which a value was watched, and its values."""
        rows: list[tuple[int, float]] = []
        for first, last in self.stretches:
            low, high = max(first, start or first), last if end is None else min(last, end)
            for frame in range(low, high + 1):
                value = self.watches(frame).get((object, name))
                if value is not None:
                    rows.append((frame, value))
        frames = np.array([frame for frame, _ in rows], np.int64)
        return frames, np.array([value for _, value in rows], np.float64)

    def logs(self, frame: int) -> list[LogLine]:
        """The log lines of a frame, in order; those that came late last."""
        return self._logs(frame, self.runs(frame))

    def _logs(self, frame: int, runs: Iterable[Run]) -> list[LogLine]:
        rows = _statement_rows(runs, (PacketType.LOG,))
        read = [(object, decode(payload, LogLine)) for object, _, payload in rows]
        found = [one for one in read if frame_of(one[1].belongs_to, frame) == frame]
        found += [
            (packet.object, decode(packet.payload, LogLine)) for packet in self._late.lines(frame)
        ]
        return [msgspec.structs.replace(line, object=object) for object, line in found]

    def traces(self, frame: int) -> list[tuple[int, AnyTrace]]:
        """The decisions of a frame, as (agent, trace), in order; those that came late last."""
        return self._traces(frame, self.runs(frame))

    def _traces(self, frame: int, runs: Iterable[Run]) -> list[tuple[int, AnyTrace]]:
        read: list[tuple[int, AnyTrace]] = []
        stated: list[tuple[int, bytes]] = []
        for object, type, payload in _statement_rows(runs, _DECISION_TYPES):
            if type in _TRACES:
                read.append((object, decode(payload, _TRACES[type])))
            elif type == PacketType.TREE_STATE:
                stated.append((object, payload))
            elif type == PacketType.TREE_CHANGE:
                read.append((object, self._ticks.trace(object, payload, stated, partial(
                    self._before, frame, object, Kind.TREE_STATE
                ))))  # fmt: skip
        found = [
            one for one in read
            if not one[1].belongs_to or frame_of(one[1].belongs_to, frame) == frame
        ]  # fmt: skip
        found += [
            (packet.object, decode(packet.payload, _TRACES[packet.type]))
            for packet in self._late.decisions(frame)
        ]
        return found

    def decisions(self, frame: int) -> list[RecordedInputs]:
        """The decisions of a frame that were recorded with their inputs, in order."""
        rows = list(_statement_rows(self.runs(frame), DECISION_TYPES))
        return self._decisions.read(
            rows, lambda agent, decider: self._before(frame, agent, Kind.DECISION_STATE, decider)
        )

    def decision_maker(self, frame: int, agent: int, decider: str) -> DecisionMaker | None:
        """Which function made an agent's decisions in a frame; None if that is not recorded."""
        # An agent may have decided in the frame in which it went.
        return next(iter(self._before(frame, agent, Kind.DECISION_MAKER, decider)), None)

    def _before(self, frame: int, agent: int, kind: Kind, key: str) -> list[Any]:
        """What was latched last at a frame, and at the one before it."""
        found = []
        for at in (frame, frame - 1):
            with suppress(EvictedError):
                found.append(self.latched(at, agent, kind, key))
        return [state for state in found if state is not None]


def _gone(runs: Iterable[Run]) -> list[int]:
    ended = (
        object
        for type, _, _, headers, _ in runs
        if type == PacketType.TOMBSTONE
        for object in headers["id"].tolist()
    )
    # One packet for each thing that ended, also of the world's.
    return [object for object in dict.fromkeys(ended) if object]


def _choices(runs: Iterable[Run]) -> list[tuple[int, str, str]]:
    """Without the inputs, which take much longer to read."""
    found = []
    for agent, _, payload in _statement_rows(runs, (PacketType.DECISION,)):
        with suppress(DamagedError):
            trace = decode(payload, DecisionTrace)
            found.append((agent, trace.decider, trace.target))
    return found


def _statement_rows(runs: Iterable[Run], types: Container[int]) -> Iterator["_StatementRow"]:
    for type, _, flags, headers, payloads in runs:
        if type in types and payloads is not None:
            # One copy of the run: each row as an array of its own takes ten times as long.
            data, size = payloads.tobytes(), payloads.shape[1]
            begin = VERSION_BYTES if flags & RUN_LATCHED else 0
            for row, object in enumerate(headers["id"].tolist()):
                yield object, type, data[row * size + begin : (row + 1) * size]


_StatementRow = tuple[int, int, bytes]
"""Object, packet type and payload of a statement."""
_TRACES: dict[int, type[AnyTrace]] = {int(type): trace for type, trace in TRACE_TYPES.items()}
_DECISION_TYPES = frozenset((*TRACE_TYPES, *TICK_TYPES))
