"""The plots dock as a person uses it."""

import csv
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.plots.plots_panel import PlotsPanel
from playhead.viewer.panels.plots.plots_static_layer import LEFT, color_of
from playhead.viewer.panels.timeline.time_scale import TimeScale
from playhead.viewer.state.pinned_fields import ObjectField, PlotKind
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import (
    QApplication,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFileDialog,
    QImage,
    QMimeData,
    QPoint,
    QPointF,
    Qt,
)
from playhead.viewer.widgets.field_drag import MIME, data_of

from ..panel_harness import open_dock
from ..timeline.test_timeline_panel import ALT, CTRL, NONE, SHIFT, drag, turn

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def stage(app, until, clip):
    def make(store):
        scale = TimeScale()
        scale.extend(0.0, 4.0)
        return PlotsPanel(store, scale)

    with open_dock(app, until, make, clip) as made:
        made.panel.resize(460, 600)
        made.go(100, 1)
        until(lambda: made.panel.context.field_history(1).progress >= 1.0)
        yield made


def titles(stage) -> list[str]:
    return [graph.title for graph in stage.panel.curves()]


def test_what_the_selected_object_has_is_plotted_from_end_to_end(stage):
    assert titles(stage) == ["speed", "position", "angles", "hp", "skeleton"]
    (position,) = (one for one in stage.panel.curves() if one.title == "position")
    assert (position.unit, position.names) == ("m", ("x", "y", "z"))
    assert position.times[0] == 1 / 64
    assert position.times[-1] == 4.0
    assert np.hypot(position.parts[:, 0], position.parts[:, 1]) == pytest.approx(3.0, abs=1e-5)


def test_each_curve_has_its_colour_in_its_own_box(stage):
    for at in range(len(stage.panel.curves())):
        box = stage.panel.boxes.box_of(at)
        assert stage.shows(color_of(at), box.left(), box.top() + 20, box.width(), box.height() - 24)


def test_a_click_seeks_and_a_drag_scrubs(stage):
    panel, store = stage.panel, stage.store
    stage.click(panel.x_of(3.0), 100)
    stage.until(lambda: store.frame == pytest.approx(192, abs=1))
    drag(panel, QPointF(panel.x_of(3.0), 100).toPoint(), QPointF(panel.x_of(1.0), 90).toPoint())
    stage.until(lambda: store.frame == pytest.approx(64, abs=1))
    stage.until(lambda: store.drag_time is None)


def test_values_are_those_under_the_mouse_else_those_at_the_playhead(stage):
    panel = stage.panel
    assert "  speed   5   (1 … 32)" in panel.text()
    here = QPointF(panel.x_of(2.0) + 0.01, 30)
    assert panel.card(here)[1] == "00:02.000   1"
    assert panel.card(here)[2] == "from 1 to 32, of the whole recording"
    bare = stage.picture()
    assert stage.hover(here.x(), here.y()) != bare


def test_the_time_shown_is_shared(stage):
    panel = stage.panel
    calls = []
    panel.scale.watchers.append(lambda: calls.append(panel.scale.seconds))
    before = panel.time_at(300)
    turn(panel, QPoint(300, 100), 240)
    assert panel.time_at(300) == pytest.approx(before)
    assert calls
    seconds, start = panel.scale.seconds, panel.scale.start
    turn(panel, QPoint(300, 100), -120, SHIFT)
    assert panel.scale.start > start
    grabbed = panel.time_at(300)
    drag(panel, QPoint(300, 100), QPoint(320, 100), RIGHT, NONE)
    assert panel.time_at(320) == pytest.approx(grabbed)
    assert panel.scale.seconds == pytest.approx(seconds)


def test_what_has_no_room_is_scrolled_to(stage):
    panel = stage.panel
    panel.resize(460, 200)
    stage.picture()
    assert panel.boxes.each == 64
    turn(panel, QPoint(300, 100), -360, ALT)
    stage.picture()
    assert panel.scrolled == 120
    turn(panel, QPoint(20, 100), -36000)
    stage.picture()
    assert panel.scrolled == 5 * 64 - (200 - 18)


