"""`playhead demo-record`: records a person's play as a demo, with two saved games."""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ...agents.demo_reader import read_demo
from ...agents.playthrough.playthrough_settings import chosen_settings
from ...agents.recorded_demo import INTERVAL, DemoWriter
from ...agents.replay.demos.demo_files import end_of, start_of
from ...agents.replay.demos.python_script_player import Script, load_script
from ...agents.replay.demos.remote_demo_recorder import RecordedPlay, record_remote_demo
from ...agents.replay.game_description import columns_of, description_of
from ...agents.replay.menu_driver import drive
from ...agents.replay.remote_game import RemoteGame
from ...agents.replay.replay_game_interface import communication_steps
from ...errors import CommandError, GameError, RecordingError
from ...games.game_catalog import FAMILIES, open_game
from ...games.game_interface import Game
from ...games.playable_as_game import check_person
from ...games.playable_interface import Observation, Playable, Saves
from ...games.user_code_loader import own_path
from ...playback.pads.pad import NEUTRAL, Pad
from ...recorder.saving.atomic_file import check_free
from ...runner.command_error import CommandFailure
from ...runner.runner import RunOptions, progress, record
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.signal_handling import Stopper, Terminated, exception_of_signal
from ...runner.terminal.terminal_game import TerminalGame
from ..bus.bus_server_options import settings_of
from ..bus.connection_options import FILE, connected
from ..games.run import HIDDEN, can_have_window

MOST = 600.0
"""Seconds of game time after which a scripted person ends that does not come to the game's end."""


WINDOW_KEYS = (
    "a window opens: W A S D is the left stick, the arrow keys the right one; Space or J, K, U, I"
    " are A, B, X, Y;",
    "C and Shift LB and RB, Q and E the triggers, T F G H the D-pad; a gamepad works beside them."
    " Closing the window, or Ctrl-C, ends the demo.",
)
"""What a person has to know before the window opens."""


