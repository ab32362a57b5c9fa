"""The conditions for leaving a state, in one table: the highest true one wins.

Battle comes first and movement last: a player that is knocked off the route can't follow it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...decision_rules import Condition, Decision, DecisionRule, choice_of, decide
from ...hooks.decision_hooks import DecisionHooks
from ...recorder.packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ...recorder.statements.decision_maker_reference import maker_from
from .agent_context import PlaythroughAgentContext
from .observation_view import ObservationView
from .route.row_tasks import ready_start
from .state_names import (
    BACK,
    BOSS,
    COLLECT,
    DETOUR,
    ENEMY,
    MESSAGE,
    MOVE,
    REPLAY,
    STATES,
    UNLIMITED,
)


class Situation(NamedTuple):
    """What the conditions look at: plain values, so that a decision can be made again from them."""

    row: int
    """Of the demo."""
    free: bool
    """Whether the pad moves the player."""
    screen: str
    message: bool
    event: str
    skipping: bool
    """Whether an event takes the pad."""
    field: str
    bosses: int
    """How many are seen, …"""
    boss_fight: int
    """… and how many of them are to be fought here."""
    enemy: float
    """Metres to the nearest enemy that is seen; infinite if none is."""
    enemy_range: float
    enemies: int
    """How many are to be fought."""
    item: float
    """The same of items."""
    item_range: float
    items: int
    start: str | None
    """What the pad's replay would begin for at this row; None if the game is not ready for any."""
    own: dict[str, bool]
    """What conditions of one's own have answered so far: each is asked once."""
    context: Any = None
    """For these: the agent's `PlaythroughAgentContext`, …"""
    view: Any = None
    """… and its `ObservationView`. Neither is there when a decision is made again."""

    def inputs(self) -> dict[str, Any]:
        """What is recorded of it."""
        values = self._asdict()
        return {name: values[name] for name in values if name not in ("context", "view")}

    def asks(self, name: str, when: Callable[[Any, Any], bool]) -> bool:
        """The answer of a condition of one's own."""
        if name not in self.own and self.context is not None:
            self.own[name] = bool(when(self.context, self.view))
        return self.own.get(name, False)


Transition = Decision[Situation, str]
TransitionRule = DecisionRule[Situation, str]


def situation_of(context: PlaythroughAgentContext, view: ObservationView) -> Situation:
    """What is seen and remembered, as far as conditions look at it."""
    seen, settings, targets = view.seen, context.settings, context.targets
    return Situation(
        row=context.memory.row, free=context.free(view), screen=seen.screen, message=seen.message,
        event=context.events.current, skipping=context.events.skipping, field=seen.field,
        bosses=len(seen.bosses), boss_fight=len(targets.bosses(view)),
        enemy=min((found.away for found in view.around(seen.enemies)), default=math.inf),
        enemy_range=settings.enemies.range, enemies=len(targets.enemies(view)),
        item=min((found.away for found in view.around(seen.items)), default=math.inf),
        item_range=settings.items.range, items=len(targets.items(view)),
        start=ready_start(context, view), own={}, context=context, view=view,
    )  # fmt: skip


def _no_boss(now: Situation) -> str:
    if not now.free:
        return "the pad is not the player's"
    return f"{now.bosses} bosses, field {now.field!r}"


def _no_enemy(now: Situation) -> str:
    if not now.free:
        return "the pad is not the player's"
    return _nearest("enemy", now.enemy, now.enemy_range)


def _no_item(now: Situation) -> str:
    return _nearest("item", now.item, now.item_range)


def _nearest(what: str, away: float, range: float) -> str:
    distance = f"no {what}" if math.isinf(away) else f"the nearest {what} is {away:.1f} m away"
    return f"{distance}, range is {range:g} m"


def _out_of_range(away: float, range: float, *, free: bool) -> float:
    """Metres by which it is out of range; in range it is left alone for another reason."""
    return away - range if free and away > range else math.inf


ON_ROUTE = frozenset({MOVE, BACK, DETOUR})

TABLE: tuple[TransitionRule, ...] = (
    DecisionRule(
        Condition("boss", lambda now: now.free and now.boss_fight > 0, _no_boss), BOSS, ON_ROUTE
    ),
    DecisionRule(
        Condition(
            "enemy_in_range", lambda now: now.free and now.enemies > 0, _no_enemy,
            lambda now: _out_of_range(now.enemy, now.enemy_range, free=now.free),
        ),
        ENEMY, ON_ROUTE,
    ),
    DecisionRule(
        Condition("screen_shown", lambda now: bool(now.screen), lambda now: "no screen"), UNLIMITED,
        frozenset(STATES) - {UNLIMITED},
    ),
    DecisionRule(
        Condition(
            "message_or_event", lambda now: now.message or now.skipping,
            lambda now: f"no message, event {now.event!r}",
        ),
        MESSAGE,
        frozenset(STATES) - {MESSAGE, UNLIMITED},
    ),
    DecisionRule(
        Condition(
            "item_in_range", lambda now: now.free and now.items > 0, _no_item,
            lambda now: _out_of_range(now.item, now.item_range, free=now.free),
        ),
        COLLECT, frozenset({MOVE}),
    ),
    DecisionRule(
        Condition(
            "replay_starts", lambda now: now.start is not None,
            lambda now: f"row {now.row} is no start that the game is ready for",
        ),
        REPLAY, frozenset({MOVE}),
    ),
)  # fmt: skip
"""The rules in their order. `move_checkpoint` is chosen if none is true."""


def check_state_transition(
    situation: Situation,
    state: str,
    table: tuple[TransitionRule, ...] = TABLE,
    hooks: DecisionHooks | None = None,
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    return decide(table, situation, state, hooks=hooks)


def maker_of(table: tuple[TransitionRule, ...]) -> DecisionMaker:
    """The maker of decisions by a table, as recorded decisions name it."""
    rows = [
        [rule.condition.name, rule.target, None if rule.sources is None else sorted(rule.sources)]
        for rule in table
    ]
    return maker_from("playthrough agent", decider, rows)


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Makes the agent's recorded decisions again, by the order of conditions in the settings.

    Conditions of one's own look at the agent itself, which is not there: what they have answered
    is recorded.
    """
    usual = {rule.condition.name: rule.condition for rule in TABLE}
    table = tuple(
        DecisionRule(usual.get(name) or _answered(name), target, among and frozenset(among))
        for name, target, among in settings
    )

    def decide_again(inputs: Mapping[str, Any]) -> DecisionResult:
        fields = {name: inputs[name] for name in Situation._fields if name in inputs}
        return choice_of(table, Situation(**fields), inputs["state"])

    return decide_again


def _answered(name: str) -> Condition[Situation]:
    def reason(now: Situation) -> str:
        return "it does not hold" if name in now.own else "it was not asked then"

    return Condition(name, lambda now: now.own.get(name, False), reason)
