"""Hooks on the transitions of a machine of `transitions`, while a trigger of it is processed."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from ...hooks.active_hook import ActiveHook
from ...hooks.decision_hook_table import HookTable
from ...hooks.hook_definition import HookDefinition
from ...recorder.text.name_hint import name_hint
from ...recording.decisions.decision_location import TransitionLocation


class MachineHooks:
    """The hooks of one machine, for each of its models.

    Args:
        table: Where they are set.
        name: What the machine is called.
        agents: The ids of whom the machine's models are.
        states: The names of its states.
    """

    def __init__(
        self, table: HookTable, name: str, *, agents: Callable[[], list[int]],
        states: Callable[[], list[str]],
    ) -> None:  # fmt: skip
        self._table, self._name, self._agents, self._states = table, name, agents, states
        self.hooks: list[ActiveHook] = []
        """Those that may act."""
        self.end = table.register(self)

    def owns(self, spec: HookDefinition) -> bool:
        location = spec.location
        return (
            isinstance(location, TransitionLocation)
            and location.machine in ("", self._name)
            and spec.object in self._agents()
        )

    def check(self, spec: HookDefinition) -> str:
        assert isinstance(spec.location, TransitionLocation)
        states = self._states()
        for state in (spec.location.source, spec.location.target, spec.result):
            if state and state not in states:
                return (
                    f"the machine {self._name!r} has no state {state!r}: {name_hint(state, states)}"
                )
        return ""

    def arm(self, hooks: list[ActiveHook]) -> None:
        self.hooks = hooks

    def about_to(self, agent: int, source: str, target: str, text: str) -> "Redirection":
        """A transition is about to be made: what the hooks say to it."""
        where: Redirection = Redirection(None, "")
        meant = [hook for hook in self.hooks if _is_meant(hook, agent, source, target)]
        way = f"{self._name}: {source} -> {target}"
        for hook in meant:
            if hook.spec.kind == "break" and hook.spec.at == "before" and self._table.applies(hook):
                self._table.hit(hook, f"{way} is about to be made, {text}")
        for hook in meant:
            if not hook.spec.changes_outcome or hook.spec.result == target:
                continue
            if self._table.applies(hook):
                goal = hook.spec.result
                self._table.hit(
                    hook, f"{way} is not made" if goal is None else f"{way} leads to {goal}"
                )
                where = Redirection(goal, f"hook {hook.id}", is_suppressed=goal is None)
                break
        return where

    def made(self, agent: int, source: str, target: str, text: str) -> None:
        """A transition was made."""
        for hook in tuple(self.hooks):
            spec = hook.spec
            is_late = spec.kind == "trace" or (spec.kind == "break" and spec.at == "after")
            if is_late and _is_meant(hook, agent, source, target) and self._table.applies(hook):
                self._table.hit(hook, f"{self._name}: {source} -> {target}, {text}")


class Redirection:
    """What comes of a transition that hooks have their say in."""

    def __init__(self, target: str | None, by: str, *, is_suppressed: bool = False) -> None:
        self.target, self.by, self.is_suppressed = target, by, is_suppressed


def _is_meant(hook: ActiveHook, agent: int, source: str, target: str) -> bool:
    location = hook.spec.location
    return (
        isinstance(location, TransitionLocation)
        and hook.spec.object == agent
        and location.matches(source, target)
    )


def state_of_name(machine: Any, name: str) -> Any:
    """A machine's state as its transitions name it: a text, or a member of its enum."""
    state = machine.get_state(name)
    value = getattr(state, "value", name)
    return value if isinstance(value, Enum) else name
