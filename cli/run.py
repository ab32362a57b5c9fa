"""`playhead run`: a game under the recorder, as fast as it goes; on the bus, in real time."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import CommandError, GameError, PlayheadError
from ..games.catalog import FAMILIES, open_game
from ..games.game import Game
from ..recorder.checks import UNATTENDED
from ..recorder.saving.place import check_free
from ..session import Session
from .bar import bar
from .bus import BusCommand, bus_options, settings_of, tell_endpoint
from .pace import Pace, policy

if TYPE_CHECKING:
    from ..bus.settings import BusSettings


@click.command(cls=BusCommand)
@click.argument("game")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Game time to run.")
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option("--ring", type=click.Path(dir_okay=False), help="Keep the recording in this file.")
@click.option(
    "--clip", type=click.Path(dir_okay=False, path_type=Path),
    help="At the end save what is held as this clip; also if the game breaks.",
)  # fmt: skip
@click.option("--guards", type=int, help="arena: how many guards there are.")
@click.option("--headless", is_flag=True, help="Without a window: so far the only way.")
@bus_options
@click.option(
    "--pause/--no-pause", default=None,
    help="With --bus: whether a failed check stops the game; by default if a tool is connected.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def run(
    game: str,
    seconds: float,
    seed: int | None,
    memory: str,
    ring: str | None,
    clip: Path | None,
    guards: int | None,
    headless: bool,
    bus: str | None,
    keys: Path | None,
    clients: Path | None,
    pause: bool | None,
    as_json: bool,
) -> None:
    """Run GAME under the recorder and say what was recorded.

    GAME is arena:LEVEL, doom:SCENARIO, or package.module:factory. It runs as fast as it goes, and
    as nobody watches, a failed check sets its mark and the game goes on.

    With --bus it runs in real time and obeys tools, at tcp://127.0.0.1:5670 or at an address of
    yours: they pause it, scrub it and let it run on, until --seconds of game time are over. A
    failed check then stops the game if a tool is connected, and it stands still until one says
    `leave`; --pause stops it in any case, --no-pause never.

    \b
    Example:
      playhead run arena:yard --seconds 30 --seed 7 --headless
      playhead run doom:deathmatch --memory '8 MiB' --json
      playhead run arena:yard --clip yard.mcap
      playhead run arena:yard --seconds 3600 --bus
    """
    if not 0 < seconds < 1e9:
        raise CommandError(f"--seconds {seconds:g}: run for more than 0 seconds")
    settings = {} if guards is None else {"guards": guards}
    if game.partition(":")[0] not in FAMILIES:
        sys.path.insert(0, os.getcwd())  # a script's path begins with its own folder instead
    if pause is not None and bus is None:
        raise click.UsageError("--pause and --no-pause need --bus: nobody could let it run on")
    at = settings_of(bus, keys, clients)
    if clip is not None:
        check_free(clip)
    with open_game(game, seed=seed, **settings) as running:
        facts = record(running, seconds, memory, ring, at, pause, clip)
    click.echo(json.dumps(facts) if as_json else told(facts))


def record(
    game: Game,
    seconds: float,
    memory: str,
    ring: str | None,
    bus: "BusSettings | None" = None,
    pause: bool | None = None,
    clip: Path | None = None,
) -> dict[str, Any]:
    """Run a game for some seconds under a session; returns the facts.

    Args:
        bus: Where to be on the bus; then the game runs in real time and obeys tools.
        pause: Whether a failed check stops it then; None to stop it if a tool is connected.
        clip: The file for what is held at the end, or when the game raises.
    """
    steps = max(1, round(seconds / game.dt))
    with Session(
        game.world, memory, handlers=game.handlers, path=ring, on_check=UNATTENDED,
        about=game.about, bus=bus if bus is not None else False,
    ) as session:  # fmt: skip
        game.attach(session)
        pace = None
        if bus is not None:
            pace = Pace(session, game.dt)
            tell_endpoint(session)
        for step in progress(steps, game.name):
            if pace is not None:
                pace.await_step()
            try:
                game.step()
            except PlayheadError:
                raise
            except Exception as error:
                told = f"{game.name}: step {step + 1} raised {error!r}"
                if clip is not None:
                    told += f"; {rescued(session, error, clip)}"
                raise GameError(told) from error
            if pace is not None:
                session.on_check = policy(session, pause)
            session.update(game.dt)
        if pace is not None:
            pace.await_step()
        facts = facts_of(game, session)
        if clip is not None:
            with bar("saving") as tell:
                facts["clip"] = str(session.save(clip, progress=tell).path)
        return facts


def rescued(session: Session, error: Exception, clip: Path) -> str:
    """Save what led to an error of the game's, and say where it is."""
    found = session.clips.rescue(error, path=clip, pre=float("inf"))
    if found.saved is not None:
        return f"what led to it is in {found.saved.path}"
    return f"what led to it could not be saved: {found.error or 'it took too long'}"


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
    if facts["clip"] is not None:
        lines.append(f"clip      {facts['clip']}")
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
