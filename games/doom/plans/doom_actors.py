"""Actors of Doom that a plan can name: monsters and things by kind and class, doors, the exit."""

from collections.abc import Collection
from typing import NamedTuple

from ....errors import GameError
from ...plan_target_actor import Actor
from ...playable_interface import Observation
from ..level_walk_grid import LevelWalkGrid, Point
from ..scripted_player import exit_of
from ..tic_game import DoomGame
from ..visible_objects import ITEMS, MONSTERS
from ..wad_map import WadMap

TYPES = {kind: kind.lower() for kind in (*MONSTERS, *ITEMS)}
"""What plans call the engine's kinds."""
DOOR, EXIT = "door", "exit"


class Switch(NamedTuple):
    """The exit: its actor, at the place to stand on, and where its switch is."""

    actor: Actor
    at: Point


def exit_actor(level: WadMap, ground: LevelWalkGrid, id: int) -> Switch | None:
    """The level's exit; None if there is none that can be walked to."""
    try:
        at, cells = exit_of(level, ground)
    except GameError:
        return None
    cell = min(cells, key=lambda cell: abs(ground.point(cell)[0] - at[0])
               + abs(ground.point(cell)[1] - at[1]))  # fmt: skip
    place = (*ground.point(cell), float(ground.floor[cell]))
    return Switch(Actor(id, EXIT, EXIT, place, ("leave",)), at)


def door_actors(level: WadMap, id: int) -> dict[int, Actor]:
    """The doors that open by hand, by their sectors; their ids count down."""
    found: dict[int, Actor] = {}
    for number, sector in enumerate(level.doors()):
        beside = (level.left == sector) | (level.right == sector)
        middle = ((level.starts[beside] + level.ends[beside]) / 2).mean(axis=0)
        place = (float(middle[0]), float(middle[1]), float(level.floors[sector]))
        found[sector] = Actor(id - number, DOOR, f"door {number + 1}", place, ("open",))
    return found


def object_actors(game: DoomGame, seen: Observation) -> list[Actor]:
    """Living monsters, and things that one can take."""
    objects = game.objects
    visible = {thing.object for thing in (*seen.enemies, *seen.items)}
    found: list[Actor] = []
    for row in objects.of_kinds(*MONSTERS, *ITEMS).tolist():
        index = objects.types[row]
        id, name, type = int(objects.ids[row]), objects.names[index], TYPES[objects.kinds[index]]
        x, y, z = objects.records["position"][row].tolist()
        monster = type == "monster"
        # A monster is shot at from the present place, whatever it is on.
        floor = seen.position[2] if monster and id in visible else z
        found.append(Actor(
            id, type, name, (x, y, z), ("attack",) if monster else ("take",), floor=floor,
            hidden=id not in visible,
        ))  # fmt: skip
    return found


def ids_of(game: DoomGame, kinds: Collection[str]) -> dict[int, str]:
    """The objects of some kinds that are there, each with its kind."""
    objects = game.objects
    rows = objects.of_kinds(*kinds).tolist()
    return {int(objects.ids[row]): objects.kinds[objects.types[row]] for row in rows}
