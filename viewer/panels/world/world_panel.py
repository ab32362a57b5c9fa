"""The world panel: the frame in perspective or from above, drawn by Qt's painter without OpenGL."""

import time

import numpy as np

from ...reader.damaged_ranges import damaged_ranges_text
from ...reader.frame_snapshot import FrameSnapshot
from ...reader.history.history_record_types import UNREAD
from ...scene.body_renderer import visible_bodies
from ...scene.display_layers import Layers
from ...scene.scene_model import SceneBody, SceneModel
from ...scene.scene_renderer import SceneRenderer
from ...scene.view_camera import ViewCamera
from ...search.problem_list import wrong_at
from ...state.agent_beliefs import CurrentBelief
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.qt import (
    QContextMenuEvent,
    QKeyEvent,
    QMenu,
    QMouseEvent,
    QPainter,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    QTimer,
    QWheelEvent,
    QWidget,
)
from ...toolkit.text_painting import paint_empty_text
from ...toolkit.theme import color
from ...toolkit.time_text import time_text
from ...widgets.painted_panel import PaintedPanel
from .camera_framing import CameraFraming, ViewArea
from .game_screen import GameScreen
from .hover_card import HoverCard, HoveredThing, find
from .overlay_protocols import Markers, Placer
from .world_caption import LabelPart, WorldLabel, banner_box, paint_banner
from .world_mouse import WorldMouse

_SLOW, _FAST = 0.0085, 0.0055
"""Seconds an image may take before details go, and below which they come back."""
_SETTLED = 180
"""Milliseconds after the last move when all details are back."""
_STEADY = 1.5
"""The factor by which the extent may change before bodies have another size."""
_MOST_COVERED = 0.5
"""The share of the height that is left to a notice: the rest is the world's however low it is."""
_WAITS = "Waiting for the first frame"
_NEAR = 30.0
"""Pixels from a body's middle within which the mouse means it, however small it is."""


