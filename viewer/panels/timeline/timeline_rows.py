"""The rows of the timeline: the selected object's first, then game events, then every agent."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...reader.frame_snapshot import FrameSnapshot, Key
from ...reader.history.curve_gaps import CurveSamples, broken
from ...reader.history.field_history import FieldHistory
from ...reader.history.history_record_types import UNREAD, UnreadRange
from ...reader.history.lane_data import SpanLane
from ...reader.history.recording_history import RecordingHistory
from ...state.pinned_fields import ObjectField
from ...toolkit import palette
from ...toolkit.value_text import short_number
from .lane_cache import LaneCache
from .point_events import EventLane, GameEventLane


class TimelineRow(NamedTuple):
    """One row; which of spans, samples and events it has decides how it is drawn."""

    title: str
    height: int
    object: int = 0
    """The object that it is about: a click on its name selects it."""
    group: str = ""
    """Set for the heading of a group: what folding it goes by."""
    lane: Callable[[], SpanLane] | None = None
    """Makes its spans: of hundreds of agents only those in sight are needed."""
    color: str = ""
    """A curve's."""
    events: EventLane | None = None
    samples: CurveSamples | None = None
    """A curve."""
    ghost: CurveSamples | None = None
    """What the curve was expected to be: drawn behind it, on the same scale."""
    field: ObjectField | None = None
    """Which field's lane it is."""
    machine: str = ""
    """For a state machine's lane: which one it is."""
    unit: str = ""
    film: str = ""
    """The camera whose pictures it shows."""
    missing: tuple[UnreadRange, ...] = ()
    """What of it can't be shown beside what is missing of everything."""

    @property
    def spans(self) -> SpanLane | None:
        """What holds when; None of a curve, of events, of a heading."""
        return None if self.lane is None else self.lane()


HEADING, SPANS, CURVE, EVENTS, PHASES, FILM = 20, 21, 28, 18, 18, 56
_MOST_CURVES = 6
ACTUAL, EXPECTED = "seen.", "demo."
"""How a curve is called, and the one beside it that says what was expected: of replayed demos."""


class LaneRequest(NamedTuple):
    """What a user has added to the timeline."""

    pinned: tuple[int, ...] = ()
    """Objects whose rows come after the selected one's."""
    fields: tuple[ObjectField, ...] = ()
    """Fields that have a lane of their own."""
    field_history: Callable[[int], FieldHistory | None] = lambda object: None
    """What has been read of an object so far."""
    films: tuple[str, ...] = ()
    """The cameras of which there are pictures."""


def rows_of(
    history: RecordingHistory,
    selected: int,
    name_of: Callable[[int], str],
    folded: frozenset[str],
    trees: Callable[[Key], list[str]],
    request: LaneRequest | None = None,
    cache: LaneCache | None = None,
) -> list[TimelineRow]:
    """All rows from top to bottom.

    Args:
        name_of: What to call an object.
        folded: Groups of which only the heading is shown.
        trees: The names of a tree's nodes.
        cache: Where lanes are kept from one call to the next.
    """
    request, cache = request or LaneRequest(), cache or LaneCache()
    rows: list[TimelineRow] = []

    def group(
        key: str, title: str, inside: Callable[[], list[TimelineRow]], object: int = 0
    ) -> None:
        rows.append(TimelineRow(title, HEADING, object, group=key))
        if key not in folded:
            rows.extend(inside())

    rows += [TimelineRow(name, FILM, film=name) for name in request.films]
    if history.phases.has_text:
        rows.append(TimelineRow("Phase", PHASES, lane=partial(cache.phases, history)))
    with_fields = [field.object for field in request.fields]
    listed: list[int] = []
    for object in (selected, *request.pinned, *with_fields):
        if not object or object in listed:
            continue
        listed.append(object)
        own = _own_rows(history, object, trees, request, cache)
        if own or object in request.pinned:
            why = (
                "selected" if object == selected else "pinned" if object in request.pinned
                else "lanes"
            )  # fmt: skip
            key = "selected" if object == selected else f"object {object}"
            group(key, f"{name_of(object)} · {why}", lambda own=own: own, object)  # type: ignore[misc]
    events = _event_rows(history, cache)
    if events:
        group("events", "Events", lambda: events)
    if history.inputs:
        group("inputs", "Inputs", lambda: _input_rows(history, name_of, cache))
    deciders = [
        key for key in sorted(history.choices)
        if history.choices[key] and key not in history.changes and key not in history.ticks
    ]  # fmt: skip
    if deciders:
        group("decisions", "Decisions", lambda: [
            TimelineRow(f"{name_of(agent)} · {decider}", SPANS, agent,
                        lane=partial(cache.choices, history, (agent, decider)), machine=decider)
            for agent, decider in deciders
        ])  # fmt: skip
    others = [key for key in sorted(history.changes) if key[0] not in listed]
    if others:
        several = len({machine for _, machine in others}) > 1

        def agents() -> list[TimelineRow]:
            return [
                TimelineRow(
                    name_of(agent) + (f" · {machine}" if several else ""), SPANS, agent,
                    lane=partial(cache.states, history, (agent, machine)), machine=machine,
                )
                for agent, machine in others
            ]  # fmt: skip

        count = len({agent for agent, _ in others})
        what = "agent" if count == 1 else "agents"
        group("agents", f"States · {count} {'more ' if listed else ''}{what}", agents)
    return rows


