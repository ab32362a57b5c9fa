"""What an error says after an unknown name: the nearest known name, or the known ones."""

import difflib
from collections.abc import Iterable

_MOST_LISTED = 12
_LONGEST = 100
"""Characters of the unknown name that are compared: comparing takes quadratic time."""


def name_hint(name: str, known: Iterable[str]) -> str:
    """`did you mean 'hero'?` where a known name is near, else a list of the known names.

    Upper and lower case count as equal. A list keeps the order of `known` and is cut after a
    dozen names.
    """
    names = list(dict.fromkeys(known))
    near = near_name(name, names, 0.6)
    if near:
        return f"did you mean {near!r}?"
    if len(names) < 2:
        return f"there is only {names[0]}" if names else "there are none"
    listed = ", ".join(names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"there are {listed}{f' and {more} more' if more > 0 else ''}"


def near_name(name: str, known: Iterable[str], least: float = 0.76) -> str:
    """The known name that is nearest to an unknown one; empty if none is near.

    Args:
        least: How much alike they must be, 0 … 1.
    """
    by_lower_case = {one.lower(): one for one in reversed(list(known))}
    near = difflib.get_close_matches(name[:_LONGEST].lower(), by_lower_case, n=1, cutoff=least)
    return by_lower_case[near[0]] if near else ""
