"""What the timeline's hover card says, wherever the mouse is."""

from typing import TYPE_CHECKING

import numpy as np

from ..models.events import Event
from ..models.keeping import BY_HAND
from ..models.lanes import finite_ends
from ..models.problems import problems
from ..models.times import told, told_span
from ..models.tracks import Row, reading, short
from ..qt import QPointF
from .overview import GUTTER, OVERVIEW, TOP

if TYPE_CHECKING:
    from .timeline import TimelineDock

_NEAR = 5.0


def hints(dock: "TimelineDock", here: QPointF) -> list[str]:
    """Lines for the card; the first is its title."""
    if here.y() < OVERVIEW:
        return _overview(dock, here.x()) if here.x() >= GUTTER else []
    if here.y() < TOP:
        return _ruler(dock, here) if here.x() >= GUTTER else []
    row = dock.row_at(here.y())
    if row is None:
        return []
    if row.group:
        return [row.title, "Click folds it, or opens it again"]
    if here.x() < GUTTER:
        return _name(dock, row)
    return _lane(dock, row, here)


def _overview(dock: "TimelineDock", x: float) -> list[str]:
    scale, history = dock.scale, dock.clock.history
    there = scale.last - scale.first
    time = scale.first + (x - GUTTER) / dock.room * there
    near = _NEAR / dock.room * there
    found = [one for one in problems(history) if abs(one.time - time) <= near]
    lines = [told(time), *_frame(dock, time)]
    return lines + [f"▲ {told(one.time)}  {one.text}" for one in found[:6]]


def _ruler(dock: "TimelineDock", here: QPointF) -> list[str]:
    if dock.hand.loop_edge(here) is not None:
        return ["The loop's end: drag it"]
    return [told(dock.time_at(here.x())), *_frame(dock, dock.time_at(here.x()))]


def _frame(dock: "TimelineDock", time: float) -> list[str]:
    """Which frame is shown at a time, and how long after the one before it came."""
    history = dock.clock.history
    at = int(np.searchsorted(history.times.values, time, side="right")) - 1
    if at < 0:
        return []
    delta = float(history.deltas.values[at]) * 1000.0
    return [f"frame {int(history.times.frames[at])}   {delta:.1f} ms after the one before"]


def _name(dock: "TimelineDock", row: Row) -> list[str]:
    cursor = dock.clock.cursor
    text = "" if cursor is None else reading(row, cursor, dock.clock.history)[0]
    lines = [row.title + (f"   {text} {row.unit}".rstrip() if text else "")]
    if row.object:
        lines.append(f"Click selects {dock.name_of(row.object)} · right click for more")
    return lines


def _lane(dock: "TimelineDock", row: Row, here: QPointF) -> list[str]:
    time = dock.time_at(here.x())
    if row.events is not None:
        event = dock.event_at(here)
        return [told(time)] if event is None else _event(dock, event)
    why = {
        "evicted": "evicted: not held any more", "no data": "no data: no frames here",
        "damaged": "damaged: these frames of the file can't be read",
        "not read yet": "not read yet: what was recorded here is not known so far",
    }  # fmt: skip
    missing = dock.clock.history.missing(time, time + 1e-9, dock.clock.shown.span)
    missing += [one for one in row.missing if one.start <= time < one.end]
    if missing:
        return [told(time), why[missing[0].why]]
    text, _ = reading(row, time, dock.clock.history)
    lines = [f"{row.title}   {text} {row.unit}".rstrip(), told(time)]
    if row.spans is not None and text:
        at = row.spans.at(time)
        assert at is not None
        start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
        lines[1] += f"   {told(start)} … {told(end)}   {told_span(end - start)}"
        lines.append("Double click zooms to it and loops it")
    elif row.spans is None:
        ends = None if row.samples is None else finite_ends(row.samples.values)
        if ends is not None:
            lines.append(f"from {short(ends[0])} to {short(ends[1])}")
    return lines


def _event(dock: "TimelineDock", event: Event) -> list[str]:
    lines = [event.text, f"{told(event.time)}   frame {event.frame}"]
    if event.object:
        lines.append(f"about {dock.name_of(event.object)}")
    if event.mark is not None:
        if event.mark.expression:
            lines.append(event.mark.expression)
        kind = event.mark.kind
        lines.append(
            "set by hand · right click renames or removes it" if kind == BY_HAND
            else f"recorded as a {kind}" if kind != "mark" else "recorded"
        )  # fmt: skip
    if event.file:
        lines.append(f"{event.file.rsplit('/', 1)[-1]}:{event.line}")
    return lines
