"""The registry of handlers by type: they are registered one by one, by explicit calls."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from ..errors import HandlerError
from ..recorder.handler_interface import (
    BatchHandler,
    HandlerSpec,
    PlaybackHandler,
    RecordHandler,
    missing_to_record,
    tries_to_record,
)
from ..recorder.text.name_hint import name_hint

AnyHandler: TypeAlias = RecordHandler | BatchHandler | PlaybackHandler


class HandlerRegistry:
    """The handlers of a game, by object type: what `Session(handlers=…)` makes of a mapping.

    Register them before recording begins, or between two frames.

    Args:
        handlers: The first ones, as a mapping from types to handlers. A type without one (None) is
            left out on purpose, as `ignore` does.

    Raises:
        HandlerError: see `register`.
    """

    def __init__(self, handlers: Mapping[str, AnyHandler | None] | None = None) -> None:
        self._specs: dict[str, HandlerSpec] = {}
        self._players: dict[str, PlaybackHandler] = {}
        self._listeners: list[Callable[[HandlerSpec], None]] = []
        self._ignored: set[str] = set()
        for type, handler in (handlers or {}).items():
            if handler is None:
                self.ignore(type)
            else:
                self.register(type, handler)

    def register(
        self,
        type: str,
        handler: RecordHandler | BatchHandler | PlaybackHandler | None = None,
        *,
        record: RecordHandler | BatchHandler | None = None,
        play: PlaybackHandler | None = None,
        channels: tuple[str, ...] = (),
    ) -> HandlerSpec:
        """Serve a type by `handler`, which records and plays, or by one for each half.

        Args:
            type: The type, as the world's `objects` names it.
            handler: What records its objects, plays them, or both.
            record: What records them, if that is another one.
            play: What plays them.
            channels: The type is recorded only while one of these channels is.

        Raises:
            HandlerError: the type is served already, or neither half is given, or one of them
                lacks something.
        """
        self._check_name(type)
        if type in self._specs:
            raise HandlerError(
                f"type {type!r} has a handler already: two can't serve it; change that one"
            )
        if type in self._ignored:
            raise HandlerError(f"type {type!r} is ignored: take it out of ignore() to record it")
        if isinstance(channels, str):
            raise HandlerError(f"type {type!r}: channels {channels!r}: write ({channels!r},)")
        for half in (handler, record, play):
            if isinstance(half, _CLASS):
                raise HandlerError(
                    f"type {type!r}: the class {half.__name__} is no handler: give an instance,"
                    f" {half.__name__}(…)"
                )
        if record is None and tries_to_record(handler):
            record = cast(RecordHandler, handler)
        if play is None and isinstance(handler, PlaybackHandler):
            play = handler
        if record is None and play is None:
            raise HandlerError(
                f"type {type!r}: {handler!r:.200} has neither layout, size() and record(), nor"
                " play(); for objects with plain fields FieldHandler(an_object) makes a handler"
            )
        if record is not None and (lacking := missing_to_record(record)):
            raise HandlerError(f"type {type!r}: {lacking}")
        if play is not None and not isinstance(play, PlaybackHandler):
            raise HandlerError(f"type {type!r}: {play!r} has no play()")
        spec = HandlerSpec(type, record, play, tuple(channels))
        for listener in self._listeners:
            listener(spec)
        self._specs[type] = spec
        if play is not None:
            self._players[type] = play
        return spec

    def play(self, type: str, handler: PlaybackHandler) -> None:
        """Play a type that the world records as columns. At any time, also while a frame is open.

        Raises:
            HandlerError: the type is played already.
        """
        self._check_name(type)
        if type in self._players:
            raise HandlerError(f"type {type!r} is played already: two handlers can't do that")
        self._players[type] = handler

    def ignore(self, *types: str) -> None:
        """Leave types out on purpose: their objects are neither recorded nor counted as lost.

        Raises:
            HandlerError: one of them has a handler, or is no name; none is ignored then.
        """
        for type in types:
            self._check_name(type)
            if type in self._specs:
                raise HandlerError(
                    f"type {type!r} has a handler: it can't be ignored too; register none for it"
                )
        for type in types:
            if type not in self._ignored:
                for listener in self._listeners:
                    listener(HandlerSpec(type, None, None))
                self._ignored.add(type)

    @property
    def ignored(self) -> frozenset[str]:
        """The types that are left out on purpose."""
        return frozenset(self._ignored)

    @staticmethod
    def _check_name(type: Any) -> None:
        if not isinstance(type, str) or not type or type.startswith("."):
            raise HandlerError(f"type {type!r}: a type has a name, and none that begins with '.'")

    def on_register(self, listener: Callable[[HandlerSpec], None]) -> None:
        """Have `listener` called for all that is registered, now and later; it may refuse.

        An ignored type is passed on as one with neither half.
        """
        for spec in self._specs.values():
            listener(spec)
        for type in sorted(self._ignored):
            listener(HandlerSpec(type, None, None))
        self._listeners.append(listener)

    @property
    def players(self) -> dict[str, PlaybackHandler]:
        """The playing halves by type, always as they are now."""
        return self._players

    def __iter__(self) -> Iterator[HandlerSpec]:
        return iter(self._specs.values())

    def __contains__(self, type: str) -> bool:
        return type in self._specs

    def __getitem__(self, type: str) -> HandlerSpec:
        try:
            return self._specs[type]
        except KeyError:
            raise HandlerError(
                f"no handler is registered for type {type!r}: {name_hint(type, self._specs)}"
            ) from None


_CLASS = type
"""The builtin, where `type` is the name of an object's."""

Handlers: TypeAlias = HandlerRegistry | Mapping[str, AnyHandler | None]
"""What a session takes."""


def registry_of(handlers: Handlers | None) -> HandlerRegistry:
    """The handlers as a registry; one that is given is used itself.

    Raises:
        HandlerError: they are neither a mapping nor a registry, or one of them is wrong.
    """
    if isinstance(handlers, HandlerRegistry):
        return handlers
    if handlers is None or isinstance(handlers, Mapping):
        return HandlerRegistry(handlers)
    raise HandlerError(
        f"handlers {handlers!r:.200}: give a mapping from types to handlers, such as"
        ' {"guard": FieldHandler(a_guard)}, or a HandlerRegistry'
    )
