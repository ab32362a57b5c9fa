"""The plots dock as a person uses it."""

import csv
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.plots.plot_background import LEFT, color_of
from playhead.viewer.panels.plots.plots_panel import PlotsPanel
from playhead.viewer.panels.timeline.time_scale import TimeScale
from playhead.viewer.state.pinned_fields import Field, PlotKind
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
    def make(clock):
        scale = TimeScale()
        scale.extend(0.0, 4.0)
        return PlotsPanel(clock, scale)

    with open_dock(app, until, make, clip) as made:
        made.dock.resize(460, 600)
        made.go(100, 1)
        until(lambda: made.dock.desk.course(1).progress >= 1.0)
        yield made


def titles(stage) -> list[str]:
    return [graph.title for graph in stage.dock.curves()]


def test_what_the_selected_object_has_is_plotted_from_end_to_end(stage):
    assert titles(stage) == ["speed", "position", "angles", "hp", "skeleton"]
    (position,) = (one for one in stage.dock.curves() if one.title == "position")
    assert (position.unit, position.names) == ("m", ("x", "y", "z"))
    assert position.times[0] == 1 / 64
    assert position.times[-1] == 4.0
    assert np.hypot(position.parts[:, 0], position.parts[:, 1]) == pytest.approx(3.0, abs=1e-5)


def test_each_curve_has_its_colour_in_its_own_box(stage):
    for at in range(len(stage.dock.curves())):
        box = stage.dock.place.box_of(at)
        assert stage.shows(color_of(at), box.left(), box.top() + 20, box.width(), box.height() - 24)


def test_a_click_seeks_and_a_drag_scrubs(stage):
    dock, clock = stage.dock, stage.clock
    stage.click(dock.x_of(3.0), 100)
    stage.until(lambda: clock.frame == pytest.approx(192, abs=1))
    drag(dock, QPointF(dock.x_of(3.0), 100).toPoint(), QPointF(dock.x_of(1.0), 90).toPoint())
    stage.until(lambda: clock.frame == pytest.approx(64, abs=1))
    assert clock.wish is None


def test_values_are_those_under_the_mouse_else_those_at_the_playhead(stage):
    dock = stage.dock
    assert "  speed   5   (1 … 32)" in dock.text()
    here = QPointF(dock.x_of(2.0) + 0.01, 30)
    assert dock.card(here)[1] == "00:02.000   1"
    assert dock.card(here)[2] == "from 1 to 32, of the whole recording"
    bare = stage.picture()
    assert stage.hover(here.x(), here.y()) != bare


def test_the_time_shown_is_shared(stage):
    dock = stage.dock
    told = []
    dock.scale.watchers.append(lambda: told.append(dock.scale.seconds))
    before = dock.time_at(300)
    turn(dock, QPoint(300, 100), 240)
    assert dock.time_at(300) == pytest.approx(before)
    assert told
    seconds, start = dock.scale.seconds, dock.scale.start
    turn(dock, QPoint(300, 100), -120, SHIFT)
    assert dock.scale.start > start
    grabbed = dock.time_at(300)
    drag(dock, QPoint(300, 100), QPoint(320, 100), RIGHT, NONE)
    assert dock.time_at(320) == pytest.approx(grabbed)
    assert dock.scale.seconds == pytest.approx(seconds)


def test_what_has_no_room_is_scrolled_to(stage):
    dock = stage.dock
    dock.resize(460, 200)
    stage.picture()
    assert dock.place.each == 64
    turn(dock, QPoint(300, 100), -360, ALT)
    stage.picture()
    assert dock.scrolled == 120
    turn(dock, QPoint(20, 100), -36000)
    stage.picture()
    assert dock.scrolled == 5 * 64 - (200 - 18)


def test_picked_fields_are_plotted_whoever_is_selected(stage):
    dock, clock = stage.dock, stage.clock
    dock.desk.plot(Field(1, "hp"))
    dock.desk.plot(Field(1, "speed", True))
    clock.select(2)
    assert titles(stage) == ["north · hp", "north · speed"]
    menu = {action.text(): action for action in dock.menu(QPointF(200, 60)).actions()}
    menu["Add as lane"].trigger()
    assert dock.desk.picks.lanes == (Field(1, "hp"),)
    menu["Plot no more"].trigger()
    assert titles(stage) == ["north · speed"]
    menu = {action.text(): action for action in dock.menu(QPointF(200, 60)).actions()}
    menu["Plot what the selected object has"].trigger()
    stage.until(lambda: titles(stage) == ["position", "angles", "hp", "skeleton"])


