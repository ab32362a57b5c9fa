"""Where pictures are in the panel, and how their age is told."""

import pytest

from playhead.viewer.panels.picture.picture_layout import (
    PixelBox,
    age_text,
    cells,
    fitted,
    natural,
    shown_names,
)


@pytest.mark.parametrize("count", range(8))
@pytest.mark.parametrize("size", [(400, 300), (900, 120), (100, 800), (1, 1)])
def test_cameras_are_side_by_side_and_none_covers_another(count, size):
    boxes = cells(count, *size)
    assert len(boxes) == count
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            apart = (
                one.left >= other.left + other.width or one.top >= other.top + other.height
                or other.left >= one.left + one.width
            )  # fmt: skip
            assert apart
    if count and min(size) > 100:
        assert all(one.left + one.width <= size[0] + 1e-6 for one in boxes)
        assert all(one.top + one.height <= size[1] + 1e-6 for one in boxes)


def test_a_picture_is_as_large_as_it_fits_in_the_middle():
    assert fitted((200, 100), PixelBox(10, 20, 100, 100)) == PixelBox(10, 45, 100, 50)
    assert fitted((100, 200), PixelBox(0, 0, 100, 100)) == PixelBox(25, 0, 50, 100)
    assert fitted((0, 0), PixelBox(0, 0, 100, 100)).width == 0


def test_own_pixels_can_be_moved_but_not_out_of_sight():
    cell = PixelBox(0, 0, 100, 100)
    assert natural((300, 50), cell, (0, 0), 1.0) == PixelBox(-100, 25, 300, 50)
    assert natural((300, 50), cell, (999, 999), 1.0) == PixelBox(0, 25, 300, 50)
    assert natural((300, 50), cell, (-999, -9), 1.0) == PixelBox(-200, 25, 300, 50)
    assert natural((300, 50), cell, (0, 0), 2.0).width == 150


def test_the_age_of_a_picture_is_reported_unless_it_is_of_this_frame():
    assert age_text(0.0, 0) == ""
    assert age_text(1 / 60, 1) == "1 frame older · 17 ms"
    assert age_text(2.5, 150) == "150 frames older · 2.5 s"


def test_a_camera_that_is_gone_is_not_shown_alone():
    assert shown_names(("screen", "map"), "map") == ["map"]
    assert shown_names(("screen",), "map") == ["screen"]
