"""The model of the state machine panel: the graph, the transitions with their reasons, beliefs."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ....recorder.text.duration_text import duration_text
from ...reader.frame_snapshot import FrameSnapshot
from ...reader.history.history_record_types import ObjectEnd, StateChange
from ...reader.history.lane_data import SpanLane
from ...state.agent_beliefs import CurrentBelief, belief_text
from ...toolkit.source_location_text import source_location
from ...toolkit.time_text import time_text
from ...toolkit.value_text import value_text

HIGHLIGHTED = 4
"""How many of the newest transitions the graph highlights, the older the fainter."""
LISTED = 40
"""How many transitions are listed with their reasons."""


class ReasonRow(NamedTuple):
    """A row of the list: a transition, one of its reasons, or a belief."""

    kind: str
    """`transition`; below an open one `won`, `also`, `rejected`, `value`, `belief`, `where` and
    `code`; for what the agent believes now, `heading` and `current belief`."""
    text: str
    note: str = ""
    frame: int = 0
    """The frame that a click goes to."""
    newest: bool = False
    opened: bool = False
    """For a transition: whether its reasons follow."""
    file: str = ""
    """For `where`: the file's full path, …"""
    line: int = 0
    """… and the line."""
    object: int = 0
    """For a belief: the object that it is about."""


class StateGraph(NamedTuple):
    """The states and transitions of a machine, and which of them are the newest."""

    states: tuple[str, ...]
    """In the order in which they were first entered."""
    edges: dict[tuple[str, str], float]
    """Keyed by source and target: 1 for the newest transition, fading to 0 for old ones."""
    active: str


class Headline(NamedTuple):
    """The newest transition, for the panel's header."""

    source: str
    target: str
    time: str
    won: str
    """The condition that decided."""
    dwell: str
    """How long the state has lasted, or did."""


def transition_rows(
    changes: Sequence[StateChange], snapshot: FrameSnapshot, toggled: frozenset[int] = frozenset(),
    line_of: Callable[[str, int], str] = lambda file, line: "",
) -> list[ReasonRow]:  # fmt: skip
    """The rows of transitions up to the shown frame, with the reasons of those that are open.

    Args:
        changes: Newest first.
        toggled: The frames of transitions that the user opened or folded. Of the others only the
            newest is open.
        line_of: Gives a line of the game's source; empty if it is not to be had.
    """
    rows: list[ReasonRow] = []
    for index, change in enumerate(changes):
        is_newest = index == 0
        opened = is_newest ^ (change.frame in toggled)
        rows.append(ReasonRow(
            "transition", transition_text(change), time_text(change.time), change.frame,
            is_newest, opened,
        ))  # fmt: skip
        if opened:
            rows += _reasons(change, snapshot, line_of)
    return rows


def transition_text(change: StateChange) -> str:
    """A transition as source and target."""
    return f"{change.trace.source or '·'} → {change.trace.target}"


def _reasons(
    change: StateChange, snapshot: FrameSnapshot, line_of: Callable[[str, int], str]
) -> list[ReasonRow]:
    trace = change.trace
    rows = [ReasonRow("won", trace.won, frame=change.frame)]
    rows += [ReasonRow("also", text, "also true, came later in order") for text in trace.also_true]
    rows += [
        ReasonRow("rejected", rejected.condition, rejected.reason) for rejected in trace.rejected
    ]
    rows += [ReasonRow("value", name, value_text(value)) for name, value in trace.values.items()]
    for belief in trace.beliefs:
        age = change.time - belief.seen
        seen = "in sight then" if age < 0.02 else f"seen {duration_text(age)} before"
        position = ", ".join(f"{part:.1f}" for part in belief.position)
        note = f"{belief.note}, {seen}" if belief.note else seen
        text = f"{snapshot.name_of(belief.object)} at ({position})"
        rows.append(ReasonRow("belief", text, note, object=belief.object))
    if trace.file:
        text = source_location(trace.file, trace.line)
        rows.append(ReasonRow("where", text, "open", file=trace.file, line=trace.line))
        if code := line_of(trace.file, trace.line):
            rows.append(ReasonRow("code", code, file=trace.file, line=trace.line))
    return rows


