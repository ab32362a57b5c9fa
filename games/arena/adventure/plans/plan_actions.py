"""Does each action of an adventure with a pad, step by step."""

import math
from collections.abc import Callable, Iterator

from .....playback.pads.pad import NEUTRAL, Button, Pad
from ....plan_game_interface import Action
from ....plan_target_actor import Actor
from ....playable_interface import Vector
from ...entity import distance
from ...yaml_nodes import Point
from .. import menu as screens
from ..adventure import Adventure

HOLD, LET_GO = 3, 3
"""Steps that a button is held down, and until the next press."""
FACING, AIMING = math.radians(14), math.radians(4)
TURN = 0.19
"""How far the stick is pushed to turn on the spot."""
ARM = 1.5
"""Metres from which the player strikes."""
CHASE = 90
"""Steps that an enemy is followed straight, before a way to it must be found again."""
RUN_UP = 2.5
"""Metres before a pit at which a run begins."""
EDGE, BEHIND = 0.5, 1.8
"""Metres before a pit at which one jumps, and beyond it where one is to land."""
SHOTS = 8
"""How often something is shot at, at most."""
APPROACH, TURNING, TAKING = 150, 60, 60
"""Steps that going to the start of a run-up, turning and taking may take at most."""

ACTIONS = {
    action.name: action
    for action in (
        Action("interact", 1.4),
        Action("talk", 1.4),
        Action("attack", 1.4),
        Action("take", 0.6, touch=3.0),
        Action("jump", 1.5, somewhere=True),
        Action("break", 2.2),
        Action("shoot", 6.0),
        Action("leave", 0.6, touch=3.0),
        Action("dismiss", 0.0, somewhere=True, event="dismissed"),
    )
}
BUY = "buy "
"""What begins the actions that buy something where it is sold, one for each of the goods."""


