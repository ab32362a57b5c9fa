"""What plans ask of an adventure, answered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from .....playback.pad import Button, Pad
from .....recorder.statements.instrumentation import Scalar
from ....action_validators import ActionValidators
from ....plan_game import Action, Actor, Controls, GameEvent, NavigationMap, Waypoint
from ....playable import Vector
from ..adventure import Quest
from ..scripted.pathfinding import ONE_JUMP, WalkableArea
from .plan_actions import ACTIONS, BUY, perform
from .plan_actors import TYPES, actors_of, names_of
from .plan_validators import VALIDATORS

LEVEL = 1.0
"""Metres up or down from its target at which somebody has come to it."""


class WalkableMap:
    """The walkable cells of an area as a plan's navigation asks for them."""

    def __init__(self, ground: WalkableArea) -> None:
        self._ground = ground

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        legs = self._ground.route(start[:2], start[2], goal[:2], near, goal[2], LEVEL)
        return None if legs is None else [Waypoint((*leg.at, leg.z), leg.jump) for leg in legs]


class PlanDrivenQuest:
    """The plans' side of an adventure: a base of the game."""

    quest: Quest
    plan_types = TYPES
    plan_values = frozenset((
        "health", "kills", "coins", "carried", "area", "screen", "window", "dead", "finished",
        "grounded", "x", "y", "z",
    ))  # fmt: skip
    plan_controls = Controls(Button.B, Button.RB, step_up=LEVEL, one_jump=ONE_JUMP)
    validators: ActionValidators = VALIDATORS
    _ground: tuple[tuple[object, ...], WalkableMap] | None = None

    @cached_property
    def plan_actions(self) -> Mapping[str, Action]:
        goods = [Action(BUY + goods.kind, 0.0, True) for goods in self.quest.level.goods]
        return {**ACTIONS, **{action.name: action for action in goods}}

    def plan_actors(self) -> Sequence[Actor]:
        return actors_of(self.quest)

    def plan_names(self) -> frozenset[str]:
        return names_of(self.quest.level)

    def plan_state(self) -> Mapping[str, Scalar]:
        quest, hero = self.quest, self.quest.hero
        return {
            "health": hero.hp, "kills": quest.kills, "coins": quest.coins,
            "carried": sum(quest.story.items.values()), "area": quest.place.area.name,
            "screen": quest.screen, "window": _window(quest), "dead": hero.dead,
            "finished": quest.finished, "grounded": hero.grounded,
            "x": hero.x, "y": hero.y, "z": hero.z,
        }  # fmt: skip

    def plan_map(self) -> NavigationMap | None:
        place = self.quest.place
        seen = (place, *(gate.state for gate in place.gates), len(place.devices))
        if self._ground is None or self._ground[0] != seen:
            self._ground = seen, WalkableMap(WalkableArea(place))
        return self._ground[1]

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        return perform(self.quest, action, target)

    def teleport(self, position: Vector) -> bool:
        self.quest.hero.stand(position[:2], self.quest.place.terrain)
        return True

    def on_event(self, listener: Callable[[GameEvent], object]) -> Callable[[], None]:
        return self.quest.on_event(lambda name, object: listener(GameEvent(name, object)))


def _window(quest: Quest) -> str:
    """What is shown over the game, told apart page by page; empty for nothing."""
    if quest.menus:
        menu = quest.menus[-1]
        return f"{menu.screen}/{len(quest.menus)}" + ("/entries" if menu.entries else "")
    return f"talk/{quest.talk.text}" if quest.talk is not None else ""
