"""Paints a scene through a camera: ground, drawings, bodies, names on top."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...recorder.text.duration_text import duration_text
from ..reader.history.curve_gaps import joined
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.images.depth_canvas import DepthCanvas, packed
from ..toolkit.images.pixmap_cache import PixmapCache
from ..toolkit.object_name_labels import LabelBadges
from ..toolkit.qt import QPainter, QPointF, QRectF
from ..toolkit.theme import font, pen
from .body_renderer import BodyPainter, VisibleBodies, visible_bodies
from .display_layers import Layers
from .drawing_renderer import DrawingPainter
from .drawing_shapes import Source
from .ground_renderer import GroundRenderer
from .scene_model import SceneModel
from .solid_renderer import SolidPainter
from .view_camera import CameraProjection, ViewCamera

Array = npt.NDArray[np.float64]

_MOST_LABELS = 40
_FADES = (0.8, 0.6, 0.35, 0.0)
"""How much of the sky shines through a trail, from its oldest quarter on."""
_HALF_LABEL = 10.0
_OVER_ARROW = 28
"""Pixels from an arrow's middle to the middle of its name."""

_LARGE = 0.4
"""Share of the image's height above which labels may lie over a body: there is room for both."""
_SLIM = 16.0
"""Pixels that a body has at least for its width."""


