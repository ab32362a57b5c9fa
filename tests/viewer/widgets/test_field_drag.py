"""A field is dragged from the inspector into the plots with a real mouse."""

import json
import sys

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.panels.inspector import inspector_panel as inspector_module
from playhead.viewer.panels.inspector.inspector_panel import InspectorPanel
from playhead.viewer.state.pinned_fields import ObjectField
from playhead.viewer.toolkit.qt import QPoint

from ...support.process import Process
from ..display import display, needs_display  # noqa: F401 (a fixture)
from ..panels.panel_harness import open_dock
from ..panels.timeline.test_timeline_panel import LEFT, NONE

WINDOW = """
import json, sys
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.toolkit.qt import QEventLoop, QPoint, QTabBar, QTimer
from playhead.viewer.app.main_window import MainWindow

app = application()
window = MainWindow(target_of(sys.argv[1]), focus=1, remember=False)
window.setGeometry(0, 0, 1200, 760)
window.show()


def until(holds):
    while not holds():
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


def told(*place):
    print(json.dumps(place), flush=True)


def center(widget, place):
    at = widget.mapToGlobal(place)
    return at.x(), at.y()


until(lambda: window.store.is_settled)
window.docks.open("Inspector")
inspector, plots, picks = window.inspector, window.plots, window.plots.context.pins
until(lambda: inspector.rows and not window.docks.is_in_sight("Plots"))
row = max(at for at, one in enumerate(inspector.rows) if one.title == "hp")
inspector.show_row(row)
until(lambda: inspector.box_of(row).bottom() <= inspector.height())
told(*center(inspector, inspector.box_of(row).center().toPoint()))
bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
tabs = {bar.tabText(at): (bar, at) for bar in bars for at in range(bar.count())}
bar, at = tabs["Plots"]
told(*center(bar, bar.tabRect(at).center()))


def look():  # Qt stays where the drag began until it is over
    if window.docks.is_in_sight("Plots"):
        looking.stop()
        told(*center(plots, QPoint(120, 40)))


looking = QTimer()
looking.timeout.connect(look)
looking.start(20)
until(lambda: picks.plots)
print(json.dumps([picks.plot_groups, plots.error_text, inspector.error_text]), flush=True)
window.close()
"""


@pytest.mark.slow
@needs_display
def test_it_goes_through_the_tab_into_the_plots_that_stand_behind_the_inspector(
    display,  # noqa: F811
    clip,
):
    env = display.environment
    with Process(sys.executable, "-c", WINDOW, clip, env=env) as process:

        def there() -> list[int]:
            result: list[int] = json.loads(process.line())
            return result

        start, tab = there(), there()
        display.xdotool("mousemove", *start, "mousedown", 1)
        for by in (4, 12, 30):
            display.xdotool("mousemove", start[0] - by, start[1])
        display.xdotool("mousemove", *tab)
        display.xdotool("mousemove", tab[0] + 1, tab[1])
        place = there()
        for by in (2, 1, 0):
            display.xdotool("mousemove", place[0] + by, place[1])
        display.xdotool("mouseup", 1)
        groups, *troubles = there()
        assert [1, "hp", False] in [field for group in groups for field in group]
        assert troubles == ["", ""]
        assert process.wait() == 0


@pytest.fixture
def carried(monkeypatch):
    """The fields with which a drag has begun: here no mouse ends one."""
    begun: list[ObjectField] = []
    monkeypatch.setattr(inspector_module, "start_drag", lambda _, field: begun.append(field))
    return begun


def test_a_drag_begins_at_a_row_that_is_a_number_and_not_by_a_click(app, until, clip, carried):
    with open_dock(app, until, InspectorPanel, clip) as stage:
        stage.go(100, 1)
        panel, handle = stage.panel, stage.panel.windowHandle()
        for title, fields in (
            ("hp", [ObjectField(1, "hp")]),
            ("state", []),
            ("speed", [ObjectField(1, "speed", True)]),
        ):
            row = max(at for at, one in enumerate(panel.rows) if one.title == title)
            start = QPoint(60, round(stage.middle(row)))
            carried.clear()
            QTest.mouseClick(handle, LEFT, NONE, start)
            QTest.mouseMove(handle, start + QPoint(40, 0))
            assert carried == []
            QTest.mousePress(handle, LEFT, NONE, start)
            QTest.mouseMove(handle, start + QPoint(1, 1))
            assert carried == [], "a tremble"
            QTest.mouseMove(handle, start + QPoint(40, 0))
            QTest.mouseMove(handle, start + QPoint(80, 0))
            QTest.mouseRelease(handle, LEFT, NONE, start + QPoint(80, 0))
            assert carried == fields
