"""The timeline under the mouse, line by line of what it promises."""

import msgspec
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.playback.commands import Loop, Play
from playhead.playback.playback_state import Mode
from playhead.recorder.packets.mark import Mark
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, OVERVIEW, TOP
from playhead.viewer.panels.timeline.timeline_panel import TimelinePanel
from playhead.viewer.panels.timeline.timeline_tooltip import tooltip_lines
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QPoint, QPointF, Qt, QWheelEvent

from ..panel_harness import open_dock

LEFT, RIGHT, MIDDLE = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.MouseButton.MiddleButton,
)
SHIFT, ALT, CTRL = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
)  # fmt: skip
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def stage(app, until, clip):
    with open_dock(app, until, TimelinePanel, clip) as made:
        made.panel.resize(900, 300)
        made.go(100, 1)
        yield made


def tooltip_at(panel: TimelinePanel, point: QPointF) -> list[str]:
    return tooltip_lines(panel, panel.pointer, point)


def at(panel, time: float, y: float = TOP + 30) -> QPoint:
    return QPointF(panel.x_of(time), y).toPoint()


def drag(panel, start: QPoint, end: QPoint, button=LEFT, keys=NONE, *, let_go=True) -> None:
    QTest.mousePress(panel, button, keys, start)
    QTest.mouseMove(panel, end)
    if let_go:
        QTest.mouseRelease(panel, button, keys, end)


def turn(panel, where: QPoint, by: int, keys=NONE, sideways: bool = False) -> None:
    angle = QPoint(by, 0) if sideways else QPoint(0, by)
    event = QWheelEvent(
        QPointF(where), QPointF(panel.mapToGlobal(where)), QPoint(), angle,
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel, event)


def y_of(panel, title: str) -> int:
    y = TOP - panel.scrolled
    for row in panel.rows():
        if row.title == title:
            return y + row.height // 2
        y += row.height
    raise AssertionError(f"{title} is not among {[row.title for row in panel.rows()]}")


# --- the playhead -------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [OVERVIEW + 10, TOP + 60])
def test_a_drag_on_the_ruler_or_on_the_lanes_scrubs_and_pauses(stage, y):
    panel, store = stage.panel, stage.store
    store.send(Play(1.0))
    stage.until(lambda: store.playback.mode is Mode.PLAYING)
    drag(panel, at(panel, 1.0, y), at(panel, 3.0, y), let_go=False)
    assert store.cursor == pytest.approx(3.0, abs=0.01)
    stage.until(lambda: store.playback.mode is Mode.PAUSED)
    QTest.mouseRelease(panel, LEFT, pos=at(panel, 3.0, y))
    stage.until(lambda: store.frame == pytest.approx(192, abs=1))


def test_a_drag_in_the_overview_jumps_over_everything_whatever_is_zoomed_to(stage):
    panel, store = stage.panel, stage.store
    panel.scale.fit(0.5, 1.0)
    whole = panel.scale.last - panel.scale.first

    def point(time: float) -> QPoint:
        return QPoint(
            round(GUTTER + (time - panel.scale.first) / whole * panel.room), OVERVIEW // 2
        )

    drag(panel, point(1.0), point(3.5))
    stage.until(lambda: store.frame == pytest.approx(224, abs=1))
    assert panel.scale.start <= 3.5 <= panel.scale.end


@pytest.mark.parametrize("frame", [120, 100, 40])
def test_the_mouse_snaps_to_marks_and_to_lines_of_the_log_within_four_pixels(stage, frame):
    panel, store = stage.panel, stage.store
    exact = frame / 64
    near = at(panel, exact) + QPoint(3, 0)
    QTest.mousePress(panel, LEFT, pos=near)
    assert store.cursor == exact
    QTest.mouseRelease(panel, LEFT, pos=near)
    QTest.mousePress(panel, LEFT, ALT, near)
    assert store.cursor == pytest.approx(panel.time_at(near.x()))
    QTest.mouseRelease(panel, LEFT, ALT, near)
    far = at(panel, exact) + QPoint(7, 0)
    QTest.mousePress(panel, LEFT, pos=far)
    assert store.cursor == pytest.approx(panel.time_at(far.x()))
    QTest.mouseRelease(panel, LEFT, pos=far)


