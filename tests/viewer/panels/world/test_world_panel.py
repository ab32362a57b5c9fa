"""The world dock as a person uses it."""

import math
from contextlib import ExitStack

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

import playhead as ph
from playhead.viewer.panels.world.camera_framing import CameraFraming, ViewArea
from playhead.viewer.scene.view_camera import ViewCamera
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.qt import (
    QApplication,
    QEvent,
    QKeyEvent,
    QPoint,
    QPointF,
    Qt,
    QWheelEvent,
    QWidget,
)

from ...world_recording import record
from ..panel_harness import open_dock

LEFT, RIGHT, MIDDLE = (
    Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
)  # fmt: skip
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def plaza(tmp_path_factory):
    path = tmp_path_factory.mktemp("plaza") / "plaza.ring"
    record(path)
    return path


@pytest.fixture
def stage(app, until, plaza):
    from playhead.viewer.panels.world.world_panel import WorldPanel
    from playhead.viewer.scene.display_layers import Layers

    with open_dock(app, until, lambda store: WorldPanel(store, Layers()), plaza) as made:
        made.panel.resize(900, 600)
        made.go(20, 1)
        made.panel.see_all()
        made.picture()
        yield made


def pixel(stage, point) -> tuple[float, float]:
    panel = stage.panel
    pixels, front, _ = panel.camera.view(panel.width(), panel.height()).project(point)
    assert front[0]
    return tuple(pixels[0].tolist())


def white_near(stage, x: float, y: float) -> bool:
    return stage.shows(palette.SELECTED, x - 3, y - 3, 7, 7)


def test_a_click_on_a_body_selects_it_and_it_is_drawn_white(stage):
    x, y = pixel(stage, (4, 0, 1))
    assert not white_near(stage, x, y)
    stage.click(x, y)
    assert stage.store.selected == 2
    stage.picture()
    x, y = pixel(stage, (4, 0, 1))
    assert white_near(stage, x, y)


def test_a_click_beside_everything_selects_nothing_else(stage):
    stage.click(20, 560)
    assert stage.store.selected == 1


class Place:
    """A scene as the camera asks for it: points to see, and who is there."""

    radius = 1.0

    def __init__(self, *points, ids=()):
        self.points, self.ids = np.array(points, float).reshape(-1, 3), ids

    def row(self, object):
        return None


AREA = ViewArea(aspect=1.5, covered=0.0)


def test_a_place_without_anybody_is_seen_once_and_then_those_who_come():
    camera = ViewCamera()
    framing = CameraFraming(camera)
    framing.see_first(Place(), 0, AREA)
    framing.see_first(Place((0, 0, 0), (40, 40, 0)), 0, AREA)
    assert camera.centre == pytest.approx((20, 20, 0))
    framing.see_first(Place((0, 0, 0), (80, 80, 0)), 0, AREA)
    assert camera.centre == pytest.approx((20, 20, 0)), "it does not follow drawings about"
    framing.see_first(Place((90, 90, 0), (92, 92, 0), ids=(1, 2)), 0, AREA)
    assert camera.centre == pytest.approx((91, 91, 0))
    assert framing.fitted


def test_a_camera_that_was_moved_in_an_empty_place_stays_when_somebody_comes():
    camera = ViewCamera()
    framing = CameraFraming(camera)
    framing.see_first(Place((0, 0, 0), (40, 40, 0)), 0, AREA)
    camera.dolly(0.5)
    moved = camera.distance
    framing.see_first(Place((90, 90, 0), ids=(1,)), 0, AREA)
    assert camera.distance == moved
    assert camera.centre == pytest.approx((20, 20, 0))
    assert framing.fitted


def test_a_double_click_goes_near(stage):
    far = stage.panel.camera.distance
    QTest.mouseDClick(stage.panel, LEFT, pos=QPointF(*pixel(stage, (2, 0, 1))).toPoint())
    assert stage.panel.camera.distance < far
    assert stage.panel.follow


def test_who_is_followed_is_in_the_middle_and_g_lets_go(stage):
    stage.panel.focus()
    stage.picture()
    assert pixel(stage, stage.panel.camera.centre) == pytest.approx((450, 300), abs=1)
    assert stage.panel.camera.centre[:2] == pytest.approx((2.0, 0.0), abs=1e-6)
    stage.go(2, 1)
    stage.picture()
    assert stage.panel.camera.centre[:2] == pytest.approx((0.2, 0.0), abs=1e-6)
    stage.panel.toggle_follow()
    stage.go(20, 1)
    stage.picture()
    assert stage.panel.camera.centre[:2] == pytest.approx((0.2, 0.0), abs=1e-6)
    assert "Free camera" in stage.panel.text()


