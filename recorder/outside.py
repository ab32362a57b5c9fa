"""The way in for what other processes say: kept, bounded, until a frame takes it in.

Each call may name the instant that it is about, on the timeline or by the game's own clock. What
is said then belongs to the frame of that instant, whenever it arrives.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import msgspec

from ..errors import RecordingError
from .encoding import decode, encode
from .faults import Refusing
from .kinds import Kind, PacketType
from .logs import LogLine, checked_level
from .marks import Mark
from .object_ids import ObjectRef
from .primitives import NO_SITE, PrimitiveDraw, Site
from .reader import RingSource
from .sayings import Sayings, not_a_number
from .timeline import Timeline, seconds
from .traces import (
    AnimationTrace,
    AnyTrace,
    StateTrace,
    TreeNode,
    TreeTrace,
    checked_statuses,
)

KEPT = 1024
"""Calls that may wait; more are dropped and counted. The frame that takes them in waits for all."""
MOST_BYTES = 4 << 20
"""Bytes that they may have together, where the ring is large: an eighth of it at most."""
OVERHEAD = 192
"""Bytes that a call takes beside what it says: counted, so that small ones are bounded too."""


class Placement(NamedTuple):
    """Where a frame puts what was said."""

    belongs_to: int = 0
    """An older frame; 0 for the open one."""
    present: bool = True
    """False for a transition to what is no present state any more."""
    gone: int = 0
    """See `StateTrace.gone`."""


class Arrival(NamedTuple):
    """Something said elsewhere, which waits for the thread that finishes frames."""

    cause: str
    """Which call it is, for the counts."""
    time: float | None
    """The instant that it is about, timeline seconds; None for the open frame's."""
    write: Callable[[Placement], bool]
    """Writes it into the open frame; False if there was no room."""
    machine: tuple[int, str] | None = None
    """Of a state transition: its agent and machine."""
    mark: Mark | None = None
    """Of a mark: what it says. Readers find those without looking for late things."""

    @property
    def found_by_itself(self) -> bool:
        """Whether readers find it without looking for late things."""
        return self.mark is not None


