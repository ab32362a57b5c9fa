"""The conditions for leaving a state, in one table: of those that hold, the highest wins.

Battle comes first and movement last, for whoever is knocked off the route can't follow it.
"""

from collections.abc import Callable
from typing import NamedTuple

from ...recorder.statements.instrumentation import Rejected
from .agent_context import AgentContext
from .observation_view import ObservationView
from .row_tasks import ready_start
from .state_names import BACK, BOSS, COLLECT, ENEMY, MESSAGE, MOVE, REPLAY, STATES, UNLIMITED


class Condition(NamedTuple):
    """If it holds in one of the states `leaves`, `state` is entered."""

    name: str
    holds: Callable[[AgentContext, ObservationView], bool]
    state: str
    leaves: frozenset[str]
    why_not: Callable[[AgentContext, ObservationView], str]


class Transition(NamedTuple):
    """What decided, what else held, and why the rest did not."""

    state: str
    won: str
    also_true: tuple[str, ...]
    rejected: tuple[Rejected, ...]


def _in_boss_fight(context: AgentContext, view: ObservationView) -> bool:
    return context.free(view) and bool(context.targets.bosses(view))


def _no_boss(context: AgentContext, view: ObservationView) -> str:
    if not context.free(view):
        return "the pad is not the player's"
    return f"{len(view.seen.bosses)} bosses, field {view.seen.field!r}"


def _enemy_near(context: AgentContext, view: ObservationView) -> bool:
    return context.free(view) and bool(context.targets.enemies(view))


def _no_enemy(context: AgentContext, view: ObservationView) -> str:
    if not context.free(view):
        return "the pad is not the player's"
    away = min((found.away for found in view.around(view.seen.enemies)), default=None)
    told = "no enemy" if away is None else f"the nearest enemy is {away:.1f} m away"
    return f"{told}, range is {context.settings.enemies.range:g} m"


def _screen_shown(context: AgentContext, view: ObservationView) -> bool:
    return bool(view.seen.screen)


def _message_shown(context: AgentContext, view: ObservationView) -> bool:
    return view.seen.message or context.events.skipping


def _no_message(context: AgentContext, view: ObservationView) -> str:
    return f"no message, event {context.events.current!r}"


def _item_near(context: AgentContext, view: ObservationView) -> bool:
    return context.free(view) and bool(context.targets.items(view))


def _no_item(context: AgentContext, view: ObservationView) -> str:
    away = min((found.away for found in view.around(view.seen.items)), default=None)
    told = "no item" if away is None else f"the nearest item is {away:.1f} m away"
    return f"{told}, range is {context.settings.items.range:g} m"


def _starting(context: AgentContext, view: ObservationView) -> bool:
    return ready_start(context, view) is not None


_ON_ROUTE = frozenset({MOVE, BACK})

TABLE: tuple[Condition, ...] = (
    Condition("boss", _in_boss_fight, BOSS, _ON_ROUTE, _no_boss),
    Condition("enemy_in_range", _enemy_near, ENEMY, _ON_ROUTE, _no_enemy),
    Condition(
        "screen_shown", _screen_shown, UNLIMITED, frozenset(STATES) - {UNLIMITED},
        lambda context, view: "no screen",
    ),
    Condition(
        "message_or_event", _message_shown, MESSAGE, frozenset(STATES) - {MESSAGE, UNLIMITED},
        _no_message,
    ),
    Condition("item_in_range", _item_near, COLLECT, frozenset({MOVE}), _no_item),
    Condition(
        "replay_starts", _starting, REPLAY, frozenset({MOVE}),
        lambda context, view: f"row {context.memory.row} is no start that the game is ready for",
    ),
)  # fmt: skip
"""In their order. `move_checkpoint` is what remains if none holds."""


def check_state_transition(
    context: AgentContext, view: ObservationView, table: tuple[Condition, ...] = TABLE
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    state = context.memory.state
    for winner in table:
        if state in winner.leaves and winner.holds(context, view):
            break
    else:
        return None
    true: list[str] = []
    rejected: list[Rejected] = []
    for other in table:
        if other is winner:
            continue
        if other.holds(context, view):
            true.append(other.name)
        else:
            rejected.append(Rejected(other.name, other.why_not(context, view)))
    return Transition(winner.state, winner.name, tuple(true), tuple(rejected))
