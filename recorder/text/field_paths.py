"""How a field and its parts are spelled: `hp`, `velocity.x`, `rect.left`, `joints[3][0]`.

Whoever takes a field's name takes all of these, and `joints.3.0` too, as columns of tables are
called. Printed are brackets.
"""

import re
from collections.abc import Iterator, Mapping

from .name_hint import name_hint

_AXES = {"x": 0, "y": 1, "z": 2, "w": 3}
_SIDES = {"left": 0, "top": 1, "width": 2, "height": 3, "x": 0, "y": 1, "w": 2, "h": 3}
"""The parts of a rectangle, as pygame calls them."""
_BRACKET = re.compile(r"\[(\d{1,9})\]")
_NUMBER = re.compile(r"\.(\d{1,9})(?![^.\[])")
_SHORT_NUMBER = re.compile(r"[0-9]{1,9}")


def field_splits(path: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The ways to read a path, as a field's name and the indexes of the part that is meant.

    A field may have dots in its own name, so the longest name comes first.
    """
    yield path, ()
    name, words = _BRACKET.sub(r".\1", path), list[str]()
    if name != path:
        yield name, ()
    while True:
        name, _, word = name.rpartition(".")
        if not name or not (_SHORT_NUMBER.fullmatch(word) or word in _AXES or word in _SIDES):
            return
        words.insert(0, word)
        parts = tuple(index for one in words if (index := _index(name, one)) is not None)
        if len(parts) == len(words):
            yield name, parts


def spelled(path: str) -> str:
    """A path as it is printed: `rect[0]` for `rect.0`."""
    return _NUMBER.sub(r"[\1]", path)


def field_hint(path: str, fields: Mapping[str, tuple[int, ...]]) -> str:
    """What an error says after a path that leads to no field: the parts of the field that it
    begins with, else the nearest name.

    Args:
        fields: The known fields, and the shape of each one's values.
    """
    head = _BRACKET.sub(r".\1", path)
    while head:
        head = head.rpartition(".")[0]
        shape = fields.get(head, ())
        if shape:
            names = ""
            if _is_rectangle(head) and shape == (4,):
                names = ", also left, top, width and height"
            return f"the parts of {head} are {head}[0] to {head}[{shape[0] - 1}]{names}"
    return name_hint(path, fields)


def _is_rectangle(name: str) -> bool:
    return name.endswith("rect")


def _index(name: str, word: str) -> int | None:
    """The index that a word after a field's name stands for; None if it stands for none."""
    if _SHORT_NUMBER.fullmatch(word):
        return int(word)
    return (_SIDES if _is_rectangle(name) else _AXES).get(word)
