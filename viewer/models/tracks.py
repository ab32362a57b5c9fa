"""The rows of the timeline: the selected object's first, then what happened, then every agent."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import palette
from .book import LaneBook
from .course import Course
from .events import EventLane, GameEventLane
from .history import UNREAD, History, Missing
from .lanes import SpanLane
from .moment import Key, Moment
from .picks import Field
from .samples import Samples, broken


class Row(NamedTuple):
    """One row; which of spans, samples and events it has decides how it is drawn."""

    title: str
    height: int
    object: int = 0
    """Whom it is about: a click on its name selects that one."""
    group: str = ""
    """Set for the heading of a group: what folding it goes by."""
    spans: SpanLane | None = None
    color: str = ""
    """A curve's."""
    events: EventLane | None = None
    samples: Samples | None = None
    """A curve."""
    field: Field | None = None
    """Which field's lane it is."""
    unit: str = ""
    missing: tuple[Missing, ...] = ()
    """What of it can't be shown beside what is missing of everything."""


HEADING, SPANS, CURVE, EVENTS, PHASES = 20, 21, 28, 18, 18
_MOST_CURVES = 6


class Wanted(NamedTuple):
    """What a person wants in the timeline beside what is there anyway."""

    pinned: tuple[int, ...] = ()
    """Objects whose rows come behind the selected one's."""
    fields: tuple[Field, ...] = ()
    """Fields that have a lane of their own."""
    course: Callable[[int], Course | None] = lambda object: None
    """What has been read of an object so far."""


def rows_of(
    history: History, selected: int, name_of: Callable[[int], str], folded: frozenset[str],
    trees: Callable[[Key], list[str]], wanted: Wanted | None = None, book: LaneBook | None = None,
) -> list[Row]:  # fmt: skip
    """All rows from top to bottom.

    Args:
        name_of: What to call an object.
        folded: Groups of which only the heading is shown.
        trees: The names of a tree's nodes.
        book: Where lanes are kept from one call to the next.
    """
    wanted, book = wanted or Wanted(), book or LaneBook()
    rows: list[Row] = []

    def group(key: str, title: str, inside: Callable[[], list[Row]], object: int = 0) -> None:
        rows.append(Row(title, HEADING, object, group=key))
        if key not in folded:
            rows.extend(inside())

    if history.phases.has_text:
        rows.append(Row("Phase", PHASES, spans=book.phases(history)))
    with_fields = [field.object for field in wanted.fields]
    shown: list[int] = []
    for object in (selected, *wanted.pinned, *with_fields):
        if not object or object in shown:
            continue
        shown.append(object)
        own = _own_rows(history, object, trees, wanted, book)
        if own or object in wanted.pinned:
            why = (
                "selected" if object == selected else "pinned" if object in wanted.pinned
                else "lanes"
            )  # fmt: skip
            key = "selected" if object == selected else f"object {object}"
            group(key, f"{name_of(object)} · {why}", lambda own=own: own, object)  # type: ignore[misc]
    events = _event_rows(history, book)
    if events:
        group("events", "Events", lambda: events)
    if history.inputs:
        group("inputs", "Inputs", lambda: _input_rows(history, name_of, book))
    others = [key for key in sorted(history.changes) if key[0] not in shown]
    if others:
        several = len({machine for _, machine in others}) > 1

        def agents() -> list[Row]:
            return [
                Row(
                    name_of(agent) + (f" · {machine}" if several else ""), SPANS, agent,
                    spans=book.states(history, (agent, machine)),
                )
                for agent, machine in others
            ]  # fmt: skip

        count = len({agent for agent, _ in others})
        what = "agent" if count == 1 else "agents"
        group("agents", f"States · {count} {'more ' if shown else ''}{what}", agents)
    return rows


