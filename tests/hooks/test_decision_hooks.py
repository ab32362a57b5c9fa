"""Hooks on tables of conditions: the arena's guards, and rules of plans."""

from enum import Enum
from typing import NamedTuple

import pytest

from playhead.decision_rules import Condition, DecisionRule, decide, hooks_on
from playhead.hooks.hook_definition import HookState
from playhead.playback.playback_state import Mode
from playhead.recording.recording import Recording
from playhead.session import Session

from ..support.fake_world import DT, FakeWorld


class Mood(Enum):
    CALM = "Calm"
    ANGRY = "Angry"
    AFRAID = "Afraid"


class Facts(NamedTuple):
    hp: float
    sees: bool


TABLE = {
    Mood.CALM: (
        DecisionRule(Condition("hurt", lambda f: f.hp < 5, "hp {hp} is fine"), Mood.AFRAID),
        DecisionRule(Condition("sees", lambda f: f.sees, "sees nobody"), Mood.ANGRY),
    ),
    Mood.ANGRY: (
        DecisionRule(Condition("lost", lambda f: not f.sees, "sees somebody"), Mood.CALM),
    ),
    Mood.AFRAID: (),
}  # fmt: skip


class Mind:
    """One agent that decides by the table in every step."""

    def __init__(self) -> None:
        self.session = Session(FakeWorld(), "1 MiB", strict=True)
        self.mood, self.facts = Mood.CALM, Facts(9.0, False)

    def step(self, **facts: object) -> str:
        self.facts = self.facts._replace(**facts)
        self.session.world.step()
        hooks = hooks_on(self.session, 7, "mood")
        decision = decide(TABLE[self.mood], self.facts, hooks=hooks, state=self.mood)
        if decision is not None:
            decision.trace(
                self.session, 7, "mood", self.mood.value, decision.target.value,
                values=decision.facts._asdict(),
            )  # fmt: skip
            self.mood = decision.target
        self.session.update(DT)
        return self.mood.value

    def report(self) -> HookState:
        [report] = self.session.hooks.list()
        return report

    def trace(self):
        [(_, trace)] = self.session.source.traces(self.session.source.span.newest)
        return trace


@pytest.fixture
def mind():
    made = Mind()
    yield made
    made.session.close()


def test_without_hooks_nobody_is_asked(mind):
    assert mind.session.armed_hooks is None
    assert hooks_on(mind.session, 7, "mood") is None
    hook = mind.session.hooks.trace(7, rule="sees")
    assert mind.session.armed_hooks is not None
    assert hooks_on(mind.session, 8, "mood") is None, "another agent's decisions are not asked"
    mind.session.hooks.remove(hook)
    assert mind.session.armed_hooks is None


def test_a_denied_rule_does_not_hold_and_its_reason_names_the_hook(mind):
    hook = mind.session.hooks.replace(7, rule="hurt", result=False)
    assert mind.step(hp=1.0, sees=True) == "Angry"
    rejected = {one.condition: one.reason for one in mind.trace().rejected}
    assert rejected["hurt"] == f"hook {hook.id} keeps it from holding"


def test_an_allowed_rule_holds_and_wins_by_its_place(mind):
    hook = mind.session.hooks.replace(7, rule="sees", result=True)
    assert mind.step(hp=1.0) == "Afraid", "a rule above it goes first"
    mind.mood = Mood.CALM
    assert mind.step(hp=9.0) == "Angry"
    assert mind.trace().won == f"sees, hook {hook.id}"


def test_a_rule_that_answers_as_by_itself_is_no_hit(mind):
    mind.session.hooks.replace(7, rule="sees", result=False)
    mind.step()
    assert mind.report().hits == 0
    mind.step(sees=True)
    assert mind.report().hits == 1


def test_a_mocked_rule_answers_from_its_list(mind):
    mind.session.hooks.mock(7, rule="sees", results=[False, True])
    assert mind.step(sees=True) == "Calm"
    assert mind.step(sees=False) == "Angry"
    assert mind.report().state == "done"
    assert mind.step() == "Calm", "by itself again"


def test_a_transition_that_is_suppressed_lets_the_next_rule_win(mind):
    mind.session.hooks.replace(7, transition="Calm -> Afraid", result=None)
    assert mind.step(hp=1.0, sees=False) == "Calm"
    assert mind.step(sees=True) == "Angry"
    assert mind.report().hits == 2


def test_a_transition_leads_elsewhere_and_is_recorded_so(mind):
    hook = mind.session.hooks.replace(7, transition="-> Angry", result="Afraid")
    assert mind.step(sees=True) == "Afraid"
    trace = mind.trace()
    assert (trace.source, trace.target, trace.won) == ("Calm", "Afraid", f"sees, hook {hook.id}")
    inputs = mind.session.source.statements(1).inputs
    assert inputs[7, f"hook {hook.id}"] == "Calm -> Angry leads to Afraid"


def test_an_unknown_goal_is_told_at_the_hook_and_changes_nothing(mind):
    mind.session.hooks.replace(7, transition="-> Angry", result="Angri")
    assert mind.step(sees=True) == "Angry"
    assert mind.report().state == "wrong"
    assert "did you mean 'Angry'" in mind.report().note


def test_a_trace_tells_the_transition_and_its_values(mind):
    mind.session.hooks.trace(7, transition="Calm ->", when="hp > 5")
    mind.step(sees=True)
    [line] = Recording(mind.session.source, "").logs()
    assert line.text == "mood: Calm -> Angry, sees won (hp=9, sees=True)"
    assert line.object == 7


def test_a_break_pauses_at_the_end_of_the_frame_of_the_decision(mind):
    mind.session.hooks.break_at(7, rule="sees")
    mind.step()
    assert mind.session.live
    mind.step(sees=True)
    state = mind.session.state
    assert state.mode is Mode.PAUSED
    assert state.frame == 2
    mind.session.leave()


def test_a_hook_on_an_agent_that_has_not_decided_waits(mind):
    mind.session.hooks.trace(7, rule="sees")
    assert mind.report().state == "waiting"
    mind.step()
    assert mind.report().state == "armed"


def test_the_past_tells_how_often_a_rule_won_was_true_too_and_was_rejected(mind):
    mind.step(sees=True)
    mind.step(sees=False)
    mind.step(hp=1.0, sees=True)
    found = Recording(mind.session.source, "").occurrences(7, rule="sees")
    assert (found.count, found.first, found.now) == (1, 1, "also true")
    assert found.outcomes == {"won": 1, "also true": 1}


def test_a_rule_or_a_state_that_is_not_there_is_reported_with_the_nearest_name(mind):
    mind.session.hooks.trace(7, rule="seees")
    mind.session.hooks.trace(7, transition="Clam -> Angry")
    mind.session.hooks.trace(7, rule="lost")
    mind.step()
    rule, state, later = mind.session.hooks.list()
    assert (rule.state, state.state, later.state) == ("waiting", "waiting", "waiting")
    assert rule.note == "no rule 'seees' so far: did you mean 'sees'?"
    assert state.note == "there is no state 'Clam': did you mean 'Calm'?"
    mind.step(sees=True)
    mind.step(sees=False)
    assert mind.session.hooks.list()[2].state == "armed", "another state's rules are known by then"
