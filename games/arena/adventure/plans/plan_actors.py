"""Whom a plan can name in an adventure: people, switches, enemies, items, pits, exits."""

from ....plan_actor import Actor
from ..adventure import Adventure
from ..world.level import GROUND, Exit, Level, Named, Pit

TYPES = frozenset((
    "person", "sign", "door", "switch", "shrine", "boulder", "target", "item", "enemy", "boss",
    "follower", "pit", "exit",
))  # fmt: skip
_ACTIONS = {
    "person": ("talk",), "sign": ("talk",), "switch": ("interact",), "shrine": ("interact",),
    "boulder": ("break",), "target": ("shoot",), "item": ("take",), "enemy": ("attack",),
    "boss": ("attack",), "follower": ("attack",), "pit": ("jump",), "exit": ("leave",),
}  # fmt: skip
_UNRECORDED = -1
"""Pits and exits are in no recording: their ids count down from here, through all areas."""


def actors_of(adventure: Adventure) -> list[Actor]:
    """All that are there now."""
    area_state, area = adventure.area_state, adventure.area_state.area
    found = [
        Actor(prop.id, prop.type, prop.name, prop.position, actions_of(prop.type),
              floor=GROUND if prop.type == "target" else area.surface(*prop.at),
              values={"state": prop.state})
        for prop in area_state.props
    ]  # fmt: skip
    found += [
        Actor(enemy.id, enemy.type, enemy.label, (enemy.x, enemy.y, enemy.z),
              actions_of(enemy.type), values={"health": enemy.hp, "state": enemy.state.value})
        for enemy in area_state.all_enemies
    ]  # fmt: skip
    id = _UNRECORDED
    for other in adventure.level.areas.values():
        ways: tuple[Pit | Exit, ...] = (*other.pits, *other.exits)
        for way in ways:
            if other is area:
                found.append(_way(way, id, adventure))
            id -= 1
    return found


def actions_of(type: str) -> tuple[str, ...]:
    """What can be done to this type."""
    return _ACTIONS.get(type, ())


def names_of(level: Level) -> frozenset[str]:
    """What all actors of a level are called, those of other areas and those to come included."""
    found: set[str] = set()
    for area in level.areas.values():
        named: tuple[Named, ...] = (
            *area.people, *area.signs, *area.doors, *area.fixtures, *area.items, *area.pits,
        )  # fmt: skip
        found.update(one.name for one in named)
        found.update(way.name for way in area.exits)
        found.update(spawner.label for spawner in area.enemies)
        if area.boss is not None:
            found.update((area.boss.name, area.boss.label))
    return frozenset(found)


def _way(way: Pit | Exit, id: int, adventure: Adventure) -> Actor:
    if isinstance(way, Exit):
        (x, y), height = way.zone.at, adventure.area_state.area.surface(*way.zone.at)
        return Actor(id, "exit", way.name, (x, y, height), actions_of("exit"))
    # The point of its middle line that the player is nearest to: one jumps across, not along.
    (x, y), (width, depth) = way.at, way.size
    if width <= depth:
        y = min(max(adventure.player.y, y - depth / 2), y + depth / 2)
    else:
        x = min(max(adventure.player.x, x - width / 2), x + width / 2)
    return Actor(
        id, "pit", way.name, (x, y, GROUND), actions_of("pit"), radius=min(width, depth) / 2
    )
