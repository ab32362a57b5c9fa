"""What stood in the way of something else, or was cut although there was room."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.trace_types import Rejected, TreeNode
from playhead.session import Session
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, paint_ruler_labels
from playhead.viewer.panels.timeline.point_events import EventLane, PointEvent
from playhead.viewer.panels.timeline.row_painter import RowPainter
from playhead.viewer.panels.timeline.time_scale import TimeScale
from playhead.viewer.panels.timeline.timeline_rows import TimelineRow
from playhead.viewer.reader.history.curve_gaps import lengths
from playhead.viewer.scene.scene_renderer import _body_box
from playhead.viewer.toolkit.qt import QFontMetricsF, QImage, QPainter, QPointF, QRectF, Qt
from playhead.viewer.toolkit.theme import font

from ..support.fake_world import FakeWorld, handlers_of

SIZES = [(1280, 720), (1920, 1080)]


@dataclass
class Thing:
    position: tuple[float, float, float]
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ahead: tuple[float, float, float] = (1.0, 0.0, 0.0)


@pytest.fixture
def record(tmp_path):
    """Record some frames of things; returns the clip."""

    def make(locations, say=lambda session, at: None, frames=20):
        world = FakeWorld({at: Thing(location) for at, location in enumerate(locations, 1)})
        path = tmp_path / "heap.mcap"
        with Session(world, "4 MiB", handlers=handlers_of(world)) as session:
            for at in range(frames):
                with session.frame(1 / 60):
                    world.seconds += 1 / 60
                    for thing in world.things.values():
                        turn = at * 0.37
                        thing.ahead = (math.cos(turn), math.sin(turn), 0.0)
                    say(session, at)
            session.save(path)
        return path

    return make


# --- banners ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_what_is_wrong_at_a_frame_stands_below_a_failed_check(window, demo_clip, size, monkeypatch):
    opened = window(demo_clip, size=size)
    world = opened.world
    monkeypatch.setattr(world, "_warning", lambda: "No frames for 1.300 s here")
    world.grab()
    assert opened.banner.isVisible()
    assert not world.warning_box.intersects(QRectF(opened.banner.geometry()))
    assert world.warning_box.top() < opened.banner.geometry().bottom() + 20
    opened.banner.dismiss()
    world.grab()
    assert world.warning_box.top() == 38


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_labels_in_the_world_keep_out_of_banners_and_off_the_selected_body(
    window, demo_clip, size, monkeypatch
):
    opened = window(demo_clip, size=size)
    world = opened.world
    monkeypatch.setattr(world, "_warning", lambda: "No frames for 1.300 s here")
    boxes = []
    draw = world._scene_renderer._badges.draw

    def drawn(*args, taken, **rest):
        before = list(taken)
        draw(*args, taken=taken, **rest)
        boxes.extend((box, args[3]) for box in taken[len(before) :])

    monkeypatch.setattr(world._scene_renderer._badges, "draw", drawn)
    world.grab()
    assert len(boxes) > 2
    for over in (QRectF(opened.banner.geometry()), world.warning_box):
        assert over.height() > 20
        assert not [title for box, title in boxes if box.intersects(over)]
    scene = world.scene
    row = scene.row(opened.store.selected)
    view = world.camera.view(world.width(), world.height())
    body = _body_box(view, scene, row)
    assert body.height() > 20
    (believed,) = [box for box, title in boxes if title.startswith("believed")]
    assert not believed.intersects(body)


# --- the timeline -------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "covered"), [(480.0, True), (440.0, False)])
def test_the_playhead_s_flag_hides_a_number_of_the_ruler_whole_or_not_at_all(app, x, covered):
    scale = TimeScale()
    scale.extend(0.0, 10.0)
    across, image = GUTTER + 800, QImage(GUTTER + 800, 60, QImage.Format.Format_RGB32)

    def written(flag):
        image.fill(Qt.GlobalColor.black)
        painter = QPainter(image)
        paint_ruler_labels(painter, scale, across, flag)
        painter.end()
        return pixels_of(image)

    flag = QRectF(GUTTER + x, 33, 30, 18)
    free, beside = written(None), written(flag)
    gone = free & ~beside
    assert gone.any() == covered
    assert not (beside & ~free).any()
    inside = np.zeros_like(beside)
    inside[33:51, int(flag.left()) : int(flag.right())] = True
    assert not (beside & inside).any()


@pytest.mark.parametrize("kind", ["line", "grave", "mark"])
def test_what_happens_at_an_end_of_the_timeline_has_a_whole_sign(app, kind):
    scale = TimeScale()
    scale.extend(0.0, 10.0)
    box, image = QRectF(0, 0, 200, 18), QImage(200, 18, QImage.Format.Format_RGB32)
    mark = Mark("here", 0) if kind == "mark" else None

    def size(time):
        event = PointEvent(time, 0, "", "#ffffff", grave=kind == "grave", mark=mark)
        image.fill(Qt.GlobalColor.black)
        painter = QPainter(image)
        row = TimelineRow("Log", 18, events=EventLane([event]))
        RowPainter().paint(painter, row, box, scale)
        painter.end()
        return pixels_of(image).sum()

    assert size(5.0) > 20
    assert size(10.0) == pytest.approx(size(5.0), rel=0.2)


def pixels_of(image):
    """Which pixels of a picture on black ground were painted."""
    memory = image.constBits()
    memory.setsize(image.sizeInBytes())
    rows = np.frombuffer(memory, np.uint8).reshape(image.height(), image.width(), 4)
    return rows[..., :3].max(axis=2) > 60


# --- files --------------------------------------------------------------------------------------


def test_a_text_file_is_no_lost_game(window, tmp_path, until):
    path = tmp_path / "notes.txt"
    path.write_text("to do: sleep")
    opened = window(path, ready=False)
    until(lambda: opened.card.title.text() == "This can't be opened")
    bar = opened.transport
    assert opened.findChild(type(bar.mode)).text() == "NO CLIP"
    assert "can't be read" in bar.link.text()
    assert not bar.retry.isVisible()
    assert not bar.live.isVisible()
    assert "neither a clip nor a ring" in opened.card.waiting.text()


# --- the shortcut overlay -----------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_no_row_of_the_shortcut_overlay_is_cut(window, clip, size):
    opened = window(clip, size=size)
    overlay = opened.shortcuts
    overlay.toggle()
    overlay.grab()
    help_metrics, key_metrics = (
        QFontMetricsF(font(12)),
        QFontMetricsF(font(11, bold=True, mono=True)),
    )
    rows = [row for row in overlay._rows() if row.action is not None]
    assert len(rows) > 50
    for row in rows:
        key, help = overlay._row_text(row.action)
        assert help_metrics.horizontalAdvance(help) <= row.box.width() - row.key_width - 4, help
        assert key_metrics.horizontalAdvance(key) < row.key_width
        assert overlay._box.contains(row.box)
    boxes = [row.box for row in overlay._rows()]
    for index, box in enumerate(boxes):
        assert not any(box.intersects(other) for other in boxes[:index])


# --- the timeline -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_hover_card_leaves_the_lane_that_it_explains_to_be_seen(window, demo_clip, size):
    opened = window(demo_clip, size=size)
    panel, seen = opened.timeline, 0
    for y in range(panel.height() - 2, 70, -9):
        about = panel.about(y)
        if about is None or panel.is_heading(y):
            continue
        QTest.mouseMove(panel, QPointF(GUTTER + 200, y).toPoint())
        panel.grab()
        if panel.card_box.isEmpty():
            continue
        seen += 1
        assert not panel.card_box.intersects(about), f"{size}, at {y}"
        assert QRectF(panel.rect()).contains(panel.card_box)
    assert seen > 3


# --- the machine and the tree -------------------------------------------------------------------

LONG = "the_target_has_been_out_of_sight"


def speak(session, at):
    if at:
        return
    session.trace.state(
        1, "guard", "Patrol", "Chase", won="in_reach",
        rejected=(Rejected(LONG, "it was seen 1.3 m from where it is believed to be"),),
    )  # fmt: skip
    session.trace.define_tree(
        2,
        "thinking",
        (TreeNode("root\nof all", "selector", -1), TreeNode("go\r\nhome", "action", 0)),
    )
    session.trace.tree(2, "thinking", ("running", "running"))
    session.trace.state(2, "two\nlines", "first\nstate", "second\nstate", won="a\nreason")


def texts_of(widget, monkeypatch):
    """What a panel writes while it is painted."""
    from playhead.viewer.toolkit import qt

    written = []
    draw = qt.QPainter.drawText

    def note(painter, *rest):
        written.extend((one, painter.fontMetrics()) for one in rest if isinstance(one, str))
        return draw(painter, *rest)

    monkeypatch.setattr(qt.QPainter, "drawText", note)
    widget.grab()
    monkeypatch.undo()
    assert not widget.error_text
    return [text for text, _ in written]


@pytest.mark.parametrize("size", SIZES)
def test_names_of_conditions_are_complete(window, record, size, monkeypatch, app):
    opened = window(record([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)], speak), size=size)
    opened.store.select(1)
    app.processEvents()
    opened.machine.resize(opened.machine.width() - 1, 400)
    written = texts_of(opened.machine, monkeypatch)
    assert LONG in written
    assert any("in_reach" in text for text in written)


def test_line_breaks_in_names_break_no_row(window, record, monkeypatch, app):
    opened = window(record([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)], speak))
    opened.store.select(2)
    app.processEvents()
    for panel, expected in ((opened.tree.list, "root of all"), (opened.machine, "second state")):
        panel.resize(420, 420)
        written = texts_of(panel, monkeypatch)
        assert any(expected in text for text in written), written
        assert not [text for text in written if "\n" in text or "\r" in text]


# --- the world ----------------------------------------------------------------------------------


def test_the_world_s_own_label_covers_no_name(window, demo_clip):
    opened = window(demo_clip)
    world = opened.world
    world.grab()
    (label, *_) = world._scene_renderer.clear
    assert label.width() > 100
    taken = []
    from playhead.viewer.toolkit.object_name_labels import LabelBadges

    image = QImage(600, 200, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for x, y in ((20, 12), (120, 20), (label.right() - 5, 25), (40, 3)):
        LabelBadges().draw(
            painter, 1.0, QPointF(x, y), "north", "Patrol", "#ffffff", outlined=True,
            taken=taken, image_width=600, moves_down=True, covers=(label,),
        )  # fmt: skip
    painter.end()
    assert len(taken) == 4
    for box in taken:
        assert not box.intersects(label)
        assert QRectF(0, 0, 600, 200).contains(box)


@pytest.mark.parametrize("location", [(0.0, 0.0, 0.0), (4000.0, -20.0, 3.0)])
def test_a_body_is_in_the_picture_when_all_are_at_one_point(window, record, location):
    opened = window(record([location, location, location]))
    world = opened.world
    for _ in range(2):
        world.grab()
        scene = world.scene
        view = world.camera.view(world.width(), world.height())
        pixels, front, _ = view.project(scene.bones(0).reshape(-1, 3))
        assert front.all()
        assert (pixels > 0).all()
        assert (pixels < (world.width(), world.height())).all()
        assert np.ptp(pixels[:, 1]) > 20
        opened.world.see_all()


# --- the log ------------------------------------------------------------------------------------


def test_levels_of_the_log_have_keys_and_can_be_walked_to(window, clip, app):
    opened = window(clip)
    log = opened.log
    press = QTest.keyClick
    assert "debug" in log.list.levels
    press(opened.world, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert "debug" not in log.list.levels
    assert not log.levels["debug"].isChecked()
    press(opened.world, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert "debug" in log.list.levels
    chip = log.levels["error"]
    assert chip.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert "Alt+4" in chip.toolTip()
    assert log.filter.nextInFocusChain() is log.levels["debug"]
    opened.activateWindow()
    app.processEvents()
    chip.setFocus()
    if app.focusWidget() is chip:
        press(chip, Qt.Key.Key_Space)
        assert "error" not in log.list.levels
        press(chip, Qt.Key.Key_Return)
        assert "error" in log.list.levels


# --- curves -------------------------------------------------------------------------------------


def test_vectors_that_only_turn_have_a_constant_length():
    turns = np.linspace(0, 6, 500)
    parts = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1).astype(np.float32)
    parts = parts.astype(np.float64)
    assert np.ptp(np.linalg.norm(parts, axis=1)) > 0  # the noise
    parts[7] = np.nan
    result = lengths(parts)
    assert np.isnan(result[7])
    assert np.unique(result[np.isfinite(result)]).size == 1
    assert result[0] == pytest.approx(1.0)


def test_vectors_that_change_a_little_are_drawn_as_they_are():
    parts = np.array([[1.0, 0.0], [1.00001, 0.0], [1.0, 0.0]])
    assert lengths(parts).tolist() == [1.0, 1.00001, 1.0]
    assert lengths(np.empty((0, 3))).tolist() == []


def test_the_inspector_s_curve_of_a_turning_vector_is_a_level_line(window, record, until):
    opened = window(record([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)], frames=60))
    opened.store.select(1)
    until(lambda: len(opened.store.surroundings) > 40)
    (row,) = (row for row in opened.inspector.rows if row.field == "ahead")
    _, values = opened.inspector.curve_of(row)
    assert np.unique(values[np.isfinite(values)]).size == 1
