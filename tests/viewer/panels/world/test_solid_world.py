"""Walls and bodies as solid things: what covers what, and what is seen nevertheless."""

import math

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.toolkit import palette

from ...world_recording import record
from ..panel_harness import open_dock

WALL = (150, 150, 160)
DANCE = palette.rgb(palette.state_color("Dance"))
HIDDEN, BESIDE = 2, 1
"""Dancers: behind the wall as seen from the south, and beside it."""


def draw(session):
    """A wall south of dancer 2, and a box round dancer 1."""
    session.draw.box((4, -1, 1.5), (3, 0.5, 3), color=WALL, latch="wall")
    session.draw.box((0, 0, 1), (1, 1, 2), color=WALL, object=BESIDE)


@pytest.fixture(scope="module")
def walls(tmp_path_factory):
    path = tmp_path_factory.mktemp("walls") / "walls.ring"
    record(path, draw)
    return path


@pytest.fixture
def stage(app, until, walls, monkeypatch):
    from playhead.viewer.panels.world.world_panel import WorldPanel
    from playhead.viewer.scene.display_layers import Layers

    # On a busy machine details would go while a picture takes long.
    monkeypatch.setattr(WorldPanel, "_adapt", lambda panel, seconds: None)

    with open_dock(app, until, lambda store: WorldPanel(store, Layers()), walls) as made:
        made.panel.resize(900, 600)
        made.go(1, 0)
        camera = made.panel.camera
        camera.azimuth, camera.elevation, camera.distance = 0.0, math.radians(10), 12.0
        camera.centre = np.array([2.0, 0.0, 1.0])
        made.panel.layers.switch("labels", on=False)
        made.panel.follow, made.panel.framing.fitted = False, True
        yield made


def pixels(stage):
    """What it looks like, (height, width, 3) of red, green and blue."""
    image = stage.picture()
    memory = image.constBits()
    memory.setsize(image.sizeInBytes())
    rows = np.frombuffer(memory, np.uint8).reshape(image.height(), image.bytesPerLine())
    result = rows[:, : image.width() * 4].reshape(image.height(), image.width(), 4)
    return result[..., 2::-1].astype(int)


def near(stage, point, reach=5):
    """The pixels about a point of the world."""
    view = stage.panel.camera.view(stage.panel.width(), stage.panel.height())
    places, front, _ = view.project(point)
    assert front[0]
    x, y = (int(part) for part in places[0])
    return pixels(stage)[y - reach : y + reach + 1, x - reach : x + reach + 1]


def tinted(patch, color) -> int:
    """How many pixels have nearly this hue, whatever light falls on them."""
    expected = np.array(color) / np.linalg.norm(color)
    lengths = np.linalg.norm(patch, axis=-1)
    share = (patch @ expected) / np.maximum(lengths, 1e-9)
    return int(((share > 0.985) & (lengths > 60)).sum())


def test_a_body_is_solid_and_has_its_states_colour(stage):
    assert tinted(near(stage, (0.1, 0, 1)), DANCE) > 10
    stage.panel.layers.switch("solid", on=False)
    assert tinted(near(stage, (0.1, 0, 1)), DANCE) == 0


def test_a_wall_covers_the_body_behind_it_but_for_its_outline(stage):
    wall = near(stage, (3.2, -1.25, 1))[0, 0]
    assert wall.max() - wall.min() < 40, "grey, as it was drawn"
    patch = near(stage, (4, 0, 1), reach=8)
    assert patch.max() < max(DANCE), "nothing of its own strength"
    away = np.abs(patch - wall).sum(axis=-1)
    assert (away > 60).any(), "its outline"
    assert (away < 12).sum() > 40, "and the wall beside it"
    stage.panel.layers.switch("bodies", on=False)
    assert (np.abs(near(stage, (4, 0, 1), reach=8) - wall).sum(axis=-1) < 12).all()


def test_a_box_round_an_object_is_glass(stage):
    assert tinted(near(stage, (0.1, 0, 1)), DANCE) > 10
    stage.panel.layers.switch("bodies", on=False)
    inside = near(stage, (0.1, 0, 1), reach=3)
    stage.panel.layers.switch("drawings", on=False)
    assert (inside != near(stage, (0.1, 0, 1), reach=3)).any(), "its sides are seen a little"


def test_without_drawings_no_wall_covers_anything(stage):
    stage.panel.layers.switch("drawings", on=False)
    assert tinted(near(stage, (4, 0, 1)), DANCE) > 10


def test_what_is_kept_while_the_camera_rests_looks_as_if_painted_anew(stage):
    first = pixels(stage)
    for frame in (2, 3, 1):
        stage.go(frame, 0)
        stage.picture()
    assert (pixels(stage) == first).all()
    stage.panel.orbit(0.2, 0.0)
    moved = pixels(stage)
    assert (moved != first).any()
    stage.panel.orbit(-0.2, 0.0)
    assert (pixels(stage) == first).all()


def test_from_above_a_wall_covers_what_is_under_it_only(stage):
    stage.panel.toggle_top()
    roof = near(stage, (4, -1, 3), reach=2)
    assert np.abs(roof - roof[2, 2]).max() < 12
    assert (near(stage, (4, 0, 0)) != near(stage, (6, 4, 0))).any(), "the arrow is beside it"
