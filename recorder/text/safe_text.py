"""Values in words, for messages: they come from games, and their own text may fail or be long."""

from collections.abc import Callable
from typing import Any


def safe_text(value: Any, most: int = 80, to_text: Callable[[Any], str] = repr) -> str:
    """A value in words, whatever its own text does.

    Args:
        most: Characters of it at the most.
        to_text: Makes the text: `repr` or `str`.
    """
    try:
        return to_text(value)[:most]
    except Exception:  # of its own `__repr__` or `__str__`
        return f"a {type(value).__name__} whose text can't be had"


def short_text(value: Any) -> str:
    """A value in the text of a change: six digits of a float, 60 characters of all else."""
    return f"{value:.6g}" if isinstance(value, float) else safe_text(value, 60, str)
