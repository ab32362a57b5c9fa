"""The queue of statements that wait for a frame: of threads, tools and unfinished steps."""

import threading
from collections import deque
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from ..checks.failed_check_tracker import FailedCheck
from .statement_messages import (
    AgentDecision,
    AnimationStatement,
    Drawing,
    GameEvent,
    Input,
    LogEntry,
    ObjectFact,
    ObjectName,
    Phase,
    Picture,
    SetMark,
    Statement,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)

MOST_BYTES = 4 << 20
"""Bytes that may wait of each source; of other processes also no more than an eighth of the ring.
The frame that takes them in waits for all."""
OVERHEAD = 192
"""Bytes that a statement takes beside what it states, so that small ones are bounded too."""


class StatementSource(IntEnum):
    """Where a statement comes from. Each has bounds of its own: a flood costs only itself."""

    THREAD = 0
    """The game: a worker thread of it, or about another instant than the open frame's."""
    PEER = 1
    """Another process, about what is recorded here."""
    STEP = 2
    """A game in another process, in the step that it has not finished."""


MOST = {StatementSource.THREAD: 4096, StatementSource.PEER: 1024, StatementSource.STEP: 1024}
"""Statements that may wait of each source; more are dropped and counted."""


class WaitingStatement(NamedTuple):
    """A statement that waits for a frame."""

    statement: Statement
    time: float | None
    """The instant that it is about, timeline seconds; None for the open frame's."""
    source: StatementSource = StatementSource.PEER
    size: int = 0


StepEntry: TypeAlias = tuple[Statement | FailedCheck, float | None, int]
"""What a step has stated, its instant and its bytes. Checks that failed in it wait with it."""


