"""An enemy's state machine: its observations, and the conditions of each state in order."""

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from .....decision_rules import Condition, Decision, DecisionRule, choice_of
from .....decision_rules import decide as first_that_holds
from .....hooks.decision_hooks import DecisionHooks
from .....recorder.packets.reexecutable_decisions import DecisionResult
from .....recorder.statements.decision_maker_reference import maker_from

REACH = 1.25
"""Metres at which a blow begins."""
BLOW_REACH = 1.7
"""Metres at which it still lands."""
WIND_UP = 0.4
BREATHER = 0.9
FORGETTING = 2.5
LEASH = 9.0
"""Metres from its home beyond which it lets go of the player."""


class EnemyState(Enum):
    """What an enemy is up to."""

    WANDER = "Wander"
    """Strolls about its home."""
    CHASE = "Chase"
    """Runs to where it believes the player to be."""
    STRIKE = "Strike"
    """Raises its arm; the blow lands at the end."""
    BREATHE = "Breathe"
    """Gets its breath back after a blow."""
    REEL = "Reel"
    """Was hit, and is knocked back."""


class EnemyFacts(NamedTuple):
    """The values that all conditions look at."""

    sees: bool
    distance: float
    """Metres to where it believes the player to be; a large number if it believes nothing."""
    belief_age: float
    """Seconds since it saw the player."""
    from_home: float
    """Metres from the middle of its home to where it believes the player to be."""
    mood_time: float
    """Seconds in the present state."""
    knocked: bool
    target_down: bool


EnemyCondition = Condition[EnemyFacts]
EnemyRule = DecisionRule[EnemyFacts, EnemyState]
EnemyDecision = Decision[EnemyFacts, EnemyState]


def _never(facts: EnemyFacts) -> float:
    """There is no more or less of a yes or no."""
    return math.inf


_HIT = EnemyRule(
    EnemyCondition("knocked", lambda f: f.knocked, "it was not knocked back", _never),
    EnemyState.REEL,
)
_DOWN = EnemyRule(
    EnemyCondition("target_down", lambda f: f.target_down, "the player is on its feet", _never),
    EnemyState.WANDER,
)
_LOST = EnemyRule(
    EnemyCondition(
        "lost",
        lambda f: f.belief_age > FORGETTING,
        f"saw the player {{belief_age:.1f}} s ago, forgets after {FORGETTING:g} s",
        lambda f: FORGETTING - f.belief_age,
    ),
    EnemyState.WANDER,
)
_FAR = EnemyRule(
    EnemyCondition(
        "too_far_from_home",
        lambda f: f.from_home > LEASH,
        f"the player is {{from_home:.1f}} m from its home, not over {LEASH:g} m",
        lambda f: LEASH - f.from_home,
    ),
    EnemyState.WANDER,
)

TABLE: Mapping[EnemyState, tuple[EnemyRule, ...]] = {
    EnemyState.WANDER: (
        _HIT,
        EnemyRule(
            EnemyCondition(
                "sees_player",
                lambda f: f.sees and f.from_home <= LEASH and not f.target_down,
                "sees {sees}, player {from_home:.1f} m from its home",
                lambda f: f.from_home - LEASH if f.sees and not f.target_down else math.inf,
            ),
            EnemyState.CHASE,
        ),
    ),
    EnemyState.CHASE: (
        _HIT,
        _DOWN,
        _LOST,
        _FAR,
        EnemyRule(
            EnemyCondition(
                "in_reach",
                lambda f: f.sees and f.distance <= REACH,
                f"sees {{sees}}, player is {{distance:.1f}} m away, reach is {REACH:g} m",
                lambda f: f.distance - REACH if f.sees else math.inf,
            ),
            EnemyState.STRIKE,
        ),
    ),
    EnemyState.STRIKE: (
        _HIT,
        EnemyRule(
            EnemyCondition(
                "struck",
                lambda f: f.mood_time >= WIND_UP,
                "the arm is still raised",
                lambda f: WIND_UP - f.mood_time,
            ),
            EnemyState.BREATHE,
        ),
    ),
    EnemyState.BREATHE: (
        _HIT,
        EnemyRule(
            EnemyCondition(
                "rested",
                lambda f: f.mood_time >= BREATHER,
                f"rests for {{mood_time:.1f}} of {BREATHER:g} s",
                lambda f: BREATHER - f.mood_time,
            ),
            EnemyState.CHASE,
        ),
    ),
    EnemyState.REEL: (
        EnemyRule(
            EnemyCondition("on_its_feet", lambda f: not f.knocked, "is still knocked back", _never),
            EnemyState.CHASE,
        ),
    ),
}
"""How enemies think; the upper row wins."""


def decide(
    mood: EnemyState, facts: EnemyFacts, hooks: DecisionHooks | None = None
) -> EnemyDecision | None:
    """The first row of this state whose condition holds; None if none does."""
    return first_that_holds(TABLE[mood], facts, hooks=hooks, state=mood)


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Makes an enemy's recorded decisions again; there are no settings."""

    def decide_again(inputs: Mapping[str, Any]) -> DecisionResult:
        facts = EnemyFacts(**{name: inputs[name] for name in EnemyFacts._fields})
        rules = TABLE[EnemyState(inputs["state"])]
        return choice_of(rules, facts, name_of=lambda state: state.value)

    return decide_again


MAKER = maker_from("arena enemy", decider)
"""The maker of the decisions, as recorded decisions name it."""
