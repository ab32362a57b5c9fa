"""The garbage collector skips a recording that was read, as long as its window is open."""

import gc
from collections.abc import Iterator

import pytest

from ...support.collector import freezing_as_ever


@pytest.fixture
def freezing() -> Iterator[None]:
    with freezing_as_ever():
        yield


@pytest.mark.slow
def test_the_history_is_frozen_until_its_window_is_closed(clip, app, until, monkeypatch, freezing):
    from playhead.viewer.app import gc_tuning
    from playhead.viewer.app.main_window import MainWindow
    from playhead.viewer.backends.open_target import target_of
    from playhead.viewer.toolkit.qt import QEvent

    monkeypatch.setattr(gc_tuning, "_windows", [])  # an earlier test's may not be gone yet
    window = MainWindow(target_of(str(clip)))
    window.show()
    until(gc.get_freeze_count)
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold() == gc_tuning.VIEWER_THRESHOLD
    window.close()
    window.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == gc_tuning.DEFAULT_THRESHOLD
