"""How each action of Doom is done with a pad, tic by tic."""

import math
from collections.abc import Callable, Iterator
from random import Random

from ....playback.pad import NEUTRAL, Button, Pad
from ...plan_actor import Actor
from ...plan_game import Action
from ...playable import Observation
from ..fight import Fight, bearing, stick, turned
from ..walk_grid import Point, WalkGrid

SIGHT = 640.0
"""Map units from which monsters are shot at."""
LOST = 20
"""Tics that a monster is waited for that is out of sight."""
TAKING, OPENING, LEAVING = 70, 105, 140
"""Tics that an action may take."""
FACED = 0.02
"""Radians that one may be off before a door or a switch."""
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


def attack(look: Look, target: Actor, ground: WalkGrid, chance: Random) -> Iterator[Pad]:
    """Shoot until it is dead, or out of sight for a while; at whoever is nearest meanwhile."""
    fight, lost, tic, there = Fight(ground, chance), 0, 0, target.position
    while lost <= LOST and not look().dead:
        seen, tic = look(), tic + 1
        enemy = next((one for one in seen.enemies if one.object == target.id), None)
        lost = 0 if enemy is not None else lost + 1
        if enemy is not None:
            there = enemy.position
        others = [one for one in seen.enemies if one.object != target.id]
        if enemy is None and others:
            there = min(others, key=lambda one: math.dist(one.position, seen.position)).position
        yield fight.pad(seen, there, tic, shoots=enemy is not None or bool(others))


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
