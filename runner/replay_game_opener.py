"""Opens games for replaying demos, one after another, with or without a window and the bus."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agents.replay.local_replay_game import LocalGame, LoopHooks
from ..agents.replay.observation_server import GameServer
from ..agents.replay.replay_batch import ReplayBatch
from ..agents.replay.replay_state_publisher import REPLAY
from ..errors import GameError
from ..games.game_catalog import open_game
from ..games.game_interface import Game
from ..games.playable_interface import Playable
from ..recorder.checks.check_policy import UNKEPT, CheckPolicy
from ..session import Session
from .command_line_session import CommandSession, print_endpoint
from .realtime_loop import RealtimeLoop, check_policy
from .window_launcher import GameWindow

if TYPE_CHECKING:
    from ..bus.server.bus_settings import BusSettings

BOOT = "from playhead.cli.main import main; main()"
"""What runs a command in another process, wherever this package lies."""


class GameRequest(NamedTuple):
    """How games are to be opened."""

    game: str
    settings: dict[str, Any]
    """For the game's factory, beside the seed."""
    memory: int | str = "64 MiB"
    older: float = 0.0
    """The share of the memory for the older tier."""
    ring: Path | None = None
    """The file that holds the recording; None for memory alone."""
    bus: "BusSettings | None" = None
    window: bool = False
    """Whether there is one; needs a bus."""
    pause: bool | None = None
    """Whether a failed check stops the game on the bus; None if a tool is connected."""
    print_address: bool = False
    """Whether to say where it is on the bus."""


class OpenGame(NamedTuple):
    """A game that runs under a session."""

    game: Game
    session: Session
    loop: RealtimeLoop | None


