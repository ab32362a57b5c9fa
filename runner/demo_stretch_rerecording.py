"""Records a stretch of a demo again: an agent plays up to it, and then a person."""

import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..agents.demo_editing import PLAYED
from ..agents.recorded_demo import DemoRow, DemoWriter
from ..agents.replay.agent_interface import ReplayAgent
from ..agents.replay.demos.demo_files import DemoFile, end_of, gap_between
from ..agents.replay.demos.python_script_player import Script
from ..agents.replay.game_description import description_of
from ..agents.replay.local_replay_game import LocalGame
from ..errors import CommandError
from ..games.playable_interface import Observation, Saves
from ..playback.pads.pad import NEUTRAL, Pad
from ..session import Session
from .replay_game_opener import OpenGame, ReplayGames
from .replay_per_seed import Listener, ReplaySetup, make_batch

MOST = 600.0
"""Seconds of game time after which a stretch ends by itself."""
AROUND = 30
"""Rows before and after one by which it is told how fast the player was there: elsewhere in a demo
it may have been thrown, or carried."""


class Stretch(NamedTuple):
    """A stretch that was recorded again."""

    rows: int
    arrived: bool
    """Whether the player came to where the rest of the demo begins."""
    seen: Observation


def rerecord(
    setup: ReplaySetup, out: Path, *, first: int, last: int | None, seed: int | None,
    script: Script | None, say: Callable[[str], object] = lambda text: None,
) -> Stretch:  # fmt: skip
    """Play a demo up to a row, and record what is played from there on.

    Args:
        setup: The game, the demo and the agent.
        out: The file for the new rows; without `last` a saved game is written beside it, too.
        first: The row at which the agent stops.
        last: The row to whose place the person plays; None to the game's end.
        script: Who plays then; else the person at the window, or without one the game's own.
        say: Called with a message when it is the person's turn.

    Raises:
        CommandError: the agent does not get so far.
        GameError: the game can't be played, or breaks.
    """
    with closing(ReplayGames(setup.request)) as games, games.game(seed) as opened:
        person = _person(opened, script, window=setup.request.window)
        batch = make_batch(setup, description_of(opened.game), Listener(lambda report: None))
        demo, port = batch.demos[0], games.game_port(opened, batch)
        batch.go_to_start(port, demo, seed)
        seen = _play_up_to(first, port, batch.agent_for(port, demo, seed), demo)
        say(f"row {first}: play from here")
        stretch = _record(port, demo, out, seen, last, person)
        if last is None and isinstance(opened.game, Saves):
            opened.game.save(end_of(out))
        return stretch


def _play_up_to(first: int, port: LocalGame, agent: ReplayAgent, demo: DemoFile) -> Observation:
    """Let the agent play until the player is where a row of the demo is."""
    seen = port.next(NEUTRAL)
    while seen is not None and not agent.done:
        if agent.row >= first and _is_at(first, seen, demo):
            return seen
        seen = port.next(agent.step(seen))
    why = f": {agent.failure}" if agent.failure else ""
    raise CommandError(f"{demo.path}: the agent does not come to row {first}{why}")


def _is_at(at: int, seen: Observation, demo: DemoFile) -> bool:
    """Whether the player is where a row of the demo is, about."""
    rows = demo.demo.rows
    row, around = rows[at], rows[max(0, at - AROUND) : at + AROUND + 1]
    if (seen.level, seen.event) != (row.level, row.event):
        return False
    return _away(row, seen) <= PLAYED * gap_between(around, row, row)[1]


def _away(row: DemoRow, seen: Observation) -> float:
    return math.dist(seen.position, (row.player_x, row.player_y, row.player_z))


def _record(
    port: LocalGame, demo: DemoFile, out: Path, seen: Observation, last: int | None, person: Script
) -> Stretch:
    columns = dict(demo.demo.own)
    nearest = math.inf
    with DemoWriter(out, port.interval, columns=columns) as writer:
        for frame in range(round(MOST / port.interval)):
            pad = person(seen)
            after = port.next(pad)
            if after is None:
                break
            seen = after
            writer.step(pad, seen)
            if seen.finished or seen.dead:
                break
            if last is None or frame < 2 or not _is_at(last, seen, demo):
                continue
            away = _away(demo.demo.rows[last], seen)
            if away >= nearest:  # it comes no nearer any more
                return Stretch(writer.rows, True, seen)
            nearest = away
    return Stretch(writer.rows, last is None, seen)


class _WindowPerson:
    """The person at the window."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, seen: Observation) -> Pad:
        return self._session.pad() or NEUTRAL


def _person(opened: OpenGame, script: Script | None, *, window: bool) -> Script:
    """Who plays the stretch.

    Raises:
        CommandError: nobody does.
    """
    if script is not None:
        return script
    if window:
        return _WindowPerson(opened.session)
    own = getattr(getattr(opened.game, "game", None), "person", None)
    if own is None:
        raise CommandError(
            f"without a window nobody plays the stretch: {opened.game.name} has no method person();"
            " give --script FILE.py"
        )
    return lambda seen: own()
