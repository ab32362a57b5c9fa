"""The conditions for leaving a state, in one table: the highest true one wins.

Battle comes first and movement last, for whoever is knocked off the route can't follow it.
"""

from typing import NamedTuple

from ...decision import Condition, Decision, Rule, decide
from .agent_context import AgentContext
from .observation_view import ObservationView
from .route.row_tasks import ready_start
from .state_names import BACK, BOSS, COLLECT, ENEMY, MESSAGE, MOVE, REPLAY, STATES, UNLIMITED


class Situation(NamedTuple):
    """What the conditions look at."""

    context: AgentContext
    view: ObservationView


Transition = Decision[Situation, str]
TransitionRule = Rule[Situation, str]


def _in_boss_fight(now: Situation) -> bool:
    context, view = now
    return context.free(view) and bool(context.targets.bosses(view))


def _no_boss(now: Situation) -> str:
    context, view = now
    if not context.free(view):
        return "the pad is not the player's"
    return f"{len(view.seen.bosses)} bosses, field {view.seen.field!r}"


def _enemy_near(now: Situation) -> bool:
    context, view = now
    return context.free(view) and bool(context.targets.enemies(view))


def _no_enemy(now: Situation) -> str:
    context, view = now
    if not context.free(view):
        return "the pad is not the player's"
    away = min((found.away for found in view.around(view.seen.enemies)), default=None)
    distance = "no enemy" if away is None else f"the nearest enemy is {away:.1f} m away"
    return f"{distance}, range is {context.settings.enemies.range:g} m"


def _screen_shown(now: Situation) -> bool:
    return bool(now.view.seen.screen)


def _message_shown(now: Situation) -> bool:
    context, view = now
    return view.seen.message or context.events.skipping


def _no_message(now: Situation) -> str:
    return f"no message, event {now.context.events.current!r}"


def _item_near(now: Situation) -> bool:
    context, view = now
    return context.free(view) and bool(context.targets.items(view))


def _no_item(now: Situation) -> str:
    context, view = now
    away = min((found.away for found in view.around(view.seen.items)), default=None)
    distance = "no item" if away is None else f"the nearest item is {away:.1f} m away"
    return f"{distance}, range is {context.settings.items.range:g} m"


def _starting(now: Situation) -> bool:
    context, view = now
    return ready_start(context, view) is not None


ON_ROUTE = frozenset({MOVE, BACK})

TABLE: tuple[TransitionRule, ...] = (
    Rule(Condition("boss", _in_boss_fight, _no_boss), BOSS, ON_ROUTE),
    Rule(Condition("enemy_in_range", _enemy_near, _no_enemy), ENEMY, ON_ROUTE),
    Rule(
        Condition("screen_shown", _screen_shown, lambda now: "no screen"), UNLIMITED,
        frozenset(STATES) - {UNLIMITED},
    ),
    Rule(
        Condition("message_or_event", _message_shown, _no_message), MESSAGE,
        frozenset(STATES) - {MESSAGE, UNLIMITED},
    ),
    Rule(Condition("item_in_range", _item_near, _no_item), COLLECT, frozenset({MOVE})),
    Rule(
        Condition(
            "replay_starts", _starting,
            lambda now: f"row {now.context.memory.row} is no start that the game is ready for",
        ),
        REPLAY, frozenset({MOVE}),
    ),
)  # fmt: skip
"""In their order. `move_checkpoint` is what remains if none holds."""


def check_state_transition(
    context: AgentContext, view: ObservationView, table: tuple[TransitionRule, ...] = TABLE
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    hooks = context.trace.hooks
    return decide(table, Situation(context, view), context.memory.state, hooks=hooks)
