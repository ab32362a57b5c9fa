"""Ordered conditions: who wins, what else held, and why the rest did not."""

from typing import NamedTuple

from playhead.decision_rules import Condition, DecisionRule, decide, nearest_miss
from playhead.recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Rejected


class Facts(NamedTuple):
    hp: float = 100.0
    away: float = 9.0


HURT = Condition[Facts]("hurt", lambda f: f.hp < 30, "hp {hp:g} is not below 30")
NEAR = Condition[Facts](
    "near", lambda f: f.away < 3, lambda f: f"{f.away:g} m away", lambda f: f.away - 3
)
FAR = Condition[Facts](
    "far", lambda f: f.away > 20, lambda f: f"only {f.away:g} m away", lambda f: 20 - f.away
)
RULES = (
    DecisionRule(HURT, "flee"),
    DecisionRule(NEAR, "fight"),
    DecisionRule(FAR, "sleep", frozenset({"idle"})),
)


def test_the_first_condition_that_holds_wins_and_the_others_are_reported():
    decision = decide(RULES, Facts(hp=20, away=2))
    assert decision is not None
    assert (decision.target, decision.won, decision.also_true) == ("flee", "hurt", ("near",))
    assert decision.rejected == (Rejected("far", "only 2 m away"),)


def test_nothing_is_decided_while_nothing_holds():
    assert decide(RULES, Facts()) is None


def test_a_rule_wins_only_in_its_own_states_and_is_reported_in_all_states():
    assert decide(RULES, Facts(away=30), "awake") is None
    decision = decide(RULES, Facts(away=30), "idle")
    assert decision is not None
    assert decision.target == "sleep"
    decision = decide(RULES, Facts(hp=1, away=30), "awake")
    assert decision is not None
    assert decision.also_true == ("far",)


def test_the_nearest_miss_lacked_least():
    assert nearest_miss(RULES, Facts(away=5)) == Rejected("near", "5 m away")
    assert nearest_miss(RULES[:1], Facts()) is None
    decision = decide(RULES, Facts(hp=1, away=18))
    assert decision is not None
    assert decision.nearest_miss == Rejected("far", "only 18 m away")


def test_no_reason_is_made_that_nobody_asks_for():
    asked = []

    def why(facts: Facts) -> str:
        asked.append(facts)
        return "never"

    never = Condition[Facts]("never", lambda f: False, why)
    decision = decide((DecisionRule(never, "a"), DecisionRule(HURT, "b")), Facts(hp=1))
    assert decision is not None
    decision.trace(NULL_INSTRUMENTATION, 1, "machine", "a", "b", values={})
    assert not asked
    assert [one.reason for one in decision.rejected] == ["never"]
