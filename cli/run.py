"""`playhead run`: a game under the recorder, as fast as it goes."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from ..errors import CommandError, GameError, PlayheadError
from ..games.catalog import FAMILIES, open_game
from ..games.game import Game
from ..recorder.checks import UNATTENDED
from ..session import Session


@click.command()
@click.argument("game")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Game time to run.")
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option("--ring", type=click.Path(dir_okay=False), help="Keep the recording in this file.")
@click.option("--guards", type=int, help="arena: how many guards there are.")
@click.option("--headless", is_flag=True, help="Without a window: so far the only way.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def run(
    game: str,
    seconds: float,
    seed: int | None,
    memory: str,
    ring: str | None,
    guards: int | None,
    headless: bool,
    as_json: bool,
) -> None:
    """Run GAME under the recorder and say what was recorded.

    GAME is arena:LEVEL, doom:SCENARIO, or package.module:factory. Nobody watches, so a failed
    check sets its mark and the game goes on.

    \b
    Example:
      playhead run arena:yard --seconds 30 --seed 7 --headless
      playhead run doom:deathmatch --memory '8 MiB' --json
    """
    if not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: run for more than 0 seconds")
    settings = {} if guards is None else {"guards": guards}
    if game.partition(":")[0] not in FAMILIES:
        sys.path.insert(0, os.getcwd())  # a script's path begins with its own folder instead
    with open_game(game, seed=seed, **settings) as running:
        facts = record(running, seconds, memory, ring)
    click.echo(json.dumps(facts) if as_json else told(facts))


def record(game: Game, seconds: float, memory: str, ring: str | None) -> dict[str, Any]:
    """Run a game for some seconds under a session; returns the facts."""
    steps = max(1, round(seconds / game.dt))
    with Session(
        game.world, memory, handlers=game.handlers, path=ring, on_check=UNATTENDED,
        about=game.about,
    ) as session:  # fmt: skip
        game.attach(session)
        for step in progress(steps, game.name):
            try:
                game.step()
            except PlayheadError:
                raise
            except Exception as error:
                raise GameError(f"{game.name}: step {step + 1} raised {error!r}") from error
            session.update(game.dt)
        return facts_of(game, session)


def facts_of(game: Game, session: Session) -> dict[str, Any]:
    """What a run was, in plain values."""
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
        "state_hash": game.state_hash(),
        "asserts": [
            {
                "time": violation.time,
                "frame": violation.frame,
                "object": violation.object,
                "message": violation.message,
            }
            for violation in session.violations
        ],
        "clip": None,
    }


def told(facts: dict[str, Any]) -> str:
    """The facts as a few lines to be read."""
    cost = facts["frame_cost_us"]
    lines = [
        f"{facts['game']}: {facts['frames']:,} frames, {facts['seconds']:.1f} s of game time,"
        f" {facts['objects']} objects at the end",
        f"memory    {facts['ring_bytes'] / 2**20:.1f} MiB, fixed: it holds the newest"
        f" {facts['seconds_held']:.1f} s",
        f"cost      {cost['p50']:.0f} µs a frame (median), {cost['p99']:.0f} µs (p99)",
        f"dropped   {facts['dropped']}",
        f"hash      {facts['state_hash']}",
    ]
    lines += [
        f"assert    {violation['message']} — object {violation['object']},"
        f" frame {violation['frame']}, {violation['time']:.3f} s"
        for violation in facts["asserts"]
    ]
    return "\n".join(lines)


@contextlib.contextmanager
def _bar(steps: int, label: str) -> Iterator[Iterator[int]]:
    with click.progressbar(range(steps), label=label, file=sys.stderr) as bar:
        yield iter(bar)


def progress(steps: int, label: str) -> Iterator[int]:
    """Count steps, with a progress bar if somebody is looking."""
    if not sys.stderr.isatty():
        yield from range(steps)
        return
    with _bar(steps, label) as bar:
        yield from bar
