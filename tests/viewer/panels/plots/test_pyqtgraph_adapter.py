"""pyqtgraph in the viewer: read when plots are seen, and nothing is left otherwise by it."""

import sys

import pytest

from ....support.process import run_process

pytest.importorskip("pyqtgraph", exc_type=ImportError)

SCRIPT = """
import sys
from playhead.viewer.app.viewer_main import application
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.toolkit.qt import QEventLoop
from playhead.viewer.app.main_window import MainWindow

app = application()
window = MainWindow(target_of(sys.argv[1]), focus=1, remember=False)
window.resize(1280, 720)
window.show()
while not window.store.is_settled:
    app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
assert "pyqtgraph" not in sys.modules, "it is read before plots are seen"
hook = sys.excepthook
window.docks.open("Plots")
window.plots.grab()
assert "pyqtgraph" in sys.modules
assert not window.plots.error_text, window.plots.error_text
assert sys.excepthook is hook
shown = [one for one in app.topLevelWidgets() if one.isVisible()]
assert shown == [window], shown
window.close()
"""


def test_it_is_read_only_when_plots_are_seen_and_takes_no_mistakes_to_itself(clip):
    done = run_process(sys.executable, "-W", "error", "-c", SCRIPT, clip, limit=100)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
