"""Decisions of machines of `transitions` made again: from what their conditions looked at."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec

from ...errors import CommandError
from ...recorder.fault_counts import error_text
from ...recorder.packets.reexecutable_decisions import ConditionResult, DecisionResult
from ...recording.decisions.decider_loader import function_of, loaded, member
from .machine_table import ANY, PARALLEL, MachineTable, TableCondition, TableTransition, table_of

STATE, TRIGGER, ANSWERS, ARGUMENTS, NAMED = "state", "trigger", "answers", "args", "kwargs"
"""The inputs of a machine's decision; besides the values of the model, each as `self.PATH`."""
OF_MODEL = "self."


def decider(settings: Any) -> Callable[[Mapping[str, Any]], DecisionResult]:
    """Decides as a machine does: by the table that was recorded, or by a machine that a function
    returns, and by the conditions as they are in the code now."""
    edit = settings["edit"]
    edited = loaded(Path(edit), f"{Path(edit).stem}_edited") if edit else None
    code = _Code(settings["is_trusted"], edited, edit)
    if "function" in settings:
        table, kind = _made_table(settings, code)
    else:
        table = msgspec.convert(settings, MachineTable)
        kind = code.found(table.model, table.file)
        if edited is not None and not code.is_used(table):
            names = ", ".join(dict.fromkeys(_names(table)))
            raise CommandError(f"{edit} has nothing of what this machine decides by: {names}")
    if not isinstance(kind, type):
        raise CommandError(f"{table.model} is no class, but a {type(kind).__name__}")
    return MachineDecider(table, kind, code)


class MachineDecider:
    """Makes the decisions of one machine again.

    Args:
        table: What it decides by.
        kind: The class of its model.
        code: Where conditions are found that are no methods of the model.
    """

    def __init__(self, table: MachineTable, kind: type, code: "_Code") -> None:
        self._table, self._kind, self._code = table, kind, code

    def __call__(self, inputs: Mapping[str, Any]) -> DecisionResult:
        return _Decision(self._table, self._kind, self._code, inputs).choice()

    @property
    def transition_names(self) -> tuple[tuple[str, str, str], ...]:
        """Each transition's trigger, source and target, whether it was ever tried or not."""
        return self._table.transition_names


def edited_settings(settings: Any, file: Path) -> Any:
    """A Python file that has the model's class, or the function that returns the machine."""
    return {**settings, "edit": str(file)}


class _Code:
    """Finds classes and functions: in the edited file, or where the recording says they are."""

    def __init__(self, is_trusted: bool, edited: ModuleType | None, file: str) -> None:
        self._is_trusted, self._edited, self._file = is_trusted, edited, file
        self._found: dict[str, Any] = {}

    def found(self, what: str, file: str = "") -> Any:
        """What `module:name` names."""
        if what not in self._found:
            self._found[what] = self._find(what, file)
        return self._found[what]

    def _find(self, what: str, file: str) -> Any:
        name = what.rpartition(":")[2]
        if self._edited is not None and hasattr(self._edited, name.partition(".")[0]):
            return member(self._edited, name, self._file)
        return function_of(what, file, is_trusted=self._is_trusted)

    def is_used(self, table: MachineTable) -> bool:
        """Whether the edited file has anything that the table names."""
        return any(hasattr(self._edited, name.partition(".")[0]) for name in _names(table))


def _names(table: MachineTable) -> Iterator[str]:
    yield table.model.partition(":")[2]
    for one in table.transitions:
        yield from (each.function.partition(":")[2] for each in one.conditions if each.function)


def _made_table(settings: Any, code: _Code) -> tuple[MachineTable, Any]:
    """The table of the machine that a function returns, and its model's class."""
    core = importlib.import_module("transitions.core")
    machine = code.found(settings["function"], settings.get("file", ""))()
    machine = machine if isinstance(machine, core.Machine) else getattr(machine, "machine", machine)
    if not isinstance(machine, core.Machine) or not machine.models:
        raise CommandError(
            f"{settings['function']} returned a {type(machine).__name__}: it must return a machine"
            " of transitions that has a model"
        )
    return table_of(machine, machine.models[0]), type(machine.models[0])


