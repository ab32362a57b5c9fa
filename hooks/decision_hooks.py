"""Hooks on a table of conditions: on which rule wins, and on where that leads.

The table itself is never changed: each decision is made on a copy in which the hooks have their
say, so that the reasons of a recorded transition include them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from ..errors import CommandError
from ..recorder.text.name_hint import name_hint
from ..recording.decisions.decision_location import Location, RuleLocation, TransitionLocation
from .active_hook import ActiveHook, HookCounter


class DecisionHooks:
    """The hooks of one agent's table, in their order.

    Of several that would give another result the one that was set first does.
    """

    def __init__(
        self, table: HookCounter, agent: int, machine: str, hooks: Sequence[ActiveHook]
    ) -> None:
        self._table, self._agent, self._machine = table, agent, machine
        self._hooks = hooks
        self._rules: set[str] = set()
        """The names of the rules that were decided by so far."""

    def decide(
        self, decide: Callable[[tuple[Any, ...]], Any], rules: Sequence[Any], facts: Any,
        state: Any,
    ) -> Any:  # fmt: skip
        """What is decided, with the hooks' say in it.

        Args:
            decide: Decides by a table.
            rules: The table.
            facts: What its conditions look at.
            state: The present state; None where there is none.
        """
        values = _values_of(facts)
        altered = tuple(rules)
        self._look_for_names(altered, state)
        for hook in self._on_rules(altered, values):
            altered = self._with_answer(hook, altered, facts, values)
        decision = decide(altered)
        for _ in range(len(altered)):
            turning = self._turned_away(decision, state, values)
            if turning is None:
                break
            altered = self._turn(turning, altered, decision, state, values)
            decision = decide(altered)
            if turning.spec.result is not None:
                break
        if decision is not None:
            self._report(decision, state, values)
        return decision

    def _look_for_names(self, rules: Sequence[Any], state: Any) -> None:
        """Say at each hook whether what it is on is known by now."""
        names = {str(rule.condition.name) for rule in rules}
        if names <= self._rules:
            return
        self._rules |= names
        states = [name_of(one) for one in type(state)] if isinstance(state, Enum) else []
        for hook in self._hooks:
            hook.waits = _why_unknown(hook.spec.location, self._rules, states)

    # --- rules ------------------------------------------------------------------------------------

    def _on_rules(self, rules: Sequence[Any], values: Mapping[str, Any]) -> list[ActiveHook]:
        names = [rule.condition.name for rule in rules]
        found: list[ActiveHook] = []
        for hook in self._hooks:
            location = hook.spec.location
            if not (isinstance(location, RuleLocation) and hook.spec.changes_outcome):
                continue
            is_decided = any(
                isinstance(one.spec.location, RuleLocation)
                and one.spec.location.name == location.name
                for one in found
            )
            if location.name in names and not is_decided and self._table.applies(hook, values):
                found.append(hook)
        return found

    def _with_answer(
        self, hook: ActiveHook, rules: tuple[Any, ...], facts: Any, values: Mapping[str, Any]
    ) -> tuple[Any, ...]:
        """The table with a rule that holds, or does not, as a hook says."""
        location, holds = hook.spec.location, bool(hook.result)
        assert isinstance(location, RuleLocation)
        changed = tuple(
            replace(rule, condition=_constant(rule.condition, holds, hook))
            if rule.condition.name == location.name else rule
            for rule in rules
        )  # fmt: skip
        own = any(r.condition.name == location.name and r.condition.holds(facts) for r in rules)
        if own == holds:
            if hook.spec.kind == "mock":  # its answer is given all the same
                self._table.hit(hook, f"{location.text}: {holds}, as by itself", values)
            return changed
        self._table.hit(hook, f"{location.text}: {holds} instead of {own}", values)
        return changed

    # --- transitions ------------------------------------------------------------------------------

    def _turned_away(
        self, decision: Any, state: Any, values: Mapping[str, Any]
    ) -> ActiveHook | None:  # fmt: skip
        """The hook that has another transition made than the one that was decided."""
        if decision is None or state is None:
            return None
        source, target = name_of(state), name_of(decision.target)
        for hook in self._hooks:
            location = hook.spec.location
            if (
                hook.spec.kind == "replace" and isinstance(location, TransitionLocation)
                and location.matches(source, target) and hook.spec.result != target
                and self._table.applies(hook, values)
            ):  # fmt: skip
                return hook
        return None

    def _turn(
        self, hook: ActiveHook, rules: tuple[Any, ...], decision: Any, state: Any,
        values: Mapping[str, Any],
    ) -> tuple[Any, ...]:  # fmt: skip
        """The table in which the transition leads elsewhere, or is not made."""
        winner, goal = decision.rule, hook.spec.result
        way = f"{name_of(state)} -> {name_of(decision.target)}"
        if goal is None:
            self._table.hit(hook, f"{way} is not made", values)
            held = _constant(winner.condition, False, hook)
            return tuple(replace(r, condition=held) if r is winner else r for r in rules)
        try:
            target = _state_named(goal, state, [rule.target for rule in rules])
        except CommandError as error:
            self._table.failed(hook, error)
            return rules
        self._table.hit(hook, f"{way} leads to {goal}", values)
        named = replace(winner.condition, name=_with_hook(winner.condition.name, hook))
        return tuple(
            replace(r, target=target, condition=named) if r is winner else r for r in rules
        )

    def _report(self, decision: Any, state: Any, values: Mapping[str, Any]) -> None:
        """Traces and breaks: the decision is made, and has had no effect yet."""
        target = name_of(decision.target)
        source = "" if state is None else name_of(state)
        for hook in self._hooks:
            location = hook.spec.location
            if hook.spec.changes_outcome:
                continue
            if isinstance(location, RuleLocation):
                is_meant = _own_name(decision.rule) == location.name
            else:
                assert isinstance(location, TransitionLocation)
                is_meant = state is not None and location.matches(source, target)
            if is_meant and self._table.applies(hook, values):
                way = f"{source} -> {target}" if source else target
                text = f"{self._machine}: {way}, {decision.won} won"
                self._table.hit(hook, text, values)


def name_of(state: Any) -> str:
    """A state or a rule as it is recorded."""
    if isinstance(state, Enum):
        return str(state.value)
    return str(getattr(state, "title", state))


def _values_of(facts: Any) -> dict[str, Any]:
    """The facts by name, as far as they are plain."""
    values = facts.values() if callable(getattr(facts, "values", None)) else None
    if not isinstance(values, Mapping):
        named = getattr(facts, "_asdict", None)
        values = named() if callable(named) else {}
    return {
        name: value for name, value in values.items()
        if value is None or isinstance(value, bool | int | float | str)
    }  # fmt: skip


def _constant(condition: Any, holds: bool, hook: ActiveHook) -> Any:
    """A condition whose answer is fixed by a hook, and says so."""
    return replace(
        condition, name=_with_hook(condition.name, hook) if holds else condition.name,
        holds=lambda facts: holds, why_not=lambda facts: f"hook {hook.id} keeps it from holding",
        lacks=None,
    )  # fmt: skip


def _with_hook(name: str, hook: ActiveHook) -> str:
    """The name of a condition that a hook had its say in, as it is recorded."""
    return f"{name}{_BY_HOOK}{hook.id}"


def _own_name(rule: Any) -> str:
    """The name of a rule's condition, without that of a hook."""
    return str(rule.condition.name).partition(_BY_HOOK)[0]


_BY_HOOK = ", hook "


def _state_named(name: str, state: Any, targets: Sequence[Any]) -> Any:
    """The state of this name, of the kind that the table has.

    Raises:
        CommandError: there is none.
    """
    known = list(type(state)) if isinstance(state, Enum) else [state, *targets]
    found = next((one for one in known if name_of(one) == name), None)
    if found is None and isinstance(state, Enum):
        found = next((one for one in known if one.name == name), None)
    if found is None:
        raise CommandError(f"no state {name!r}: {name_hint(name, map(name_of, known))}")
    return found


def _why_unknown(location: Location, rules: Iterable[str], states: Sequence[str]) -> str:
    """Why a hook has nothing to act on, by the names that are known; empty if it may have."""
    if isinstance(location, RuleLocation) and location.name not in rules:
        return f"no rule {location.name!r} so far: {name_hint(location.name, sorted(rules))}"
    if isinstance(location, TransitionLocation) and states:
        for state in (location.source, location.target):
            if state and state not in states:
                return f"there is no state {state!r}: {name_hint(state, states)}"
    return ""
