"""The model of the state machine panel: the state, the graph seen so far, and all reasons."""

from collections.abc import Sequence
from typing import NamedTuple

from ...reader.frame_snapshot import FrameSnapshot
from ...reader.history_entries import ObjectEnd, StateChange
from ...reader.lane_data import SpanLane
from ...state.agent_beliefs import CurrentBelief
from ...state.agent_beliefs import words as believed
from ...toolkit.number_text import short
from ...toolkit.time_text import span_text, time_text

FRESH = 4
"""How many transitions the graph still shows, the older the fainter."""
LISTED = 40
"""How many are listed with their reasons."""


class Reason(NamedTuple):
    """One line of the account of a transition."""

    kind: str
    """`transition`, `won`, `also`, `rejected`, `value`, `belief` or `where`; `heading` and `held`
    are of what the agent believes now."""
    text: str
    note: str = ""
    frame: int = 0
    """Where a click leads."""
    newest: bool = False
    opened: bool = False
    """Of a transition: whether its reasons follow."""
    file: str = ""
    """Of `where`: the whole path, …"""
    line: int = 0
    """… and the line."""
    object: int = 0
    """Of a belief: about whom."""


class StateGraph(NamedTuple):
    """The states and transitions that were seen, and which are fresh."""

    states: tuple[str, ...]
    """In the order in which they were first entered."""
    edges: dict[tuple[str, str], float]
    """From and to: 1 for the newest transition, fading to 0 for those long ago."""
    active: str


class Headline(NamedTuple):
    """The newest transition, as the panel's first line tells it."""

    source: str
    target: str
    time: str
    won: str
    """The condition that decided."""
    dwell: str
    """How long the state has lasted, or did."""


def transition_reasons(
    changes: Sequence[StateChange], snapshot: FrameSnapshot, folded: frozenset[int] = frozenset()
) -> list[Reason]:
    """The transitions up to the shown frame, newest first, with the reasons of those that are open.

    Args:
        folded: Frames of transitions that are turned over: the newest is open, all others are not.
    """
    rows: list[Reason] = []
    for place, change in enumerate(changes):
        opened = (not place) ^ (change.frame in folded)
        rows.append(Reason(
            "transition", titled(change), time_text(change.time), change.frame, not place,
            opened,
        ))  # fmt: skip
        if opened:
            rows += _reasons(change, snapshot)
    return rows


def titled(change: StateChange) -> str:
    """A transition in few words."""
    return f"{change.trace.source or '·'} → {change.trace.target}"


def _reasons(change: StateChange, snapshot: FrameSnapshot) -> list[Reason]:
    trace = change.trace
    rows = [Reason("won", trace.won, frame=change.frame)]
    rows += [Reason("also", text, "also true, came later in order") for text in trace.also_true]
    rows += [Reason("rejected", one.condition, one.reason) for one in trace.rejected]
    rows += [Reason("value", name, value_of(value)) for name, value in trace.values.items()]
    for belief in trace.beliefs:
        age = change.time - belief.seen
        seen = "in sight then" if age < 0.02 else f"seen {span_text(age)} before"
        point_text = ", ".join(f"{part:.1f}" for part in belief.position)
        note = f"{belief.note}, {seen}" if belief.note else seen
        text = f"{snapshot.name_of(belief.object)} at ({point_text})"
        rows.append(Reason("belief", text, note, object=belief.object))
    if trace.file:
        text = f"{trace.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{trace.line}"
        rows.append(Reason("where", text, "open", file=trace.file, line=trace.line))
    return rows


def belief_rows(held: Sequence[CurrentBelief], unit: str) -> list[Reason]:
    """What the agent believes now."""
    if not held:
        return []
    rows = [Reason("heading", "Believes now", f"told in frame {held[0].frame}", held[0].frame)]
    for one in held:
        off = "not there" if one.error is None else f"off by {short(one.error)} {unit}".rstrip()
        note = f"{off} · {one.seen}"
        text = f"{one.label} · {one.note}" if one.note else one.label
        rows.append(Reason("held", text, note, one.frame, object=one.object))
    return rows


