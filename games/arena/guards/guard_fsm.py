"""A guard's state machine: its observations, and the conditions of each state in order."""

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from ....decision_rules import Condition, Decision, DecisionRule, choice_of
from ....decision_rules import decide as first_that_holds
from ....hooks.decision_hooks import DecisionHooks
from ....recorder.packets.reexecutable_decisions import DecisionResult
from ....recorder.statements.decision_maker_reference import maker_from
from ....recorder.statements.instrumentation_interface import Scalar

HURT = 35.0
"""Health below which a guard flees."""
RECOVERED = 80.0
REACH = 1.5
"""Metres at which an attack begins."""
OUT_OF_REACH = 2.1
"""Metres at which an attack is broken off; more than `REACH`, so that it doesn't flicker."""
EXPIRY = 2.5
"""Seconds after which a belief that was not renewed is no longer acted on."""
CERTAINTY = 0.4
PATIENCE = 1.2
SEARCHING = 6.0
FRESH_NOISE = 0.3


class State(Enum):
    """What a guard is up to."""

    PATROL = "Patrol"
    """Walks its route."""
    NOTICE = "Notice"
    """Has seen or heard something: stands and looks."""
    CHASE = "Chase"
    """Runs to where it believes the player to be."""
    ATTACK = "Attack"
    """Strikes at where it believes the player to be."""
    SEARCH = "Search"
    """Goes to where it last perceived something, and looks around."""
    FLEE = "Flee"
    """Is hurt: runs to shelter and recovers."""


class GuardFacts(NamedTuple):
    """The values that all conditions look at."""

    hp: float
    sees: bool
    target_down: bool
    """The player lies knocked down."""
    distance: float
    """Metres to where the player is believed to be; infinite without a belief."""
    belief_age: float
    """Seconds since the player was last seen; infinite without a belief."""
    noise_age: float
    """Seconds since a noise was last heard; infinite if none was."""
    goal_distance: float
    """Metres to where it is going."""
    state_time: float
    """Seconds in the present state."""

    def values(self) -> dict[str, Scalar]:
        """The facts by name, as a trace carries them: None for infinite."""
        return {
            name: None if isinstance(value, float) and math.isinf(value) else value
            for name, value in self._asdict().items()
        }


GuardCondition = Condition[GuardFacts]
GuardRule = DecisionRule[GuardFacts, State]
RuleTable = Mapping[State, tuple[GuardRule, ...]]
GuardDecision = Decision[GuardFacts, State]


def decide(
    table: RuleTable, state: State, facts: GuardFacts, hooks: DecisionHooks | None = None
) -> GuardDecision | None:
    """The first row of this state whose condition holds; None if none does."""
    return first_that_holds(table[state], facts, hooks=hooks, state=state)


def _last_noise(facts: GuardFacts) -> str:
    if math.isinf(facts.noise_age):
        return "no noise was ever heard"
    return f"last noise {facts.noise_age:.1f} s ago, not below {FRESH_NOISE:g} s"


def _never(facts: GuardFacts) -> float:
    """There is no more or less of a yes or no."""
    return math.inf


