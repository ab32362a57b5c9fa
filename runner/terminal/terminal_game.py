"""Playing a game in a terminal: its picture as text, and the keyboard as a pad."""

import os
import select
import sys
import time
from types import TracebackType
from typing import Any, Self

from ...errors import CommandError
from ...games.game_interface import Game
from ...playback.pads.pad import NEUTRAL, Button, Pad
from ...recorder.text.terminal_text import terminal_line

STICK_KEYS = {"w": (0.0, 1.0), "s": (0.0, -1.0), "a": (-1.0, 0.0), "d": (1.0, 0.0)}
BUTTON_KEYS = {
    " ": Button.A, "j": Button.A, "k": Button.B, "u": Button.X, "i": Button.Y, "\n": Button.START,
    "t": Button.UP, "g": Button.DOWN, "f": Button.LEFT, "h": Button.RIGHT,
}  # fmt: skip
STICK_HELD, BUTTON_HELD = 0.55, 0.1
"""Seconds that a key counts as held: terminals say only that one was pressed, and of a key that is
held down they say so again after about half a second."""
KEYS = "W A S D walk, X stops; Space or J, K, U, I are A, B, X, Y; T F G H the D-pad; Esc ends it"
_HOME, _CLEAR, _LINE_END = "\x1b[H", "\x1b[2J", "\x1b[K\r\n"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_PICTURES = 15
"""A second."""


class TerminalGame:
    """Shows a game in this terminal in real time, and reads the pad from its keys. A context.

    Args:
        game: One whose own class has `text`.

    Raises:
        CommandError: the game can't be shown as text, or this is no terminal that can be read.
    """

    def __init__(self, game: Game) -> None:
        self._text: Any = getattr(getattr(game, "game", None), "text", None)
        if self._text is None or not self._text():
            raise CommandError(
                f"--terminal: {game.name} has no picture as text: give its class a method text()"
            )
        if os.name != "posix" or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise CommandError("--terminal: this is no terminal whose keys can be read")
        self._dt = game.dt
        self._due = self._shown = 0.0
        self._stick, self._stick_until = (0.0, 0.0), 0.0
        self._buttons: dict[Button, float] = {}
        self._before: Any = None

    def __enter__(self) -> Self:
        import termios
        import tty

        self._before = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        self._write(_CLEAR + _HIDE_CURSOR)
        self._due = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        import termios

        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)
        self._write(_SHOW_CURSOR + "\r\n")

    def pad(self) -> Pad | None:
        """Wait until the next step is due, and say what is held in it; None if Esc was pressed."""
        self._due += self._dt
        while (left := self._due - time.monotonic()) > 0:
            if select.select([sys.stdin], [], [], left)[0] and not self._read():
                return None
        now = time.monotonic()
        self._due = max(self._due, now - 0.25)
        if now - self._shown > 1 / _PICTURES:
            self._shown = now
            self._show()
        stick = self._stick if now < self._stick_until else (0.0, 0.0)
        held = sum(button for button, until in self._buttons.items() if now < until)
        return Pad(stick, held=held) if stick != (0.0, 0.0) or held else NEUTRAL

    def _read(self) -> bool:
        """Take the keys that were pressed; False if one of them ends the game."""
        now = time.monotonic()
        for key in os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace"):
            lower = key.lower()
            if key == "\x1b":
                return False
            if lower in STICK_KEYS:
                self._stick, self._stick_until = STICK_KEYS[lower], now + STICK_HELD
            elif lower == "x":
                self._stick_until = 0.0
            elif lower in BUTTON_KEYS:
                self._buttons[BUTTON_KEYS[lower]] = now + BUTTON_HELD
        return True

    def _show(self) -> None:
        lines = [terminal_line(line) for line in str(self._text()).splitlines()]
        self._write(_HOME + _LINE_END.join([*lines, KEYS, ""]))

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
