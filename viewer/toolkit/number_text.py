"""Numbers as short texts."""

import math


def short(value: float) -> str:
    """A number in few characters."""
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if value == int(value) and size < 1e6:
        return str(int(value))
    if size >= 1e6 or 0 < size < 1e-3:
        return f"{value:.2e}"
    return f"{value:.3f}" if size < 10 else f"{value:.2f}" if size < 1000 else f"{value:.1f}"
