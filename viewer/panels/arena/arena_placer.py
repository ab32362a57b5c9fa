"""Places things in an arena with the mouse: a preview on the ground that a click makes real."""

import numpy as np

from ...scene.view_camera import CameraProjection
from ...toolkit import palette
from ...toolkit.batched_painting import LineBuffer
from ...toolkit.qt import QKeyEvent, QPainter, QPointF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ..world.world_panel import WorldPanel
from .arena_placement_model import PlacementGhost, ground_at, outline
from .arena_tool_state import ArenaToolState

_STEP = 0.5
"""Metres that an arrow key moves the ghost."""
_DIRECTIONS = {
    Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}  # fmt: skip
_CHOOSE = "Choose a mode in the Arena panel, or with F7"
_HINT = "a click places it · Esc puts it away"


class ArenaPlacer:
    """Handles mouse and keys in the world panel while a tool is chosen: see `WorldPanel.placer`.

    A click with either button places; drags still turn and move the camera. With the keyboard
    focus in the world, arrows move the ghost and Enter places it.
    """

    def __init__(self, panel: WorldPanel, orders: ArenaToolState) -> None:
        self._panel, self._orders = panel, orders
        self._lines = LineBuffer()
        orders.changed.connect(panel.update)
        orders.chosen.connect(self._begin)

    @property
    def holds(self) -> bool:
        """Whether a tool is chosen."""
        return self._orders.tool is not None

    def _begin(self) -> None:
        """Focus the world; the ghost begins under the mouse, or else in the middle."""
        panel = self._panel
        panel.card.clear()
        panel.setFocus()
        here = QPointF(panel.mapFromGlobal(panel.cursor().pos())) if panel.underMouse() else None
        if here is not None:
            self.hover(here)
        elif self._orders.ghost is None:
            self.hover(QPointF(panel.width() / 2, panel.height() / 2))

    def hover(self, at: QPointF) -> None:
        """The mouse moved over this pixel."""
        self._orders.point(ground_at(self._view(), at.x(), at.y()))

    def leave(self) -> None:
        """The mouse left the world."""
        self._orders.point(None)

    def click(self, at: QPointF) -> None:
        """Place the tool's thing at this pixel."""
        self.hover(at)
        self._orders.place()

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key press; False if the tool has no use for the key."""
        if not self.holds:
            return False
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self._orders.choose(None)
            return True
        if not self._panel.hasFocus() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._orders.place()
            return True
        direction = next((way for arrow, way in _DIRECTIONS.items() if arrow == key), None)
        if direction is None:
            return False
        self._nudge(*direction)
        return True

    def _nudge(self, across: int, up: int) -> None:
        """Move the ghost along the axis of the world that is nearest to the direction on screen."""
        ghost = self._orders.ghost
        if ghost is None:
            self.hover(QPointF(self._panel.width() / 2, self._panel.height() / 2))
            return
        right, _, forward = self._panel.camera.basis()
        if self._panel.camera.top:
            forward = self._panel.camera.basis()[1]
        direction = across * right[:2] + up * forward[:2]
        axis = int(np.abs(direction).argmax())
        moved = list(ghost.at)
        moved[axis] += _STEP * float(np.sign(direction[axis]))
        self._orders.point((moved[0], moved[1]))

    def _view(self) -> CameraProjection:
        return self._panel.camera.view(self._panel.width(), self._panel.height())

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter, view: CameraProjection) -> None:
        """Paint the ghost with what a click does, or why it does nothing."""
        orders = self._orders
        ghost, state, tool = orders.ghost, orders.state, orders.tool
        if state is None:
            return
        if state.choices and not orders.blocked:
            text = f"{_CHOOSE} · {state.seconds_left} s left"
            self._paint_text(painter, view, None, text, palette.ACCENT)
        if tool is None:
            return
        refused = ghost.refused if ghost is not None else orders.blocked
        hue = palette.FAILED if refused else palette.ACCENT
        if ghost is not None:
            lines = outline(ghost, state)
            _, visible = view.segments(lines)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            is_known = ghost.is_known or bool(refused)
            self._lines.draw(painter, visible, pen(hue, 2.0, dashed=not is_known))
        self._paint_text(painter, view, ghost, refused or f"{tool.title}: {_HINT}", hue)

    def _paint_text(
        self,
        painter: QPainter,
        view: CameraProjection,
        ghost: PlacementGhost | None,
        text: str,
        hue: str,
    ) -> None:
        painter.setFont(font(12))
        width = min(view.width - 24.0, painter.fontMetrics().horizontalAdvance(text) + 26.0)
        middle = QPointF(view.width / 2, 52.0)
        if ghost is not None:
            points, front, _ = view.project((*ghost.at, 0.0))
            if front[0]:
                middle = QPointF(float(points[0, 0]), float(points[0, 1]) + 34)
        left = min(max(middle.x() - width / 2, 12.0), view.width - width - 12)
        top = min(max(middle.y(), 40.0), view.height - 30)
        box = QRectF(left, top, width, 22)
        painter.setPen(pen(hue))
        painter.setBrush(color(palette.CARD, 225))
        painter.drawRoundedRect(box, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(palette.TEXT))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, elided(painter, text, width - 16))
