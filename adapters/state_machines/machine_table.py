"""The transitions of a machine as plain values, so that its decisions can be made again."""

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from types import FunctionType
from typing import Any

import msgspec

from ...recorder.statements.decision_maker_reference import reference


class TableCondition(msgspec.Struct, frozen=True, array_like=True):
    """A condition of a transition."""

    name: str
    function: str
    """`module:function`; empty for what the model has under this name."""
    expected: bool
    """Its answer for which the transition is made."""

    @property
    def text(self) -> str:
        """It as a text: with `unless` it is `not near`."""
        return self.name if self.expected else f"not {self.name}"


class TableTransition(msgspec.Struct, frozen=True, array_like=True):
    """A transition, as a row of the table that a machine decides by."""

    trigger: str
    source: str
    """`*`, if all states have this transition and no other of the trigger."""
    target: str
    """Empty for one that changes no state."""
    conditions: tuple[TableCondition, ...]

    @property
    def text(self) -> str:
        """It as a text: `look → attack`."""
        return transition_text(self.trigger, self.target)


class MachineTable(msgspec.Struct, frozen=True):
    """All that a machine decides by, but the code of its conditions."""

    model: str
    """`module:class` of whose states they are."""
    file: str
    """The source file of that module."""
    attribute: str
    """The attribute of a model that holds its state."""
    separator: str
    """Between the names of nested states; empty if there are none."""
    has_event: bool
    """Conditions are called with an event, and not with the arguments of the trigger."""
    states: tuple[str, ...]
    transitions: tuple[TableTransition, ...]
    """In the order in which they are tried."""

    @property
    def transition_names(self) -> tuple[tuple[str, str, str], ...]:
        """Each transition's trigger, source and target, without those to any state that the library
        adds of itself."""
        own = (
            one for one in self.transitions
            if one.conditions
            or one.trigger not in (f"to_{one.target}", f"to_{self.attribute}_{one.target}")
        )  # fmt: skip
        return tuple(
            (one.trigger, source, one.target)
            for one in own
            for source in (self.states if one.source == ANY else (one.source,))
        )


def transition_text(trigger: str, target: str) -> str:
    """What a transition is called among rejected ones."""
    return f"{trigger} → {target or 'no other state'}"


def state_text(state: Any) -> str:
    """A state as text: of parallel ones all, of an enum's member its name."""
    if isinstance(state, Enum):
        return state.name
    if isinstance(state, Iterable) and not isinstance(state, str):
        return PARALLEL.join(map(state_text, state))
    return str(state)


ANY = "*"
PARALLEL = " + "
"""Between the names of states that a model is in at the same time."""


def condition_name(condition: Any) -> str:
    """What a condition of a transition is called."""
    return state_text(getattr(condition.func, "__name__", condition.func))


def table_of(machine: Any, model: Any) -> MachineTable:
    """The table of a machine, for one of its models."""
    kind = type(model)
    module = sys.modules.get(kind.__module__)
    nested = getattr(machine.state_cls, "separator", "")
    return MachineTable(
        reference(kind), str(getattr(module, "__file__", None) or ""), machine.model_attribute,
        nested, bool(machine.send_event), state_names(machine),
        tuple(_transitions(machine, model, "", nested)),
    )  # fmt: skip


def state_names(machine: Any) -> tuple[str, ...]:
    """The names of all states of a machine, nested ones too."""
    nested = getattr(machine, "get_nested_state_names", None)
    return tuple(map(state_text, machine.states if nested is None else nested()))


def _transitions(
    scope: Any, model: Any, prefix: str, separator: str
) -> Iterator[TableTransition]:  # fmt: skip
    """Those defined within a nested state come before those of the states above it."""
    if separator:
        for state in scope.states.values():
            yield from _transitions(state, model, f"{prefix}{state.name}{separator}", separator)
    for event in scope.events.values():
        rows = [
            TableTransition(
                event.name, prefix + state_text(one.source),
                prefix + state_text(one.dest) if one.dest else "",
                tuple(_condition(each, model) for each in one.conditions),
            )
            for several in event.transitions.values()
            for one in several
        ]  # fmt: skip
        if not prefix and sorted(row.source for row in rows) == sorted(state_names(scope)):
            anywhere = {msgspec.structs.replace(row, source=ANY) for row in rows}
            rows = list(anywhere) if len(anywhere) == 1 else rows
        yield from rows


def _condition(condition: Any, model: Any) -> TableCondition:
    function, name = condition.func, condition_name(condition)
    is_model_s = isinstance(function, str) or getattr(function, "__self__", None) is model
    called = "" if is_model_s else reference(function)
    if not is_model_s and not isinstance(function, FunctionType):
        called = f"{type(function).__module__}:<{type(function).__name__}>"
    return TableCondition(name, called, bool(condition.target))
