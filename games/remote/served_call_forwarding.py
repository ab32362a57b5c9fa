"""Calls of tools to a game on the gateway: forwarded to the game, answered when it answers."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from ...bus.gateway.messages_from_game import GatewayGame
from ...bus.messages.gateway_messages import CallGame, ReturnResult, ServeCalls
from ...bus.messages.plain_values import MOST_NAMES
from ...bus.server.rpc_registry import Handler, PendingResult, checked_served_name
from ...errors import (
    BusyError,
    CapacityError,
    CommandError,
    GameError,
)

MOST_CALLS = 256
"""Calls that a game may owe an answer, of all tools together and also of those that are gone."""


class RemoteCalls:
    """What the game serves, and the calls that it has not answered. For the recording thread.

    Args:
        serve: Has a handler called under a name.
        withdraw: Ends that.
        game: The game that is connected, if there is one.
    """

    def __init__(
        self, serve: Callable[[str, Handler], object], withdraw: Callable[[str], object],
        game: Callable[[], GatewayGame | None],
    ) -> None:  # fmt: skip
        self._serve, self._withdraw, self._game = serve, withdraw, game
        self._names: set[str] = set()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[str, PendingResult]] = {}

    def serve(self, message: ServeCalls) -> None:
        """The game serves these names from now on, and no others.

        Raises:
            HandlerError: a name is none.
            CapacityError: there are too many.
        """
        for name in message.names:  # all of them first: what is refused changes nothing
            checked_served_name(name)
        if len(set(message.names)) > MOST_NAMES:
            raise CapacityError(f"serve: {len(set(message.names))} names; {MOST_NAMES} is the most")
        for name in self._names.difference(message.names):
            self._withdraw(name)
            self._names.discard(name)
        for name in message.names:
            self._serve(name, partial(self._call, name))
            self._names.add(name)

    def _call(self, name: str, argument: Any) -> PendingResult:
        game, pending = self._game(), PendingResult()
        if game is None:
            raise GameError(f"call {name!r}: the game is gone")
        if len(self._waiting) >= MOST_CALLS:
            raise BusyError(
                f"call {name!r}: {MOST_CALLS} calls wait already for the game to return from them"
            )
        number = next(self._numbers)
        game.order(CallGame(number, name, argument))
        self._waiting[number] = name, pending
        return pending

    def returned(self, message: ReturnResult) -> None:
        """The game has answered a call.

        Raises:
            CommandError: it was given none with that number, or has answered it before.
        """
        if message.call not in self._waiting:
            raise CommandError(f"return: no call {message.call} waits for a result")
        name, pending = self._waiting.pop(message.call)
        if not message.error:
            pending.finish(message.result)
        else:
            kind = CommandError if message.refused else GameError
            pending.fail(kind(f"call {name!r}: {message.error}"))

    def gone(self) -> None:
        """The game is gone: it serves nothing, and answers nothing any more."""
        for name in self._names:
            self._withdraw(name)
        self._names.clear()
        waiting, self._waiting = self._waiting, {}
        for name, pending in waiting.values():
            pending.fail(GameError(f"call {name!r}: the game went before it answered"))
