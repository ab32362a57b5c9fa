"""The bodies of a scene as lines: as fine as their size on the screen is worth."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .canvas import Canvas, packed
from .models import palette
from .models.camera import View
from .models.figures import Figures, Places
from .models.scene import Scene

Array = npt.NDArray[np.float64]

FADES = (0.0, 0.35, 0.62)
"""How much of the sky shines through what is near, farther, and far."""
_FINE, _COARSE = 64.0, 14.0
"""Pixels from which a body is drawn with all its bones, and with the longest; else as a line."""
_ROOM = 24.0
"""Pixels beyond the picture's edges that still count as inside, and a body's own size besides."""
_RING = np.array([
    (math.cos(turn), math.sin(turn), 0.0) for turn in np.linspace(0, 2 * math.pi, 41).tolist()
])  # fmt: skip
_SELECTED = packed((palette.mixed(palette.ACCENT, 0.25), palette.ACCENT, palette.SELECTED))
"""Of the selected body: its ring, where it looks, its bones."""
_ARROW = np.array([(1.5, 0.0), (-1.0, 0.9), (-1.0, -0.9)])
"""From above: ahead and to the left, in arrow sizes."""


class InSight(NamedTuple):
    """Where the bodies are in a picture, (n) rows of the scene."""

    pixels: Array
    depth: Array
    heights: Array
    """Pixels that each reaches."""
    inside: npt.NDArray[np.bool_]
    """Which are visible and within the picture."""


def in_sight(view: View, scene: Scene) -> InSight:
    """Look where the bodies are before anything of them is drawn."""
    pixels, front, depth = view.project(scene.positions)
    reaches = np.zeros(len(depth))
    for figures in scene.figures:
        reaches[figures.places] = figures.reaches
    heights = view.pixels_per_length(depth) * reaches
    room = (heights + _ROOM)[:, None]
    inside = front & scene.visible & (pixels > -room).all(axis=1)
    inside &= (pixels < room + np.array([view.width, view.height])).all(axis=1)
    return InSight(pixels, depth, heights, inside)


class BodyPainter:
    """Paints all bodies at once, and the selected one by itself."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.detail = 1.0
        """How much larger a body must be to be drawn in full; above 1 while painting is slow."""

    def paint(
        self, view: View, scene: Scene, seen: InSight, *, near: float, top: bool, arrow: float,
        selected: int,
    ) -> None:  # fmt: skip
        """All but the selected one.

        Args:
            near: The distance from which on they fade.
            top: From above: skeletons become arrows that say which way they face …
            arrow: … of this size.
        """
        shown = seen.inside.copy()
        row = scene.row(selected)
        if row is not None:
            shown[row] = False
        fades = np.clip((seen.depth / max(near, 1e-9) - 1) * 1.2, 0, 2.99).astype(np.intp)
        if top:
            fades[:] = 0
        colors = packed(tuple(scene.colors), FADES)[scene.looks * len(FADES) + fades]
        for figures in scene.figures:
            rows = np.flatnonzero(shown[figures.places])
            for points, starts, ends, rows_of in self._tiers(
                figures, rows, scene, seen, top, arrow
            ):
                each = np.repeat(colors[figures.places[rows_of]], starts.shape[1])
                self._canvas.edges(view, points.reshape(-1, 3), starts.ravel(), ends.ravel(), each)

    def _tiers(
        self, figures: Figures, rows: Places, scene: Scene, seen: InSight, top: bool, arrow: float
    ) -> list[tuple[Array, Places, Places, Places]]:
        """Points, (k, bones) starts and ends among them, and whose they are (k)."""
        heights = seen.heights[figures.places[rows]]
        told = []
        if top:
            flat = np.ones(len(rows), np.bool_) if figures.is_skeleton else heights < _FINE
            told.append(_arrows(scene, figures.places[rows[flat]], rows[flat], arrow))
            rows, heights = rows[~flat], heights[~flat]
        fine = heights >= _FINE * self.detail
        tiny = heights < _COARSE * self.detail
        for mine, bones in ((fine, figures.bones), (~fine & ~tiny, figures.coarse)):
            if mine.any():
                told.append(_bones(figures, rows[mine], bones))
        if tiny.any():
            told.append(_posts(figures, scene, rows[tiny]))
        return [tier for tier in told if len(tier[3])]

    def paint_selected(
        self, view: View, scene: Scene, row: int, *, arrow: float, top: bool
    ) -> None:
        """In white, in full, with a ring on the ground and a line to where it looks."""
        position, ahead = scene.positions[row], scene.turns[row][:, 0]
        ring = _RING * scene.radius * 2.2 + position
        look = np.array([[position, position + ahead * scene.radius * 3.2]])
        if top and scene.is_skeleton(row):
            points, starts, ends, _ = _arrows(scene, np.array([row]), np.array([0]), arrow)
            flat = points.reshape(-1, 3)
            bones = np.stack([flat[starts.ravel()], flat[ends.ravel()]], axis=1)
        else:
            bones = scene.bones(row)
        rings = len(ring) - 1
        kept, lines = view.segments(
            np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1), look, bones])
        )
        colors = _SELECTED[np.digitize(kept, (rings, rings + 1))]
        ground = int(np.searchsorted(kept, rings, side="right"))
        self._canvas.broad_lines(lines[:ground], colors[:ground], 1.5)
        self._canvas.broad_lines(lines[ground:], colors[ground:], 2.0)


def _bones(figures: Figures, rows: Places, bones: Places) -> tuple[Array, Places, Places, Places]:
    points = figures.points(rows)
    first = np.arange(len(rows))[:, None] * points.shape[1]
    return points, first + bones[:, 0], first + bones[:, 1], rows


def _posts(figures: Figures, scene: Scene, rows: Places) -> tuple[Array, Places, Places, Places]:
    """One upright line each."""
    points = np.repeat(scene.positions[figures.places[rows]][:, None], 2, axis=1)
    points[:, 1, 2] += figures.reaches[rows]
    first = np.arange(len(rows))[:, None] * 2
    return points, first, first + 1, rows


def _arrows(
    scene: Scene, places: Places, rows: Places, size: float
) -> tuple[Array, Places, Places, Places]:
    """From above: which way each faces."""
    ahead = scene.turns[places][:, :2, 0]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1), 1e-9)[:, None]
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    points = np.repeat(scene.positions[places][:, None], 3, axis=1)
    moved = _ARROW[:, :1] * ahead[:, None] + _ARROW[:, 1:] * aside[:, None]
    points[..., :2] += moved * size
    first = np.arange(len(rows))[:, None] * 3
    return points, first + np.array([0, 1, 2]), first + np.array([1, 2, 0]), rows
