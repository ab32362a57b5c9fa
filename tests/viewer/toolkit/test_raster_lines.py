"""Lines drawn into memory by C."""

import math
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.toolkit._raster import draw_edges, draw_lines

BLACK, RED, WHITE = 0xFF000000, 0xFFFF2000, 0xFFFFFFFF
WIDE, HIGH = 40, 30
coordinates = st.floats(-20, 60)
anything = st.floats(width=64) | coordinates


def picture(*lines, color=WHITE, width=WIDE, height=HIGH, broad=1.0):
    pixels = np.full((height, width), BLACK, np.uint32)
    rows = np.array(lines, np.float64).reshape(-1, 4)
    draw_lines(pixels, width, height, rows, np.full(len(rows), color, np.uint32), broad)
    return pixels


def covers(pixels):
    """How much of each pixel is white, 0 … 1."""
    return (pixels & 255) / 255


def test_a_line_through_the_middles_of_pixels_fills_these_and_no_others():
    pixels = picture((2, 5.5, 9, 5.5), color=RED)
    assert (pixels[5, 2:9] == RED).all()
    pixels[5, 2:9] = BLACK
    assert (pixels == BLACK).all()


def test_a_line_between_two_rows_is_half_in_each():
    coverage = covers(picture((2, 6, 9, 6)))
    assert coverage[5:7, 2:9] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("turned", [False, True])
def test_an_end_within_a_pixel_covers_it_by_its_share(turned):
    line = (2.25, 5.5, 6.5, 5.5)
    coverage = covers(picture((line[1], line[0], line[3], line[2]) if turned else line))
    coverage = coverage.T if turned else coverage
    assert coverage[5, 2:7] == pytest.approx([0.75, 1, 1, 1, 0.5], abs=0.02)


@given(coordinates, coordinates, coordinates, coordinates)
def test_either_end_may_come_first(x1, y1, x2, y2):
    one, other = picture((x1, y1, x2, y2)), picture((x2, y2, x1, y1))
    assert covers(one) == pytest.approx(covers(other), abs=0.02)


inside = st.floats(4, 26)


@given(inside, inside, inside, inside)
def test_a_line_covers_as_much_as_it_is_long(x1, y1, x2, y2):
    coverage = covers(picture((x1, y1, x2, y2))).sum()
    longer = max(abs(x2 - x1), abs(y2 - y1))
    assert coverage == pytest.approx(max(longer, 1.0), abs=0.2 + 0.01 * longer)


@given(inside, inside, inside, inside)
def test_what_it_covers_is_beside_the_line(x1, y1, x2, y2):
    away = [
        abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / math.hypot(x2 - x1, y2 - y1)
        for y, x in np.argwhere(covers(picture((x1, y1, x2, y2))) > 0.02) + 0.5
        if math.hypot(x2 - x1, y2 - y1) > 1
    ]
    assert max(away, default=0) <= 1.5


@given(coordinates, coordinates, coordinates, coordinates)
def test_a_line_that_leaves_the_picture_looks_as_in_a_larger_one(x1, y1, x2, y2):
    small = covers(picture((x1, y1, x2, y2)))
    moved = (x1 + 50, y1 + 50, x2 + 50, y2 + 50)
    large = covers(picture(moved, width=150, height=150))[50 : 50 + HIGH, 50 : 50 + WIDE]
    inner = slice(1, -1)
    # Where it is cut right at a pixel's edge the last one may be the neighbour.
    assert small[inner, inner] == pytest.approx(large[inner, inner], abs=0.03)


widths = st.floats(1.01, 9)


@given(inside, inside, inside, inside, widths)
def test_a_broad_line_covers_as_much_as_it_is_long_times_broad(x1, y1, x2, y2, broad):
    length = math.hypot(x2 - x1, y2 - y1)
    if max(abs(x2 - x1), abs(y2 - y1)) < 1:
        return  # then it is a dot
    coverage = covers(picture((x1 + 5, y1 + 5, x2 + 5, y2 + 5), width=50, height=50, broad=broad))
    # Half a pixel more at each end, along the line's longer side.
    more = length / max(abs(x2 - x1), abs(y2 - y1))
    assert coverage.sum() == pytest.approx((length + more) * broad, rel=0.06)


def test_a_broad_line_is_as_broad_on_both_sides_of_its_middle():
    coverage = covers(picture((2, 5.5, 9, 5.5), broad=2.5))
    assert coverage[3:8, 5] == pytest.approx([0, 0.75, 1, 0.75, 0], abs=0.01)
    assert coverage[5, [0, 1, 2, 8, 9, 10]] == pytest.approx([0, 0.5, 1, 1, 0.5, 0], abs=0.01)


