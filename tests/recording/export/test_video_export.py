"""Videos of recorded pictures: as long as what they show, with what it was about."""

import sys

import numpy as np
import pytest

av = pytest.importorskip("av")
pytest.importorskip("simplejpeg")

from playhead.errors import CommandError, RecordingError  # noqa: E402
from playhead.recorder.clips.clip_source import ClipSource  # noqa: E402
from playhead.recording.export.export_video import (  # noqa: E402
    CaptionText,
    ScreenImages,
    enlarged,
    export_video,
)
from playhead.recording.export.video_file import write_video  # noqa: E402

from ...support.picture_clip import make_picture_clip  # noqa: E402


@pytest.fixture(scope="module")
def clip_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "run.mcap"
    make_picture_clip(path, frames=120, names=("screen", "map"))
    return path


@pytest.fixture
def source(clip_path):
    with ClipSource.open(clip_path) as found:
        yield found


def images_of(path):
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        images = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
        return images, float(stream.average_rate)


@pytest.mark.parametrize(("kind", "rate"), [("mp4", 30), ("gif", 20), ("mp4", 12)])
def test_a_video_lasts_as_long_as_what_it_shows(source, tmp_path, kind, rate):
    out = tmp_path / f"run.{kind}"
    count = export_video(source, out, kind, 31, 91, ScreenImages(source, "", 31, 91), rate=rate)
    images, found_rate = images_of(out)
    assert found_rate == pytest.approx(rate, rel=0.05)
    assert count == len(images) == int(1.0 * rate) + 1
    assert images[0].shape == (72, 128, 3)
    for number, image in enumerate(images):
        frame = source.frame_at(source.time(31) + number / rate)
        assert abs(int(image[36, 64, 0]) - source.newest_picture(frame, "screen")[0]) <= 6


def test_odd_sizes_and_changing_ones_are_fitted_into_the_first(tmp_path):
    rng = np.random.default_rng(1)
    images = [rng.integers(0, 256, (33, 51, 3)).astype(np.uint8), np.ones((99, 9, 3), np.uint8)]
    for kind, size in (("mp4", (34, 52)), ("gif", (33, 51))):
        assert write_video(tmp_path / f"x.{kind}", kind, 10, images) == 2
        assert images_of(tmp_path / f"x.{kind}")[0][0].shape[:2] == size
    with pytest.raises(RecordingError, match="no image"):
        write_video(tmp_path / "none.mp4", "mp4", 10, [])


def test_an_image_in_another_size_keeps_its_shape():
    image = np.full((10, 20, 3), 9, np.uint8)
    large = enlarged(image, 60, 60)
    assert (large[15:45] == 9).all()
    assert not large[:15].any()
    assert not large[45:].any()
    assert enlarged(image, 20, 10) is image


def test_what_is_printed_is_the_time_the_states_and_a_failed_check(source):
    text = CaptionText(source, 0, 120)
    assert text.lines(60) == ["00:01.000   frame 60", ""]
    assert text.lines(111) == ["00:01.850   frame 111", "object 7: Run"]
    assert text.problem(110) == ""
    assert text.problem(111) == "check failed: all is well"
    assert CaptionText(source, 3, 120).lines(111) == ["00:01.850   frame 111"]


def test_a_camera_that_is_not_there_is_named_with_those_that_are(source):
    assert ScreenImages(source, "map", 1, 120).name == "map"
    with pytest.raises(CommandError, match=r"no camera is named 'mop'.*map"):
        ScreenImages(source, "mop", 1, 120)


def test_too_long_a_video_is_refused_before_it_is_written(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules["playhead.recording.export.export_video"].MOST_IMAGES, "gif", 9)
    with pytest.raises(CommandError, match="a gif has 9 at most: choose a shorter stretch"):
        export_video(source, tmp_path / "x.gif", "gif", 1, 120, ScreenImages(source, "", 1, 120))
    with pytest.raises(CommandError, match="rate 0"):
        export_video(
            source, tmp_path / "x.gif", "gif", 1, 9, ScreenImages(source, "", 1, 9), rate=0
        )
    assert list(tmp_path.iterdir()) == []


def test_without_pyav_it_is_reported_what_to_install(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(RecordingError, match=r"PyAV, which is not installed.*\[video\]"):
        export_video(source, tmp_path / "x.mp4", "mp4", 1, 9, ScreenImages(source, "", 1, 9))
    assert list(tmp_path.iterdir()) == []