def test_left_drag_orbits_right_and_middle_drag_pan_and_the_wheel_goes_nearer(stage):
    panel, camera = stage.panel, stage.panel.camera

    def drag(button) -> None:
        QTest.mousePress(panel, button, pos=QPoint(300, 300))
        for x in (320, 360):
            event_at = QPoint(x, 300)
            QTest.mouseMove(panel, event_at)
        QTest.mouseRelease(panel, button, pos=QPoint(360, 300))

    azimuth, centre, distance = camera.azimuth, camera.centre.copy(), camera.distance
    drag(LEFT)
    assert camera.azimuth != azimuth
    assert camera.centre == pytest.approx(centre)
    for button in (RIGHT, MIDDLE):
        centre = camera.centre.copy()
        drag(button)
        assert np.linalg.norm(camera.centre - centre) > 0.1
    wheel = QWheelEvent(
        QPointF(300, 300), QPointF(300, 300), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel, wheel)
    assert camera.distance < distance


@pytest.mark.parametrize(
    ("key", "axis", "sign"),
    [("W", 2, 1), ("S", 2, -1), ("A", 0, -1), ("D", 0, 1), ("E", 1, 1), ("Q", 1, -1)],
)
def test_keys_fly_while_the_right_button_is_held(stage, until, key, axis, sign):
    panel, camera = stage.panel, stage.panel.camera
    none = Qt.KeyboardModifier.NoModifier

    def event(kind) -> QKeyEvent:
        return QKeyEvent(kind, getattr(Qt.Key, f"Key_{key}"), none, key.lower())

    assert not panel.fly(event(QEvent.Type.KeyPress))
    QTest.mousePress(panel, RIGHT, pos=QPoint(300, 300))
    centre = camera.centre.copy()
    assert panel.fly(event(QEvent.Type.KeyPress))
    until(lambda: np.linalg.norm(camera.centre - centre) > 0.02 * camera.distance)
    QApplication.sendEvent(panel, event(QEvent.Type.KeyRelease))
    right, _, forward = camera.basis()
    level = np.array([forward[0], forward[1], 0.0])
    ways = (right, np.array([0.0, 0.0, 1.0]), level / np.linalg.norm(level))
    moved = camera.centre - centre
    assert moved @ ways[axis] * sign == pytest.approx(np.linalg.norm(moved))
    stopped_at = camera.centre.copy()
    QTest.mouseRelease(panel, RIGHT, pos=QPoint(300, 300))
    stage.app.processEvents()
    assert camera.centre == pytest.approx(stopped_at)
    assert not panel.follow


def test_the_game_s_own_camera_can_be_looked_through_and_left_where_it_stands(stage):
    panel = stage.panel
    panel.toggle_recorded()
    stage.picture()
    assert "Recorded camera" in panel.text()
    view = panel.camera.view(900, 600)
    assert view.eye == pytest.approx((0, -10, 2))
    # The dancer at x = 2 stands 10 m away; with 90° that is a fifth of half the width.
    assert pixel(stage, (2, 0, 2))[0] == pytest.approx(450 + 450 / 5)
    QTest.mousePress(panel, LEFT, pos=QPoint(300, 300))
    QTest.mouseMove(panel, QPoint(320, 300))
    QTest.mouseMove(panel, QPoint(330, 300))
    QTest.mouseRelease(panel, LEFT, pos=QPoint(330, 300))
    stage.picture()
    assert not panel.recorded
    assert "Free camera" in panel.text()
    distance = float(np.linalg.norm(panel.camera.view(900, 600).eye - np.array([0, -10, 2])))
    assert distance < panel.camera.distance  # it turned about what was ahead


def test_without_a_recorded_camera_it_says_how_to_record_one(stage):
    stage.store.hide(frozenset({3}))
    stage.picture()
    stage.panel.scene.eyes.clear()
    stage.panel.toggle_recorded()
    assert not stage.panel.recorded
    assert "CameraHandler" in stage.messages[-1]


def test_the_label_s_words_are_switches(stage):
    panel = stage.panel
    centers = {does: box.center() for box, does in panel.label.boxes}
    stage.click(centers["top"].x(), centers["top"].y())
    assert panel.camera.top
    assert "Top" in panel.text()
    stage.panel.focus()
    stage.picture()
    centers = {does: box.center() for box, does in panel.label.boxes}
    stage.click(centers["camera"].x(), centers["camera"].y())
    assert panel.recorded
    stage.picture()
    centers = {does: box.center() for box, does in panel.label.boxes}
    stage.click(centers["camera"].x(), centers["camera"].y())
    assert (panel.recorded, panel.follow) == (False, False)


