"""How each action of an adventure is done with a pad, step by step."""

import math
from collections.abc import Callable, Iterator

from .....playback.pad import NEUTRAL, Button, Pad
from ....plan_game import Action, Actor
from ....playable import Vector
from ...entity import distance
from ...yaml_nodes import Point
from .. import menu as screens
from ..adventure import Quest

HOLD, LET_GO = 3, 3
"""Steps that a button is held down, and until the next press."""
FACING, AIMING = math.radians(14), math.radians(4)
TURN = 0.19
"""How far the stick is pushed to turn on the spot."""
ARM = 1.5
"""Metres from which the player strikes."""
CHASE = 90
"""Steps that an enemy is followed straight, before a way to it must be found anew."""
RUN_UP = 2.5
"""Metres before a pit at which a run begins."""
EDGE, BEHIND = 0.5, 1.8
"""Metres before a pit at which one jumps, and behind it where one means to land."""
APPROACH, TURNING, TAKING = 150, 60, 60
"""Steps that going to the start of a run-up, turning and taking may take at most."""

ACTIONS = {
    action.name: action
    for action in (
        Action("interact", 1.4),
        Action("talk", 1.4),
        Action("attack", 1.4),
        Action("take", 0.6),
        Action("jump", 1.5, somewhere=True),
        Action("break", 2.2),
        Action("shoot", 6.0),
        Action("leave", 0.6),
        Action("dismiss", 0.0, somewhere=True),
    )
}
BUY = "buy "
"""What begins the actions that buy something where it is sold, one for each of the goods."""


