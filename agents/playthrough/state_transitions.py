"""The conditions for leaving a state, in one table: of those that hold, the highest wins.

Battle comes first and movement last, for whoever is knocked off the route can't follow it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...decision import Condition, Decision, Rule, choice_of, decide
from ...recorder.packets.decisions import Choice
from ...recorder.statements.decision_makers import maker_from
from .agent_context import AgentContext
from .observation_view import ObservationView
from .route.row_tasks import ready_start
from .state_names import BACK, BOSS, COLLECT, ENEMY, MESSAGE, MOVE, REPLAY, STATES, UNLIMITED


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


Transition = Decision[Situation, str]


def situation_of(context: AgentContext, view: ObservationView) -> Situation:
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
        start=ready_start(context, view),
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
    told = f"no {what}" if math.isinf(away) else f"the nearest {what} is {away:.1f} m away"
    return f"{told}, range is {range:g} m"


def _out_of_range(away: float, range: float, *, free: bool) -> float:
    """Metres by which it is out of range; in range it is left alone for another reason."""
    return away - range if free and away > range else math.inf


_ON_ROUTE = frozenset({MOVE, BACK})

TABLE: tuple[Rule[Situation, str], ...] = (
    Rule(
        Condition("boss", lambda now: now.free and now.boss_fight > 0, _no_boss), BOSS, _ON_ROUTE
    ),
    Rule(
        Condition(
            "enemy_in_range", lambda now: now.free and now.enemies > 0, _no_enemy,
            lambda now: _out_of_range(now.enemy, now.enemy_range, free=now.free),
        ),
        ENEMY, _ON_ROUTE,
    ),
    Rule(
        Condition("screen_shown", lambda now: bool(now.screen), lambda now: "no screen"), UNLIMITED,
        frozenset(STATES) - {UNLIMITED},
    ),
    Rule(
        Condition(
            "message_or_event", lambda now: now.message or now.skipping,
            lambda now: f"no message, event {now.event!r}",
        ),
        MESSAGE,
        frozenset(STATES) - {MESSAGE, UNLIMITED},
    ),
    Rule(
        Condition(
            "item_in_range", lambda now: now.free and now.items > 0, _no_item,
            lambda now: _out_of_range(now.item, now.item_range, free=now.free),
        ),
        COLLECT, frozenset({MOVE}),
    ),
    Rule(
        Condition(
            "replay_starts", lambda now: now.start is not None,
            lambda now: f"row {now.row} is no start that the game is ready for",
        ),
        REPLAY, frozenset({MOVE}),
    ),
)  # fmt: skip
"""In their order. `move_checkpoint` is what remains if none holds."""


def check_state_transition(
    situation: Situation, state: str, table: tuple[Rule[Situation, str], ...] = TABLE
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    return decide(table, situation, state)


def decider(settings: Any) -> Callable[[Mapping[str, Any]], Choice]:
    """Makes the agent's recorded decisions again; there are no settings."""

    def decide_again(inputs: Mapping[str, Any]) -> Choice:
        situation = Situation(**{name: inputs[name] for name in Situation._fields})
        return choice_of(TABLE, situation, inputs["state"])

    return decide_again


MAKER = maker_from(decider)
"""Who decides, in the words of a recorded decision."""
