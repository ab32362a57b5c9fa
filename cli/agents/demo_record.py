"""`playhead demo-record`: how a person plays, as a demo for agents, with its two saved games."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ...agents.demo_reader import read_demo
from ...agents.playthrough.playthrough_settings import chosen_settings
from ...agents.recorded_demo import INTERVAL, DemoWriter
from ...agents.replay.demo_files import end_of, start_of
from ...agents.replay.game_facts import columns_of, facts_of
from ...agents.replay.game_port import communication_steps
from ...agents.replay.menu_driver import drive
from ...errors import CommandError, GameError, RecordingError
from ...games.game import Game
from ...games.game_catalog import FAMILIES, open_game
from ...games.playable import Observation, Playable, Saves
from ...playback.pads.pad import NEUTRAL, Pad
from ...recorder.saving.atomic_file import check_free
from ...runner.command_failure import CommandFailure
from ...runner.replay_games import own_path
from ...runner.runner import RunOptions, progress, record
from ...runner.terminal.signal_handling import Stopper, Terminated, exception_of_signal
from ...runner.terminal.terminal_output import echo
from ..bus.bus_options import settings_of
from ..bus.client_options import FILE
from ..games.run import HIDDEN, can_have_window

MOST = 600.0
"""Seconds of game time after which a scripted person ends that does not come to the game's end."""


@click.command()
@click.argument("game")
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.csv")
@click.option(
    "--seconds", type=float,
    help=f"Game time to record; by default until the window is closed, headless until the game is"
    f" finished, {MOST:g} at most.",
)  # fmt: skip
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
@click.option(
    "--from", "begin", type=FILE, metavar="SAVE",
    help="Go on from a saved game, such as the one at another demo's end.",
)  # fmt: skip
@click.option("--headless", is_flag=True, help="Without a window: the scripted person plays.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def demo_record(
    game: str, out: Path, seconds: float | None, seed: int | None, skill: int | None,
    begin: Path | None, headless: bool, as_json: bool,
) -> None:  # fmt: skip
    """Record a demo of GAME as OUT.csv, a row for each communication frame.

    With a display a person plays, with keyboard or gamepad, until the window is closed; headless,
    or without a display, the game's scripted person does. Where the game has saved games one is
    written at the start, OUT.start.save, and one at the end, OUT.end.save: `playhead replay` loads
    the first, and a demo that is recorded --from the second follows on without loading. No file is
    ever replaced.

    \b
    Example:
      playhead demo-record arena:village village.csv
      playhead demo-record arena:village two.csv --from one.end.save
      playhead demo-record arena:village village.csv --headless --seed 3
    """
    if seconds is not None and not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: record for more than 0 seconds")
    for path in (out, start_of(out), end_of(out)):
        check_free(path)
    own_path(game, list(FAMILIES))
    window = not headless and can_have_window(locked=False)
    settings: dict[str, Any] = {} if skill is None else {"skill": skill}
    with open_game(game, seed=seed, **settings) as running:
        if not isinstance(running, Playable):
            raise GameError(f"{running.name} has no pad, so there is no demo of it")
        _begin(running, begin, out)
        if window:
            bus = settings_of(HIDDEN, None, None)
            options = RunOptions(seconds, bus=bus, window=True, demo=out)
            signal = record(running, options, print_address=False).signal
        else:
            signal = _play(running, out, seconds)
        _end(running, out)
        seen = running.observe()
        facts = {
            "game": running.name, "demo": str(out), "rows": len(read_demo(out)),
            "start": _there(start_of(out)), "end": _there(end_of(out)),
            "finished": seen.finished, "dead": seen.dead,
        }  # fmt: skip
    if signal:
        failure = CommandFailure.of(exception_of_signal(signal)).with_detail(
            f"what was played is in {out}"
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
    settings = chosen_settings(game.name, facts_of(game).settings)
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


def _play(game: Game, out: Path, seconds: float | None) -> int:
    """The scripted person plays, until the game is finished, the time is over or a signal comes.

    Returns the number of the signal; 0 if there was none.
    """
    assert isinstance(game, Playable)
    most = max(1, round((MOST if seconds is None else seconds) / game.dt))
    columns = columns_of(game)
    with Stopper() as stopper, DemoWriter(out, game.dt, held=NEUTRAL, columns=columns) as writer:
        try:
            for _ in _steps(most, game.name):
                with stopper.step():
                    game.hold(None)
                    game.step()
                    seen = game.observe()
                    row = writer.step(game.pad, seen)
                if row and seconds is None and (seen.finished or seen.dead):
                    return 0
        except (KeyboardInterrupt, Terminated):
            if stopper.interrupted_step:
                raise  # the game can't be saved from within a step
            return stopper.number
    if seconds is None:
        reason = f"the scripted person has not come to the game's end after {MOST:g} s"
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