def test_picked_fields_are_plotted_whoever_is_selected(stage):
    panel, store = stage.panel, stage.store
    panel.context.plot(ObjectField(1, "hp"))
    panel.context.plot(ObjectField(1, "speed", True))
    store.select(2)
    assert titles(stage) == ["north · hp", "north · speed"]
    menu = {action.text(): action for action in panel.menu(QPointF(200, 60)).actions()}
    menu["Add as lane"].trigger()
    assert panel.context.pins.lanes == (ObjectField(1, "hp"),)
    menu["Stop plotting"].trigger()
    assert titles(stage) == ["north · speed"]
    menu = {action.text(): action for action in panel.menu(QPointF(200, 60)).actions()}
    menu["Plot what the selected object has"].trigger()
    stage.until(lambda: titles(stage) == ["position", "angles", "hp", "skeleton"])


def test_only_the_playhead_is_drawn_anew_while_it_moves(stage):
    panel = stage.panel
    first = stage.picture()
    made = panel.background.made
    stage.go(200, 1)
    second = stage.picture()
    assert panel.background.made == made
    assert first != second
    x = round(panel.x_of(200 / 64))
    assert second.pixelColor(x, 300).name() == palette.PLAYHEAD


def test_a_gap_is_hatched(app, until, gapped):
    def make(store):
        scale = TimeScale()
        scale.extend(0.0, 4.0)
        return PlotsPanel(store, scale)

    with open_dock(app, until, make, gapped) as made:
        made.go(90, 1)
        until(lambda: made.panel.context.field_history(1).progress >= 1.0)
        left, right = made.panel.x_of(101 / 64) + 4, made.panel.x_of(180 / 64) - 4
        seen = made.colors(left, 0, right - left, 60)
        assert not any(color_of(at) in seen for at in range(5))
        assert len(seen) > 1


def test_without_anything_to_plot_it_says_why(stage):
    stage.store.select(0)
    assert stage.panel.text() == "Nothing is plotted"
    empty = stage.picture()
    stage.store.select(1)
    assert stage.picture() != empty


def test_left_of_the_values_nothing_is_grabbed(stage):
    frame = stage.store.frame
    stage.click(LEFT - 20, 100)
    assert stage.store.drag_time is None
    assert stage.store.frame == frame


# --- plots that a person arranges ---------------------------------------------------------------


def plot_at(stage, title: str) -> int:
    """Where the plot of a field is."""
    return next(
        at for at, plot in enumerate(stage.panel.plots())
        if any(graph.field.name == title for graph in plot.graphs)
    )  # fmt: skip


def center(stage, title: str) -> QPoint:
    return stage.panel.boxes.box_of(plot_at(stage, title)).center().toPoint()


def choose(stage, title: str, entry: str) -> None:
    """Choose something in the menu of a field's plot."""
    menu = stage.panel.menu(QPointF(center(stage, title)))
    next(action for action in menu.actions() if action.text() == entry).trigger()
    stage.picture()


def carry(stage, field: ObjectField, where: QPoint, *, let_go: bool = True) -> None:
    """Drag a field over the plots, and drop it."""
    data, point = data_of(field), QPointF(where)
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    for kind, at in ((QDragEnterEvent, where), (QDragMoveEvent, where)):
        event = kind(at, action, data, button, NONE)
        QApplication.sendEvent(stage.panel, event)
        assert event.isAccepted()
    if let_go:
        QApplication.sendEvent(stage.panel, QDropEvent(point, action, data, button, NONE))
    stage.picture()


def groups(stage) -> list[list[str]]:
    return [[graph.field.name for graph in plot.graphs] for plot in stage.panel.plots()]


