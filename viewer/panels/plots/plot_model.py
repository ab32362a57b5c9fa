"""What is plotted and how it is drawn: curves that share an axis, over time, over one another, or
as how often each value was recorded."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...reader.history.curve_gaps import CurveSamples
from ...reader.history.field_history import FieldHistory
from ...reader.history.history_record_types import UnreadRange
from ...reader.history.lane_data import Floats, curve_lines, envelope, finite_ends
from ...reader.history.recording_history import RecordingHistory
from ...state.pinned_fields import Group, ObjectField, PlotKind, PlotStyle
from ..timeline.timeline_rows import expected_of
from .plot_curves import PlotCurve, fields_of, graph_of

_ROOM = 0.04
"""What share of an axis of values is free above and below the curves."""
_LEAST_COUNT = 0.5
"""Where a logarithmic axis of counts begins, so that a single one can be seen."""
_LEAST_BINS, _MOST_BINS = 8, 60


class Series(NamedTuple):
    """One curve of a plot."""

    name: str
    """What it is called beside the others of its plot; empty for a single one."""
    graph: PlotCurve
    times: Floats
    """(n,) seconds, rising."""
    values: Floats
    """(n,)"""


@dataclass(frozen=True, eq=False)
class Plot:
    """Curves that share an axis of values."""

    group: Group
    """What was asked for: also fields of which nothing was read so far."""
    graphs: tuple[PlotCurve, ...]
    style: PlotStyle

    @cached_property
    def kind(self) -> PlotKind:
        """What is across; a single number can't be drawn over itself."""
        if self.style.kind is PlotKind.XY and not self.can_be_xy:
            return PlotKind.TIME
        return self.style.kind

    @property
    def can_be_xy(self) -> bool:
        """Whether there are two numbers to be drawn over one another."""
        return len(self.graphs) > 1 or self.graphs[0].parts.shape[1] > 1

    @cached_property
    def series(self) -> list[Series]:
        """Its curves: a vector has one for each part."""
        many = len(self.graphs) > 1
        return [
            Series(
                " ".join(filter(None, (graph.field.name if many else "", part))), graph,
                graph.times, graph.parts[:, at],
            )
            for graph in self.graphs
            for at, part in enumerate(graph.names)
        ]  # fmt: skip

    @cached_property
    def pair(self) -> list[Series]:
        """For an XY plot: first the horizontal field, then the vertical one.

        A vector alone is drawn with its second part over its first: a position is a path. Beside
        another field it counts with its length.
        """
        if len(self.graphs) == 1:
            return self.series[:2]
        return [
            Series(
                graph.field.name if graph.parts.shape[1] == 1 else f"|{graph.field.name}|", graph,
                graph.times, _lengths(graph.parts),
            )
            for graph in self.graphs
        ]  # fmt: skip


class CurveShape(NamedTuple):
    """What is drawn of a series, in the units of the axes."""

    x: Floats
    y: Floats
    """Pairs of points that lines join; of bars the heights, which are one fewer than x."""
    is_bars: bool = False


class PlotView(NamedTuple):
    """A plot as it is drawn."""

    x: tuple[float, float]
    """Both ends of what is across."""
    y: tuple[float, float] | None
    """Both ends of what is upward, logarithms if it is logarithmic; None if there is nothing."""
    log: bool
    curves: tuple[CurveShape, ...]

    def y_at(self, share: float) -> float:
        """The value at a height, 0 at the foot and 1 at the top; in the axis's units."""
        low, high = self.y or (0.0, 1.0)
        return low + share * (high - low)

    def across(self, value: float) -> float:
        """How far to the right a value is, 0 … 1 within the plot."""
        return (value - self.x[0]) / (self.x[1] - self.x[0])

    def share_of(self, value: float) -> float | None:
        """How far up a value is; None where such an axis does not have it."""
        if self.y is None or not math.isfinite(value) or (self.log and value <= 0):
            return None
        low, high = self.y
        return ((math.log10(value) if self.log else value) - low) / (high - low)


