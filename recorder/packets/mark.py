"""Marks: named instants of a recording."""

import msgspec

COLORS = "colors"
"""The kind of the mark that is no instant: its note is JSON, the colour (`#rrggbb`) that somebody
gave to each state. It is about the whole recording, and may be at any frame of it."""


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named instant: set by hand, by a failed check, a trigger, a new epoch, or at a loss."""

    name: str
    frame: int
    """The frame that it names, which for one that came late is older than the one it is in."""
    time: float = 0.0
    """Timeline time of its frame, seconds; known once the frame is finished."""
    kind: str = "mark"
    """`mark`, `check`, `trigger`, `epoch`, `loss`; `hand`: set by a user who looked at it later,
    and to be changed or taken away again; or `colors`, see `COLORS`."""
    note: str = ""
    object: int = 0
    """The object it is about; 0 for the world."""
    expression: str = ""
    """For a failed check: the source line that failed."""
    file: str = ""
    line: int = 0
