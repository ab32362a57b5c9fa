"""What a game serves: functions by name, which tools have called on the game's thread."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from ..errors import (
    CapacityError,
    CommandError,
    GameError,
    HandlerError,
    PlayheadError,
    RecordingError,
)
from ..playback.order import Order, Outcome
from ..recorder.faults import Faults, words
from .plain import MOST_NAMES, checked_name, packed_plain

MOST_HANDED = (1 << 20) - 4096
"""Bytes of what is handed over and of what comes back: a message, without its envelope."""

Handler: TypeAlias = Callable[[Any], Any]
"""Is given a plain body and returns a plain value."""


class Instruction:
    """Something that a tool wants done under a name; `result` is there when it was."""

    def __init__(self, name: str, body: Any) -> None:
        self.name = name
        self.body = body
        self.result: Any = None


class Served:
    """Handlers by name. For the game's thread."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._handlers

    def serve(self, name: str, handler: Handler) -> None:
        """Have `handler(body)` called on the game's thread for each `instruct` to that name.

        That is in `update` and `wait`, also while the world stands still. What it returns is the
        tool's answer. An error that it raises is the tool's too and costs the game nothing. Who
        serves a name again replaces the one before.

        Raises:
            HandlerError: the name or the handler is none.
            CapacityError: there are too many names.
        """
        try:
            checked_name(name, f"serve {name!r}")
        except RecordingError as error:
            raise HandlerError(str(error)) from None
        if not callable(handler):
            raise HandlerError(f"serve {name!r}: {handler!r} can't be called: give a function")
        if name not in self._handlers and len(self._handlers) >= MOST_NAMES:
            raise CapacityError(f"serve {name!r}: {MOST_NAMES} names are served already")
        self._handlers[name] = handler

    def obey(
        self, order: Order[Any], instruction: Instruction, faults: Faults, *,
        began: Callable[[], object], outcome: Callable[[], Outcome],
    ) -> None:  # fmt: skip
        """Carry an instruction out and answer who sent it: no error of theirs is the game's.

        Args:
            faults: Where an error of the handler's own code is counted.
            began: Called when a handler was called: what it has changed is in no frame yet.
            outcome: Gives the answer to what went well.
        """
        try:
            try:
                self.carry_out(instruction)
            finally:
                if instruction.name in self._handlers:
                    began()
        except PlayheadError as error:
            order.answer(error)
        except Exception as error:
            cause = f"instruct {instruction.name!r}"
            faults.call_refused(cause, error)
            order.answer(GameError(f"{cause}: {words(error)}"))
        else:
            order.answer(outcome())

    def carry_out(self, instruction: Instruction) -> None:
        """Call who serves that name; what it returned is the instruction's result.

        Raises:
            CommandError: nobody does.
            RecordingError, CapacityError: what it returned is not plain, or too large.
            Exception: whatever the handler raised.
        """
        name = instruction.name
        handler = self._handlers.get(name)
        if handler is None:
            there = ", ".join(self._handlers) or "nothing"
            raise CommandError(f"instruct {name!r}: this game does not serve it; it serves {there}")
        answer = handler(instruction.body)
        # Copied here and now: the game may go on with what it returned.
        packed = packed_plain(answer, f"instruct {name!r}: the game's answer", MOST_HANDED)
        instruction.result = msgspec.msgpack.decode(packed)