class ReplayGames:
    """Opens a game for each seed, at the same address and in the same window. Close it.

    Args:
        game_request: How games are opened.
    """

    def __init__(self, game_request: GameRequest) -> None:
        self._game_request = game_request
        self._bus = game_request.bus
        self._window: GameWindow | None = None
        self._wake: Callable[[], object] = lambda: None
        self._address_printed = False

    @property
    def ended(self) -> bool:
        """Whether the window was closed."""
        return self._window is not None and self._window.code is not None

    @contextlib.contextmanager
    def game(self, seed: int | None) -> Iterator[OpenGame]:
        """A game under a session, until the end of the block.

        Raises:
            GameError: there is no such game, it can't be started, or has no pad.
        """
        request = self._game_request
        if request.ring is not None:
            request.ring.unlink(missing_ok=True)  # of the game before
        with open_game(request.game, seed=seed, **request.settings) as game, CommandSession(
            game.world, request.memory, handlers=game.handlers, on_check=UNKEPT,
            about=game.about, path=request.ring, older=request.older,
            bus=self._bus if self._bus is not None else False,
        ) as session:  # fmt: skip
            if not isinstance(game, Playable):
                raise GameError(f"{game.name} has no pad, so no demo can be replayed in it")
            game.attach(session)
            yield OpenGame(game, session, self._on_bus(game, session))
            if not session.live:
                session.leave()

    def _on_bus(self, game: Game, session: Session) -> RealtimeLoop | None:
        if session.bus is None or self._bus is None:
            return None
        self._bus = self._bus._replace(address=session.bus.endpoint)
        if self._game_request.print_address and not self._address_printed:
            print_endpoint(session)
        self._address_printed = True
        loop = RealtimeLoop(session, game.dt, ended=lambda: self.ended)
        self._wake = loop.wake
        if self._game_request.window and self._window is None:
            focus = game.player if isinstance(game, Playable) else 0
            self._window = GameWindow(session.bus.endpoint, lambda: self._wake(), focus=focus)
        return loop

    def game_port(self, opened: OpenGame, batch: ReplayBatch) -> LocalGame:
        """The game behind the port that replaying uses; tools may send requests to the batch."""
        opened.session.serve(REPLAY, batch.handle_request)
        return LocalGame(opened.game, opened.session, self._loop(opened, batch))

    def _loop(self, opened: OpenGame, batch: ReplayBatch) -> LoopHooks:
        session, loop = opened.session, opened.loop
        if loop is None:
            return LoopHooks()
        steps = 0

        def wait() -> bool:
            nonlocal steps
            steps += 1
            if steps == 2:  # with a first frame there is something to look at
                loop.wait_until(lambda: self._window is None or self._window.ready)
            goes_on = loop.wait_for_step()
            if not goes_on:
                batch.queue.stop()
            return goes_on

        def wait_until(condition: Callable[[], bool]) -> bool:
            while not condition():
                if self._window is None or self.ended:
                    return False  # without a window there is no user to wait for
                loop.wait_until(lambda: condition() or not session.live)
                if not session.live:
                    loop.wait_until_live()
            return True

        def before_update() -> None:
            session.on_check = self._check_policy(session)

        return LoopHooks(
            wait, wait_until, before_update, lambda state: session.publish(REPLAY, state)
        )

    def run_other_process(
        self, opened: OpenGame, command: Sequence[str],
        on_step: Callable[[], object] = lambda: None,
        on_state: Callable[[Mapping[str, Any]], object] = lambda state: None,
    ) -> "OtherProcessResult":  # fmt: skip
        """Let another process play the game until it ends.

        Args:
            on_step: Called after each step.
            on_state: Called with the state of the replay whenever that process tells it.
        """
        game, session, loop = opened
        assert loop is not None
        assert session.bus is not None
        server = GameServer(game, session, on_state=on_state)
        other = OtherProcessGame([*command, "--connect", session.bus.endpoint], loop.wake)
        try:
            steps, crashed = 0, False
            while not other.ended and loop.wait_for_step():
                server.hold()
                try:
                    if not crashed:
                        game.step()
                except Exception as error:
                    crashed = True
                    server.crashed(error)
                session.on_check = self._check_policy(session)
                with contextlib.suppress(Exception) if crashed else contextlib.nullcontext():
                    session.update(game.dt)  # of a crash, too: statements about it are in a frame
                if not crashed:
                    server.recorded()
                steps += 1
                on_step()
                if steps == 1:
                    server.publish()
                    loop.wait_until(lambda: self._window is None or self._window.ready)
                    # Nothing happens to the player until a person plays.
                    loop.wait_until(lambda: server.attended or other.ended)
        finally:
            result = other.close()
        return result

    def _check_policy(self, session: Session) -> CheckPolicy:
        """What a failed check does now. A service whose address nobody was told is gone before
        anybody could open what it recorded."""
        policy = check_policy(session, self._game_request.pause)
        is_told = self._game_request.print_address or self._game_request.window
        return policy if is_told or policy.pause else UNKEPT

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()


class OtherProcessResult(NamedTuple):
    """How a process ended."""

    code: int
    output: str
    """What it wrote to stdout."""
    last_error: str
    """The last line that it wrote to stderr."""


class OtherProcessGame:
    """A `playhead` command in a process of its own. Close it.

    Args:
        command: Its arguments.
        on_end: Called, by a thread, when it has ended.
    """

    def __init__(self, command: Sequence[str], on_end: Callable[[], object]) -> None:
        # It finds this package the way this process did, whatever way that was.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        # Its warnings are ours already, and its troubles are in its reports.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (`close` does)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", BOOT, *command], stdout=subprocess.PIPE,
            stderr=self._errors, stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self._output = b""
        self._on_end = on_end
        self.ended = False
        """Whether it has closed its output."""
        self._thread = threading.Thread(target=self._listen, name="agent", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            self._output = pipe.read()
        self.ended = True
        self._on_end()

    def close(self) -> OtherProcessResult:
        """End it if it runs; returns what came of it."""
        if not self.ended:
            self._process.terminate()
        try:
            code = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._thread.join()
        with self._errors as file:
            file.seek(0)
            errors = file.read().decode(errors="replace").splitlines()
        last = next((line for line in reversed(errors) if line.strip()), "")
        return OtherProcessResult(code, self._output.decode(errors="replace"), last)
