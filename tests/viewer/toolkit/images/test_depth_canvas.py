"""A picture that C and Qt draw into, one over the other."""

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from playhead.viewer.scene.view_camera import ViewCamera
from playhead.viewer.toolkit import palette
from playhead.viewer.toolkit.images.depth_canvas import DepthCanvas, packed
from playhead.viewer.toolkit.qt import QColor, QImage, QRectF

RED, GREEN, BLUE = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF


def lines(*rows):
    return np.array(rows, float)


def colors(*values):
    return np.array(values, np.uint32)


def filled(painter, box, color):
    painter.fillRect(QRectF(*box), QColor.fromRgba(color))


def test_what_comes_later_is_on_top_whoever_draws_it(app):
    canvas = DepthCanvas()
    painter = canvas.begin(20, 10, 1.0)
    filled(painter, (0, 0, 20, 10), RED)
    canvas.lines(lines((0, 4.5, 20, 4.5), (0, 5.5, 20, 5.5)), colors(GREEN, BLUE))
    filled(painter, (10, 0, 10, 10), RED)
    painter.end()
    picture = canvas.image
    assert [picture.pixel(5, y) for y in (3, 4, 5, 6)] == [RED, GREEN, BLUE, RED]
    assert [picture.pixel(15, y) for y in (4, 5)] == [RED, RED]


def test_on_a_dense_screen_lines_stand_where_the_painter_s_do(app):
    canvas = DepthCanvas()
    painter = canvas.begin(20, 10, 2.0)
    filled(painter, (0, 0, 20, 10), RED)
    filled(painter, (0, 2, 20, 1), BLUE)
    canvas.lines(lines((0, 4.25, 20, 4.25)), colors(GREEN))
    painter.end()
    picture = canvas.image
    assert (picture.width(), picture.height()) == (40, 20)
    results = [picture.pixel(11, y) for y in range(3, 10)]
    assert results == [RED, BLUE, BLUE, RED, RED, GREEN, RED]


def test_another_size_is_another_picture(app):
    canvas = DepthCanvas()
    for size in ((20, 10), (31, 7), (1, 1), (20, 10)):
        painter = canvas.begin(*size, 1.0)
        filled(painter, (0, 0, *size), RED)
        canvas.lines(lines((-5, 0.5, 50, 0.5)), colors(GREEN))
        painter.end()
        assert (canvas.image.width(), canvas.image.height()) == size
        assert canvas.image.pixel(size[0] - 1, 0) == GREEN


def test_a_copy_of_a_picture_stays_as_it_was(app):
    canvas = DepthCanvas()
    canvas.begin(8, 8, 1.0).end()
    canvas.image.fill(QColor.fromRgba(RED))
    visible = QImage(canvas.image)
    painter = canvas.begin(8, 8, 1.0)
    canvas.lines(lines((0, 2.5, 8, 2.5)), colors(GREEN))
    painter.end()
    assert (visible.pixel(3, 2), canvas.image.pixel(3, 2)) == (RED, GREEN)


@pytest.mark.parametrize("top", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 1.5])
def test_lines_of_the_world_are_drawn_where_the_camera_says_they_are(app, top, ratio):
    camera, chance = ViewCamera(), np.random.default_rng(3)
    camera.top = top
    view = camera.view(160, 120)
    points = chance.normal(0, 9, (80, 3))
    starts, ends = chance.integers(0, 80, (2, 60))
    white = np.full(60, 0xFFFFFFFF, np.uint32)
    pictures = []
    for at_once in (True, False):
        canvas = DepthCanvas()
        painter = canvas.begin(160, 120, ratio)
        filled(painter, (0, 0, 160, 120), 0xFF000000)
        if at_once:
            canvas.edges(view, points, starts, ends, white)
        else:
            visible, rows = view.edges(points, starts, ends)
            canvas.lines(rows, white[visible])
        painter.end()
        image = canvas.image
        memory = image.constBits().asarray(image.sizeInBytes())
        pictures.append(np.frombuffer(memory, np.uint8).astype(int))
    one, other = pictures
    assert (one > 200).sum() > 1000
    assert np.abs(one - other).max() <= 8


def test_no_lines_are_no_mistake(app):
    canvas = DepthCanvas()
    painter = canvas.begin(8, 8, 1.0)
    none = np.empty(0, np.uint32)
    canvas.lines(np.empty((0, 4)), none)
    canvas.edges(
        ViewCamera().view(8, 8), np.empty((0, 3)), np.empty(0, int), np.empty(0, int), none
    )
    painter.end()


def test_colours_are_packed_with_so_much_of_the_sky_in_them():
    result = packed(("#ff0000", "#00ff00"), (0.0, 0.5))
    assert [f"#{value & 0xFFFFFF:06x}" for value in result.tolist()] == [
        "#ff0000", palette.mixed("#ff0000", 0.5), "#00ff00", palette.mixed("#00ff00", 0.5),
    ]  # fmt: skip
    assert (result >> 24 == 255).all()


def covered(picture, color):
    """How many pixels' worth of a colour there are on black."""
    rows = [picture.pixelColor(x, y) for x in range(picture.width())
            for y in range(picture.height())]  # fmt: skip
    return sum(getattr(one, color)() for one in rows) / 255


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("width", [1.0, 1.5, 2.0, 3.0])
def test_a_broad_line_covers_its_width_around_its_middle(app, width, ratio):
    canvas = DepthCanvas()
    painter = canvas.begin(40, 40, ratio)
    filled(painter, (0, 0, 40, 40), 0xFF000000)
    canvas.broad_lines(lines((10, 20, 30, 20), (35, 5, 35, 35)), colors(GREEN, GREEN), width)
    painter.end()
    picture = canvas.image
    assert covered(picture, "green") == pytest.approx(50 * width * ratio**2, rel=0.06)
    above = [picture.pixelColor(round(20 * ratio), y).green() for y in range(picture.height())]
    assert above == pytest.approx(above[::-1], abs=3), "as much above as below"
    beside = picture.pixelColor(round(20 * ratio), round((20 + width / 2 + 1) * ratio))
    assert beside.green() == 0


def test_a_broad_line_at_any_angle_is_as_broad_and_a_dot_is_none_too_large(app):
    for angle in np.linspace(0, np.pi, 13):
        canvas = DepthCanvas()
        painter = canvas.begin(60, 60, 1.0)
        filled(painter, (0, 0, 60, 60), 0xFF000000)
        x, y = 20 * np.cos(angle), 20 * np.sin(angle)
        canvas.broad_lines(lines((30 - x, 30 - y, 30 + x, 30 + y)), colors(GREEN), 2.0)
        canvas.broad_lines(lines((5, 5, 5, 5)), colors(RED), 2.0)
        painter.end()
        assert covered(canvas.image, "green") == pytest.approx(41 * 2.0, rel=0.05), angle
        assert covered(canvas.image, "red") == pytest.approx(4.0, rel=0.05)
