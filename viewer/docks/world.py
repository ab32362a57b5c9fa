"""The world dock: the frame in perspective or from above, drawn by Qt's painter without OpenGL."""

import math
import time

import numpy as np
import numpy.typing as npt

from ..clock import Clock
from ..layers import Layers
from ..models import palette
from ..models.camera import Camera
from ..models.problems import wrong_at
from ..models.scene import Body, Scene, scene_of
from ..painting import Panel, say_empty
from ..qt import (
    QColor,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPointF,
    QRectF,
    Qt,
    QTimer,
    QWheelEvent,
)
from ..scenery import Scenery
from ..theme import color, font, pen

Array = npt.NDArray[np.float64]

_SLOW, _FAST = 0.0085, 0.0055
"""Seconds a picture may take before details go, and below which they come back."""
_FLY = {"w": (0, 1, 0), "s": (0, -1, 0), "a": (-1, 0, 0), "d": (1, 0, 0), "q": (0, 0, -1),
        "e": (0, 0, 1)}  # fmt: skip


class WorldDock(Panel):
    """Looks at the clock's moment. Left drag orbits, right or middle drag pans, the wheel goes
    nearer, a click selects, a double click follows."""

    def __init__(self, clock: Clock, layers: Layers) -> None:
        super().__init__("World")
        self.clock = clock
        self.layers = layers
        self.camera = Camera()
        self.follow = True
        """Whether the camera stays on the selected object."""
        self.scene: Scene | None = None
        self._fitted = False
        self._press: QPointF | None = None
        self._moved = False
        self._hover = 0
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.timeout.connect(self._settled)
        self._scenery = Scenery(clock, layers, self.camera)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMinimumSize(200, 150)
        clock.moved.connect(self._stale)
        clock.stood.connect(self._stale)
        clock.picked.connect(self._picked)
        layers.changed.connect(self.update)

    # --- what to see ----------------------------------------------------------------------------

    def toggle_top(self) -> None:
        """From above, or in perspective."""
        self.camera.top = not self.camera.top
        self.update()

    def toggle_follow(self) -> None:
        """Stay on the selected object, or let the camera stand."""
        self.follow = not self.follow
        self.update()

    def focus(self) -> None:
        """Bring the selected object close; without one, see everything."""
        body = self._selected()
        if body is None:
            self._fitted = False
        else:
            self.follow = True
            self.camera.distance = min(self.camera.distance, self._scale() * 34)
        self.update()

    def _scale(self) -> float:
        return self.scene.radius if self.scene is not None else 0.35

    def _selected(self) -> Body | None:
        return None if self.scene is None else self.scene.body(self.clock.selected)

    def _stale(self) -> None:
        self.scene = None
        self.update()

    def _picked(self) -> None:
        self.follow = bool(self.clock.selected)
        self._stale()

    def _settled(self) -> None:
        self._scenery.detail = 1.0
        self.update()

    def _made(self) -> Scene | None:
        """The scene of the moment; None while there is no moment."""
        clock = self.clock
        if self.scene is None and clock.moment is not None:
            self.scene = scene_of(clock.moment, clock.shown, clock.selected, clock.hidden)
        return self.scene

    def _place_camera(self, scene: Scene) -> None:
        if not self._fitted and len(scene.points):
            self._fitted = True
            self.camera.fit(scene.points)
            if self._selected() is not None:
                self.camera.distance = min(self.camera.distance, scene.radius * 62)
        body = self._selected()
        if self.follow and body is not None:
            self.camera.centre = body.position + np.array([0.0, 0.0, 2.3 * scene.radius])

    # --- the picture ----------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        began = time.perf_counter()
        self._paint_sky(painter)
        scene = self._made()
        if scene is None:
            say_empty(painter, QRectF(self.rect()), "Waiting for the first frame")
            return
        self._place_camera(scene)
        view = self.camera.view(self.width(), self.height())
        self._scenery.ratio = self.devicePixelRatioF()
        self._scenery.hover = self._hover
        self._scenery.paint(painter, view, scene)
        self._paint_hud(painter, scene)
        self._paint_banner(painter)
        self._adapt(time.perf_counter() - began)

    def _adapt(self, seconds: float) -> None:
        if seconds > _SLOW:
            self._scenery.detail = min(5.0, self._scenery.detail * 1.3)
        elif seconds < _FAST:
            self._scenery.detail = max(1.0, self._scenery.detail * 0.93)
        if self._scenery.detail > 1.0:
            self._settle.start(180)

    def _paint_sky(self, painter: QPainter) -> None:
        sky = QLinearGradient(0, 0, 0, self.height())
        for place, name in ((0.0, "#191d26"), (0.35, palette.SKY), (1.0, "#0f1115")):
            sky.setColorAt(place, QColor(name))
        painter.fillRect(self.rect(), sky)

    def _paint_hud(self, painter: QPainter, scene: Scene) -> None:
        body = self._selected()
        camera = f"Following {body.label}" if self.follow and body else "Free camera"
        eye = "Top" if self.camera.top else "Perspective"
        count = f"{self._scenery.inside} of {len(scene.bodies)} objects in view"
        text = f"{eye}   ·   {camera}   ·   {count}"
        painter.setFont(font(11))
        width = painter.fontMetrics().horizontalAdvance(text) + 20
        box = QRectF(8, 8, width, 22)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("#0b0d11", 205))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(pen(palette.DIM))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_banner(self, painter: QPainter) -> None:
        """What is wrong at this frame, across the top."""
        clock = self.clock
        text = clock.trouble or wrong_at(clock.history, clock.moment, clock.wish)
        text = text or clock.standing.trouble
        if not text:
            return
        painter.setFont(font(12))
        width = min(self.width() - 24.0, painter.fontMetrics().horizontalAdvance(text) + 48.0)
        box = QRectF((self.width() - width) / 2, 38, width, 30)
        painter.setPen(pen(palette.WARNING))
        painter.setBrush(color("#2a2110", 240))
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(pen("#f3d9a0"))
        inside = box.adjusted(14, 0, -14, 0)
        shown = painter.fontMetrics().elidedText(
            f"⚠  {text}", Qt.TextElideMode.ElideRight, int(inside.width())
        )
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, shown)

    # --- the mouse ------------------------------------------------------------------------------

    def pick(self, x: float, y: float) -> int:
        """The object under a pixel; 0 if there is none near."""
        scene = self._made()
        if scene is None:
            return 0
        bodies = [body for body in scene.bodies if body.visible]
        if not bodies:
            return 0
        middles = np.array([(body.position + body.top) / 2 for body in bodies])
        points, front, _ = self.camera.view(self.width(), self.height()).project(middles)
        away = np.hypot(points[:, 0] - x, points[:, 1] - y)
        away[~front] = np.inf
        at = int(away.argmin())
        return bodies[at].id if away[at] < 30 else 0

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._press, self._moved = event.position(), False
        self.setFocus()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        here = event.position()
        if self._press is None:
            hover = self.pick(here.x(), here.y())
            if hover != self._hover:
                self._hover = hover
                self.update()
            return
        by = here - self._press
        if not self._moved and by.manhattanLength() < 4:
            return
        self._press, self._moved = here, True
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.camera.orbit(by.x() * 0.007, by.y() * 0.007)
        else:
            self.follow = False
            self.camera.pan(by.x(), by.y(), self.height())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self._moved and event.button() == Qt.MouseButton.LeftButton:
            found = self.pick(event.position().x(), event.position().y())
            if found:
                self.clock.select(found)
        self._press = None

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self.pick(event.position().x(), event.position().y()):
            self.focus()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.camera.dolly(math.exp(-event.angleDelta().y() / 900))
        self.update()

    def fly(self, event: QKeyEvent) -> bool:
        """Move while the right button is held; True if the key was for that."""
        way = _FLY.get(event.text().lower())
        if way is None or self._press is None:
            return False
        right, ahead, up = (part * self.camera.distance * 0.06 for part in way)
        self.follow, self._moved = False, True
        self.camera.fly(right, ahead, up)
        self.update()
        return True
