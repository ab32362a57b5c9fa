"""Records members of enums by their names, wherever a text or a plain value is expected.

A member's number (`auto()`, mostly) means nothing to a reader, and is another number when the
enum is changed. Only an `enum.Flag`, which may be several at once, is its number in plain values.
"""

from collections.abc import Iterable
from enum import Enum, Flag
from typing import Any

from ...errors import RecordingError

_PLAIN = frozenset((str, int, float, bool, type(None)))
_TEXT = frozenset((str,))


def text_of(value: Any) -> Any:
    """The name of a member; anything else as it is: the caller checks that it is a text."""
    return _name(value) if isinstance(value, Enum) else value


def text_or_name(value: Any) -> str:
    """A value as it is shown: a member's name, else its `str`."""
    return str(_name(value) if isinstance(value, Enum) else value)


def texts_of(values: Iterable[Any], name: str) -> tuple[str, ...]:
    """Several texts, with the names of members.

    Raises:
        RecordingError: it is one text: its letters can't be meant.
    """
    if isinstance(values, str):
        raise RecordingError(f"{name}={values!r:.80}: give a list of texts, [{values!r:.80}]")
    found = tuple(values)
    if set(map(type, found)) <= _TEXT:
        return found
    return tuple(map(text_of, found))


def plain_of(value: Any) -> Any:
    """A plain value with the names of all members in it, also among the keys of a mapping.

    What holds none is given back itself.
    """
    kind = value.__class__
    if kind in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value if isinstance(value, Flag) else value.name
    if isinstance(value, dict):
        if _are_plain(value.values()) and _are_plain(value):
            return value
        return {plain_of(key): plain_of(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return value if _are_plain(value) else [plain_of(item) for item in value]
    return value


def _are_plain(values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= _PLAIN


def _name(member: Enum) -> str:
    name: str | None = member.name  # a flag with nothing set has none
    return str(member.value) if name is None else name