@given(inside, inside, widths, st.floats(0.1, 0.9))
def test_broad_lines_that_follow_one_another_have_no_seam(y1, y2, broad, share):
    x = 8 + 20 * share
    y = y1 + (y2 - y1) * share
    whole = covers(picture((8, y1, 28, y2), broad=broad))
    parts = covers(picture((8, y1, x, y), (x, y, 28, y2), broad=broad))
    assert (parts > whole - 0.02).all()
    assert (parts[whole < 0.01] < 0.02).all()


@given(inside, inside, inside, inside, widths)
def test_either_end_of_a_broad_line_may_come_first(x1, y1, x2, y2, broad):
    one, other = picture((x1, y1, x2, y2), broad=broad), picture((x2, y2, x1, y1), broad=broad)
    assert covers(one) == pytest.approx(covers(other), abs=0.02)


def test_a_broad_line_without_a_length_is_a_dot_as_long_as_broad():
    assert covers(picture((9, 9, 9, 9), broad=4.0)).sum() == pytest.approx(16.0)


def test_a_broad_line_beside_the_picture_reaches_into_it():
    coverage = covers(picture((2, -1, 9, -1), broad=4.0))
    assert coverage[:2, 5] == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("broad", [0.0, 0.5, -1.0, math.nan, math.inf, 2e4])
def test_lines_can_t_be_thinner_than_a_pixel_nor_without_end(broad):
    with pytest.raises(ValueError, match="1 to 10000 pixels wide"):
        picture((1, 1, 5, 5), broad=broad)


@given(anything, anything, anything, anything, st.sampled_from([1.0, 1.5, 40.0, 1e4]))
def test_nothing_is_written_beside_the_picture_whatever_the_numbers_are(x1, y1, x2, y2, broad):
    memory = np.full(3 * WIDE * HIGH, 7, np.uint32)
    pixels = memory[WIDE * HIGH : 2 * WIDE * HIGH]
    rows = np.array([(x1, y1, x2, y2), (0, 0.5, WIDE, 0.5)])
    draw_lines(pixels, WIDE, HIGH, rows[:1], np.full(1, WHITE, np.uint32), broad)
    draw_lines(pixels, WIDE, HIGH, rows[1:], np.full(1, WHITE, np.uint32))
    assert (memory[: WIDE * HIGH] == 7).all()
    assert (memory[2 * WIDE * HIGH :] == 7).all()
    assert (pixels[:WIDE] == WHITE).all()  # the one after it is there


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, 1e300])
def test_a_line_to_no_place_is_left_out(odd):
    assert (picture((5, 5, odd, 5)) == BLACK).all()


def test_a_line_without_a_length_is_a_dot():
    coverage = covers(picture((5.5, 7.5, 5.5, 7.5)))
    assert coverage[7, 5] == pytest.approx(1.0)
    assert coverage.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("size", [(1, 1), (1, 30), (30, 1)])
def test_the_smallest_pictures_take_lines_too(size):
    width, height = size
    pixels = picture((-5, -5, 40, 40), (0.5, 0.5, 0.5, 0.5), width=width, height=height)
    assert pixels[0, 0] != BLACK


def test_no_lines_change_nothing():
    assert (picture() == BLACK).all()


@pytest.mark.parametrize(
    ("width", "height", "lines", "colors", "message"),
    [
        (4, 3, 1, 1, "the pixels take 64 bytes, not 4 for each of 4 by 3"),
        (5, 3, 1, 1, "the pixels take 64 bytes, not 4 for each of 5 by 3"),
        (2**31 - 1, 2**31 - 1, 1, 1, "the pixels take 64 bytes"),
        (4, 4, 1, 2, "the lines take 32 bytes, not 32 for each of 2"),
        (0, 4, 1, 1, "a picture of 0 by 4 pixels has none"),
        (-4, -4, 1, 1, "a picture of -4 by -4 pixels has none"),
    ],
)
def test_sizes_that_don_t_fit_are_refused(width, height, lines, colors, message):
    pixels = np.zeros((4, 4), np.uint32)
    with pytest.raises(ValueError, match=message):
        draw_lines(pixels, width, height, np.zeros((lines, 4)), np.zeros(colors, np.uint32))
    assert not pixels.any()


def test_pixels_that_can_t_be_written_are_refused():
    with pytest.raises(TypeError, match="read-write"):
        draw_lines(bytes(64), 4, 4, np.zeros((1, 4)), np.zeros(1, np.uint32))


def test_two_threads_draw_two_pictures_at_once():
    rows = np.random.default_rng(1).uniform(-5, 45, (5000, 4))
    calls = []
    threads = [Thread(target=lambda: calls.append(picture(*rows))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (calls[0] == calls[1]).all()
    assert (calls[0] != BLACK).any()


# --- between points of a world -------------------------------------------------------------------

# A camera at the origin that looks along +y: x is to the right, z up, the depth is y.
AHEAD = np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]], np.float64)


