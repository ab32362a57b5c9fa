"""JPEG files: what is none, or is larger than may be, is refused with what it is."""

import numpy as np
import pytest

from playhead.errors import DamagedError, RecordingError
from playhead.recorder.pictures import jpeg_codec
from playhead.recorder.pictures.image_pixels import pixels_of
from playhead.recorder.pictures.jpeg_codec import compressed, decompressed

pytest.importorskip("simplejpeg")
FILE = compressed(pixels_of(np.full((6, 8, 3), 128, np.uint8)), 80)


def test_pixels_come_back_about_as_they_were():
    assert abs(decompressed(FILE, "picture").astype(int) - 128).max() <= 2


@pytest.mark.parametrize("data", [b"", b"no picture", FILE[:20]])
def test_a_file_that_is_no_jpeg_or_cut_off_is_damage_by_its_name(data):
    with pytest.raises(DamagedError, match="^picture 'front' is no whole JPEG file: "):
        decompressed(data, "picture 'front'")


def test_a_file_of_more_pixels_than_may_be_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(jpeg_codec, "MOST_PIXELS", 47)
    with pytest.raises(DamagedError, match="^picture 'front': 8 × 6 pixels are more than 47"):
        decompressed(FILE, "picture 'front'")


def test_what_the_library_refuses_is_no_picture():
    with pytest.raises(RecordingError, match="a picture can't be compressed: "):
        compressed(pixels_of(np.full((6, 8, 3), 128, np.uint8)), 101)