class StatementQueue:
    """Statements in the order in which they came; bounded. Every call is for any thread.

    Args:
        room: Bytes that the ring has for frames.
    """

    def __init__(self, room: int) -> None:
        others = min(MOST_BYTES, room // 8)
        self._room = {
            StatementSource.THREAD: MOST_BYTES,
            StatementSource.PEER: others,
            StatementSource.STEP: others,
        }
        self._lock = threading.Lock()
        self._entries: deque[WaitingStatement] = deque()
        self._step: list[StepEntry] = []
        """What waits for the end of its step before it waits for the frame."""
        self._ended = 0
        """How many of those belong to a step that has ended in playback."""
        self._counts = dict.fromkeys(StatementSource, 0)
        self._bytes = dict.fromkeys(StatementSource, 0)
        self._defined: tuple[set[tuple[int, str]], set[tuple[int, str]]] = set(), set()
        """Trees whose definition waits, and those whose was taken last: perhaps just now."""
        self.per_frame: int | None = None
        """How many statements of peers a frame takes in; the rest waits. None for all."""
        self.dropped = 0
        """Statements that found no room."""

    def __len__(self) -> int:
        """How many wait for the next frame."""
        return len(self._entries)

    def put(self, entry: WaitingStatement) -> bool:
        """Have a statement wait for the next frame; False if there is no room for it."""
        with self._lock:
            if not self._count(entry.source, entry.size):
                return False
            self._define(entry.statement)
            self._entries.append(entry)
        return True

    def take(self) -> list[WaitingStatement]:
        """What the next frame takes in, in order; for the thread that finishes frames."""
        with self._lock:
            entries, self._entries = self._entries, deque()
            self._defined = set(), self._defined[0]
            if self.per_frame is not None and self._counts[StatementSource.PEER] > self.per_frame:
                entries = self._leave(entries, self.per_frame)
            for entry in entries:
                self._uncount(entry.source, entry.size)
        return list(entries)

    def _leave(self, waiting: Iterable[WaitingStatement], most: int) -> deque[WaitingStatement]:
        """Leave the peers' statements beyond so many in the queue."""
        entries: deque[WaitingStatement] = deque()
        for entry in waiting:
            if entry.source is StatementSource.PEER and most <= 0:
                self._entries.append(entry)
                self._define(entry.statement)
                continue
            most -= entry.source is StatementSource.PEER
            entries.append(entry)
        return entries

    def defines(self, agent: int, tree: str) -> bool:
        """Whether the nodes of a behaviour tree wait here, or were taken just now."""
        return any((agent, tree) in defined for defined in self._defined)

    def marks(self) -> list[tuple[SetMark, float | None]]:
        """The marks that wait for the next frame, with their instants."""
        with self._lock:
            return [
                (entry.statement, entry.time)
                for entry in self._entries
                if isinstance(entry.statement, SetMark)
            ]

    # --- the step that is not finished ----------------------------------------------------------

    def add_to_step(
        self, statement: Statement | FailedCheck, time: float | None, size: int
    ) -> bool:
        """Have something wait for the end of its step; False if there is no room for it."""
        with self._lock:
            if not self._count(StatementSource.STEP, size):
                return False
            if not isinstance(statement, FailedCheck):
                self._define(statement)
            self._step.append((statement, time, size))
        return True

    def end_step(self, *, waited: bool = False) -> list[FailedCheck]:
        """The step is recorded next: what it stated goes into its frame.

        Args:
            waited: It is the step that ended in playback and waited for the end of that.

        Returns:
            The checks that failed in it.
        """
        with self._lock:
            count = self._ended if waited else len(self._step)
            stated, self._step = self._step[:count], self._step[count:]
            self._ended = 0
            failed = []
            for statement, time, size in stated:
                if isinstance(statement, FailedCheck):
                    failed.append(statement)
                    self._uncount(StatementSource.STEP, size)
                else:
                    self._entries.append(
                        WaitingStatement(statement, time, StatementSource.STEP, size)
                    )
        return failed

    def step_waits(self) -> None:
        """The step has ended in playback, and the one that waited before it is not recorded.

        Of what was stated in that one the rest keeps what stays true after it, and what stops a
        game. All else would be recorded at an instant that it is not about.
        """
        with self._lock:
            lapsed, since = self._step[: self._ended], self._step[self._ended :]
            lasting = _lasting(lapsed, since)
            for _, _, size in lapsed:
                self._uncount(StatementSource.STEP, size)
            for _, _, size in lasting:
                self._count(StatementSource.STEP, size)
            self._step = lasting + since
            self._ended = len(self._step)

    def forget_step(self) -> None:
        """The game is gone: its last step never ends."""
        with self._lock:
            for _, _, size in self._step:
                self._uncount(StatementSource.STEP, size)
            self._step, self._ended = [], 0

    # --- bounds ---------------------------------------------------------------------------------

    def _count(self, source: StatementSource, size: int) -> bool:
        size += OVERHEAD
        if self._counts[source] >= MOST[source] or self._bytes[source] + size > self._room[source]:
            self.dropped += 1
            return False
        self._counts[source] += 1
        self._bytes[source] += size
        return True

    def _uncount(self, source: StatementSource, size: int) -> None:
        self._counts[source] -= 1
        self._bytes[source] -= size + OVERHEAD

    def _define(self, statement: Statement) -> None:
        if isinstance(statement, TreeDefinition) and isinstance(statement.agent, int):
            self._defined[0].add((statement.agent, statement.tree))


def _lasting(lapsed: list[StepEntry], since: list[StepEntry]) -> list[StepEntry]:
    """Those of a step that is not recorded which still matter after what was stated since."""
    newest: dict[object, int] = {}
    for number, (statement, _, _) in enumerate(lapsed + since):
        newest[_topic(statement, number)] = number
    return [
        entry
        for number, entry in enumerate(lapsed)
        if (topic := _topic(entry[0], number)) is not None and newest[topic] == number
    ]


def _topic(statement: Statement | FailedCheck, number: int) -> object:
    """What a statement is about that the next one of the same replaces; None if it holds no longer
    than its frame."""
    match statement:
        case (
            Drawing(latch=None)
            | LogEntry()
            | WatchedValue()
            | TreeTickStatement()
            | AnimationStatement()
        ):
            return None
        case Input() | GameEvent() | Picture() | AgentDecision():
            return None
        case TransitionStatement():
            return "state", statement.agent, statement.trace.machine
        case ObjectName():
            return "name", statement.object
        case ObjectFact():
            return "fact", statement.object, statement.key
        case TreeDefinition():
            return "tree", statement.agent, statement.tree
        case Drawing():
            return "draw", statement.object, statement.latch
        case Phase():
            return "phase"
    return number