def seen(points, edges, *, near=0.1, color=WHITE, matrix=AHEAD):
    pixels = np.full((HIGH, WIDE), BLACK, np.uint32)
    ends = np.array(edges, np.int64).reshape(-1, 2)
    draw_edges(
        pixels, None, 0, WIDE, HIGH, np.array(points, np.float64), ends[:, 0].copy(),
        ends[:, 1].copy(), np.full(len(ends), color, np.uint32), matrix, near,
        float(WIDE), float(HIGH),
    )  # fmt: skip
    return pixels


def test_an_edge_is_where_its_points_are_seen():
    points = [(-0.5, 1, 0.01), (1, 2, 0.02)]  # the same height over the middle, seen from the eye
    pixels = seen(points, [(0, 1)], color=RED)
    assert (pixels[14, 10:30] == picture((10, 14.85, 30, 14.85), color=RED)[14, 10:30]).all()
    assert (pixels[:13] == BLACK).all()
    assert (pixels[17:] == BLACK).all()
    assert (pixels[:, :9] == BLACK).all()


@pytest.mark.parametrize("ends", [(0, 1), (1, 0)])
def test_what_comes_from_behind_is_cut_where_it_comes_out(ends):
    pixels = seen([(0.3, -5, 0), (0.3, 5, 0)], [ends], near=1.0)
    coverage = covers(pixels)[14:16].sum(axis=0)
    assert coverage[22:26] == pytest.approx(1.0, abs=0.05)  # pixels 21.2 to 26
    assert coverage[:20] == pytest.approx(0.0)
    assert coverage[26:] == pytest.approx(0.0)


def test_what_is_behind_or_nowhere_is_left_out_and_its_neighbours_stay():
    points = [
        (-1, -2, 0),
        (1, -2, 0),
        (0, math.nan, 0),
        (math.inf, 1, 0),
        (-0.5, 1, 0),
        (0.5, 1, 0),
    ]
    alone = seen(points, [(4, 5)])
    assert (alone != BLACK).any()
    assert (seen(points, [(0, 1), (4, 2), (2, 2), (3, 4), (4, 5)]) == alone).all()


@given(st.lists(st.tuples(anything, anything, anything), min_size=2, max_size=5))
def test_whatever_the_points_are_nothing_is_written_beside_the_picture(points):
    memory = np.full(3 * WIDE * HIGH, 7, np.uint32)
    pixels = memory[WIDE * HIGH : 2 * WIDE * HIGH]
    starts = np.arange(len(points) - 1)
    with np.errstate(all="ignore"):
        draw_edges(
            pixels, None, 0, WIDE, HIGH, np.array(points), starts, starts + 1,
            np.full(len(starts), WHITE, np.uint32), AHEAD, 0.1, float(WIDE), float(HIGH),
        )  # fmt: skip
    assert (memory[: WIDE * HIGH] == 7).all()
    assert (memory[2 * WIDE * HIGH :] == 7).all()


@pytest.mark.parametrize("edge", [(0, 2), (-1, 0), (5, 0)])
def test_an_edge_to_a_point_that_is_not_there_is_refused_before_anything_is_drawn(edge):
    pixels = np.full((HIGH, WIDE), BLACK, np.uint32)
    points = np.array([(-1, 1, 0), (1, 1, 0.0)])
    ends = np.array([(0, 1), edge])
    with pytest.raises(IndexError, match="number 1 is point"):
        draw_edges(
            pixels, None, 0, WIDE, HIGH, points, ends[:, 0].copy(), ends[:, 1].copy(),
            np.full(2, WHITE, np.uint32), AHEAD, 0.1, 40.0, 30.0,
        )  # fmt: skip
    assert (pixels == BLACK).all()


@pytest.mark.parametrize(
    ("which", "message"),
    [(0, "the pixels take"), (1, "the pixels take"), (5, "the points take"),
     (6, "where lines start take"), (7, "where lines end take"), (9, "the matrix take")],
)  # fmt: skip
def test_parts_of_a_wrong_size_are_refused(which, message):
    one = np.zeros(1, np.int64)
    parts = [
        np.zeros((HIGH, WIDE), np.uint32), np.zeros((HIGH, WIDE), np.float32), 0, WIDE, HIGH,
        np.zeros((1, 3)), one, one,
        np.zeros(1, np.uint32), AHEAD, 0.1, 40.0, 30.0,
    ]  # fmt: skip
    draw_edges(*parts)
    parts[which] = np.zeros(parts[which].size + 1, parts[which].dtype)
    with pytest.raises(ValueError, match=message):
        draw_edges(*parts)
