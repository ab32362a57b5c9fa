"""`playhead run`: runs a game under the recorder, in a window, on the bus, or at full speed."""

import os
import sys
from pathlib import Path
from typing import Any, cast

import click

from ...errors import CommandError
from ...games.game_catalog import ASKS, FAMILIES, open_game
from ...games.game_interface import Game
from ...recorder.monotonic_timeline import exactly
from ...recorder.saving.atomic_file import check_free
from ...runner.runner import RunOptions, record
from ...runner.terminal.safe_terminal_output import echo
from ...viewer_process import why_no_window
from ..bus.bus_server_options import BusCommand, bus_options, settings_of
from ..recordings.clip_commands import loss_lines

SECONDS = 60.0
"""Default length of a run without a window: seconds of game time."""
HIDDEN = "tcp://127.0.0.1:*"
"""Where a game is on the bus of which only its own window knows."""


@click.command(cls=BusCommand)
@click.argument("game")
@click.option(
    "--seconds", type=float,
    help=f"Game time to run: {SECONDS:g} by default, in a window until it is closed.",
)  # fmt: skip
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option("--ring", type=click.Path(dir_okay=False), help="Keep the recording in this file.")
@click.option(
    "--clip", type=click.Path(dir_okay=False, path_type=Path),
    help="At the end save what is held as this clip; also if the game breaks, or at Ctrl-C. A clip"
    " that is there is kept as NAME.1.mcap.",
)  # fmt: skip
@click.option(
    "--demo", type=click.Path(dir_okay=False, path_type=Path), metavar="CSV",
    help="Record how the game is played, for agents to follow.",
)  # fmt: skip
@click.option("--guards", type=int, help="arena:yard: how many guards there are.")
@click.option(
    "--mode",
    help="arena:doomlike: train-free, train-goto, train-attack, train-mix, test; or ask, to choose"
    " on the start screen within 45 s. By default ask in a window, else train-mix.",
)
@click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
@click.option(
    "--tree", metavar="WORKSPACE", help="Let an agent of this workspace drive: a behaviour tree."
)
@click.option("--agent", metavar="NAME", help="--tree: which agent; the first one by default.")
@click.option("--headless", is_flag=True, help="Without a window.")
@bus_options
@click.option(
    "--pause/--no-pause", default=None,
    help="With a window or --bus: whether a failed check stops the game; by default if anybody"
    " watches.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def run(
    game: str,
    seconds: float | None,
    seed: int | None,
    memory: str,
    ring: str | None,
    clip: Path | None,
    demo: Path | None,
    guards: int | None,
    mode: str | None,
    skill: int | None,
    tree: str | None,
    agent: str | None,
    headless: bool,
    bus: str | None,
    keys: Path | None,
    clients: Path | None,
    pause: bool | None,
    as_json: bool,
) -> None:
    """Run GAME under the recorder and say what was recorded.

    GAME is arena:LEVEL, doom:SCENARIO, or package.module:factory. With a display it is played in
    the viewer, in real time, until the window is closed: keyboard and gamepad are its pad, F9
    pauses it and gives the keys to the scrub, F9 or End lets it run on, F8 records a demo, and ?
    shows all keys. A failed check pauses it there.

    With --headless, or without a display, a scripted person plays as fast as the game goes, and
    a failed check sets its mark and the game goes on.

    Ctrl-C, or a polite kill, ends it at the end of the step, with what is held saved as --clip
    wants; a second one while that is saved gives the clip up. The exit code is 130, or 143.

    With --bus it runs in real time and obeys tools, at tcp://127.0.0.1:5670 or at an address of
    yours: they pause it, scrub it and let it run on, until --seconds of game time are over. A
    failed check then stops the game if a tool is connected, and it stays paused until one says
    `leave`; --pause stops it in any case, --no-pause never.

    \b
    Example:
      playhead run arena:yard
      playhead run arena:yard --demo walk.csv
      playhead run arena:yard --tree yard_guard
      playhead run arena:yard --headless --seconds 30 --seed 7 --clip yard.mcap
      playhead run arena:doomlike --mode test
      playhead run doom:deathmatch --memory '8 MiB' --headless --json
      playhead run arena:yard --headless --seconds 3600 --bus
    """
    if seconds is not None and not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: run for more than 0 seconds")
    if game.partition(":")[0] not in FAMILIES:
        sys.path.insert(0, os.getcwd())  # a script's path begins with its own folder instead
    window = not headless and can_have_window(locked=keys is not None)
    if pause is not None and bus is None and not window:
        raise click.UsageError(
            "--pause and --no-pause need a window or --bus: nothing could resume it"
        )
    ask = ASKS.get(game)
    if mode is None and window:
        mode = ask
    if mode is not None and mode == ask and bus is None and not window:
        raise click.UsageError(f"--mode {ask} needs a window or --bus, or the choice can't be made")
    choices = {"guards": guards, "mode": mode, "skill": skill}
    settings = {name: value for name, value in choices.items() if value is not None}
    at = settings_of(bus, keys, clients)
    if at is None and window:
        at = settings_of(HIDDEN, None, None)
    if clip is not None:
        check_free(clip, keep_older=True)
    if seconds is None and not window:
        seconds = SECONDS
    options = RunOptions(seconds, memory, ring, at, window, pause, clip, demo)
    if agent is not None and tree is None:
        raise click.UsageError("--agent is for --tree: which agent of its workspace")
    with open_game(game, seed=seed, **settings) as opened:
        running = opened if tree is None else _driven(opened, tree, agent)
        ran = record(running, options, print_address=bus is not None)
    ran.end(as_json=as_json, lines=summary_text(ran.facts))


def _driven(game: Game, workspace: str, agent: str | None) -> Game:
    """The game with a character in it that a behaviour tree drives."""
    from ...agents.behaviour_trees.tree_driven_game import TreeDrivenGame
    from ...agents.behaviour_trees.tree_game_run import find_workspace

    driven: Any = TreeDrivenGame(game, find_workspace(workspace), agent)
    click.get_current_context().call_on_close(driven.stop)
    return cast(Game, driven)


def can_have_window(*, locked: bool) -> bool:
    """Whether a window can be opened here; if not, says so in a line.

    Args:
        locked: Whether the game's bus is locked: its window would have no key.
    """
    why = why_no_window()
    if locked:
        why = "only playhead view with keys can look into a locked bus"
    if why:
        echo(f"playhead: {why}: going on without a window (or say --headless)", err=True)
    return not why


def summary_text(facts: dict[str, Any]) -> list[str]:
    """The facts as a few lines to be read."""
    cost = facts["frame_cost_us"]
    lines = [
        f"{facts['game']}: {facts['frames']:,} frames, {facts['seconds']:.1f} s of game time,"
        f" {facts['objects']} objects at the end",
        f"memory    {facts['ring_bytes'] / 2**20:.1f} MiB, fixed: it holds the newest"
        f" {facts['seconds_held']:.1f} s",
        f"cost      {cost['p50']:.0f} µs a frame (median), {cost['p99']:.0f} µs (p99)",
        f"dropped   {facts['dropped']}",
        f"hash      {facts['state_hash'] or 'unknown: it was stopped within a step'}",
    ]
    lines += loss_lines(facts["losses"])
    if facts["clip"] is not None:
        lines.append(f"clip      {facts['clip']}")
    lines += [
        f"assert    {failed['message']} — object {failed['object']},"
        f" frame {failed['frame']}, {exactly(failed['time'])} s"
        for failed in facts["asserts"]
    ]
    return lines
