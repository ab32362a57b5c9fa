"""Debug drawings painted: surfaces, lines, boxes and texts of a scene."""

import numpy as np
import numpy.typing as npt

from ..toolkit import palette
from ..toolkit.batched_painting import LineBuffer
from ..toolkit.images.depth_canvas import DepthCanvas, packed
from ..toolkit.qt import QPainter, QPointF, QPolygonF, Qt
from ..toolkit.theme import color, font, pen
from .drawing_shapes import BOX_FACES, Indexes, Shapes, Source
from .solid_renderer import FAINT, SolidPainter
from .view_camera import CameraProjection

Array = npt.NDArray[np.float64]

_NEXT = [1, 2, 3, 0]
_MOST_TEXTS = 200
"""The most texts that are painted, the near ones; more could not be read."""
_GRAB = 5.0
"""Pixels from a line within which the mouse means it."""


class DrawingPainter:
    """Paints what the game and its agents drew, and finds it again under the mouse."""

    def __init__(self, canvas: DepthCanvas, solids: SolidPainter) -> None:
        self._canvas = canvas
        self._solids = solids
        self._lines = LineBuffer()
        self._texts: list[tuple[float, float, float, Source]] = []
        """x, y, width and source of those that were painted."""

    def paint(self, painter: QPainter, view: CameraProjection, shapes: Shapes) -> None:
        """As wires: all but the texts, which come later, over the bodies."""
        self._paint_faces(painter, view, shapes, np.arange(len(shapes.faces)))
        self._paint_lines(view, shapes, None)
        self._paint_boxes(painter, view, shapes)

    def paint_scenery(self, view: CameraProjection, shapes: Shapes) -> None:
        """Walls and crates, with light on them: they cover what is behind."""
        self._solids.paint_boxes(view, shapes, shapes.box_solid, glass=False)

    def paint_among(self, painter: QPainter, view: CameraProjection, shapes: Shapes) -> None:
        """All but scenery and texts, where solid things cover it: lines stay faint there."""
        left = self._solids.paint_faces(view, shapes)
        self._paint_faces(painter, view, shapes, left)
        self._solids.paint_boxes(view, shapes, ~shapes.box_solid, glass=True)
        self._paint_lines(view, shapes, FAINT)

    def _paint_lines(self, view: CameraProjection, shapes: Shapes, faintness: int | None) -> None:
        colors, starts = packed(tuple(shapes.colors), (0.25,)), np.arange(len(shapes.ends)) * 2
        points = shapes.ends.reshape(-1, 3)
        self._canvas.edges(
            view, points, starts, starts + 1, colors[shapes.looks], faintness=faintness
        )

    def paint_marked(
        self, painter: QPainter, view: CameraProjection, shapes: Shapes, source: Source
    ) -> None:
        """One drawing's lines in white: the one under the mouse."""
        mine = (shapes.sources == source).all(axis=1)
        _, lines = view.segments(shapes.ends[mine])
        self._lines.draw(painter, lines, pen(palette.SELECTED, 2.0))
        for corners, whose in zip(shapes.boxes, shapes.box_sources, strict=True):
            if whose == source:
                edges = np.stack([corners[BOX_FACES], corners[np.roll(BOX_FACES, -1, 1)]], axis=2)
                _, lines = view.segments(edges.reshape(-1, 2, 3))
                self._lines.draw(painter, lines, pen(palette.SELECTED, 2.0))

    def paint_texts(
        self,
        painter: QPainter,
        view: CameraProjection,
        shapes: Shapes,
        drawn_texts: set[tuple[int, str]],
    ) -> None:
        """The texts, but for those that a label says already: `drawn_texts` has whose, and what."""
        self._texts = []
        texts = [text for text in shapes.texts if (text.object, text.text) not in drawn_texts]
        if not texts:
            return
        pixels, front, depth = view.project(np.array([text.position for text in texts]))
        front &= (pixels > (-200, 0)).all(axis=1) & (pixels < (view.width, view.height)).all(axis=1)
        depth[~front] = np.inf
        painter.setFont(font(11))
        metrics = painter.fontMetrics()
        for at in np.argsort(depth)[: min(_MOST_TEXTS, int(front.sum()))].tolist():
            x, y = pixels[at].tolist()
            painter.setPen(pen(palette.readable(texts[at].color)))
            painter.drawText(QPointF(x, y), texts[at].text)
            wide = float(metrics.horizontalAdvance(texts[at].text))
            self._texts.append((x, y, wide, texts[at].source))

    def at(self, x: float, y: float, shapes: Shapes, view: CameraProjection) -> Source | None:
        """The drawing under a pixel of the last image."""
        for left, foot, wide, source in self._texts:
            if left <= x <= left + wide and foot - 11 <= y <= foot + 3:
                return source
        visible, pixels = view.segments(shapes.ends)
        if len(pixels):
            away = _distances(pixels, x, y)
            near = int(away.argmin())
            if away[near] <= _GRAB:
                block, index = shapes.sources[visible[near]].tolist()
                return block, index
        return self._box_at(x, y, shapes, view)

    @staticmethod
    def _box_at(x: float, y: float, shapes: Shapes, view: CameraProjection) -> Source | None:
        """The nearest box whose outline on the screen holds a pixel."""
        if not len(shapes.boxes):
            return None
        flat, fronts, depth = view.project(shapes.boxes)
        pixels = flat.reshape(-1, 8, 2)
        low, high = pixels.min(axis=1), pixels.max(axis=1)
        hit = (low[:, 0] <= x) & (low[:, 1] <= y) & (high[:, 0] >= x) & (high[:, 1] >= y)
        hit &= np.logical_and.reduce(fronts.reshape(-1, 8), axis=1)
        order = np.argsort(depth.reshape(-1, 8).mean(axis=1))
        for at in order[hit[order]].tolist():
            for face in BOX_FACES:
                corners = QPolygonF([QPointF(*corner) for corner in pixels[at][face].tolist()])
                if corners.containsPoint(QPointF(x, y), Qt.FillRule.OddEvenFill):
                    found: Source = shapes.box_sources[at]
                    return found
        return None

    @staticmethod
    def _paint_faces(
        painter: QPainter, view: CameraProjection, shapes: Shapes, indexes: Indexes
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for face in (shapes.faces[at] for at in indexes.tolist()):
            points = view.surface(face.points)
            if len(points):
                painter.setBrush(color(face.color, round(face.cover * 255)))
                painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points.tolist()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_boxes(self, painter: QPainter, view: CameraProjection, shapes: Shapes) -> None:
        """Far ones first; only the sides that face the eye."""
        boxes = shapes.boxes
        if not len(boxes):
            return
        flat, fronts, _ = view.project(boxes)
        pixels, front = flat.reshape(-1, 8, 2), fronts.reshape(-1, 8)
        is_in_front = np.logical_and.reduce(front, axis=1)
        inside = (pixels.max(axis=1) > 0).all(axis=1)
        inside &= (pixels.min(axis=1) < (view.width, view.height)).all(axis=1)
        centres = boxes.mean(axis=1)
        sides = boxes[:, BOX_FACES]
        outward = sides.mean(axis=2) - centres[:, None]
        faces_eye = (outward * (view.eye - sides[:, :, 0])).sum(axis=2) > 0
        lengths = np.maximum(np.linalg.norm(outward, axis=2), 1e-12)
        shades = np.round(0.88 - 0.1 * outward[..., 2] / lengths, 2)
        away = np.linalg.norm(centres - view.eye, axis=1)
        order = np.flatnonzero(np.where(is_in_front, inside, front.any(axis=1)))
        # Each side's corners, and its edges: from each corner to the next one.
        corners = pixels[:, BOX_FACES]
        around = np.concatenate([corners, corners[:, :, _NEXT]], axis=3)
        edges, looks = [np.empty((0, 4))], [np.empty(0, np.intp)]
        known = {name: at for at, name in enumerate(dict.fromkeys(shapes.box_colors))}
        # Smooth edges of surfaces cost much; the lines along them are smooth anyway.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        for at in order[np.argsort(-away[order])].tolist():
            name, mine = shapes.box_colors[at], faces_eye[at]
            outlines = corners[at, mine]
            if is_in_front[at]:
                edges.append(around[at, mine].reshape(-1, 4))
            else:
                outlines = [view.surface(side) for side in sides[at][mine]]
                edges += [np.concatenate([one, np.roll(one, -1, axis=0)], 1) for one in outlines]
            looks.append(np.full(sum(len(outline) for outline in outlines), known[name]))
            for outline, shade in zip(outlines, shades[at][mine].tolist(), strict=True):
                painter.setBrush(color(palette.mixed(name, shade), 150))
                painter.drawConvexPolygon(QPolygonF([QPointF(x, y) for x, y in outline.tolist()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = packed(tuple(known), (0.4,))
        self._canvas.lines(np.concatenate(edges), colors[np.concatenate(looks)])


def _distances(lines: Array, x: float, y: float) -> Array:
    """How far a point is from each of (n, 4) lines, in pixels."""
    start, along = lines[:, :2], lines[:, 2:] - lines[:, :2]
    to = np.array([x, y]) - start
    lengths = np.maximum((along * along).sum(axis=1), 1e-9)
    share = np.clip((to * along).sum(axis=1) / lengths, 0.0, 1.0)
    result: Array = np.hypot(*(to - along * share[:, None]).T)
    return result
