"""What the game has said in the step that it has not finished: it belongs to the next frame."""

from typing import Any, cast

from ...bus.protocol import Statement
from ...bus.sayings import SayViolation
from ...bus.statements import record
from ...errors import CapacityError, PlayheadError
from ...recorder.checks import Violation
from ...recorder.outside import KEPT, MOST_BYTES, Outside
from ...recorder.timeline import Timeline
from ...session import Session

# Without room it keeps nothing, and refuses what can't be recorded all the same.
_CHECK = Outside(cast(Any, None), Timeline(), 0)


class Held:
    """Statements of one step, in order; lost with it if the game dies in the midst of it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._said: list[Statement] = []
        self._bytes = 0

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
        self._said.append(statement)
        self._bytes += size

    def tell(self) -> list[PlayheadError]:
        """The frame is there: have all of it recorded. Returns the failures."""
        said, self._said, self._bytes = self._said, [], 0
        failures: list[PlayheadError] = []
        for statement in said:
            try:
                if isinstance(statement, SayViolation):
                    self._session.violate(_violation(statement))
                else:
                    record(self._session.recorder.outside, statement)
            except PlayheadError as error:
                failures.append(error)
        return failures

    def forget(self) -> None:
        """The game is gone."""
        self._said, self._bytes = [], 0


def _violation(said: SayViolation) -> Violation:
    return Violation(said.message, said.expression, said.object, said.file, said.line)
