"""The replay panel without painting: the state of the replay, and the text of each row."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from ...reader.history.recording_history import RecordingHistory
from ...toolkit.time_text import time_text

NAME = "replay"
"""The name under which a game publishes the state of its replay, and takes commands for it."""
MARK, WATCHED = "demo begins", "replay."
"""What a recording has in it if demos are replayed: this mark, and values that begin with this."""
MOST_TIMES = 10_000


class ReplayedDemo(msgspec.Struct, frozen=True):
    """One demo of the set."""

    name: str
    selected: bool = True
    status: str = msgspec.field(default="waiting", name="standing")
    """`waiting`, `playing`, `finished`, `failed` or `skipped`."""
    progress: float = 0.0
    frame: int = 0
    """Where it begins, in the state of a recording; 0 in one that an agent publishes."""

    @property
    def is_recorded(self) -> bool:
        """Whether a recording tells it: nobody is there who would take commands."""
        return self.frame > 0


class CurrentDemo(msgspec.Struct, frozen=True):
    """The demo that is played."""

    demo: str
    row: int = 0
    rows: int = 0
    """0 if they are not known."""
    state: str = ""
    """The agent's."""


class DemoFailureRow(msgspec.Struct, frozen=True):
    """Why a demo failed, and where."""

    message: str
    time: float = 0.0
    frame: int = 0
    object: int = 0


class DemoDivergenceRow(msgspec.Struct, frozen=True):
    """What was first not as in the demo, and where."""

    text: str
    frame: int = 0


class DemoOutcomeRow(msgspec.Struct, frozen=True):
    """What came of one demo."""

    demo: str
    status: str = msgspec.field(name="standing")
    seed: int | None = None
    lap: int = 1
    seconds: float = 0.0
    recoveries: int | None = 0
    """Unknown of a game whose process died, like the next two."""
    transitions: int | None = 0
    row: int | None = 0
    failure: DemoFailureRow | None = None
    clip: str | None = None
    notes: tuple[str, ...] = ()
    run: int = 0
    """Which run of the game it was in: frames of another one are not in this recording."""
    divergence: DemoDivergenceRow | None = None


class ReplayState(msgspec.Struct, frozen=True):
    """The state of the replay, as the game publishes it."""

    running: bool = False
    lap: int = 0
    times: int = 1
    progress: float = 0.0
    demos: tuple[ReplayedDemo, ...] = ()
    now: CurrentDemo | None = None
    outcomes: tuple[DemoOutcomeRow, ...] = ()
    """Oldest first."""
    run: int = 0
    """Which run of the game this is."""

    @property
    def is_recorded(self) -> bool:
        """Whether a recording tells it: nothing can be started or chosen there."""
        return any(demo.is_recorded for demo in self.demos)


def replay_state_of(body: Any) -> ReplayState | None:
    """The state in a published value; None if it is malformed."""
    try:
        return msgspec.convert(body, ReplayState)
    except msgspec.ValidationError:
        return None


def has_replay(history: RecordingHistory) -> bool:
    """Whether demos are replayed in a recording."""
    return any(mark.name == MARK for mark in history.marks) or any(
        name.startswith(WATCHED) for _, name in history.series
    )


class ReplayRowKind(Enum):
    """How a row is painted."""

    HEADING = "heading"
    DEMO = "demo"
    OUTCOME = "outcome"
    DIVERGENCE = "divergence"
    """Of the outcome above it."""
    WORDS = "words"
    WRONG = "wrong"


class ReplayRow(NamedTuple):
    """A row of the panel."""

    kind: ReplayRowKind
    title: str
    cells: tuple[str, ...] = ()
    """Words at its right end."""
    demo: ReplayedDemo | None = None
    outcome: DemoOutcomeRow | None = None
    progress: float | None = None
    """How much of its bar is filled; None for no bar."""
    here: bool = True
    """Whether the failure of an outcome is in the recording that is shown."""

    @property
    def place(self) -> tuple[int, int] | None:
        """The frame that it leads to, and the object that it is about; None for no place."""
        if self.demo is not None:
            return (self.demo.frame, 0) if self.demo.is_recorded else None
        if self.outcome is None:
            return None
        failure, divergence = self.outcome.failure, self.outcome.divergence
        if self.kind is ReplayRowKind.DIVERGENCE and divergence is not None:
            return divergence.frame, 0 if failure is None else failure.object
        return None if failure is None else (failure.frame, failure.object)

    @property
    def summary(self) -> str:
        """As plain text."""
        check = ""
        if self.demo is not None and not self.demo.is_recorded:
            check = "[x] " if self.demo.selected else "[ ] "
        return "   ".join((check + self.title, *filter(None, self.cells)))


_SIGNS = {"finished": "✓", "failed": "✕", "skipped": "–", "playing": "▸", "waiting": "·"}