class SceneRenderer:
    """Paints what the world panel shows, all but the sky and what is written over it."""

    def __init__(self, store: ViewerStore, layers: Layers, camera: ViewCamera) -> None:
        self._store = store
        self._layers = layers
        self._camera = camera
        self._canvas = DepthCanvas()
        self._ground = GroundRenderer(self._canvas)
        self._badges = LabelBadges()
        self._pixmaps = PixmapCache(capacity=4)
        solids = SolidPainter(self._canvas)
        self._bodies = BodyPainter(self._canvas, solids)
        self.drawings = DrawingPainter(self._canvas, solids)
        self.seen: VisibleBodies | None = None
        """Where the bodies were in the last image."""
        self.hover = 0
        """The object under the mouse, whose name is shown."""
        self.marked: Source | None = None
        """The drawing under the mouse."""
        self.clear: Sequence[QRectF] = ()
        """What is written over the image, from top to bottom: labels keep out of it."""
        self.ratio = 1.0
        """Device pixels for each pixel."""
        self._still: tuple[object, ...] = ()
        """What the ground and the scenery of the last image depend on."""

    @property
    def inside(self) -> int:
        """How many objects were in the last image."""
        return 0 if self.seen is None else int(self.seen.inside.sum())

    @property
    def detail(self) -> float:
        """How much larger a body must be to be drawn in full; above 1 while painting is slow."""
        return self._bodies.detail

    @detail.setter
    def detail(self, detail: float) -> None:
        self._bodies.detail = detail

    def paint(self, painter: QPainter, view: CameraProjection, scene: SceneModel) -> None:
        """Draw all that is switched on."""
        inside = self._canvas.begin(round(view.width), round(view.height), self.ratio)
        try:
            self._paint(inside, view, scene)
        finally:
            inside.end()
        painter.drawImage(QPointF(0, 0), self._canvas.image)

    def _paint(self, painter: QPainter, view: CameraProjection, scene: SceneModel) -> None:
        drawings, solid = self._layers.is_on("drawings"), self._layers.is_on("solid")
        self._paint_still(view, scene, scenery=drawings and solid)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.seen = visible_bodies(view, scene)
        row = scene.row(self._store.selected)
        if drawings and not solid:
            self.drawings.paint(painter, view, scene.shapes)
        if solid and self._layers.is_on("bodies"):
            self._paint_bodies(view, scene, self.seen, row, solid=True)
        if drawings and solid:
            self.drawings.paint_among(painter, view, scene.shapes)
        self._canvas.outlines()
        if drawings and self.marked is not None:
            self.drawings.paint_marked(painter, view, scene.shapes, self.marked)
        if self._layers.is_on("trails"):
            self._paint_trail(view, scene)
        if not solid and self._layers.is_on("bodies"):
            self._paint_bodies(view, scene, self.seen, row, solid=False)
        taken: list[QRectF] = []
        painted_states: set[tuple[int, str]] = set()
        if self._layers.is_on("labels"):
            painted_states = self._paint_labels(painter, view, scene, self.seen, taken)
        if drawings:
            self.drawings.paint_texts(painter, view, scene.shapes, painted_states)
            if row is not None:
                self._paint_ghosts(painter, view, scene, row, taken)
        if not self._from_above:
            self._paint_axes(painter, view)

    def _paint_still(self, view: CameraProjection, scene: SceneModel, *, scenery: bool) -> None:
        """Ground and surfaces; while neither they nor the camera move they are reused."""
        shapes = scene.shapes
        solid = shapes.box_solid
        key = (
            scenery, view.matrix.tobytes(), tuple(self._camera.centre), self._camera.distance,
            *((shapes.boxes[solid].tobytes(), tuple(shapes.box_colors), solid.tobytes())
              if scenery else ()),
        )  # fmt: skip
        if self._canvas.restore(key):
            return
        self._canvas.clear_depth()
        self._ground.paint(view, self._camera)
        if scenery:
            self.drawings.paint_scenery(view, shapes)
        if key == self._still:  # seen twice: the camera rests
            self._canvas.keep(key)
        self._still = key

    @property
    def _from_above(self) -> bool:
        return self._camera.top and self._camera.eye is None

    def _paint_trail(self, view: CameraProjection, scene: SceneModel) -> None:
        """Where the selected object was, solid; where it will be, dotted."""
        around = self._store.surroundings
        if len(around) < 2:
            return
        frames = np.array(sorted(around))
        world_positions = scene.world([around[at].position for at in frames.tolist()])
        # Where frames between are missing, not read, or without it, its path is unknown.
        beside = np.flatnonzero(joined(frames))
        older = frames[beside + 1] <= scene.snapshot.frame
        visible, lines = view.segments(
            np.stack([world_positions[beside], world_positions[beside + 1]], axis=1)
        )
        past = older[visible]
        # Where it came from fades in steps.
        ages = visible[past] * len(_FADES) // max(1, int(older.sum()))
        self._canvas.broad_lines(lines[past], packed((palette.ACCENT,), _FADES)[ages], 2.0)
        future = lines[~past][::2]
        ahead = packed((palette.ACCENT,), (0.45,))
        self._canvas.broad_lines(future, ahead.repeat(len(future)), 1.4)

    # --- bodies ---------------------------------------------------------------------------------

    def _paint_bodies(
        self,
        view: CameraProjection,
        scene: SceneModel,
        seen: VisibleBodies,
        row: int | None,
        *,
        solid: bool,
    ) -> None:
        above = self._from_above
        arrow = max(scene.radius, self._camera.distance * 0.011)
        near = self._camera.distance if self._camera.eye is None else 30 * scene.radius
        self._bodies.paint(
            view, scene, seen, near=near, top=above, arrow=arrow, selected=self._store.selected,
            solid=solid,
            outlined=self._outlined(scene),
        )  # fmt: skip
        if row is not None:
            self._bodies.paint_selected(view, scene, row, seen, arrow=arrow, top=above, solid=solid)

    def _outlined(self, scene: SceneModel) -> frozenset[int]:
        """The objects whose own shapes are drawn."""
        return scene.shapes.outlined if self._layers.is_on("drawings") else frozenset()

    def _paint_labels(
        self,
        painter: QPainter,
        view: CameraProjection,
        scene: SceneModel,
        seen: VisibleBodies,
        taken: list[QRectF],
    ) -> set[tuple[int, str]]:
        """Paint names with states; returns which objects' states were painted."""
        first = (self._store.selected, self.hover)
        rows = [
            row
            for id in {*scene.named, *first}
            if (row := scene.row(id)) is not None and seen.inside[row]
        ]
        ids = scene.ids.tolist()
        rows.sort(key=lambda row: (ids[row] not in first, float(seen.depth[row])))
        rows = rows[:_MOST_LABELS]
        painted_states: set[tuple[int, str]] = set()
        if not rows:
            return painted_states
        # From above a body's top is not over it: there the name keeps clear of its arrow.
        above = self._from_above
        tops = scene.positions[rows] if above else scene.tops(rows)
        outlined = np.isin(scene.ids[rows], list(self._outlined(scene)))
        tops[outlined] = scene.positions[rows][outlined]  # its placeholder is not there
        points, front, _ = view.project(tops)
        lifts = self._lifts(view, scene, rows, seen) if above else np.full(len(rows), 10.0)
        for row, (x, y), lift, is_front in zip(
            rows, points.tolist(), lifts.tolist(), front.tolist(), strict=True
        ):
            if not is_front or not (0 < x < view.width and 0 < y < view.height):
                continue
            state = scene.snapshot.state_of(ids[row])
            painted_states.add((ids[row], state))
            # Under the image's upper edge it would be pushed onto its body.
            beside = y - lift if y - lift > _HALF_LABEL else y + lift
            self._badges.draw(
                painter, self.ratio, QPointF(x, beside), scene.label(ids[row]), state,
                palette.state_color(state) if state else scene.color(row),
                outlined=ids[row] == self._store.selected, taken=taken, image_width=view.width,
                covers=self.clear,
            )  # fmt: skip
        return painted_states

    @staticmethod
    def _lifts(
        view: CameraProjection, scene: SceneModel, rows: Sequence[int], seen: VisibleBodies
    ) -> Array:
        """Pixels from bodies' middles to the middles of their names, seen from above."""
        halves = np.nan_to_num(scene.half_sizes[rows][:, 1])
        reaches = halves * view.pixels_per_length(seen.depth[rows])
        return np.where(halves > 0, reaches + _HALF_LABEL + 4, _OVER_ARROW)

    def _paint_ghosts(
        self,
        painter: QPainter,
        view: CameraProjection,
        scene: SceneModel,
        row: int,
        taken: list[QRectF],
    ) -> None:
        """What the selected agent believes, beside what is true."""
        rise = np.array([0.0, 0.0, 2.2 * scene.radius])
        position = scene.positions[row]
        body = _body_box(view, scene, row)
        if body.height() < view.height * _LARGE:
            taken.append(body)
        for ghost in scene.ghosts(self._store.beliefs() or ()):
            ends = [[position + rise, ghost.position + rise]]
            if ghost.truth is not None:
                ends.append([ghost.position + rise, ghost.truth + rise])
            visible, lines = view.segments(np.array(ends))
            for which, line in zip(visible.tolist(), lines.tolist(), strict=True):
                name = palette.RUNNING if which == 0 else palette.FAILED
                painter.setPen(pen(name, 1.4, dashed=True))
                painter.drawLine(QPointF(*line[:2]), QPointF(*line[2:]))
            points, front, _ = view.project(ghost.position + rise)
            if not front[0]:
                continue
            x, y = points[0].tolist()
            painter.setPen(pen(palette.RUNNING, 1.5))
            painter.drawEllipse(QPointF(x, y), 6, 6)
            age = "now" if ghost.age < 0.02 else f"{duration_text(ghost.age)} ago"
            note = f"believed {ghost.label} · {ghost.note + ', ' if ghost.note else ''}{age}"
            self._badges.draw(
                painter, self.ratio, QPointF(x, y + 24), note, "", palette.RUNNING,
                outlined=False, taken=taken, image_width=view.width, moves_down=True,
                covers=self.clear,
            )  # fmt: skip

    def _paint_axes(self, painter: QPainter, view: CameraProjection) -> None:
        right, up, _ = self._camera.basis()
        box = QRectF(0, view.height - 76, 72, 76)
        if self._camera.eye is not None:  # it turns with each frame
            _paint_axes(painter, right, up, box.topLeft())
            return
        self._pixmaps.draw(
            painter, box, self.ratio, (self._camera.azimuth, self._camera.elevation),
            lambda inside, room: _paint_axes(inside, right, up, room.topLeft()),
        )  # fmt: skip


def _body_box(view: CameraProjection, scene: SceneModel, row: int) -> QRectF:
    """Where a body is in the image, roughly; empty if it is behind the eye."""
    (top, foot), front, _ = view.project([scene.tops([row])[0], scene.positions[row]])
    if not front.all():
        return QRectF()
    height = abs(float(foot[1] - top[1]))
    width = max(_SLIM, height / 2)
    return QRectF(float(foot[0]) - width / 2, min(float(top[1]), float(foot[1])), width, height)


def _paint_axes(painter: QPainter, right: Array, up: Array, at: QPointF) -> None:
    corner = QPointF(at.x() + 36, at.y() + 38)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font(10, bold=True))
    for axis, (name, letter) in enumerate(
        ((palette.FAILED, "X"), (palette.OK, "Y"), (palette.ACCENT, "Z"))
    ):
        tip = QPointF(corner.x() + right[axis] * 22, corner.y() - up[axis] * 22)
        painter.setPen(pen(name, 2.0))
        painter.drawLine(corner, tip)
        painter.drawText(QPointF(tip.x() + 3, tip.y() + 4), letter)
