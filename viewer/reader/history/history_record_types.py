"""What the history of a recording is made of: pages of statements, and entries with their times."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....recorder.packets.log_lines import LogLine
from ....recorder.packets.trace_types import AnyTrace, StateTransition, TreeTick
from ..frame_snapshot import Key


class FramePage(NamedTuple):
    """The statements of one frame."""

    frame: int
    time: float
    delta: float
    flags: int
    traces: Sequence[tuple[int, AnyTrace]] = ()
    lines: Sequence[LogLine] = ()
    watches: Mapping[Key, float] = {}
    gone: Sequence[int] = ()
    """Objects that are gone from this frame on, and with them all that held of them."""
    inputs: Mapping[Key, Any] = {}
    """What came from outside, by object and name."""
    phase: str = ""
    """The phase that the run was in; empty if in none."""
    events: Sequence[tuple[int, str, Any]] = ()
    """What happened in the game, in order: object, name and value."""
    choices: Sequence[tuple[int, str, str]] = ()
    """Decisions that were recorded with their inputs: agent, decider and choice."""


class StateChange(NamedTuple):
    """A transition of a state machine, and when."""

    frame: int
    time: float
    trace: StateTransition


class ChoiceChange(NamedTuple):
    """A decider chose another thing than before, and when."""

    frame: int
    time: float
    choice: str


class TreeTickEntry(NamedTuple):
    """A tick of a behaviour tree, and when."""

    frame: int
    time: float
    trace: TreeTick

    @property
    def statuses(self) -> Sequence[str]:
        """The status of each node."""
        return self.trace.statuses


class HistoryLine(NamedTuple):
    """A line of the log, and when."""

    frame: int
    time: float
    line: LogLine


class UnreadRange(NamedTuple):
    """A range of which there is nothing to be shown; seconds."""

    start: float
    end: float
    why: str


UNREAD = "not read yet"
"""Why something is missing that is there."""


class TimeGap(NamedTuple):
    """A range without frames between two that are held; seconds."""

    start: float
    end: float
    first: int = 0
    """The first frame that is missing, …"""
    last: int = 0
    """… and the last one."""


class ObjectEnd(NamedTuple):
    """An object was gone from here on: nothing that it was in holds any longer."""

    frame: int
    time: float
