"""The nodes of a plan in the world: numbered markers, which the mouse moves while it is edited."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...scene.scene_model import SceneModel
from ...scene.view_camera import CameraProjection
from ...toolkit import palette
from ...toolkit.qt import QPainter, QPointF, QRectF, Qt
from ...toolkit.theme import color, font, pen
from ..world.world_panel import WorldPanel
from .plan_view_model import PlacedNode, PlanController

_RADIUS = 10.0
"""Pixels of a marker."""
_GRIP = 13.0
"""Pixels from its middle within which the mouse takes hold of it."""
_STEP = 0.05
"""The grid on which a marker is put: finer than a mouse points."""
HUES = {
    "done": palette.OK, "now": palette.RUNNING, "failed": palette.FAILED,
    "waiting": palette.FAINT, "": palette.ACCENT,
}  # fmt: skip

Array = npt.NDArray[np.float64]


class PlanMarkers:
    """Paints the nodes over the world, and lets those that go to a place be dragged on the ground.

    Args:
        panel: The world that they are in.
    """

    def __init__(self, panel: WorldPanel, controller: PlanController) -> None:
        self._panel, self._controller = panel, controller
        self._dragged: PlacedNode | None = None
        self._shown: list[PlacedNode] = []
        """As of the last change: without any, the world need not be painted anew for them."""
        controller.changed.connect(self._changed)

    def _changed(self) -> None:
        before, self._shown = self._shown, self._controller.places()
        if before != self._shown:
            self._panel.update()

    @property
    def holds(self) -> bool:
        """Whether a marker is being dragged."""
        return self._dragged is not None

    def grab(self, at: QPointF) -> bool:
        """Take hold of the marker under a pixel; False if none is there that can be moved."""
        scene = self._panel.scene
        if self._controller.editing.document is None or scene is None:
            return False
        view = self._view()
        for node in reversed(self._controller.places()):
            pixel = self._pixel(node, scene, view)
            if pixel is None or (pixel - at).manhattanLength() > _GRIP:
                continue
            if not node.is_location:
                self._controller.store.message.emit(
                    f"Node {node.index + 1} goes to an actor: give it a location to move it"
                )
                return False
            self._dragged = node
            return True
        return False

    def drag(self, at: QPointF) -> None:
        """The marker that is held is over this pixel."""
        scene, node = self._panel.scene, self._dragged
        if scene is None or node is None:
            return
        place = _on_ground(self._view(), scene, at, node.place)
        if place is not None:
            self._dragged = replace(node, place=place)
        self._panel.update()

    def drop(self) -> None:
        """Let go of it: there it is now."""
        node, self._dragged = self._dragged, None
        if node is not None:
            before = self._controller.places()
            if node not in before:
                self._controller.move_node(node.index, node.place)
        self._panel.update()

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter, view: CameraProjection) -> None:
        """Draw the markers, and the order in which they are gone to."""
        scene = self._panel.scene
        if scene is None:
            return
        dragged = self._dragged
        nodes = [
            dragged if dragged is not None and node.index == dragged.index else node
            for node in self._controller.places()
        ]
        if not nodes:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        points = scene.world([node.place for node in nodes])
        if len(nodes) > 1:
            _, lines = view.segments(np.stack([points[:-1], points[1:]], axis=1))
            painter.setPen(pen(palette.FAINT, 1.0, dashed=True))
            for line in lines.tolist():
                painter.drawLine(QPointF(*line[:2]), QPointF(*line[2:]))
        pixels, front, _ = view.project(points)
        for node, (x, y), seen in zip(nodes, pixels.tolist(), front.tolist(), strict=True):
            if seen and -50 < x < view.width + 50 and -50 < y < view.height + 50:
                _paint_marker(painter, node, QPointF(x, y), is_dragged=node is dragged)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _pixel(self, node: PlacedNode, scene: SceneModel, view: CameraProjection) -> QPointF | None:
        pixels, front, _ = view.project(scene.world([node.place]))
        return QPointF(*pixels[0].tolist()) if front[0] else None

    def _view(self) -> CameraProjection:
        return self._panel.camera.view(self._panel.width(), self._panel.height())


def _paint_marker(painter: QPainter, node: PlacedNode, at: QPointF, *, is_dragged: bool) -> None:
    hue = HUES.get(node.status, palette.ACCENT)
    box = QRectF(at.x() - _RADIUS, at.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS)
    number = str(node.index + 1)
    if len(number) > 2:
        box.adjust(-4, 0, 4, 0)
    painter.setPen(
        pen(palette.SELECTED if is_dragged else hue, 2.0 if node.status == "now" else 1.4)
    )
    painter.setBrush(color(palette.CARD, 225))
    painter.drawRoundedRect(box, _RADIUS, _RADIUS)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setFont(font(11, bold=node.status == "now"))
    painter.setPen(pen(palette.SELECTED if is_dragged else hue))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, number)


def _on_ground(
    view: CameraProjection, scene: SceneModel, at: QPointF, place: tuple[float, float, float]
) -> tuple[float, float, float] | None:
    """The game's point under a pixel, as high as a place; None where only sky is."""
    origin = scene.world([(0.0, 0.0, 0.0)])[0]
    axes = scene.world(np.eye(3)) - origin
    # A plane of the game, in which its third axis has the place's value.
    level = int(np.abs(axes[:, 2]).argmax())
    flat = [axis for axis in range(3) if axis != level]
    base = origin + place[level] * axes[level]
    matrix = np.vstack((axes[flat], base)) @ view.matrix[:3]
    matrix[2] += view.matrix[3]
    across, down = 2 * at.x() / view.width - 1, 1 - 2 * at.y() / view.height
    rows = np.stack((matrix[:, 0] - across * matrix[:, 3], matrix[:, 1] - down * matrix[:, 3]))
    try:
        found = np.linalg.solve(rows[:, :2], -rows[:, 2])
    except np.linalg.LinAlgError:
        return None
    made = list(place)
    for axis, value in zip(flat, found.tolist(), strict=True):
        made[axis] = round(round(value / _STEP) * _STEP, 2)
    _, front, _ = view.project(scene.world([made]))
    return (made[0], made[1], made[2]) if front[0] else None
