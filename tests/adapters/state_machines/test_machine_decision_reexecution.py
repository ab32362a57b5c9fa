"""Decisions of a machine of `transitions` are made again from what its conditions looked at."""

import pytest

pytest.importorskip("transitions")

from playhead.errors import CommandError
from playhead.recording import open_file
from playhead.recording.decisions.why_not_text import why_not_lines
from playhead.recording_session import record

DEER = """
from enum import Enum

import transitions
from transitions.extensions import HierarchicalMachine


class Ground:
    def __init__(self):
        self.height, self.slopes = 2.0, [0.5, 0.25]

    def is_steep(self):
        return self.height > 5


class Deer:
    calm_below = 1.0
    __slots__ = ("__dict__", "fear")

    def __init__(self):
        self.fear, self.ground, self.pair, self.asked, self.x = 0.0, Ground(), (1, 2), 0, 0.0

    @property
    def panic(self):
        return self.fear + self.margin()

    def margin(self):
        return 0.5 * self.calm_below

    def is_scared(self):
        self.asked += 1
        return self.panic > 3

    def is_calm(self):
        return self.fear < self.calm_below

    def is_high(self):
        return any(self.ground.height > limit for limit in self.ground.slopes)

    def is_steep(self):
        return self.ground.is_steep()

    def hears(self, noise, *, near=False):
        return noise > 2 or near

    def breaks(self):
        return 1 / self.x > 0

    def told(self, event):
        return event.kwargs["noise"] > 2 and event.model.fear > 1


def is_shouted_at(noise):
    return noise > 5


def make_machine():
    deer = Deer()
    machine = transitions.Machine(deer, ["graze", "run", "rest"], initial="graze", name="nerves")
    machine.add_transition("feel", "graze", "run", conditions="is_scared", unless=["is_calm"])
    machine.add_transition("feel", ["run", "rest"], "graze", conditions=[deer.is_calm])
    machine.add_transition("lie", "*", "rest", conditions=["is_high", "is_steep"])
    machine.add_transition("hear", "graze", "run", conditions=["hears"])
    machine.add_transition("shout", "graze", "run", conditions=[is_shouted_at])
    machine.add_transition("whistle", "graze", "run", conditions=[lambda: deer.x > 0])
    machine.add_transition("wait", "graze", None)
    machine.add_transition("break", "graze", "run", conditions=["breaks"])
    return machine


def make_nested():
    deer = Deer()
    states = ["idle", {"name": "flee", "initial": "trot", "children": ["trot", "run"]},
              {"name": "both", "parallel": ["legs", "ears"]}]
    machine = HierarchicalMachine(deer, states=states, initial="idle", name="nerves",
                                  send_event=True)
    machine.add_transition("tell", "idle", "flee", conditions="told")
    machine.add_transition("tell", "idle", "both")
    machine.add_transition("tell", "flee_trot", "flee_run", conditions="told")
    machine.add_transition("tell", ["flee", "both"], "idle")
    return machine
"""


@pytest.fixture
def deer(tmp_path, monkeypatch):
    """A program's own module, and a function that records calls of its machine's triggers."""
    import importlib
    import sys

    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "deer_brain.py").write_text(DEER, encoding="utf-8")
    importlib.invalidate_caches()
    sys.modules.pop("deer_brain", None)
    brain = importlib.import_module("deer_brain")

    def recorded(machine, *calls):
        with record([machine.model], tmp_path / "run.mcap", dt=0.1, strict=True) as rec:
            rec.add(machine)
            for call in calls:
                with rec.frame():
                    call(machine.model)
        return open_file.open(tmp_path / "run.mcap")

    yield brain, recorded
    sys.modules.pop("deer_brain", None)


def felt(fear):
    def call(model):
        model.fear = fear
        model.feel()

    return call


def test_each_decision_comes_out_as_it_did_and_says_what_its_conditions_read(deer):
    brain, recorded = deer
    with recorded(brain.make_machine(), *map(felt, (1.0, 2.4, 2.6, 2.0, 0.5, 0.75))) as run:
        asked = list(run.ask_all(1))
    assert [one.recorded.target for one in asked] == ["", "", "run", "", "graze", ""]
    assert [one.differences for one in asked] == [()] * 6
    assert [one.notes for one in asked] == [()] * 6
    assert asked[2].recorded.won == asked[2].again.won == "feel if is_scared and not is_calm"
    assert asked[1].again.rejected[0].reason == "is_scared is false"
    values = asked[2].inputs
    assert (values["state"], values["trigger"], values["self.fear"]) == ("graze", "feel", 2.6)
    assert values["self.calm_below"] == 1.0, "it is read by a property of a method"
    assert "self.ground" not in values, "no condition of this trigger looks at it"


def test_an_edited_condition_is_laid_beside(deer, tmp_path):
    brain, recorded = deer
    edited = tmp_path / "edited.py"
    edited.write_text(DEER.replace("self.panic > 3", "self.panic > 2 and self.x < 1"))
    with recorded(brain.make_machine(), *map(felt, (1.0, 1.6, 2.4, 2.6))) as run:
        changed = [one for one in run.ask_all(1, with_=edited) if one.is_changed]
        assert [one.frame for one in changed] == [2, 3]
        assert [one.edited.target for one in changed if one.edited] == ["run", "run"]
        assert changed[0].notes == ()
        edited.write_text("class Bear: ...\n")
        with pytest.raises(CommandError, match=r"edited.py has nothing .* decides by: Deer"):
            run.ask(1, with_=edited)


