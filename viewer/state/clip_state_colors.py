"""Colours that a user gave to states: how they travel in a clip, among its marks."""

from collections.abc import Iterable, Mapping

import msgspec

from ...recorder.packets.mark import COLORS, Mark
from ..toolkit.palette import is_color

_NAME = "colours of states"
_LONGEST = 200


def colors_of(marks: Iterable[Mark]) -> dict[str, str]:
    """The colours that are among the marks, by the states' names in lower case.

    What makes no sense is left out: anybody may have written it.
    """
    found: dict[str, str] = {}
    for mark in marks:
        if mark.kind == COLORS:
            found.update(_read(mark.note))
    return found


def mark_with(colors: Mapping[str, str], frame: int) -> Mark:
    """The mark that holds them; its frame must be in the clip."""
    return Mark(_NAME, frame, kind=COLORS, note=msgspec.json.encode(dict(colors)).decode())


def with_color(colors: Mapping[str, str], state: str, color: str) -> dict[str, str]:
    """The same with another colour for a state; without any for it if the colour is empty."""
    changed = {name: value for name, value in colors.items() if name != state.lower()}
    if color:
        changed[state.lower()] = color
    return changed


def _read(text: str) -> dict[str, str]:
    try:
        colors = msgspec.json.decode(text, type=dict[str, str])
    except msgspec.DecodeError:
        return {}
    return {
        name.lower(): value for name, value in colors.items()
        if len(name) <= _LONGEST and is_color(value)
    }  # fmt: skip
