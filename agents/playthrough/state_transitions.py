"""The conditions for leaving a state, in one table: of those that hold, the highest wins.

Battle comes first and movement last, for whoever is knocked off the route can't follow it.
"""

from typing import TYPE_CHECKING, NamedTuple

from ...decision import Condition, Decision, Rule, decide
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


class Situation(NamedTuple):
    """What the conditions look at."""

    agent: "PlaythroughAgent"
    sight: ObservationView


Transition = Decision[Situation, str]


def _in_boss_fight(now: Situation) -> bool:
    agent, sight = now
    return agent.free(sight) and bool(agent.bosses(sight))


def _no_boss(now: Situation) -> str:
    agent, sight = now
    if not agent.free(sight):
        return "the pad is not the player's"
    return f"{len(sight.seen.bosses)} bosses, field {sight.seen.field!r}"


def _enemy_near(now: Situation) -> bool:
    agent, sight = now
    return agent.free(sight) and bool(agent.enemies(sight))


def _no_enemy(now: Situation) -> str:
    agent, sight = now
    if not agent.free(sight):
        return "the pad is not the player's"
    away = min((found.away for found in sight.around(sight.seen.enemies)), default=None)
    told = "no enemy" if away is None else f"the nearest enemy is {away:.1f} m away"
    return f"{told}, range is {agent.settings.enemies.range:g} m"


def _screen_shown(now: Situation) -> bool:
    return bool(now.sight.seen.screen)


def _message_shown(now: Situation) -> bool:
    agent, sight = now
    return sight.seen.message or agent.events.skipping


def _no_message(now: Situation) -> str:
    return f"no message, event {now.agent.events.current!r}"


def _item_near(now: Situation) -> bool:
    agent, sight = now
    return agent.free(sight) and bool(agent.items(sight))


def _no_item(now: Situation) -> str:
    agent, sight = now
    away = min((found.away for found in sight.around(sight.seen.items)), default=None)
    told = "no item" if away is None else f"the nearest item is {away:.1f} m away"
    return f"{told}, range is {agent.settings.items.range:g} m"


def _starting(now: Situation) -> bool:
    agent, sight = now
    return agent.starting(sight) is not None


_ON_ROUTE = frozenset({MOVE, BACK})

TABLE: tuple[Rule[Situation, str], ...] = (
    Rule(Condition("boss", _in_boss_fight, _no_boss), BOSS, _ON_ROUTE),
    Rule(Condition("enemy_in_range", _enemy_near, _no_enemy), ENEMY, _ON_ROUTE),
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
            lambda now: f"row {now.agent.row} is no start that the game is ready for",
        ),
        REPLAY, frozenset({MOVE}),
    ),
)  # fmt: skip
"""In their order. `move_checkpoint` is what remains if none holds."""


def check_state_transition(
    agent: "PlaythroughAgent",
    sight: ObservationView,
    table: tuple[Rule[Situation, str], ...] = TABLE,
) -> Transition | None:
    """The first condition that holds in the present state; None if none does."""
    return decide(table, Situation(agent, sight), agent.step_state)
