"""Watches what a py_trees tree reads and writes on its blackboard."""

import sys
import threading
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

import msgspec

from ...recorder.packets.layouts.plain_value_codec import encode
from ...recorder.packets.trace_types import BlackboardAccess
from ...recorder.statements.tree_tick_writer import are_same
from ...recorder.text.safe_text import safe_text

MOST_TEXT = 200
"""Characters kept of a text."""
_MOST_ITEMS = 1000
"""Items of a list or a mapping that is recorded with all that it holds …"""
_MOST_BYTES = 4096
"""… and its bytes then."""
_MOST_ACCESSES = 1000
"""Uses of the blackboard that are recorded of one tick."""
_ACCESSES = {
    "READ": "read", "ACCESSED": "read", "WRITE": "write", "INITIALISED": "create",
    "UNSET": "unset", "ACCESS_DENIED": "denied", "NO_KEY": "missing", "NO_OVERWRITE": "kept",
}  # fmt: skip
_PLAIN = frozenset((int, float, bool, type(None)))
_MISSING = object()

Report = Callable[[str, str], None]
"""Takes a key of the blackboard, and why its value is not recorded as it is."""


def cut_text(text: str) -> str:
    """The first part of a text; a mark shows that it was cut."""
    # A lone surrogate can't be written as UTF-8.
    text = text if text.isascii() else text.encode(errors="backslashreplace").decode()
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[: MOST_TEXT - 40]}… ({len(text):,} characters)"


def plain_value(key: str, value: Any, report: Report) -> Any:
    """A copy of a value as it is recorded: plain, or a text about what is not plain."""
    kind = value.__class__
    if kind in _PLAIN:
        if kind is int and abs(value) >= 1 << 63:
            report(key, "it is a whole number of more than 64 bits")
            return cut_text(str(value))
        return value
    if kind is str:
        text = cut_text(value)
        if text is not value and len(value) > MOST_TEXT:
            report(key, "its text is too long")
        return text
    if isinstance(value, Enum):
        return value.name
    try:
        if len(value) > _MOST_ITEMS:
            report(key, f"a {kind.__name__} of {len(value):,} items is too long")
            return f"{kind.__name__} of {len(value):,} items"
    except Exception:  # an object without a length may be plain all the same
        pass
    try:
        payload = encode(value)
        if len(payload) <= _MOST_BYTES:
            return msgspec.msgpack.decode(payload)
        reason = f"it has {len(payload):,} bytes"
    except Exception:
        reason = f"a {kind.__name__} is no plain value"
    report(key, reason)
    return cut_text(f"{kind.__name__}: {safe_text(value)}")


