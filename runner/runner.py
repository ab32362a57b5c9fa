"""Runs a game under a session: its loop, its pad and its window."""

import contextlib
import itertools
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click
import msgspec

from ..errors import GameError, PlayheadError
from ..games.game_interface import Game
from ..games.playable_interface import Playable
from ..playback.commands import Enter
from ..recorder.checks.check_policy import UNATTENDED, CheckPolicy
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.text.terminal_text import terminal_line
from ..session import Session
from .command_error import CommandFailure
from .command_line_session import CommandSession, print_endpoint
from .manual_play_session import ManualPlayControls
from .realtime_loop import RealtimeLoop, check_policy
from .terminal.progress_bar import bar
from .terminal.safe_terminal_output import echo
from .terminal.signal_handling import Stopper, Terminated, exception_of_signal
from .window_launcher import GameWindow

if TYPE_CHECKING:
    from ..bus.server.bus_settings import BusSettings


class RunOptions(NamedTuple):
    """How a game is to be run."""

    seconds: float | None = None
    """Seconds of game time; None until its window is closed."""
    memory: str = "64 MiB"
    ring: str | None = None
    bus: "BusSettings | None" = None
    """The address on the bus; with one the game runs in real time and obeys tools."""
    window: bool = False
    """Whether the game gets a window; needs a bus."""
    pause: bool | None = None
    """Whether a failed check stops it on the bus; None if a tool is connected."""
    clip: Path | None = None
    """Save the recording to this file at the end, or when the game raises."""
    demo: Path | None = None


class RunResult(NamedTuple):
    """The result of a run."""

    facts: dict[str, Any]
    signal: int
    """The number of the signal that ended it; 0 if none did."""
    lost: str
    """Why there is no clip after a signal; empty if there is one, or none was asked for."""

    def end(self, *, as_json: bool, lines: list[str]) -> None:
        """Print what was recorded; after a signal also that, and exit with the shell's code."""
        if not self.signal:
            echo(json.dumps(self.facts) if as_json else lines)
            return
        saved_clip, failure = (
            self.facts["clip"],
            CommandFailure.of(exception_of_signal(self.signal)),
        )
        if saved_clip is not None:
            failure = failure.with_detail(f"what was held until then is in {saved_clip}")
        elif self.lost:
            failure = failure.with_detail(self.lost)
        if not as_json:
            echo(lines)
        failure.print(as_json=as_json, extra=self.facts)
        click.get_current_context().exit(failure.code)


def record(game: Game, options: RunOptions, *, print_address: bool = True) -> RunResult:
    """Run a game under a session.

    A signal ends the run; the recording is saved as always. A second signal while it is saved gives
    the clip up, and leaves no file.

    Args:
        print_address: Whether to print the address on the bus.
    """
    with Stopper() as stopper, CommandSession(
        game.world, options.memory, handlers=game.handlers, path=options.ring, on_check=UNATTENDED,
        about=game.about, bus=options.bus if options.bus is not None else False,
    ) as session, contextlib.ExitStack() as later:  # fmt: skip
        game.attach(session)
        session.on_failed_check(lambda failed: None)  # the facts at the end list all of them
        if print_address and session.bus is not None:
            print_endpoint(session)
        game_loop = _GameLoop(game, session, options, later, stopper)
        try:
            game_loop.run()
            stopper.finish()
        except (KeyboardInterrupt, Terminated) as error:
            stopper.finish(error)
        later.close()  # files beside the recording are complete now
        if not session.live:
            session.leave()
        facts, lost = description_of(game, session, hashed=not stopper.interrupted_step), ""
        if options.clip is not None:
            facts["clip"], lost = _saved(session, options.clip, stopper)
        if game_loop.window is not None and game_loop.window.code:
            raise GameError(
                f"{game.name}: the window broke, with exit code {game_loop.window.code};"
                " --headless goes without one"
            )
        return RunResult(facts, stopper.number, lost)


def _saved(session: Session, path: Path, stopper: Stopper) -> tuple[str | None, str]:
    """Save the clip of a run: its file, or why a signal's run has none."""

    def warn() -> None:
        echo(f"playhead: saving {path}: a second signal gives it up", err=True)

    try:
        with bar("saving") as update:
            saved = session.save(path, progress=stopper.finishing_progress(update, warn))
    except (KeyboardInterrupt, Terminated):
        return None, f"{path} was given up: there is no clip"
    except PlayheadError as error:
        if not stopper.number:
            raise
        return None, str(error)
    if saved.older is not None:
        echo(f"playhead: {path}: the clip that was there is now {saved.older}", err=True)
    return str(saved.path), ""


