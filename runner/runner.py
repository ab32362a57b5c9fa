"""A game that runs under a session: its loop, whoever plays it and wherever it is seen."""

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
from ..games.game import Game
from ..games.playable import Playable
from ..playback.commands import Enter
from ..recorder.failed_checks import UNATTENDED, CheckPolicy, FailedCheck
from ..recorder.text.terminal_text import terminal_line
from ..session import Session
from .command_failure import Failure
from .command_session import CommandSession, print_endpoint
from .game_interaction import GameInteraction
from .game_window import GameWindow
from .realtime_loop import RealtimeLoop, policy
from .terminal.progress_bar import bar
from .terminal.signal_handling import Stopper, Terminated, raised_by
from .terminal.terminal_output import echo

if TYPE_CHECKING:
    from ..bus.server.bus_settings import BusSettings


class RunOptions(NamedTuple):
    """How a game is to be run."""

    seconds: float | None = None
    """Of game time; None until its window is closed."""
    memory: str = "64 MiB"
    ring: str | None = None
    bus: "BusSettings | None" = None
    """Where to be on the bus; then the game runs in real time and obeys tools."""
    window: bool = False
    """Whether it gets one; needs a bus."""
    pause: bool | None = None
    """Whether a failed check stops it on the bus; None if a tool is connected."""
    clip: Path | None = None
    """The file for what is held at the end, or when the game raises."""
    demo: Path | None = None


class RunResult(NamedTuple):
    """What came of a run."""

    facts: dict[str, Any]
    signal: int
    """The number of the signal that ended it; 0 if it came to its own end."""
    lost: str
    """Why there is no clip of what a signal ended; empty if there is one, or none was wanted."""

    def end(self, *, as_json: bool, lines: list[str]) -> None:
        """Say what was recorded. After a signal, say so too, and exit with the shell's code."""
        if not self.signal:
            echo(json.dumps(self.facts) if as_json else lines)
            return
        kept, failure = self.facts["clip"], Failure.of(raised_by(self.signal))
        if kept is not None:
            failure = failure.with_words(f"what was held until then is in {kept}")
        elif self.lost:
            failure = failure.with_words(self.lost)
        if not as_json:
            echo(lines)
        failure.tell(as_json=as_json, beside=self.facts)
        click.get_current_context().exit(failure.code)


def record(game: Game, wishes: RunOptions, *, tells: bool = True) -> RunResult:
    """Run a game under a session.

    A signal that asks the process to end ends the run only: what is held is saved as always. One
    more while it is saved gives the clip up, and leaves nothing of it.

    Args:
        tells: Whether to say where it is on the bus.
    """
    with Stopper() as stopper, CommandSession(
        game.world, wishes.memory, handlers=game.handlers, path=wishes.ring, on_check=UNATTENDED,
        about=game.about, bus=wishes.bus if wishes.bus is not None else False,
    ) as session, contextlib.ExitStack() as later:  # fmt: skip
        game.attach(session)
        session.on_failed_check(lambda failed: None)  # the facts at the end tell of all of them
        if tells and session.bus is not None:
            print_endpoint(session)
        run = _Run(game, session, wishes, later, stopper)
        try:
            run.go()
            stopper.finish()
        except (KeyboardInterrupt, Terminated) as error:
            stopper.finish(error)
        later.close()  # what is written beside the recording is whole now
        if not session.live:
            session.leave()
        facts, lost = facts_of(game, session, hashed=not stopper.broke_off), ""
        if wishes.clip is not None:
            facts["clip"], lost = _saved(session, wishes.clip, stopper)
        if run.screen is not None and run.screen.code:
            raise GameError(
                f"{game.name}: the window broke, with exit code {run.screen.code};"
                " --headless goes without one"
            )
        return RunResult(facts, stopper.number, lost)


def _saved(session: Session, path: Path, stopper: Stopper) -> tuple[str | None, str]:
    """Save the clip of a run: its file, or why a signal's run has none."""

    def warn() -> None:
        echo(f"playhead: saving {path}: once more gives it up", err=True)

    try:
        with bar("saving") as tell:
            saved = session.save(path, progress=stopper.while_finishing(tell, warn))
    except (KeyboardInterrupt, Terminated):
        return None, f"{path} was given up: there is no clip"
    except PlayheadError as error:
        if not stopper.number:
            raise
        return None, str(error)
    if saved.older is not None:
        echo(f"playhead: {path}: the clip that was there is now {saved.older}", err=True)
    return str(saved.path), ""


