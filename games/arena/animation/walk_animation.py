"""Bones and a small procedural walk: many people's joint matrices in one go.

Every joint turns about its own y axis (left) only. Turns about one axis add up, so a joint's
matrix follows from the sum of the angles above it, without multiplying matrices along the chain.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class WalkSkeleton(NamedTuple):
    """Joints in an order in which parents come before their children."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; -1 at the root."""
    offsets: tuple[tuple[float, float, float], ...]
    """Where a joint sits in its parent's space: x forward, y left, z up, metres."""


def _skeleton(*joints: tuple[str, str, tuple[float, float, float]]) -> WalkSkeleton:
    names = tuple(name for name, _, _ in joints)
    parents = tuple(names.index(parent) if parent else -1 for _, parent, _ in joints)
    return WalkSkeleton(names, parents, tuple(offset for _, _, offset in joints))


HUMAN = _skeleton(
    ("pelvis", "", (0.0, 0.0, 0.95)),
    ("spine", "pelvis", (0.0, 0.0, 0.15)),
    ("chest", "spine", (0.0, 0.0, 0.18)),
    ("neck", "chest", (0.0, 0.0, 0.22)),
    ("head", "neck", (0.02, 0.0, 0.12)),
    ("crown", "head", (0.0, 0.0, 0.18)),
    ("collar.l", "chest", (0.0, 0.06, 0.18)),
    ("shoulder.l", "collar.l", (0.0, 0.13, 0.0)),
    ("elbow.l", "shoulder.l", (0.0, 0.02, -0.29)),
    ("wrist.l", "elbow.l", (0.0, 0.0, -0.26)),
    ("hand.l", "wrist.l", (0.0, 0.0, -0.09)),
    ("collar.r", "chest", (0.0, -0.06, 0.18)),
    ("shoulder.r", "collar.r", (0.0, -0.13, 0.0)),
    ("elbow.r", "shoulder.r", (0.0, -0.02, -0.29)),
    ("wrist.r", "elbow.r", (0.0, 0.0, -0.26)),
    ("hand.r", "wrist.r", (0.0, 0.0, -0.09)),
    ("hip.l", "pelvis", (0.0, 0.1, -0.04)),
    ("knee.l", "hip.l", (0.0, 0.0, -0.44)),
    ("ankle.l", "knee.l", (0.0, 0.0, -0.42)),
    ("hip.r", "pelvis", (0.0, -0.1, -0.04)),
    ("knee.r", "hip.r", (0.0, 0.0, -0.44)),
    ("ankle.r", "knee.r", (0.0, 0.0, -0.42)),
    ("baton", "hand.r", (0.25, 0.0, 0.0)),
    ("lantern", "hand.l", (0.0, 0.0, -0.2)),
)
"""A person of 22 joints, then what guards carry: take the first 22, 23 or 24."""

BODY_JOINTS = 22

HANDS = _skeleton(
    ("arm", "", (0.15, -0.22, -0.25)),
    ("hand", "arm", (0.4, 0.0, 0.0)),
    ("stone", "hand", (0.12, 0.0, 0.02)),
)
"""The player's own arm, as the player sees it; the root is the eye."""

_J = {name: index for index, name in enumerate(HUMAN.names)}


class WalkAnimation(NamedTuple):
    """How far three clips count in people's poses, 0 … 1, together 1; each (n,).

    They play in step, and differ by how far one strides out: run fully, walk half, idle not.
    """

    idle: Floats
    walk: Floats
    run: Floats


def gait(phase: Floats, walk: WalkAnimation, lift: Floats, slump: Floats) -> Floats:
    """The joints' angles (joints, n), radians, of people in mid-stride.

    `phase` is radians of the stride, `lift` 0 … 1 how far the right arm is raised to strike or
    throw, `slump` 0 … 1 how far they are bent over. All (n,).
    """
    angles = np.zeros((len(HUMAN.names), len(phase)))
    # Each joint's angle is the sum of the clips' angles: they differ by this factor alone.
    stride = 0.5 * walk.walk + walk.run
    swing = 0.75 * stride * np.sin(phase)
    angles[_J["hip.l"]] = -swing
    angles[_J["hip.r"]] = swing
    # A knee only bends backwards, and most while its leg comes forward.
    angles[_J["knee.l"]] = 0.9 * stride * np.maximum(np.cos(phase), 0.0) + 0.5 * slump
    angles[_J["knee.r"]] = 0.9 * stride * np.maximum(-np.cos(phase), 0.0) + 0.5 * slump
    angles[_J["spine"]] = 0.12 * stride + 0.5 * slump
    angles[_J["neck"]] = -0.08 * stride + 0.4 * slump
    angles[_J["shoulder.l"]] = 0.6 * swing
    angles[_J["shoulder.r"]] = -0.6 * swing - 2.2 * lift
    angles[_J["elbow.l"]] = -0.2 - 0.6 * stride
    angles[_J["elbow.r"]] = -0.2 - 0.6 * stride - 0.4 * lift
    return angles


def pose(skeleton: WalkSkeleton, angles: Floats) -> npt.NDArray[np.float32]:
    """The matrices (n, joints, 3, 4) in model space of `angles` (joints, n), radians."""
    n = angles.shape[1]
    parents, x, z, sides = _plan(skeleton)
    turned = np.array(angles)
    _add_up(turned, skeleton)
    cosines, sines = np.cos(turned), np.sin(turned)
    c, s = cosines[parents], sines[parents]
    # Sums in a fixed order, not a matrix product: a BLAS may add differently elsewhere.
    places = np.stack([c * x + s * z, c * z - s * x], axis=1)
    for joint in range(len(skeleton.parents)):
        if skeleton.parents[joint] < 0:
            places[joint] = [x[joint], z[joint]]
    _add_up(places, skeleton)
    matrices: npt.NDArray[Any] = np.zeros((n, len(angles), 3, 4), np.float32)
    c, s = cosines.T, sines.T
    matrices[..., 0, 0] = c
    matrices[..., 0, 2] = s
    matrices[..., 1, 1] = 1.0
    matrices[..., 2, 0] = -s
    matrices[..., 2, 2] = c
    matrices[..., ::2, 3] = places.transpose(2, 0, 1)
    matrices[..., 1, 3] = sides
    return matrices


def _add_up(values: Floats, skeleton: WalkSkeleton) -> None:
    """Add to each joint's values (joints, …) those of all joints above it."""
    rows = list(values)
    for row, parent in zip(rows, skeleton.parents, strict=True):
        if parent >= 0:
            row += rows[parent]


@lru_cache
def _plan(skeleton: WalkSkeleton) -> tuple[npt.NDArray[np.intp], Floats, Floats, Floats]:
    """Each joint's parent, its offset forward and up, (joints, 1), and how far left it is."""
    offsets = np.array(skeleton.offsets)
    sides = offsets[:, 1].copy()
    _add_up(sides[:, None], skeleton)
    return np.array(skeleton.parents), offsets[:, 0:1], offsets[:, 2:3], sides
