"""What a person does with a running game: plays with a pad, records demos, pauses it."""

import itertools
from pathlib import Path

from ..agents.recorded_demo import DemoWriter
from ..agents.replay.game_description import columns_of
from ..agents.replay.observation_server import GameServer
from ..errors import CommandError, RecordingError
from ..games.game_interface import Game
from ..games.playable_interface import Playable
from ..playback.commands import Enter
from ..playback.pads.pad import NEUTRAL
from ..session import Session
from .terminal.safe_terminal_output import echo
from .window_launcher import GameWindow

PAUSED = "paused by hand"
"""The mark at the frame at which the pause key was pressed."""


class ManualPlayControls:
    """Called around each step of a game: `before` it, `after` it, and once it is `recorded`.

    Args:
        game: Its scripted player plays until a person takes the pad.
        session: It runs under this.
        window: The window that it is played in, if there is one.
        demo: The file for a demo that begins with the first step.

    Raises:
        CommandError: the game has no pad, so there can be no demo of it.
        RecordingError: the file is there already, or can't be made.
    """

    def __init__(
        self, game: Game, session: Session, *, window: GameWindow | None = None,
        demo: Path | None = None,
    ) -> None:  # fmt: skip
        self._game: Playable | None = game if isinstance(game, Playable) else None
        self._name = game.name
        self._dt = game.dt
        self._session = session
        self._window = window
        self._first = demo
        self._demo: DemoWriter | None = None
        self._pause_requested = False
        self._server: GameServer | None = None
        if self._game is not None:
            session.pads.take()
            if session.bus is not None:
                self._server = GameServer(game, session)
        if demo is not None:
            if self._game is None:
                raise CommandError(f"{game.name} has no pad, so there is no demo of it")
            self._begin(self._game, demo)

    def before(self) -> None:
        """A step is due: carry out commands, and hold the pad."""
        self._carry_out_commands()
        if self._game is None:
            return
        pad = self._session.pad()
        if pad is None and self._window is not None:
            pad = NEUTRAL  # the window's pad is on its way
        self._game.hold(pad)

    def after(self) -> None:
        """The step was made: record its pad."""
        game, session = self._game, self._session
        if self._pause_requested:
            session.mark(PAUSED, object=0 if game is None else game.player)
        if game is None:
            return
        held, span = session.pads.state(), session.source.span
        if held is not None and held.time is not None and span is not None:
            # The age of what the holder of the pad saw when this step began.
            session.watch("pad age", span.end - held.time, object=game.player)
        if self._demo is not None:
            try:
                self._demo.step(game.pad, game.observe())
            except RecordingError as error:  # a full disk ends the demo, not the game
                self._report(str(error))
                self._end()

    def recorded(self) -> None:
        """The step is in the recording: publish it to agents, and pause there if asked to."""
        if self._server is not None:
            self._server.recorded()
        if self._pause_requested:
            self._pause_requested = False
            if self._session.live:
                self._session.apply(Enter(), now=True)

    def close(self) -> None:
        """End the demo that is being recorded."""
        self._end()

    def _carry_out_commands(self) -> None:
        while self._window is not None and (command := self._window.take_command()):
            if command == "pause":
                self._pause_requested = True
            elif command == "demo" and self._game is not None:
                self._toggle_demo(self._game)

    def _toggle_demo(self, game: Playable) -> None:
        if self._demo is not None:
            self._end()
            return
        try:
            self._begin(game, self._free_path())
        except RecordingError as error:
            self._report(str(error))

    def _free_path(self) -> Path:
        """A file for the next demo, beside the first one."""
        first = self._first or Path(f"{self._name.replace(':', '-')}.csv")
        others = (first.with_stem(f"{first.stem}-{number}") for number in itertools.count(2))
        return next(path for path in itertools.chain((first,), others) if not path.exists())

    def _begin(self, game: Playable, path: Path) -> None:
        self._demo = DemoWriter(path, self._dt, held=game.pad, columns=columns_of(game))
        self._session.mark("demo begins", str(path), object=game.player)
        self._send(f"demo {path}")

    def _end(self) -> None:
        if self._demo is None:
            return
        demo, self._demo = self._demo, None
        demo.close()
        self._send("demo ")
        self._report(f"demo {demo.path}: {demo.rows} rows")

    def _report(self, text: str) -> None:
        echo(text, err=True)
        self._send(f"say {text}")

    def _send(self, line: str) -> None:
        if self._window is not None:
            self._window.send(line)
