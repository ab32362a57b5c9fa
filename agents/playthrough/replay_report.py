"""The state and result of a replay: the failure, and the report."""

from typing import Literal

import msgspec

Kind = Literal[
    "stuck", "event", "order", "died", "time-out", "level", "screen", "restarted", "choice",
    "raised", "hangs",
]  # fmt: skip


class ReplayFailure(msgspec.Struct, frozen=True):
    """Why a replay was given up."""

    kind: Kind
    message: str
    """Names row, state and reason."""
    row: int
    state: str
    frame: int
    traceback: str = ""
    """The traceback of an exception in a user's own state."""


class ReplayReport(msgspec.Struct):
    """What happened so far; numbers are counts unless their docstring has a unit."""

    demo: str
    rows: int
    """How many rows the demo has."""
    row: int = 0
    """The demo's row now referred to, from 0."""
    frames: int = 0
    finished: bool = False
    """Whether the replay came to the demo's or the game's good end."""
    recoveries: int = 0
    transitions: dict[str, int] = {}
    """How often each state was entered."""
    events: list[str] = []
    """The demo's events that were played, in order."""
    surprises: list[str] = []
    """Events that the demo does not have, or not any more."""
    renamed: list[str] = []
    """The demo's events that have another name now."""
    redone: list[str] = []
    """Rows that it went back to, and what was lacking that is done there."""
    unseen: list[str] = []
    """The demo's events that were too short to be seen for sure, and were not seen."""
    ignored_items: list[str] = []
    """Items given up after too many tries, with where they are."""
    pardoned: list[str] = []
    """Enemies that it gave up on, and why."""
    debug_calls: list[str] = []
    """Calls of the game's debug functions: which, where, and why."""
    popups: int = 0
    deaths: int = 0
    failure: ReplayFailure | None = None