class _GameLoop:
    """One run: the loop around the game's steps."""

    def __init__(
        self, game: Game, session: Session, options: RunOptions, later: contextlib.ExitStack,
        stopper: Stopper,
    ) -> None:  # fmt: skip
        self.game, self.session, self.options, self.stopper = game, session, options, stopper
        self.window: GameWindow | None = None
        self.loop = None
        if options.bus is not None:
            self.loop = RealtimeLoop(session, game.dt, ended=self._is_closed)
        self._later = later
        self.interaction: ManualPlayControls

    def _is_closed(self) -> bool:
        return self.window is not None and self.window.code is not None

    def run(self) -> None:
        """Run it to its end.

        Raises:
            GameError: the game raised.
        """
        if self.options.window:
            self.window = self._open_window()
            self._later.callback(self.window.close)
        self.interaction = ManualPlayControls(
            self.game, self.session, window=self.window, demo=self.options.demo
        )
        self._later.callback(self.interaction.close)
        try:
            for step in self._steps():
                with self.stopper.step():
                    self._step(step)
                if step == 0 and self.loop is not None:
                    # With a first frame there is something to look at.
                    self.loop.wait_until(lambda: self.window is None or self.window.ready)
            if self.loop is not None:
                self.loop.wait_for_step()
        except KeyboardInterrupt:
            if self.window is None:
                raise
            self.stopper.clear()  # the same as closing the window

    def _open_window(self) -> GameWindow:
        assert self.loop is not None
        assert self.session.bus is not None
        game = self.game
        playable = game if isinstance(game, Playable) else None
        return GameWindow(
            self.session.bus.endpoint, self.loop.wake, ring=self.options.ring,
            focus=0 if playable is None else playable.player, played=playable is not None,
            turns=playable is not None and playable.sticks == "world",
        )  # fmt: skip

    def _steps(self) -> Iterator[int]:
        """Count steps, each when it is due."""
        if self.options.seconds is None:
            steps: Iterator[int] = itertools.count()
        else:
            most = max(1, round(self.options.seconds / self.game.dt))
            steps = iter(range(most)) if self.options.window else progress(most, self.game.name)
        for step in steps:
            if self.loop is not None and not self.loop.wait_for_step():
                return
            yield step

    def _step(self, step: int) -> None:
        self.interaction.before()
        try:
            self.game.step()
        except GameError as error:
            self.stopper.check()  # a child process of the game may have got the signal, too
            self._raise_game_end(error)
        except PlayheadError:
            raise
        except Exception as error:
            self.stopper.check()
            self._raise_game_error(step, error)
        self.interaction.after()
        if self.loop is not None:
            self.session.on_check = check_policy(self.session, self.options.pause)
        self.session.update(self.game.dt)
        self.interaction.recorded()

    def _raise_game_end(self, error: GameError) -> NoReturn:
        """The game has ended itself, with a reason: save a clip, and raise."""
        if self.options.clip is None:
            raise error
        raise GameError(
            f"{error}; {save_after_error(self.session, error, self.options.clip)}"
        ) from error

    def _raise_game_error(self, step: int, error: Exception) -> NoReturn:
        message = f"{self.game.name}: step {step + 1} raised {error!r}"
        if self.options.clip is not None:
            message += f"; {save_after_error(self.session, error, self.options.clip)}"
        if self.window is not None and not self._is_closed():
            self._inspect_failure(message, error)
        raise GameError(message) from error

    def _inspect_failure(self, message: str, error: Exception) -> None:
        """The game can't go on; keep its window open to look at the recording."""
        session, location = self.session, traceback.extract_tb(error.__traceback__)[-1]
        session.on_check = CheckPolicy()
        session.report_failed_check(
            FailedCheck(message, location.line or "", 0, location.filename, location.lineno or 0, 0)
        )
        session.update(self.game.dt)
        assert self.loop is not None
        assert self.window is not None
        self.window.send(f"say {message}: it can be looked into, not resumed")
        while not self._is_closed():
            if session.live:
                session.apply(Enter(), now=True)
            self.loop.wait_until_live()


def save_after_error(session: Session, error: Exception, clip: Path) -> str:
    """Save a clip after an error of the game; returns a text that says where it is."""
    found = session.clips.rescue(error, path=clip, pre=float("inf"))
    if found.saved is not None:
        return f"what led to it is in {found.saved.path}"
    return f"what led to it could not be saved: {found.error or 'it took too long'}"


def description_of(game: Game, session: Session, *, hashed: bool = True) -> dict[str, Any]:
    """What a run was, in plain values.

    Args:
        hashed: Whether the game can be asked for its state's hash.
    """
    status, span = session.status, session.source.span
    newest = [] if span is None else session.source.objects(span.newest)
    return {
        "game": game.name,
        "frames": status.frames,
        "seconds": span.end if span else 0.0,
        "objects": len(newest),
        "packets": status.packets,
        "ring_bytes": status.memory,
        "seconds_held": status.seconds_held,
        "frame_cost_us": {"p50": status.cost_us_p50, "p99": status.cost_us_p99},
        "dropped": status.packets_dropped + status.calls_dropped + status.latch_refused,
        "losses": []
        if span is None
        else [msgspec.to_builtins(loss) for loss in session.source.losses(span.newest)],
        "state_hash": game.state_hash() if hashed else None,
        "asserts": [
            {
                "time": failed.time,
                "frame": failed.frame,
                "object": failed.object,
                "message": failed.message,
            }
            for failed in session.failed_checks
        ],
        "clip": None,
    }


@contextlib.contextmanager
def _bar(steps: int, label: str) -> Iterator[Iterator[int]]:
    with click.progressbar(range(steps), label=terminal_line(label), file=sys.stderr) as bar:
        yield iter(bar)


def progress(steps: int, label: str) -> Iterator[int]:
    """Count steps, with a progress bar if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield from range(steps)
        return
    with _bar(steps, label) as bar:
        yield from bar