def test_a_field_dropped_on_a_plot_shares_its_axis(stage):
    before = groups(stage)
    assert ["hp"] in before
    assert ["speed"] in before
    carry(stage, ObjectField(1, "hp"), center(stage, "speed"))
    # All that was there stays there, whoever is selected.
    assert groups(stage) == [["speed", "hp"], ["position"], ["angles"], ["skeleton"]]
    stage.store.select(2)
    assert groups(stage)[0] == ["speed", "hp"]
    view = stage.panel.background.views[0]
    assert view.y[0] < 1
    assert view.y[1] > 100, "both fields have room"
    box = stage.panel.inside_of(0)
    for line in range(2):
        assert stage.shows(color_of(0, line), box.left(), box.top(), box.width(), box.height())
    assert "speed" in stage.panel.card(QPointF(200, 60))[0]
    assert any("hp" in line for line in stage.panel.card(QPointF(200, 60)))


def test_a_field_dropped_between_two_plots_gets_one_of_its_own(stage):
    between = stage.panel.boxes.box_of(plot_at(stage, "position")).topLeft().toPoint()
    carry(stage, ObjectField(2, "hp"), QPoint(200, between.y() + 2))
    stage.until(lambda: stage.panel.context.field_history(2).progress >= 1.0)
    stage.picture()
    assert groups(stage)[:3] == [["speed"], ["hp"], ["position"]]
    assert stage.panel.plots()[1].graphs[0].title == "south · hp"


def test_a_field_dropped_where_nothing_is_plotted_is_plotted(stage):
    stage.store.select(0)
    carry(stage, ObjectField(1, "hp"), QPoint(200, 200))
    assert groups(stage) == [["hp"]]


def test_what_is_dropped_is_shown_before_it_is_let_go(stage):
    bare = stage.picture()
    carry(stage, ObjectField(1, "hp"), center(stage, "speed"), let_go=False)
    assert stage.picture() != bare
    QApplication.sendEvent(stage.panel, QDragLeaveEvent())
    assert stage.picture() == bare
    assert ["hp"] in groups(stage)


@pytest.mark.parametrize("message", [b"", b"{", b"[1]", b'["1", "hp", false]', b"[1, 2, 3]", b"7"])
def test_what_another_program_drops_is_not_taken(stage, message):
    data = QMimeData()
    data.setData(MIME, message)
    event = QDragEnterEvent(
        QPoint(200, 200), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NONE
    )
    event.ignore()
    QApplication.sendEvent(stage.panel, event)
    assert not event.isAccepted()


def test_plots_are_joined_and_taken_apart_by_the_menu(stage):
    choose(stage, "position", "Join with the plot above")
    assert groups(stage)[0] == ["speed", "position"]
    choose(stage, "position", "Each field by itself")
    assert groups(stage)[:2] == [["speed"], ["position"]]


def test_ctrl_and_the_wheel_zoom_values_at_the_mouse_and_a_double_click_shows_all(stage):
    panel, at = stage.panel, plot_at(stage, "hp")
    stage.picture()
    box, whole = panel.inside_of(at), panel.background.views[at]
    point = QPoint(250, round(box.top() + box.height() / 4))
    share = (box.bottom() - point.y()) / box.height()
    under, seconds = whole.y_at(share), panel.scale.seconds
    turn(panel, point, 240, CTRL)
    stage.picture()
    view = panel.background.views[at]
    assert view.y[1] - view.y[0] < 0.8 * (whole.y[1] - whole.y[0])
    assert view.y_at(share) == pytest.approx(under)
    assert panel.scale.seconds == seconds
    frame = stage.store.frame
    drag(panel, QPoint(20, point.y()), QPoint(20, point.y() + 20))
    stage.picture()
    moved = panel.background.views[at]
    assert moved.y[1] - moved.y[0] == pytest.approx(view.y[1] - view.y[0])
    assert moved.y_at((box.bottom() - point.y() - 20) / box.height()) == pytest.approx(under)
    assert stage.store.frame == frame
    QTest.mouseDClick(panel, Qt.MouseButton.LeftButton, NONE, QPoint(20, point.y()))
    stage.picture()
    assert panel.background.views[at].y == whole.y