# --- the wheel ----------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [NONE, CTRL])
def test_the_wheel_zooms_at_the_mouse_also_with_ctrl(stage, keys):
    panel = stage.panel
    before, seconds = panel.time_at(600), panel.scale.seconds
    turn(panel, QPoint(600, TOP + 40), 240, keys)
    assert panel.time_at(600) == pytest.approx(before)
    assert panel.scale.seconds < seconds


def test_with_shift_the_wheel_pans(stage):
    panel = stage.panel
    panel.scale.fit(1.0, 2.0)
    start, seconds = panel.scale.start, panel.scale.seconds
    turn(panel, QPoint(600, TOP + 40), -120, SHIFT)
    assert panel.scale.start > start
    assert panel.scale.seconds == pytest.approx(seconds)


def test_over_the_names_or_with_alt_the_wheel_scrolls(stage):
    panel = stage.panel
    panel.resize(900, 150)
    span = panel.scale.start, panel.scale.end
    turn(panel, QPoint(30, TOP + 40), -120)
    assert panel.scrolled == 40
    turn(panel, QPoint(600, TOP + 40), 120, ALT, sideways=True)  # as X11 tells it
    assert panel.scrolled == 0
    assert (panel.scale.start, panel.scale.end) == span


@pytest.mark.parametrize("button", [MIDDLE, RIGHT])
def test_other_buttons_pan_both_ways(stage, button):
    panel, frame = stage.panel, stage.store.frame
    panel.resize(900, 150)
    panel.scale.fit(1.0, 2.0)
    grabbed = panel.time_at(600)
    drag(panel, QPoint(600, 140), QPoint(500, 110), button)
    assert panel.time_at(500) == pytest.approx(grabbed)
    assert panel.scrolled == 30
    assert stage.store.frame == frame


# --- the loop -----------------------------------------------------------------------------------


def test_shift_and_a_drag_make_a_loop_that_says_how_long_it_is(stage):
    panel, store = stage.panel, stage.store
    drag(panel, at(panel, 1.0) + QPoint(20, 0), at(panel, 2.5), keys=SHIFT, let_go=False)
    assert panel.pointer.loop[1] == pytest.approx(2.5, abs=0.01)
    assert stage.shows("#10233c", GUTTER, panel.height() - 24, panel.room, 20)  # Δ while it is made
    QTest.mouseRelease(panel, LEFT, SHIFT, at(panel, 2.5))
    stage.until(lambda: store.playback.loop is not None)
    assert "Δ" in panel.text()


def test_a_loop_s_ends_can_be_dragged_on_the_ruler_and_snap(stage):
    panel, store = stage.panel, stage.store
    store.send(Loop(1.0, 2.0))
    stage.until(lambda: store.playback.loop is not None)
    ruler = OVERVIEW + 12
    QTest.mouseMove(panel, at(panel, 2.0, ruler))
    assert panel.cursor().shape() is Qt.CursorShape.SizeHorCursor
    drag(panel, at(panel, 2.0, ruler), at(panel, 160 / 64, ruler) + QPoint(2, 0))
    stage.until(lambda: store.playback.loop == (1.0, 2.5))  # the failed check's instant
    drag(panel, at(panel, 1.0, ruler), at(panel, 3.0, ruler) + QPoint(1, 0))
    stage.until(lambda: store.playback.loop[0] == 2.5)  # turned around
    QTest.mouseMove(panel, at(panel, 1.5, ruler))
    assert panel.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_a_double_click_on_a_span_zooms_to_it_and_loops_it(stage):
    panel, store = stage.panel, stage.store
    point = at(panel, 1.5, y_of(panel, "guard"))
    QTest.mouseDClick(panel, LEFT, pos=point)
    stage.until(lambda: store.playback.loop == (1.0, 2.0))
    assert panel.scale.start < 1.0 < 2.0 < panel.scale.end
    assert panel.scale.seconds < 1.5


def test_a_double_click_on_a_point_goes_there(stage):
    panel, store = stage.panel, stage.store
    QTest.mouseDClick(panel, LEFT, pos=at(panel, 40 / 64, y_of(panel, "Log")))
    stage.until(lambda: store.frame == 40)
    assert store.selected == 2


