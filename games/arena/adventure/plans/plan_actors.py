"""Whom a plan can name in an adventure: people, switches, enemies, items, pits, exits."""

from ....plan_game import Actor
from ..adventure import Quest
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


def actors_of(quest: Quest) -> list[Actor]:
    """All that are there now."""
    place, area = quest.place, quest.place.area
    found = [
        Actor(prop.id, prop.type, prop.name, prop.position, actions_of(prop.type),
              floor=GROUND if prop.type == "target" else area.surface(*prop.at),
              values={"state": prop.state})
        for prop in place.props
    ]  # fmt: skip
    found += [
        Actor(foe.id, foe.type, foe.label, (foe.x, foe.y, foe.z), actions_of(foe.type),
              values={"health": foe.hp, "state": foe.mood.value})
        for foe in place.foes
    ]  # fmt: skip
    id = _UNRECORDED
    for other in quest.level.areas.values():
        ways: tuple[Pit | Exit, ...] = (*other.pits, *other.exits)
        for way in ways:
            if other is area:
                found.append(_way(way, id, quest))
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


def _way(way: Pit | Exit, id: int, quest: Quest) -> Actor:
    if isinstance(way, Exit):
        (x, y), height = way.zone.at, quest.place.area.surface(*way.zone.at)
        return Actor(id, "exit", way.name, (x, y, height), actions_of("exit"))
    # The point of its middle line that the player is nearest to: one jumps across, not along.
    (x, y), (width, depth) = way.at, way.size
    if width <= depth:
        y = min(max(quest.hero.y, y - depth / 2), y + depth / 2)
    else:
        x = min(max(quest.hero.x, x - width / 2), x + width / 2)
    return Actor(
        id, "pit", way.name, (x, y, GROUND), actions_of("pit"), radius=min(width, depth) / 2
    )