def test_keys_choose_a_plot_zoom_and_move_its_values_and_drop_it(stage):
    panel = stage.panel
    panel.setFocus()
    for _ in range(4):
        stage.press("Down")
    assert panel.at_plot == plot_at(stage, "hp") == 3
    stage.picture()
    whole = panel.background.views[3].y
    QTest.keyClick(panel, Qt.Key.Key_Up, SHIFT)
    stage.picture()
    near = panel.background.views[3].y
    assert near[1] - near[0] == pytest.approx(0.8 * (whole[1] - whole[0]))
    QTest.keyClick(panel, Qt.Key.Key_Up, CTRL)
    stage.picture()
    assert panel.background.views[3].y[0] > near[0]
    stage.press("Backspace")
    stage.picture()
    assert panel.background.views[3].y == whole
    stage.press("Delete")
    assert groups(stage) == [["speed"], ["position"], ["angles"], ["skeleton"]]


def test_zooming_for_ever_ends_where_numbers_do(stage):
    panel, at = stage.panel, plot_at(stage, "hp")
    for by in (12000, -24000):
        for _ in range(20):
            turn(panel, center(stage, "hp"), by, CTRL)
            stage.picture()
        low, high = panel.background.views[at].y
        assert high > low
        assert np.isfinite([low, high]).all()


def test_a_logarithmic_axis_leaves_out_what_is_not_above_zero(stage):
    choose(stage, "position", "Logarithmic axis")
    at = plot_at(stage, "position")
    view = stage.panel.background.views[at]
    assert view.log
    assert view.y[1] == pytest.approx(np.log10(3.0), abs=0.5)
    assert all((line.y <= np.log10(3.0) + 1e-6).all() for line in view.curves)
    choose(stage, "position", "Linear axis")
    assert stage.panel.background.views[at].y[0] == pytest.approx(-3.24, abs=0.01)


def test_xy_shows_a_path_and_a_click_seeks_to_where_it_was_nearest(stage):
    choose(stage, "position", "One over the other (XY)")
    panel, at = stage.panel, plot_at(stage, "position")
    view, box = panel.background.views[at], panel.inside_of(at)
    (line,) = view.curves
    assert np.hypot(line.x, line.y) == pytest.approx(3.0, abs=0.01)
    (position,) = (one for one in panel.curves() if one.title == "position")
    x, y, _ = position.parts[150]
    point = QPointF(box.left() + view.across(x) * box.width(),
                    box.bottom() - view.share_of(y) * box.height())  # fmt: skip
    stage.click(point.x(), point.y())
    stage.until(lambda: stage.store.frame == pytest.approx(151, abs=8))
    seen = stage.colors(point.x() - 6, point.y() - 6, 12, 12)
    assert palette.PLAYHEAD in seen, "the playhead's point"
    choose(stage, "position", "Over time")
    assert panel.plots()[at].kind is PlotKind.TIME


def test_of_two_fields_one_is_drawn_over_the_other_and_they_swap(stage):
    carry(stage, ObjectField(1, "hp"), center(stage, "speed"))
    choose(stage, "speed", "One over the other (XY)")
    view = stage.panel.background.views[0]
    assert view.x == pytest.approx((1 - 1.24, 32 + 1.24))
    assert [series.name for series in stage.panel.plots()[0].pair] == ["speed", "hp"]
    choose(stage, "speed", "Swap both axes")
    assert [series.name for series in stage.panel.plots()[0].pair] == ["hp", "speed"]
    assert stage.panel.background.views[0].y == pytest.approx((1 - 1.24, 32 + 1.24))


