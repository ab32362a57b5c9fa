"""The text of the timeline's tooltip, for each position of the mouse."""

import numpy as np

from ....recorder.text.duration_text import duration_text
from ...backends.annotation_store import BY_HAND
from ...reader.history.lane_data import finite_ends
from ...search.problem_list import problems
from ...toolkit.qt import QPointF
from ...toolkit.source_location_text import source_location
from ...toolkit.time_text import time_text
from ...toolkit.value_text import short_number
from .overview_and_ruler_painter import GUTTER, OVERVIEW, TOP
from .point_events import PointEvent
from .timeline_mouse import TimelineMouse
from .timeline_panel_protocol import TimelineInterface
from .timeline_rows import TimelineRow, reading

_NEAR = 5.0
_MOST_OTHERS = 5
"""Events of one time that the card names beside the first."""


def tooltip_lines(panel: TimelineInterface, pointer: TimelineMouse, here: QPointF) -> list[str]:
    """Lines for the card; the first is its title."""
    if here.y() < OVERVIEW:
        return _overview(panel, here.x()) if here.x() >= GUTTER else []
    if here.y() < TOP:
        return _ruler(panel, pointer, here) if here.x() >= GUTTER else []
    row = panel.row_at(here.y())
    if row is None:
        return []
    if row.group:
        return [row.title, "Click folds it, or opens it again"]
    if here.x() < GUTTER:
        return _name(panel, row)
    return _lane(panel, row, here)


def _overview(panel: TimelineInterface, x: float) -> list[str]:
    scale, history = panel.scale, panel.store.history
    there = scale.last - scale.first
    time = scale.first + (x - GUTTER) / panel.room * there
    near = _NEAR / panel.room * there
    found = [one for one in problems(history) if abs(one.time - time) <= near]
    lines = [time_text(time), *_frame(panel, time)]
    return lines + [f"▲ {time_text(one.time)}  {one.text}" for one in found[:6]]


def _ruler(panel: TimelineInterface, pointer: TimelineMouse, here: QPointF) -> list[str]:
    if pointer.loop_edge(here) is not None:
        return ["The loop's end: drag it"]
    return [time_text(panel.time_at(here.x())), *_frame(panel, panel.time_at(here.x()))]


def _frame(panel: TimelineInterface, time: float) -> list[str]:
    """Which frame is shown at a time, and how long after the one before it came."""
    history = panel.store.history
    at = int(np.searchsorted(history.times.values, time, side="right")) - 1
    if at < 0:
        return []
    delta = float(history.deltas.values[at]) * 1000.0
    return [f"frame {int(history.times.frames[at])}   {delta:.1f} ms after the one before"]


def _name(panel: TimelineInterface, row: TimelineRow) -> list[str]:
    cursor = panel.store.cursor
    text = "" if cursor is None else reading(row, cursor, panel.store.history)[0]
    lines = [row.title + (f"   {text} {row.unit}".rstrip() if text else "")]
    if row.object:
        lines.append(f"Click selects {panel.name_of(row.object)} · right click for more")
    return lines


def _lane(panel: TimelineInterface, row: TimelineRow, here: QPointF) -> list[str]:
    time = panel.time_at(here.x())
    if row.film:
        return [row.film, time_text(time)]
    if row.events is not None:
        event = panel.event_at(here)
        if event is None:
            return [time_text(time)]
        others = row.events.others_at(event)
        more = [f"and {len(others) - _MOST_OTHERS} more"] if len(others) > _MOST_OTHERS else []
        return [*_event(panel, event), *(one.text for one in others[:_MOST_OTHERS]), *more]
    why = {
        "evicted": "evicted: not held any more", "no data": "no data: no frames here",
        "damaged": "damaged: these frames of the file can't be read",
        "not read yet": "not read yet: what was recorded here is not known so far",
    }  # fmt: skip
    missing = panel.store.history.missing(time, time + 1e-9, panel.store.playback.span)
    missing += [one for one in row.missing if one.start <= time < one.end]
    if missing:
        return [time_text(time), why[missing[0].why]]
    text, _ = reading(row, time, panel.store.history)
    lines = [f"{row.title}   {text} {row.unit}".rstrip(), time_text(time)]
    if row.spans is not None and text:
        at = row.spans.at(time)
        assert at is not None
        start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
        lines[1] += f"   {time_text(start)} … {time_text(end)}   {duration_text(end - start)}"
        lines.append("Double click zooms to it and loops it")
    elif row.spans is None:
        ends = None if row.samples is None else finite_ends(row.samples.values)
        if ends is not None:
            lines.append(f"from {short_number(ends[0])} to {short_number(ends[1])}")
    return lines


def _event(panel: TimelineInterface, event: PointEvent) -> list[str]:
    lines = [event.text, f"{time_text(event.time)}   frame {event.frame}"]
    if event.object:
        lines.append(f"about {panel.name_of(event.object)}")
    if event.mark is not None:
        if event.mark.expression:
            lines.append(event.mark.expression)
        kind = event.mark.kind
        lines.append(
            "set by hand · right click renames or removes it" if kind == BY_HAND
            else f"recorded as a {kind}" if kind != "mark" else "recorded"
        )  # fmt: skip
    if event.file:
        lines.append(source_location(event.file, event.line))
    return lines
