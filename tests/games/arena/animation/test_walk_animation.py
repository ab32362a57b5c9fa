"""Skeletons: joint matrices of a procedural walk."""

import numpy as np
import pytest

from playhead.games.arena.animation.animation_tree import walk_at
from playhead.games.arena.animation.walk_animation import BODY_JOINTS, HANDS, HUMAN, gait, pose


def posed(phase, speed=0.0, lift=0.0, slump=0.0):
    columns = (np.atleast_1d(np.asarray(v, float)) for v in (phase, speed, lift, slump))
    phase, speed, lift, slump = columns
    return pose(HUMAN, gait(phase, walk_at(speed), lift, slump))


def test_parents_come_before_their_children():
    for skeleton in (HUMAN, HANDS):
        assert skeleton.parents[0] == -1
        assert all(parent < joint for joint, parent in enumerate(skeleton.parents))
        assert len(set(skeleton.names)) == len(skeleton.names)
    assert BODY_JOINTS >= 22
    assert HUMAN.names[BODY_JOINTS:] == ("baton", "lantern")


def test_matrices_are_rotations_and_bones_keep_their_length():
    matrices = posed([0.3, 2.0], [4.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    assert matrices.shape == (2, len(HUMAN.names), 3, 4)
    assert matrices.dtype == np.float32
    turns = matrices[..., :3].astype(float)
    assert np.allclose(turns @ turns.swapaxes(-1, -2), np.eye(3), atol=1e-5)
    for joint, parent in enumerate(HUMAN.parents):
        if parent >= 0:
            bone = matrices[:, joint, :, 3] - matrices[:, parent, :, 3]
            length = np.linalg.norm(HUMAN.offsets[joint])
            assert np.allclose(np.linalg.norm(bone, axis=1), length, atol=1e-5)


def test_a_joint_follows_from_its_parents_matrix():
    matrices = posed(0.7, 3.0)[0].astype(float)
    for joint, parent in enumerate(HUMAN.parents):
        if parent >= 0:
            origin = matrices[parent, :, :3] @ HUMAN.offsets[joint] + matrices[parent, :, 3]
            assert np.allclose(origin, matrices[joint, :, 3], atol=1e-5)


def test_who_stands_stands_still_and_who_walks_swings_its_legs():
    assert np.array_equal(posed(0.0), posed(1.5))
    left, right = HUMAN.names.index("ankle.l"), HUMAN.names.index("ankle.r")
    stride = posed(np.pi / 2, 3.0)[0]
    assert stride[left, 0, 3] > 0.1 > -0.1 > stride[right, 0, 3]


def test_a_raised_arm_is_higher():
    hand = HUMAN.names.index("hand.r")
    assert posed(0.0, lift=1.0)[0, hand, 2, 3] > posed(0.0)[0, hand, 2, 3] + 0.3


def test_people_posed_together_look_like_people_posed_alone():
    phases, speeds = [0.1, 1.2, 4.0], [0.0, 2.0, 4.0]
    together = posed(phases, speeds, [0.0] * 3, [0.0] * 3)
    alone = [posed(p, s)[0] for p, s in zip(phases, speeds, strict=True)]
    assert together == pytest.approx(np.stack(alone))
