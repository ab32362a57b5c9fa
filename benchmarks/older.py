"""The older tier on real games: how much longer the same memory lasts, and what that costs."""

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

from playhead.errors import GameError
from playhead.games.catalog import open_game
from playhead.games.game import Game
from playhead.recorder.checks import UNATTENDED
from playhead.session import Session

from .measure import FULL, TINY, Size
from .report import Line

SHARE = 0.75
"""Of the memory, for the older tier."""
GAMES = {"doom:deathmatch": 1 / 3, "arena:yard": 1 / 2}
"""The most memory that a second may take, by what it takes without the tier."""
SEEK = 5.0
"""Milliseconds that a seek may take, of a hundred the slowest but one."""
SAME = 1.2
"""Two costs nearer to each other than this are the same: so far apart is one and itself."""
BLOCK = 50
"""Frames that one of two sessions records before it is the other's turn."""
FASTER = 4
"""How many times as fast as in real time the two are run for comparing what frames cost."""


class Sizes(NamedTuple):
    memory: str
    most: int
    """Frames of a game, at most."""
    compared: int
    """Frames of each of the two sessions that are compared."""
    seeks: int


SIZES = {FULL: Sizes("8 MiB", 20_000, 2_000, 2_000), TINY: Sizes("2 MiB", 100, BLOCK, 20)}
QUICK = Sizes("4 MiB", 6_000, 500, 500)


def measure(size: Size) -> list[Line]:
    sizes, lines = SIZES.get(size, QUICK), []
    for name, goal in GAMES.items():
        try:
            lines += [*_lasting(name, goal, sizes), _frame_cost(name, sizes)]
        except GameError as error:
            lines.append(Line(name, None, note=str(error)))
    return lines


def _play(stack: ExitStack, name: str, memory: str, share: float) -> tuple[Game, Session]:
    game = stack.enter_context(open_game(name, seed=7))
    session = stack.enter_context(Session(
        game.world, memory, handlers=game.handlers, on_check=UNATTENDED, about=game.about,
        older=share, strict=False,
    ))  # fmt: skip
    game.attach(session)
    return game, session


def _lasting(name: str, goal: float, sizes: Sizes) -> list[Line]:
    """Seconds held in the same memory without the tier and with it; and seeks in the latter."""
    held = []
    for share in (0.0, SHARE):
        with ExitStack() as stack:
            game, session = _play(stack, name, sizes.memory, share)
            tier, oldest = session.recorder.ring.older, 1
            for frame in range(sizes.most):
                game.step()
                session.update(game.dt)
                if tier is not None:
                    tier.settle()  # the game runs faster than ever in earnest
                oldest = session.source.span.oldest if session.source.span else 1
                if oldest > 1 and frame > sizes.most // 20:
                    break
            status = session.status
            held.append(status.seconds_held)
            if tier is None:
                continue
            packed = status.older.ratio if status.older else 0.0
            note = f"{held[1]:.0f} s in {sizes.memory}, without {held[0]:.0f} s"
            note += f"; packed {packed:.1f} ×" + ("" if oldest > 1 else "; it was not full yet")
            return [
                Line(f"{name}: memory for a second, with the tier ÷ without",
                     held[0] / held[1], "×", goal, note),
                Line(f"{name}: slow seek to an older frame, p99", _seeks(session, sizes.seeks),
                     "ms", SEEK, "time → packets"),
            ]  # fmt: skip
    return []


def _seeks(session: Session, count: int) -> float:
    """The p99 of seeks to anywhere in the tier, milliseconds; a seek reads all packets."""
    source, chance = session.source, random.Random(5)
    span, in_ring = source.span, session.recorder.ring.raw.oldest
    assert span is not None
    assert in_ring is not None
    taken = []
    for _ in range(count):
        instant = chance.uniform(span.start, max(in_ring[1], span.start))
        start = time.perf_counter()
        source.packets(source.frame_at(instant))
        taken.append(time.perf_counter() - start)
    return _slow(taken) * 1e3


def _slow(taken: list[float]) -> float:
    return sorted(taken)[len(taken) * 99 // 100]


def _frame_cost(name: str, sizes: Sizes) -> Line:
    """What frames cost the game with the tier, by what they cost without, in turns."""
    taken: dict[float, list[float]] = {0.0: [], SHARE: []}
    with ExitStack() as stack:
        both = {share: _play(stack, name, sizes.memory, share) for share in taken}
        for _ in range(min(sizes.most, 1000)):  # until there is something to pack
            for game, session in both.values():
                game.step()
                session.update(game.dt)
        lost = _lost(both[SHARE][1])
        for turn in range(2 * sizes.compared // BLOCK):
            share = (0.0, SHARE)[turn % 2]
            game, session = both[share]
            taken[share] += _block(game, session.update)
        lost = _lost(both[SHARE][1]) - lost
    plain, packing = _slow(taken[0.0]) * 1e6, _slow(taken[SHARE]) * 1e6
    note = f"{packing:.0f} µs and {plain:.0f} µs; {lost} frames lost"
    return Line(f"{name}: p99 cost of a frame, with the tier ÷ without", packing / plain, "×",
                SAME, note)  # fmt: skip


def _lost(session: Session) -> int:
    return session.status.older.lost if session.status.older else 0


def _block(game: Game, update: Callable[[float], None]) -> list[float]:
    taken = []
    for _ in range(BLOCK):
        game.step()
        start = time.perf_counter()
        update(game.dt)
        end = time.perf_counter()
        taken.append(end - start)
        time.sleep(game.dt / FASTER)
    return taken
