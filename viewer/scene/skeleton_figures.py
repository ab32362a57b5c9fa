"""Figures: bodies of one skeleton, whose joints are put into the world only where they are seen.

Stand-ins for what has no joints are figures as well: all have the same few points.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...recorder.reading.axis_conversion import AxisConversion
from ...recorder.world_adapter import Conventions

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]

COARSE = 0.6
"""The share of a figure's bones, by the longest ones, that is drawn where it is small."""
_DIAMOND = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
_DIAMOND_EDGES = np.array(
    [(0, 2), (2, 1), (1, 3), (3, 0), (4, 0), (4, 1), (4, 2), (4, 3), (5, 0), (5, 1), (5, 2), (5, 3)]
)
STAND_IN_SIDES = np.array(
    [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
)
"""The sides of a placeholder, as its joints: seen from outside they go round to the left."""

_UPRIGHT = AxisConversion(Conventions())


class SkeletonFigures:
    """Bodies that are drawn by the same bones.

    Args:
        scene_rows: Which bodies of the scene they are, (n,).
        joints: Their matrices, (n, joints, 3, 4), as they were recorded.
        parents: Each joint's parent, below 0 for a root; empty if unknown.
        space: `world`, `parent`, or anything else for the body's own.
        axes: The game's.
        origins: Where each body's own space begins, (n, 3).
        turns: How it is turned, (n, 3, 3).
        bones: Pairs of joints, (bones, 2), where no parents say it.
    """

    def __init__(
        self, scene_rows: Indexes, joints: npt.NDArray[np.floating[Any]], parents: Sequence[int],
        space: str, axes: AxisConversion, origins: Array, turns: Array,
        bones: Indexes | None = None,
    ) -> None:  # fmt: skip
        self.scene_rows = scene_rows
        self._joints = joints
        self._parents = list(parents[: joints.shape[1]])
        self._space = space
        self._axes = axes
        self._origins = origins
        self._turns = turns
        count = joints.shape[1]
        self.is_skeleton = bones is None
        if bones is None:
            bones = _bones_of(tuple(self._parents), count)
        self.bones: Indexes = bones
        """(bones, 2) joints: where each begins, and where it ends."""
        first = self.points(np.zeros(1, np.intp))[0]
        self.coarse: Indexes = self._coarse(first)
        """The same where it is small: fewer, and still in one piece."""
        self.coarse_joints, self.coarse_bone_ends = _joints_of(
            tuple(map(tuple, self.coarse.tolist()))
        )
        """The joints that those have, and (bones, 2) their indexes in these."""
        self.reaches: Array = np.nan_to_num(self._reach(first), nan=0.0, posinf=0.0)
        """How far from its body's origin each reaches, (n,)."""

    def _coarse(self, first: Array) -> Indexes:
        """The longest bones; of a skeleton each begins where the one in front of it ends."""
        starts, ends = self.bones.T
        lengths = ((first[ends] - first[starts]) ** 2).sum(axis=1)
        bone_count = max(1, round(len(lengths) * COARSE))
        longest = np.sort(np.argsort(-lengths, kind="stable")[:bone_count])
        if not self.is_skeleton:
            return self.bones[longest]
        return _in_one_piece(tuple(map(tuple, self.bones.tolist())), tuple(longest.tolist()))

    def points(self, rows: Indexes, joints: Indexes | None = None) -> Array:
        """The joints of some of them in the world, (k, joints, 3); all joints, or these."""
        moved: npt.NDArray[np.floating[Any]]
        if self._space == "parent":
            every = _accumulated(self._joints[rows].astype(np.float64), self._parents)
            moved = every[..., 3] if joints is None else every[:, joints, :, 3]
        elif joints is None:
            moved = self._joints[..., 3][rows]
        else:
            moved = self._joints[..., 3][rows][:, joints]
        points = self._axes.points(moved)
        if self._space == "world":
            return points
        result: Array = points @ self._turns[rows].transpose(0, 2, 1)
        result += self._origins[rows][:, None]
        return result

    def _reach(self, first: Array) -> Array:
        """Exact but for joints in their parents' spaces: those are taken to differ in size only."""
        moved = self._joints[..., 3]
        if self._space == "world":
            points = self._axes.points(moved)
            return np.asarray(_farthest(points - self._origins[:, None]))
        if self._space != "parent":
            return _farthest(moved)
        sizes = np.linalg.norm(moved.astype(np.float64), axis=2).sum(axis=1)
        exact = float(_farthest((first - self._origins[0])[None])[0])
        share: Array = sizes / (sizes[0] or 1.0) * exact
        return share


@lru_cache(maxsize=256)
def _bones_of(parents: tuple[int, ...], count: int) -> Indexes:
    """Pairs of joints; unconnected joints are dots."""
    tied = [(up, at) for at, up in enumerate(parents) if 0 <= up < count and up != at]
    return np.array(tied or [(at, at) for at in range(count)], np.intp)


@lru_cache(maxsize=1024)
def _joints_of(bones: tuple[tuple[int, int], ...]) -> tuple[Indexes, Indexes]:
    """The joints that some bones have, and these bones as pairs of indexes into them."""
    joints, indexes = np.unique(np.array(bones, np.intp), return_inverse=True)
    return joints, indexes.reshape(-1, 2)


@lru_cache(maxsize=1024)
def _in_one_piece(bones: tuple[tuple[int, int], ...], bone_count: tuple[int, ...]) -> Indexes:
    """Some of the bones, each begun where another one of them ends, or else at the root: those that
    are left out become a part of the next one."""
    above = {end: start for start, end in bones}
    ends = {bones[bone][1] for bone in bone_count}
    pairs = []
    for bone in bone_count:
        start, end = bones[bone]
        for _ in bones:  # parents that go round would never end
            if start in ends or start not in above:
                break
            start = above[start]
        pairs.append((start, end))
    return np.array(pairs, np.intp)


def _farthest(points: npt.NDArray[np.floating[Any]]) -> Array:
    # A column at a time: they are far from each other in memory, and einsum takes twice as long.
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    squares = x * x
    squares += y * y
    squares += z * z
    result: Array = np.sqrt(squares.max(axis=1, initial=0.0).astype(np.float64))
    return result


def _accumulated(joints: Array, parents: Sequence[int]) -> Array:
    """Matrices in their parents' spaces as matrices in the body's."""
    for joint, parent in enumerate(parents):
        if 0 <= parent < joint:
            above = joints[:, parent]
            joints[:, joint, :, 3] = (
                above[:, :, :3] @ joints[:, joint, :, 3:]
            )[..., 0] + above[:, :, 3]  # fmt: skip
            joints[:, joint, :, :3] = above[:, :, :3] @ joints[:, joint, :, :3]
    return joints


def stand_ins(
    scene_rows: Indexes, positions: Array, turns: Array, radius: float
) -> SkeletonFigures:
    """Placeholders for bodies without joints: all alike, with their feet on the ground."""
    joints = np.zeros((6, 3, 4))
    joints[..., 3] = _DIAMOND * radius
    shared = np.broadcast_to(joints, (len(scene_rows), 6, 3, 4))
    origins = positions + np.array([0.0, 0.0, radius])
    made = SkeletonFigures(scene_rows, shared, (), "", _UPRIGHT, origins, turns, _DIAMOND_EDGES)
    made.reaches = made.reaches + radius
    return made
