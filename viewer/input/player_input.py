"""Turns keyboard and gamepads into the pad input of a game."""

import time
from typing import NamedTuple

from ...bus.client.client import Client
from ...errors import PlayheadError
from ...playback.pads.pad import NEUTRAL, Button, Pad
from ...playback.playback_state import Mode
from ..app.main_window import MainWindow
from ..app.processes.parent_pipe import ParentProcess
from ..toolkit.qt import (
    QApplication,
    QEvent,
    QKeyEvent,
    QLineEdit,
    QObject,
    QPlainTextEdit,
    Qt,
    QTimer,
    QWidget,
)
from .gamepads import Gamepads
from .keyboard_pad import PARTS, ROWS, KeyboardPad, merged, turned

PAUSE_KEY, DEMO_KEY = "F9", "F8"
CHORD = int(Button.BACK | Button.START)
"""What the pause key is on a gamepad."""
LIVE, PAUSED, IDLE = 16, 100, 250
"""Milliseconds between two looks: at gamepads while the game runs; at their chord in a pause;
and without any, whether one was plugged in."""
REPEAT = 0.25
"""Seconds after which a pad that is held is sent again."""

_NAMES = {
    Qt.Key.Key_Space: "Space", Qt.Key.Key_Left: "Left", Qt.Key.Key_Right: "Right",
    Qt.Key.Key_Up: "Up", Qt.Key.Key_Down: "Down", Qt.Key.Key_Shift: "Shift",
    Qt.Key.Key_Return: "Enter", Qt.Key.Key_Enter: "Enter", Qt.Key.Key_Backspace: "Backspace",
    Qt.Key.Key_F8: "F8", Qt.Key.Key_F9: "F9",
}  # fmt: skip
_OTHERS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)  # fmt: skip
"""A key with one of these is always the window's."""


class PadSettings(NamedTuple):
    """What is particular to the game that is played."""

    endpoint: str
    turns: bool = True
    """Whether sticks point along the world's axes, so that the camera has to be reckoned with."""
    player: int = 0


