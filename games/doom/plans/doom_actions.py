"""Does each action of Doom with a pad, tic by tic."""

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random

from ....playback.pads.pad import NEUTRAL, Button, Pad
from ...plan_game_interface import Action
from ...plan_target_actor import Actor
from ...playable_interface import Observation
from ..fight import DoomFight, bearing, stick, turned
from ..level_walk_grid import LevelWalkGrid, Point

SIGHT = 640.0
"""Map units from which monsters are shot at."""
LOST = 20
"""Tics that a monster is waited for that is out of sight."""
TAKING, OPENING, LEAVING = 70, 105, 140
"""Tics that an action may take."""
FACED = 0.02
"""Radians that one may be off before a door or a switch."""
BLAST = 190.0
"""Map units from a barrel at which one is safe when it blows up."""
INTO = 0.5
"""Radians off a barrel that a shot may go."""
PRESSED = 35
"""Tics between two presses."""

ACTIONS = {
    action.name: action
    for action in (
        Action("attack", SIGHT),
        Action("take", 24.0, touch=128.0),
        Action("open", 56.0),
        Action("leave", 16.0),
    )
}

Look = Callable[[], Observation]


def attack(
    look: Look, target: Actor, ground: LevelWalkGrid, chance: Random,
    barrels: Callable[[], Sequence[Point]] = tuple,
) -> Iterator[Pad]:  # fmt: skip
    """Shoot until it is dead, or out of sight for a while; first at the nearest one.

    Args:
        barrels: What blows up when it is hit: one gets away from them before one shoots.
    """
    fight, lost, tic, there = DoomFight(ground, chance), 0, 0, target.position
    while lost <= LOST and not look().dead:
        seen, tic = look(), tic + 1
        near = [(math.dist(one.position[:2], seen.position[:2]), one.position)
                for one in seen.enemies]  # fmt: skip
        lost = 0 if any(one.object == target.id for one in seen.enemies) else lost + 1
        if near:
            there = min(near)[1]
        pad = fight.pad(seen, there, tic, shoots=bool(near))
        close = [one for one in barrels() if math.dist(one, seen.position[:2]) < BLAST]
        yield _back_off(pad, seen, close, fight) if close else pad


def _back_off(pad: Pad, seen: Observation, barrels: Sequence[Point], fight: DoomFight) -> Pad:
    """Away from the nearest barrel, without a shot into it."""
    here = seen.position[:2]
    barrel = min(barrels, key=lambda one: math.dist(one, here))
    ahead = [turned(bearing(here, one) - seen.facing) for one in barrels]
    shoots = pad.held if all(abs(off) > INTO for off in ahead) else 0
    off = turned(bearing(barrel, here) - seen.facing)
    for turn in (0.0, 0.8, -0.8, 1.4, -1.4):
        left = (-math.sin(off + turn), math.cos(off + turn))
        if fight.is_ground(seen, left):
            return Pad(left, pad.right, held=shoots)
    return Pad(pad.left, pad.right, held=shoots)


def take(look: Look, target: Actor, is_there: Callable[[], bool]) -> Iterator[Pad]:
    """Walk over it."""
    for _ in range(TAKING):
        if not is_there():
            return
        yield _walk(look(), target.position[:2])


def open_door(look: Look, target: Actor, is_in: Callable[[], bool]) -> Iterator[Pad]:
    """Press before it, and step into the doorway."""
    for tic in range(OPENING):
        if is_in():
            return
        pad = _walk(look(), target.position[:2])
        off = turned(bearing(look().position[:2], target.position[:2]) - look().facing)
        press = tic % PRESSED == 0 or abs(off) > FACED
        yield Pad(right=(stick(off), 0.0), held=int(Button.X)) if press else pad


def leave(look: Look, switch: Point) -> Iterator[Pad]:
    """Face the switch and press it."""
    for _ in range(LEAVING):
        seen = look()
        if seen.finished:
            return
        off = turned(bearing(seen.position[:2], switch) - seen.facing)
        if abs(off) > FACED:
            yield Pad(right=(stick(off), 0.0))
        else:
            yield Pad(held=int(Button.X))
            yield NEUTRAL


def _walk(seen: Observation, to: Point) -> Pad:
    off = turned(bearing(seen.position[:2], to) - seen.facing)
    pace = min(1.0, max(0.3, math.dist(seen.position[:2], to) / 60))
    return Pad((-pace * math.sin(off), pace * math.cos(off)), (0.6 * stick(off), 0.0))