class _Decision:
    """One decision, made again on an object that has only what was recorded of the model."""

    def __init__(
        self, table: MachineTable, kind: type, code: _Code, inputs: Mapping[str, Any]
    ) -> None:
        self._table, self._code, self._inputs = table, code, inputs
        self._model = _stand_in(kind, inputs, table)
        self._trigger = str(inputs[TRIGGER])
        self._notes: dict[str, None] = {}

    def choice(self) -> DecisionResult:
        """What the machine decides for, with the answers of all transitions that it might make."""
        answers: list[ConditionResult] = []
        targets, won, done = [], "", set[str]()
        for state in _order(str(self._inputs[STATE]), self._table.separator):
            if state in done:
                continue
            is_decided = False
            for one in self._table.transitions:
                if one.trigger != self._trigger or one.source not in (state, ANY):
                    continue
                failed = next((each for each in one.conditions if not self._holds(each)), None)
                if failed is not None:
                    why = f"{failed.name} is {'false' if failed.expected else 'true'}"
                    answers.append(ConditionResult(one.text, one.target, False, why))
                elif is_decided:
                    answers.append(ConditionResult(one.text, one.target, True))
                else:
                    is_decided, won = True, won_text(one)
                    answers.append(ConditionResult(won, one.target, True))
                    targets += [one.target] if one.target else []
            if is_decided:
                done |= set(_above(state, self._table.separator))
        return DecisionResult(PARALLEL.join(targets), won, tuple(answers), notes=tuple(self._notes))

    def _holds(self, condition: TableCondition) -> bool:
        try:
            return bool(self._answer(condition) == condition.expected)
        except Exception as error:
            what = f"{condition.name} can't be asked: {error_text(error)}"
        recorded = self._inputs.get(ANSWERS, {}).get(condition.name)
        if recorded is None:
            self._notes[f"{what}; it has no recorded answer, and counts as not holding"] = None
            return False
        answer = "true" if recorded else "false"
        self._notes[f"{what}; its recorded answer, {answer}, is used"] = None
        return bool(recorded == condition.expected)

    def _answer(self, condition: TableCondition) -> Any:
        if condition.function:
            function = self._code.found(condition.function, self._table.file)
        elif hasattr(self._model, condition.name) or "." not in condition.name:
            function = getattr(self._model, condition.name)
        else:  # the name of a function in some module, as `transitions` takes it
            function = self._code.found(":".join(condition.name.rsplit(".", 1)))
        if not callable(function):
            return function
        args, named = self._inputs.get(ARGUMENTS, ()), self._inputs.get(NAMED, {})
        if not self._table.has_event:
            return function(*args, **named)
        return function(SimpleNamespace(
            model=self._model, args=tuple(args), kwargs=dict(named), error=None, result=None,
            state=SimpleNamespace(name=self._inputs[STATE]),
            event=SimpleNamespace(name=self._trigger),
        ))  # fmt: skip


def won_text(transition: TableTransition) -> str:
    """What decided for a transition: its trigger, and the conditions that were true."""
    conditions = " and ".join(each.text for each in transition.conditions)
    return f"{transition.trigger} if {conditions}" if conditions else transition.trigger


class _Part:
    """A part of the model, of which only some values were recorded."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self._path}.{name} is not recorded")


def _stand_in(kind: type, inputs: Mapping[str, Any], table: MachineTable) -> Any:
    """An object of the model's class that was never initialised, with the values recorded of it."""
    try:
        model: Any = object.__new__(kind)
    except TypeError as error:
        raise CommandError(
            f"{table.model}: no object of it can be made here: {error_text(error)}"
        ) from error
    states = str(inputs[STATE]).split(PARALLEL)
    _set(model, table.attribute, states if len(states) > 1 else states[0])
    parts: dict[str, Any] = {}
    for name, value in inputs.items():
        if not name.startswith(OF_MODEL):
            continue
        *above, last = name.removeprefix(OF_MODEL).split(".")
        owner, path = model, "self"
        for each in above:
            path = f"{path}.{each}"
            if path not in parts:
                parts[path] = _Part(path)
                _set(owner, each, parts[path])
            owner = parts[path]
        _set(owner, last, value)
    return model


def _set(owner: Any, name: str, value: Any) -> None:
    """Set an attribute as it is stored, whatever the class does when one is set."""
    try:
        object.__setattr__(owner, name, value)
    except AttributeError:  # a property: it is computed from what is stored
        if isinstance(getattr(owner, "__dict__", None), dict):
            owner.__dict__[name] = value


def _order(state: str, separator: str) -> list[str]:
    """The states whose transitions are tried: nested ones before those that they are in."""
    if not separator:
        return [state]
    levels: dict[str, int] = {}
    for one in state.split(PARALLEL):
        for above in _above(one, separator):
            levels.setdefault(above, above.count(separator))
    return sorted(levels, key=lambda one: -levels[one])


def _above(state: str, separator: str) -> list[str]:
    """A state and all that it is nested in."""
    if not separator:
        return [state]
    parts = state.split(separator)
    return [separator.join(parts[: length + 1]) for length in range(len(parts))]
