"""The functions that a game serves to tools by name; they run on the game's thread."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from ...errors import (
    CapacityError,
    CommandError,
    GameError,
    HandlerError,
    PlayheadError,
    RecordingError,
)
from ...playback.pending_command import Outcome, PendingCommand
from ...recorder.fault_counts import FaultCounts, error_text
from ...recorder.text.name_hint import name_hint
from ..messages.plain_values import MOST_NAMES, checked_name, packed_plain

MOST_HANDED = (1 << 20) - 4096
"""Bytes of what is handed over and of what comes back: a message, without its envelope."""

Handler: TypeAlias = Callable[[Any], Any]
"""Is given a plain body and returns a plain value."""


def checked_served_name(name: str) -> None:
    """See that something can be served under a name.

    Raises:
        HandlerError: the name is none.
    """
    try:
        checked_name(name, f"serve {name!r}")
    except RecordingError as error:
        raise HandlerError(str(error)) from None


class RpcCall:
    """A tool's call of a served function; `result` is set when it has run."""

    def __init__(self, name: str, argument: Any) -> None:
        self.name = name
        self.argument = argument
        self.result: Any = None


class PendingResult:
    """Returned by a handler that has no answer yet; the caller gets the answer later.

    For the game's thread.
    """

    def __init__(self) -> None:
        self._settle: Callable[[Any, PlayheadError | None], object] | None = None
        self._early: tuple[Any, PlayheadError | None] | None = None

    def finish(self, result: Any) -> None:
        """Answer with this plain value."""
        self._done(result, None)

    def fail(self, error: PlayheadError) -> None:
        """Answer with an error."""
        self._done(None, error)

    def on_done(self, settle: Callable[[Any, PlayheadError | None], object]) -> None:
        """Have `settle` called with the result or the error, at once if there is one already."""
        self._settle = settle
        if self._early is not None:
            settle(*self._early)

    def _done(self, result: Any, error: PlayheadError | None) -> None:
        if self._settle is None:
            self._early = result, error
        else:
            self._settle(result, error)


class RpcRegistry:
    """Handlers by name. For the game's thread."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def serve(self, name: str, handler: Handler) -> None:
        """Have `handler(argument)` called on the game's thread for each `call` of that name.

        It runs in `update` and `wait`, also while the world is paused. What it returns, or raises,
        goes to the tool; an error does not reach the game. Serving a name again replaces its
        handler.

        Raises:
            HandlerError: the name is no text that can be printed, or the handler can't be called.
            CapacityError: there are too many names.
        """
        checked_served_name(name)
        if not callable(handler):
            raise HandlerError(f"serve {name!r}: {handler!r} can't be called: give a function")
        if name not in self._handlers and len(self._handlers) >= MOST_NAMES:
            raise CapacityError(f"serve {name!r}: {MOST_NAMES} names are served already")
        self._handlers[name] = handler

    def withdraw(self, name: str) -> None:
        """Stop serving a name, if it is served."""
        self._handlers.pop(name, None)

    def obey(
        self, pending: PendingCommand[Any], call: RpcCall, faults: FaultCounts, *,
        began: Callable[[], object], outcome: Callable[[], Outcome],
    ) -> None:  # fmt: skip
        """Carry a call out and answer who sent it: no error of theirs is the game's.

        Args:
            faults: Where an error of the handler's own code is counted.
            began: Called when a handler was called: what it has changed is in no frame yet.
            outcome: Gives the answer to what went well.
        """

        def settle(result: Any, error: PlayheadError | None) -> None:
            try:
                if error is not None:
                    raise error
                call.result = _copied(call, result)
            except PlayheadError as refusal:
                pending.answer(refusal)
            else:
                pending.answer(outcome())

        result: Any = None
        try:
            try:
                result = self.carry_out(call)
            finally:
                if call.name in self._handlers and not isinstance(result, PendingResult):
                    began()
        except PlayheadError as error:
            pending.answer(error)
        except Exception as error:
            cause = f"call {call.name!r}"
            faults.call_refused(cause, error)
            pending.answer(GameError(f"{cause}: {error_text(error)}"))
        except BaseException as error:  # it may end the game: the caller gets an answer
            pending.answer(GameError(f"call {call.name!r}: {error_text(error)}"))
            raise
        else:
            if isinstance(result, PendingResult):
                result.on_done(settle)
            else:
                settle(result, None)

    def carry_out(self, call: RpcCall) -> Any:
        """Call who serves that name; returns what it returned.

        Raises:
            CommandError: nothing serves it.
            Exception: whatever the handler raised.
        """
        name = call.name
        handler = self._handlers.get(name)
        if handler is None:
            hint = name_hint(name, self._handlers)
            raise CommandError(f"call {name!r}: this game serves no function of that name: {hint}")
        return handler(call.argument)


def _copied(call: RpcCall, result: Any) -> Any:
    """A copy made here and now: the game may go on with what it returned."""
    packed = packed_plain(result, f"call {call.name!r}: the game's answer", MOST_HANDED)
    return msgspec.msgpack.decode(packed)
