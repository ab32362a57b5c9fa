"""The scenery: a scene painted through a camera, far things first, as fine as there is time for."""

import math

import numpy as np
import numpy.typing as npt

from ..bus.bridges.axes import Axes
from .clock import Clock
from .layers import Layers
from .models import palette
from .models.camera import Camera, View
from .models.scene import BOX_FACES, Body, Scene
from .models.times import told_span
from .painting import LineBuffer
from .pills import Pills
from .qt import QPainter, QPen, QPointF, QPolygonF, QRectF, Qt
from .theme import color, font, pen

Array = npt.NDArray[np.float64]

_FADES = (0.0, 0.35, 0.62)
"""How much of the sky shines through what is near, farther, and far."""
_MOST_LABELS = 40
_SMALL, _TINY = 34.0, 9.0
"""Pixels below which a body is drawn simpler, and as a point."""


class Scenery:
    """Paints what the world dock shows, all but the sky and what is written over it."""

    def __init__(self, clock: Clock, layers: Layers, camera: Camera) -> None:
        self._clock = clock
        self._layers = layers
        self._camera = camera
        self._lines = LineBuffer()
        self._pills = Pills()
        self.detail = 1.0
        """How much larger a body must be to be drawn in full; above 1 while painting is slow."""
        self.inside = 0
        """How many objects were in the last picture."""
        self.hover = 0
        """The object under the mouse, whose name is shown."""
        self.ratio = 1.0
        """Device pixels for each pixel."""

    def paint(self, painter: QPainter, view: View, scene: Scene) -> None:
        """Draw all that is switched on."""
        self._paint_grid(painter, view, scene)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drawings = self._layers.is_on("drawings")
        if drawings:
            self._paint_faces(painter, view, scene)
            self._paint_strokes(painter, view, scene)
            self._paint_boxes(painter, view, scene)
        if self._layers.is_on("trails"):
            self._paint_trail(painter, view)
        self._paint_bodies(painter, view, scene)
        taken: list[QRectF] = []
        if self._layers.is_on("labels"):
            self._paint_labels(painter, view, scene, taken)
        if drawings:
            self._paint_ghosts(painter, view, scene, taken)
        if not self._camera.top:
            self._paint_axes(painter, view)

    def _paint_grid(self, painter: QPainter, view: View, scene: Scene) -> None:
        """A fine disc near the centre and a coarse one around it."""
        # Fewer than some twenty lines to the centre's edge, in steps of 1, 2, 5, 10, …
        rough = self._camera.distance / 14
        power = 10 ** math.floor(math.log10(max(rough, 1e-9)))
        step = next(unit * power for unit in (1, 2, 5, 10) if unit * power >= rough)
        rows, groups = [], []
        for size, reach, group in ((step, 14 * step, 0), (5 * step, 60 * step, 1)):
            x, y = (round(float(at) / size) * size for at in self._camera.centre[:2])
            away = np.arange(-math.floor(reach / size), math.floor(reach / size) + 1) * size
            half = np.sqrt(np.maximum(0.0, reach * reach - away * away))
            zero = np.zeros_like(away)
            one = [np.stack([x + away, y + half * side, zero], axis=1) for side in (-1, 1)]
            two = [np.stack([x + half * side, y + away, zero], axis=1) for side in (-1, 1)]
            rows += [np.stack(one, axis=1), np.stack(two, axis=1)]
            groups += [np.full(2 * len(away), group)]
        kept, lines, _ = view.segments(np.concatenate(rows))
        pens = [pen("#1a1f28"), pen("#252c38")]
        self._lines.draw_groups(painter, lines, np.concatenate(groups)[kept], pens)

    def _paint_faces(self, painter: QPainter, view: View, scene: Scene) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for face in scene.faces:
            points, front, _ = view.project(face.points)
            if front.all() and len(points) > 2:
                painter.setBrush(color(face.color, round(face.cover * 255)))
                painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points.tolist()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_strokes(self, painter: QPainter, view: View, scene: Scene) -> None:
        for stroke in scene.strokes:
            _, lines, _ = view.segments(stroke.ends)
            self._lines.draw(painter, lines, pen(palette.mixed(stroke.color, 0.25)))

    def _paint_boxes(self, painter: QPainter, view: View, scene: Scene) -> None:
        """Far ones first; only the sides that face the eye."""
        boxes = sorted(
            scene.boxes,
            key=lambda box: -float(np.linalg.norm(box.corners.mean(axis=0) - view.eye)),
        )
        for box in boxes:
            points, front, _ = view.project(box.corners)
            if not front.all():
                continue
            centre = box.corners.mean(axis=0)
            for face in BOX_FACES:
                outward = box.corners[face].mean(axis=0) - centre
                if outward @ (view.eye - box.corners[face[0]]) <= 0:
                    continue
                shade = 0.88 - 0.1 * float(outward[2] / (np.linalg.norm(outward) or 1.0))
                painter.setBrush(color(palette.mixed(box.color, shade), 150))
                painter.setPen(pen(palette.mixed(box.color, 0.4)))
                corners = points[face].tolist()
                painter.drawConvexPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_trail(self, painter: QPainter, view: View) -> None:
        """Where the selected object was, solid; where it will be, dashed."""
        moment = self._clock.moment
        if moment is None or len(self._clock.around) < 2:
            return
        frames = sorted(self._clock.around)
        places = Axes(moment.conventions).points([self._clock.around[at].position for at in frames])
        ends = np.stack([places[:-1], places[1:]], axis=1)
        older = np.array(frames[1:]) <= moment.frame
        kept, lines, _ = view.segments(ends)
        past = older[kept]
        count = max(1, int(older.sum()))
        groups = np.clip(kept[past] * 4 // count, 0, 3)
        pens = [pen(palette.mixed(palette.ACCENT, share), 2.0) for share in (0.8, 0.6, 0.35, 0.0)]
        self._lines.draw_groups(painter, lines[past], groups, pens)
        future = lines[~past]
        self._lines.draw(painter, future[::2], pen(palette.mixed(palette.ACCENT, 0.45), 1.4))

    def _paint_bodies(self, painter: QPainter, view: View, scene: Scene) -> None:
        bodies = [body for body in scene.bodies if body.visible]
        self.inside = 0
        if not bodies or not self._layers.is_on("bodies"):
            return
        roots = np.array([body.position for body in bodies])
        pixels, front, depth = view.project(roots)
        room = 80.0
        inside = front & (pixels > -room).all(axis=1)
        inside &= (pixels < [view.width + room, view.height + room]).all(axis=1)
        heights = view.pixels_per_length(roots) * scene.radius * 5
        far = np.clip((depth / max(self._camera.distance, 1e-9) - 1) * 1.2, 0, 2.99).astype(int)
        if self._camera.top:
            far[:] = 0
        rows: list[Array] = []
        groups: list[npt.NDArray[np.int64]] = []
        pens: list[QPen] = []
        known: dict[tuple[str, int], int] = {}
        for at in np.flatnonzero(inside).tolist():
            body = bodies[at]
            if body.id == self._clock.selected:
                continue
            lines = self._shape(body, float(heights[at]), scene.radius)
            look = (body.color, int(far[at]))
            if look not in known:
                known[look] = len(pens)
                pens.append(pen(palette.mixed(body.color, _FADES[look[1]])))
            rows.append(lines)
            groups.append(np.full(len(lines), known[look]))
        self.inside = int(inside.sum())
        if rows:
            kept, lines, _ = view.segments(np.concatenate(rows))
            self._lines.draw_groups(painter, lines, np.concatenate(groups)[kept], pens)
        body_seen = scene.body(self._clock.selected)
        if body_seen is not None:
            self._paint_selected(painter, view, body_seen, scene.radius)

    def _shape(self, body: Body, height: float, radius: float) -> Array:
        """As many lines as its size on the screen is worth."""
        if self._camera.top and (body.skeleton or height < _SMALL * self.detail):
            return _arrow(body, max(radius, self._camera.distance * 0.011))
        if height < _TINY * self.detail:
            foot = body.position
            return np.array([[foot, foot + np.array([0.0, 0.0, 2.0 * radius])]])
        if height < _SMALL * self.detail and len(body.bones) > 12:
            return body.bones[:: max(1, len(body.bones) // 12)]
        return body.bones

    def _paint_selected(self, painter: QPainter, view: View, body: Body, radius: float) -> None:
        height = float(view.pixels_per_length(body.position)[0]) * radius * 5
        turn = np.linspace(0, 2 * np.pi, 41)
        ring = np.zeros((41, 3))
        ring[:, 0], ring[:, 1] = np.cos(turn), np.sin(turn)
        ring = ring * radius * 2.2 + body.position
        _, lines, _ = view.segments(np.stack([ring[:-1], ring[1:]], axis=1))
        self._lines.draw(painter, lines, pen(palette.mixed(palette.ACCENT, 0.25), 1.5))
        ahead = np.array([[body.position, body.position + body.ahead * radius * 3.2]])
        _, lines, _ = view.segments(ahead)
        self._lines.draw(painter, lines, pen(palette.ACCENT, 1.5))
        _, lines, _ = view.segments(self._shape(body, max(height, _SMALL * 9), radius))
        self._lines.draw(painter, lines, pen(palette.SELECTED, 2.0))

    def _paint_ghosts(
        self, painter: QPainter, view: View, scene: Scene, taken: list[QRectF]
    ) -> None:
        """What the selected agent believes, beside what is true."""
        body = scene.body(self._clock.selected)
        if body is None:
            return
        for ghost in scene.ghosts:
            rise = np.array([0.0, 0.0, 2.2 * scene.radius])
            ends = [[body.position + rise, ghost.position + rise]]
            if ghost.truth is not None:
                ends.append([ghost.position + rise, ghost.truth + rise])
            kept, lines, _ = view.segments(np.array(ends))
            for which, line in zip(kept.tolist(), lines.tolist(), strict=True):
                name = palette.RUNNING if which == 0 else palette.FAILED
                painter.setPen(pen(name, 1.4, dashed=True))
                painter.drawLine(QPointF(*line[:2]), QPointF(*line[2:]))
            points, front, _ = view.project(ghost.position + rise)
            if not front[0]:
                continue
            x, y = points[0].tolist()
            painter.setPen(pen(palette.RUNNING, 1.5))
            painter.drawEllipse(QPointF(x, y), 6, 6)
            age = "now" if ghost.age < 0.02 else f"{told_span(ghost.age)} ago"
            note = f"believed {ghost.label} · {ghost.note + ', ' if ghost.note else ''}{age}"
            self._pills.draw(
                painter, self.ratio, QPointF(x, y + 24), note, "", palette.RUNNING,
                outlined=False, taken=taken, moves=True,
            )  # fmt: skip

    def _paint_labels(
        self, painter: QPainter, view: View, scene: Scene, taken: list[QRectF]
    ) -> None:
        selected, hover = self._clock.selected, self.hover
        shown = [
            body for body in scene.bodies
            if body.visible and (body.named or body.id in (selected, hover))
        ]  # fmt: skip
        said = {(body.id, body.state) for body in shown}
        if shown:
            points, front, depth = view.project(np.array([body.top for body in shown]))
            order = sorted(
                range(len(shown)),
                key=lambda at: (shown[at].id not in (selected, hover), float(depth[at])),
            )
            for at in order[:_MOST_LABELS]:
                x, y = points[at].tolist()
                if not front[at] or not (0 < x < view.width and 12 < y < view.height):
                    continue
                body = shown[at]
                dot = palette.state_color(body.state) if body.state else body.color
                self._pills.draw(
                    painter, self.ratio, QPointF(x, y - 10), body.label, body.state,
                    dot, outlined=body.id == selected, taken=taken,
                )  # fmt: skip
        if self._layers.is_on("drawings"):
            painter.setFont(font(11))
            for text in scene.texts:
                if (text.object, text.text) in said:
                    continue  # the label says it already
                points, front, _ = view.project(text.position)
                if front[0]:
                    painter.setPen(pen(text.color))
                    painter.drawText(QPointF(*points[0].tolist()), text.text)

    def _paint_axes(self, painter: QPainter, view: View) -> None:
        right, up, _ = self._camera.basis()
        corner = QPointF(36, view.height - 38)
        painter.setFont(font(10, bold=True))
        for axis, (name, letter) in enumerate(
            ((palette.FAILED, "X"), (palette.OK, "Y"), (palette.ACCENT, "Z"))
        ):
            tip = QPointF(corner.x() + right[axis] * 22, corner.y() - up[axis] * 22)
            painter.setPen(pen(name, 2.0))
            painter.drawLine(corner, tip)
            painter.drawText(QPointF(tip.x() + 3, tip.y() + 4), letter)


def _arrow(body: Body, size: float) -> Array:
    """An object from above: which way it faces."""
    ahead = np.array([body.ahead[0], body.ahead[1], 0.0])
    ahead /= np.linalg.norm(ahead) or 1.0
    side = np.array([-ahead[1], ahead[0], 0.0])
    tip = body.position + ahead * size * 1.5
    left = body.position - ahead * size + side * size * 0.9
    right = body.position - ahead * size - side * size * 0.9
    return np.array([[tip, left], [left, right], [right, tip]])
