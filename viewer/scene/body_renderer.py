"""The bodies of a scene, solid or as lines: as fine as their size on the screen is worth."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..toolkit import palette
from ..toolkit.images.depth_canvas import Colors, DepthCanvas, packed
from .scene_model import SceneModel
from .skeleton_figures import STAND_IN_SIDES, Indexes, SkeletonFigures
from .solid_renderer import FAINT, SolidPainter
from .view_camera import CameraProjection

Array = npt.NDArray[np.float64]

FADES = (0.0, 0.35, 0.62)
"""How much of the sky shines through what is near, farther, and far."""
_FINE, _ROUND, _COARSE = 64.0, 30.0, 14.0
"""Pixels from which a body is drawn with all its bones; with the longest, as round limbs; as lines;
else it is one line."""
_ROOM = 24.0
"""Pixels beyond the image's edges that still count as inside, and a body's own size besides."""
_PLUMP, _THIN, _THICK = 0.2, 0.022, 0.05
"""A limb's radius: a share of its length, at least and at most so much of its body's reach."""
_SHADOW = 0.22
"""The radius of the shadow at a body's feet, as a share of its reach."""
_RING = np.array([
    (math.cos(turn), math.sin(turn), 0.0) for turn in np.linspace(0, 2 * math.pi, 41).tolist()
])  # fmt: skip
_ARROW = np.array([(1.5, 0.0), (-1.0, 0.9), (-1.0, -0.9)])
"""The arrow's corners seen from above: ahead and to the left, in arrow sizes."""
_DIAMOND = np.array([
    [(1.0, 0.0), (0.0, 1.0), (0.0, -1.0)], [(-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)],
])  # fmt: skip
"""The two halves of what faces nowhere, in the same way."""
_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""A rectangle's corners, in half its size."""


def _selected() -> Colors:
    """The colours of the selected body: of its ring, of where it looks, of its bones."""
    return packed((palette.mixed(palette.ACCENT, 0.25), palette.ACCENT, palette.SELECTED_BODY))


class VisibleBodies(NamedTuple):
    """Where the bodies are in an image, (n) rows of the scene."""

    pixels: Array
    depth: Array
    heights: Array
    """Pixels that each reaches."""
    inside: npt.NDArray[np.bool_]
    """Which are visible and within the image."""


def visible_bodies(view: CameraProjection, scene: SceneModel) -> VisibleBodies:
    """Look where the bodies are before anything of them is drawn."""
    pixels, front, depth = view.project(scene.positions)
    reaches = np.zeros(len(depth))
    for figures in scene.figures:
        reaches[figures.scene_rows] = figures.reaches
    heights = view.pixels_per_length(depth) * reaches
    room = (heights + _ROOM)[:, None]
    inside = front & scene.visible & (pixels > -room).all(axis=1)
    inside &= (pixels < room + np.array([view.width, view.height])).all(axis=1)
    return VisibleBodies(pixels, depth, heights, inside)


class _Tier(NamedTuple):
    """Bodies that are drawn with the same number of lines."""

    points: Array
    """(k, points, 3)"""
    starts: Indexes
    """(k, lines) indexes into all points …"""
    ends: Indexes
    rows: Indexes
    """(k) rows of their figures."""
    has_limbs: bool = False
    """Whether they are large enough to be seen as round."""
    is_face: bool = False
    """Whether their three points are the corners of a surface."""