def belief_rows(beliefs: Sequence[CurrentBelief], unit: str) -> list[ReasonRow]:
    """A heading and a row for each thing that the agent believes now."""
    if not beliefs:
        return []
    frame = beliefs[0].frame
    rows = [ReasonRow("heading", "Believes now", f"recorded in frame {frame}", frame)]
    for belief in beliefs:
        note = f"{belief.error_text(unit)} · {belief.seen}"
        text = f"{belief.label} · {belief.note}" if belief.note else belief.label
        rows.append(ReasonRow("current belief", text, note, belief.frame, object=belief.object))
    return rows


def headline(
    changes: Sequence[StateChange], snapshot: FrameSnapshot, end: ObjectEnd | None = None
) -> Headline | None:  # fmt: skip
    """The newest transition; None before the first.

    Args:
        changes: Newest first.
        end: Where the object disappeared after that; None if it did not.
    """
    if not changes:
        return None
    newest = changes[0]
    until = snapshot.time if end is None else end.time
    dwell = duration_text(max(0.0, until - newest.time))
    return Headline(
        newest.trace.source, newest.trace.target, time_text(newest.time), newest.trace.won,
        dwell if end is None else f"{dwell}, gone",
    )  # fmt: skip


def whole_graph(changes: Sequence[StateChange]) -> StateGraph:
    """The graph of all transitions of a machine, oldest first, without an active state."""
    states: dict[str, None] = {}
    edges: dict[tuple[str, str], float] = {}
    for change in changes:
        for name in (change.trace.source, change.trace.target):
            if name:
                states.setdefault(name)
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 0.0
    return StateGraph(tuple(states), edges, "")


def graph_at(
    whole: StateGraph, changes: Sequence[StateChange], *, is_gone: bool = False
) -> StateGraph:
    """The graph of a machine as it is in a frame.

    Args:
        whole: The graph of all transitions: with it, states keep their positions while scrubbing.
        changes: The newest transitions up to the frame, newest first.
        is_gone: Whether the object has disappeared since: then no state is active.
    """
    edges = dict(whole.edges)
    for age, change in reversed(list(enumerate(changes[:HIGHLIGHTED]))):
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 1.0 - age / HIGHLIGHTED
    active = changes[0].trace.target if changes and not is_gone else ""
    return StateGraph(whole.states, edges, active)


class StateVisits(NamedTuple):
    """How often and how long an agent was in a state, in all that was read."""

    entries: int
    """How often the state was entered."""
    seconds: float
    last: StateChange | None
    """Its last entry at or before the shown frame."""


def state_visits(
    changes: Sequence[StateChange], state: str, frame: int, lane: SpanLane | None = None
) -> StateVisits:  # fmt: skip
    """How often and how long a machine was in a state.

    Args:
        changes: All its transitions, oldest first.
        frame: The shown frame.
        lane: Its states over time; without it the seconds are 0.
    """
    entries = [change for change in changes if change.trace.target == state]
    seconds = 0.0
    if lane is not None:
        durations = (lane.ends - lane.starts).tolist()
        seconds = sum(
            duration for duration, name in zip(durations, lane.names, strict=True) if name == state
        )
    last = next((change for change in reversed(entries) if change.frame <= frame), None)
    return StateVisits(len(entries), seconds, last)


def panel_text(
    name: str, machine: str, newest: Headline | None, rows: Sequence[ReasonRow],
    beliefs: Sequence[CurrentBelief] = (), unit: str = "",
) -> str:  # fmt: skip
    """The panel as plain text."""
    lines = [f"{name} · {machine}"]
    if newest is not None:
        change = f"{newest.source or '·'} → {newest.target}"
        lines.append(f"{change} at {newest.time} · {newest.won} · for {newest.dwell}")
    lines += [f"believes {belief_text(belief, unit)}" for belief in beliefs]
    for row in rows:
        if row.kind in ("heading", "current belief"):
            continue
        indent = "" if row.kind == "transition" else "  "
        note = f"  ({row.note})" if row.note and row.kind != "where" else ""
        text = f"{row.file}:{row.line}" if row.file else row.text
        lines.append(f"{indent}{_PREFIXES.get(row.kind, '')}{text}{note}")
    return "\n".join(lines)


_PREFIXES = {
    "won": "won: ", "also": "also true: ", "rejected": "lost: ", "value": "looked at: ",
    "belief": "believed: ",
}  # fmt: skip