def rows_of(state: ReplayState, error_text: str = "") -> list[ReplayRow]:
    """All rows: the demos, what is played now, and the outcome of each that was played."""
    rows = [ReplayRow(ReplayRowKind.HEADING, _heading(state))]
    if not state.is_recorded:
        share = f"{state.progress:.0%}"
        rows = [rows[0]._replace(cells=(share,), progress=state.progress)]
    if error_text:
        rows.append(ReplayRow(ReplayRowKind.WRONG, error_text))
    rows += [_demo_row(demo) for demo in state.demos]
    now = state.now
    if now is not None:
        row_text = f"row {now.row} of {now.rows}" if now.rows else f"row {now.row}"
        rows.append(ReplayRow(ReplayRowKind.WORDS, f"{row_text} · {now.state}", (now.demo,)))
    outcomes = state.outcomes
    finished = sum(one.status == "finished" for one in outcomes)
    played = sum(one.status != "skipped" for one in outcomes)
    if outcomes:
        rows.append(
            ReplayRow(ReplayRowKind.HEADING, "Report", (f"{finished} of {played} finished",))
        )
    for one in reversed(outcomes):
        here = one.run == state.run
        rows.append(_outcome_row(one, here))
        if one.divergence is not None:
            kind, text = ReplayRowKind.DIVERGENCE, f"not as in the demo: {one.divergence.text}"
            rows.append(ReplayRow(kind, text, outcome=one, here=here))
    return rows


def _heading(state: ReplayState) -> str:
    if not state.running:
        return "Demos" if state.lap == 0 else "Demos · all are played"
    if state.times == 1:
        return "Demos · playing"
    return f"Demos · time {state.lap} of {state.times}"


def _demo_row(demo: ReplayedDemo) -> ReplayRow:
    word = demo.status if demo.selected or demo.status != "waiting" else "to be skipped"
    is_playing = demo.status == "playing" and not demo.is_recorded
    cells = (f"{demo.progress:.0%}" if is_playing else word,)
    shows_bar = demo.status in ("playing", "failed", "finished") and not demo.is_recorded
    progress = demo.progress if shows_bar else None
    return ReplayRow(ReplayRowKind.DEMO, demo.name, cells, demo=demo, progress=progress)


def _outcome_row(one: DemoOutcomeRow, here: bool) -> ReplayRow:
    seed = "" if one.seed is None else f"seed {one.seed}"
    lap = f"time {one.lap}" if one.lap > 1 else ""
    seconds_text = f"{one.seconds:.1f} s" if one.seconds else ""
    title = f"{_SIGNS.get(one.status, '?')}  {one.demo}"
    if one.failure is not None:
        title += f" — {_reason(one.failure.message)}"
    cells = tuple(filter(None, (seed, lap, seconds_text)))
    return ReplayRow(ReplayRowKind.OUTCOME, title, cells, outcome=one, here=here)


def _reason(message: str) -> str:
    """An agent's failure message, without what the row shows anyway."""
    before, colon, after = message.partition(": ")
    return after if colon and before.startswith("the replay of ") else message


def card_of(row: ReplayRow) -> Sequence[str]:
    """The text of a row's hover card."""
    if row.demo is not None and row.demo.is_recorded:
        return (row.demo.name, f"{row.demo.status}: a click goes to where it begins")
    if row.demo is not None:
        what = "is replayed" if row.demo.selected else "is skipped"
        return (row.demo.name, f"{row.demo.status}; it {what}: a click changes that")
    one = row.outcome
    if one is None:
        return ()
    if row.kind is ReplayRowKind.DIVERGENCE:
        return (row.title, "a click goes there" if row.here else "in another run")
    lines = [f"{one.demo} {one.status}"]
    if one.seed is not None:
        lines.append(f"seed {one.seed}, time {one.lap}")
    row_text = "row unknown" if one.row is None else f"row {one.row}"
    lines.append(
        f"{one.seconds:.1f} s, {row_text}, {_count(one.transitions, 'transition')},"
        f" {_count(one.recoveries, 'recovery', 'recoveries')}"
    )
    if one.failure is not None:
        lines.append(one.failure.message)
        there = f"{time_text(one.failure.time)}   frame {one.failure.frame}"
        lines.append(f"{there}: a click goes there" if row.here else f"{there} of another run")
    if one.clip is not None:
        lines.append(f"clip {one.clip}")
    return (*lines, *one.notes)


def _count(number: int | None, one: str, many: str = "") -> str:
    if number is None:
        return f"{many or one + 's'} unknown"
    return f"{number} {one if number == 1 else many or one + 's'}"


def toggled(state: ReplayState, name: str) -> dict[str, Any]:
    """The command to replay a demo that is skipped, or to skip one that is replayed."""
    chosen = {demo.name for demo in state.demos if demo.selected} ^ {name}
    return {"do": "select", "demos": [one.name for one in state.demos if one.name in chosen]}


def selected_all(state: ReplayState, on: bool) -> dict[str, Any]:
    """The command to replay all demos, or none."""
    return {"do": "select", "demos": [demo.name for demo in state.demos if on]}


def times(state: ReplayState, by: int) -> dict[str, Any]:
    """The command to play the set more often or less often."""
    return {"do": "times", "times": min(max(state.times + by, 1), MOST_TIMES)}