def headline(
    changes: Sequence[StateChange], snapshot: FrameSnapshot, gone: ObjectEnd | None = None
) -> Headline | None:  # fmt: skip
    """The newest transition; None before the first.

    Args:
        gone: Where whom it is about was gone since.
    """
    if not changes:
        return None
    newest = changes[0]
    until = snapshot.time if gone is None else gone.time
    lasted = span_text(max(0.0, until - newest.time))
    return Headline(
        newest.trace.source, newest.trace.target, time_text(newest.time), newest.trace.won,
        lasted if gone is None else f"{lasted}, gone",
    )  # fmt: skip


def outline(every: Sequence[StateChange]) -> StateGraph:
    """All that was seen of a machine, by all its transitions, oldest first; none is fresh."""
    states: dict[str, None] = {}
    edges: dict[tuple[str, str], float] = {}
    for change in every:
        for name in (change.trace.source, change.trace.target):
            if name:
                states.setdefault(name)
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 0.0
    return StateGraph(tuple(states), edges, "")


def graph(seen: StateGraph, changes: Sequence[StateChange], *, gone: bool = False) -> StateGraph:
    """A machine as it is in a frame.

    Args:
        seen: The outline of all that is known: the graph does not grow while one scrubs.
        changes: The newest transitions up to the moment, newest first.
        gone: Whether whom it is about was gone since: then no state is active.
    """
    edges = dict(seen.edges)
    for place, change in reversed(list(enumerate(changes[:FRESH]))):
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 1.0 - place / FRESH
    active = changes[0].trace.target if changes and not gone else ""
    return StateGraph(seen.states, edges, active)


class StateStay(NamedTuple):
    """How an agent was in a state over all that was read."""

    times: int
    """How often it was entered."""
    seconds: float
    """In all."""
    last: StateChange | None
    """Its newest entry at or before the shown frame."""


def stays(
    every: Sequence[StateChange], state: str, frame: int, lane: SpanLane | None = None
) -> StateStay:  # fmt: skip
    """How often and how long a machine was in a state.

    Args:
        every: All its transitions, oldest first.
        frame: Of the moment.
        lane: Its states over time; without it no time is counted.
    """
    entries = [change for change in every if change.trace.target == state]
    seconds = 0.0
    if lane is not None:
        lasted = (lane.ends - lane.starts).tolist()
        seconds = sum(one for one, name in zip(lasted, lane.names, strict=True) if name == state)
    last = next((change for change in reversed(entries) if change.frame <= frame), None)
    return StateStay(len(entries), seconds, last)


def text_of(
    name: str, machine: str, first: Headline | None, rows: Sequence[Reason],
    held: Sequence[CurrentBelief] = (), unit: str = "",
) -> str:  # fmt: skip
    """The panel in plain text."""
    lines = [f"{name} · {machine}"]
    if first is not None:
        source = first.source or "·"
        lines.append(f"{source} → {first.target} at {first.time} · {first.won} · for {first.dwell}")
    lines += [f"believes {believed(one, unit)}" for one in held]
    for row in rows:
        if row.kind in ("heading", "held"):
            continue
        indent = "" if row.kind == "transition" else "  "
        note = f"  ({row.note})" if row.note and row.kind != "where" else ""
        text = f"{row.file}:{row.line}" if row.file else row.text
        lines.append(f"{indent}{_SAID.get(row.kind, '')}{text}{note}")
    return "\n".join(lines)


_SAID = {
    "won": "won: ", "also": "also true: ", "rejected": "lost: ", "value": "looked at: ",
    "belief": "believed: ",
}  # fmt: skip


def value_of(value: object) -> str:
    """A value that a condition looked at, in few characters."""
    if isinstance(value, float):
        return short(value)
    return "true" if value is True else "false" if value is False else str(value)
