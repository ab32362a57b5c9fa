"""The picture panel as a person uses it."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
pytest.importorskip("simplejpeg")

from playhead.viewer.panels.picture.picture_panel import PicturePanel
from playhead.viewer.state.recorded_pictures import RecordedPictures

from ....support.picture_clip import make_picture_clip
from ..panel_harness import open_dock


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    make_picture_clip(folder / "one.mcap")
    make_picture_clip(folder / "two.mcap", names=("screen", "map"))
    return folder


def shown_level(stage, x=220, y=200):
    """How light the panel is in its middle, as soon as the playhead's picture is there."""
    panel = stage.panel
    frames = [one.picture.frame for one in panel.shown if one.picture is not None]

    def is_there():
        panel.grab()
        return [panel._newest.get(one.name, (None,))[0] for one in panel.shown] == [
            one.picture for one in panel.shown
        ]

    stage.until(is_there)
    return frames, stage.picture().pixelColor(x, y).red()


def test_the_picture_at_the_playhead_is_shown_with_its_age(app, until, clips):
    with open_dock(app, until, PicturePanel, clips / "one.mcap") as stage:
        until(lambda: stage.panel.pictures.names == ("screen",))
        for frame, of, age in ((61, 61, ""), (63, 61, "2 frames older · 33 ms"), (5, 5, "")):
            stage.go(frame, 0)
            frames, level = shown_level(stage)
            assert frames == [of]
            assert abs(level - of) <= 3
            assert stage.panel.age_of(stage.panel.shown[0].picture) == age
        assert stage.panel.text() == "screen   frame 5"


def test_a_move_within_the_age_of_a_picture_paints_its_line_alone(app, until, clips):
    with open_dock(app, until, PicturePanel, clips / "one.mcap") as stage:
        until(lambda: stage.panel.pictures.is_complete)
        stage.go(61, 0)
        shown_level(stage)
        app.processEvents()
        stage.go(62, 0)
        app.processEvents()
        assert stage.panel.exposed.height() <= 24


def test_several_cameras_are_side_by_side_and_a_click_shows_one(app, until, clips):
    with open_dock(app, until, PicturePanel, clips / "two.mcap") as stage:
        until(lambda: stage.panel.pictures.names == ("screen", "map"))
        stage.go(61, 0)
        shown_level(stage)
        assert [one.name for one in stage.panel.shown] == ["screen", "map"]
        second = stage.panel.shown[1].cell
        stage.click(second.left + 9, second.top + 9)
        assert [one.name for one in stage.panel.shown] == ["map"]
        stage.click(20, 20)
        assert [one.name for one in stage.panel.shown] == ["screen", "map"]
        offers = [label for label, _ in stage.panel.entries()]
        assert offers[:2] == ["Only screen", "Only map"]


def test_own_size_and_smoothing_are_chosen_in_the_menu(app, until, clips):
    with open_dock(app, until, PicturePanel, clips / "one.mcap") as stage:
        until(lambda: stage.panel.pictures.names == ("screen",))
        stage.go(101, 0)
        shown_level(stage)
        assert stage.picture().pixelColor(5, 200).red() > 90  # it fills the panel's width
        dict(stage.panel.entries())["Own size, 1 : 1"]()
        assert stage.picture().pixelColor(5, 200).red() < 40
        assert abs(shown_level(stage)[1] - 101) <= 3
        dict(stage.panel.entries())["No smoothing"]()
        dict(stage.panel.entries())["Fit into the panel"]()
        assert abs(shown_level(stage)[1] - 101) <= 3
        dict(stage.panel.entries())["Copy the picture"]()


def test_a_recording_without_pictures_says_how_they_come_about(app, until, clip):
    with open_dock(app, until, PicturePanel, clip) as stage:
        until(lambda: stage.panel.pictures.is_complete)
        stage.picture()
        assert stage.panel.text() == "No pictures are recorded"
        assert stage.panel.pictures.names == ()


def test_pictures_that_are_decoded_take_no_more_than_their_share(app, until, clips, monkeypatch):
    monkeypatch.setattr("playhead.viewer.state.recorded_pictures.MOST_BYTES", 5 * 128 * 72 * 4)
    with open_dock(app, until, PicturePanel, clips / "one.mcap") as stage:
        pictures = RecordedPictures.of(stage.store)
        until(lambda: pictures.names == ("screen",))
        for frame in range(1, 80, 4):
            stage.go(frame, 0)
            shown_level(stage)
        assert pictures._bytes <= 5 * 128 * 72 * 4
        assert len(pictures._images) <= 5
