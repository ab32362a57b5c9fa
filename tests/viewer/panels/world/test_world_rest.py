"""The world when nothing moves any more, on a machine that is slow to paint it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.panels.world import world_panel


def test_a_slow_world_is_painted_once_more_with_all_details_and_then_rests(
    window, clip, until, monkeypatch
):
    monkeypatch.setattr(world_panel, "_SLOW", 0.0)  # each picture takes too long
    monkeypatch.setattr(world_panel, "_SETTLED", 5)
    opened = window(clip)
    world = opened.world
    opened.store.jump(30)
    until(lambda: opened.store.frame == 30)
    until(lambda: world._scene_renderer.detail == 1.0 and not world._settle.isActive())
    until(lambda: not world._rests)  # that picture was painted …
    assert world._scene_renderer.detail == 1.0  # … and begins nothing anew
    assert not world._settle.isActive()
