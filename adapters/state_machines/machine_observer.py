"""A state machine of the library `transitions`: each change of a state becomes a recorded one."""

import sys
from collections.abc import Callable
from threading import get_ident
from typing import Any

from ...hooks.decision_hook_table import HookTable
from ...recorder.packets.trace_types import Rejected
from ...recorder.recorder import Recorder
from .machine_decision_inputs import MachineDecisionWriter, TriggerInputs
from .machine_table import PARALLEL, condition_name, state_names, state_text, transition_text
from .transition_breakpoints import MachineHooks, state_of_name


def is_machine(thing: Any) -> bool:
    """Whether something is a machine of `transitions`, hierarchical or not."""
    core = sys.modules.get("transitions.core")
    return core is not None and isinstance(thing, core.Machine)


class _Trigger:
    """A trigger that is being processed."""

    def __init__(self, name: str, model: Any, inputs: TriggerInputs) -> None:
        self.name, self.model, self.thread = name, model, get_ident()
        self.inputs = inputs
        self.changed = False
        self.true_conditions: list[str] = []
        """Conditions of the transition that is tried, so far."""
        self.failed: list[Rejected] = []
        self.hooked = ""
        """The hook that leads the transition elsewhere, if one does."""
        self.undo: list[Callable[[], object]] = []

    @property
    def won(self) -> str:
        """What decided for the transition that is made."""
        won = (
            f"{self.name} if {' and '.join(self.true_conditions)}"
            if self.true_conditions
            else self.name
        )
        return f"{won}, {self.hooked}" if self.hooked else won