def test_only_the_playhead_is_drawn_anew_while_it_moves(stage):
    dock = stage.dock
    first = stage.picture()
    made = dock.still.made
    stage.go(200, 1)
    second = stage.picture()
    assert dock.still.made == made
    assert first != second
    x = round(dock.x_of(200 / 64))
    assert second.pixelColor(x, 300).name() == palette.PLAYHEAD


def test_a_gap_is_hatched(app, until, gapped):
    def make(clock):
        scale = TimeScale()
        scale.extend(0.0, 4.0)
        return PlotsPanel(clock, scale)

    with open_dock(app, until, make, gapped) as made:
        made.go(90, 1)
        until(lambda: made.dock.desk.course(1).progress >= 1.0)
        left, right = made.dock.x_of(101 / 64) + 4, made.dock.x_of(180 / 64) - 4
        seen = made.colors(left, 0, right - left, 60)
        assert not any(color_of(at) in seen for at in range(5))
        assert len(seen) > 1


def test_without_anything_to_plot_it_says_why(stage):
    stage.clock.select(0)
    assert stage.dock.text() == "Nothing is plotted"
    empty = stage.picture()
    stage.clock.select(1)
    assert stage.picture() != empty


def test_left_of_the_values_nothing_is_grabbed(stage):
    frame = stage.clock.frame
    stage.click(LEFT - 20, 100)
    assert stage.clock.wish is None
    assert stage.clock.frame == frame


# --- plots that a person arranges ---------------------------------------------------------------


def plot_at(stage, title: str) -> int:
    """Where the plot of a field is."""
    return next(
        at for at, plot in enumerate(stage.dock.plots())
        if any(graph.field.name == title for graph in plot.graphs)
    )  # fmt: skip


def center(stage, title: str) -> QPoint:
    return stage.dock.place.box_of(plot_at(stage, title)).center().toPoint()


def choose(stage, title: str, entry: str) -> None:
    """Choose something in the menu of a field's plot."""
    menu = stage.dock.menu(QPointF(center(stage, title)))
    next(action for action in menu.actions() if action.text() == entry).trigger()
    stage.picture()


def carry(stage, field: Field, where: QPoint, *, let_go: bool = True) -> None:
    """Drag a field over the plots, and drop it."""
    data, place = data_of(field), QPointF(where)
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    for kind, at in ((QDragEnterEvent, where), (QDragMoveEvent, where)):
        event = kind(at, action, data, button, NONE)
        QApplication.sendEvent(stage.dock, event)
        assert event.isAccepted()
    if let_go:
        QApplication.sendEvent(stage.dock, QDropEvent(place, action, data, button, NONE))
    stage.picture()


def groups(stage) -> list[list[str]]:
    return [[graph.field.name for graph in plot.graphs] for plot in stage.dock.plots()]


def test_a_field_dropped_on_a_plot_shares_its_axis(stage):
    before = groups(stage)
    assert ["hp"] in before
    assert ["speed"] in before
    carry(stage, Field(1, "hp"), center(stage, "speed"))
    # All that was there stays there, whoever is selected.
    assert groups(stage) == [["speed", "hp"], ["position"], ["angles"], ["skeleton"]]
    stage.clock.select(2)
    assert groups(stage)[0] == ["speed", "hp"]
    view = stage.dock.still.views[0]
    assert view.y[0] < 1
    assert view.y[1] > 100, "both fields have room"
    box = stage.dock.inside_of(0)
    for line in range(2):
        assert stage.shows(color_of(0, line), box.left(), box.top(), box.width(), box.height())
    assert "speed" in stage.dock.card(QPointF(200, 60))[0]
    assert any("hp" in line for line in stage.dock.card(QPointF(200, 60)))


def test_a_field_dropped_between_two_plots_gets_one_of_its_own(stage):
    between = stage.dock.place.box_of(plot_at(stage, "position")).topLeft().toPoint()
    carry(stage, Field(2, "hp"), QPoint(200, between.y() + 2))
    stage.until(lambda: stage.dock.desk.course(2).progress >= 1.0)
    stage.picture()
    assert groups(stage)[:3] == [["speed"], ["hp"], ["position"]]
    assert stage.dock.plots()[1].graphs[0].title == "south · hp"


def test_a_field_dropped_where_nothing_is_plotted_is_plotted(stage):
    stage.clock.select(0)
    carry(stage, Field(1, "hp"), QPoint(200, 200))
    assert groups(stage) == [["hp"]]


def test_what_is_dropped_is_shown_before_it_is_let_go(stage):
    bare = stage.picture()
    carry(stage, Field(1, "hp"), center(stage, "speed"), let_go=False)
    assert stage.picture() != bare
    QApplication.sendEvent(stage.dock, QDragLeaveEvent())
    assert stage.picture() == bare
    assert ["hp"] in groups(stage)


