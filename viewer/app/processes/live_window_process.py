"""A window that another process opened on its game: it shows the game, and may control it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...backends.open_target import target_of
from ...input.gamepads import find_gamepads
from ...input.player_input import PadInput, PadSettings
from ...toolkit.qt import QObject
from ..main_window import MainWindow
from ..viewer_main import show
from .parent_pipe import ParentProcess

_HINT = "W A S D walk, the arrows aim, Space is A · F9 pauses and gives you the keys · ? all keys"


class LiveWindow(NamedTuple):
    """What is to be seen, and how."""

    endpoint: str
    focus: int = 0
    """The object to look at; the player, if the game is played here."""
    played: bool = False
    """Whether keys and gamepads are the game's pad."""
    turns: bool = True
    """Whether its sticks point along the world's axes: see `PadSettings`."""
    ring: Path | None = None
    """The game's ring file: what is left to look into if it is killed."""


def play(stage: LiveWindow, hear: int, say: Callable[[str], object]) -> int:
    """Open the window and stay until it is closed; returns the exit code.

    Args:
        hear: The file handle on which the game's process writes: see `WindowVisit`.
        say: Called with each word for it: `ready`, `pause`, `demo`.

    Raises:
        CommandError: the system lacks a library that windows need.
        BusError: the game is not there.
    """
    visits: list[WindowVisit] = []

    def arrange(window: MainWindow) -> None:
        visits.append(WindowVisit(window, stage, ParentProcess(hear, say)))

    try:
        return show(target_of(stage.endpoint), focus=stage.focus, arrange=arrange, screen=True)
    finally:
        for visit in visits:
            visit.close()


class WindowVisit(QObject):
    """The window's side of what it and the game's process say to each other, beside the bus.

    It receives `close`, `demo PATH` (a demo is being recorded there; without a path no more) and
    `say TEXT`. It sends `ready` with the first picture, `pause` and `demo` for those keys.
    """

    def __init__(self, window: MainWindow, stage: LiveWindow, owner: ParentProcess) -> None:
        super().__init__(window)
        self.pad_input: PadInput | None = None
        """The player's input, if the game is played here."""
        self._window = window
        self._stage = stage
        self._owner = owner
        self._closing = self._ready = False
        if stage.played:
            settings = PadSettings(stage.endpoint, stage.turns, stage.focus)
            self.pad_input = PadInput(window, settings, owner, find_gamepads())
            window.player = self.pad_input
        owner.line_received.connect(self._hear)
        owner.gone.connect(self._orphaned)
        window.store.moved.connect(self._tell_ready)
        self._tell_ready()

    def _tell_ready(self) -> None:
        if not self._ready and self._window.store.snapshot is not None:
            self._ready = True
            self._owner.tell("ready")
            if self.pad_input is not None:
                self._window.store.message.emit(_HINT)

    def _hear(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "close":
            self._closing = True
            self._window.close()
        elif word == "say":
            self._window.store.message.emit(rest)
        elif word == "demo" and self.pad_input is not None:
            self.pad_input.demo = rest

    def _orphaned(self) -> None:
        """The game's process ended without a word."""
        if self._closing:
            return
        ring = self._stage.ring
        if ring is not None and ring.is_file():
            self._window.view(str(ring))
            text = "The game was ended from outside: this is what its ring file still holds"
        else:
            text = "The game was ended from outside; with --ring FILE it leaves what led to it"
        self._window.store.message.emit(text)

    def close(self) -> None:
        """Take the hands off the game."""
        if self.pad_input is not None:
            self.pad_input.close()
