"""Solid surfaces of a scene: walls and crates with light on them, glass, shadows on the ground."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..toolkit import palette
from ..toolkit.images.depth_canvas import Colors, DepthCanvas
from .drawing_shapes import BOX_FACES, Flags, Indexes, Shapes
from .view_camera import CameraProjection

Array = npt.NDArray[np.float64]

_LIGHT = np.array([0.36, -0.56, 0.75])
"""Where light comes from, of length 1, in the z-up world."""
_DARKEST, _BRIGHTEST = 0.10, 0.56
"""How much of its own colour a side has that light does not reach, and one that faces it."""
_EDGE = 0.68
"""The same for the lines along its edges."""
_GLASS = 34
"""How much of what is behind a glass box its sides hide, out of 255."""
HIDDEN, FAINT = 9, 2
"""How faint lines are behind something: see `DepthCanvas.edges`."""
_SHADOW = 0x5C000000


def _disc(sides: int) -> tuple[Array, Indexes]:
    """Corners of a disc, and its triangles as indexes into them."""
    turns = [2 * math.pi * at / sides for at in range(sides)]
    corners = np.array([(math.cos(turn), math.sin(turn), 0.0) for turn in turns])
    return corners, np.array([(0, at, at + 1) for at in range(1, sides - 1)])


_DISC, _SMALL_DISC = _disc(12), _disc(8)
_ROUND_FROM = 14.0
"""Pixels of radius from which on a disc has more corners."""
_EDGES_OF_SIDE = np.stack([BOX_FACES, np.roll(BOX_FACES, -1, axis=1)], axis=2)
"""(6, 4, 2) corners of a box: its sides' edges."""
_TRIANGLES_OF_SIDE = BOX_FACES[:, [(0, 1, 2), (0, 2, 3)]]
"""(6, 2, 3)"""


class _Lit(NamedTuple):
    """Boxes with light on them."""

    key: tuple[bytes, tuple[str, ...]]
    outward: Array
    """(b, 6, 3) from the middle of each box to those of its sides."""
    points: Array
    """(b, 6, 3) a point in each side."""
    tints: Colors
    """(b, 6) of the sides …"""
    edges: Colors
    """… and (b) of the lines along their edges."""