def test_a_histogram_counts_the_frames_in_sight(stage):
    choose(stage, "speed", "Histogram")
    panel = stage.panel
    box, view = panel.inside_of(0), panel.background.views[0]
    assert view.curves[0].y.sum() == 256
    assert "in sight" in panel.card(QPointF(box.left() + 3, box.center().y()))[0]
    assert panel.card(QPointF(box.left() + 3, box.center().y()))[0].endswith("of 256 in sight")
    frame = stage.store.frame
    stage.click(box.center().x(), box.center().y())
    assert stage.store.drag_time is None
    assert stage.store.frame == frame
    panel.scale.fit(1.0, 2.0)
    stage.picture()
    assert panel.background.views[0].curves[0].y.sum() < 100
    choose(stage, "speed", "Logarithmic axis")
    assert stage.shows(color_of(0), box.left(), box.top(), box.width(), box.height())


# --- what leaves the panel ----------------------------------------------------------------------


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    """What a person names in the next dialog."""
    answer = {"path": "", "kind": ""}
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName",
        lambda *_: (str(tmp_path / answer["path"]) if answer["path"] else "", answer["kind"]),
    )  # fmt: skip
    return answer


def test_a_picture_has_all_plots_also_those_out_of_sight(stage, chosen, tmp_path):
    stage.panel.resize(460, 150)
    stage.picture()
    chosen["path"] = "seen.png"
    choose(stage, "speed", "Save as picture …")
    assert stage.messages[-1] == f"{tmp_path / 'seen.png'} is saved"
    image = QImage(str(tmp_path / "seen.png"))
    assert (image.width(), image.height()) == (920, 2 * (5 * 64 + 18))
    row = [image.pixelColor(x, 2 * (4 * 64 + 32)).name() for x in range(image.width())]
    assert palette.PLAYHEAD in row
    assert stage.panel.boxes.each == 64


def test_a_picture_can_be_made_of_lines(stage, chosen, tmp_path):
    chosen.update(path="seen", kind="SVG (*.svg)")
    choose(stage, "hp", "Save as picture …")
    svg = (tmp_path / "seen.svg").read_text()
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == "0 0 460 600"
    assert color_of(plot_at(stage, "hp")) in svg
    assert "position" in svg


def test_values_are_saved_with_their_frames_and_nothing_where_nothing_was(stage, chosen, tmp_path):
    panel = stage.panel
    chosen["path"] = "all.csv"
    choose(stage, "speed", "Save all values as CSV …")
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert [int(row["frame"]) for row in rows] == list(range(1, 257))
    assert float(rows[99]["time"]) == 100 / 64
    assert rows[99]["speed"] == "5.0"
    (position,) = (one for one in panel.curves() if one.title == "position")
    assert [float(row["position.x [m]"]) for row in rows] == position.parts[:, 0].tolist()
    panel.scale.fit(1.0, 2.0)
    chosen["path"] = "one.csv"
    choose(stage, "hp", "Save its values as CSV …")
    with (tmp_path / "one.csv").open(newline="") as file:
        fewer = list(csv.DictReader(file, strict=True))
    assert list(fewer[0]) == ["frame", "time", "hp"]
    assert float(fewer[0]["time"]) >= panel.scale.start
    assert float(fewer[-1]["time"]) <= panel.scale.end


def test_a_histogram_is_saved_as_it_is_drawn(stage, chosen, tmp_path):
    choose(stage, "speed", "Histogram")
    chosen["path"] = "bins.csv"
    choose(stage, "speed", "Save its values as CSV …")
    with (tmp_path / "bins.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert list(rows[0]) == ["from", "to", "speed"]
    assert sum(int(row["speed"]) for row in rows) == 256


def test_what_can_not_be_saved_is_reported(stage, chosen, tmp_path):
    (tmp_path / "taken.csv").mkdir()
    for name, entry in (
        ("none/seen.png", "Save as picture …"), ("taken.csv", "Save its values as CSV …"),
    ):  # fmt: skip
        chosen["path"] = name
        choose(stage, "hp", entry)
        assert str(tmp_path / name) in stage.messages[-1]
        assert not stage.messages[-1].endswith("is saved")
    chosen["path"] = ""
    before = list(stage.messages)
    choose(stage, "hp", "Save as picture …")
    assert stage.messages == before
    assert [path.name for path in tmp_path.iterdir() if path.name != "config"] == ["taken.csv"]