# --- names --------------------------------------------------------------------------------------


def test_a_click_on_a_name_selects_and_on_a_heading_folds(stage):
    panel, store = stage.panel, stage.store
    store.select(2)
    QTest.mouseClick(panel, LEFT, pos=QPoint(40, y_of(panel, "north")))
    assert store.selected == 1
    titles = [row.title for row in panel.rows()]
    QTest.mouseClick(panel, LEFT, pos=QPoint(300, y_of(panel, "Events")))
    assert [row.title for row in panel.rows()] == [
        one for one in titles if one not in ("Marks", "Log")
    ]
    QTest.mouseClick(panel, LEFT, pos=QPoint(300, y_of(panel, "Events")))
    assert [row.title for row in panel.rows()] == titles


def test_a_pinned_object_s_lanes_stay_whoever_is_selected(stage):
    panel, store = stage.panel, stage.store
    panel.pin()
    store.select(2)
    titles = [row.title for row in panel.rows()]
    assert titles[:4] == ["north · pinned", "guard", "brain leaf", "speed"]
    assert stage.messages[-1] == "north is pinned: its lanes stay"
    store.select(1)
    assert panel.rows()[0].title == "north · selected"
    panel.pin()
    store.select(0)
    panel.pin()
    assert "Select an object first" in stage.messages[-1]
    assert "north · pinned" not in [row.title for row in panel.rows()]


# --- lanes of any field -------------------------------------------------------------------------


def test_any_field_can_have_a_lane_a_number_a_vector_a_text_a_flag(stage):
    panel, context = stage.panel, stage.panel.context
    for name in ("hp", "position", "state", "visible", "nothing"):
        context.lane(ObjectField(2, name))
    panel.rows()
    stage.until(lambda: context.field_history(2).progress >= 1.0)
    rows = {row.title: row for row in panel.rows()}
    assert {"south · lanes", "hp", "|position|", "state", "visible"} <= set(rows)
    assert rows["hp"].samples.values[9] == 100.0
    assert rows["|position|"].unit == "m"
    assert rows["state"].spans.names == ["Patrol"]
    assert rows["visible"].spans.names == ["true"]
    assert "nothing · not there" in rows
    before = stage.picture()
    context.lane(ObjectField(2, "hp"))
    assert "hp" not in [row.title for row in panel.rows()]
    assert stage.picture() != before


def test_a_field_s_lane_can_be_removed_by_its_menu(stage):
    panel, context = stage.panel, stage.panel.context
    context.lane(ObjectField(1, "hp"))
    stage.until(lambda: context.field_history(1).progress >= 1.0)
    menu = panel.menu(QPointF(30, y_of(panel, "hp")))
    entries = {action.text(): action for action in menu.actions()}
    assert {"Select north", "Pin north's lanes", "Copy as text"} <= set(entries)
    entries["Remove this lane"].trigger()
    assert "hp" not in [row.title for row in panel.rows()]


# --- what is not there --------------------------------------------------------------------------


def test_what_is_missing_is_hatched_and_nothing_shines_through(app, until, gapped):
    with open_dock(app, until, TimelinePanel, gapped) as made:
        panel = made.panel
        panel.resize(900, 300)
        made.go(90, 1)
        y = y_of(panel, "guard")
        left, right = panel.x_of(101 / 64) + 6, panel.x_of(180 / 64) - 6
        seen = made.colors(left, y - 6, right - left, 12)
        states = {palette.state_color("Patrol"), palette.state_color("Chase")}
        assert not seen & states
        assert len(seen) > 1  # lines on a ground
        held = made.colors(panel.x_of(0.3), y - 6, 30, 12)
        assert palette.state_color("Patrol") in held
        assert tooltip_at(panel, QPointF(panel.x_of(2.2), y))[1].startswith("no data")


def test_evicted_stretches_are_never_drawn_as_if_they_were_there(stage):
    store, panel = stage.store, stage.panel
    y = y_of(panel, "guard")
    color = palette.state_color("Patrol")
    point = (panel.x_of(0.2), y - 6, 60, 12)
    assert color in stage.colors(*point)
    held = store.playback.span._replace(oldest=100, start=100 / 64)
    store.playback = msgspec.structs.replace(store.playback, span=held)
    assert color not in stage.colors(*point)