def plots(
    history: RecordingHistory,
    selected: int,
    groups: Sequence[Group],
    styles: Mapping[Group, PlotStyle],
    field_history_of: Callable[[int], FieldHistory],
    name_of: Callable[[int], str],
) -> list[Plot]:
    """The plots from top to bottom.

    Args:
        groups: What a user wants to see; if nothing, what the selected object has.
        styles: Of those that are not as usual.
        field_history_of: What has been read of an object so far.
    """

    def title(field: ObjectField) -> str:
        return f"{name_of(field.object)} · {field.name}" if groups else field.name

    group_list = list(groups)
    if not groups and selected:
        group_list = _beside_expected(fields_of(history, selected, field_history_of(selected)))
    made = []
    for group in group_list:
        found = [graph_of(history, field, title(field), field_history_of) for field in group]
        graphs = tuple(graph for graph in found if graph is not None)
        if graphs:
            made.append(Plot(group, graphs, styles.get(group, PlotStyle())))
    return made


def _beside_expected(fields: Sequence[ObjectField]) -> list[Group]:
    """A plot for each field; what was expected of one is drawn over it, on the same axis."""
    by_name = {field.name: field for field in fields if field.watch}
    pairs = {name: by_name[over] for name in by_name if (over := expected_of(name)) in by_name}
    drawn = set(pairs.values())
    return [
        (field, pairs[field.name]) if field.watch and field.name in pairs else (field,)
        for field in fields
        if field not in drawn
    ]


def view_of(plot: Plot, start: float, end: float, width: int) -> PlotView:
    """A plot for so many pixels across, of the time from `start` to `end`."""
    match plot.kind:
        case PlotKind.XY:
            return _xy(plot, start, end)
        case PlotKind.HISTOGRAM:
            return _histogram(plot, start, end)
        case _:
            return _over_time(plot, start, end, width)


def _over_time(plot: Plot, start: float, end: float, width: int) -> PlotView:
    log, curves, every = plot.style.log, [], []
    for series in plot.series:
        values = on_axis(series.values, log=log)
        every.append(finite_ends(values))
        # pyqtgraph's own reduction makes a bin in which a single value is no number vanish as a
        # whole; this one keeps what is beside a break.
        x, least, most = envelope(series.times, values, start, end, width)
        fine = np.isfinite(most)
        uneven = fine & (least != most) & np.isfinite(least)
        rows = np.concatenate(
            [curve_lines(x, most, fine)[0], np.stack([x, most, x, least], axis=1)[uneven]]
        )
        curves.append(_pairs(rows, start, (end - start) / max(width, 1)))
    return PlotView((start, end), plot.style.span or _roomy(every), log, tuple(curves))


def _xy(plot: Plot, start: float, end: float) -> PlotView:
    log, curves = plot.style.log, []
    _, x, others = xy_samples(plot, start, end)
    ends = _roomy([finite_ends(x)]) or (0.0, 1.0)
    every = []
    for values in others:
        y = on_axis(values, log=log)
        fine = np.isfinite(x) & np.isfinite(y)
        every.append(finite_ends(y[fine]))
        # A single point is a short line: a share of the axis instead of a pixel.
        unit = (ends[1] - ends[0]) / 400
        rows = curve_lines((x - ends[0]) / unit, y, fine)[0]
        curves.append(_pairs(rows, ends[0], unit))
    return PlotView(ends, plot.style.span or _roomy(every), log, tuple(curves))


def _histogram(plot: Plot, start: float, end: float) -> PlotView:
    edges, counts = histogram(plot, start, end)
    log = plot.style.log
    if not len(edges):
        return PlotView((0.0, 1.0), None, log, ())
    foot = math.log10(_LEAST_COUNT) if log else 0.0
    heights = [np.log10(np.maximum(one, _LEAST_COUNT)) if log else one for one in counts]
    top = max(float(one.max()) for one in heights)
    room = (top - foot) * 0.06 or 1.0
    curves = tuple(CurveShape(edges, one, is_bars=True) for one in heights)
    ends = (float(edges[0]), float(edges[-1]))
    return PlotView(ends, plot.style.span or (foot, top + room), log, curves)


