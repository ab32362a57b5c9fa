"""The plots dock as a person uses it."""

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)


from playhead.viewer.docks.plot_still import LEFT, color_of
from playhead.viewer.docks.plots import PlotsDock
from playhead.viewer.models import palette
from playhead.viewer.models.picks import Field
from playhead.viewer.models.timescale import Timescale
from playhead.viewer.qt import QPoint, QPointF, Qt

from .stage import staged
from .test_timeline import ALT, NONE, SHIFT, drag, turn

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def stage(app, until, clip):
    def make(clock):
        scale = Timescale()
        scale.extend(0.0, 4.0)
        return PlotsDock(clock, scale)

    with staged(app, until, make, clip) as made:
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
    made = dock._still.made
    stage.go(200, 1)
    second = stage.picture()
    assert dock._still.made == made
    assert first != second
    x = round(dock.x_of(200 / 64))
    assert second.pixelColor(x, 300).name() == palette.PLAYHEAD


def test_a_gap_is_hatched(app, until, gapped):
    def make(clock):
        scale = Timescale()
        scale.extend(0.0, 4.0)
        return PlotsDock(clock, scale)

    with staged(app, until, make, gapped) as made:
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