HURTS = GuardCondition(
    "hurt", lambda f: f.hp < HURT, f"hp {{hp:.0f}} is not below {HURT:g}", lambda f: f.hp - HURT
)
HEALED = GuardCondition(
    "recovered", lambda f: f.hp >= RECOVERED, f"hp {{hp:.0f}} has not reached {RECOVERED:g}",
    lambda f: RECOVERED - f.hp,
)  # fmt: skip
DOWN = GuardCondition("target_down", lambda f: f.target_down, "the player is on its feet", _never)
SEES = GuardCondition("sees_target", lambda f: f.sees, "the player is not in sight", _never)
HEARS = GuardCondition(
    "heard_noise",
    lambda f: f.noise_age < FRESH_NOISE,
    _last_noise,
    lambda f: f.noise_age - FRESH_NOISE,
)
CERTAIN = GuardCondition(
    "certain",
    lambda f: f.sees and f.state_time >= CERTAINTY,
    f"sees {{sees}}, looked for {{state_time:.1f}} of {CERTAINTY:g} s",
    lambda f: CERTAINTY - f.state_time if f.sees else math.inf,
)
NOTHING_THERE = GuardCondition(
    "nothing_there",
    lambda f: not f.sees and f.state_time >= PATIENCE,
    f"sees {{sees}}, looked for {{state_time:.1f}} of {PATIENCE:g} s",
    lambda f: math.inf if f.sees else PATIENCE - f.state_time,
)
EXPIRED = GuardCondition(
    "belief_expired",
    lambda f: f.belief_age > EXPIRY,
    f"belief is {{belief_age:.1f}} s old, not over {EXPIRY:g} s",
    lambda f: EXPIRY - f.belief_age,
)
TRAIL_LOST = GuardCondition(
    "trail_lost",
    lambda f: not f.sees and f.distance < 0.6,
    "sees {sees}, {distance:.1f} m from where the player is believed",
    lambda f: math.inf if f.sees else f.distance - 0.6,
)
CAN_STRIKE = GuardCondition(
    "can_strike",
    lambda f: f.sees and f.distance <= REACH,
    f"sees {{sees}}, player is {{distance:.1f}} m away, reach is {REACH:g} m",
    lambda f: f.distance - REACH if f.sees else math.inf,
)
TARGET_LOST = GuardCondition("target_lost", lambda f: not f.sees, "the player is in sight", _never)
FAR = GuardCondition(
    "out_of_reach",
    lambda f: f.distance > OUT_OF_REACH,
    f"player is believed {{distance:.1f}} m away, not over {OUT_OF_REACH:g} m",
    lambda f: OUT_OF_REACH - f.distance,
)
GAVE_UP = GuardCondition(
    "gave_up",
    lambda f: f.state_time > SEARCHING,
    f"searched for {{state_time:.1f}} of {SEARCHING:g} s",
    lambda f: SEARCHING - f.state_time,
)
IN_REACH = GuardCondition(
    "in_reach",
    lambda f: f.distance <= REACH,
    f"player is believed {{distance:.1f}} m away, reach is {REACH:g} m",
    lambda f: f.distance - REACH,
)
"""Only the flawed guard asks this: it forgets to ask whether the player is seen there."""

_COMMON: dict[State, tuple[GuardRule, ...]] = {
    State.PATROL: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(SEES, State.NOTICE),
        GuardRule(HEARS, State.NOTICE),
    ),
    State.NOTICE: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(CERTAIN, State.CHASE),
        GuardRule(NOTHING_THERE, State.SEARCH),
    ),
    State.SEARCH: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(SEES, State.CHASE),
        GuardRule(GAVE_UP, State.PATROL),
    ),
    State.FLEE: (GuardRule(HEALED, State.PATROL),),
}

SOUND: RuleTable = {
    **_COMMON,
    State.CHASE: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(DOWN, State.PATROL),
        GuardRule(CAN_STRIKE, State.ATTACK),
        GuardRule(EXPIRED, State.SEARCH),
        GuardRule(TRAIL_LOST, State.SEARCH),
    ),
    State.ATTACK: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(DOWN, State.PATROL),
        GuardRule(TARGET_LOST, State.CHASE),
        GuardRule(FAR, State.CHASE),
    ),
}
"""How guards think."""

FLAWED: RuleTable = {
    **_COMMON,
    State.CHASE: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(DOWN, State.PATROL),
        GuardRule(IN_REACH, State.ATTACK),
        GuardRule(TRAIL_LOST, State.SEARCH),
    ),
    State.ATTACK: (
        GuardRule(HURTS, State.FLEE),
        GuardRule(DOWN, State.PATROL),
        GuardRule(FAR, State.CHASE),
    ),
}
"""The same, as somebody in a hurry would write it: a belief never expires, reach is measured to
the belief however old it is, and an attack only ends when the belief is out of reach. So this
guard strikes where the player was, while its belief grows older and older."""


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Makes a guard's recorded decisions again; the settings are the name of its table."""
    table = TABLES[settings]

    def decide_again(inputs: Mapping[str, Any]) -> DecisionResult:
        facts = GuardFacts(**{name: inputs[name] for name in GuardFacts._fields})
        return choice_of(table[State(inputs["state"])], facts, name_of=lambda state: state.value)

    return decide_again


TABLES = {"sound": SOUND, "flawed": FLAWED}
MAKERS = {id(table): maker_from("arena guard", decider, name) for name, table in TABLES.items()}
"""The maker of decisions by each table, as recorded decisions name it; by the table's `id`."""
