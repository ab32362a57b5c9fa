"""What the game has said in the step that it has not finished: it belongs to the next frame."""

from typing import Any, cast

from ...bus.protocol import Statement
from ...bus.sayings import (
    SayAnimation,
    SayDraw,
    SayFact,
    SayLog,
    SayName,
    SayNodes,
    SayState,
    SayTree,
    SayViolation,
    SayWatch,
)
from ...bus.statements import record, undefined
from ...errors import CapacityError, PlayheadError
from ...recorder.checks import FailedCheck
from ...recorder.outside import KEPT, MOST_BYTES, Outside
from ...recorder.timeline import Timeline
from ...session import Session

# Without room it keeps nothing, and refuses what can't be recorded all the same.
_CHECK = Outside(cast(Any, None), Timeline(), 0)


_Said = tuple[Statement, int]
"""A statement, and its bytes."""


class Held:
    """Statements of one step, in order; lost with it if the game dies in the midst of it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._said: list[_Said] = []
        self._bytes = 0
        self._framed = 0
        """How many of them belong to a frame that has come and waits for the end of playback."""

    def say(self, statement: Statement, size: int, sequence: int) -> None:
        """Hold a statement for the frame.

        Raises:
            CapacityError: the step has said too much.
            RecordingError: it can't be recorded; if it is to be answered, else `tell` says so.
        """
        if len(self._said) >= KEPT or self._bytes + size > MOST_BYTES:
            self._session.recorder.outside.dropped += 1
            raise CapacityError(
                f"{len(self._said)} statements of {self._bytes} bytes wait for this step's frame:"
                " more is dropped"
            )
        if sequence and not isinstance(statement, SayViolation):
            record(_CHECK, statement)
            if isinstance(statement, SayTree):
                self._check_tree(statement)
        self._said.append((statement, size))
        self._bytes += size

    def _check_tree(self, said: SayTree) -> None:
        agent, tree = said.agent, said.trace.tree
        for statement, _ in self._said:
            match statement:
                case SayNodes(agent=a, tree=t) if (a, t) == (agent, tree):
                    return
        if not self._session.recorder.outside.has_tree(agent, tree):
            raise undefined(said)

    def tell(self, *, waited: bool = False) -> list[PlayheadError]:
        """The frame is there: have what belongs to it recorded. Returns the failures.

        `waited`: it is the one that came in playback and waited for its end.
        """
        count = self._framed if waited else len(self._said)
        said, self._said = self._said[:count], self._said[count:]
        self._bytes, self._framed = sum(size for _, size in self._said), 0
        failures: list[PlayheadError] = []
        for statement, _ in said:
            try:
                if isinstance(statement, SayViolation):
                    self._session.report_failed_check(_violation(statement))
                else:
                    record(self._session.recorder.outside, statement)
            except PlayheadError as error:
                failures.append(error)
        return failures

    def frame_ended(self) -> None:
        """A frame has come that waits, and the one that waited before it will not be recorded.

        Of what was said in that one the rest keeps what stays true behind it, and what stops a
        game. All else would be recorded at an instant that it is not about.
        """
        lapsed, since = self._said[: self._framed], self._said[self._framed :]
        self._said = _stays(lapsed, since) + since
        self._bytes = sum(size for _, size in self._said)
        self._framed = len(self._said)

    def forget(self) -> None:
        """The game is gone."""
        self._said, self._bytes, self._framed = [], 0, 0


def _stays(lapsed: list[_Said], since: list[_Said]) -> list[_Said]:
    """Those of a frame that is not recorded which still matter after what was said since."""
    newest: dict[Any, int] = {}
    for number, (statement, _) in enumerate(lapsed + since):
        newest[_key(statement, number)] = number
    return [
        said
        for number, said in enumerate(lapsed)
        if (key := _key(said[0], number)) is not None and newest[key] == number
    ]


def _key(statement: Statement, number: int) -> Any | None:
    """What a statement says something of that the next one replaces; None if it holds no longer
    than its frame."""
    match statement:
        case SayDraw(latch=None) | SayLog() | SayWatch() | SayTree() | SayAnimation():
            return None
        case SayState():
            return "state", statement.agent, statement.trace.machine
        case SayName():
            return "name", statement.object
        case SayFact():
            return "fact", statement.object, statement.key
        case SayNodes():
            return "tree", statement.agent, statement.tree
        case SayDraw():
            return "draw", statement.object, statement.latch
    return number


def _violation(said: SayViolation) -> FailedCheck:
    return FailedCheck(said.message, said.expression, said.object, said.file, said.line)