class BodyPainter:
    """Paints all bodies at once, and the selected one by itself."""

    def __init__(self, canvas: DepthCanvas, solids: SolidPainter) -> None:
        self._canvas = canvas
        self._solids = solids
        self.detail = 1.0
        """How much larger a body must be to be drawn in full; above 1 while painting is slow."""

    def paint(
        self,
        view: CameraProjection,
        scene: SceneModel,
        seen: VisibleBodies,
        *,
        near: float,
        top: bool,
        arrow: float,
        selected: int,
        solid: bool,
        outlined: frozenset[int] = frozenset(),
    ) -> None:
        """All of them; the selected one only if it is no skeleton: that is painted by itself.

        Args:
            near: The distance from which on they fade.
            top: From above: what has a recorded rectangle is drawn as that, and skeletons become
                arrows that say which way they face …
            arrow: … of this size.
            outlined: Objects whose own shapes are drawn anyway: they need no signs or placeholders.
            solid: Round limbs in their state's colour, which cover what is behind; else lines.
        """
        visible = seen.inside.copy()
        row = scene.row(selected)
        if row is not None and scene.is_skeleton(row):
            visible[row] = False
        if outlined:
            visible &= ~np.isin(scene.ids, list(outlined)) | (scene.ids == selected)
        fades = np.clip((seen.depth / max(near, 1e-9) - 1) * 1.2, 0, 2.99).astype(np.intp)
        if top:
            fades[:] = 0
        looks = scene.state_looks if solid else (scene.looks, tuple(scene.colors))
        colors = packed(looks[1], FADES)[looks[0] * len(FADES) + fades]
        stand: list[tuple[Array, Array]] = []
        for figures in scene.figures:
            rows = np.flatnonzero(visible[figures.scene_rows])
            # A placeholder has few sides: it is filled wherever it is more than a line.
            filled = solid and not figures.is_skeleton
            for tier in self._tiers(figures, rows, scene, seen, top, arrow, filled):
                mine = colors[figures.scene_rows[tier.rows]]
                if solid and tier.has_limbs:
                    self._paint_limbs(view, figures, tier, mine)
                    stand.append(_footing(scene, figures, tier))
                else:
                    if solid and tier.is_face:
                        triangles = _triangles_of(tier.points)
                        per_face = tier.points.shape[1] - 2
                        self._solids.paint_triangles(view, triangles, np.repeat(mine, per_face))
                    self._canvas.edges(
                        view, tier.points.reshape(-1, 3), tier.starts.ravel(), tier.ends.ravel(),
                        np.repeat(mine, tier.starts.shape[1]), faintness=FAINT if solid else None,
                    )  # fmt: skip

        if stand:
            positions, radii = (np.concatenate(parts) for parts in zip(*stand, strict=True))
            self._solids.paint_shadows(view, positions, radii)

    def _paint_limbs(
        self, view: CameraProjection, figures: SkeletonFigures, tier: "_Tier", colors: Colors
    ) -> None:
        points = tier.points.reshape(-1, 3)
        starts, ends = tier.starts.ravel(), tier.ends.ravel()
        bones = tier.starts.shape[1]
        reaches = np.repeat(figures.reaches[tier.rows], bones)
        lengths = np.sqrt(((points[ends] - points[starts]) ** 2).sum(axis=1))
        if figures.is_skeleton:
            radii = np.clip(_PLUMP * lengths, _THIN * reaches, _THICK * reaches)
        else:
            radii = 0.3 * _THIN * reaches
            sides = tier.points[:, STAND_IN_SIDES]
            self._solids.paint_triangles(
                view, sides.reshape(-1, 3, 3), np.repeat(colors, sides.shape[1])
            )
        self._canvas.capsules(view, points, starts, ends, radii, np.repeat(colors, bones))

    def _tiers(
        self,
        figures: SkeletonFigures,
        rows: Indexes,
        scene: SceneModel,
        seen: VisibleBodies,
        top: bool,
        arrow: float,
        filled: bool,
    ) -> "list[_Tier]":
        heights = seen.heights[figures.scene_rows[rows]]
        tiers = []
        if top:
            boxed = np.isfinite(scene.half_sizes[figures.scene_rows[rows]]).all(axis=1)
            tiers.append(_rectangles(scene, figures.scene_rows[rows[boxed]], rows[boxed]))
            rows, heights = rows[~boxed], heights[~boxed]
            flat = np.ones(len(rows), np.bool_) if figures.is_skeleton else heights < _FINE
            tiers += _signs(scene, figures.scene_rows[rows[flat]], rows[flat], arrow)
            rows, heights = rows[~flat], heights[~flat]
        fine = heights >= (_COARSE if filled else _FINE) * self.detail
        tiny = heights < _COARSE * self.detail
        round_ = heights >= _ROUND * self.detail
        for mine, coarse, limbs in (
            (fine, False, True), (~fine & round_, True, True), (~round_ & ~tiny, True, False),
        ):  # fmt: skip
            if mine.any():
                tiers.append(_bones(figures, rows[mine], coarse=coarse, has_limbs=limbs))
        if tiny.any():
            tiers.append(_posts(figures, scene, rows[tiny]))
        return [tier for tier in tiers if len(tier.rows)]

    def paint_selected(
        self,
        view: CameraProjection,
        scene: SceneModel,
        row: int,
        seen: VisibleBodies,
        *,
        arrow: float,
        top: bool,
        solid: bool,
    ) -> None:
        """Highlight a body, with a ring on the ground and a line to where it looks.

        A skeleton is painted in white; what has another shape keeps it, and gets a white outline.
        """
        position, ahead = scene.positions[row], scene.turns[row][:, 0]
        ring = _RING * scene.radius * 2.2 + position
        look = np.array([[position, position + ahead * scene.radius * 3.2]])[
            : int(scene.faces[row])
        ]
        figures, at = scene.figure_of(row)
        bones = scene.bones(row)
        if top and figures.is_skeleton:
            bones = _edges_of(_signs(scene, np.array([row]), np.array([0]), arrow))
        elif not figures.is_skeleton:
            bones = _edges_of(
                self._tiers(figures, np.array([at]), scene, seen, top, arrow, filled=solid)
            )
            if top and np.isfinite(scene.half_sizes[row]).all():
                ring = ring[:0]  # the outline shows how large it is
        elif solid:
            tier = _bones(figures, np.array([at]))
            self._solids.paint_shadows(view, *_footing(scene, figures, tier))
            self._paint_limbs(view, figures, tier, _selected()[2:])
            bones = np.empty((0, 2, 3))
        rings = max(0, len(ring) - 1)
        visible_lines, lines = view.segments(
            np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1), look, bones])
        )
        colors = _selected()[np.digitize(visible_lines, (rings, rings + len(look)))]
        ground = int(np.searchsorted(visible_lines, rings, side="right"))
        self._canvas.broad_lines(lines[:ground], colors[:ground], 1.5)
        self._canvas.broad_lines(lines[ground:], colors[ground:], 2.0)


