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
    by_lower_case = {one.lower(): one for one in reversed(names)}
    near = difflib.get_close_matches(name[:_LONGEST].lower(), by_lower_case, n=1)
    if near:
        return f"did you mean {by_lower_case[near[0]]!r}?"
    if len(names) < 2:
        return f"there is only {names[0]}" if names else "there are none"
    listed = ", ".join(names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return f"there are {listed}{f' and {more} more' if more > 0 else ''}"
