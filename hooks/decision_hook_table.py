"""The hooks of a session: set, counted, and consulted where decisions are made."""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ..errors import CapacityError, CommandError, PlayheadError
from ..recorder.packets.log_lines import LogLine
from ..recorder.recorder import Recorder
from ..recorder.statements.statement_messages import Input, LogEntry, SetMark
from ..recorder.text.field_paths import field_splits
from ..recorder.text.name_hint import name_hint
from ..recorder.text.safe_text import short_text
from ..recording.decisions.decision_location import (
    FieldLocation,
    NodeLocation,
    RuleLocation,
    TransitionLocation,
)
from .active_hook import ActiveHook
from .decision_hooks import DecisionHooks
from .hook_definition import MOST_HOOKS, HookDefinition, HookHit, HookState

_MOST_TEXT = 400
_NO_VALUES: Mapping[str, Any] = {}


class HookTarget(Protocol):
    """A tree or a machine that hooks can act on."""

    def owns(self, spec: HookDefinition) -> bool:
        """Whether a hook is meant for it."""

    def check(self, spec: HookDefinition) -> str:
        """Why a hook that is meant for it can't act; empty if it can."""

    def arm(self, hooks: list[ActiveHook]) -> None:
        """Replace the hooks that act on it."""


class HookTable:
    """All hooks of a session. For the game's thread, but `reports`.

    Args:
        recorder: What they do is recorded there.
        on_break: Called with a hook of kind break and its hit, where the decision is made.
        on_change: Called when hooks were set, changed or removed, or one has done its last.
    """

    def __init__(
        self, recorder: Recorder, *, on_break: Callable[[ActiveHook, HookHit], object],
        on_change: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self._recorder, self._on_break, self._on_change = recorder, on_break, on_change
        self._hooks: dict[int, ActiveHook] = {}
        self._newest = 0
        self._targets: list[HookTarget] = []
        self._tables: dict[tuple[int, str], DecisionHooks | None] = {}
        """Keyed by agent and machine: those that have decided since the hooks changed last."""
        self.fields: list[ActiveHook] = []
        """Those on fields that may act: looked at at the end of each step."""
        self.hooks_decisions = False
        """Whether any is on a transition or a rule."""

    # --- setting them -----------------------------------------------------------------------------

    def add(self, spec: HookDefinition, owner: str = "") -> HookState:
        """Set a hook.

        Raises:
            CapacityError: there are too many.
            CommandError: its condition is none, or what it is on is not there.
        """
        if len(self._hooks) >= MOST_HOOKS:
            raise CapacityError(
                f"{MOST_HOOKS} hooks are set already: remove some before you set more"
            )
        hook = ActiveHook(self._newest + 1, spec, "" if spec.keep else owner)
        self._find_location(hook, strict=True)
        self._newest += 1
        self._hooks[hook.id] = hook
        self._arm()
        return hook.report

    def change(self, id: int, change: str) -> HookState:
        """Enable, disable or remove a hook; returns it as it is then.

        Raises:
            CommandError: there is no such hook, or no such change.
        """
        hook = self._hooks.get(id)
        if hook is None:
            ids = ", ".join(map(str, self._hooks)) or "none"
            raise CommandError(f"hook {id}: it is not set; these are: {ids}")
        match change:
            case "remove":
                del self._hooks[id]
                hook.is_enabled = False
            case "enable":
                hook.again()
                self._find_location(hook, strict=False)
            case "disable":
                hook.is_enabled = False
            case _:
                hint = name_hint(str(change), ("enable", "disable", "remove"))
                raise CommandError(f"change {change!r}: {hint}")
        self._arm()
        return hook.report

    def keep_only(self, owners: Iterable[str]) -> None:
        """Remove the hooks of clients that are gone."""
        present = {"", *owners}
        gone = [hook for hook in self._hooks.values() if hook.owner not in present]
        for hook in gone:
            del self._hooks[hook.id]
            hook.is_enabled = False
        if gone:
            self._arm()

    @property
    def reports(self) -> list[HookState]:
        """All hooks, in their order; from any thread."""
        return [hook.report for hook in tuple(self._hooks.values())]

    def __contains__(self, hook: ActiveHook) -> bool:
        return hook.id in self._hooks

    # --- what they act on -------------------------------------------------------------------------

    def register(self, target: HookTarget) -> Callable[[], None]:
        """A tree or a machine is there; returns what ends that."""
        self._targets.append(target)
        if self._hooks:
            self.look_again()

        def end() -> None:
            if target in self._targets:
                self._targets.remove(target)
                target.arm([])
                if self._hooks:
                    self.look_again()

        return end

    def look_again(self) -> None:
        """What hooks act on has come, gone or changed."""
        for hook in self._hooks.values():
            self._find_location(hook, strict=False)
        self._arm()

    def of_machine(self, agent: int, machine: str) -> DecisionHooks | None:
        """The hooks on an agent's table of conditions; None for none."""
        try:
            return self._tables[agent, machine]
        except KeyError:
            return self._new_table(agent, machine)

    def _new_table(self, agent: int, machine: str) -> DecisionHooks | None:
        hooks = [
            hook for hook in self._hooks.values()
            if isinstance(hook.spec.location, TransitionLocation | RuleLocation)
            and hook.spec.object == agent and hook.spec.location.machine in ("", machine)
        ]  # fmt: skip
        for hook in hooks:
            hook.waits = ""
        table = DecisionHooks(self, agent, machine, hooks) if hooks else None
        self._tables[agent, machine] = table
        return table

    def _find_location(self, hook: ActiveHook, *, strict: bool) -> None:
        """See whether what a hook is on is there."""
        spec, location = hook.spec, hook.spec.location
        hook.waits = ""
        owners = [target for target in self._targets if target.owns(spec)]
        problems = [target.check(spec) for target in owners]
        if owners and all(problems):
            if strict:
                raise CommandError(f"{_whose(spec)}: {problems[0]}")
            hook.waits = problems[0]
        elif not owners and isinstance(location, NodeLocation):
            if strict and (known := self._recorded_trees(spec.object)):
                raise CommandError(
                    f"{_whose(spec)}: its tree {known[0]!r} is only recorded, and hooks can't reach"
                    " it: it is no tree of py_trees that was added to this session"
                    if location.tree in ("", *known)
                    else f"{_whose(spec)}: no tree {location.tree!r}:"
                    f" {name_hint(location.tree, known)}"
                )
            hook.waits = f"object {spec.object} has no tree yet"
        elif isinstance(location, FieldLocation):
            problem = self._field_problem(spec)
            if problem and strict:
                raise CommandError(f"{_whose(spec)}: {problem}")
            if problem or not self.fields_of(spec.object):
                hook.waits = problem or f"object {spec.object} is not recorded yet"
        elif not owners:
            hook.waits = f"object {spec.object} has decided nothing since it was set"

    def _recorded_trees(self, agent: int) -> list[str]:
        span = self._recorder.source.span
        if span is None:
            return []
        return [
            key for (object, kind, key), _ in self._recorder.source.facts(span.newest).items()
            if object == agent and kind.name == "TREE"
        ]  # fmt: skip

    def _field_problem(self, spec: HookDefinition) -> str:
        values = self.fields_of(spec.object)
        assert isinstance(spec.location, FieldLocation)
        if not values or has_field(values, spec.location.field):
            return ""
        return f"no field {spec.location.field!r}: {name_hint(spec.location.field, values)}"

    def _arm(self) -> None:
        """Give each target the hooks that act on it now."""
        hooks = list(self._hooks.values())
        for target in self._targets:
            target.arm([hook for hook in hooks if hook.acts and target.owns(hook.spec)])
        self._tables.clear()
        self.hooks_decisions = any(
            hook.acts and isinstance(hook.spec.location, TransitionLocation | RuleLocation)
            for hook in hooks
        )
        self.fields = [
            hook for hook in hooks if hook.acts and isinstance(hook.spec.location, FieldLocation)
        ]
        self._on_change()

    # --- where decisions are made -----------------------------------------------------------------

    def applies(self, hook: ActiveHook, values: Mapping[str, Any] = _NO_VALUES) -> bool:
        """Whether a hook acts on a decision that was made of these values."""
        if not hook.acts:
            return False
        if hook.condition is None:
            return True

        def lookup(name: str) -> Any:
            if name in values:
                return _plain(values[name])
            return field_value(self.fields_of(hook.spec.object), name)

        try:
            holds = hook.condition.holds(lookup)
        except KeyError as error:
            known = [*values, *self.fields_of(hook.spec.object)]
            hook.wrong = f"when {hook.spec.when!r}: no value {error}: " + name_hint(
                str(error).strip("'"), known
            )
            return False
        hook.wrong = ""
        return holds

    def hit(
        self, hook: ActiveHook, text: str, values: Mapping[str, Any] = _NO_VALUES, *,
        is_over: bool = False,
    ) -> None:  # fmt: skip
        """A hook acts: count it and record it; a break pauses the game.

        Args:
            text: What is decided.
            values: What it is decided on.
            is_over: It is about the newest frame, which is finished.
        """
        spec, frame = hook.spec, self._recorder.next_frame - is_over
        time = self.time if is_over else None
        hook.hits += 1
        hook.first = hook.first or frame
        hook.last, hook.text = frame, text
        if spec.times:
            hook.left -= 1
        if spec.kind == "mock":
            hook.answered += 1
        if spec.kind == "trace":
            self._log(f"{text}{_values_text(values)}", spec.object, time)
        elif spec.changes_outcome:
            with self._recorder.refusing("hook"):
                self._recorder.emit(Input(
                    f"hook {hook.id}", text,
                    spec.object,
                ))  # fmt: skip
                if hook.hits == 1:
                    self._recorder.emit(SetMark(
                        f"hook {hook.id}: {spec.kind} {spec.location.text}", text, spec.object,
                        "hook",
                    ))  # fmt: skip
        if not hook.acts:
            self._arm()
        if spec.kind == "break":
            with self._recorder.refusing("hook"):
                self._recorder.emit(SetMark(
                    f"hook {hook.id}: break at {spec.location.text}", text, spec.object, "hook",
                    time=time,
                ))  # fmt: skip
            self._on_break(hook, HookHit(
                id=hook.id, kind=spec.kind, object=spec.object, location=spec.location, frame=frame,
                text=text,
            ))  # fmt: skip

    def waits_on(self, hook: ActiveHook, text: str) -> None:
        """A delayed result is not given yet, and the node runs meanwhile: recorded, not counted."""
        with self._recorder.refusing("hook"):
            self._recorder.emit(Input(
                f"hook {hook.id}", text,
                hook.spec.object,
            ))  # fmt: skip

    def _log(self, text: str, object: int, time: float | None) -> None:
        line = LogLine(text[:_MOST_TEXT], "info", "", 0, object)
        with self._recorder.refusing("hook"):
            self._recorder.emit(LogEntry(line, time=time))

    def failed(self, hook: ActiveHook, error: Exception) -> None:
        """A hook can't do what it should; it does nothing until it is enabled again."""
        hook.wrong = str(error)
        hook.is_enabled = False
        self._recorder.faults.call_refused(f"hook {hook.id}", error, level=logging.WARNING)
        self._arm()

    @property
    def time(self) -> float:
        """Timeline seconds of the newest frame."""
        span = self._recorder.source.span
        return span.end if span is not None else 0.0

    def fields_of(self, object: int) -> dict[str, Any]:
        """The recorded fields of an object in the newest frame; none if it is not in it."""
        source = self._recorder.source
        span = source.span
        if span is None:
            return {}
        try:
            for packet in source.objects(span.newest):
                if packet.id == object:
                    values = {"position": packet.position, "angles": packet.angles}
                    if packet.damaged:
                        return values
                    layout = source.type_of(span.newest, packet.number)[1]
                    return {**values, **layout.decode(packet.payload)}
        except PlayheadError:
            pass  # evicted in this instant, or damaged: then it has no values
        return {}


def has_field(values: Mapping[str, Any], path: str) -> bool:
    """Whether a field, or a part of one, is there."""
    try:
        field_value(values, path)
    except KeyError:
        return False
    return True


def field_value(values: Mapping[str, Any], path: str) -> Any:
    """The value of a field or of a part of one: `velocity.x`, `joints[3][0]`.

    Raises:
        KeyError: it is not there.
    """
    for name, parts in field_splits(path):
        if name not in values:
            continue
        value = _plain(values[name])
        for part in parts:
            if not isinstance(value, list | tuple) or part >= len(value):
                raise KeyError(path)
            value = value[part]
        return value
    raise KeyError(path)


def _plain(value: Any) -> Any:
    """A value without numpy, and text as text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return value


def _values_text(values: Mapping[str, Any]) -> str:
    if not values:
        return ""
    parts = [f"{name}={short_text(_plain(value))}" for name, value in values.items()]
    return f" ({', '.join(parts)})"


def _whose(spec: HookDefinition) -> str:
    return f"{spec.kind} on {spec.location.text} of object {spec.object}"
