"""What is plotted, and what is drawn of it."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.panels.plots.plot_csv import save_csv
from playhead.viewer.panels.plots.plot_curves import PlotCurve
from playhead.viewer.panels.plots.plot_model import (
    Plot,
    histogram,
    missing_of_all,
    view_of,
    xy_samples,
    zoomed,
)
from playhead.viewer.reader.history.history_record_types import UNREAD, UnreadRange
from playhead.viewer.reader.history.lane_data import finite_ends
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.state.pinned_fields import (
    ObjectField,
    PlotKind,
    PlotStyle,
    joined_groups,
    placed,
    split_groups,
    without,
)

A, B, C = ObjectField(1, "a"), ObjectField(1, "b"), ObjectField(2, "c")
NAN = np.nan


def graph(name: str, times, values, missing=(), unit: str = "") -> PlotCurve:
    parts = np.asarray(values, np.float64)
    parts = parts[:, None] if parts.ndim == 1 else parts
    times = np.asarray(times, np.float64)
    return PlotCurve(
        ObjectField(1, name), name, unit, times, parts, finite_ends(parts), tuple(missing)
    )


def plot(*graphs: PlotCurve, **style) -> Plot:
    return Plot(tuple(one.field for one in graphs), graphs, PlotStyle(**style))


# --- how plots are arranged ---------------------------------------------------------------------


def test_a_field_is_put_in_one_place_only():
    groups = ((A,), (B, C))
    assert placed(groups, A, 1, shared=True) == ((B, C, A),)
    assert placed(groups, C, 0, shared=True) == ((A, C), (B,))
    assert placed(groups, C, 0, shared=False) == ((C,), (A,), (B,))
    assert placed(groups, B, 2, shared=False) == ((A,), (C,), (B,))
    assert placed(groups, A, 0, shared=True) == groups
    assert placed((), A, 0, shared=False) == ((A,),)
    assert joined_groups(groups, 1) == ((A, B, C),)
    assert split_groups(groups, 1) == ((A,), (B,), (C,))
    assert without(groups, A) == ((B, C),)


# --- curves over time ---------------------------------------------------------------------------


def lines_at(line, time: float) -> list[float]:
    """The values at a time of the lines that go over it."""
    x, y = line.x.reshape(-1, 2), line.y.reshape(-1, 2)
    return y[(x.min(axis=1) <= time) & (x.max(axis=1) >= time)].ravel().tolist()


@pytest.mark.parametrize("width", [1000, 40])
def test_a_curve_breaks_where_a_value_is_no_number_and_keeps_what_is_beside(width):
    times = np.arange(200) / 10
    values = np.sin(times)
    values[100:150] = NAN
    values[99] = 9.0  # right beside the break
    (line,) = view_of(plot(graph("a", times, values)), 0.0, 20.0, width).curves
    assert line.y.max() == 9.0
    assert lines_at(line, 12.5) == []
    assert lines_at(line, 3.0)


def test_of_a_value_that_stands_alone_something_is_drawn():
    (line,) = view_of(plot(graph("a", [1, 2, 3], [NAN, 5.0, NAN])), 0.0, 4.0, 400).curves
    assert line.y.tolist() == [5.0, 5.0]
    assert line.x == pytest.approx([1.99, 2.01])


def test_a_rare_value_is_there_however_much_is_shown():
    values = np.zeros(18_000)
    values[12_345] = 7.0
    (line,) = view_of(plot(graph("a", np.arange(18_000), values)), 0.0, 18_000.0, 300).curves
    assert line.y.max() == 7.0
    assert len(line.x) < 2000


def test_fields_on_one_axis_all_have_room():
    both = plot(graph("a", [0, 1], [0.0, 1.0]), graph("b", [0, 1], [-50.0, NAN]))
    low, high = view_of(both, 0.0, 1.0, 100).y
    assert low < -50
    assert high > 1
    assert [series.name for series in both.series] == ["a", "b"]


def test_a_logarithmic_axis_breaks_where_it_has_no_place():
    over = plot(graph("a", [0, 1, 2, 3], [10.0, 0.0, -5.0, 1000.0]), log=True)
    view = view_of(over, 0.0, 3.0, 300)
    assert view.y[0] < 1 < 3 < view.y[1]
    assert lines_at(view.curves[0], 1.5) == []
    assert view.share_of(0.0) is None
    assert view.share_of(NAN) is None
    none = view_of(plot(graph("a", [0, 1], [0.0, -1.0]), log=True), 0.0, 1.0, 300)
    assert none.y is None


def test_of_fields_that_are_missing_at_different_times_only_what_is_missing_of_all_is_hatched():
    first, second = UnreadRange(1.0, 5.0, UNREAD), UnreadRange(4.0, 9.0, "no data")
    one = graph("a", [0], [1.0], [first])
    other = graph("b", [0], [1.0], [second])
    assert [(gap.start, gap.end) for gap in missing_of_all([one, other])] == [(4.0, 5.0)]
    assert missing_of_all([one]) == [first]
    assert missing_of_all([one, graph("c", [0], [1.0])]) == []


# --- one over the other, and how often ----------------------------------------------------------


def test_xy_takes_what_was_true_then_and_nothing_that_is_not_known():
    across = graph("a", [0, 1, 2, 3, 4], [1.0, 2.0, NAN, 4.0, 5.0], [UnreadRange(3.5, 9.0, UNREAD)])
    upward = graph("b", [0.5, 2.5], [10.0, 20.0])
    times, x, (y,) = xy_samples(plot(across, upward, kind=PlotKind.XY), 0.0, 9.0)
    assert times.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(x, [1.0, 2.0, NAN, 4.0, NAN])
    np.testing.assert_array_equal(y, [NAN, 10.0, 10.0, 20.0, 20.0])


def test_a_single_number_can_not_be_drawn_over_itself():
    assert plot(graph("a", [0], [1.0]), kind=PlotKind.XY).kind is PlotKind.TIME
    assert plot(graph("a", [0], [[1.0, 2.0]]), kind=PlotKind.XY).kind is PlotKind.XY


def test_beside_another_field_a_vector_counts_with_its_length():
    pair = plot(graph("a", [0], [1.0]), graph("v", [0], [[3.0, 4.0]]), kind=PlotKind.XY).pair
    assert [(one.name, one.values.tolist()) for one in pair] == [("a", [1.0]), ("|v|", [5.0])]


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=60))
def test_a_histogram_counts_every_number_once(values):
    edges, counts = histogram(plot(graph("a", range(len(values)), values)), -1.0, 100.0)
    finite = int(np.isfinite(np.array(values, np.float64)).sum())
    assert sum(int(one.sum()) for one in counts) == finite
    assert (np.diff(edges) > 0).all()


@given(
    st.lists(st.floats(-1e30, 1e30) | st.just(NAN), min_size=1, max_size=40),
    st.sampled_from(list(PlotKind)), st.booleans(), st.floats(0, 20), st.floats(0.01, 20),
)  # fmt: skip
def test_whatever_is_recorded_can_be_drawn(values, kind, log, start, length):
    parts = np.stack([values, values[::-1]], axis=1)
    view = view_of(
        plot(graph("a", range(len(values)), parts), kind=kind, log=log), start, start + length, 50
    )
    assert view.x[1] > view.x[0]
    assert view.y is None or view.y[1] > view.y[0]
    for line in view.curves:
        assert np.isfinite(line.x).all()
        assert np.isfinite(line.y).all()


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(1e-6, 1e6), st.floats(0, 1))
def test_zooming_leaves_what_is_under_the_mouse_there(low, length, factor, share):
    around = low + share * length
    new = zoomed((low, low + length), factor, around)
    assert new[1] > new[0]
    if new != (low, low + length):
        assert new[0] + share * (new[1] - new[0]) == pytest.approx(around, abs=1e-6 * length + 1e-3)


# --- as a file ----------------------------------------------------------------------------------


def test_lines_of_different_times_have_empty_cells(tmp_path):
    history = RecordingHistory()
    for frame in range(1, 5):
        history.times.put(frame, frame / 10)
    one = graph("a,b", [0.1, 0.2, 0.3], [1.5, NAN, 3.0], unit="m")
    other = graph("v", [0.2, 0.4], [[1.0, 2.0], [3.0, 4.0]])
    path = tmp_path / "out.csv"
    save_csv(path, [plot(one), plot(other)], history, 0.0, 1.0)
    with path.open(newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert rows == [
        ["frame", "time", "a,b [m]", "v.x", "v.y"],
        ["1", "0.1", "1.5", "", ""],
        ["2", "0.2", "", "1.0", "2.0"],
        ["3", "0.3", "3.0", "", ""],
        ["4", "0.4", "", "3.0", "4.0"],
    ]