class MachineObserver:
    """Records the transitions of a machine, for each of its models.

    `set_state` and `_process` of the machine are replaced by ones that do the same.

    Args:
        machine: The machine, a `HierarchicalMachine` too.
        id_of: The id of whom a model's states are.
        name: What the machine is called.
        hooks: Where hooks on its transitions are set.
    """

    def __init__(
        self, machine: Any, recorder: Recorder, id_of: Callable[[Any], int], name: str,
        hooks: HookTable | None = None,
    ) -> None:  # fmt: skip
        self.machine, self.name = machine, name
        self._recorder, self._id_of = recorder, id_of
        self._triggers: list[_Trigger] = []
        self._undo: list[Callable[[], object]] = []
        self._process, self._set_state = machine._process, machine.set_state
        self._decisions = MachineDecisionWriter(machine)
        self._undo.append(_replace(machine, "_process", self._processed))
        self._undo.append(_replace(machine, "set_state", self._state_set))
        for model in self._models():
            self._state(model, "", self._state_of(model), "start", [])
        self._hooks: MachineHooks | None = None
        if hooks is not None:
            self._hooks = MachineHooks(
                hooks, name, agents=lambda: [self._id_of(model) for model in self._models()],
                states=lambda: list(state_names(machine)),
            )  # fmt: skip

    def close(self) -> None:
        """Leave the machine as it was."""
        if self._hooks is not None:
            self._hooks.end()
        while self._undo:
            self._undo.pop()()

    # --- what the machine calls -------------------------------------------------------------------

    def _processed(self, trigger: Any) -> Any:
        """Process a trigger; of a queued machine it may come later."""
        data: Any = next(iter(getattr(trigger, "args", ())), None)
        if not hasattr(data, "model"):
            return self._process(trigger)

        def process() -> Any:
            # Flat machines have an event here, hierarchical ones give its name.
            event = getattr(data.event, "name", None) or next(
                (one for one in trigger.args[1:] if isinstance(one, str)), "trigger"
            )
            inputs = self._decisions.inputs(str(event), data, self._state_of(data.model))
            return self._watched(trigger, _Trigger(str(event), data.model, inputs))

        return self._process(process)

    def _watched(self, process: Callable[[], Any], trigger: _Trigger) -> Any:
        with self._recorder.refusing("trace"):
            self._watch_conditions(trigger)
        self._triggers.append(trigger)
        error = ""
        try:
            return process()
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"
            raise
        finally:
            self._triggers.remove(trigger)
            while trigger.undo:
                trigger.undo.pop()()
            if not trigger.changed:
                self._came_to_nothing(trigger, error)
            self._decided(trigger)

    def _watch_conditions(self, trigger: _Trigger) -> None:
        for transition in self.machine.get_transitions(trigger.name):
            for number, condition in enumerate(transition.conditions):
                check = self._checked(condition, transition, trigger, is_first=not number)
                trigger.undo.append(_replace(condition, "check", check))
            if self._hooks is not None and self._hooks.hooks:
                self._hook(transition, trigger)
            self._watch_choice(transition, trigger)

    def _watch_choice(self, transition: Any, trigger: _Trigger) -> None:
        """See whether the conditions of a transition hold, so that it is made."""
        evaluate = transition._eval_conditions

        def evaluated(data: Any) -> Any:
            if not self._recorder.is_suspended:
                with self._recorder.refusing("trace"):
                    trigger.inputs.look()
            if not transition.conditions:
                trigger.true_conditions.clear()
            is_made = evaluate(data)
            if is_made:
                trigger.inputs.choose(
                    state_text(transition.dest) if transition.dest else "", trigger.won
                )
            return is_made

        trigger.undo.append(_replace(transition, "_eval_conditions", evaluated))

    def _hook(self, transition: Any, trigger: _Trigger) -> None:
        """Have the hooks asked when the conditions of a transition hold, before it is made."""
        hooks, machine, model = self._hooks, self.machine, trigger.model
        assert hooks is not None
        agent, goal = self._id_of(model), transition.dest
        evaluate, execute = transition._eval_conditions, transition.execute

        def evaluated(data: Any) -> bool:
            if not evaluate(data):
                return False
            source = self._state_of(model)
            target = state_text(goal) if goal else source
            text = f"by {trigger.name}"
            if trigger.true_conditions:
                text += f" if {' and '.join(trigger.true_conditions)}"
            turned = hooks.about_to(agent, source, target, text)
            if turned.is_suppressed:
                trigger.true_conditions.clear()
                trigger.failed.append(Rejected(f"{trigger.name} → {target}", turned.by))
                return False
            if turned.target is not None:
                trigger.hooked = turned.by
                transition.dest = state_of_name(machine, turned.target)
            return True

        def executed(data: Any) -> Any:
            source = self._state_of(model)
            try:
                made = execute(data)
            finally:
                transition.dest, trigger.hooked = goal, ""
            if made and hooks.hooks:
                hooks.made(agent, source, self._state_of(model), f"by {trigger.name}")
            return made

        trigger.undo.append(_replace(transition, "_eval_conditions", evaluated))
        trigger.undo.append(_replace(transition, "execute", executed))

    @staticmethod
    def _checked(
        condition: Any, transition: Any, trigger: _Trigger, *, is_first: bool
    ) -> Callable[[Any], Any]:
        check = condition.check
        name = condition_name(condition)
        text = name if condition.target else f"not {name}"

        def checked(data: Any) -> Any:
            if is_first:
                trigger.true_conditions.clear()
            holds = check(data)
            trigger.inputs.answer(name, bool(holds) == bool(condition.target))
            if holds:
                trigger.true_conditions.append(text)
            else:
                trigger.true_conditions.clear()
                goal = state_text(transition.dest) if transition.dest else ""
                why = f"{name} is {'false' if condition.target else 'true'}"
                trigger.failed.append(Rejected(transition_text(trigger.name, goal), why))
            return holds

        return checked

    def _state_set(self, state: Any, model: Any = None) -> Any:
        models = self._models() if model is None else [model]
        before = [self._state_of(one) for one in models]
        done = self._set_state(state, model)
        for one, source in zip(models, before, strict=True):
            trigger = next(
                (each for each in reversed(self._triggers)
                 if each.model is one and each.thread == get_ident()), None
            )  # fmt: skip
            won, failed = "set_state", []
            if trigger is not None:
                won, failed = trigger.won, list(trigger.failed)
                trigger.changed = True
            self._state(one, source, self._state_of(one), won, failed)
        return done

    def _decided(self, trigger: _Trigger) -> None:
        """The decision that was made by a trigger, with what it was made from."""
        if self._recorder.is_suspended:
            return
        with self._recorder.refusing("trace"):
            inputs, chosen = trigger.inputs, trigger.inputs.chosen
            self._recorder.trace.decision(
                self._id_of(trigger.model), self._name_of(trigger.model), inputs.values,
                PARALLEL.join(target for target, _ in chosen if target),
                won=chosen[-1][1] if chosen else "", maker=self._decisions.maker(trigger.model),
            )  # fmt: skip

    # --- what is recorded of it -------------------------------------------------------------------

    def _state(
        self, model: Any, source: str, target: str, won: str, rejected: list[Rejected]
    ) -> None:
        if not self._recorder.is_suspended:
            with self._recorder.refusing("trace"):
                self._recorder.trace.state(
                    self._id_of(model), self._name_of(model), source, target, won=won,
                    rejected=rejected,
                )  # fmt: skip

    def _came_to_nothing(self, trigger: _Trigger, error: str) -> None:
        """A trigger changed no state: an event, since there is no transition to be recorded."""
        if self._recorder.is_suspended:
            return
        value: dict[str, Any] = {"trigger": trigger.name, "state": self._state_of(trigger.model)}
        if trigger.failed:
            value["failed"] = [f"{one.condition}: {one.reason}" for one in trigger.failed]
        if error:
            value["error"] = error[:200]
        with self._recorder.refusing("event"):
            self._recorder.event(
                f"{self._name_of(trigger.model)}: no transition", value,
                object=self._id_of(trigger.model),
            )  # fmt: skip

    def _models(self) -> list[Any]:
        return list(self.machine.models)

    def _name_of(self, model: Any) -> str:
        """What the machine of a model is called: of several without an id, each by its place."""
        if self._id_of(model):
            return self.name
        index = next((at for at, one in enumerate(self._models()) if one is model), 0)
        return f"{self.name} {index + 1}" if index else self.name

    def _state_of(self, model: Any) -> str:
        return state_text(getattr(model, self.machine.model_attribute, ""))


def _replace(thing: Any, name: str, by: Any) -> Callable[[], object]:
    """Replace an object's method; returns what puts it back."""
    had, before = name in vars(thing), vars(thing).get(name)
    setattr(thing, name, by)

    def undo() -> None:
        if had:
            setattr(thing, name, before)
        else:
            delattr(thing, name)

    return undo
