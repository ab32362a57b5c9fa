"""An adventure as a game for plans."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from .....playback.pads.pad import Button, Pad
from .....recorder.statements.instrumentation_interface import Scalar
from ....action_outcome_validators import ActionValidators
from ....plan_game_interface import Action, Controls, NavigationMap, PlanGameEvent, Waypoint
from ....plan_target_actor import Actor
from ....playable_interface import Vector
from ....walkable_grid import WalkGrid
from ..adventure import Adventure
from ..scripted.pathfinding import ONE_JUMP, WalkableArea
from .adventure_action_validators import validators_of
from .area_walk_grids import level_grids
from .plan_actions import ACTIONS, BUY, perform
from .plan_target_list import TYPES, actors_of, names_of

LEVEL = 0.5
"""Metres up or down from its target at which an actor has reached it."""


class WalkableMap:
    """The walkable cells of an area as a plan's navigation asks for them."""

    def __init__(self, ground: WalkableArea) -> None:
        self._ground = ground

    def grid(self) -> WalkGrid:
        return self._ground.grid

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        legs = self._ground.route(start[:2], start[2], goal[:2], near, goal[2], LEVEL)
        return None if legs is None else [Waypoint((*leg.at, leg.z), leg.jump) for leg in legs]


class PlanDrivenAdventure:
    """The plans' side of an adventure: a base of the game."""

    adventure: Adventure
    plan_types = TYPES
    plan_values = frozenset((
        "health", "kills", "coins", "carried", "area", "screen", "window", "dead", "finished",
        "grounded", "x", "y", "z",
    ))  # fmt: skip
    plan_controls = Controls(Button.B, Button.RB, step_up=LEVEL, one_jump=ONE_JUMP)
    level_variants: Mapping[str, Any] = {"moved_actors": True}
    _ground: tuple[tuple[object, ...], WalkableMap] | None = None

    @cached_property
    def plan_actions(self) -> Mapping[str, Action]:
        goods = [Action(BUY + goods.kind, 0.0, True) for goods in self.adventure.level.goods]
        return {**ACTIONS, **{action.name: action for action in goods}}

    @cached_property
    def validators(self) -> ActionValidators:
        return validators_of(self.adventure.level)

    def plan_actors(self) -> Sequence[Actor]:
        return actors_of(self.adventure)

    def plan_names(self) -> Mapping[str, str]:
        return names_of(self.adventure.level)

    def plan_state(self) -> Mapping[str, Scalar]:
        adventure, player = self.adventure, self.adventure.player
        return {
            "health": player.hp, "kills": adventure.kills, "coins": adventure.coins,
            "carried": sum(adventure.story.items.values()), "area": adventure.area_state.area.name,
            "screen": adventure.screen, "window": _window(adventure), "dead": player.dead,
            "finished": adventure.finished, "grounded": player.grounded,
            "x": player.x, "y": player.y, "z": player.z,
        }  # fmt: skip

    def plan_map(self) -> NavigationMap | None:
        area_state = self.adventure.area_state
        seen = (area_state, *(gate.state for gate in area_state.gates), len(area_state.devices))
        if self._ground is None or self._ground[0] != seen:
            self._ground = seen, WalkableMap(WalkableArea(area_state))
        return self._ground[1]

    def walk_grids(self) -> Sequence[WalkGrid]:
        return list(level_grids(self.adventure.level))

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        return perform(self.adventure, action, target)

    def teleport(self, position: Vector) -> bool:
        self.adventure.player.stand(position[:2], self.adventure.area_state.terrain)
        return True

    def on_event(self, listener: Callable[[PlanGameEvent], object]) -> Callable[[], None]:
        return self.adventure.on_event(lambda name, object: listener(PlanGameEvent(name, object)))


def _window(adventure: Adventure) -> str:
    """What is shown over the game, different for each page; empty for nothing."""
    if adventure.menus:
        menu = adventure.menus[-1]
        return f"{menu.screen}/{len(adventure.menus)}" + ("/entries" if menu.entries else "")
    return f"talk/{adventure.talk.text}" if adventure.talk is not None else ""
