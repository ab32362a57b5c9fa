"""Which way is up in a space of pymunk, where the program does not say it."""

import sys
from types import SimpleNamespace

import pytest

import playhead as ph

pymunk = pytest.importorskip("pymunk")


def test_y_points_upwards_where_the_program_has_pymunk_draw_it_so(tmp_path, monkeypatch):
    drawing = SimpleNamespace(positive_y_is_up=True)
    monkeypatch.setitem(sys.modules, "pymunk.pygame_util", drawing)
    space, body = pymunk.Space(), pymunk.Body(1.0, 1.0)
    body.position = (100.0, 50.0)
    space.add(body, pymunk.Circle(body, 5.0))
    with ph.record([], tmp_path / "a.mcap", dt=0.1) as rec:
        rec.add(space)
        rec.update()
    with ph.open(tmp_path / "a.mcap") as run:
        found = run.source.conventions(run.source.span.newest)
    assert (found.up, found.unit) == ("y", "px")