def test_over_an_object_a_card_says_what_it_is(stage):
    x, y = pixel(stage, (4, 0, 1))
    stage.hover(x, y)
    assert stage.panel.card.lines[:2] == ["dancer 2", "dancer · id 2 · Dance"]
    assert not stage.panel.card.file


DRAWN = {
    "line": ((1, 0, 1.8), "line · ai", "drawn by first"),
    "lines": ((0.4, 6, 0), "lines", "drawn by world"),
    "sphere": ((0, 3.5, 1), "sphere", "drawn by first"),
    "polygon": ((4, 5, 0), "polygon", "drawn by dancer 2"),
    "box": ((-4, -3, 2), "box", "drawn by world"),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_over_a_drawing_a_card_says_who_drew_it_from_where(stage, kind):
    anchor, what, who = DRAWN[kind]
    x, y = pixel(stage, anchor)
    stage.panel.hover(QPointF(x, y), drawings_first=True)
    card = stage.panel.card
    assert card.lines[:2] == [what, who]
    assert card.lines[-1].startswith("world_recording.py:")
    image = stage.picture()
    inside = QPointF(card.box.left() + 5, card.box.bottom() - 3).toPoint()
    assert image.pixelColor(inside).lightness() < 30
    if kind != "box":
        assert white_near(stage, x, y)


def test_over_a_text_the_card_says_it_too(stage):
    x, y = pixel(stage, (2, -3, 0))
    stage.panel.hover(QPointF(x + 5, y - 4), drawings_first=True)
    assert stage.panel.card.lines[:3] == ["text", "drawn by dancer 2", "“here”"]


def test_a_click_on_the_card_opens_the_source(stage):
    x, y = pixel(stage, (0.4, 6, 0))
    stage.hover(x, y)
    card = stage.panel.card
    line = card.line
    # On its way from the line to the card the mouse leaves the line.
    stage.hover(card.box.left() + 3, card.box.top() + 3)
    assert card.line == line
    stage.click(card.box.center().x(), card.box.center().y())
    ((file, at),) = stage.sources
    assert file.endswith("world_recording.py")
    assert at == line > 0


def test_the_card_stays_while_more_is_read_of_other_frames(stage):
    stage.hover(*pixel(stage, (0.4, 6, 0)))
    lines = list(stage.panel.card.lines)
    assert lines
    stage.store.snapshot.observed_poses.version += 1
    for signal in (stage.store.history_grew, stage.store.status_changed, stage.store.moved):
        signal.emit()
        stage.picture()
        assert stage.panel.card.lines == lines


def test_control_click_opens_the_source_and_a_plain_click_selects_who_drew_it(stage):
    x, y = pixel(stage, (4, 5, 0))
    QTest.mouseClick(stage.panel, LEFT, CONTROL, QPointF(x, y).toPoint())
    assert len(stage.sources) == 1
    assert stage.store.selected == 1
    stage.click(x, y)
    assert stage.store.selected == 2


def test_the_card_goes_with_the_frame_that_it_was_about(stage):
    stage.panel.hover(QPointF(*pixel(stage, (0.4, 6, 0))))
    assert stage.panel.card.lines
    stage.go(19, 1)
    assert not stage.panel.card.lines
    stage.picture()


def test_switched_off_drawings_are_neither_seen_nor_found(stage):
    x, y = pixel(stage, (0.4, 6, 0))
    assert stage.shows("#09c3c4", x - 3, y - 3, 7, 7)
    stage.panel.layers.switch("drawings", False)
    assert not stage.shows("#09c3c4", x - 3, y - 3, 7, 7)
    stage.hover(x, y)
    assert not stage.panel.card.file


def test_from_above_a_skeleton_is_an_arrow_that_says_where_it_faces(stage):
    panel = stage.panel
    panel.toggle_top()
    panel.layers.switch("labels", False)
    panel.layers.switch("trails", False)
    stage.go(20, 0)
    stage.panel.see_all()
    size = max(panel.scene.radius, panel.camera.distance * 0.011)
    ahead = pixel(stage, (4 + 1.4 * size, 0, 0))
    behind = pixel(stage, (4 - 1.4 * size, 0, 0))
    color = palette.state_color("Dance")
    wide = [stage.shows(color, at[0] - 2, at[1] - 2, 5, 5) for at in (ahead, behind)]
    assert wide == [True, False]


def test_the_past_is_drawn_and_the_future_beside_it(stage, until):
    stage.go(10, 1)
    until(lambda: len(stage.store.surroundings) == 20)
    panel = stage.panel
    panel.layers.switch("bodies", False)
    panel.layers.switch("labels", False)
    panel.layers.switch("drawings", False)
    panel.follow = False
    on = stage.picture()
    panel.layers.switch("trails", False)
    off = stage.picture()

    def changed(start: int, end: int) -> int:
        """Pixels along the way that the trail changed."""
        around = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
        centers = [pixel(stage, (0.1 * at, 0, 0)) for at in range(start, end)]
        at = [(round(x) + dx, round(y) + dy) for x, y in centers for dx, dy in around]
        return sum(on.pixelColor(*one) != off.pixelColor(*one) for one in at)

    past, future = changed(2, 10), changed(11, 19)
    assert past > 10
    assert 0 < future < past


@pytest.fixture
def open_one(app, until, tmp_path):
    """Open the recording of one object in a dock with a notice of 100 pixels over its top."""
    from playhead.viewer.panels.world.world_panel import WorldPanel
    from playhead.viewer.scene.display_layers import Layers

    with ExitStack() as stack:

        def make(*things, **options):
            path = tmp_path / "one.mcap"
            with ph.record(list(things), path, dt=1 / 60, **options) as rec:
                rec.update()
            made = stack.enter_context(
                open_dock(app, until, lambda store: WorldPanel(store, Layers()), path)
            )
            panel = made.panel
            panel.resize(600, 400)
            panel.notice = QWidget(panel)
            panel.notice.setGeometry(0, 0, 600, 100)
            made.picture()
            return made

        yield make


PIXELS = ph.Conventions(up="-y", unit="px")


@pytest.mark.parametrize("options", [{"conventions": PIXELS}, {}])
def test_a_single_object_in_a_plane_is_selected_and_seen_from_above_in_the_middle(
    open_one, options
):
    stage = open_one({"x": 360.0, "y": 200.0}, **options)
    camera = stage.panel.camera
    assert stage.store.selected == 1
    assert camera.top
    anchor = stage.panel.scene.positions[0]
    assert abs(anchor[1]) == 200
    assert pixel(stage, anchor) == pytest.approx((300, 200), abs=1)


def test_a_single_object_that_may_have_a_height_is_seen_in_perspective(open_one):
    assert not open_one({"x": 1.0, "y": 2.0, "z": 0.0}).panel.camera.top


def test_of_several_objects_none_is_selected_by_itself(open_one):
    assert open_one({"x": 1.0, "y": 2.0}, {"x": 2.0, "y": 2.0}).store.selected == 0


def test_what_lies_over_the_top_hides_nobody_unless_the_camera_was_moved(open_one):
    stage = open_one(*({"x": 100.0 * at, "y": 100.0 * at} for at in range(5)))
    panel = stage.panel
    highest = max((pixel(stage, anchor) for anchor in panel.scene.positions), key=lambda at: -at[1])
    assert highest[1] < 100
    panel.notice.show()
    stage.picture()
    assert all(pixel(stage, anchor)[1] > 100 for anchor in panel.scene.positions)
    panel.notice.hide()
    panel.see_all()
    panel.dolly(0.9)
    before = panel.camera.distance, panel.camera.centre.tolist()
    panel.notice.show()
    stage.picture()
    assert (panel.camera.distance, panel.camera.centre.tolist()) == before


def test_an_object_that_stands_nowhere_is_reported_to_be_shown_nowhere(open_one):
    stage = open_one({"name": "lost", "x": math.nan, "y": 2.0}, strict=False)
    text = "lost is at (nan, 2, 0), which is no position: it is not shown"
    assert text in stage.panel.text()
    assert stage.panel.warning_box.width() > 100


def test_the_menu_offers_what_can_be_done_there(stage):
    x, y = pixel(stage, (4, 5, 0))
    menu = stage.panel.menu(QPointF(x, y))
    text = {action.text(): action for action in menu.actions()}
    text["Open the source"].trigger()
    assert stage.sources[0][0].endswith("world_recording.py")
    text["From above"].trigger()
    assert stage.panel.camera.top
    text["Copy as text"].trigger()
    assert QApplication.clipboard().text() == stage.panel.text()
    x, y = pixel(stage, (4, 0, 1))
    text = {action.text(): action for action in stage.panel.menu(QPointF(x, y)).actions()}
    text["Select dancer 2"].trigger()
    assert stage.store.selected == 2


def test_as_text_it_says_who_is_in_view_and_what_is_written_there(stage):
    lines = stage.panel.text().splitlines()
    assert lines[0].startswith("World at 00:00.312, frame 20")
    assert "selected: first at (2.00, 0.00, 0.00) Dance" in lines
    assert "text: here" in lines


def test_while_painting_is_slow_details_go_and_come_back_when_it_stands_still(stage, until):
    scenery = stage.panel._scene_renderer
    for _ in range(4):
        stage.panel._adapt(0.05)
    assert scenery.detail > 2
    until(lambda: scenery.detail == 1.0)