def _own_rows(
    history: History, object: int, trees: Callable[[Key], list[str]], wanted: Wanted,
    book: LaneBook,
) -> list[Row]:  # fmt: skip
    """What an object has of its own."""
    rows = [
        Row(machine or "state", SPANS, agent, spans=book.states(history, (agent, machine)))
        for agent, machine in sorted(history.changes)
        if agent == object
    ]
    rows += [
        Row(f"{tree} leaf", SPANS, agent,
            spans=book.leaves(history, (agent, tree), trees((agent, tree))))
        for agent, tree in sorted(history.ticks)
        if agent == object
    ]  # fmt: skip
    curves = [name for owner, name in history.series if owner == object]
    picked = {field.name for field in wanted.fields if field.object == object and field.watch}
    rows += [
        Row(name, CURVE, object, samples=history.samples((object, name)), color=series_color(at))
        for at, name in enumerate(curves)
        if at < _MOST_CURVES or name in picked
    ]
    for field in wanted.fields:
        if field.object == object and not field.watch:
            rows.append(_field_row(field, len(rows), wanted.course(object), history))
    return rows


def _field_row(field: Field, place: int, course: Course | None, history: History) -> Row:
    """The lane of a field: a curve, or a text's spans; a field not read so far has neither."""
    if course is None or not course.has(field.name):
        reads = course is None or course.progress < 1.0
        title = f"{field.name} · {'reading' if reads else 'not there'}"
        return Row(title, EVENTS, field.object, events=EventLane(()), field=field)
    note, missing = course.notes[field.name], tuple(course.missing(history.span, history.lag))
    if not note.is_number:
        return Row(
            field.name, SPANS, field.object, spans=course.lane(field.name), field=field,
            missing=missing,
        )  # fmt: skip
    samples = broken(course.frames, course.times, course.numbers(field.name))
    # Of a vector it is the length.
    title = field.name if note.parts == 1 else f"|{field.name}|"
    return Row(
        title, CURVE, field.object, samples=samples, color=series_color(place), field=field,
        unit=note.unit, missing=missing,
    )  # fmt: skip


def series_color(place: int) -> str:
    """The colour of a curve, by its place among the object's."""
    return palette.SERIES[place % len(palette.SERIES)]


def _input_rows(history: History, name_of: Callable[[int], str], book: LaneBook) -> list[Row]:
    """For each input a lane of what is pressed, and a small curve for each axis."""
    rows: list[Row] = []
    for (object, name), series in sorted(history.inputs.items()):
        title = name if not object else f"{name} · {name_of(object)}"
        if series.pressed.has_text or not series.axes:
            rows.append(Row(title, SPANS, object, spans=book.pressed(history, (object, name))))
        for place, axis in enumerate(list(series.axes)[:_MOST_CURVES]):
            samples = series.curve(axis, history.times, history.version)
            rows.append(
                Row(axis or title, CURVE, object, samples=samples, color=series_color(place))
            )
    return rows


def _event_rows(history: History, book: LaneBook) -> list[Row]:
    rows = []
    if history.marks:
        rows.append(Row("Marks", EVENTS, events=book.marks(history)))
    if history.lines:
        rows.append(Row("Log", EVENTS, events=book.lines(history)))
    happened = history.happened
    rows += [
        Row(name or "event", EVENTS, events=GameEventLane(happened.by_name[name]))
        for name in sorted(happened.by_name)
    ]
    if happened.others.rows:
        rows.append(Row("other events", EVENTS, events=GameEventLane(happened.others)))
    return rows


def reading(row: Row, time: float, history: History) -> tuple[str, str]:
    """What a row says at a time, and in which colour; empty where it says nothing."""
    if row.events is not None:
        return "", ""
    why = history.why_missing(time, history.span) or next(
        (one.why for one in row.missing if one.start < time <= one.end), ""
    )
    if why:
        return (UNREAD, palette.FAINT) if why == UNREAD else ("", "")
    if row.spans is not None:
        at = row.spans.at(time)
        if at is None or not row.spans.names[at]:
            return "", ""
        return row.spans.names[at], palette.lighter(row.spans.colors[at])
    at = None if row.samples is None else row.samples.place(time)
    if row.samples is None or at is None or not np.isfinite(row.samples.values[at]):
        return "", ""
    return short(float(row.samples.values[at])), row.color


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
    """The names of a tree's nodes, as it is defined at a moment, or was or will be."""
    if moment is None:
        return []
    return [node.name for node in moment.trees.get(key) or moment.roster.tree(*key)]