class _Run:
    """One run: the loop around the game's steps."""

    def __init__(
        self, game: Game, session: Session, wishes: RunOptions, later: contextlib.ExitStack,
        stopper: Stopper,
    ) -> None:  # fmt: skip
        self.game, self.session, self.wishes, self.stopper = game, session, wishes, stopper
        self.screen: GameWindow | None = None
        self.pace = None
        if wishes.bus is not None:
            self.pace = RealtimeLoop(session, game.dt, ended=self._ended)
        self._later = later
        self.playing: GameInteraction

    def _ended(self) -> bool:
        return self.screen is not None and self.screen.code is not None

    def go(self) -> None:
        """Run it to its end.

        Raises:
            GameError: the game raised.
        """
        if self.wishes.window:
            self.screen = self._open_screen()
            self._later.callback(self.screen.close)
        self.playing = GameInteraction(
            self.game, self.session, screen=self.screen, demo=self.wishes.demo
        )
        self._later.callback(self.playing.close)
        try:
            for step in self._steps():
                with self.stopper.step():
                    self._step(step)
                if step == 0 and self.pace is not None:
                    # With a first frame there is something to look at.
                    self.pace.await_news(lambda: self.screen is None or self.screen.ready)
            if self.pace is not None:
                self.pace.await_step()
        except KeyboardInterrupt:
            if self.screen is None:
                raise
            self.stopper.forgive()  # the same as closing the window

    def _open_screen(self) -> GameWindow:
        assert self.pace is not None
        assert self.session.bus is not None
        game = self.game
        playable = game if isinstance(game, Playable) else None
        return GameWindow(
            self.session.bus.endpoint, self.pace.wake, ring=self.wishes.ring,
            focus=0 if playable is None else playable.player, played=playable is not None,
            turns=playable is not None and playable.sticks == "world",
        )  # fmt: skip

    def _steps(self) -> Iterator[int]:
        """Count steps, each when it is due."""
        if self.wishes.seconds is None:
            steps: Iterator[int] = itertools.count()
        else:
            most = max(1, round(self.wishes.seconds / self.game.dt))
            steps = iter(range(most)) if self.wishes.window else progress(most, self.game.name)
        for step in steps:
            if self.pace is not None and not self.pace.await_step():
                return
            yield step

    def _step(self, step: int) -> None:
        self.playing.before()
        try:
            self.game.step()
        except GameError as error:
            self.stopper.check()  # what the game is made of may have had the signal, too
            self._ended_itself(error)
        except PlayheadError:
            raise
        except Exception as error:
            self.stopper.check()
            self._broke(step, error)
        self.playing.after()
        if self.pace is not None:
            self.session.on_check = policy(self.session, self.wishes.pause)
        self.session.update(self.game.dt)
        self.playing.recorded()

    def _ended_itself(self, error: GameError) -> NoReturn:
        """The game has nothing more to show, and says why: what led there is kept."""
        if self.wishes.clip is None:
            raise error
        raise GameError(f"{error}; {rescued(self.session, error, self.wishes.clip)}") from error

    def _broke(self, step: int, error: Exception) -> NoReturn:
        told = f"{self.game.name}: step {step + 1} raised {error!r}"
        if self.wishes.clip is not None:
            told += f"; {rescued(self.session, error, self.wishes.clip)}"
        if self.screen is not None and not self._ended():
            self._look_into(told, error)
        raise GameError(told) from error

    def _look_into(self, told: str, error: Exception) -> None:
        """The game can't go on, but whoever played it can look into what led there."""
        session, place = self.session, traceback.extract_tb(error.__traceback__)[-1]
        session.on_check = CheckPolicy()
        session.report_failed_check(
            FailedCheck(told, place.line or "", 0, place.filename, place.lineno or 0, 0)
        )
        session.update(self.game.dt)
        assert self.pace is not None
        assert self.screen is not None
        self.screen.say(f"say {told}: it can be looked into, not resumed")
        while not self._ended():
            if session.live:
                session.apply(Enter(), now=True)
            self.pace.stand()


def rescued(session: Session, error: Exception, clip: Path) -> str:
    """Save what led to an error of the game's, and say where it is."""
    found = session.clips.rescue(error, path=clip, pre=float("inf"))
    if found.saved is not None:
        return f"what led to it is in {found.saved.path}"
    return f"what led to it could not be saved: {found.error or 'it took too long'}"


def facts_of(game: Game, session: Session, *, hashed: bool = True) -> dict[str, Any]:
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
    """Count steps, with a progress bar if somebody is looking."""
    if not sys.stderr.isatty():
        yield from range(steps)
        return
    with _bar(steps, label) as bar:
        yield from bar
