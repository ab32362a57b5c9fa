"""Fighting by rules: choose a target, go to it, attack until it is down."""

import math
from collections.abc import Iterable

from ....games.playable_interface import ObservedEntity
from ..agent_context import PlaythroughAgentContext
from ..agent_memory import BattleTarget
from ..engine_axes import PlanPoint, Stick, bearing, plan_distance, turn_to
from ..observation_view import EntityOnPlan, ObservationView, same
from ..pad.button_presser import bits_of
from ..playthrough_settings import Fighting
from .agent_state import PlaythroughAgentState
from .dodging import Dodge

RETREAT = 90
"""Frames for which it goes back from a danger at most."""
INTO = 0.3
"""Radians beside the line of fire within which something may be hit."""
RETREATS = 2
"""How often it goes back from one place."""


class Fight(PlaythroughAgentState):
    """What battles with enemies and with bosses have in common."""

    def __init__(
        self, context: PlaythroughAgentContext, view: ObservationView, rules: Fighting
    ) -> None:
        super().__init__(context, view)
        self._rules = rules
        self._missing = 0
        self._dodge = Dodge()
        self._way_back: list[PlanPoint] = []
        """What is left of the way from what may harm it here."""
        self._back_by = 0
        """The frame of the fight in which that way is given up."""
        context.walker.forget()

    def aim_at(self, context: PlaythroughAgentContext, found: EntityOnPlan) -> None:
        """Make this one the target."""
        context.memory.tar_enemy = _target(context, found)
        self.frames = self._missing = self._fruitless = 0
        self._lowest, self._nearest, self._reach = found.thing.hp, math.inf, self._rules.attack

    def follow(
        self,
        context: PlaythroughAgentContext,
        view: ObservationView,
        things: Iterable[ObservedEntity],
    ) -> EntityOnPlan | None:
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
        self, context: PlaythroughAgentContext, found: EntityOnPlan, others: Iterable[EntityOnPlan]
    ) -> EntityOnPlan:  # fmt: skip
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
        self, context: PlaythroughAgentContext, view: ObservationView, found: EntityOnPlan
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
        aside = self._dodge.step(context, view, rules.dodge)
        retreat = self._way_from_danger(context, view)
        if any(aside):
            context.walker.walk(view, aside, heading)
        elif retreat is not None:
            context.walker.walk(view, retreat, heading)
        elif away > min(rules.close, self._reach):
            context.walker.walk(view, (math.cos(heading), math.sin(heading)), heading)
        elif context.settings.engine.facing != "walk" or off > rules.aim:
            context.walker.face(view, heading)
        if away <= self._reach and off <= rules.aim and not self._hits_danger(view, found):
            if rules.period == 1:
                context.presser.hold(bits_of(keys.attack))
            else:
                context.presser.mash(keys.attack, rules.period)

    def _hits_danger(self, view: ObservationView, found: EntityOnPlan) -> bool:
        """Whether a shot may hit what is so near to the player that it would harm it."""
        heading, away = bearing(view.point, found.point), plan_distance(view.point, found.point)
        return any(
            danger.away < min(away, self._rules.danger)
            and abs(turn_to(heading, bearing(view.point, danger.point))) < INTO
            for danger in view.around(view.seen.dangers) if not any(danger.thing.velocity)
        )  # fmt: skip

    def _way_from_danger(
        self, context: PlaythroughAgentContext, view: ObservationView
    ) -> Stick | None:
        """Where to walk, away from what may harm the player here; None if it may stay.

        It goes back the way it came, but not for ever: who has to pass it passes it.
        """
        rules, memory = self._rules, context.memory
        if not self._way_back:
            still = [one for one in view.seen.dangers if not any(one.velocity)]
            near = view.within(still, rules.danger, rules.height)
            here = (plan_distance(one, view.point) < rules.danger for one in memory.retreats)
            if not near or sum(here) >= RETREATS:
                return None
            self._way_back = memory.trail.back_from([one.point for one in near], rules.danger)
            memory.retreats.append(view.point)
            self._back_by = self.frames + RETREAT
        reached = context.settings.moving.arrival
        while self._way_back and plan_distance(self._way_back[-1], view.point) <= reached:
            self._way_back.pop()
        if not self._way_back or self.frames > self._back_by:
            self._way_back = []
            return None
        heading = bearing(view.point, self._way_back[-1])
        return math.cos(heading), math.sin(heading)

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


def _target(context: PlaythroughAgentContext, found: EntityOnPlan) -> BattleTarget:
    thing = found.thing
    return BattleTarget(thing.label, found.point, thing.hp, context.report.frames, thing.object)
