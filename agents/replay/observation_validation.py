"""Finds impossible values in observations from games written by others."""

import math
from collections.abc import Mapping
from typing import Any

from ...games.playable_interface import Observation

HUGE = 1e9
"""Positions are smaller: squares of larger ones lose what matters."""


def wrong_in(seen: Observation, columns: Mapping[str, type]) -> str:
    """What in an observation can't be; empty if all can."""
    numbers = (*seen.position, seen.facing, *seen.camera)
    if not all(map(_is_place, numbers)):
        return (
            f"position {seen.position}, facing {seen.facing}, camera {seen.camera}: each number"
            f" must be finite and below {HUGE:g}"
        )
    for group, things in (
        ("enemies", seen.enemies), ("bosses", seen.bosses), ("items", seen.items),
        ("people", seen.people), ("dangers", seen.dangers),
    ):  # fmt: skip
        for thing in things:
            if not (all(map(_is_place, thing.position)) and math.isfinite(thing.hp)):
                return f"{group}: {thing.label!r} at {thing.position} with hp {thing.hp}"
            if not all(map(_is_place, thing.velocity)):
                return f"{group}: {thing.label!r} with velocity {thing.velocity}"
    for name, kind in columns.items():
        if name not in seen.extras:
            return f"extras has no {name!r}, which is one of the game's columns"
        value = seen.extras[name]
        if not _is_kind(value, kind):
            return f"extras[{name!r}] is {value!r:.60}, and the column is {kind.__name__}"
    return ""


def _is_place(value: float) -> bool:
    return math.isfinite(value) and -HUGE < value < HUGE


def _is_kind(value: Any, kind: type) -> bool:
    if kind is not float:
        return isinstance(value, kind)
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
