"""The film strip: which thumbnails are where, and that they cost nothing while time moves."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
pytest.importorskip("simplejpeg")

import itertools

from playhead.viewer.panels.timeline.film_strip import film_slots, slot_at
from playhead.viewer.panels.timeline.time_scale import TimeScale
from playhead.viewer.panels.timeline.timeline_panel import TimelinePanel

from ....support.picture_clip import make_picture_clip
from ..panel_harness import open_dock


@pytest.fixture(scope="module")
def clip_of_pictures(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "run.mcap"
    make_picture_clip(path, frames=240, every=2)
    return path


@pytest.fixture
def stage(app, until, clip_of_pictures):
    with open_dock(app, until, TimelinePanel, clip_of_pictures) as made:
        made.panel.resize(900, 300)
        until(lambda: made.panel.pictures.is_complete)
        app.processEvents()
        yield made


def is_decoded(stage):
    stage.panel.grab()
    return not stage.panel.pictures._wishes.get("film screen")


def test_the_strip_is_the_first_row_and_shows_its_pictures(stage, until):
    row = stage.panel.rows()[0]
    assert (row.title, row.film) == ("screen", "screen")
    until(lambda: is_decoded(stage))
    image = stage.picture()
    slots = list(film_slots(stage.panel.pictures, "screen", stage.panel.scale, stage.panel.room))
    assert len(slots) >= 7
    for slot in slots:
        level = image.pixelColor(int(178 + slot.x + 20), 84).red()
        assert abs(level - slot.picture.frame % 250) <= 4


def test_without_pictures_there_is_no_strip(app, until, clip):
    with open_dock(app, until, TimelinePanel, clip) as made:
        until(lambda: made.panel.pictures.is_complete)
        assert not any(row.film for row in made.panel.rows())


def test_thumbnails_never_overlap_and_move_with_time(stage):
    pictures, scale = stage.panel.pictures, TimeScale()
    scale.extend(0.0, 4.0)
    for factor in (0.6, 0.3, 0.05):
        scale.fit()
        scale.zoom(factor, 2.0)
        before = list(film_slots(pictures, "screen", scale, 700))
        assert all(a.x + a.width <= b.x + 1e-6 for a, b in itertools.pairwise(before))
        scale.pan(0.1 * scale.seconds)
        after = {slot.picture.frame: slot.x for slot in film_slots(pictures, "screen", scale, 700)}
        common = [slot for slot in before[2:-2] if slot.picture.frame in after]
        assert common
        for slot in common:
            assert abs(slot.x - 70 - after[slot.picture.frame]) < 2


def test_the_picture_under_the_mouse_is_the_one_that_is_shown_there(stage, until):
    panel = stage.panel
    slots = list(film_slots(panel.pictures, "screen", panel.scale, panel.room))
    found = slot_at(panel.pictures, "screen", panel.scale, panel.room, slots[3].x + 5)
    assert found == slots[3]
    x = 178 + slots[3].x + 30
    stage.hover(x, 84)
    until(lambda: panel.grab() and not panel.pictures._wishes.get("enlarged"))
    level = stage.picture().pixelColor(int(x), 200).red()
    assert abs(level - slots[3].picture.frame % 250) <= 4


def test_a_move_of_the_playhead_decodes_no_thumbnail_and_makes_no_background_anew(stage, until):
    until(lambda: is_decoded(stage))
    stage.go(100, 0)
    stage.app.processEvents()
    made = stage.panel._background.made
    for frame in range(101, 110):
        stage.go(frame, 0)
        stage.app.processEvents()
    assert stage.panel._background.made == made
