"""Painted panels: errors stay in them, they copy as text, and are sharp at every scale."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.toolkit.qt import QApplication, QEvent, QPointF, Qt
from playhead.viewer.widgets.painted_panel import PaintedPanel, failing_panel

from ...support.process import run_process

LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class Fragile(PaintedPanel):
    """Breaks where it is told to."""

    def __init__(self) -> None:
        super().__init__("Fragile")
        self.breaks = ""
        self.shown_text = "all is well"

    def paint(self, painter) -> None:
        if self.breaks == "paint":
            raise RuntimeError("no such colour")
        painter.fillRect(self.rect(), Qt.GlobalColor.blue)

    def text(self) -> str:
        return self.shown_text

    def mousePressEvent(self, event) -> None:  # noqa: N802
        if self.breaks == "mouse":
            raise RuntimeError("no such row")

    def keyPressEvent(self, event) -> None:  # noqa: N802
        if self.breaks == "key":
            raise RuntimeError("no such key")
        super().keyPressEvent(event)

    def slot(self) -> None:
        raise RuntimeError("no such value")


@pytest.fixture
def panel(app):
    made = Fragile()
    made.resize(400, 300)
    made.show()
    app.processEvents()
    yield made
    made.close()
    made.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def clipboard() -> str:
    return QApplication.clipboard().text()


def test_a_failed_painting_is_reported_with_a_button_that_copies_it(panel, until):
    panel.breaks = "paint"
    panel.update()
    until(lambda: panel._error_overlay is not None and panel._error_overlay.isVisible())
    assert "no such colour" in panel.error_text
    assert panel._error_overlay.size() == panel.size()
    QTest.mouseClick(panel._error_overlay.copy, LEFT)
    assert clipboard().startswith("Traceback")
    assert "no such colour" in clipboard()


def test_it_recovers_with_the_next_painting_that_works(panel, until):
    panel.breaks = "paint"
    panel.update()
    until(lambda: panel._error_overlay is not None and panel._error_overlay.isVisible())
    panel.breaks = ""
    panel.update()
    until(lambda: not panel._error_overlay.isVisible())
    assert panel.error_text == ""
    assert panel.grab().toImage().pixelColor(20, 20).name() == "#0000ff"


@pytest.mark.parametrize("what", ["mouse", "key"])
def test_a_mistake_in_an_event_stays_in_its_panel_which_is_still_drawn(panel, until, app, what):
    def do() -> None:
        if what == "mouse":
            QTest.mouseClick(panel, LEFT, pos=QPointF(30, 30).toPoint())
        else:
            QTest.keyClick(panel, Qt.Key.Key_X)

    panel.breaks = what
    do()
    assert f"no such {'row' if what == 'mouse' else 'key'}" in panel.error_text
    until(lambda: panel._error_overlay is not None and panel._error_overlay.isVisible())
    assert panel._error_overlay.height() < panel.height() / 4
    panel.repaint()
    assert panel.error_text  # painting went well before, and says nothing about events
    panel.breaks = ""
    do()
    until(lambda: not panel._error_overlay.isVisible())
    assert panel.error_text == ""


def test_a_mistake_can_be_dismissed(panel, until):
    panel.fail("Traceback …\nRuntimeError: no such value")
    until(lambda: panel._error_overlay.isVisible())
    QTest.mouseClick(panel._error_overlay.dismiss, LEFT)
    until(lambda: not panel._error_overlay.isVisible())
    assert panel.error_text == ""


def test_who_catches_a_mistake_elsewhere_finds_the_panel_it_was_made_in(panel):
    with pytest.raises(RuntimeError) as caught:
        panel.slot()
    assert failing_panel(caught.tb) is panel
    with pytest.raises(ZeroDivisionError) as other:
        1 / 0  # noqa: B018
    assert failing_panel(other.tb) is None


def test_control_shift_c_copies_what_it_shows(panel):
    QTest.keyClick(panel, Qt.Key.Key_C, CONTROL_SHIFT)
    assert clipboard() == "all is well"


def test_once_it_stands_still_it_is_described_for_those_who_can_t_see_it(panel, until):
    until(lambda: panel.accessibleDescription() == "all is well")
    panel.shown_text = "something else"
    panel.update()
    until(lambda: panel.accessibleDescription() == "something else")
    assert panel.accessibleName() == "Fragile"


SCALED = """
import json, sys
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.widgets.painted_panel import PaintedPanel
from playhead.viewer.toolkit.qt import QEventLoop, QPixmap
from playhead.viewer.app.main_window import MainWindow

app = application()
window = MainWindow(target_of(sys.argv[1]))
window.resize(1280, 720)
window.show()
while not window.store.is_settled:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
for _ in range(3):
    for panel in window.findChildren(PaintedPanel):
        panel.grab()
    app.processEvents()

def kept(owner, depth=0):
    if isinstance(owner, QPixmap):
        yield owner.devicePixelRatio()
    elif isinstance(owner, dict | list | tuple):
        for one in owner.values() if isinstance(owner, dict) else owner:
            yield from kept(one, depth)
    elif type(owner).__module__.startswith("playhead.viewer") and depth < 4:
        for one in list(getattr(owner, "__dict__", {}).values()):
            yield from kept(one, depth + 1)

told = {}
for panel in window.findChildren(PaintedPanel):
    told.setdefault(type(panel).__name__, set()).update(kept(panel))
ratio, size = window.devicePixelRatioF(), window.world.grab().size()
shape = [size.width() / window.world.width(), size.height() / window.world.height()]
json.dump([ratio, shape, {name: sorted(found) for name, found in told.items()}], sys.stdout)
window.close()
"""


@pytest.mark.parametrize(
    "scale", ["1.5", *(pytest.param(one, marks=pytest.mark.slow) for one in ("1.0", "2.0"))]
)
def test_every_cached_image_is_as_fine_as_the_screen(clip: Path, scale):
    environment = {"QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
    done = run_process(sys.executable, "-c", SCALED, clip, env=environment)
    assert done.returncode == 0, done.stderr
    ratio, shape, result = json.loads(done.stdout)
    assert ratio == float(scale)
    assert shape == pytest.approx([ratio, ratio], rel=0.01)
    assert result["WorldPanel"] == [ratio]
    assert result["TimelinePanel"] == [ratio]
    assert all(found in ([], [ratio]) for found in result.values()), result


@pytest.mark.slow
def test_a_minute_of_scrubbing_does_not_grow_the_viewer():
    root = Path(__file__).resolve().parents[3]
    done = run_process(
        sys.executable, root / "tools" / "soak.py", "scrub", "--seconds", "60", limit=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["moves"] > 200
