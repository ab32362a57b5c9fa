"""The light theme, and text sizes, in a window."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.backends.open_target import target_of
from playhead.viewer.panels.timeline.overview_and_ruler_painter import GUTTER, TOP
from playhead.viewer.state.settings import ViewerSettings
from playhead.viewer.toolkit import palette, theme
from playhead.viewer.toolkit.qt import QImage, QPointF, Qt, QWidget

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def usual_looks(app):
    yield
    theme.apply_theme(app, "dark", 1.0)


@pytest.fixture
def opened(window, clip):
    return window(clip)


def ground(panel):
    """The colour that most of a panel has."""
    image = panel.grab().toImage().scaled(60, 60)
    colors = [image.pixelColor(x, y).name() for x in range(60) for y in range(60)]
    return max(set(colors), key=colors.count)


def test_all_panels_change_with_the_theme_and_the_next_window_has_it(opened, window, clip):
    panels = {name: opened.docks.panel(name) for name in opened.docks.names}
    for name in panels:
        opened.docks.open(name)
    opened.action_handlers.next_theme()
    for name, panel in panels.items():
        bright = sum(palette.rgb(ground(panel)))
        assert bright > 3 * 200, f"{name} is dark"
    assert sum(palette.rgb(ground(opened.world))) > 3 * 200
    assert ViewerSettings().theme == "light"
    other = window(clip)
    assert palette.theme() == "light"
    other.action_handlers.next_theme()
    assert sum(palette.rgb(ground(other.timeline))) < 3 * 60


@pytest.mark.slow
def test_a_picture_is_dark_unless_it_is_asked_for_another_theme(app, clip, tmp_path):
    from playhead.viewer.app.viewer_main import screenshot

    ViewerSettings().set("theme", "light")
    grounds = []
    for name in ("", "light"):
        path = tmp_path / f"{name}.png"
        screenshot(target_of(str(clip)), path, size=(640, 480), theme=name)
        grounds.append(sum(palette.rgb(QImage(str(path)).pixelColor(5, 5).name())))
    assert grounds[0] < 3 * 60 < 3 * 200 < grounds[1]


@pytest.mark.slow
def test_larger_text_makes_all_panels_larger_and_is_remembered(opened, window, clip):
    wide = opened.timeline.width()
    QTest.keyClick(opened, Qt.Key.Key_Equal, CTRL)
    QTest.keyClick(opened, Qt.Key.Key_Plus, CTRL)
    assert theme.text_scale() == 1.25
    assert opened.timeline.width() == pytest.approx(QWidget.width(opened.timeline) / 1.25, abs=1)
    assert opened.timeline.width() < wide
    assert ViewerSettings().text_size == 1.25
    other = window(clip)
    assert theme.text_scale() == 1.25
    QTest.keyClick(other, Qt.Key.Key_0, CTRL)
    assert theme.text_scale() == 1.0
    assert other.timeline.width() == QWidget.width(other.timeline)


@pytest.mark.parametrize("scale", [0.8, 1.6])
def test_the_mouse_hits_what_is_under_it_at_any_text_size(opened, until, scale):
    opened.wear(None, scale)
    opened.store.select(0)
    rows = opened.objects.list
    box = rows.box_of(rows.row_at(0) + 2)  # the second object below its type
    point = QPointF(box.center()) * scale
    QTest.mouseClick(rows, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert opened.store.selected == 2
    timeline = opened.timeline
    x = timeline.x_of(1.0)
    point = QPointF(x, TOP - 5) * scale
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=point.toPoint())
    until(lambda: abs((opened.store.cursor or 0) - 1.0) < 0.05)
    image = timeline.grab().toImage()
    ratio = image.width() / timeline.width()
    assert image.pixelColor(int((x + 0.5) * ratio), image.height() - 4).name() == palette.PLAYHEAD
    assert x > GUTTER


@pytest.mark.parametrize(
    "line", ['theme = "purple"', 'text_size = "huge"', 'text_size = "5"', "theme = 3"]
)
def test_a_setting_of_no_sense_is_left_out_and_reported(settings_of_its_own, line):
    settings_of_its_own.mkdir(parents=True)
    (settings_of_its_own / "viewer.toml").write_text(line + "\n")
    settings = ViewerSettings()
    assert (settings.theme, settings.text_size) == ("dark", 1.0)
    assert len(settings.errors) == 1
