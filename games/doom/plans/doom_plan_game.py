"""Doom as a game for plans."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random

from ....errors import CommandError
from ....playback.pads.pad import Pad
from ....recorder.statements.instrumentation_interface import Scalar
from ...plan_game_interface import Controls, PlanGameEvent
from ...plan_target_actor import Actor
from ...playable_interface import Observation, Vector
from ..level_walk_grid import STEP, Point, Solid
from ..pad_to_buttons import TURN
from ..scenario import TICS_PER_SECOND
from ..tic_game import DoomGame
from ..visible_objects import ITEMS, MONSTERS
from .doom_actions import ACTIONS, attack, leave, open_door, take
from .doom_actors import (
    DOOR,
    EXIT,
    TYPES,
    Switch,
    door_actors,
    exit_actor,
    ids_of,
    object_actors,
)
from .doom_navigation_map import DoomMap
from .doom_outcome_validators import VALIDATORS

NEAREST = 16.0
TOUCHED = 96.0
"""Map units within which it is the player who has taken what is gone."""
_UNRECORDED = -1
"""Doors and the exit are in no recording: their ids count down from here."""
_STANDING = ("Decoration", "LightSource", "Vegetation", "Hazard")
"""Kinds of objects that stand in the way."""
_RADII = {"BigTree": 32.0, "ExplosiveBarrel": 10.0}
_RADIUS = 16.0
"""The value for those that are not listed."""


class PlanDrivenDoom(ABC):
    """The plans' side of Doom: a base of the game."""

    game: DoomGame
    plan_types: Mapping[str, Collection[str]] = {
        **{type: ("attack",) if type == "monster" else ("take",) for type in TYPES.values()},
        DOOR: ("open",), EXIT: ("leave",),
    }  # fmt: skip
    plan_actions = ACTIONS
    plan_controls = Controls(
        step_up=STEP, nearest=NEAREST, turn=math.radians(TURN),
        opening=20 / TICS_PER_SECOND,
    )  # fmt: skip
    validators = VALIDATORS
    _seed: int

    def __init__(self) -> None:
        self._listeners: list[Callable[[PlanGameEvent], object]] = []
        self._monsters: dict[int, str] = {}
        self._things: dict[int, Vector] = {}
        self._doorway = -1
        self._performed = 0

    @property
    @abstractmethod
    def player(self) -> int: ...

    @abstractmethod
    def observe(self) -> Observation: ...

    @property
    def plan_values(self) -> frozenset[str]:
        return frozenset(self.plan_state())

    def plan_actors(self) -> Sequence[Actor]:
        switch = self._switch
        fixed = [*self._doors.values(), *(() if switch is None else (switch.actor,))]
        return [*object_actors(self.game, self.observe()), *fixed]

    def plan_names(self) -> Mapping[str, str]:
        objects = self.game.objects
        kinds = zip(objects.names, objects.kinds, strict=True)
        classes = {name: TYPES[kind] for name, kind in kinds if kind in TYPES}
        return classes | {door.name: DOOR for door in self._doors.values()}

    def plan_state(self) -> Mapping[str, Scalar]:
        seen = self.observe()
        numbers = {name: value for name, value in seen.extras.items() if name != "exited"}
        return {**numbers, "dead": seen.dead, "finished": seen.finished}

    def plan_map(self) -> DoomMap:
        return self._map

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        if not isinstance(target, Actor):
            raise CommandError(f"{action} is done to an actor of Doom, not to {target!r}")
        self._performed += 1
        if action == "attack":
            chance = Random(f"{self._seed}/{self._performed}")
            return attack(self.observe, target, self._map.ground, chance, self._barrels)
        if action == "take":
            return take(self.observe, target, lambda: self.game.objects.find(target.id) is not None)
        if action == "open":
            sector = next(one for one, door in self._doors.items() if door.id == target.id)
            return open_door(self.observe, target, lambda: self._sector() == sector)
        assert self._switch is not None, "there is an exit if it is a target"
        return leave(self.observe, self._switch.at)

    def teleport(self, position: Vector) -> bool:
        return False

    def on_event(self, listener: Callable[[PlanGameEvent], object]) -> Callable[[], None]:
        if not self._listeners:
            self._look()
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell_events(self, *, left: bool) -> None:
        """Report what the newest tic has changed."""
        if not self._listeners:
            return
        monsters, things, doorway = self._monsters, self._things, self._doorway
        self._look()
        events = [PlanGameEvent("destroyed", id) for id in monsters if id not in self._monsters]
        here = self.observe().position
        events += [
            PlanGameEvent("taken", id) for id, place in things.items()
            if id not in self._things and math.dist(place[:2], here[:2]) <= TOUCHED
        ]  # fmt: skip
        door = self._doors.get(self._doorway)
        if door is not None and self._doorway != doorway:
            events.append(PlanGameEvent("opened", door.id))
        if left and self._switch is not None:
            events.append(PlanGameEvent("left", self._switch.actor.id))
        for event in events:
            for listener in tuple(self._listeners):
                listener(event)

    def _look(self) -> None:
        """Remember who is there."""
        objects = self.game.objects
        self._monsters = ids_of(self.game, MONSTERS)
        rows = objects.of_kinds(*ITEMS).tolist()
        self._things = {
            int(objects.ids[row]): tuple(objects.records["position"][row].tolist()) for row in rows
        }
        self._doorway = self._sector()

    def _sector(self) -> int:
        """The sector that the player is in."""
        x, y, _ = self.observe().position
        ground = self._map.ground
        return int(ground.sectors[ground.cell(x, y)])

    def _barrels(self) -> list[Point]:
        """What blows up when it is hit."""
        objects = self.game.objects
        rows = objects.of_kinds("Hazard").tolist()
        return [tuple(objects.records["position"][row, :2].tolist()) for row in rows]

    def solids(self) -> list[Solid]:
        """What is in the way beside the walls."""
        objects = self.game.objects
        found: list[Solid] = []
        for row in objects.of_kinds(*_STANDING).tolist():
            x, y, _ = objects.records["position"][row].tolist()
            found.append((x, y, _RADII.get(objects.names[objects.types[row]], _RADIUS)))
        return found

    @cached_property
    def _map(self) -> DoomMap:
        return DoomMap(self.game.level, self.solids())

    @cached_property
    def _doors(self) -> dict[int, Actor]:
        return door_actors(self.game.level, _UNRECORDED - 1)

    @cached_property
    def _switch(self) -> Switch | None:
        return exit_actor(self.game.level, self._map.ground, _UNRECORDED)
