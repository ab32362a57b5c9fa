"""Formats numbers and other recorded values as short texts."""

import math


def short_number(value: float) -> str:
    """A number in few characters."""
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if value == int(value) and size < 1e6:
        return str(int(value))
    if size >= 1e6 or 0 < size < 1e-3:
        return f"{value:.2e}"
    return f"{value:.3f}" if size < 10 else f"{value:.2f}" if size < 1000 else f"{value:.1f}"


def value_text(value: object) -> str:
    """A recorded number, flag or text in few characters."""
    if isinstance(value, float):
        return short_number(value)
    return "true" if value is True else "false" if value is False else str(value)