class Outside:
    """What other processes say. Every call is for any thread, also while playback is on.

    What they say is recorded in the next frame that is finished; playback records nothing, so then
    it waits for the game to run on. What finds no room is counted in `Status.calls_dropped`, what
    is older than all frames held in `Status.late_dropped`.

    `time` is in timeline seconds; `game_time` in seconds of the game's clock since it last started
    over. With neither of them it is about the frame that is being recorded.

    Every call raises RecordingError for what can't be recorded, and for a time that is not finite.
    """

    def __init__(self, sayings: Sayings, timeline: Timeline, room: int) -> None:
        """`room` is what the ring has for frames, in bytes."""
        self._sayings, self._timeline = sayings, timeline
        self._room = min(MOST_BYTES, room // 8)
        self.waits: deque[Arrival] = deque()
        """What waits for the next frame."""
        self._sizes: deque[int] = deque()
        """The bytes of each."""
        self._bytes = 0
        self._defined: tuple[set[tuple[int, str]], set[tuple[int, str]]] = set(), set()
        """Trees whose definition waits, and those whose was taken last: perhaps just now."""
        self._lock = threading.Lock()
        self.per_frame: int | None = None
        """How many calls a frame takes in; the rest waits for the next ones. None for all."""
        self.dropped = 0
        """Calls that found no room to wait."""
        self.draw = PrimitiveDraw(self)
        """Debug drawing in the open frame. Says no file and line: the caller's are not its own."""

    def trace(
        self, agent: int, trace: AnyTrace, *,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A decision of an agent, with file and line as they are in it."""
        agent, when = _object(agent), self._instant(time, game_time)
        said, size = _copied(trace, _trace_type(trace))
        type, key = _known_by(said)
        if isinstance(said, TreeTrace):
            checked_statuses(said)

        def write(place: Placement) -> bool:
            placed = {"belongs_to": place.belongs_to}
            if type is PacketType.STATE:
                placed["gone"] = place.gone
            payload = encode(msgspec.structs.replace(said, **placed), said.__class__)
            return self._sayings.decision(type, agent, key, payload, place.present)

        machine = (agent, key) if type is PacketType.STATE else None
        self._post(Arrival("trace", when, write, machine), size)

    def log(
        self, line: LogLine, *, channel: str | None = None,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """A line of the log, about `line.object`."""
        said, size = _copied(line, LogLine)
        checked_level(said.level)
        object, when = _object(said.object), self._instant(time, game_time)
        channel = None if channel is None else _text(channel, "channel")

        def write(place: Placement) -> bool:
            placed = msgspec.structs.replace(said, object=0, belongs_to=place.belongs_to)
            return self._sayings.log(object, channel, encode(placed, LogLine))

        self._post(Arrival("log", when, write), size)

    def mark(
        self, mark: Mark, *, time: float | None = None, game_time: float | None = None
    ) -> None:
        """A mark at the frame of an instant; which one that is, `mark.frame` need not say."""
        said, size = _copied(mark, Mark)
        when = self._instant(time, game_time)

        def write(place: Placement) -> bool:
            return self._sayings.mark(said, place.belongs_to)

        self._post(Arrival("mark", when, write, mark=said), size)

    def waiting_marks(self, source: RingSource) -> list[Mark]:
        """The marks that wait for the next frame, at the frames where they will be found.

        One without a time is shown at the newest frame until the one comes that it is about.

        Args:
            source: What is recorded, for the calling thread.
        """
        with self._lock:
            waiting = [(one.mark, one.time) for one in self.waits if one.mark is not None]
        span = source.span if waiting else None
        if span is None:
            return []
        marks = []
        for mark, time in waiting:
            frame = span.newest if time is None else source.frame_at(time)
            at = source.stamp(frame).time
            marks.append(msgspec.structs.replace(mark, frame=frame, time=at))
        return marks

    def watch(self, name: str, value: float, object: int = 0) -> None:
        """A named number of an object, in the open frame."""
        name, object = _text(name, "name"), _object(object)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise not_a_number(name, value) from None
        self._post_now("watch", lambda: self._sayings.watch(name, number, object), len(name))

    def name(self, object: int, name: str) -> None:
        """What people call an object; stays until said again."""
        self._post_fact("name", object, Kind.NAME, "", encode(name, str))

    def fact(self, object: int, key: str, value: Any) -> None:
        """Anything plain that stays true of an object until said again."""
        self._post_fact("fact", object, Kind.FACT, _text(key, "key"), encode(value))

    def define_tree(self, agent: int, tree: str, nodes: Sequence[TreeNode]) -> None:
        """Which nodes an agent's behaviour tree has; stays true until said again."""
        payload = encode(tuple(nodes), tuple[TreeNode, ...])
        self._post_fact("trace", agent, Kind.TREE, _text(tree, "tree"), payload)
        self._defined[0].add((agent, tree))

    def has_tree(self, agent: int, tree: str) -> bool:
        """Whether a behaviour tree is defined for an agent, or will be in the next frame."""
        known = any((agent, tree) in defined for defined in self._defined)
        return known or self._sayings is None or self._sayings.has_tree(agent, tree)

    def despawn(self, object: int) -> None:
        """An object is gone; the world's own objects are noticed without this."""
        object = _object(object)

        def write() -> bool:
            self._sayings.end(object)
            return True

        self._post_now("despawn", write, 0)

    def primitive(
        self, type: PacketType, object: ObjectRef, channel: str | None, latch: str | None,
        position: Any, angles: Any, site: Site, head: Any, tail: bytes,
    ) -> None:  # fmt: skip
        """Take a debug drawing (the calls of `draw` call this)."""
        owner = _object(object)
        position, angles = _vector(position), _vector(angles)
        channel = None if channel is None else _text(channel, "channel")
        latch = None if latch is None else _text(latch, "latch")
        packer, color, *rest = head
        packer.pack(color, 0, 0, *rest)  # what does not fit is refused here, not in the game

        def write() -> bool:
            return self._sayings.primitive(
                type, owner, channel, latch, position, angles, NO_SITE, head, tail
            )

        self._post_now("draw", write, len(tail) + len(latch or ""))

    def refusing(self, cause: str) -> Refusing:
        """Within it every error is raised as one that says what can't be recorded."""
        return Refusing(cause, _refuse)

    def take(self) -> Sequence[Arrival]:
        """What waits, in the order in which it came. For the thread that finishes frames."""
        with self._lock:
            if self.per_frame is not None and len(self.waits) > self.per_frame:
                sizes = [self._sizes.popleft() for _ in range(self.per_frame)]
                self._bytes -= sum(sizes)
                return [self.waits.popleft() for _ in sizes]
            taken, self.waits, self._bytes = self.waits, deque(), 0
            self._sizes.clear()
            self._defined = set(), self._defined[0]
        return taken

    def _instant(self, time: float | None, game_time: float | None) -> float | None:
        if time is not None and game_time is not None:
            raise RecordingError(f"time {time!r} and game_time {game_time!r}: give one of them")
        if game_time is not None:
            return self._timeline.at(game_time)
        return None if time is None else seconds(time, "time")

    def _post_fact(self, cause: str, object: int, kind: Kind, key: str, payload: bytes) -> None:
        object, size = _object(object), len(key) + len(payload)
        self._post_now(cause, lambda: self._sayings.fact(object, kind, key, payload), size)

    def _post_now(self, cause: str, write: Callable[[], bool], size: int) -> None:
        self._post(Arrival(cause, None, lambda _: write()), size)

    def _post(self, arrival: Arrival, size: int) -> None:
        size += OVERHEAD
        with self._lock:
            if len(self.waits) >= KEPT or self._bytes + size > self._room:
                self.dropped += 1
            else:
                self.waits.append(arrival)
                self._sizes.append(size)
                self._bytes += size


def _refuse(cause: str, error: Exception) -> None:
    if isinstance(error, RecordingError):
        raise error
    raise RecordingError(f"{cause}: {error}") from error


def _copied(said: Any, type: type[Any]) -> tuple[Any, int]:
    """A copy that the caller can't change any more, and its size in bytes.

    Raises:
        RecordingError: it is not a plain value of this type.
    """
    if not isinstance(said, type):
        raise RecordingError(f"{said!r} is no {type.__name__}")
    payload = encode(said, type)
    return decode(payload, type), len(payload)


def _trace_type(trace: AnyTrace) -> type[AnyTrace]:
    if not isinstance(trace, StateTrace | TreeTrace | AnimationTrace):
        raise RecordingError(f"{trace!r} is no StateTrace, TreeTrace or AnimationTrace")
    return trace.__class__


def _known_by(trace: AnyTrace) -> tuple[PacketType, str]:
    match trace:
        case StateTrace():
            return PacketType.STATE, trace.machine
        case TreeTrace():
            return PacketType.TREE, trace.tree
        case AnimationTrace():
            return PacketType.ANIMATION, trace.tree


def _object(id: ObjectRef) -> int:
    number = int(id) if isinstance(id, Integral) and not isinstance(id, bool) else -1
    if not 0 <= number < 1 << 63:
        raise RecordingError(
            f"object {id!r}: ids are whole numbers from 1 to 2⁶³−1, the world is 0"
        )
    return number


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise RecordingError(f"{what} {value!r} is no text")
    encode(value, str)
    return value


def _vector(vector: Any) -> tuple[float, ...]:
    numbers = tuple(float(number) for number in vector)
    if len(numbers) != 3:
        raise RecordingError(f"{vector!r} has {len(numbers)} numbers, not 3")
    return numbers
