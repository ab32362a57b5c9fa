"""Garbage is not looked for in a recording that was read, for as long as its window is there."""

import gc
from collections.abc import Iterator

import pytest

from ...support.collector import freezing_as_ever


@pytest.fixture
def freezing() -> Iterator[None]:
    with freezing_as_ever():
        yield


def test_what_was_read_is_left_out_of_collections_until_its_window_goes(
    clip, app, until, monkeypatch, freezing
):
    from playhead.viewer.app.main_window import MainWindow
    from playhead.viewer.backends.view_target import target_of
    from playhead.viewer.toolkit import gc_tuning as tidying
    from playhead.viewer.toolkit.qt import QEvent

    monkeypatch.setattr(tidying, "_windows", [])  # an earlier test's may not be gone yet
    one = MainWindow(target_of(str(clip)))
    one.show()
    until(gc.get_freeze_count)
    assert gc.get_freeze_count() > 1000
    assert gc.get_threshold() == tidying.SELDOM
    one.close()
    one.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == tidying.USUAL
