"""The conditions for leaving a state, in one table: of those that hold, the highest wins.

Battle comes first and movement last, for whoever is knocked off the route can't follow it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ...recorder.statements.instrumentation import Rejected
from .observation_view import ObservationView

if TYPE_CHECKING:
    from .playthrough_agent import PlaythroughAgent

MOVE = "move_checkpoint"
MESSAGE = "message_skip"
REPLAY = "pad_replay"
UNLIMITED = "unlimited_pad_replay"
COLLECT = "collect_item"
ENEMY = "enemy_battle"
BOSS = "boss_battle"
BACK = "back_to_demoroute"

STATES = (MOVE, MESSAGE, REPLAY, UNLIMITED, COLLECT, ENEMY, BOSS, BACK)
"""The number of a state in what is watched is its place here."""
RULED = frozenset({ENEMY, BOSS, COLLECT})
"""States that act by rules alone, whatever the demo did."""


class Condition(NamedTuple):
    """If it holds in one of the states `leaves`, `state` is entered."""

    name: str
    holds: "Callable[[PlaythroughAgent, ObservationView], bool]"
    state: str
    leaves: frozenset[str]
    why_not: "Callable[[PlaythroughAgent, ObservationView], str]"


class Transition(NamedTuple):
    """What decided, what else held, and why the rest did not."""

    state: str
    won: str
    also_true: tuple[str, ...]
    rejected: tuple[Rejected, ...]


def _in_boss_fight(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return agent.free(sight) and bool(agent.bosses(sight))


def _no_boss(agent: "PlaythroughAgent", sight: ObservationView) -> str:
    if not agent.free(sight):
        return "the pad is not the player's"
    return f"{len(sight.seen.bosses)} bosses, field {sight.seen.field!r}"


def _enemy_near(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return agent.free(sight) and bool(agent.enemies(sight))


def _no_enemy(agent: "PlaythroughAgent", sight: ObservationView) -> str:
    if not agent.free(sight):
        return "the pad is not the player's"
    away = min((found.away for found in sight.around(sight.seen.enemies)), default=None)
    told = "no enemy" if away is None else f"the nearest enemy is {away:.1f} m away"
    return f"{told}, range is {agent.settings.enemies.range:g} m"


def _screen_shown(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return bool(sight.seen.screen)


def _message_shown(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return sight.seen.message or agent.events.skipping


def _no_message(agent: "PlaythroughAgent", sight: ObservationView) -> str:
    return f"no message, event {agent.events.current!r}"


def _item_near(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return agent.free(sight) and bool(agent.items(sight))


def _no_item(agent: "PlaythroughAgent", sight: ObservationView) -> str:
    away = min((found.away for found in sight.around(sight.seen.items)), default=None)
    told = "no item" if away is None else f"the nearest item is {away:.1f} m away"
    return f"{told}, range is {agent.settings.items.range:g} m"


def _starting(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    return agent.starting(sight) is not None


_ON_ROUTE = frozenset({MOVE, BACK})

TABLE: tuple[Condition, ...] = (
    Condition("boss", _in_boss_fight, BOSS, _ON_ROUTE, _no_boss),
    Condition("enemy_in_range", _enemy_near, ENEMY, _ON_ROUTE, _no_enemy),
    Condition(
        "screen_shown", _screen_shown, UNLIMITED, frozenset(STATES) - {UNLIMITED},
        lambda agent, sight: "no screen",
    ),
    Condition(
        "message_or_event", _message_shown, MESSAGE, frozenset(STATES) - {MESSAGE, UNLIMITED},
        _no_message,
    ),
    Condition("item_in_range", _item_near, COLLECT, frozenset({MOVE}), _no_item),
    Condition(
        "replay_starts", _starting, REPLAY, frozenset({MOVE}),
        lambda agent, sight: f"row {agent.row} is no start that the game is ready for",
    ),
)  # fmt: skip
"""In their order. `move_checkpoint` is what remains if none holds."""


def check_state_transition(
    agent: "PlaythroughAgent", sight: ObservationView, table: tuple[Condition, ...] = TABLE
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    state = agent.step_state
    for winner in table:
        if state in winner.leaves and winner.holds(agent, sight):
            break
    else:
        return None
    true: list[str] = []
    rejected: list[Rejected] = []
    for other in table:
        if other is winner:
            continue
        if other.holds(agent, sight):
            true.append(other.name)
        else:
            rejected.append(Rejected(other.name, other.why_not(agent, sight)))
    return Transition(winner.state, winner.name, tuple(true), tuple(rejected))
