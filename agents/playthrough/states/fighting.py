"""Fighting by rules: choose a target, go to it, attack until it is down."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ....games.playable import Thing
from ..button_presses import bits_of
from ..engine_axes import Place, apart, bearing, turn_to
from ..observation_view import SeenThing, same
from ..playthrough_settings import Fighting
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class Target(NamedTuple):
    """What identifies the enemy that is fought: games may give many of them one label."""

    label: str
    place: Place
    """Where it was last."""
    hp: float
    frame: int
    """The agent's frame in which it was there."""
    object: int
    """Its id in the recording, for traces only."""


class Fight(State):
    """What battles with enemies and with bosses have in common."""

    def __init__(
        self, agent: "PlaythroughAgent", sight: "ObservationView", rules: Fighting
    ) -> None:
        super().__init__(agent, sight)
        self._rules = rules
        self._missing = 0
        agent.walker.forget()

    def aim_at(self, agent: "PlaythroughAgent", found: SeenThing) -> None:
        """Make this one the target."""
        agent.tar_enemy = _target(agent, found)
        self.frames = self._missing = self._fruitless = 0
        self._lowest, self._nearest, self._reach = found.thing.hp, math.inf, self._rules.attack

    def follow(
        self, agent: "PlaythroughAgent", sight: "ObservationView", things: Iterable[Thing]
    ) -> SeenThing | None:
        """Where the target is now. None if it is not to be seen in this frame."""
        target = agent.tar_enemy
        assert target is not None
        alive = [thing for thing in things if thing.hp > 0 or target.hp <= 0]
        # The longer it was not seen, the farther it may have come.
        radius = self._rules.same * (1 + self._missing / agent.settings.events.settle)
        found = same(sight.around(alive), target.label, target.place, radius)
        self._missing = 0 if found is not None else self._missing + 1
        if found is not None:
            agent.tar_enemy = _target(agent, found)
        return found

    def turn(
        self, agent: "PlaythroughAgent", found: SeenThing, others: Iterable[SeenThing]
    ) -> SeenThing:  # fmt: skip
        """Whom to fight in this frame: another one that came much nearer than the target is, or
        the target.
        """
        alive = [other for other in others if other.thing.hp > 0 or found.thing.hp <= 0]
        nearest = min(alive, key=lambda other: other.away, default=found)
        if nearest.away >= self._rules.turns * found.away:
            return found
        frames = self.frames
        self.aim_at(agent, nearest)
        self.frames = frames  # patience is with the whole fight
        return nearest

    def is_gone(self, agent: "PlaythroughAgent") -> bool:
        """Whether it was not seen for so long that it is defeated, or left the game."""
        return self._missing >= agent.settings.events.settle

    def attack(self, agent: "PlaythroughAgent", sight: "ObservationView", found: SeenThing) -> None:
        """Go nearer, face it, and press the attack button within reach."""
        rules, keys = self._rules, agent.settings.keys
        self.frames += 1
        away, heading = apart(sight.place, found.place), bearing(sight.place, found.place)
        if found.thing.hp < self._lowest or away < self._nearest - agent.settings.recovery.progress:
            self._lowest = min(self._lowest, found.thing.hp)
            self._nearest = min(self._nearest, away)
            self._fruitless = 0
        else:
            self._fruitless += 1
            if self._fruitless % max(1, rules.fruitless // 3) == 0:
                # Perhaps something stands between: come nearer.
                self._reach = max(rules.close, self._reach / 2)
        agent.walker.target = found.place
        off = abs(turn_to(sight.heading, heading))
        if away > min(rules.close, self._reach):
            agent.walker.walk(sight, (math.cos(heading), math.sin(heading)), heading)
        elif agent.settings.engine.facing != "walk" or off > rules.aim:
            agent.walker.face(sight, heading)
        if away <= self._reach and off <= rules.aim:
            if rules.period == 1:
                agent.hands.hold(bits_of(keys.attack))
            else:
                agent.hands.mash(keys.attack, rules.period)

    def why_give_up(self, agent: "PlaythroughAgent", sight: "ObservationView") -> str:
        """Why the fight is left; empty if it is not."""
        if self._fruitless > self._rules.fruitless:
            return "fruitless"
        if self.frames > self._rules.patience:
            return "time_is_up"
        route = agent.last_checkpoint
        if route is not None and apart(route, sight.place) > self._rules.leash:
            return "too_far_from_the_route"
        return ""


def _target(agent: "PlaythroughAgent", found: SeenThing) -> Target:
    thing = found.thing
    return Target(thing.label, found.place, thing.hp, agent.report.frames, thing.object)