def test_an_edited_table_is_laid_beside_where_a_function_makes_the_machine(deer, tmp_path):
    brain, recorded = deer
    edited = tmp_path / "edited.py"
    edited.write_text(DEER.replace('"feel", "graze", "run", cond', '"feel", "graze", "rest", cond'))
    with recorded(brain.make_machine(), *map(felt, (1.0, 2.6))) as run:
        one = run.ask(1, maker="deer_brain:make_machine", with_=edited)
    assert one.is_reproduced
    assert one.edited is not None
    assert (one.recorded.target, one.edited.target) == ("run", "rest")


def test_what_a_condition_asks_of_other_objects_is_named_and_its_recorded_answer_stands_in(deer):
    brain, recorded = deer

    def lie(model):
        model.ground.height += 2.0
        model.lie()

    with recorded(brain.make_machine(), lie, lie) as run:
        first, second = run.ask_all(1)
    assert (first.recorded.target, second.recorded.target) == ("", "rest")
    assert first.is_reproduced
    assert second.is_reproduced
    assert second.inputs["self.ground.height"] == 6.0
    assert second.inputs["self.ground.slopes"] == [0.5, 0.25]
    (note,) = second.notes
    assert "is_steep can't be asked" in note
    assert "self.ground.is_steep is not recorded" in note
    assert note.endswith("its recorded answer, true, is used")


def test_the_arguments_of_a_trigger_are_inputs_and_a_lambda_has_its_recorded_answer(deer):
    brain, recorded = deer
    with recorded(
        brain.make_machine(), lambda model: model.hear(1), lambda model: model.hear(1, near=True),
        felt(0.0), lambda model: model.shout(noise=4), lambda model: model.whistle(),
        lambda model: model.wait(),
    ) as run:  # fmt: skip
        asked = list(run.ask_all(1))
    assert [one.recorded.target for one in asked] == ["", "run", "graze", "", "", ""]
    assert all(one.is_reproduced for one in asked)
    assert asked[1].inputs["kwargs"] == {"near": True}
    assert [len(one.notes) for one in asked] == [0, 0, 0, 0, 1, 0]
    assert "a lambda" in asked[4].notes[0]


def test_a_condition_that_raised_is_the_program_s_error_then_and_reported_now(deer):
    brain, recorded = deer

    def broken(model):
        with pytest.raises(ZeroDivisionError):
            model.trigger("break")

    with recorded(brain.make_machine(), broken) as run:
        one = run.ask(1)
    assert one.is_reproduced
    assert one.recorded.target == ""
    assert one.notes[0].startswith("breaks can't be asked: ZeroDivisionError")
    assert one.notes[0].endswith("it has no recorded answer, and counts as not holding")


def test_triggers_on_another_thread_are_recorded_as_well(deer):
    import threading

    brain, recorded = deer

    def call(model):
        model.fear = 5.0
        thread = threading.Thread(target=model.feel)
        thread.start()
        thread.join()

    with recorded(brain.make_machine(), call) as run:
        one = run.ask(1)
    assert (one.recorded.target, one.differences, one.notes) == ("run", (), ())


def test_nested_and_parallel_states_are_decided_again_from_the_innermost_on(deer):
    brain, recorded = deer

    def tell(noise, fear):
        def call(model):
            model.fear = fear
            model.tell(noise=noise)

        return call

    calls = tell(1, 2.0), tell(1, 0.0), tell(3, 2.0), tell(3, 2.0), tell(3, 2.0)
    with recorded(brain.make_nested(), *calls) as run:
        asked = list(run.ask_all(1))
        assert [one.recorded.target for one in asked] == [
            "both", "idle", "flee", "flee_run", "idle",
        ]  # fmt: skip
        assert asked[1].inputs["state"] == "both_legs + both_ears"
        assert [one.differences for one in asked] == [()] * 5


def test_why_not_names_the_trigger_and_the_values_and_every_state_that_it_can_come_from(deer):
    brain, recorded = deer
    with recorded(
        brain.make_machine(), felt(2.4), lambda model: model.hear(0), lambda model: model.wait()
    ) as run:
        found = run.why_not(1, "run")
        lines = list(why_not_lines(found))
        assert run.why_not(1, "rest").comes_from == ("graze", "run", "rest")
    assert (found.decisions, found.came, found.comes_from) == (3, 0, ("graze",))
    assert {one.what for one in found.obstacles} == {
        "feel → run", "hear → run", "wait does not lead from graze to run",
    }  # fmt: skip
    assert found.obstacles[0].nearest.values["self.fear"] == 2.4
    assert "It can come from graze only" in lines


def test_a_machine_whose_model_can_t_be_found_again_is_answered_by_the_recorded_reasons(deer):
    brain, recorded = deer

    class Hidden(brain.Deer): ...

    machine = brain.make_machine()
    machine.remove_model(machine.model)
    machine.add_model(Hidden(), initial="graze")
    with recorded(machine, felt(2.4)) as run:
        with pytest.raises(CommandError, match=r"Hidden: a lambda, or a function within"):
            run.ask(1)
        found = run.why_not(1, "run")
    assert [one.what for one in found.obstacles] == ["feel → run"]
    assert found.notes[0].startswith("by the recorded reasons: ")
