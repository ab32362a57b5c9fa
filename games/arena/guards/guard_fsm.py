"""A guard's state machine: what it looks at, the conditions in order, and which one wins.

All conditions of the present state are evaluated, also those behind the winner, so that a trace
can say what else was true and why the rest was not.
"""

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from ....recorder.statements.instrumentation import Belief, Instrumentation, Rejected, Scalar

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
    """Metres to the place it is going to."""
    state_time: float
    """Seconds in the present state."""

    def values(self) -> dict[str, Scalar]:
        """The facts by name, as a trace carries them: None stands for infinite."""
        return {
            name: None if isinstance(value, float) and math.isinf(value) else value
            for name, value in self._asdict().items()
        }


class Condition(NamedTuple):
    """A question about the facts, and why its answer is no."""

    name: str
    holds: Callable[[GuardFacts], bool]
    why_not: str
    """Filled in with the facts, by name."""
    never: tuple[str, str] = ("", "")
    """A fact, and what is said where it is infinite."""

    def reason(self, facts: GuardFacts) -> str:
        """Why the answer is no."""
        told = facts._asdict()
        fact, words = self.never
        return words if math.isinf(told.get(fact, 0.0)) else self.why_not.format(**told)


class GuardRule(NamedTuple):
    """If the condition holds, go to this state."""

    condition: Condition
    target: State


Table = Mapping[State, tuple[GuardRule, ...]]


class GuardDecision(NamedTuple):
    """A transition and everything that spoke for and against it."""

    source: State
    target: State
    won: str
    also_true: tuple[str, ...]
    rejected: tuple[Rejected, ...]
    facts: GuardFacts

    def trace(self, instruments: Instrumentation, agent: int, beliefs: list[Belief]) -> None:
        """Say it to whoever records."""
        instruments.trace.state(
            agent,
            "guard",
            self.source.value,
            self.target.value,
            won=self.won,
            also_true=self.also_true,
            rejected=self.rejected,
            values=self.facts.values(),
            beliefs=beliefs,
        )


def decide(table: Table, state: State, facts: GuardFacts) -> GuardDecision | None:
    """The first row of this state whose condition holds; None if none does."""
    rows = table[state]
    answers = [row.condition.holds(facts) for row in rows]
    if True not in answers:
        return None
    winner = answers.index(True)
    true = [row.condition.name for row, answer in zip(rows, answers, strict=True) if answer]
    rejected = tuple(
        Rejected(row.condition.name, row.condition.reason(facts))
        for row, answer in zip(rows, answers, strict=True)
        if not answer
    )
    target = rows[winner].target
    return GuardDecision(state, target, true[0], tuple(true[1:]), rejected, facts)


HURTS = Condition("hurt", lambda f: f.hp < HURT, f"hp {{hp:.0f}} is not below {HURT:g}")
HEALED = Condition(
    "recovered", lambda f: f.hp >= RECOVERED, f"hp {{hp:.0f}} has not reached {RECOVERED:g}"
)
DOWN = Condition("target_down", lambda f: f.target_down, "the player is on its feet")
SEES = Condition("sees_target", lambda f: f.sees, "the player is not in sight")
HEARS = Condition(
    "heard_noise",
    lambda f: f.noise_age < FRESH_NOISE,
    f"last noise {{noise_age:.1f}} s ago, not below {FRESH_NOISE:g} s",
    ("noise_age", "no noise was ever heard"),
)
CERTAIN = Condition(
    "certain",
    lambda f: f.sees and f.state_time >= CERTAINTY,
    f"sees {{sees}}, looked for {{state_time:.1f}} of {CERTAINTY:g} s",
)
NOTHING_THERE = Condition(
    "nothing_there",
    lambda f: not f.sees and f.state_time >= PATIENCE,
    f"sees {{sees}}, looked for {{state_time:.1f}} of {PATIENCE:g} s",
)
EXPIRED = Condition(
    "belief_expired",
    lambda f: f.belief_age > EXPIRY,
    f"belief is {{belief_age:.1f}} s old, not over {EXPIRY:g} s",
)
TRAIL_LOST = Condition(
    "trail_lost",
    lambda f: not f.sees and f.distance < 0.6,
    "sees {sees}, {distance:.1f} m from where the player is believed",
)
CAN_STRIKE = Condition(
    "can_strike",
    lambda f: f.sees and f.distance <= REACH,
    f"sees {{sees}}, player is {{distance:.1f}} m away, reach is {REACH:g} m",
)
TARGET_LOST = Condition("target_lost", lambda f: not f.sees, "the player is in sight")
FAR = Condition(
    "out_of_reach",
    lambda f: f.distance > OUT_OF_REACH,
    f"player is believed {{distance:.1f}} m away, not over {OUT_OF_REACH:g} m",
)
GAVE_UP = Condition(
    "gave_up",
    lambda f: f.state_time > SEARCHING,
    f"searched for {{state_time:.1f}} of {SEARCHING:g} s",
)
IN_REACH = Condition(
    "in_reach",
    lambda f: f.distance <= REACH,
    f"player is believed {{distance:.1f}} m away, reach is {REACH:g} m",
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

SOUND: Table = {
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

FLAWED: Table = {
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
guard strikes at the place where the player was, while its belief grows older and older."""
