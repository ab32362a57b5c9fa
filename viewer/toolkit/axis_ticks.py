"""The ticks of an axis: round numbers whose labels don't overlap."""

import math
from collections.abc import Iterable, Iterator

Tick = tuple[float, str]
"""Its position in the axis's units, and its label."""

_MIN_DISTANCE = 16.0
"""Pixels between two ticks."""
_LONGEST_LABEL = 8
"""Characters for which there is room beside the axis."""


def ticks(low: float, high: float, pixels: float, *, log: bool) -> list[Tick]:
    """The ticks of an axis that goes from `low` to `high`, the lowest first.

    Args:
        low, high: The ends of the axis; their decimal logarithms if it is logarithmic.
        pixels: The length of the axis.
        log: Whether the axis is logarithmic.
    """
    if not (high > low and pixels > 0):
        return []
    distance = (high - low) * _MIN_DISTANCE / pixels
    return _logarithmic(low, high, distance) if log else list(_linear(low, high, distance))


def _linear(low: float, high: float, distance: float) -> Iterator[Tick]:
    step = _round_step(distance)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    for count in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield count * step, _label(count * step, decimals)


def _round_step(least: float) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that is at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _label(value: float, decimals: int) -> str:
    if value == 0:
        return "0"
    text = f"{value:.{decimals}f}" if 1e-4 <= abs(value) < 1e7 else f"{value:g}"
    return text if len(text) <= _LONGEST_LABEL else f"{value:.3g}"


def _logarithmic(low: float, high: float, distance: float) -> list[Tick]:
    chosen: list[Tick] = []
    step = max(1, math.ceil(distance))
    decades = range(math.floor(low), math.ceil(high) + 1)
    powers = ((float(decade), f"{10.0**decade:g}") for decade in decades if decade % step == 0)
    _add_where_free(chosen, powers, low, high, distance)
    if step == 1:
        for factor in (3, 2, 5, 7):
            between = (
                (decade + math.log10(factor), f"{factor * 10.0**decade:g}") for decade in decades
            )
            _add_where_free(chosen, between, low, high, distance)
    if len(chosen) < 2 and high - low < 1.0:
        # Within a decade: round values, as on a linear axis.
        start, end = 10.0**low, 10.0**high
        if end > start:
            values = _linear(start, end, (end - start) * distance / (high - low))
            logarithms = ((math.log10(value), label) for value, label in values if value > 0)
            _add_where_free(chosen, logarithms, low, high, distance)
    return sorted(chosen)


def _add_where_free(
    chosen: list[Tick], candidates: Iterable[Tick], low: float, high: float, distance: float
) -> None:  # fmt: skip
    """Add the candidates on the axis that are far enough from those already chosen."""
    for position, label in candidates:
        is_free = all(abs(position - other) >= distance for other, _ in chosen)
        if low <= position <= high and is_free:
            chosen.append((position, label))