def _edges_of(tiers: list[_Tier]) -> Array:
    """The lines of tiers as pairs of points, (n, 2, 3)."""
    return np.concatenate([
        tier.points.reshape(-1, 3)[np.stack([tier.starts.ravel(), tier.ends.ravel()], 1)]
        for tier in tiers
    ])  # fmt: skip


def _bones(
    figures: SkeletonFigures, rows: Indexes, *, coarse: bool = False, has_limbs: bool = True
) -> _Tier:
    bones = figures.coarse_bone_ends if coarse else figures.bones
    points = figures.points(rows, figures.coarse_joints if coarse else None)
    first = np.arange(len(rows))[:, None] * points.shape[1]
    return _Tier(points, first + bones[:, 0], first + bones[:, 1], rows, has_limbs)


def _footing(scene: SceneModel, figures: SkeletonFigures, tier: _Tier) -> tuple[Array, Array]:
    """The feet of bodies, and how large their shadows are."""
    return scene.positions[figures.scene_rows[tier.rows]], _SHADOW * figures.reaches[tier.rows]


def _posts(figures: SkeletonFigures, scene: SceneModel, rows: Indexes) -> _Tier:
    """One upright line each."""
    points = np.repeat(scene.positions[figures.scene_rows[rows]][:, None], 2, axis=1)
    points[:, 1, 2] += figures.reaches[rows]
    first = np.arange(len(rows))[:, None] * 2
    return _Tier(points, first, first + 1, rows)


def _triangles_of(faces: Array) -> Array:
    """Faces with the same number of corners, (n, corners, 3), as triangles (m, 3, 3)."""
    fan = np.array([(0, at, at + 1) for at in range(1, faces.shape[1] - 1)])
    return faces[:, fan].reshape(-1, 3, 3)


def _rectangles(scene: SceneModel, rows_in_scene: Indexes, rows: Indexes) -> _Tier:
    """Paint, for the view from above, how large each is."""
    points = np.repeat(scene.positions[rows_in_scene][:, None], 4, axis=1)
    points[..., :2] += _CORNERS * scene.half_sizes[rows_in_scene][:, None]
    first = np.arange(len(rows))[:, None] * 4
    corners = np.arange(4)
    return _Tier(points, first + corners, first + np.roll(corners, -1), rows, is_face=True)


def _signs(scene: SceneModel, rows_in_scene: Indexes, rows: Indexes, size: float) -> list[_Tier]:
    """From above: arrows for those that face somewhere, diamonds for the others."""
    faces = scene.faces[rows_in_scene]
    tiers = [
        _triangles(scene, rows_in_scene[which], rows[which], size, corners)
        for which, corners in ((faces, _ARROW), (~faces, _DIAMOND[0]), (~faces, _DIAMOND[1]))
    ]
    return [tier for tier in tiers if len(tier.rows)]


def _triangles(
    scene: SceneModel, rows_in_scene: Indexes, rows: Indexes, size: float, corners: Array
) -> _Tier:
    """A triangle for each: corners ahead and to the left of it, in sizes."""
    ahead = scene.turns[rows_in_scene][:, :2, 0]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1), 1e-9)[:, None]
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    points = np.repeat(scene.positions[rows_in_scene][:, None], 3, axis=1)
    moved = corners[:, :1] * ahead[:, None] + corners[:, 1:] * aside[:, None]
    points[..., :2] += moved * size
    first = np.arange(len(rows))[:, None] * 3
    edges = np.array([0, 1, 2])
    return _Tier(points, first + edges, first + np.roll(edges, -1), rows, is_face=True)