def perform(adventure: Adventure, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
    """What is pressed in each step of an action, until it is done or can't be done any more."""
    actor = target if isinstance(target, Actor) else None
    if action.startswith(BUY):
        return _buy(adventure, action.removeprefix(BUY))
    if action == "dismiss":
        return _dismiss(adventure)
    if action == "jump":
        return _jump_over(adventure, actor) if actor is not None else _jump(adventure)
    assert actor is not None, f"{action} is done to an actor"
    controllers: dict[str, Callable[[Adventure, Actor], Iterator[Pad]]] = {
        "interact": _interact, "talk": _talk, "attack": _attack, "take": _take, "break": _break,
        "shoot": _shoot, "leave": _leave,
    }  # fmt: skip
    return controllers[action](adventure, actor)


def _tap(button: Button, pad: Pad = NEUTRAL) -> Iterator[Pad]:
    for _ in range(HOLD):
        yield Pad(pad.left, held=pad.held | int(button))
    for _ in range(LET_GO):
        yield pad


def _push(adventure: Adventure, to: Point, size: float = 1.0, held: int = 0) -> Pad:
    heading = math.atan2(to[1] - adventure.player.y, to[0] - adventure.player.x)
    return Pad((size * math.cos(heading), size * math.sin(heading)), held=held)


def _face(adventure: Adventure, to: Point, off: float = FACING) -> Iterator[Pad]:
    for _ in range(TURNING):
        if adventure.player.angle_off_front(to) <= off:
            return
        yield _push(adventure, to, TURN)


def _interact(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    yield from _face(adventure, target.position[:2])
    yield from _tap(Button.Y)


def _talk(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    """Read to the end; what is asked is answered with the last that is offered."""
    yield from _face(adventure, target.position[:2])
    yield from _tap(Button.A)
    while adventure.talk is not None:
        menu = adventure.talk.menu
        if menu is not None and menu.cursor < len(menu.entries) - 1:
            yield from _tap(Button.DOWN)
        elif adventure.talk.window:
            yield from _tap(Button.A)
        else:
            yield NEUTRAL


def _attack(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    """Strike until it is defeated, or out of sight."""
    followed = 0
    while (
        enemy := next(
            (one for one in adventure.area_state.all_enemies if one.id == target.id), None
        )
    ) is not None:
        player = adventure.player
        if player.dead or not adventure.is_running or followed > CHASE:
            return
        if distance(enemy.at, player.at) > ARM:
            followed += 1
            yield _push(adventure, enemy.at)
        elif player.angle_off_front(enemy.at) > math.radians(35):
            yield _push(adventure, enemy.at, TURN)
        elif player.rest <= 0.0:
            followed = 0
            yield from _tap(Button.X)
        else:
            yield NEUTRAL


def _take(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    for _ in range(TAKING):
        if all(treasure.id != target.id for treasure in adventure.area_state.treasures):
            return
        yield _push(adventure, target.position[:2], 0.6)


def _break(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    while not adventure.player.can_special and not adventure.player.dead:
        yield NEUTRAL
    yield from _tap(Button.UP)


def _shoot(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    """Aim and shoot until it is hit: an enemy may stand in the line, or strike while one aims."""
    for _ in range(SHOTS):
        if all(device.id != target.id for device in adventure.area_state.devices):
            break
        if not adventure.player.aiming:
            yield from _trigger()
        yield from _face(adventure, target.position[:2], AIMING)
        yield from _tap(Button.X)
        while adventure.player.rest > 0.0:
            yield NEUTRAL
    if adventure.player.aiming:
        yield from _trigger()


def _trigger() -> Iterator[Pad]:
    for _ in range(HOLD):
        yield Pad(left_trigger=0.9)
    for _ in range(LET_GO):
        yield NEUTRAL


def _leave(adventure: Adventure, target: Actor) -> Iterator[Pad]:
    area_state = adventure.area_state
    for _ in range(TAKING):
        if adventure.area_state is not area_state:
            return
        yield _push(adventure, target.position[:2])


def _jump(adventure: Adventure) -> Iterator[Pad]:
    yield from _tap(Button.B)
    while not adventure.player.grounded:
        yield NEUTRAL


def _jump_over(adventure: Adventure, pit: Actor) -> Iterator[Pad]:
    """Back for a run-up, then run, jump at the edge, and again in the air where it falls."""
    player = adventure.player
    x, y, _ = pit.position
    zone = next(one for one in adventure.area_state.area.pits if one.name == pit.name)
    axis = 0 if zone.size[0] <= zone.size[1] else 1
    side = 1.0 if player.at[axis] < (x, y)[axis] else -1.0

    def at(along: float) -> Point:
        """A place so far behind the middle of the pit, on the player's line across it."""
        across = list(player.at)
        across[axis] = (x, y)[axis] + side * along
        return across[0], across[1]

    begin, off, land = -pit.radius - EDGE - RUN_UP, -pit.radius - EDGE, pit.radius + BEHIND
    for _ in range(APPROACH):
        if side * (player.at[axis] - (x, y)[axis]) <= begin:
            break
        yield _push(adventure, at(begin - 1.0), 0.8)
    run = int(Button.RB)
    for _ in range(APPROACH):
        if side * (player.at[axis] - (x, y)[axis]) >= off - 0.1:
            break
        yield _push(adventure, at(land + 1.0), held=run)
    for _ in range(HOLD):
        yield _push(adventure, at(land + 1.0), held=run | int(Button.B))
    again = False
    while not player.grounded and not player.dead:
        falls = player.rise <= 0.0 and player.z <= 0.5
        held = run
        if falls and not again and player.can_jump:
            again, held = True, run | int(Button.B)
        yield _push(adventure, at(land + 1.0), held=held)


def _dismiss(adventure: Adventure) -> Iterator[Pad]:
    """Close a pop-up or a shop, get past the title, turn a page."""
    if adventure.screen == screens.TITLE:
        yield from _tap(Button.A if adventure.menus[-1].entries else Button.START)
    elif adventure.menus:
        yield from _tap(Button.B)
    else:
        yield from _tap(Button.A)


def _buy(adventure: Adventure, kind: str) -> Iterator[Pad]:
    """Put the cursor on it, buy it, and leave the shop."""
    if adventure.screen != screens.SHOP:
        return
    menu = adventure.menus[-1]
    while menu.selected != kind:
        down = menu.entries.index(kind) > menu.cursor
        yield from _tap(Button.DOWN if down else Button.UP)
    yield from _tap(Button.A)
    yield from _tap(Button.B)
