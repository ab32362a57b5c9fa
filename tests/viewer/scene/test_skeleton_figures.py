"""Figures: their bones, and the fewer ones that they are drawn with where they are small."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.reading.axis_conversion import AxisConversion
from playhead.recorder.world_adapter import Conventions
from playhead.viewer.scene.skeleton_figures import COARSE, SkeletonFigures, stand_ins

AXES = AxisConversion(Conventions())


def figure(parents, points):
    """One of these joints, standing where the world begins."""
    joints = np.zeros((1, len(points), 3, 4))
    joints[0, :, :, 3] = points
    return SkeletonFigures(
        np.array([0]), joints, parents, "", AXES, np.zeros((1, 3)), np.eye(3)[None]
    )


def test_small_ones_are_drawn_by_their_longest_bones_each_from_where_the_last_one_ends():
    # A spine of three, of which the middle one is short; an arm with a short hand.
    points = [(0, 0, 0), (0, 0, 1), (0, 0, 1.1), (0, 0, 2.1), (1, 0, 2.1), (1.1, 0, 2.1)]
    result = figure((-1, 0, 1, 2, 3, 4), points)
    assert result.bones.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert result.coarse.tolist() == [[0, 1], [1, 3], [3, 4]]


def test_what_begins_at_no_other_begins_at_the_root():
    points = [(0, 0, 0), (0.1, 0, 0), (0.1, 0, 2), (-0.1, 0, 0), (-0.1, 0, 2)]
    assert figure((-1, 0, 1, 0, 3), points).coarse.tolist() == [[0, 2], [0, 4]]


@given(st.data())
def test_what_is_drawn_is_in_one_piece_whatever_the_skeleton(data):
    count = data.draw(st.integers(2, 14))
    parents = [-1, *(data.draw(st.integers(0, joint - 1)) for joint in range(1, count))]
    points = data.draw(st.lists(
        st.tuples(*[st.floats(-9, 9)] * 3), min_size=count, max_size=count
    ))  # fmt: skip
    result = figure(parents, points).coarse.tolist()
    assert len(result) == max(1, round((count - 1) * COARSE))
    ends = [end for _, end in result]
    assert len({*ends}) == len(ends)
    for start, _ in result:
        assert start in ends or start == 0
    reached, grown = {0}, True
    while grown:
        fresh = {end for start, end in result if start in reached} - reached
        reached |= fresh
        grown = bool(fresh)
    assert {*ends} <= reached


def test_parents_that_go_round_or_lead_nowhere_do_no_harm():
    points = np.random.default_rng(1).random((4, 3))
    for parents in ((1, 0, 3, 2), (1, 2, 0, 2), (9, -7, 0, 3), ()):
        assert len(figure(parents, points).coarse)


def test_stand_ins_keep_the_longest_of_their_edges():
    result = stand_ins(np.arange(2), np.zeros((2, 3)), np.repeat(np.eye(3)[None], 2, axis=0), 1.0)
    assert len(result.coarse) == round(len(result.bones) * COARSE)
    assert {tuple(bone) for bone in result.coarse.tolist()} <= {
        tuple(bone) for bone in result.bones.tolist()
    }
