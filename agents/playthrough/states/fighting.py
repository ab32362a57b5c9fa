"""Fighting by rules: choose a target, go to it, attack until it is down."""

import math
from collections.abc import Iterable

from ....games.playable_interface import ObservedEntity
from ..agent_context import PlaythroughAgentContext
from ..agent_memory import Target
from ..engine_axes import bearing, plan_distance, turn_to
from ..observation_view import EntityInView, ObservationView, same
from ..pad.button_presser import bits_of
from ..playthrough_settings import Fighting
from .agent_state import PlaythroughAgentState


class Fight(PlaythroughAgentState):
    """What battles with enemies and with bosses have in common."""

    def __init__(
        self, context: PlaythroughAgentContext, view: ObservationView, rules: Fighting
    ) -> None:
        super().__init__(context, view)
        self._rules = rules
        self._missing = 0
        context.walker.forget()

    def aim_at(self, context: PlaythroughAgentContext, found: EntityInView) -> None:
        """Make this one the target."""
        context.memory.tar_enemy = _target(context, found)
        self.frames = self._missing = self._fruitless = 0
        self._lowest, self._nearest, self._reach = found.thing.hp, math.inf, self._rules.attack

    def follow(
        self,
        context: PlaythroughAgentContext,
        view: ObservationView,
        things: Iterable[ObservedEntity],
    ) -> EntityInView | None:
        """Where the target is now. None if it is not to be seen in this frame."""
        target = context.memory.tar_enemy
        assert target is not None
        alive = [thing for thing in things if thing.hp > 0 or target.hp <= 0]
        # The longer it was not seen, the farther it may have come.
        radius = self._rules.same * (1 + self._missing / context.settings.events.settle)
        found = same(view.around(alive), target.label, target.point, radius)
        self._missing = 0 if found is not None else self._missing + 1
        if found is not None:
            context.memory.tar_enemy = _target(context, found)
        return found

    def turn(
        self, context: PlaythroughAgentContext, found: EntityInView, others: Iterable[EntityInView]
    ) -> EntityInView:  # fmt: skip
        """The enemy to fight in this frame: one that came much nearer than the present target, or
        the target.
        """
        alive = [other for other in others if other.thing.hp > 0 or found.thing.hp <= 0]
        nearest = min(alive, key=lambda other: other.away, default=found)
        if nearest.away >= self._rules.turns * found.away:
            return found
        frames = self.frames
        self.aim_at(context, nearest)
        self.frames = frames  # patience is with the whole fight
        return nearest

    def is_gone(self, context: PlaythroughAgentContext) -> bool:
        """Whether it was not seen for so long that it is defeated, or left the game."""
        return self._missing >= context.settings.events.settle

    def attack(
        self, context: PlaythroughAgentContext, view: ObservationView, found: EntityInView
    ) -> None:
        """Go nearer, face it, and press the attack button within reach."""
        rules, keys = self._rules, context.settings.keys
        self.frames += 1
        away, heading = (
            plan_distance(view.point, found.point),
            bearing(view.point, found.point),
        )
        if (
            found.thing.hp < self._lowest
            or away < self._nearest - context.settings.recovery.progress
        ):
            self._lowest = min(self._lowest, found.thing.hp)
            self._nearest = min(self._nearest, away)
            self._fruitless = 0
        else:
            self._fruitless += 1
            if self._fruitless % max(1, rules.fruitless // 3) == 0:
                # Perhaps something is between them: come nearer.
                self._reach = max(rules.close, self._reach / 2)
        context.walker.target = found.point
        off = abs(turn_to(view.heading, heading))
        if away > min(rules.close, self._reach):
            context.walker.walk(view, (math.cos(heading), math.sin(heading)), heading)
        elif context.settings.engine.facing != "walk" or off > rules.aim:
            context.walker.face(view, heading)
        if away <= self._reach and off <= rules.aim:
            if rules.period == 1:
                context.presser.hold(bits_of(keys.attack))
            else:
                context.presser.mash(keys.attack, rules.period)

    def wait(self, context: PlaythroughAgentContext) -> None:
        """A frame in which the target is not to be attacked: it counts against the patience with
        the whole fight, and not as fruitless."""
        self.frames += 1
        context.walker.forget()

    def why_give_up(self, context: PlaythroughAgentContext, view: ObservationView) -> str:
        """Why the fight is left; empty if it is not."""
        if self._fruitless > self._rules.fruitless:
            return "fruitless"
        if self.frames > self._rules.patience:
            return "time_is_up"
        route = context.memory.last_checkpoint
        if route is not None and plan_distance(route, view.point) > self._rules.leash:
            return "too_far_from_the_route"
        return ""


def _target(context: PlaythroughAgentContext, found: EntityInView) -> Target:
    thing = found.thing
    return Target(thing.label, found.point, thing.hp, context.report.frames, thing.object)