def perform(quest: Quest, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
    """What is held in each step of an action, until it is done or can't be done any more."""
    actor = target if isinstance(target, Actor) else None
    if action.startswith(BUY):
        return _buy(quest, action.removeprefix(BUY))
    if action == "dismiss":
        return _dismiss(quest)
    if action == "jump":
        return _jump_over(quest, actor) if actor is not None else _jump(quest)
    assert actor is not None, f"{action} is done to an actor"
    ways: dict[str, Callable[[Quest, Actor], Iterator[Pad]]] = {
        "interact": _interact, "talk": _talk, "attack": _attack, "take": _take, "break": _break,
        "shoot": _shoot, "leave": _leave,
    }  # fmt: skip
    return ways[action](quest, actor)


def _tap(button: Button, pad: Pad = NEUTRAL) -> Iterator[Pad]:
    for _ in range(HOLD):
        yield Pad(pad.left, held=pad.held | int(button))
    for _ in range(LET_GO):
        yield pad


def _push(quest: Quest, to: Point, size: float = 1.0, held: int = 0) -> Pad:
    heading = math.atan2(to[1] - quest.hero.y, to[0] - quest.hero.x)
    return Pad((size * math.cos(heading), size * math.sin(heading)), held=held)


def _face(quest: Quest, to: Point, off: float = FACING) -> Iterator[Pad]:
    for _ in range(TURNING):
        if quest.hero.off_front(to) <= off:
            return
        yield _push(quest, to, TURN)


def _interact(quest: Quest, target: Actor) -> Iterator[Pad]:
    yield from _face(quest, target.position[:2])
    yield from _tap(Button.Y)


def _talk(quest: Quest, target: Actor) -> Iterator[Pad]:
    """Read to the end; what is asked is answered with the last that is offered."""
    yield from _face(quest, target.position[:2])
    yield from _tap(Button.A)
    while quest.talk is not None:
        menu = quest.talk.menu
        if menu is not None and menu.cursor < len(menu.entries) - 1:
            yield from _tap(Button.DOWN)
        elif quest.talk.window:
            yield from _tap(Button.A)
        else:
            yield NEUTRAL


def _attack(quest: Quest, target: Actor) -> Iterator[Pad]:
    """Strike until it is defeated, or out of sight."""
    followed = 0
    while (foe := next((one for one in quest.place.foes if one.id == target.id), None)) is not None:
        hero = quest.hero
        if hero.dead or not quest.live or followed > CHASE:
            return
        if distance(foe.at, hero.at) > ARM:
            followed += 1
            yield _push(quest, foe.at)
        elif hero.off_front(foe.at) > math.radians(35):
            yield _push(quest, foe.at, TURN)
        elif hero.rest <= 0.0:
            followed = 0
            yield from _tap(Button.X)
        else:
            yield NEUTRAL


def _take(quest: Quest, target: Actor) -> Iterator[Pad]:
    for _ in range(TAKING):
        if all(treasure.id != target.id for treasure in quest.place.treasures):
            return
        yield _push(quest, target.position[:2], 0.6)


def _break(quest: Quest, target: Actor) -> Iterator[Pad]:
    while not quest.hero.can_special and not quest.hero.dead:
        yield NEUTRAL
    yield from _tap(Button.UP)


def _shoot(quest: Quest, target: Actor) -> Iterator[Pad]:
    aim = Pad(left_trigger=0.9)
    for pad in (aim, aim, aim, NEUTRAL, NEUTRAL, NEUTRAL):
        yield pad
    yield from _face(quest, target.position[:2], AIMING)
    yield from _tap(Button.X)
    if quest.hero.aiming:
        for pad in (aim, aim, aim, NEUTRAL):
            yield pad


def _leave(quest: Quest, target: Actor) -> Iterator[Pad]:
    place = quest.place
    for _ in range(TAKING):
        if quest.place is not place:
            return
        yield _push(quest, target.position[:2])


def _jump(quest: Quest) -> Iterator[Pad]:
    yield from _tap(Button.B)
    while not quest.hero.grounded:
        yield NEUTRAL


def _jump_over(quest: Quest, pit: Actor) -> Iterator[Pad]:
    """Back for a run-up, then run, jump at the edge, and once more in the air where it falls."""
    hero = quest.hero
    x, y, _ = pit.position
    zone = next(one for one in quest.place.area.pits if one.name == pit.name)
    axis = 0 if zone.size[0] <= zone.size[1] else 1
    side = 1.0 if hero.at[axis] < (x, y)[axis] else -1.0

    def at(along: float) -> Point:
        """A place so far behind the middle of the pit, on the player's line across it."""
        across = list(hero.at)
        across[axis] = (x, y)[axis] + side * along
        return across[0], across[1]

    begin, off, land = -pit.radius - EDGE - RUN_UP, -pit.radius - EDGE, pit.radius + BEHIND
    for _ in range(APPROACH):
        if side * (hero.at[axis] - (x, y)[axis]) <= begin:
            break
        yield _push(quest, at(begin - 1.0), 0.8)
    run = int(Button.RB)
    for _ in range(APPROACH):
        if side * (hero.at[axis] - (x, y)[axis]) >= off - 0.1:
            break
        yield _push(quest, at(land + 1.0), held=run)
    for _ in range(HOLD):
        yield _push(quest, at(land + 1.0), held=run | int(Button.B))
    again = False
    while not hero.grounded and not hero.dead:
        falls = hero.rise <= 0.0 and hero.z <= 0.5
        held = run
        if falls and not again and hero.can_jump:
            again, held = True, run | int(Button.B)
        yield _push(quest, at(land + 1.0), held=held)


def _dismiss(quest: Quest) -> Iterator[Pad]:
    """Close a pop-up or a shop, get past the title, turn a page."""
    if quest.screen == screens.TITLE:
        yield from _tap(Button.A if quest.menus[-1].entries else Button.START)
    elif quest.menus:
        yield from _tap(Button.B)
    else:
        yield from _tap(Button.A)


def _buy(quest: Quest, kind: str) -> Iterator[Pad]:
    """Put the cursor on it, buy it, and leave the shop."""
    if quest.screen != screens.SHOP:
        return
    menu = quest.menus[-1]
    while menu.under != kind:
        down = menu.entries.index(kind) > menu.cursor
        yield from _tap(Button.DOWN if down else Button.UP)
    yield from _tap(Button.A)
    yield from _tap(Button.B)
