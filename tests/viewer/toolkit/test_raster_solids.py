"""Triangles and limbs drawn into memory by C, with depth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.toolkit._raster import draw_capsules, draw_edges, draw_outlines, draw_triangles

BLACK, RED, GREEN, WHITE = 0xFF000000, 0xFFFF2000, 0xFF20FF00, 0xFFFFFFFF
WIDE, HIGH = 40, 30
# A camera at the origin that looks along +y: x is to the right, z up, the depth is y, and the
# nearness 1 / y. Of a depth of 1 the picture shows x and z from −1 to 1.
CAMERA = (
    np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]], np.float64),
    0.1, float(WIDE), float(HIGH),
)  # fmt: skip
anything = st.floats(width=64) | st.floats(-3, 3)


class Picture:
    """A picture with depth, black and far away at first."""

    def __init__(self):
        self.pixels = np.full((HIGH, WIDE), BLACK, np.uint32)
        self.depth = np.zeros((HIGH, WIDE), np.float32)
        self.covered = np.zeros((HIGH, WIDE), np.uint32)

    def triangles(self, *triangles, color=WHITE, body=False):
        points = np.array(triangles, np.float64).reshape(-1, 3)
        corners = np.arange(len(points)).reshape(-1, 3)
        colors = np.full(len(corners), color, np.uint32)
        draw_triangles(self.pixels, self.depth, body, WIDE, HIGH, points, corners, colors, *CAMERA)
        return self

    def wall(self, y, color=WHITE, left=-10.0):
        """All of the picture from a place on, so far away."""
        a, b, c, d = (left, y, -10), (10, y, -10), (10, y, 10), (left, y, 10)
        return self.triangles((a, b, c), (a, c, d), color=color)

    def limb(self, start, end, radius=0.1, color=RED):
        indexes = np.array([0]), np.array([1])
        return draw_capsules(
            self.pixels, self.depth, self.covered, WIDE, HIGH, np.array([start, end], np.float64),
            *indexes, np.array([radius]), np.array([color], np.uint32), *CAMERA,
        )  # fmt: skip

    def line(self, start, end, faintness, color=WHITE):
        indexes = np.array([0]), np.array([1])
        draw_edges(
            self.pixels, self.depth, faintness, WIDE, HIGH, np.array([start, end], np.float64),
            *indexes, np.array([color], np.uint32), *CAMERA,
        )  # fmt: skip

    def outlines(self):
        draw_outlines(self.pixels, self.depth, self.covered, WIDE, HIGH)
        return self


def test_a_triangle_fills_the_pixels_whose_middles_are_inside():
    image = Picture().triangles([(-1, 1, -1), (1, 1, -1), (-1, 1, 1)])
    x, y = np.meshgrid((np.arange(WIDE) + 0.5) / WIDE, (np.arange(HIGH) + 0.5) / HIGH)
    inside = x < y
    beside = np.abs(x - y) < 1e-9
    assert ((image.pixels == WHITE) == inside)[~beside].all()
    assert image.depth[HIGH - 1, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("near_first", [False, True])
def test_what_is_nearer_covers_what_is_farther_in_either_order(near_first):
    image = Picture()
    order = [(1.0, RED), (2.0, GREEN)] if near_first else [(2.0, GREEN), (1.0, RED)]
    for y, color in order:
        image.wall(y, color)
    assert (image.pixels == RED).all()
    assert image.depth == pytest.approx(1.0)


def test_two_surfaces_that_cross_each_cover_a_half():
    left_near = [(-4, 1, -9), (4, 5, -9), (4, 5, 9)], [(-4, 1, -9), (4, 5, 9), (-4, 1, 9)]
    right_near = [(-4, 5, -9), (4, 1, -9), (4, 1, 9)], [(-4, 5, -9), (4, 1, 9), (-4, 5, 9)]
    image = Picture().triangles(*left_near, color=RED).triangles(*right_near, color=GREEN)
    assert (image.pixels[:, :19] == RED).all()
    assert (image.pixels[:, 21:] == GREEN).all()


def test_neighbours_share_no_pixel_and_leave_none_out():
    a, b, c, d = (-0.9, 1, -0.8), (0.7, 1.5, -0.9), (0.8, 1.2, 0.9), (-0.6, 1, 0.7)
    glass = 0x80FFFFFF
    image = Picture().triangles((a, b, c), (a, c, d), color=glass).pixels
    assert set(np.unique(image).tolist()) == {BLACK, 0xFF808080}


def test_what_comes_from_behind_the_eye_is_cut_there():
    image = Picture().triangles([(-5, 4, -1), (5, 4, -1), (0, -6, -1)])
    assert (image.pixels[: HIGH // 2] == BLACK).all()
    assert (image.pixels[-1] == WHITE).all()


def test_glass_lets_what_is_behind_shine_through_and_covers_nothing():
    image = Picture().wall(2.0, RED).wall(1.0, 0x80000000)
    assert (image.pixels != RED).all()
    assert (image.pixels >> 16 & 255 == 126).all()
    assert image.depth == pytest.approx(0.5)
    hidden = Picture().wall(1.0, RED).wall(2.0, 0x80000000)
    assert (hidden.pixels == RED).all()


def test_a_limb_is_round_and_as_thick_as_its_distance_says():
    near, far = Picture(), Picture()
    near.limb((-0.5, 1, 0), (0.5, 1, 0), 0.2)
    far.limb((-1, 2, 0), (1, 2, 0), 0.2)
    thick = [int((result.depth[:, 20] < 0).sum()) for result in (near, far)]
    assert thick == [6, 3] or thick == [6, 4] or thick == [6, 2]
    column = near.pixels[12:18, 20] >> 16 & 255
    assert column[0] > column[-1], "light comes from above"
    ends = np.flatnonzero((near.depth[14:16] < 0).any(axis=0))
    assert (ends.min(), ends.max()) == (7, 32), "round ends reach three pixels farther"


@given(st.floats(0, 2 * math.pi), st.floats(0.02, 0.4))
def test_a_limb_is_in_one_piece_whichever_way_it_lies(turn, radius):
    image = Picture()
    x, z = 0.6 * math.cos(turn), 0.6 * math.sin(turn)
    image.limb((-x, 1, -z), (x, 1, z), radius, color=WHITE)
    for share in np.linspace(-1, 1, 41):
        column, row = (share * x + 1) * WIDE / 2, (1 - share * z) * HIGH / 2
        near = image.pixels[int(row - 0.5) : int(row + 1.5), int(column - 0.5) : int(column + 1.5)]
        assert (near != BLACK).any()


def test_a_limb_behind_a_wall_is_an_outline_and_in_front_of_it_a_limb():
    image = Picture().wall(1.0, BLACK)
    assert image.limb((-0.5, 2, 0), (0.5, 2, 0), 0.6) > 0
    assert (image.pixels == BLACK).all()
    image.outlines()
    assert (image.covered == 0).all()
    reds = image.pixels >> 16 & 255
    assert reds[15, 20] < reds.max() / 2, "the inside is fainter than the edge"
    rows = np.flatnonzero(reds[:, 20])
    assert reds[rows[0], 20] == reds[rows[-1], 20] == reds.max()
    assert image.limb((-0.5, 0.9, 0), (0.5, 0.9, 0), 0.1) == 0
    assert image.depth[15, 20] < 0


def test_a_limb_behind_another_limb_is_not_outlined():
    image = Picture()
    image.limb((-0.5, 1, 0), (0.5, 1, 0), 0.5)
    before = image.pixels.copy()
    assert image.limb((-0.3, 2, 0), (0.3, 2, 0), 0.1, color=GREEN) == 0
    assert (image.outlines().pixels == before).all()


def test_a_limb_behind_a_bodys_side_is_not_outlined_and_on_it_it_is_drawn():
    image = Picture().triangles([(-2, 1, -2), (2, 1, -2), (0, 1, 2)], color=GREEN, body=True)
    assert (image.depth <= 0).all()
    assert image.limb((-0.5, 2, 0), (0.5, 2, 0), 0.2) == 0
    image.limb((-0.5, 1, 0), (0.5, 1, 0), 0.1)
    assert image.pixels[15, 20] >> 16 & 255 > 200


def test_a_body_in_front_of_a_covered_one_keeps_its_pixels():
    image = Picture().wall(1.0, BLACK)
    image.limb((-0.5, 2, 0), (0.5, 2, 0), 0.6)
    image.limb((-0.5, 0.8, 0), (0.5, 0.8, 0), 0.6, color=GREEN)
    before = image.pixels.copy()
    assert (image.outlines().pixels[10:20, 15:25] == before[10:20, 15:25]).all()


@pytest.mark.parametrize(("faintness", "left"), [(0, 255), (2, 63), (9, 0)])
def test_a_line_behind_something_keeps_a_share_of_its_strength(faintness, left):
    image = Picture().wall(1.0, BLACK, left=0.0)
    image.line((-1.8, 2, 0.066), (1.8, 2, 0.066), faintness)  # through the middles of row 14
    blue = image.pixels[14] & 255
    assert blue[5:19].min() >= 250, "nothing covers it on the left"
    assert blue[21:35] == pytest.approx(left, abs=4)


def test_the_edge_of_a_wall_is_seen_on_that_wall():
    a, b, c, d = (-1, 1, 0), (1, 3, 0), (1, 3, -2), (-1, 1, -2)
    image = Picture().triangles((a, b, c), (a, c, d), color=RED)
    image.line((-1, 1, 0), (1, 3, 0), 9)
    assert (image.pixels[14:16, 1:25] & 255).max(axis=0).min() > 60


@given(st.lists(st.tuples(anything, anything, anything), min_size=3, max_size=6), anything)
def test_whatever_the_points_are_nothing_is_written_beside_the_picture(points, radius):
    size = WIDE * HIGH
    pixels, covered = np.full(3 * size, 7, np.uint32), np.full(3 * size, 7, np.uint32)
    depth = np.full(3 * size, 7, np.float32)
    middle = slice(size, 2 * size)
    depth[middle] = 0
    indexes = np.arange(len(points) - 2)
    corners = np.stack([indexes, indexes + 1, indexes + 2], axis=1)
    colors = np.full(len(indexes), WHITE, np.uint32)
    rows = np.array(points)
    draw_triangles(pixels[middle], depth[middle], False, WIDE, HIGH, rows, corners, colors, *CAMERA)
    draw_capsules(
        pixels[middle], depth[middle], covered[middle], WIDE, HIGH, rows, indexes, indexes + 1,
        np.full(len(indexes), radius), colors, *CAMERA,
    )  # fmt: skip
    draw_outlines(pixels[middle], depth[middle], covered[middle], WIDE, HIGH)
    for memory in (pixels, covered, depth):
        assert (memory[:size] == 7).all()
        assert (memory[2 * size :] == 7).all()


def test_what_does_not_fit_is_refused_before_anything_is_drawn():
    image = Picture()
    rows, colors = np.array([(-1, 1, -1), (1, 1, -1), (-1, 1, 1.0)]), np.array([WHITE], np.uint32)
    corners = np.array([[0, 1, 2]])

    def drawn(pixels=image.pixels, depth=image.depth, points=rows, which=corners, tints=colors):
        draw_triangles(pixels, depth, False, WIDE, HIGH, points, which, tints, *CAMERA)

    with pytest.raises(IndexError, match="corners: number 2 is point 3 of 3"):
        drawn(which=np.array([[0, 1, 3]]))
    with pytest.raises(ValueError, match="corners take 48 bytes"):
        drawn(which=np.array([[0, 1, 2], [0, 1, 2]]))
    with pytest.raises(ValueError, match="the pixels take"):
        drawn(depth=np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="the points take"):
        drawn(points=np.zeros(4))
    with pytest.raises(ValueError, match="the radii take"):
        draw_capsules(
            image.pixels, image.depth, image.covered, WIDE, HIGH, rows,
            np.array([0]), np.array([1]), np.zeros(2), colors, *CAMERA,
        )  # fmt: skip
    with pytest.raises(ValueError, match="the pixels take"):
        draw_outlines(image.pixels, image.depth, image.covered[:3], WIDE, HIGH)
    assert (image.pixels == BLACK).all()
    drawn()
    assert (image.pixels != BLACK).any()