class PadInput(QObject):
    """A `Player` of a game on the bus: while the game runs, keys and gamepads are its pad.

    Args:
        window: Where the keys are pressed.
        settings: What is played.
        owner: The process that runs the game; it gets the pause key and the demo key.
        gamepads: Those of this machine; None if they can't be looked for.

    Raises:
        BusError: the game is not there.
    """

    def __init__(
        self,
        window: MainWindow,
        settings: PadSettings,
        owner: ParentProcess,
        gamepads: Gamepads | None = None,
    ) -> None:
        super().__init__(window)
        self.demo = ""
        """The demo that is being recorded; empty for none."""
        self._window = window
        self._settings = settings
        self._owner = owner
        self._gamepads = gamepads
        self._keypad = KeyboardPad()
        self._gamepad = NEUTRAL
        self._chord = False
        self._sent: Pad | None = None
        self._sent_at = 0.0
        self._client = Client(settings.endpoint, name="player", timeout=2.0)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._was_live = self.live
        window.store.status_changed.connect(self._stood)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.installEventFilter(self)
        app.focusChanged.connect(self._focus_changed)
        self._send()
        self._pace()

    @property
    def live(self) -> bool:
        """Whether the game runs, as far as this window knows."""
        return self._window.store.playback.mode is Mode.LIVE

    @property
    def owner_text(self) -> str:
        """What the keys act on, and whether a demo is recorded."""
        text = "keys: game" if self.live else "keys: scrub"
        return f"{text} · demo" if self.demo else text

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The keys while the game runs, for people."""
        return [
            (PAUSE_KEY, "pause the game and scrub; again, or End: run on"),
            (DEMO_KEY, "record a demo of how you play; again: end it"),
            *ROWS,
        ]

    # --- keys -----------------------------------------------------------------------------------

    def press(self, event: QKeyEvent) -> bool:
        """A key went down while the game runs; False if it is nothing to the game."""
        if not self.live or event.modifiers() & _OTHERS:
            return False
        name = key_name(event)
        if event.isAutoRepeat():
            # What was let go by a pause or another window has to be pressed again.
            return name in PARTS
        taken = self._keypad.press(name)
        if taken:
            self._send()
        return taken

    def release(self, event: QKeyEvent) -> bool:
        """A key came up; False if it was nothing to the game."""
        if event.isAutoRepeat():
            return False
        taken = self._keypad.release(key_name(event))
        if taken:
            self._send()
        return taken and self.live

    def let_go(self) -> None:
        """Nothing is held any more on the keyboard."""
        self._keypad.release_all()
        self._send()

    def pause(self) -> None:
        """Pause the game, or let it run on."""
        if self.live:
            self._owner.tell("pause")
        else:
            self._window.store.leave()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        """The pause key and the demo key work whether the game has the others or not."""
        if event is None or not self._is_mine(watched):
            return False
        if event.type() == QEvent.Type.WindowDeactivate and watched is self._window:
            self.let_go()
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        name = key_name(event)
        if name not in (PAUSE_KEY, DEMO_KEY) or event.modifiers() & _OTHERS:
            return False
        if not event.isAutoRepeat():
            self._order(name)
        return True

    def _is_mine(self, watched: QObject | None) -> bool:
        """Whether it is the window's, perhaps in a panel that floats."""
        while isinstance(watched, QWidget) and watched is not self._window:
            watched = watched.parentWidget()
        return watched is self._window

    def _order(self, name: str) -> None:
        if name == PAUSE_KEY:
            self.pause()
        else:
            self._owner.tell("demo")

    def _focus_changed(self, old: object, new: object) -> None:
        # Who begins to type a text has no finger on the pad.
        if isinstance(new, QLineEdit | QPlainTextEdit):
            self.let_go()

    # --- the pad --------------------------------------------------------------------------------

    @property
    def pad(self) -> Pad:
        """What is held now, as the game is to have it."""
        if not self.live:
            return NEUTRAL
        pad = merged(self._keypad.pad, self._gamepad)
        if not self._settings.turns:
            return pad
        right, _, _ = self._window.world.camera.basis()
        return turned(pad, (float(right[0]), float(right[1])))

    def _send(self) -> None:
        """Send the pad to the game, if it has changed or must be sent again."""
        pad, now = self.pad, time.monotonic()
        if pad == self._sent and (pad == NEUTRAL or now - self._sent_at < REPEAT):
            return
        try:
            if self.live:
                self._client.pad(pad)
        except PlayheadError:
            return  # the window says that the game is lost
        self._sent, self._sent_at = pad, now
        self._pace()

    def _tick(self) -> None:
        self._stood()
        try:
            self._client.dispatch()
        except PlayheadError:
            return
        if self._gamepads is not None:
            self._look(self._gamepads)
        self._send()
        self._pace()

    def _look(self, gamepads: Gamepads) -> None:
        pad = gamepads.read()
        chord = pad.held & CHORD == CHORD
        if chord and not self._chord:
            self.pause()
        self._chord = chord
        # The two buttons of the chord are the window's until both are up.
        self._gamepad = NEUTRAL if chord or not self.live else pad

    def _pace(self) -> None:
        """Look as often as needed: a held stick turns with the camera."""
        gamepads = self._gamepads is not None and len(self._gamepads)
        held = self._sent not in (None, NEUTRAL)
        interval = IDLE
        if gamepads or held:
            interval = LIVE if self.live else PAUSED
        if not self._timer.isActive() or self._timer.interval() != interval:
            self._timer.start(interval)

    def _stood(self) -> None:
        if self.live is self._was_live:
            return
        self._was_live = self.live
        self._keypad.release_all()
        self._gamepad = NEUTRAL
        # The game has let go of everything by itself when it paused.
        self._sent = NEUTRAL
        self._pace()

    def close(self) -> None:
        """Take the hands off; the game lets go of what they held."""
        self._timer.stop()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.removeEventFilter(self)
            app.focusChanged.disconnect(self._focus_changed)
        self._client.close()
        if self._gamepads is not None:
            self._gamepads.close()


def key_name(event: QKeyEvent) -> str:
    """A key as `keypad.PARTS` names it, whatever is held beside it; empty for others."""
    try:
        key = Qt.Key(event.key())
    except ValueError:
        return ""
    return _NAMES.get(key) or (chr(key) if 32 < key < 127 else "")
