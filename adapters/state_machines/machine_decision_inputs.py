"""Gathers what a machine of `transitions` decides from, while a trigger of it is processed."""

from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from ...recorder.packets.reexecutable_decisions import DecisionMaker
from ...recorder.statements.decision_maker_reference import MACHINE, digest_of
from .condition_inputs import add_values_read, is_plain, own_values, plain_copy
from .machine_decision_reexecution import ANSWERS, ARGUMENTS, NAMED, OF_MODEL, STATE, TRIGGER
from .machine_table import table_of


class TriggerInputs:
    """What a trigger's conditions look at, and what they answer.

    Args:
        trigger: Its name.
        data: The event that the machine made of it.
        state: The state of the model before it.
    """

    def __init__(self, machine: Any, trigger: str, data: Any, state: str) -> None:
        self._machine, self._model, self._trigger = machine, data.model, trigger
        self.values: dict[str, Any] = {STATE: state, TRIGGER: trigger}
        for name, given in ((ARGUMENTS, data.args), (NAMED, data.kwargs)):
            plain = plain_copy(given) if given else None
            if given and is_plain(plain):
                self.values[name] = plain
        self.chosen: list[tuple[str, str]] = []
        """Each transition that was made: its target, and what decided for it."""
        self._answers: dict[str, bool] = {}
        self._has_looked = False

    def look(self) -> None:
        """Read the model, as it is when the first condition is asked."""
        if self._has_looked:
            return
        self._has_looked = True
        machine, model = self._machine, self._model
        found: dict[str, Any] = {}
        conditions = {
            condition.func: None
            for transition in machine.get_transitions(self._trigger)
            for condition in transition.conditions
        }
        for function in conditions:
            add_values_read(function, model, bool(machine.send_event), found)
        for name, value in own_values(model, machine.model_attribute).items():
            found.setdefault(name, value)
        found.pop(machine.model_attribute, None)
        self.values.update((OF_MODEL + name, value) for name, value in found.items())

    def answer(self, condition: str, is_true: bool) -> None:
        """A condition was asked."""
        self._answers[condition] = is_true
        self.values[ANSWERS] = self._answers

    def choose(self, target: str, won: str) -> None:
        """The conditions of a transition hold: it is made."""
        self.chosen.append((target, won))


class MachineDecisionWriter:
    """Makes the inputs of a machine's decisions, and says who makes them."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self._makers: WeakKeyDictionary[type, tuple[int, DecisionMaker]] = WeakKeyDictionary()
        """For each class of models: how many transitions the machine had, and the maker."""

    def inputs(self, trigger: str, data: Any, state: str) -> TriggerInputs:
        """Those of a trigger that is about to be processed."""
        return TriggerInputs(self._machine, trigger, data, state)

    def maker(self, model: Any) -> DecisionMaker:
        """The maker of the decision; transitions may be added to a machine at any time."""
        count = sum(
            len(each)
            for event in self._machine.events.values()
            for each in event.transitions.values()
        )
        known = self._makers.get(type(model))
        if known is None or known[0] != count:
            table = table_of(self._machine, model)
            known = (
                count,
                DecisionMaker(
                    MACHINE, msgspec.to_builtins(table), table.file, digest_of(table.file)
                ),
            )
            self._makers[type(model)] = known
        return known[1]
