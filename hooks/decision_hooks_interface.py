"""The calls that set hooks and edit a paused game: the same on a session and on a client."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import CommandError
from ..recorder.objects.object_ids import ObjectOrId
from ..recorder.text.method_names_in_errors import named_by_method
from ..recording.decisions.decision_location import location_of
from .hook_definition import HookDefinition, HookState, validated_hook


@named_by_method
class HookManager(ABC):
    """Hooks on decisions and fields: `session.hooks`, `client.hooks`.

        hook = session.hooks.break_at("guard 7", transition="Patrol -> Chase")
        session.hooks.trace("guard 7", field="hp", when="hp < 50")
        session.hooks.replace("guard 7", node="door is open", result="success")
        session.hooks.mock("guard 7", node="attack", results=["running", "failure"])
        session.hooks.remove(hook)

    The location is one of `node=` (with `tree=`), `transition=` and `rule=` (with `machine=`), and
    `field=`. A transition is written `Patrol -> Chase`; an empty side is any state.

    A client's hooks are removed when the client is gone, unless they were set with `keep=True`.
    See docs/hooks.md for what each kind does, and when.

    All calls raise the same error.

    Raises:
        CommandError: a value makes no sense, what it names is not there, or there are
            too many hooks.
    """

    def break_at(
        self, object: ObjectOrId | str, *, node: str | int | None = None, tree: str = "",
        transition: str | None = None, rule: str | None = None, machine: str = "",
        field: str | None = None, at: str = "before", when: str = "", times: int = 0,
        keep: bool = False,
    ) -> HookState:  # fmt: skip
        """Pause the game where this is decided; a field: at the end of the frame in which it
        changes.

        Args:
            object: Whose decision it is: an object, its id or its name; 0 for the world.
            at: `before` the decision takes effect, or `after` it.
            when: Only where this condition holds, such as `hp < 50`.
            times: How often it acts; 0 for always.
            keep: Keep the hook when the client that sets it is gone.
        """
        location = location_of(
            node=node, tree=tree, transition=transition, rule=rule, machine=machine, field=field
        )
        return self._add(object, HookDefinition(
            kind="break", location=location, at=at, when=when, times=_whole_number(times),
            keep=keep,
        ))  # fmt: skip

    def trace(
        self, object: ObjectOrId | str, *, node: str | int | None = None, tree: str = "",
        transition: str | None = None, rule: str | None = None, machine: str = "",
        field: str | None = None, when: str = "", times: int = 0, keep: bool = False,
    ) -> HookState:  # fmt: skip
        """Write a line into the log each time, with the values that it was decided on.

        Args:
            object, when, times, keep: As of `break_at`.
        """
        location = location_of(
            node=node, tree=tree, transition=transition, rule=rule, machine=machine, field=field
        )
        return self._add(
            object,
            HookDefinition(
                kind="trace", location=location, when=when, times=_whole_number(times), keep=keep
            ),
        )

    def replace(
        self, object: ObjectOrId | str, *, result: Any, node: str | int | None = None,
        tree: str = "", transition: str | None = None, rule: str | None = None,
        machine: str = "", field: str | None = None, when: str = "", times: int = 0,
        delay: float = 0.0, keys: Mapping[str, Any] | None = None, keep: bool = False,
    ) -> HookState:  # fmt: skip
        """Give another result than the game's own; recorded as an input, and marked.

        Args:
            result: For a node `success`, `failure` or `running`; neither the node nor its children
                are executed. For a transition the state to go to instead, or None to stay. For a
                rule whether it holds. For a field its value at the end of each step.
            delay: For a node: seconds for which it is `running` first.
            keys: For a node: keys of the blackboard that are set when it has ended.
            object, when, times, keep: As of `break_at`.
        """
        location = location_of(
            node=node, tree=tree, transition=transition, rule=rule, machine=machine, field=field
        )
        return self._add(object, HookDefinition(
            kind="replace", location=location, result=result, when=when, times=_whole_number(times),
            delay=_seconds(delay), keys=dict(keys or {}), keep=keep,
        ))  # fmt: skip

    def mock(
        self, object: ObjectOrId | str, *, results: Iterable[Any], repeat: bool = False,
        node: str | int | None = None, tree: str = "", rule: str | None = None,
        machine: str = "", field: str | None = None, when: str = "",
        keys: Mapping[str, Any] | None = None, keep: bool = False,
    ) -> HookState:  # fmt: skip
        """Give the results of a list, one each time; then the game decides itself again.

        Args:
            results: As `result` of `replace`. A node that has children is not executed either: the
                whole branch is mocked.
            repeat: Begin again after the last one.
            keys, object, when, keep: As of `replace`.
        """
        location = location_of(node=node, tree=tree, rule=rule, machine=machine, field=field)
        if isinstance(results, str | bytes):
            raise CommandError(f"results={results!r}: give a list, such as [{results!r}]")
        return self._add(object, HookDefinition(
            kind="mock", location=location, results=tuple(results), repeat=bool(repeat), when=when,
            keys=dict(keys or {}), keep=keep,
        ))  # fmt: skip

    def remove(self, hook: HookState | int) -> None:
        """Remove a hook; a game that is paused in its break runs on."""
        self._change(_id(hook), "remove")

    def enable(self, hook: HookState | int) -> None:
        """Let a hook act again. One that is done counts from 0, and a mock begins its list."""
        self._change(_id(hook), "enable")

    def disable(self, hook: HookState | int) -> None:
        """Keep a hook, without letting it act."""
        self._change(_id(hook), "disable")

    def clear(self) -> None:
        """Remove all hooks, those of other tools too."""
        for hook in self.list():
            try:
                self._change(hook.id, "remove")
            except CommandError:
                # The hooks of a tool that leaves go meanwhile.
                if any(one.id == hook.id for one in self.list()):
                    raise

    @abstractmethod
    def list(self) -> "list[HookState]":
        """All hooks that are set, in their order, and what each has done so far."""

    @abstractmethod
    def _set(self, object: ObjectOrId | str, spec: HookDefinition) -> HookState:
        """Set a hook whose values make sense on an object's decisions."""

    @abstractmethod
    def _change(self, id: int, change: str) -> None:
        """Enable, disable or remove a hook."""

    def _add(self, object: ObjectOrId | str, spec: HookDefinition) -> HookState:
        return self._set(object, validated_hook(spec))


def _id(hook: HookState | int) -> int:
    number = getattr(hook, "id", hook)
    if isinstance(number, bool) or not isinstance(number, int):
        raise CommandError(f"hook {hook!r:.80}: give what set it returned, or its number")
    return number


def _whole_number(times: Any) -> int:
    if isinstance(times, bool) or not isinstance(times, int):
        raise CommandError(f"times={times!r}: give a whole number")
    return times


def _seconds(delay: Any) -> float:
    if isinstance(delay, bool) or not isinstance(delay, int | float):
        raise CommandError(f"delay={delay!r}: give seconds")
    return float(delay)