class BlackboardWatch:
    """Follows the blackboard of one tree.

    Args:
        report: Hears of each value that can't be recorded as it is.
    """

    def __init__(self, report: Report) -> None:
        self.entries: dict[str, Any] = {}
        """What it held after the last tick."""
        self._report = report
        self._raw: dict[str, Any] = {}
        """The same, as the program's own objects, of what can't change by itself."""
        self._keys: list[str] = []
        self._clients: dict[Any, int] = {}

    def follow(self, nodes: Iterable[Any]) -> None:
        """Follow the entries that the clients of these nodes may read or write."""
        keys: set[str] = set()
        self._clients = {}
        for index, node in enumerate(nodes):
            for client in getattr(node, "blackboards", ()):
                self._clients[client.id()] = index
                remapped = getattr(client, "remappings", {})
                for key in (*client.read, *client.write, *getattr(client, "exclusive", ())):
                    keys.add(str(remapped.get(key, key)))
        self._keys = sorted(keys | {key for key in self.entries if key not in keys})

    @property
    def values(self) -> dict[str, Any]:
        """What the entries that are followed hold now, by the last part of each key that is no
        other's."""
        module = sys.modules.get("py_trees.blackboard")
        if module is None:
            return {}
        storage = module.Blackboard.storage
        keys_by_name: dict[str, list[str]] = {}
        for key in self._keys:
            if key in storage:
                keys_by_name.setdefault(key.rpartition("/")[2], []).append(key)
        return {name: storage[keys[0]] for name, keys in keys_by_name.items() if len(keys) == 1}

    def begin(self) -> "_Tick | None":
        """A tick begins on this thread; None if nothing uses a blackboard."""
        module = sys.modules.get("py_trees.blackboard")
        if module is None or not module.Blackboard.clients:
            return None
        return _tap.begin(module, self)

    def end(self, tick: "_Tick | None") -> None:
        """The tick has ended."""
        if tick is not None:
            _tap.end(tick)
            if tick.dropped:
                self._report("accesses", f"a tick has more than {_MOST_ACCESSES} of them")

    def accesses(self, tick: "_Tick | None") -> tuple[BlackboardAccess, ...]:
        """How the blackboard was used in a tick that has ended."""
        if tick is None or not tick.accesses:
            return ()
        node_of = self._clients.get
        return tuple(
            msgspec.structs.replace(access, node=node_of(client, -1), client="")
            if client in self._clients
            else access
            for client, access in zip(tick.clients, tick.accesses, strict=True)
        )

    def changes(self) -> tuple[str, ...]:
        """The keys that have changed since the last time."""
        module = sys.modules.get("py_trees.blackboard")
        if module is None or not self._keys:
            return ()
        get, raw, entries = module.Blackboard.storage.get, self._raw, self.entries
        changed: list[str] = []
        for key in self._keys:
            value = get(key, _MISSING)
            if value is raw.get(key, _MISSING):
                if value is _MISSING and key in entries:
                    pass  # it was a value that may change by itself: below
                else:
                    continue
            if value is _MISSING:
                raw.pop(key, None)
                if entries.pop(key, _MISSING) is not _MISSING:
                    changed.append(key)
                continue
            plain = plain_value(key, value, self._report)
            if plain is value:
                raw[key] = value
            else:
                raw.pop(key, None)
            before = entries.get(key, _MISSING)
            if before is _MISSING or not are_same(before, plain):
                entries[key] = plain
                changed.append(key)
        return tuple(changed)

    def access_of(self, item: Any, accesses: list[BlackboardAccess]) -> BlackboardAccess:
        """One use of the blackboard, which py_trees calls an activity, after those before it."""
        key, kind = str(item.key), str(getattr(item.activity_type, "value", item.activity_type))
        name = _ACCESSES.get(kind, kind.lower())
        before = after = None
        if name in ("write", "unset"):
            known = self.entries.get(key, _MISSING)
            earlier = next((one for one in reversed(accesses) if one.key == key), None)
            if earlier is not None and earlier.access in ("read", "write", "create"):
                before = earlier.after
            elif known is not _MISSING:
                before = known  # the object itself may have been changed since
            else:
                before = plain_value(key, item.previous_value, self._report)
        if name in ("read", "write", "create", "kept"):
            after = plain_value(key, item.current_value, self._report)
        if key not in self._keys and name not in ("denied", "missing"):
            self._keys.append(key)
        return BlackboardAccess(key, name, -1, cut_text(str(item.client_name)), before, after)


class _Tick:
    """A tick that is under way on a thread."""

    def __init__(self, watch: BlackboardWatch) -> None:
        self.watch = watch
        self.thread = threading.get_ident()
        self.accesses: list[BlackboardAccess] = []
        self.clients: list[Any] = []
        """The client of each access."""
        self.dropped = 0

    def push(self, item: Any) -> None:
        """Note what the tree did."""
        if len(self.accesses) >= _MOST_ACCESSES:
            self.dropped += 1
        else:
            self.accesses.append(self.watch.access_of(item, self.accesses))
            self.clients.append(item.client_id)


class _Tap:
    """Replaces py_trees' stream of activities while trees are ticked, one for all threads.

    A program's own stream is served as before, and is put back after the tick.
    """

    def __init__(self) -> None:
        self.ticks: list[_Tick] = []
        self._lock = threading.Lock()
        self._stream: Any = None

    def begin(self, module: Any, watch: BlackboardWatch) -> _Tick:
        tick = _Tick(watch)
        with self._lock:
            board = module.Blackboard
            if self._stream is None:
                self._stream = _stream_class()(self)
            if board.activity_stream is not self._stream:
                self._stream.own = board.activity_stream
                board.activity_stream = self._stream
            self.ticks = [*self.ticks, tick]
        return tick

    def end(self, tick: _Tick) -> None:
        with self._lock:
            self.ticks = [one for one in self.ticks if one is not tick]
            board = sys.modules["py_trees.blackboard"].Blackboard
            if not self.ticks and board.activity_stream is self._stream:
                board.activity_stream, self._stream.own = self._stream.own, None

    def push(self, item: Any) -> None:
        thread = threading.get_ident()
        for tick in self.ticks:
            if tick.thread == thread:
                tick.push(item)


def _stream_class() -> Any:
    """A stream that passes everything on; made when py_trees is there."""
    from py_trees.blackboard import ActivityStream

    class RecordedStream(ActivityStream):
        def __init__(self, tap: _Tap) -> None:
            self.own: Any = None
            self._tap = tap
            super().__init__()

        def push(self, activity_item: Any) -> None:
            if self.own is not None:
                self.own.push(activity_item)
            self._tap.push(activity_item)

        def clear(self) -> None:
            if self.own is not None:
                self.own.clear()

        @property
        def data(self) -> list[Any]:
            return [] if self.own is None else self.own.data

        @data.setter
        def data(self, items: list[Any]) -> None:
            if self.own is not None:
                self.own.data = items

    return RecordedStream


_tap = _Tap()