@pytest.mark.parametrize("said", [b"", b"{", b"[1]", b'["1", "hp", false]', b"[1, 2, 3]", b"7"])
def test_what_another_program_drops_is_not_taken(stage, said):
    data = QMimeData()
    data.setData(MIME, said)
    event = QDragEnterEvent(
        QPoint(200, 200), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NONE
    )
    event.ignore()
    QApplication.sendEvent(stage.dock, event)
    assert not event.isAccepted()


def test_plots_are_joined_and_taken_apart_by_the_menu(stage):
    choose(stage, "position", "Join with the plot above")
    assert groups(stage)[0] == ["speed", "position"]
    choose(stage, "position", "Each field by itself")
    assert groups(stage)[:2] == [["speed"], ["position"]]


def test_ctrl_and_the_wheel_zoom_values_at_the_mouse_and_a_double_click_shows_all(stage):
    dock, at = stage.dock, plot_at(stage, "hp")
    stage.picture()
    box, whole = dock.inside_of(at), dock.still.views[at]
    place = QPoint(250, round(box.top() + box.height() / 4))
    share = (box.bottom() - place.y()) / box.height()
    under, seconds = whole.y_at(share), dock.scale.seconds
    turn(dock, place, 240, CTRL)
    stage.picture()
    view = dock.still.views[at]
    assert view.y[1] - view.y[0] < 0.8 * (whole.y[1] - whole.y[0])
    assert view.y_at(share) == pytest.approx(under)
    assert dock.scale.seconds == seconds
    frame = stage.clock.frame
    drag(dock, QPoint(20, place.y()), QPoint(20, place.y() + 20))
    stage.picture()
    moved = dock.still.views[at]
    assert moved.y[1] - moved.y[0] == pytest.approx(view.y[1] - view.y[0])
    assert moved.y_at((box.bottom() - place.y() - 20) / box.height()) == pytest.approx(under)
    assert stage.clock.frame == frame
    QTest.mouseDClick(dock, Qt.MouseButton.LeftButton, NONE, QPoint(20, place.y()))
    stage.picture()
    assert dock.still.views[at].y == whole.y


def test_keys_choose_a_plot_zoom_and_move_its_values_and_drop_it(stage):
    dock = stage.dock
    dock.setFocus()
    for _ in range(4):
        stage.press("Down")
    assert dock.at_plot == plot_at(stage, "hp") == 3
    stage.picture()
    whole = dock.still.views[3].y
    QTest.keyClick(dock, Qt.Key.Key_Up, SHIFT)
    stage.picture()
    near = dock.still.views[3].y
    assert near[1] - near[0] == pytest.approx(0.8 * (whole[1] - whole[0]))
    QTest.keyClick(dock, Qt.Key.Key_Up, CTRL)
    stage.picture()
    assert dock.still.views[3].y[0] > near[0]
    stage.press("Backspace")
    stage.picture()
    assert dock.still.views[3].y == whole
    stage.press("Delete")
    assert groups(stage) == [["speed"], ["position"], ["angles"], ["skeleton"]]


def test_zooming_for_ever_ends_where_numbers_do(stage):
    dock, at = stage.dock, plot_at(stage, "hp")
    for by in (12000, -24000):
        for _ in range(20):
            turn(dock, center(stage, "hp"), by, CTRL)
            stage.picture()
        low, high = dock.still.views[at].y
        assert high > low
        assert np.isfinite([low, high]).all()


def test_a_logarithmic_axis_leaves_out_what_is_not_above_zero(stage):
    choose(stage, "position", "Logarithmic axis")
    at = plot_at(stage, "position")
    view = stage.dock.still.views[at]
    assert view.log
    assert view.y[1] == pytest.approx(np.log10(3.0), abs=0.5)
    assert all((line.y <= np.log10(3.0) + 1e-6).all() for line in view.lines)
    choose(stage, "position", "Linear axis")
    assert stage.dock.still.views[at].y[0] == pytest.approx(-3.24, abs=0.01)


def test_xy_shows_a_path_and_a_click_seeks_to_where_it_was_nearest(stage):
    choose(stage, "position", "One over the other (XY)")
    dock, at = stage.dock, plot_at(stage, "position")
    view, box = dock.still.views[at], dock.inside_of(at)
    (line,) = view.lines
    assert np.hypot(line.x, line.y) == pytest.approx(3.0, abs=0.01)
    (position,) = (one for one in dock.curves() if one.title == "position")
    x, y, _ = position.parts[150]
    place = QPointF(box.left() + view.across(x) * box.width(),
                    box.bottom() - view.share_of(y) * box.height())  # fmt: skip
    stage.click(place.x(), place.y())
    stage.until(lambda: stage.clock.frame == pytest.approx(151, abs=8))
    seen = stage.colors(place.x() - 6, place.y() - 6, 12, 12)
    assert palette.PLAYHEAD in seen, "the playhead's point"
    choose(stage, "position", "Over time")
    assert dock.plots()[at].kind is PlotKind.TIME