class SolidPainter:
    """Paints surfaces into a canvas with depth."""

    def __init__(self, canvas: DepthCanvas) -> None:
        self._canvas = canvas
        self._known: dict[bool, _Lit] = {}
        """The boxes that were painted last, keyed by whether they are glass."""

    def paint_boxes(
        self, view: CameraProjection, shapes: Shapes, which: Flags, *, glass: bool
    ) -> None:
        """Some of the boxes, with the edges of the sides that face the eye.

        Args:
            which: (b,)
            glass: What is behind them shines through, and they cover nothing.
        """
        boxes = shapes.boxes[which]
        if not len(boxes):
            return
        names = [name for name, mine in zip(shapes.box_colors, which.tolist(), strict=True) if mine]
        lit = self._made_lit(boxes, tuple(names), glass=glass)
        facing = (lit.outward * (view.eye - lit.points)).sum(axis=2) > 0
        box, side = np.nonzero(facing)
        points, first = boxes.reshape(-1, 3), box * 8
        corners = _TRIANGLES_OF_SIDE[side] + first[:, None, None]
        tints = np.repeat(lit.tints[facing], 2)
        self._canvas.triangles(view, points, corners.reshape(-1, 3), tints)
        edges = (_EDGES_OF_SIDE[side] + first[:, None, None]).reshape(-1, 2)
        lines = np.repeat(lit.edges[box], 4)
        self._canvas.edges(
            view, points, edges[:, 0], edges[:, 1], lines, faintness=FAINT if glass else HIDDEN
        )

    def _made_lit(self, boxes: Array, names: tuple[str, ...], *, glass: bool) -> "_Lit":
        """How boxes look from anywhere: it lasts while they stand."""
        key, known = (boxes.tobytes(), names), self._known.get(glass)
        if known is None or known.key != key:
            sides = boxes[:, BOX_FACES]
            outward = sides.mean(axis=2) - boxes.mean(axis=1)[:, None]
            colors = _rgb(names)
            shares = np.ones(outward.shape[:2]) if glass else _lit(outward)
            tints = _tinted(np.repeat(colors, 6, axis=0), shares.ravel()).reshape(-1, 6)
            if glass:
                tints = (tints & np.uint32(0xFFFFFF)) | np.uint32(_GLASS << 24)
            edges = _tinted(colors, np.full(len(colors), _EDGE))
            self._known[glass] = known = _Lit(key, outward, sides[:, :, 0], tints, edges)
        return known

    def paint_faces(self, view: CameraProjection, shapes: Shapes) -> Indexes:
        """The flat drawings, which are seen through; returns the indexes of those that are not
        simple enough to be cut into a fan, for another painter."""
        others: list[int] = []
        sizes: dict[int, list[int]] = {}
        for at, face in enumerate(shapes.faces):
            sizes.setdefault(len(face.points), []).append(at)
        for size, indexes in sizes.items():
            outlines = np.stack([shapes.faces[at].points for at in indexes])
            simple = _is_fan(outlines) if size > 2 else np.zeros(len(indexes), np.bool_)
            others += [at for at, is_simple in zip(indexes, simple.tolist(), strict=True)
                       if not is_simple]  # fmt: skip
            convex_faces = [
                shapes.faces[at]
                for at, is_simple in zip(indexes, simple.tolist(), strict=True) if is_simple
            ]  # fmt: skip
            if not convex_faces:
                continue
            fan = np.array([(0, at, at + 1) for at in range(1, size - 1)])
            corners = fan + (np.arange(len(convex_faces)) * size)[:, None, None]
            tints = np.array(
                [round(face.cover * 255) << 24 | int(face.color[1:], 16) for face in convex_faces],
                np.uint32,
            )
            points = outlines[simple].reshape(-1, 3)
            self._canvas.triangles(view, points, corners.reshape(-1, 3), np.repeat(tints, size - 2))
        return np.array(sorted(others), np.intp)

    def paint_shadows(self, view: CameraProjection, positions: Array, radii: Array) -> None:
        """A dark disc under each of some bodies, which says where they touch the ground."""
        # Nobody sees the corners of one that is this small.
        depth = view.clip(positions)[:, 3]
        small = view.pixels_per_length(depth) * radii < _ROUND_FROM
        for which, disc in ((small, _SMALL_DISC), (~small, _DISC)):
            if which.any():
                self._paint_discs(view, positions[which], radii[which], *disc)

    def _paint_discs(
        self, view: CameraProjection, positions: Array, radii: Array, disc: Array, fan: Indexes
    ) -> None:
        points = positions[:, None] + disc * radii[:, None, None]
        corners = fan + (np.arange(len(points)) * len(disc))[:, None, None]
        self._canvas.triangles(
            view, points.reshape(-1, 3), corners.reshape(-1, 3),
            np.full(len(points) * len(fan), _SHADOW, np.uint32),
        )  # fmt: skip

    def paint_triangles(self, view: CameraProjection, triangles: Array, colors: Colors) -> None:
        """Small bodies' sides, (n, 3, 3), each in its own colour with light on it."""
        if not len(triangles):
            return
        normals = _cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        channels = np.stack([colors >> 16 & 255, colors >> 8 & 255, colors & 255], axis=1)
        tints = _tinted(channels.astype(np.float64), 0.25 + _lit(normals[:, None])[:, 0])
        corners = np.arange(len(triangles) * 3).reshape(-1, 3)
        self._canvas.triangles(view, triangles.reshape(-1, 3), corners, tints, is_body=True)


def _cross(one: Array, other: Array) -> Array:
    """The cross product of (…, 3) rows; numpy's takes four times as long for a few rows."""
    (x, y, z), (u, v, w) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    result = np.empty(one.shape)
    result[..., 0], result[..., 1], result[..., 2] = y * w - z * v, z * u - x * w, x * v - y * u
    return result


def _lit(outward: Array) -> Array:
    """How much of their own colour sides have that look this way, (…, sides, 3)."""
    lengths = np.maximum(np.linalg.norm(outward, axis=-1), 1e-12)
    share = (outward @ _LIGHT / lengths + 1) / 2
    result: Array = _DARKEST + (_BRIGHTEST - _DARKEST) * share
    return result


def _rgb(names: Sequence[str]) -> Array:
    """(n, 3)"""
    packed = np.array([int(palette.shown(name)[1:], 16) for name in names], np.uint32)
    return np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.float64)


def _tinted(colors: Array, shares: Array) -> Colors:
    """Opaque colours as a canvas wants them, each with so much of the sky instead."""
    sky = np.array(palette.rgb(palette.SKY), np.float64)
    shares = np.minimum(shares, 1.0)[:, None]
    levels = np.rint(colors * shares + sky * (1 - shares)).astype(np.uint32)
    packed: Colors = levels @ np.array([1 << 16, 1 << 8, 1], np.uint32) + np.uint32(0xFF000000)
    return packed


def _is_fan(outlines: Array) -> Flags:
    """Which of (k, n, 3) outlines are seen whole from their first corner: convex ones are, and
    a field of view that begins at its eye."""
    from_first = outlines[:, 1:] - outlines[:, :1]
    across = _cross(from_first[:, :-1], from_first[:, 1:])
    signed_area = across.sum(axis=1, keepdims=True)
    result: Flags = ((across * signed_area).sum(axis=2) >= 0).all(axis=1)
    return result
