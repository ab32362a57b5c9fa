"""Fields over time: the curves that plots are made of."""

from collections.abc import Callable
from typing import NamedTuple

from ...reader.history.curve_gaps import CurveSamples, broken
from ...reader.history.field_history import FieldHistory
from ...reader.history.history_record_types import UNREAD, UnreadRange
from ...reader.history.lane_data import Floats, finite_ends
from ...reader.history.recording_history import RecordingHistory
from ...state.pinned_fields import ObjectField

_MOST = 24
"""Curves of an object that are plotted if none are picked."""
_AXES = ("x", "y", "z", "w")


class PlotCurve(NamedTuple):
    """One field over time."""

    field: ObjectField
    title: str
    unit: str
    times: Floats
    """Seconds, rising."""
    parts: Floats
    """(n, parts): a vector has several."""
    ends: tuple[float, float] | None
    """The least and the greatest value of all; None if there is none."""
    missing: tuple[UnreadRange, ...] = ()
    """What of it can't be shown."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts; empty for a single one."""
        count = self.parts.shape[1]
        return ("",) if count == 1 else _AXES[:count]

    def at(self, time: float) -> Floats | None:
        """The values that hold at a time; None before the first."""
        index = CurveSamples(self.times, self.parts).index_at(time)
        return self.parts[index] if index is not None and not self.why_missing(time) else None

    def why_missing(self, time: float) -> str:
        """Why nothing is known of a time; empty if something is."""
        inside = (one.why for one in self.missing if one.start < time <= one.end)
        return next(inside, "")


def fields_of(
    history: RecordingHistory, selected: int, field_history: FieldHistory
) -> list[ObjectField]:
    """What can be plotted of the selected object, as far as it was read."""
    fields = [
        ObjectField(selected, name, True) for owner, name in history.series if owner == selected
    ]
    fields += [
        ObjectField(selected, name) for name, note in field_history.notes.items() if note.is_number
    ]
    return fields[:_MOST]


def graph_of(
    history: RecordingHistory,
    field: ObjectField,
    title: str,
    field_history_of: Callable[[int], FieldHistory],
) -> PlotCurve | None:
    """A field's curve; None if nothing of it was read, or if it is no number.

    Args:
        field_history_of: What has been read of an object so far.
    """
    if field.watch:
        series = history.series.get((field.object, field.name))
        if series is None or not len(series):
            return None
        times, values = history.samples((field.object, field.name))
        missing = tuple(history.all_missing())
        return PlotCurve(field, title, "", times, values[:, None], finite_ends(values), missing)
    field_history = field_history_of(field.object)
    note = field_history.notes.get(field.name)
    if note is None or not note.is_number:
        return None
    times, parts = broken(
        field_history.frames, field_history.times, field_history.parts(field.name)
    )
    # Statements and fields are read at different times.
    elsewhere = (one for one in history.all_missing() if one.why != UNREAD)
    missing = (*elsewhere, *field_history.missing(history.span, history.lag))
    return PlotCurve(field, title, note.unit, times, parts, finite_ends(parts), missing)