def test_of_two_fields_one_is_drawn_over_the_other_and_they_swap(stage):
    carry(stage, Field(1, "hp"), center(stage, "speed"))
    choose(stage, "speed", "One over the other (XY)")
    view = stage.dock.still.views[0]
    assert view.x == pytest.approx((1 - 1.24, 32 + 1.24))
    assert [series.name for series in stage.dock.plots()[0].pair] == ["speed", "hp"]
    choose(stage, "speed", "Swap both axes")
    assert [series.name for series in stage.dock.plots()[0].pair] == ["hp", "speed"]
    assert stage.dock.still.views[0].y == pytest.approx((1 - 1.24, 32 + 1.24))


def test_a_histogram_counts_the_frames_in_sight(stage):
    choose(stage, "speed", "Histogram")
    dock = stage.dock
    box, view = dock.inside_of(0), dock.still.views[0]
    assert view.lines[0].y.sum() == 256
    assert "in sight" in dock.card(QPointF(box.left() + 3, box.center().y()))[0]
    assert dock.card(QPointF(box.left() + 3, box.center().y()))[0].endswith("of 256 in sight")
    frame = stage.clock.frame
    stage.click(box.center().x(), box.center().y())
    assert stage.clock.wish is None
    assert stage.clock.frame == frame
    dock.scale.fit(1.0, 2.0)
    stage.picture()
    assert dock.still.views[0].lines[0].y.sum() < 100
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
    stage.dock.resize(460, 150)
    stage.picture()
    chosen["path"] = "seen.png"
    choose(stage, "speed", "Save as picture …")
    assert stage.said[-1] == f"{tmp_path / 'seen.png'} is saved"
    image = QImage(str(tmp_path / "seen.png"))
    assert (image.width(), image.height()) == (920, 2 * (5 * 64 + 18))
    row = [image.pixelColor(x, 2 * (4 * 64 + 32)).name() for x in range(image.width())]
    assert palette.PLAYHEAD in row
    assert stage.dock.place.each == 64


def test_a_picture_can_be_made_of_lines(stage, chosen, tmp_path):
    chosen.update(path="seen", kind="SVG (*.svg)")
    choose(stage, "hp", "Save as picture …")
    svg = (tmp_path / "seen.svg").read_text()
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == "0 0 460 600"
    assert color_of(plot_at(stage, "hp")) in svg
    assert "position" in svg


def test_values_are_saved_with_their_frames_and_nothing_where_nothing_was(stage, chosen, tmp_path):
    dock = stage.dock
    chosen["path"] = "all.csv"
    choose(stage, "speed", "Save all values as CSV …")
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert [int(row["frame"]) for row in rows] == list(range(1, 257))
    assert float(rows[99]["time"]) == 100 / 64
    assert rows[99]["speed"] == "5.0"
    (position,) = (one for one in dock.curves() if one.title == "position")
    assert [float(row["position.x [m]"]) for row in rows] == position.parts[:, 0].tolist()
    dock.scale.fit(1.0, 2.0)
    chosen["path"] = "one.csv"
    choose(stage, "hp", "Save its values as CSV …")
    with (tmp_path / "one.csv").open(newline="") as file:
        fewer = list(csv.DictReader(file, strict=True))
    assert list(fewer[0]) == ["frame", "time", "hp"]
    assert float(fewer[0]["time"]) >= dock.scale.start
    assert float(fewer[-1]["time"]) <= dock.scale.end


def test_a_histogram_is_saved_as_it_is_drawn(stage, chosen, tmp_path):
    choose(stage, "speed", "Histogram")
    chosen["path"] = "bins.csv"
    choose(stage, "speed", "Save its values as CSV …")
    with (tmp_path / "bins.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert list(rows[0]) == ["from", "to", "speed"]
    assert sum(int(row["speed"]) for row in rows) == 256


def test_what_can_not_be_saved_is_said(stage, chosen, tmp_path):
    (tmp_path / "taken.csv").mkdir()
    for name, entry in (
        ("none/seen.png", "Save as picture …"), ("taken.csv", "Save its values as CSV …"),
    ):  # fmt: skip
        chosen["path"] = name
        choose(stage, "hp", entry)
        assert str(tmp_path / name) in stage.said[-1]
        assert not stage.said[-1].endswith("is saved")
    chosen["path"] = ""
    before = list(stage.said)
    choose(stage, "hp", "Save as picture …")
    assert stage.said == before
    assert [path.name for path in tmp_path.iterdir() if path.name != "config"] == ["taken.csv"]