def histogram(plot: Plot, start: float, end: float) -> tuple[Floats, list[Floats]]:
    """How often values were recorded from `start` to `end`: (n + 1,) edges that all series share,
    and (n,) counts of each; no edges without any value."""
    found = []
    for series in plot.series:
        first, last = np.searchsorted(series.times, (start, end), side="left").tolist()
        last += int(last < len(series.times) and series.times[last] == end)
        seen = series.values[first:last]
        found.append(seen[np.isfinite(seen)])
    ends = finite_ends(np.concatenate(found)) if found else None
    if ends is None:
        return np.empty(0), []
    low, high = ends
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        room = abs(low) * 1e-3 or 0.5
        low, high = low - room, high + room
    most = max(len(seen) for seen in found)
    bins = int(min(max(math.sqrt(most), _LEAST_BINS), _MOST_BINS))
    edges = np.linspace(low, high, bins + 1)
    return edges, [np.histogram(seen, edges)[0].astype(np.float64) for seen in found]


def xy_samples(plot: Plot, start: float, end: float) -> tuple[Floats, Floats, list[Floats]]:
    """An XY plot's points from `start` to `end`: times, what is across, and what is upward.

    They are those of the field across; of another field it is the value that was valid then. Where
    either is not known they are no numbers.
    """
    across, *upward = plot.pair
    first, last = np.searchsorted(across.times, (start, np.nextafter(end, np.inf))).tolist()
    times = across.times[first:last]
    x = np.where(_known(across.graph, times), across.values[first:last], np.nan)
    others = []
    for series in upward:
        at = np.searchsorted(series.times, times + 1e-9, side="right") - 1
        values = np.full(len(times), np.nan)
        if len(series.times):
            values = np.where(at >= 0, series.values[np.maximum(at, 0)], np.nan)
        others.append(np.where(_known(series.graph, times), values, np.nan))
    return times, x, others


def on_axis(values: Floats, *, log: bool) -> Floats:
    """Values in the units of an axis: a logarithmic one does not have those that are not above
    0."""
    if not log:
        return values
    result: Floats = np.log10(values, where=values > 0, out=np.full(values.shape, np.nan))
    return result


def zoomed(span: tuple[float, float], factor: float, around: float) -> tuple[float, float]:
    """An axis that shows `factor` times as much, with what is at `around` staying where it is; as
    it was if numbers are not fine enough for that."""
    low, high = (around + (one - around) * factor for one in span)
    fine = 1e-12 * max(abs(low), abs(high), 1e-12)
    return (low, high) if high - low > fine and math.isfinite(high - low) else span


def missing_of_all(graphs: Sequence[PlotCurve]) -> list[UnreadRange]:
    """Stretches in which nothing of any of them can be shown."""
    found = list(graphs[0].missing)
    for graph in graphs[1:]:
        found = [
            one._replace(start=max(one.start, other.start), end=min(one.end, other.end))
            for one in found
            for other in graph.missing
            if one.start < other.end and other.start < one.end
        ]
    return found


def value_at(series: Series, time: float) -> float | None:
    """What held at a time; None if nothing is known of it."""
    index = CurveSamples(series.times, series.values).index_at(time)
    if index is None or series.graph.why_missing(time):
        return None
    value = float(series.values[index])
    return value if math.isfinite(value) else None


def _known(graph: PlotCurve, times: Floats) -> npt.NDArray[np.bool_]:
    """The times at which a curve has a value."""
    known = np.ones(len(times), np.bool_)
    for one in graph.missing:
        known &= ~((times > one.start) & (times <= one.end))
    return known


def _lengths(parts: Floats) -> Floats:
    length: Floats = parts[:, 0] if parts.shape[1] == 1 else np.linalg.norm(parts, axis=1)
    return length


def _pairs(rows: Floats, origin: float, unit: float) -> CurveShape:
    """Lines whose horizontal positions are in pixels, in the axis's units."""
    x = origin + np.ascontiguousarray(rows[:, 0::2]).ravel() * unit
    return CurveShape(x, np.ascontiguousarray(rows[:, 1::2]).ravel())


def _roomy(every: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    """An axis for all of these, with some room around."""
    found = [ends for ends in every if ends is not None]
    if not found:
        return None
    low, high = min(one for one, _ in found), max(one for _, one in found)
    room = (high - low) * _ROOM
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        room = abs(low) * 0.1 or 1.0
    return low - room, high + room
