"""The window as a person uses it, on recordings."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtCore import QPoint
from PyQt6.QtTest import QTest

from playhead.playback.commands import Loop, SeekFrame
from playhead.playback.playback_state import Mode
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, OVERVIEW, TOP
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import QApplication, QImage, QPointF, Qt, QWheelEvent
from playhead.viewer.widgets.painted_panel import PaintedPanel

from ..yard import FAILS, make_clip

LEFT = Qt.MouseButton.LeftButton


def at(panel, time: float, y: float = TOP + 30) -> QPoint:
    return QPointF(panel.x_of(time), y).toPoint()


def press(window, key, *held) -> None:
    modifiers = Qt.KeyboardModifier.NoModifier
    for one in held:
        modifiers |= one
    QTest.keyClick(window, key, modifiers)


@pytest.fixture
def opened(window, clip):
    return window(clip)


def test_it_opens_at_the_failure_with_the_culprit_selected(opened):
    assert opened.store.frame == FAILS
    assert opened.store.selected == 2
    assert opened.transport.mode.text() == "PAUSED"
    assert opened.transport.time.text() == "00:02.500"


def test_arrows_step_and_home_and_end_go_to_the_ends(opened, until):
    press(opened, Qt.Key.Key_Left)
    until(lambda: opened.store.frame == FAILS - 1)
    press(opened, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    until(lambda: opened.store.frame == FAILS + 9)
    press(opened, Qt.Key.Key_Home)
    until(lambda: opened.store.frame == 1)
    press(opened, Qt.Key.Key_End)
    until(lambda: opened.store.frame == 256)


def test_space_plays_and_pauses(opened, until):
    press(opened, Qt.Key.Key_Space)
    until(lambda: opened.store.playback.mode is Mode.PLAYING)
    assert opened.transport.mode.text() == "PLAYING"
    until(lambda: opened.store.frame > FAILS + 4)
    press(opened, Qt.Key.Key_Space)
    until(lambda: opened.store.playback.mode is Mode.PAUSED)


def test_keys_do_nothing_while_a_text_is_typed(opened, until):
    opened.activateWindow()
    opened.objects.filter.setFocus()
    until(lambda: opened.focusWidget() is opened.objects.filter)
    QTest.keyClicks(opened.objects.filter, "n t")
    assert opened.objects.filter.text() == "n t"
    assert not opened.world.camera.top
    assert opened.store.playback.mode is Mode.PAUSED


def test_dragging_the_timeline_scrubs_and_the_playhead_is_where_the_mouse_is(opened, until):
    timeline = opened.timeline
    QTest.mousePress(timeline, LEFT, pos=at(timeline, 1.0))
    QTest.mouseMove(timeline, at(timeline, 3.0))
    assert opened.store.cursor == pytest.approx(3.0, abs=0.02)
    QTest.mouseRelease(timeline, LEFT, pos=at(timeline, 3.0))
    until(lambda: opened.store.frame == pytest.approx(192, abs=2))
    image = timeline.grab().toImage()
    x = round(timeline.x_of(opened.store.cursor))
    column = {image.pixelColor(x + by, timeline.height() - 40).name() for by in (-1, 0, 1)}
    assert palette.PLAYHEAD in column


def test_the_mouse_snaps_to_marks_unless_alt_is_held(opened, until):
    timeline, alt = opened.timeline, Qt.KeyboardModifier.AltModifier
    near = at(timeline, 120 / 64) + QPoint(3, 0)
    QTest.mousePress(timeline, LEFT, alt, near)
    assert opened.store.cursor == pytest.approx(timeline.time_at(near.x()))
    QTest.mouseRelease(timeline, LEFT, alt, near)
    QTest.mousePress(timeline, LEFT, pos=near)
    assert opened.store.cursor == 120 / 64
    QTest.mouseRelease(timeline, LEFT, pos=near)
    until(lambda: opened.store.frame == 120)


def test_shift_drag_makes_a_loop_and_escape_ends_it(opened, until):
    timeline, shift = opened.timeline, Qt.KeyboardModifier.ShiftModifier
    QTest.mousePress(timeline, LEFT, shift, at(timeline, 0.5))
    QTest.mouseMove(timeline, at(timeline, 1.5))
    QTest.mouseRelease(timeline, LEFT, shift, at(timeline, 1.5))
    until(lambda: opened.store.playback.loop is not None)
    assert opened.store.playback.loop == pytest.approx((0.5, 1.5), abs=0.01)
    opened.banner.dismiss()
    press(opened, Qt.Key.Key_Escape)
    until(lambda: opened.store.playback.loop is None)
    press(opened, Qt.Key.Key_Escape)
    assert opened.store.selected == 0


def test_a_click_on_the_overview_jumps_and_a_name_selects(opened, until):
    timeline = opened.timeline
    middle = QPoint(GUTTER + (timeline.width() - GUTTER) // 2, OVERVIEW // 2)
    QTest.mouseClick(timeline, LEFT, pos=middle)
    until(lambda: opened.store.frame == pytest.approx(128, abs=3))
    rows = timeline.rows()
    y = TOP + sum(row.height for row in rows[: [row.title for row in rows].index("north")]) + 5
    QTest.mouseClick(timeline, LEFT, pos=QPoint(40, y))
    assert opened.store.selected == 1
    assert timeline.rows()[0].title == "north · selected"


def turn(panel, where: QPoint, by: int, *held) -> None:
    """Turn the mouse wheel over a panel."""
    modifiers = Qt.KeyboardModifier.NoModifier
    for one in held:
        modifiers |= one
    event = QWheelEvent(
        QPointF(where), QPointF(panel.mapToGlobal(where)), QPoint(), QPoint(0, by),
        Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel, event)


def test_the_wheel_zooms_at_the_mouse_pans_with_shift_and_z_shows_all_again(opened):
    timeline = opened.timeline
    where = QPoint(600, TOP + 40)
    before = timeline.time_at(600)
    turn(timeline, where, 240)
    assert timeline.time_at(600) == pytest.approx(before)
    seconds, start = timeline.scale.seconds, timeline.scale.start
    assert seconds < 3.5
    turn(timeline, where, -120, Qt.KeyboardModifier.ShiftModifier)
    assert timeline.scale.start > start
    assert timeline.scale.seconds == pytest.approx(seconds)
    press(opened, Qt.Key.Key_Z)
    assert timeline.scale.whole


def test_a_double_click_on_a_span_plays_it_round_and_round(opened, until):
    opened.store.select(1)
    timeline = opened.timeline
    QTest.mouseDClick(timeline, LEFT, pos=at(timeline, 1.5))
    until(lambda: opened.store.playback.loop == (1.0, 2.0))
    assert timeline.scale.start < 1.0 < 2.0 < timeline.scale.end


def test_n_walks_through_the_problems_and_alt_left_leads_back(opened, until):
    press(opened, Qt.Key.Key_N)
    until(lambda: opened.store.frame == 40)
    press(opened, Qt.Key.Key_N)
    until(lambda: opened.store.frame == FAILS)
    press(opened, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    until(lambda: opened.store.frame == 40)


def test_ctrl_arrows_go_to_the_selected_object_s_events_and_brackets_to_marks(opened, until):
    opened.store.select(1)
    press(opened, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    until(lambda: opened.store.frame == 192)
    QTest.keyClicks(opened, "[")
    until(lambda: opened.store.frame == FAILS)
    QTest.keyClicks(opened, "[")
    until(lambda: opened.store.frame == 120)


def test_tab_goes_from_agent_to_agent_and_t_looks_from_above(opened):
    press(opened, Qt.Key.Key_Tab)
    assert opened.store.selected == 1
    press(opened, Qt.Key.Key_T)
    assert opened.world.camera.top


def test_focus_shows_the_object_s_lanes(opened):
    press(opened, Qt.Key.Key_Tab)
    titles = [row.title for row in opened.timeline.rows()]
    opened.timeline.click_name(TOP + 5)
    assert len(opened.timeline.rows()) < len(titles), "it folds the first group, the selected one's"
    press(opened, Qt.Key.Key_F)
    assert [row.title for row in opened.timeline.rows()] == titles
    assert opened.timeline.scrolled == 0


def test_a_double_click_in_the_log_goes_there_and_selects(opened, until):
    log = opened.log.list
    rows = [row.frame for row in log.rows]
    log.show_row(rows.index(40))
    QTest.mouseDClick(log, LEFT, pos=log.box_of(rows.index(40)).center().toPoint())
    until(lambda: opened.store.frame == 40)
    assert opened.store.selected == 2


def test_a_click_in_the_world_selects_what_is_there(opened, until):
    world = opened.world
    opened.store.select(0)
    until(lambda: world.scene is not None)
    view = world.camera.view(world.width(), world.height())
    body = world.scene.body(1)
    ((x, y),) = view.project((body.position + body.top) / 2)[0].tolist()
    QTest.mouseClick(world, LEFT, pos=QPointF(x, y).toPoint())
    assert opened.store.selected == 1


def test_the_world_shows_bones_where_there_was_ground(opened, until):
    world = opened.world
    bare = world.grab().toImage()
    opened.layers.switch("bodies", False)
    assert world.grab().toImage() != bare


def test_an_object_can_be_hidden_in_this_window_only(opened, until):
    opened.store.hide(frozenset({1}))
    opened.world.grab()
    assert opened.world.scene.body(1) is None
    assert opened.store.snapshot.objects[1]


def test_a_channel_s_chip_hides_its_drawings_for_everybody(opened, until):
    opened.objects.chips["#ai"].click()
    until(lambda: opened.store.playback.hidden == frozenset({"ai"}))
    assert not opened.objects.chips["#ai"].isChecked()


def test_the_inspector_s_arrows_lead_to_the_value_s_changes(opened, until):
    opened.store.select(1)
    until(lambda: opened.inspector.rows)
    titles = [row.title for row in opened.inspector.rows]
    box = opened.inspector.box_of(titles.index("hp"))
    opened.inspector.show_row(titles.index("hp"))
    box = opened.inspector.box_of(titles.index("hp"))
    QTest.mouseClick(opened.inspector, LEFT, pos=QPoint(opened.inspector.width() - 12,
                                                        int(box.center().y())))  # fmt: skip
    until(lambda: opened.store.frame == 192)


def test_a_transition_is_a_link_to_its_frame(opened, until):
    opened.store.select(1)
    until(lambda: opened.machine.rows)
    rows = opened.machine.rows
    cursor_row = next(row_index for row_index, row in enumerate(rows) if row.frame == 64) + 2
    opened.machine.show_row(cursor_row)
    QTest.mouseClick(opened.machine, LEFT, pos=opened.machine.box_of(cursor_row).center().toPoint())
    until(lambda: opened.store.frame == 64)


def test_the_tree_shows_the_tick_of_the_frame(opened, until):
    opened.store.select(1)
    opened.store.send(SeekFrame(10))
    until(lambda: opened.store.frame == 10)
    assert {row.name: row.reason for row in opened.tree.list.rows}["Sees?"] == "wall in between"


def test_a_panel_that_fails_shows_why_and_the_others_live_on(opened, monkeypatch):
    def broken(painter):
        raise RuntimeError("no such colour")

    monkeypatch.setattr(opened.machine, "paint", broken)
    opened.machine.grab()
    assert "no such colour" in opened.machine.error_text
    opened.action_handlers.copy_link()
    assert "no such colour" in QApplication.clipboard().text()
    monkeypatch.undo()
    opened.machine.grab()
    assert opened.machine.error_text == ""


def test_a_link_says_where_one_is(opened, clip):
    opened.action_handlers.copy_link()
    assert QApplication.clipboard().text() == f"playhead://{clip}#frame={FAILS}&focus=2"


def test_one_types_where_to_go(opened, until):
    opened.transport.time.setText("#77")
    opened.transport.time.returnPressed.emit()
    until(lambda: opened.store.frame == 77)
    opened.transport.time.setText("here")
    opened.transport.time.returnPressed.emit()
    until(lambda: opened.store.frame == 120)
    opened.transport.time.setText("#")
    opened.transport.time.returnPressed.emit()
    assert "number of a frame" in opened.status.left.text()


def test_question_mark_shows_all_keys(opened):
    QTest.keyClicks(opened, "?")
    assert opened.shortcuts.isVisible()
    press(opened, Qt.Key.Key_Escape)
    assert not opened.shortcuts.isVisible()


def test_a_gap_is_hatched_and_reported(window, gapped, until):
    one = window(gapped)
    assert len(one.store.history.gaps()) == 1
    one.timeline.grab()
    image = one.timeline.grab().toImage()
    middle = at(one.timeline, 2.2, one.timeline.height() - 50)
    colors = {image.pixelColor(middle.x() + by, middle.y()).name() for by in range(14)}
    assert len(colors) > 1  # hatched, not empty


def test_nothing_open_shows_the_card_with_the_lines_to_copy(window, until):
    one = window("127.0.0.1:1", ready=False)
    until(lambda: "Waiting" in one.card.waiting.text())
    assert one.stack.currentWidget() is one.card
    assert one.transport.mode.text() == "WAITING"
    one.card.copy.click()
    assert "bus=True) as rec:" in QApplication.clipboard().text()


def test_a_damaged_file_says_why_on_the_card(window, tmp_path, until):
    path = tmp_path / "broken.mcap"
    path.write_bytes(b"\x89MCAP0\r\n nothing of use")
    one = window(path, ready=False)
    until(lambda: one.card.title.text() == "This can't be opened")
    assert "broken.mcap" in one.card.waiting.text()


def test_a_clip_of_another_major_version_says_which_playhead_is_needed(
    window, tmp_path, until, monkeypatch
):
    monkeypatch.setattr("playhead.recorder.clips.clip_writer.MAJOR", 7)
    path = tmp_path / "later.mcap"
    make_clip(path, (1, 20))
    one = window(path, ready=False)
    until(lambda: one.card.title.text() == "This can't be opened")
    assert "a clip in format 7." in one.card.waiting.text()
    assert "use a newer one" in one.card.waiting.text()


def test_a_clip_of_a_newer_minor_version_is_shown_and_says_what_is_not(
    window, tmp_path, monkeypatch
):
    monkeypatch.setattr("playhead.recorder.clips.clip_writer.MINOR", 9)
    path = tmp_path / "newer.mcap"
    make_clip(path, (1, 20))
    one = window(path)
    assert len(one.store.history) == 20
    assert "format 1.9" in one.store.backend_state.error_text
    assert "what is new in it is not shown" in one.store.backend_state.error_text


def test_another_recording_is_opened_in_the_same_window(window, clip, gapped, until):
    one = window(clip)
    one.view(str(gapped))
    until(lambda: one.store.is_settled)
    assert one.store.backend_state.title == "gapped.mcap"
    assert len(one.store.history) == 176
    one.view("no such thing.mcap")
    assert "no such thing" in one.status.left.text()


def test_times_are_reported_in_the_way_one_chooses_and_in_the_next_window_too(opened, window, clip):
    ruler = opened.timeline.grab().toImage()
    opened.transport.format.click()
    assert opened.transport.time.text() == "2.500 s"
    assert opened.timeline.grab().toImage() != ruler
    press(opened, Qt.Key.Key_F2)
    assert opened.transport.time.text() == f"#{FAILS}"
    press(opened, Qt.Key.Key_F2)
    assert opened.transport.time.text() == "00:00:02:32"
    assert window(clip).transport.time.text() == "00:00:02:32"
    # A game that does not say when it began has no time of day: it starts again.
    press(opened, Qt.Key.Key_F2)
    assert opened.transport.time.text() == "00:02.500"


def test_a_frame_s_number_can_be_clicked_and_typed(opened, until):
    opened.activateWindow()
    opened.transport.frame.click()
    until(lambda: opened.focusWidget() is opened.transport.time)
    QTest.keyClicks(opened.transport.time, "12")
    QTest.keyClick(opened.transport.time, Qt.Key.Key_Return)
    until(lambda: opened.store.frame == 12)


def test_a_mistake_in_a_slot_is_reported_with_its_traceback_to_be_copied(opened):
    opened.fault("A mistake in the viewer: ValueError: odd", "Traceback …\nValueError: odd")
    assert "odd" in opened.status.left.text()
    assert opened.status.copy.isVisible()
    opened.status.copy.click()
    assert QApplication.clipboard().text().startswith("Traceback")
    assert not opened.status.copy.isVisible()


def test_everything_that_is_painted_has_a_name_to_be_read_aloud(opened):
    from playhead.viewer.widgets.painted_panel import PaintedPanel

    panels = opened.findChildren(PaintedPanel)
    assert len(panels) > 8
    assert all(panel.accessibleName() for panel in panels)
    assert opened.transport.mode.accessibleName() == "Mode: PAUSED"


@pytest.mark.parametrize("size", [(1280, 720), (960, 600)])
def test_it_is_as_small_as_one_wants(window, clip, size):
    one = window(clip, size=size)
    assert (one.width(), one.height()) == size
    assert one.world.width() > 200


def test_marks_that_are_asked_for_faster_than_they_are_shown_all_count(opened, until):
    store = opened.store
    store.jump(192)
    until(lambda: store.frame == 192)
    store.next_mark(-1)
    store.next_mark(-1)
    until(lambda: store.frame == 120)
    store.jump(1)
    store.next_mark(1)
    store.next_mark(1)
    until(lambda: store.frame == FAILS)


def test_what_a_move_paints_anew_is_all_that_it_changes(window, clip, until, app):
    one = window(clip, size=(1600, 900))
    one.timeline.scale.fit(1.0, 3.0)
    one.timeline.update()
    settle(one, until, app)
    for frame in (60, 61, 140, 20, 256, 1, FAILS, 120):
        one.store.send(SeekFrame(frame))
        until(lambda frame=frame: one.store.frame == frame)
        settle(one, until, app)
        panels = in_sight(one)
        assert len(panels) > 6
        for panel in panels:
            # The selected one's trail is read by and by.
            until(lambda panel=panel: on_screen(one, panel) == whole(panel))


def test_who_is_selected_is_in_every_panel_at_once(window, clip, until, app):
    one = window(clip, size=(1600, 900))
    # 99 is nobody, and not all of the others decide, have a tree or are watched.
    there = (
        (121, 1),
        (122, 2),
        (123, 3),
        (124, 4),
        (125, 2),
        (125, 99),
        (125, 2),
        (125, 3),
        (125, 2),
    )
    for frame, object in there:
        one.store.send(SeekFrame(frame))
        one.store.select(object)
        until(lambda frame=frame: one.store.frame == frame)
        settle(one, until, app)
        for panel in in_sight(one):
            # The selected one's trail is read by and by.
            until(lambda panel=panel: on_screen(one, panel) == whole(panel))


def test_a_loop_and_a_zoom_paint_the_whole_timeline(window, clip, until, app):
    one = window(clip, size=(1600, 900))
    settle(one, until, app)
    for act in (
        lambda: one.store.send(Loop(1.0, 2.0)), lambda: one.timeline.zoom(0.5),
        lambda: one.store.send(SeekFrame(90)), one.timeline.fit, lambda: one.store.select(3),
        lambda: one.store.send(SeekFrame(91)),
    ):  # fmt: skip
        act()
        settle(one, until, app)
        assert on_screen(one, one.timeline) == whole(one.timeline)


RGB = QImage.Format.Format_RGB32


def settle(one, until, app):
    """Let everything be painted that is to be."""
    store, world = one.store, one.world
    painted = world.paint_count
    world.update()
    until(lambda: store.is_settled and store.drag_time is None and world.paint_count > painted)
    for _ in range(3):
        app.processEvents()


def in_sight(one):
    """The panels that a person sees."""
    return [
        panel for panel in one.findChildren(PaintedPanel) if not panel.visibleRegion().isEmpty()
    ]


def whole(panel):
    """A panel's pixels, all of them repainted."""
    return panel.grab().toImage().convertToFormat(RGB)


def on_screen(one, panel):
    """The pixels that are in front of the person now."""
    corner = panel.mapTo(one, QPoint(0, 0))
    picture = one.screen().grabWindow(one.winId()).toImage().convertToFormat(RGB)
    return picture.copy(corner.x(), corner.y(), panel.width(), panel.height())
