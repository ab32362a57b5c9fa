"""Plots as a CSV file: what was recorded, a column for each curve."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ....recorder.reading.table_columns_and_rows import MOST_NAME
from ....recorder.saving.atomic_file import new_file
from ....recorder.saving.csv_export import cell
from ...reader.history.recording_history import RecordingHistory
from ...state.pinned_fields import PlotKind
from .plot_model import Plot, histogram


def save_csv(
    path: Path, plots: Sequence[Plot], history: RecordingHistory, start: float, end: float
) -> None:
    """Write what these plots show of the time from `start` to `end`; a file there is replaced.

    There is a row for each time at which one of them was recorded, with its frame, and an empty
    cell where a curve has no value. A histogram by itself is written as it is drawn: both ends of
    each bin, and how often values of each curve are in it.

    Raises:
        RecordingError: it can't be written there.
    """
    is_bins = len(plots) == 1 and plots[0].kind is PlotKind.HISTOGRAM
    with (
        new_file(path, overwrite=True) as part,
        part.open("w", newline="", encoding="utf-8") as file,
    ):
        rows = _bins(plots[0], start, end) if is_bins else _rows(plots, history, start, end)
        csv.writer(file, lineterminator="\n").writerows(rows)


def _bins(plot: Plot, start: float, end: float) -> list[list[object]]:
    edges, counts = histogram(plot, start, end)
    rows: list[list[object]] = [["from", "to", *_heads([plot])]]
    for at in range(len(edges) - 1):
        ends = cell(float(edges[at])), cell(float(edges[at + 1]))
        rows.append([*ends, *(int(one[at]) for one in counts)])
    return rows


def _rows(
    plots: Sequence[Plot], history: RecordingHistory, start: float, end: float
) -> list[list[object]]:  # fmt: skip
    every = [series for plot in plots for series in plot.series]
    rows: list[list[object]] = [["frame", "time", *_heads(plots)]]
    fine = [np.isfinite(one.values) & (one.times >= start) & (one.times <= end) for one in every]
    # Breaks of a curve are no numbers, and at no frame's time.
    times = np.unique(np.concatenate([one.times[ok] for one, ok in zip(every, fine, strict=True)]))
    table: list[list[object]] = [[""] * len(times) for _ in every]
    for column, series, ok in zip(table, every, fine, strict=True):
        row_indexes = np.searchsorted(times, series.times[ok]).tolist()
        for row_index, value in zip(row_indexes, series.values[ok].tolist(), strict=True):
            column[row_index] = cell(value)
    known = history.times
    at = np.searchsorted(known.values, times + 1e-9, side="right") - 1
    frames = [int(known.frames[one]) if one >= 0 else "" for one in at.tolist()]
    seconds = (cell(one) for one in times.tolist())
    rows += [list(row) for row in zip(frames, seconds, *table, strict=True)]
    return rows


def _heads(plots: Sequence[Plot]) -> list[str]:
    """What the columns are called: an object's name, a field and its part."""
    heads = []
    for plot in plots:
        for graph in plot.graphs:
            for part in graph.names:
                name = ".".join(filter(None, (graph.title[:MOST_NAME], part)))
                heads.append(f"{name} [{graph.unit}]" if graph.unit else name)
    return heads