@click.command()
@click.argument("what", nargs=-1, metavar="GAME OUT.csv")
@click.option(
    "--seconds", type=float,
    help=f"The most game time to record; by default until the window is closed, headless"
    f" {MOST:g}. It also ends when the game is finished.",
)  # fmt: skip
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
@click.option(
    "--from", "begin", type=FILE, metavar="SAVE",
    help="Go on from a saved game, such as the one at another demo's end.",
)  # fmt: skip
@click.option("--headless", is_flag=True, help="Without a window: the scripted person plays.")
@click.option("--terminal", is_flag=True, help="Play in this terminal, if the game can be text.")
@click.option(
    "--script", default="", metavar="FILE.py",
    help="A function person(observation) that holds the pad: file.py, or module:function.",
)  # fmt: skip
@click.option("--connect", metavar="ENDPOINT", help="Record a game that runs on the bus.")
@click.option("--keys", type=FILE, help="With --connect: your NAME.key_secret.")
@click.option("--server", type=FILE, help="With --connect: the service's public key.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def demo_record(
    what: tuple[str, ...], seconds: float | None, seed: int | None, skill: int | None,
    begin: Path | None, headless: bool, terminal: bool, script: str, connect: str | None,
    keys: Path | None, server: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Record a demo of GAME as OUT.csv, a row for each communication frame.

    With a display a person plays in a window, with keyboard or gamepad, until it is closed. With
    --terminal a person plays right here. Headless, or without a display, the game's scripted person
    plays, or the function of --script. With --connect a person plays the game where it runs, by its
    own keyboard or gamepad, until the game is finished or Ctrl-C is pressed here.

    Where the game has saved games one is written at the start, OUT.start.save, and one at the end,
    OUT.end.save: `playhead replay` loads the first, and a demo that is recorded --from the second
    follows on without loading. No file is ever replaced.

    \b
    Example:
      playhead demo-record arena:village village.csv
      playhead demo-record arena:village two.csv --from one.end.save
      playhead demo-record maze.py:Maze walk.csv --headless
      playhead demo-record maze.py:Maze walk.csv --script player.py
      playhead demo-record --connect 5670 walk.csv
    """
    wanted = 1 if connect is not None else 2
    if len(what) != wanted:
        given = "OUT.csv, without a game" if connect is not None else "GAME OUT.csv"
        raise click.UsageError(f"write {given}")
    out, game = Path(what[-1]), what[0]
    if seconds is not None and not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: record for more than 0 seconds")
    for path in (out, start_of(out), end_of(out)):
        check_free(path)
    if script:
        own_path(script, ())
    plays = load_script(script) if script else None
    if connect is not None:
        facts, number = _record_connected(
            connect, keys, server, out, seconds=seconds, seed=seed, begin=begin, script=plays
        )
        _report(facts, number, as_json=as_json)
        return
    own_path(game, list(FAMILIES))
    alone = headless or terminal or plays is not None
    window = not alone and can_have_window(locked=False)
    settings: dict[str, Any] = {} if skill is None else {"skill": skill}
    with open_game(game, seed=seed, **settings) as running:
        if not isinstance(running, Playable):
            raise GameError(f"{running.name} has no pad, so there is no demo of it")
        _begin(running, begin, out)
        if window:
            echo(WINDOW_KEYS, err=True)
            bus = settings_of(HIDDEN, None, None)
            options = RunOptions(seconds, bus=bus, window=True, demo=out)
            signal = record(running, options, print_address=False).signal
        else:
            signal = _play(running, out, seconds, plays, terminal=terminal)
        _end(running, out)
        facts = _facts(running.name, out, running.observe())
    _report(facts, signal, as_json=as_json)


def _facts(game: str, out: Path, seen: Observation) -> dict[str, Any]:
    return {
        "game": game, "demo": str(out), "rows": len(read_demo(out)),
        "start": _there(start_of(out)), "end": _there(end_of(out)),
        "finished": seen.finished, "dead": seen.dead,
    }  # fmt: skip


def _report(facts: dict[str, Any], signal: int, *, as_json: bool) -> None:
    """Print what was recorded; after a signal also that, and exit with the shell's code."""
    if signal:
        failure = CommandFailure.of(exception_of_signal(signal)).with_detail(
            f"what was played is in {facts['demo']}"
        )
        if not as_json:
            echo(summary_text(facts))
        failure.print(as_json=as_json, extra=facts)
        click.get_current_context().exit(failure.code)
    echo(json.dumps(facts) if as_json else summary_text(facts))


def _begin(game: Game, begin: Path | None, out: Path) -> None:
    if begin is not None:
        if not isinstance(game, Saves):
            raise CommandError(f"{game.name} has no saved games, so it can't go on from {begin}")
        game.load(begin)
    settings = chosen_settings(game.name, description_of(game).settings)
    drive(_by_frames(game), settings.orders, game.name)
    if begin is not None:
        # The same to the last byte: that says that this demo follows on the one that ended there.
        shutil.copyfile(begin, start_of(out))
    elif isinstance(game, Saves):
        game.save(start_of(out))


def _by_frames(game: Game) -> Callable[[Pad], Observation]:
    """Plays a game that is not recorded, a communication frame at a time."""
    assert isinstance(game, Playable)
    steps = communication_steps(game.dt)

    def next(pad: Pad) -> Observation:
        game.hold(pad)
        for _ in range(steps):
            game.step()
        return game.observe()

    return next


def _end(game: Game, out: Path) -> None:
    if not isinstance(game, Saves):
        return
    try:
        game.save(end_of(out))
    except GameError as error:  # what was played is worth something all the same
        echo(f"playhead: no saved game at the demo's end: {error}", err=True)


def _record_connected(
    endpoint: str, keys: Path | None, server: Path | None, out: Path, *, seconds: float | None,
    seed: int | None, begin: Path | None, script: Script | None,
) -> tuple[dict[str, Any], int]:  # fmt: skip
    """Record a game where it runs; the facts, and the number of the signal that ended it."""
    with connected(endpoint, keys, server, name="demo-record") as client:
        port = RemoteGame(client)
        if seed is not None and not port.can_restart:
            raise CommandError(f"--seed {seed}: {port.name} can't be restarted with a seed")
        if begin is not None and not port.can_load:
            raise CommandError(f"{port.name} has no saved games, so it can't go on from {begin}")
        if seed is not None or (port.can_restart and begin is None):
            port.restart(seed)
        if begin is not None:
            port.load(begin)
        settings = chosen_settings(port.name, port.facts.settings)
        if script is not None:
            drive(port.next, settings.orders, port.name)
        if begin is not None:
            shutil.copyfile(begin, start_of(out))
        elif port.facts.saves:
            port.save(start_of(out))
        who = "the script plays" if script is not None else "play where the game runs"
        echo(f"recording {port.name}: {who}; Ctrl-C here ends the demo", err=True)
        ended: RecordedPlay | None = None
        with Stopper() as stopper:
            try:
                with stopper.step():
                    ended = record_remote_demo(
                        port, out, seconds=seconds, script=script,
                        goes_on=lambda: not stopper.number,
                    )  # fmt: skip
            except KeyboardInterrupt:
                if ended is None:
                    raise
        if ended.lost:
            echo(
                f"playhead: {ended.lost} observations were lost on the way: so many rows may be"
                " missing", err=True,
            )  # fmt: skip
        if port.facts.saves:
            port.save(end_of(out))
        port.hold(NEUTRAL)
        return _facts(port.name, out, ended.seen), 0


def _play(
    game: Game, out: Path, seconds: float | None, script: Script | None, *, terminal: bool
) -> int:
    """The player without a window: a person in the terminal, a script, or the game's own.

    It ends when the game is finished, the time is over or a signal comes. Returns the number of the
    signal; 0 if there was none.
    """
    assert isinstance(game, Playable)
    if script is None and not terminal:
        check_person(game)
    most = max(1, round((MOST if seconds is None else seconds) / game.dt))
    columns = columns_of(game)
    with contextlib.ExitStack() as stack:
        screen = stack.enter_context(TerminalGame(game)) if terminal else None
        stopper = stack.enter_context(Stopper())
        writer = stack.enter_context(DemoWriter(out, game.dt, held=NEUTRAL, columns=columns))
        held: Pad | None = None
        if script is not None:
            held = script(game.observe())
        try:
            for _ in _steps(most, game.name) if screen is None else range(most):
                if screen is not None:
                    held = screen.pad()
                    if held is None:
                        return 0
                with stopper.step():
                    game.hold(held)
                    game.step()
                    seen = game.observe()
                    row = writer.step(game.pad, seen)
                if row and script is not None:
                    held = script(seen)
                if row and (seen.finished or seen.dead):
                    return 0
        except (KeyboardInterrupt, Terminated):
            if stopper.interrupted_step:
                raise  # the game can't be saved from within a step
            return stopper.number
    if seconds is None:
        reason = f"the game's end was not reached after {MOST:g} s"
        raise RecordingError(f"{game.name}: {reason}; {out} is kept; --seconds ends it earlier")
    return 0


def _steps(most: int, name: str) -> Iterator[int]:
    return progress(most, f"recording {name}")


def _there(path: Path) -> str | None:
    return str(path) if path.exists() else None


def summary_text(facts: dict[str, Any]) -> list[str]:
    """The facts as a few lines to be read."""
    seconds = facts["rows"] * INTERVAL
    lines = [f"{facts['demo']}: {facts['rows']:,} rows, {seconds:.1f} s of {facts['game']}"]
    lines += [f"saved     {facts[end]}" for end in ("start", "end") if facts[end] is not None]
    if facts["dead"]:
        lines.append("the player is dead at the end: no good demo to follow")
    return lines
