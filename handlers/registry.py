"""Which handlers serve which type: registered one by one, by explicit calls."""

import difflib
from collections.abc import Callable, Iterator
from typing import Any, cast

from ..errors import HandlerError
from ..recorder.handler import BatchHandler, HandlerSpec, PlaybackHandler, RecordHandler


class HandlerRegistry:
    """The handlers of a game, by object type.

    Register them before recording begins, or between two frames.
    """

    def __init__(self) -> None:
        self._specs: dict[str, HandlerSpec] = {}
        self._players: dict[str, PlaybackHandler] = {}
        self._listeners: list[Callable[[HandlerSpec], None]] = []

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

        Raises:
            HandlerError: the type is served already, or neither half is given, or one of them
                lacks something.
        """
        if not isinstance(type, str) or not type or type.startswith("."):
            raise HandlerError(f"type {type!r}: a type has a name, and none that begins with '.'")
        if type in self._specs:
            raise HandlerError(
                f"type {type!r} has a handler already: two can't serve it; change that one"
            )
        if isinstance(channels, str):
            raise HandlerError(f"type {type!r}: channels {channels!r}: write ({channels!r},)")
        if record is None and _tries_to_record(handler):
            record = cast(RecordHandler, handler)
        if play is None and isinstance(handler, PlaybackHandler):
            play = handler
        if record is None and play is None:
            raise HandlerError(
                f"type {type!r}: {handler!r} has neither layout, size() and record(), nor play()"
            )
        if record is not None and not isinstance(record, RecordHandler | BatchHandler):
            raise HandlerError(
                f"type {type!r}: {record!r} lacks something of layout, size() and record()"
            )
        if play is not None and not isinstance(play, PlaybackHandler):
            raise HandlerError(f"type {type!r}: {play!r} has no play()")
        spec = HandlerSpec(type, record, play, tuple(channels))
        for listener in self._listeners:
            listener(spec)
        self._specs[type] = spec
        if play is not None:
            self._players[type] = play
        return spec

    def on_register(self, listener: Callable[[HandlerSpec], None]) -> None:
        """Have `listener` called for all that is registered, now and later; it may refuse."""
        for spec in self._specs.values():
            listener(spec)
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
            near = difflib.get_close_matches(type, self._specs, n=1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise HandlerError(f"no handler is registered for type {type!r}{hint}") from None


def _tries_to_record(handler: Any) -> bool:
    """Whether something means to be a recording half, be it a whole one or not."""
    return any(hasattr(handler, name) for name in ("size", "record", "record_many"))