def _own_rows(
    history: RecordingHistory, object: int, trees: Callable[[Key], list[str]], request: LaneRequest,
    cache: LaneCache,
) -> list[TimelineRow]:  # fmt: skip
    """What an object has of its own."""
    rows = [
        TimelineRow(
            machine or "state",
            SPANS,
            agent,
            lane=partial(cache.states, history, (agent, machine)),
            machine=machine,
        )
        for agent, machine in sorted(history.changes)
        if agent == object
    ]
    rows += [
        TimelineRow(f"{tree} leaf", SPANS, agent,
            lane=partial(cache.leaves, history, (agent, tree), trees((agent, tree))))
        for agent, tree in sorted(history.ticks)
        if agent == object
    ]  # fmt: skip
    curves = [name for owner, name in history.series if owner == object]
    ghosts = {name: expected for name in curves if (expected := expected_of(name)) in curves}
    rows += [
        TimelineRow(
            name, CURVE, object, samples=history.samples((object, name)), color=series_color(at),
            ghost=history.samples((object, expected)),
        )
        for at, (name, expected) in enumerate(ghosts.items())
    ]  # fmt: skip
    curves = [name for name in curves if name not in (*ghosts, *ghosts.values())]
    picked = {field.name for field in request.fields if field.object == object and field.watch}
    rows += [
        TimelineRow(
            name, CURVE, object, samples=history.samples((object, name)), color=series_color(at)
        )
        for at, name in enumerate(curves)
        if at < _MOST_CURVES or name in picked
    ]
    for field in request.fields:
        if field.object == object and not field.watch:
            rows.append(_field_row(field, len(rows), request.field_history(object), history))
    return rows


def _field_row(
    field: ObjectField, index: int, field_history: FieldHistory | None, history: RecordingHistory
) -> TimelineRow:
    """The lane of a field: a curve, or a text's spans; a field not read so far has neither."""
    if field_history is None or not field_history.has(field.name):
        reads = field_history is None or field_history.progress < 1.0
        title = f"{field.name} · {'reading' if reads else 'not there'}"
        return TimelineRow(title, EVENTS, field.object, events=EventLane(()), field=field)
    note, missing = (
        field_history.notes[field.name],
        tuple(field_history.missing(history.span, history.lag)),
    )
    if not note.is_number:
        return TimelineRow(
            field.name, SPANS, field.object, lane=partial(field_history.lane, field.name),
            field=field, missing=missing,
        )  # fmt: skip
    samples = broken(field_history.frames, field_history.times, field_history.numbers(field.name))
    # Of a vector it is the length.
    title = field.name if note.parts == 1 else f"|{field.name}|"
    return TimelineRow(
        title, CURVE, field.object, samples=samples, color=series_color(index), field=field,
        unit=note.unit, missing=missing,
    )  # fmt: skip


def expected_of(name: str) -> str:
    """The name of the curve that says what this one was expected to be; empty if it has none."""
    return EXPECTED + name.removeprefix(ACTUAL) if name.startswith(ACTUAL) else ""


def series_color(index: int) -> str:
    """The colour of a curve, by its index among the object's."""
    return palette.SERIES[index % len(palette.SERIES)]


def _input_rows(
    history: RecordingHistory, name_of: Callable[[int], str], cache: LaneCache
) -> list[TimelineRow]:
    """For each input a lane of what is pressed, and a small curve for each axis."""
    rows: list[TimelineRow] = []
    for (object, name), series in sorted(history.inputs.items()):
        title = name if not object else f"{name} · {name_of(object)}"
        if series.pressed.has_text or not series.axes:
            rows.append(
                TimelineRow(
                    title, SPANS, object, lane=partial(cache.pressed, history, (object, name))
                )
            )
        for index, axis in enumerate(list(series.axes)[:_MOST_CURVES]):
            samples = series.curve(axis, history.times, history.version)
            rows.append(
                TimelineRow(
                    axis or title, CURVE, object, samples=samples, color=series_color(index)
                )
            )
    return rows


def _event_rows(history: RecordingHistory, cache: LaneCache) -> list[TimelineRow]:
    rows = []
    if history.marks:
        rows.append(TimelineRow("Marks", EVENTS, events=cache.marks(history)))
    if history.lines:
        rows.append(TimelineRow("Log", EVENTS, events=cache.lines(history)))
    game_events = history.game_events
    rows += [
        TimelineRow(name or "event", EVENTS, events=GameEventLane(game_events.by_name[name]))
        for name in sorted(game_events.by_name)
    ]
    if game_events.others.rows:
        rows.append(TimelineRow("other events", EVENTS, events=GameEventLane(game_events.others)))
    return rows


def reading(row: TimelineRow, time: float, history: RecordingHistory) -> tuple[str, str]:
    """What a row says at a time, and in which colour; empty where it says nothing."""
    if row.events is not None or row.film:
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
    at = None if row.samples is None else row.samples.index_at(time)
    if row.samples is None or at is None or not np.isfinite(row.samples.values[at]):
        return "", ""
    text = short_number(float(row.samples.values[at]))
    beside = None if row.ghost is None else row.ghost.index_at(time)
    if row.ghost is not None and beside is not None:
        expected = short_number(float(row.ghost.values[beside]))
        text = text if text == expected else f"{text}, demo {expected}"
    return text, row.color


def node_names(snapshot: FrameSnapshot | None, key: Key) -> list[str]:
    """The names of a tree's nodes, as defined in this frame or in another one."""
    if snapshot is None:
        return []
    return [node.name for node in snapshot.trees.get(key) or snapshot.object_names.tree(*key)]
