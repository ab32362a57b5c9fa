"""The older tier on real games: how much longer the same memory lasts, and what that costs."""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from playhead.errors import GameError
from playhead.games.game_catalog import open_game
from playhead.games.game_interface import Game
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import FULL, TINY, Size

SHARE = 0.75
"""Of the memory, for the older tier."""
GAMES = {"doom:deathmatch": 1 / 3, "arena:yard": 1 / 2}
"""The most memory that a second may take, by what it takes without the tier."""
SEEK = 5.0
"""Milliseconds that a seek may take, of a hundred the slowest but one."""
SAME = 1.2
"""Two costs nearer to each other than this are the same."""
BLOCK = 50
"""Frames that a session records before it is the next one's turn."""
FASTER = 4
"""How many times as fast as in real time games are run for comparing what frames cost."""
COMPARED = {"plain": 0.0, "plain again": 0.0, "tier": SHARE}
"""One session twice, so that it shows how far apart it is from itself."""


class Sizes(NamedTuple):
    memory: str
    most: int
    """Frames of a game, at most."""
    compared: int
    """Frames of each of the sessions that are compared."""
    seeks: int


SIZES = {FULL: Sizes("8 MiB", 20_000, 2_000, 2_000), TINY: Sizes("2 MiB", 100, BLOCK, 20)}
QUICK = Sizes("4 MiB", 6_000, 500, 500)


def measure(size: Size) -> list[Line]:
    sizes, lines = SIZES.get(size, QUICK), []
    for name, goal in GAMES.items():
        try:
            lines += [*_lasting(name, goal, sizes), *_frame_costs(name, sizes)]
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


def _slow(taken: Sequence[float]) -> float:
    return sorted(taken)[len(taken) * 99 // 100]


def _frame_costs(name: str, sizes: Sizes) -> list[Line]:
    """What frames cost the game with the tier, by what they cost without, in turns."""
    taken: dict[str, list[tuple[float, float]]] = {case: [] for case in COMPARED}
    with ExitStack() as stack:
        all = {case: _play(stack, name, sizes.memory, share) for case, share in COMPARED.items()}
        for _ in range(min(sizes.most, 1000)):  # until there is something to pack
            for game, session in all.values():
                game.step()
                session.update(game.dt)
        status = all["tier"][1].status.older
        before = status.lost if status else 0
        for _ in range(sizes.compared // BLOCK):
            for case, (game, session) in all.items():
                taken[case] += _block(game, session.update)
        status = all["tier"][1].status.older
        lost = status.lost - before if status else 0
    own = {case: _slow([cost for cost, _ in costs]) / 1e3 for case, costs in taken.items()}
    whole = {case: _slow([cost for _, cost in costs]) / 1e3 for case, costs in taken.items()}
    return [
        Line(f"{name}: p99 cost of a frame, with the tier ÷ without",
             own["tier"] / own["plain"], "×", SAME,
             f"{own['tier']:.0f} µs; without {own['plain']:.0f} and {own['plain again']:.0f} µs;"
             f" {lost} frames lost"),
        Line(f"{name}: the same with all that the thread waited for",
             whole["tier"] / whole["plain"], "×",
             note=f"a session without it ÷ itself: {whole['plain again'] / whole['plain']:.2f} ×"),
    ]  # fmt: skip


def _block(game: Game, update: Callable[[float], None]) -> list[tuple[float, float]]:
    """Nanoseconds of each frame: of this thread's own, and by the clock."""
    taken: list[tuple[float, float]] = []
    for _ in range(BLOCK):
        game.step()
        own, start = time.thread_time_ns(), time.perf_counter_ns()
        update(game.dt)
        end = time.perf_counter_ns()
        taken.append((time.thread_time_ns() - own, end - start))
        time.sleep(game.dt / FASTER)
    return taken
