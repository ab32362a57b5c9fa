"""Machines of `transitions`, triggered as their programs trigger them."""

from enum import Enum
from typing import Any

import pytest

transitions = pytest.importorskip("transitions")

from transitions.extensions import HierarchicalMachine  # noqa: E402

from playhead.recording.recording import Recording  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DT = 1 / 16
STATES = ["idle", "chase", "attack"]
RULES = [
    {"trigger": "see", "source": "idle", "dest": "attack", "conditions": "near", "unless": "hurt"},
    {"trigger": "see", "source": "idle", "dest": "chase"},
    {"trigger": "lose", "source": ["chase", "attack"], "dest": "idle", "conditions": ["far"]},
]


class Guard:
    def __init__(self) -> None:
        self.x, self.is_near, self.is_hurt, self.is_far = 0.0, False, False, False

    def near(self) -> bool:
        return self.is_near

    def hurt(self) -> bool:
        return self.is_hurt

    def far(self) -> bool:
        return self.is_far


def told(rec: Any, agent: int = 1) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    run = Recording(rec.source, "test")
    return [
        (one.source, one.target, one.won, [(lost.condition, lost.reason) for lost in one.rejected])
        for one in run.transitions(agent)
    ]


def test_each_transition_has_its_trigger_and_the_conditions_that_were_true_and_false():
    guard = Guard()
    machine = transitions.Machine(guard, STATES, transitions=RULES, initial="idle", name="brain")
    with record([guard], dt=DT, strict=True) as rec:
        rec.add(machine)
        rec.add(machine)
        with rec.frame():
            guard.see()
        guard.is_far = True
        with rec.frame():
            guard.lose()
        guard.is_near = True
        with rec.frame():
            guard.see()
        assert told(rec) == [
            ("", "idle", "start", []),
            ("idle", "chase", "see", [("see → attack", "near is false")]),
            ("chase", "idle", "lose if far", []),
            ("idle", "attack", "see if near and not hurt", []),
        ]
        run = Recording(rec.source, "test")
        assert run.state(1, "brain", frame=1) == "chase"
        assert [one.frame for one in run.transitions(1)] == [1, 1, 2, 3]


def test_a_trigger_that_changes_nothing_is_an_event_with_its_reasons():
    guard = Guard()
    machine = transitions.Machine(guard, STATES, transitions=RULES, initial="chase")
    with record([guard], dt=DT, strict=True) as rec:
        rec.add(machine, name="brain")
        with rec.frame():
            assert not guard.lose()
            with pytest.raises(transitions.MachineError):
                guard.see()
        events = Recording(rec.source, "test").events()
        assert [(one.name, one.object) for one in events] == [("brain: no transition", 1)] * 2
        assert events[0].value == {
            "trigger": "lose", "state": "chase", "failed": ["lose → idle: far is false"],
        }  # fmt: skip
        assert "Can't trigger event see from state chase" in events[1].value["error"]


def test_a_trigger_within_a_callback_is_recorded_in_the_order_in_which_states_change():
    guard = Guard()
    guard.is_far = True
    machine = transitions.Machine(guard, STATES, transitions=RULES, initial="idle")
    machine.on_enter_chase(lambda: guard.lose())
    with record([guard], dt=DT, strict=True) as rec:
        rec.add(machine)
        with rec.frame():
            guard.see()
        assert [one[:3] for one in told(rec)][1:] == [
            ("idle", "chase", "see"), ("chase", "idle", "lose if far"),
        ]  # fmt: skip


def test_a_queued_machine_and_one_with_an_enum_and_a_state_set_by_hand_are_recorded():
    class Mood(Enum):
        CALM = 1
        ANGRY = 2

    guard = Guard()
    machine = transitions.Machine(guard, Mood, initial=Mood.CALM, queued=True, send_event=True)
    machine.add_transition("poke", Mood.CALM, Mood.ANGRY, after=lambda data: guard.calm())
    machine.add_transition("calm", Mood.ANGRY, Mood.CALM)
    with record([guard], dt=DT, strict=True) as rec:
        rec.add(machine, agent=guard)
        with rec.frame():
            guard.poke()
        machine.set_state(Mood.ANGRY, guard)
        with rec.frame():
            pass
        assert [one[:3] for one in told(rec)] == [
            ("", "CALM", "start"), ("CALM", "ANGRY", "poke"), ("ANGRY", "CALM", "calm"),
            ("CALM", "ANGRY", "set_state"),
        ]  # fmt: skip


def test_a_hierarchical_machine_has_its_nested_states_and_its_parallel_ones():
    guard = Guard()
    states = ["idle", {"name": "fight", "initial": "aim", "children": ["aim", "shoot"]},
              {"name": "both", "parallel": ["legs", "arms"]}]  # fmt: skip
    machine = HierarchicalMachine(guard, states=states, initial="idle")
    machine.add_transition("see", "idle", "fight", conditions="near")
    machine.add_transition("see", "idle", "both")
    machine.add_transition("fire", "fight_aim", "fight_shoot")
    machine.add_transition("rest", "*", "idle")
    with record([guard], dt=DT, strict=True) as rec:
        rec.add(machine)
        with rec.frame():
            guard.see()
            guard.rest()
        guard.is_near = True
        with rec.frame():
            guard.see()
            guard.fire()
        assert told(rec)[1:] == [
            ("idle", "both_legs + both_arms", "see", [("see → fight", "near is false")]),
            ("both_legs + both_arms", "idle", "rest", []),
            ("idle", "fight_aim", "see if near", []),
            ("fight_aim", "fight_shoot", "fire", []),
        ]


def test_models_without_an_id_are_distinguished_and_the_machine_is_as_before_afterwards():
    guards = [Guard(), Guard()]
    machine = transitions.Machine(guards, STATES, transitions=RULES, initial="idle")
    before = set(vars(machine))
    with record(dt=DT, strict=True) as rec:
        rec.add(machine, name="brain")
        with rec.frame():
            guards[1].see()
        run = Recording(rec.source, "test")
        assert [run.state(0, name) for name in ("brain", "brain 2")] == ["idle", "chase"]
    assert set(vars(machine)) == before
    assert all("check" not in vars(c) for t in machine.get_transitions() for c in t.conditions)
    guards[0].see()
    assert guards[0].state == "chase"
