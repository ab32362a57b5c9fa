"""Ticks of an axis of values: round numbers whose labels don't overlap."""

import math
from collections.abc import Iterable, Iterator

Tick = tuple[float, str]
"""Where it is in the axis's units, and what it says."""

_APART = 16.0
"""Pixels that there are at least between two."""
_LONGEST = 8
"""Characters for which there is room beside the axis."""


def ticks(low: float, high: float, pixels: float, *, log: bool) -> list[Tick]:
    """The ticks of an axis that goes from `low` to `high`, from the lowest on.

    Args:
        pixels: How long the axis is.
        log: Whether both ends are logarithms.
    """
    if not (high > low and pixels > 0):
        return []
    apart = (high - low) * _APART / pixels
    return _logarithmic(low, high, apart) if log else list(_linear(low, high, apart))


def _linear(low: float, high: float, apart: float) -> Iterator[Tick]:
    step = _round_step(apart)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    for count in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield count * step, _text(count * step, places)


def _round_step(least: float) -> float:
    """The least step of 1, 2 or 5 times a power of ten that is no smaller than this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least * (1 - 1e-9))


def _text(value: float, places: int) -> str:
    if value == 0:
        return "0"
    text = f"{value:.{places}f}" if 1e-4 <= abs(value) < 1e7 else f"{value:g}"
    return text if len(text) <= _LONGEST else f"{value:.3g}"


def _logarithmic(low: float, high: float, apart: float) -> list[Tick]:
    chosen: list[Tick] = []
    every = max(1, math.ceil(apart))
    decades = range(math.floor(low), math.ceil(high) + 1)
    _take(chosen, ((float(at), f"{10.0**at:g}") for at in decades if at % every == 0),
          low, high, apart)  # fmt: skip
    if every == 1:
        for times in (3, 2, 5, 7):
            between = ((at + math.log10(times), f"{times * 10.0**at:g}") for at in decades)
            _take(chosen, between, low, high, apart)
    if len(chosen) < 2 and high - low < 1.0:
        # Less than a decade: round values, which stand closer the higher they are.
        start, end = 10.0**low, 10.0**high
        if end > start:
            values = _linear(start, end, (end - start) * apart / (high - low))
            _take(
                chosen, ((math.log10(at), text) for at, text in values if at > 0), low, high, apart
            )
    return sorted(chosen)


def _take(
    chosen: list[Tick], more: Iterable[Tick], low: float, high: float, apart: float
) -> None:  # fmt: skip
    """Add those for which there is room."""
    for place, text in more:
        if low <= place <= high and all(abs(place - one) >= apart for one, _ in chosen):
            chosen.append((place, text))
