"""Mouse and keys in the world view: they move its camera; a click selects."""

import math
import time

from ...toolkit.qt import QKeyEvent, QMouseEvent, QPointF, Qt, QTimer, QWheelEvent
from .world_panel_protocol import WorldInterface

_FLY = {
    Qt.Key.Key_W: (0, 1, 0), Qt.Key.Key_S: (0, -1, 0), Qt.Key.Key_A: (-1, 0, 0),
    Qt.Key.Key_D: (1, 0, 0), Qt.Key.Key_Q: (0, 0, -1), Qt.Key.Key_E: (0, 0, 1),
}  # fmt: skip
_SPEED = 1.1
"""Camera distances that one flies in a second; with Shift three times as many."""
_TURN = 0.007
"""Radians for each pixel of a drag."""
_STILL = 4.0
"""Pixels that a click may slip."""


class WorldMouse:
    """Left drag turns, right or middle drag pans, the wheel goes nearer, a click selects; while
    the right button is held WASD and QE fly."""

    def __init__(self, panel: WorldInterface, timer: QTimer) -> None:
        self._panel = panel
        self._press: QPointF | None = None
        self._moved = False
        self._flies = False
        """Whether the right button is held."""
        self._pressed_keys: set[Qt.Key] = set()
        self._fast = False
        self._flown = 0.0
        self._flight = timer
        self._flight.setInterval(16)
        self._flight.timeout.connect(self._fly_on)

    # --- the mouse ------------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> None:
        markers = self._panel.markers
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and markers is not None and markers.grab(event.position()):
            return
        self._press, self._moved = event.position(), False
        self._flies = event.button() == Qt.MouseButton.RightButton
        self._panel.setFocus()

    def move(self, event: QMouseEvent) -> None:
        here, panel = event.position(), self._panel
        if panel.markers is not None and panel.markers.holds:
            panel.markers.drag(here)
            return
        if self._press is None:
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            panel.hover(here, drawings_first=control)
            if panel.placer is not None and panel.placer.holds:
                panel.placer.hover(here)
            return
        by = here - self._press
        if not self._moved and by.manhattanLength() < _STILL:
            return
        self._press, self._moved = here, True
        panel.card.clear()
        panel.take_over()
        if event.buttons() & Qt.MouseButton.LeftButton:
            panel.camera.orbit(by.x() * _TURN, by.y() * _TURN)
        else:
            panel.follow = False
            panel.camera.pan(by.x(), by.y(), panel.height())
        panel.update()

    def release(self, event: QMouseEvent) -> None:
        markers = self._panel.markers
        if markers is not None and markers.holds:
            markers.drop()
            return
        is_click, self._press = not self._moved, None
        self._flies = False
        self._land()
        placer, buttons = (
            self._panel.placer,
            (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton),
        )
        if is_click and placer is not None and placer.holds and event.button() in buttons:
            placer.click(event.position())
        elif is_click and event.button() == Qt.MouseButton.LeftButton:
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._panel.click(event.position(), to_source=control)
        elif is_click and event.button() == Qt.MouseButton.RightButton:
            self._panel.offer(event.position().toPoint())

    def wheel(self, event: QWheelEvent) -> None:
        """A notch is about an eighth nearer or farther."""
        self._panel.dolly(math.exp(-event.angleDelta().y() / 900))

    # --- flying ---------------------------------------------------------------------------------

    def fly(self, event: QKeyEvent) -> bool:
        """Begin to move while the right button is held, or what is placed; True if the key was
        for that."""
        if self._panel.placer is not None and self._panel.placer.key(event):
            return True
        key = self._way(event)
        if key is None or not self._flies:
            return False
        self._fast = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._moved = True
        if not event.isAutoRepeat():
            self._pressed_keys.add(key)
            if not self._flight.isActive():
                self._flown = time.monotonic() - 1 / 60
                self._fly_on()
                self._flight.start()
        return True

    def stop(self, event: QKeyEvent) -> bool:
        """A key was let go; True if it was one to fly with."""
        key = self._way(event)
        if key is None or key not in self._pressed_keys or event.isAutoRepeat():
            return False
        self._pressed_keys.discard(key)
        if not self._pressed_keys:
            self._land()
        return True

    @staticmethod
    def _way(event: QKeyEvent) -> Qt.Key | None:
        return next((key for key in _FLY if key == event.key()), None)

    def _land(self) -> None:
        self._flight.stop()
        self._pressed_keys.clear()

    def _fly_on(self) -> None:
        now, panel = time.monotonic(), self._panel
        length = panel.camera.distance * _SPEED * (now - self._flown) * (3 if self._fast else 1)
        self._flown = now
        directions = [_FLY[key] for key in self._pressed_keys]
        right, ahead, up = (sum(parts) for parts in zip(*directions, strict=True))
        panel.take_over()
        panel.follow = False
        panel.camera.fly(right * length, ahead * length, up * length)
        panel.update()
