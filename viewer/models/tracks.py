"""The rows of the timeline: the selected object's first, then what happened, then every agent."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import palette
from .growing import Growing
from .history import History
from .lanes import Floats, SpanLane, leaf_lane, state_lane
from .moment import Key, Moment


class Event(NamedTuple):
    """A point in time."""

    time: float
    frame: int
    text: str
    color: str
    object: int = 0
    grave: bool = False


class Row(NamedTuple):
    """One row; which of the last three it has decides how it is drawn."""

    title: str
    height: int
    object: int = 0
    """Whom it is about: a click on its name selects that one."""
    group: str = ""
    """Set for the heading of a group: what folding it goes by."""
    spans: SpanLane | None = None
    curve: Growing | None = None
    color: str = ""
    """A curve's."""
    events: tuple[Event, ...] | None = None


HEADING, SPANS, CURVE, EVENTS = 20, 21, 28, 18
_MOST_CURVES = 6
LEVELS = {
    "debug": palette.FAINT, "info": palette.ACCENT, "warning": palette.WARNING,
    "error": palette.FAILED,
}  # fmt: skip


def rows_of(
    history: History, selected: int, name_of: Callable[[int], str], folded: frozenset[str],
    trees: Callable[[Key], list[str]],
) -> list[Row]:  # fmt: skip
    """All rows from top to bottom.

    Args:
        name_of: What to call an object.
        folded: Groups of which only the heading is shown.
        trees: The names of a tree's nodes.
    """
    end = history.end
    rows: list[Row] = []

    def group(key: str, title: str, inside: Callable[[], list[Row]]) -> None:
        rows.append(Row(title, HEADING, group=key))
        if key not in folded:
            rows.extend(inside())

    if selected:
        mine = _selected_rows(history, selected, end, trees)
        if mine:
            group("selected", f"{name_of(selected)} · selected", lambda: mine)
    events = _event_rows(history)
    if events:
        group("events", "Events", lambda: events)
    others = [key for key in sorted(history.changes) if key[0] != selected]
    if others:
        several = len({machine for _, machine in others}) > 1

        def agents() -> list[Row]:
            return [
                Row(
                    name_of(agent) + (f" · {machine}" if several else ""), SPANS, agent,
                    spans=state_lane(history.changes[agent, machine], end),
                )
                for agent, machine in others
            ]  # fmt: skip

        count = len({agent for agent, _ in others})
        what = "agent" if count == 1 else "agents"
        group("agents", f"States · {count} {'more ' if selected else ''}{what}", agents)
    return rows


def _selected_rows(
    history: History, selected: int, end: float, trees: Callable[[Key], list[str]]
) -> list[Row]:
    rows = [
        Row(machine or "state", SPANS, agent, spans=state_lane(changes, end))
        for (agent, machine), changes in sorted(history.changes.items())
        if agent == selected
    ]
    rows += [
        Row(f"{tree} leaf", SPANS, agent, spans=leaf_lane(ticks, trees((agent, tree)), end))
        for (agent, tree), ticks in sorted(history.ticks.items())
        if agent == selected
    ]
    curves = [(name, series) for (object, name), series in history.series.items()
              if object == selected]  # fmt: skip
    rows += [
        Row(name, CURVE, selected, curve=series, color=series_color(at))
        for at, (name, series) in enumerate(curves[:_MOST_CURVES])
    ]
    return rows


def series_color(place: int) -> str:
    """The colour of a curve, by its place among the object's."""
    return palette.SERIES[place % len(palette.SERIES)]


def _event_rows(history: History) -> list[Row]:
    rows = []
    if history.marks:
        marks = tuple(
            Event(mark.time, mark.frame, mark.name + (f" · {mark.note}" if mark.note else ""),
                  palette.FAILED if mark.kind in ("check", "loss") else palette.ACCENT,
                  mark.object, mark.kind in ("check", "loss"))
            for mark in history.marks
        )  # fmt: skip
        rows.append(Row("Marks", EVENTS, events=marks))
    if history.lines:
        lines = tuple(
            Event(row.time, row.frame, row.line.text, LEVELS.get(row.line.level, palette.ACCENT),
                  row.line.object, row.line.level == "error")
            for row in history.lines
        )  # fmt: skip
        rows.append(Row("Log", EVENTS, events=lines))
    return rows


def curve_of(row: Row, history: History) -> tuple[Floats, Floats]:
    """A curve's times (seconds) and values."""
    assert row.curve is not None
    frames = row.curve.frames
    times = np.interp(frames, history.times.frames, history.times.values)
    return times, row.curve.values


def reading(row: Row, time: float, history: History) -> tuple[str, str]:
    """What a row says at a time, and in which colour; empty where it says nothing."""
    if row.spans is not None:
        at = row.spans.at(time)
        if at is None or not row.spans.names[at]:
            return "", ""
        return row.spans.names[at], palette.lighter(row.spans.colors[at])
    if row.curve is not None and len(row.curve):
        times, values = curve_of(row, history)
        place = int(np.searchsorted(times, time + 1e-9, side="right")) - 1
        if place >= 0:
            return short(float(values[place])), row.color
    return "", ""


def short(value: float) -> str:
    """A number in few characters."""
    if not np.isfinite(value):
        return str(value)
    size = abs(value)
    if value == int(value) and size < 1e6:
        return str(int(value))
    if size >= 1e6 or 0 < size < 1e-3:
        return f"{value:.2e}"
    return f"{value:.3f}" if size < 10 else f"{value:.2f}" if size < 1000 else f"{value:.1f}"


def node_names(moment: Moment | None, key: Key) -> list[str]:
    """The names of a tree's nodes, as it is defined at a moment."""
    return [] if moment is None else [node.name for node in moment.trees.get(key, ())]