class WorldPanel(PaintedPanel):
    """Shows the store's snapshot. Left drag orbits, right or middle drag pans, the wheel goes
    nearer, a click selects, a double click follows; Ctrl+click opens a drawing's source."""

    def __init__(self, store: ViewerStore, layers: Layers) -> None:
        super().__init__("World")
        self.store = store
        self.layers = layers
        self.camera = ViewCamera()
        self.framing = CameraFraming(self.camera)
        self.follow = True
        """Whether the camera stays on the selected object."""
        self.recorded = False
        """Whether it looks through the game's own camera, where there is one."""
        self.scene: SceneModel | None = None
        self._screen = GameScreen(store)
        self._screen.changed.connect(self._pictured)
        self.shows_screen = False
        """Whether the game's own picture is shown, since nothing recorded has a place."""
        self.card = HoverCard()
        self.notice: QWidget | None = None
        """The widgets over its top; messages about this frame are shown below them."""
        self.placer: Placer | None = None
        """What holds something that a click puts down, in games where that can be."""
        self.markers: Markers | None = None
        """What is drawn over the world and can be moved."""
        self._extent = 0.0
        """How far what there is reaches: bodies keep their size while it hardly changes."""
        self._poses = 0
        """The version of the observed poses that the scene was made with."""
        self._pointer = WorldMouse(self, QTimer(self))
        self.label = WorldLabel()
        self.warning_box = QRectF()
        """Where the last image had the warning."""
        self._read: tuple[list[CurrentBelief] | None, str] = ([], "")
        """What the last image showed of what has to be read first: beliefs, and the banner."""
        self._rests = False
        """Whether the next image is the one with all details, after the last move."""
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.timeout.connect(self._settled)
        self._scene_renderer = SceneRenderer(store, layers, self.camera)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 150)
        store.moved.connect(self._stale)
        store.status_changed.connect(self._stale)
        store.history_grew.connect(self._grew)
        store.selection_changed.connect(self._picked)
        layers.changed.connect(self.update)

    # --- what to see ----------------------------------------------------------------------------

    def toggle_top(self) -> None:
        """The view from above, or in perspective."""
        self.take_over()
        self.camera.top = not self.camera.top
        self.update()

    def toggle_follow(self) -> None:
        """Follow the selected object, or keep the camera where it is."""
        self.follow = not self.follow
        if self.follow:
            self.recorded, self.camera.eye = False, None
        self.update()

    def toggle_recorded(self) -> None:
        """Look through the game's own camera, or freely from its position."""
        if self.recorded:
            self.take_over()
        elif self.scene is not None and not self.scene.eyes:
            self.store.message.emit(
                "No camera is recorded here: handlers.register(type, CameraHandler(camera))"
            )
        else:
            self.recorded, self.follow = True, False
        self.update()

    def take_over(self) -> None:
        """Look around freely from the position of the game's own camera."""
        if self.recorded:
            self.recorded = False
            self.camera.take_over()

    def focus(self) -> None:
        """Bring the selected object close; without one, see everything."""
        body = self._selected()
        if body is None:
            self.see_all()
            return
        self.recorded, self.camera.eye = False, None
        self.follow = True
        reach = max(float(np.linalg.norm(body.top - body.position)), self._scale())
        self.camera.distance = min(self.camera.distance, reach * 6)
        self.update()

    def see_all(self) -> None:
        """Let go of the selected object and see everything."""
        scene = self._made()
        if scene is not None:
            self.recorded, self.camera.eye = False, None
            self.follow, self.framing.fitted = False, True
            self.framing.fit(scene, self._view_area())
        self.update()

    def dolly(self, factor: float) -> None:
        """Go nearer, with a factor below 1, or farther."""
        self.take_over()
        self.camera.dolly(factor)
        self.update()

    def orbit(self, right: float, up: float) -> None:
        """Turn about what is in the middle, by radians."""
        self.take_over()
        self.camera.orbit(right, up)
        self.update()

    def _scale(self) -> float:
        return self.scene.radius if self.scene is not None else 0.35

    def _selected(self) -> SceneBody | None:
        return None if self.scene is None else self.scene.body(self.store.selected)

    def _stale(self) -> None:
        self.scene = None
        self._scene_renderer.marked = None
        # A drawing is of one frame. While more is read of others, its card can be reached.
        if self.card.found.drawing is not None and self.card.snapshot is not self.store.snapshot:
            self.card.clear()
        self.update()

    def _grew(self) -> None:
        """More was read: what is believed may be known now, or that objects turn or move."""
        snapshot = self.store.snapshot
        if snapshot is not None and snapshot.observed_poses.version != self._poses:
            self._stale()
        if self._read != (self.store.beliefs(), self._warning()):
            self.update()

    def _pictured(self) -> None:
        if self.scene is not None and not self.scene.has_places:
            self.update()

    def _picked(self) -> None:
        self.follow = bool(self.store.selected) and not self.recorded
        self._stale()

    def _settled(self) -> None:
        self._scene_renderer.detail = 1.0
        self._rests = True
        self.update()

    def _made(self) -> SceneModel | None:
        """The scene of the snapshot; None while there is none."""
        store = self.store
        if self.scene is None and store.snapshot is not None:
            self._poses = store.snapshot.observed_poses.version
            self.scene = self._scene_of(store.snapshot)
        return self.scene

    def _scene_of(self, snapshot: FrameSnapshot) -> SceneModel:
        store = self.store

        def make() -> SceneModel:
            return SceneModel(
                snapshot, store.playback, store.hidden, plane=self.framing.flat, extent=self._extent
            )

        scene = make()
        if self.framing.flat or not self.framing.fitted:
            flat = scene.is_flat()
            if flat != self.framing.flat and len(scene.ids):
                self.framing.flat = flat
                scene = make()
        if not scene.extent / _STEADY <= self._extent <= scene.extent * _STEADY:
            self._extent = scene.extent
            scene = make()
        return scene

    def _covered_share(self) -> float:
        """How much of the height the notice lies over."""
        above = self.notice
        if above is None or above.isHidden():
            return 0.0
        return min(_MOST_COVERED, (above.geometry().bottom() + 1) / max(1, self.height()))

    def _view_area(self) -> ViewArea:
        return ViewArea(self.width() / max(1, self.height()), self._covered_share())

    def _place_camera(self, scene: SceneModel) -> None:
        framing, area = self.framing, self._view_area()
        if not framing.fitted and framing.see_first(scene, self.store.selected, area):
            self.follow = self.follow and not framing.flat
        framing.make_room(scene, area)
        if self.recorded:
            # Where it is not recorded it stays as it was.
            self.camera.eye = eye = next(iter(scene.eyes), self.camera.eye)
            if eye is not None:
                self.camera.centre = eye.position + eye.forward * self.camera.distance
        row = scene.row(self.store.selected)
        if self.follow and row is not None:
            self.camera.centre = scene.positions[row] + np.array([0.0, 0.0, 2.3 * scene.radius])

    # --- painting -------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        began = time.perf_counter()
        scene = self._made()
        if scene is None:
            painter.fillRect(self.rect(), color(palette.SKY))
            paint_empty_text(painter, QRectF(self.rect()), self.store.error_text or _WAITS)
            return
        self._read = (self.store.beliefs(), self._warning())
        self.shows_screen = not scene.has_places and self._screen.paint(painter, self.rect())
        if self.shows_screen:
            words = "The game's picture: no positions are recorded"
            self.label.paint(painter, [(words, "")], self.devicePixelRatioF())
            return
        self._place_camera(scene)
        view = self.camera.view(self.width(), self.height())
        self._scene_renderer.ratio = self.devicePixelRatioF()
        self._scene_renderer.hover = self.card.found.object
        self._scene_renderer.marked = self.card.found.drawing
        self._scene_renderer.clear = self._overlay_boxes(scene, self._read[1])
        self._scene_renderer.paint(painter, view, scene)
        if self.markers is not None:
            self.markers.paint(painter, view)
        if self.placer is not None:
            self.placer.paint(painter, view)
        self.label.paint(painter, self._label_parts(scene), self.devicePixelRatioF())
        if warning := self._read[1]:
            self.warning_box = self._banner_box(warning)
            paint_banner(painter, self.warning_box, warning)
        self.card.paint(painter)
        self._adapt(time.perf_counter() - began)

    def _adapt(self, seconds: float) -> None:
        rests, self._rests = self._rests, False
        if rests:  # nothing moves: it may take its time, or it would be painted over and over
            return
        if seconds > _SLOW:
            self._scene_renderer.detail = min(5.0, self._scene_renderer.detail * 1.3)
        elif seconds < _FAST:
            self._scene_renderer.detail = max(1.0, self._scene_renderer.detail * 0.93)
        if self._scene_renderer.detail > 1.0:
            self._settle.start(_SETTLED)

    def _camera_text(self, scene: SceneModel) -> str:
        if self.recorded:
            return "Recorded camera" if scene.eyes else "Recorded camera, not in this frame"
        selected = self.store.selected
        if self.follow and scene.row(selected) is not None:
            return f"Following {scene.label(selected)}"
        return "Free camera"

    def _label_parts(self, scene: SceneModel) -> list[LabelPart]:
        """The words of the label, and what a click on them does."""
        labels = [(self._camera_text(scene), "camera")]
        if not self.recorded:
            labels.insert(0, ("Top" if self.camera.top else "Perspective", "top"))
        if self.store.beliefs() is None:
            labels.append((f"beliefs: {UNREAD}", ""))
        if scene.unplaced:
            how = "without a recorded position"
            labels.append((f"{scene.unplaced} {how}" if scene.has_places else f"all {how}", ""))
        count = f"{self._scene_renderer.inside} of {len(scene.ids)} objects in view"
        return [*labels, (count, "all")]

    def _warning(self) -> str:
        """What is wrong at this frame; empty if nothing is."""
        store = self.store
        text = store.error_text or wrong_at(store.history, store.snapshot, store.drag_time)
        scene = self._made()
        nowhere = scene.unplaced_text() if scene is not None else ""
        return (
            text
            or store.backend_state.error_text
            or damaged_ranges_text(store.history.damage)
            or nowhere
        )

    def _overlay_boxes(self, scene: SceneModel, warning: str) -> list[QRectF]:
        """What lies over the image, from top to bottom: the label, the notice, the banner."""
        boxes = [self.label.arrange(self._label_parts(scene))]
        if self.notice is not None and not self.notice.isHidden():
            boxes.append(QRectF(self.notice.geometry()))
        if warning:
            boxes.append(self._banner_box(warning))
        return boxes

    def _banner_box(self, text: str) -> QRectF:
        above = self.notice
        top = 38.0 if above is None or above.isHidden() else above.geometry().bottom() + 8.0
        return banner_box(text, self.width(), top)

    def text(self) -> str:
        """What is seen: the camera, the objects with names that are in view, the texts drawn."""
        scene = self._made()
        if scene is None:
            return f"World: {self.store.error_text or _WAITS.lower()}"
        lines = [f"World at {time_text(scene.snapshot.time)}, frame {scene.snapshot.frame}"]
        lines.append(" · ".join(words for words, _ in self._label_parts(scene)))
        if self.shows_screen:
            lines.append("the game's own picture is shown")
        selected = self.store.selected
        for id in sorted(scene.named | {selected}):
            row = scene.row(id)
            if (
                row is None
                or self._scene_renderer.seen is None
                or not self._scene_renderer.seen.inside[row]
            ):
                continue
            point = ", ".join(f"{part:.2f}" for part in scene.positions[row].tolist())
            state = scene.snapshot.state_of(id)
            mark = "selected: " if id == selected else ""
            lines.append(f"{mark}{scene.label(id)} at ({point}){' ' + state if state else ''}")
        lines += [f"text: {text.text}" for text in scene.shapes.texts]
        lines += [scene.unplaced_text()] if scene.nowhere else []
        return "\n".join(lines)

    # --- what is under the mouse ----------------------------------------------------------------

    def pick(self, x: float, y: float) -> int:
        """The object under a pixel; 0 if there is none near."""
        return self._near_body(x, y)[0]

    def _near_body(self, x: float, y: float) -> tuple[int, float]:
        scene = self._made()
        if scene is None or self.shows_screen or not self.layers.is_on("bodies"):
            return 0, np.inf
        seen = visible_bodies(self.camera.view(self.width(), self.height()), scene)
        if not seen.inside.any():
            return 0, np.inf
        # What is meant is the middle of a body, not where it is.
        away = np.hypot(seen.pixels[:, 0] - x, seen.pixels[:, 1] - seen.heights / 2 - y)
        away[~seen.inside] = np.inf
        at = int(away.argmin())
        reach = max(_NEAR, float(seen.heights[at]) / 2)
        return (int(scene.ids[at]), float(away[at])) if away[at] < reach else (0, np.inf)

    def _found(self, at: QPointF, *, drawings_first: bool) -> HoveredThing:
        scene = self._made()
        if scene is None:
            return HoveredThing()
        painter = self._scene_renderer.drawings if self.layers.is_on("drawings") else None
        view = self.camera.view(self.width(), self.height())
        body = self._near_body(at.x(), at.y())
        return find(scene, view, painter, body, at, drawings_first=drawings_first)

    def hover(self, at: QPointF, *, drawings_first: bool = False) -> None:
        """The mouse is there, without a button."""
        if self.card.holds(at):
            return
        found = self._found(at, drawings_first=drawings_first)
        scene = self._made()
        if found == self.card.found or scene is None:
            return
        self.card.tell(found, scene, at, QRectF(self.rect()))
        self.update()

    def click(self, at: QPointF, *, to_source: bool = False) -> None:
        """Select what is there; or open a drawing's source, or do what the label says."""
        if self.card.file and self.card.box.contains(at):
            self.store.source_requested.emit(self.card.file, self.card.line)
            return
        does = self.label.action_at(at)
        if does:
            {"top": self.toggle_top, "camera": self.next_camera, "all": self.see_all}[does]()
            return
        found, scene = self._found(at, drawings_first=to_source), self._made()
        if found.drawing is not None and scene is not None:
            drawn = scene.drawn(*found.drawing)
            if to_source and drawn.file:
                self.store.source_requested.emit(drawn.file, drawn.line)
            elif drawn.object:
                self.store.select(drawn.object)
        elif found.object:
            self.store.select(found.object)

    def next_camera(self) -> None:
        """Following, recorded, free, and so on; what there is not is left out."""
        scene = self.scene
        if self.recorded:
            self.take_over()
        elif self.follow and scene is not None and scene.eyes:
            self.toggle_recorded()
        else:
            self.toggle_follow()
        self.update()

    # --- menu, mouse and keys -------------------------------------------------------------------

    def menu(self, at: QPointF) -> QMenu:
        """What can be done at a pixel."""
        menu, found, scene = QMenu(self), self._found(at, drawings_first=False), self._made()
        if found.object:
            name, object = scene.label(found.object) if scene else "", found.object
            menu.addAction(f"Select {name}", lambda: self.store.select(object))
        elif found.drawing is not None and scene is not None:
            drawn = scene.drawn(*found.drawing)
            if drawn.file:
                menu.addAction(
                    "Open the source",
                    lambda: self.store.source_requested.emit(drawn.file, drawn.line),
                )
        for words, act, on in (
            ("Follow the selected object", self.toggle_follow, self.follow),
            ("The game's own camera", self.toggle_recorded, self.recorded),
            ("From above", self.toggle_top, self.camera.top),
        ):
            action = menu.addAction(words, act)
            assert action is not None
            action.setCheckable(True)
            action.setChecked(on)
        menu.addAction("See everything", self.see_all)
        menu.addAction("Copy as text", self.copy)
        return menu

    def offer(self, at: QPoint) -> None:
        """Open the menu."""
        self.menu(QPointF(at)).exec(self.mapToGlobal(at))

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        """For the menu key only: the right button pans, and opens the menu when released."""
        assert event is not None
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            self.offer(event.pos())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self.placer is not None and self.placer.holds:
            self._pointer.press(event)  # two quick clicks place two things
        elif self.pick(event.position().x(), event.position().y()):
            self.focus()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self.card.clear()
        if self.placer is not None:
            self.placer.leave()
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802
        assert event is not None
        self._pointer.wheel(event)

    def fly(self, event: QKeyEvent) -> bool:
        """Move while the right button is held; True if the key was for that."""
        return self._pointer.fly(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self._pointer.stop(event):
            super().keyReleaseEvent(event)