def test_what_is_not_read_yet_is_hatched(stage):
    store, panel = stage.store, stage.panel
    held = store.playback.span._replace(start=-2.0)
    store.history.complete = False
    store.playback = msgspec.structs.replace(store.playback, span=held)
    panel.scale.extend(-2.0, 4.0)
    point = QPointF(panel.x_of(-1.0), y_of(panel, "guard"))
    assert tooltip_at(panel, point)[1].startswith("not read yet")
    ground = stage.colors(point.x() - 30, point.y() - 6, 60, 12)
    assert len(ground) > 1, "lines on a ground"


# --- cards and words ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "row", "lines"),
    [
        (1.5, "guard", ["guard   Chase", "Double click zooms"]),
        (1.5, "speed", ["speed   1", "from 1 to 32"]),
        (2.5, "Marks", ["walkers stay inside", "frame 160", "about south"]),
        (100 / 64, "Log", ["path is long", "frame 100"]),
    ],
)
def test_everything_has_a_hover_card(stage, x, row, lines):
    panel = stage.panel
    text = "\n".join(tooltip_at(panel, QPointF(panel.x_of(x), y_of(panel, row))))
    for line in lines:
        assert line in text
    bare = stage.picture()
    assert stage.hover(panel.x_of(x), y_of(panel, row)) != bare


def test_names_ruler_and_overview_have_cards_too(stage):
    panel = stage.panel
    assert tooltip_at(panel, QPointF(30, y_of(panel, "guard")))[1].startswith("Click selects north")
    assert tooltip_at(panel, QPointF(30, y_of(panel, "Events")))[1].startswith("Click folds")
    assert tooltip_at(panel, QPointF(panel.x_of(1.0), OVERVIEW + 5))[1] == (
        "frame 64   15.6 ms after the one before"
    )
    result = tooltip_at(panel, QPointF(panel.x_of(2.5), 10))
    assert "▲ 00:02.500  walkers stay inside" in result


def test_as_text_it_says_what_each_row_says(stage):
    text = stage.panel.text()
    assert text.splitlines()[0] == "00:01.562   frame 100"
    assert "north · selected\n  guard   Chase\n  brain leaf   Strike\n  speed   5" in text
    assert "  Marks   00:02.500   walkers stay inside" in text
    stage.panel.copy()
    assert QApplication.clipboard().text() == text


def test_the_menu_opens_where_the_right_button_is_clicked_and_not_where_it_drags(stage):
    panel = stage.panel
    shown = []
    panel.menu = lambda point: shown.append(point) or _Menu()
    QTest.mouseClick(panel, RIGHT, pos=at(panel, 1.5))
    assert len(shown) == 1
    drag(panel, at(panel, 1.5), at(panel, 2.5), RIGHT)
    assert len(shown) == 1


class _Menu:
    def popup(self, point: QPoint) -> None:
        pass


def test_a_mark_set_by_hand_can_be_renamed_and_removed_by_its_menu_and_a_recorded_one_not(stage):
    panel, store = stage.panel, stage.store
    requests, asked = [], []
    panel.context.annotate = requests.append
    panel.context.renaming.connect(asked.append)
    mine = Mark("mine", 200, 200 / 64, "hand")
    store.history.marks = (*store.history.marks, mine)
    y = y_of(panel, "Marks")

    def entries(time: float):
        menu = panel.menu(QPointF(panel.x_of(time), y))
        return {action.text(): action for action in menu.actions()}

    assert "Remove this mark" not in entries(120 / 64)
    entries(200 / 64)["Rename this mark …"].trigger()
    entries(200 / 64)["Remove this mark"].trigger()
    assert asked == [mine]
    assert [(request.mark, request.text) for request in requests] == [(mine, "")]


def test_the_picture_is_kept_while_only_the_playhead_moves(stage):
    stage.picture()
    made = stage.panel._background.made
    for frame in (90, 80, 70):
        stage.go(frame, 1)
        stage.picture()
    assert stage.panel._background.made == made
    stage.panel.scale.zoom(0.5, 1.0)
    stage.picture()
    assert stage.panel._background.made == made + 1
