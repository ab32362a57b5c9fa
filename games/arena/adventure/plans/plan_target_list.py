"""Actors of an adventure that a plan can name: people, switches, enemies, items, pits, exits."""

from ....plan_target_actor import Actor
from ..adventure import Adventure
from ..world.level import GROUND, AdventureLevel, Exit, Named, Pit

TYPES: dict[str, tuple[str, ...]] = {
    "person": ("talk",), "sign": ("talk",), "door": (), "switch": ("interact",),
    "shrine": ("interact",), "boulder": ("break",), "target": ("shoot",), "item": ("take",),
    "enemy": ("attack",), "boss": ("attack",), "follower": ("attack",), "pit": ("jump",),
    "exit": ("leave",),
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
        passages: tuple[Pit | Exit, ...] = (*other.pits, *other.exits)
        for way in passages:
            if other is area:
                found.append(_way(way, id, adventure))
            id -= 1
    return found


def actions_of(type: str) -> tuple[str, ...]:
    """What can be done to this type."""
    return TYPES.get(type, ())


def names_of(level: AdventureLevel) -> dict[str, str]:
    """What all actors of a level are called, those of other areas and those to come included, each
    with its type."""
    found: dict[str, str] = {}
    for area in level.areas.values():
        named: tuple[tuple[str, tuple[Named, ...]], ...] = (
            ("person", area.people), ("sign", area.signs), ("door", area.doors),
            ("item", area.items), ("pit", area.pits), ("exit", area.exits),
        )  # fmt: skip
        found |= {one.name: type for type, those in named for one in those}
        found |= {one.name: one.kind for one in area.fixtures}
        found |= {spawner.label: "enemy" for spawner in area.enemies}
        if area.boss is not None:
            found |= {area.boss.name: "boss", area.boss.label: "follower"}
    return found


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
