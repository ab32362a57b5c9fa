"""Builds an agent's tree out of py_trees nodes, with leaves bound to blackboard and body."""

import importlib.util
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from py_trees.behaviour import Behaviour
from py_trees.blackboard import Blackboard, Client
from py_trees.common import Access

from ...errors import TreeError
from ...games.tree_body_interface import Place, TreeValue
from ...recorder.text.name_hint import name_hint
from .built_in_keys import BUILT_IN
from .expressions import Expression
from .paths.path_follower import State
from .tree_nodes import ActionLeaf, Count, Inverter, Parallel, Selector, Sequence, TriggerCondition
from .workspace.tree_checker import path_text
from .workspace.workspace import Workspace
from .workspace.workspace_items import (
    ActionNode,
    Command,
    CountNode,
    InverterNode,
    SelectorNode,
    SequenceNode,
)

Leaf = ActionLeaf | TriggerCondition


class LeafActions(Protocol):
    """What leaves do through the agent that they belong to."""

    namespace: str
    keys: frozenset[str]
    """All keys that there may be on the blackboard."""

    def give(self, commands: Mapping[str, float]) -> None:
        """Give commands in this frame."""

    def go_to(self, goal: Place) -> State:
        """Look for the way to a place, and write what is known of it to the keys of the way."""

    def is_reachable(self, key: str, goal: Place) -> State:
        """Whether there is a way to a place."""

    def failed(self, path: str, error: Exception) -> str:
        """Note that a leaf raised an error, and return the leaf's message about it.

        Raises:
            TreeError: an error is to end the agent.
        """


class BlackboardView(Mapping[str, TreeValue]):
    """The blackboard as one leaf reads it."""

    def __init__(self, client: Client, keys: frozenset[str]) -> None:
        self._client, self._keys = client, keys

    def __getitem__(self, key: str) -> TreeValue:
        try:
            value: TreeValue = self._client.get(key)
        except (KeyError, AttributeError):
            hint = name_hint(key, self)
            raise TreeError(f"there is no key {key!r} on the blackboard: {hint}") from None
        return value

    def __iter__(self) -> Iterator[str]:
        there = Blackboard.storage
        return (key for key in sorted(self._keys) if f"{self._client.namespace}/{key}" in there)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def keys_of(workspace: Workspace, agent: str) -> frozenset[str]:
    """All keys that there may be on an agent's blackboard."""
    start = workspace.agents[agent].start if agent in workspace.agents else {}
    return frozenset((*workspace.formats, *keys_written(workspace), *start, *BUILT_IN))


def keys_written(workspace: Workspace) -> frozenset[str]:
    """The keys that action nodes write."""
    return frozenset(key for action in workspace.action_nodes.values() for key in action.write)


def clamped(name: str, value: float, command: Command) -> float:
    """A command within its range.

    Raises:
        TreeError: it is no finite number.
    """
    if not math.isfinite(value):
        raise TreeError(f"{name} would be {value}: give a finite number")
    return min(max(value, command.low), command.high)


def build_tree(workspace: Workspace, agent: str, actions: LeafActions) -> Behaviour:
    """The root of an agent's tree.

    Raises:
        TreeError: there is no such agent, or a Python trigger can't be loaded.
    """
    if agent not in workspace.agents:
        raise TreeError(
            f"{workspace.name} has no agent {agent!r}: {name_hint(agent, workspace.agents)}"
        )
    return _Builder(workspace, actions).node(workspace.agents[agent].root, (agent,))


class _Builder:
    def __init__(self, workspace: Workspace, actions: LeafActions) -> None:
        self._workspace, self._actions = workspace, actions
        self._modules: dict[str, Any] = {}

    def node(self, name: str, above: tuple[str, ...]) -> Behaviour:
        path = (*above, name)
        workspace = self._workspace
        if name in workspace.action_nodes:
            return self._action(name, workspace.action_nodes[name], path_text(path))
        if name in workspace.trigger_nodes:
            return self._trigger(name, path_text(path))
        node = workspace.nodes[name]
        children = [self.node(child, path) for child in node.children]
        match node:
            case SelectorNode():
                return Selector(name, children)
            case SequenceNode():
                return Sequence(name, children)
            case InverterNode():
                return Inverter(name, children[0])
            case CountNode():
                return Count(name, children[0], node.status, node.times, node.result)
        return Parallel(name, children)

    def _action(self, name: str, action: ActionNode, path: str) -> Behaviour:
        written = {key: _value_of(value) for key, value in action.write.items()}
        given: dict[str, Callable[[Mapping[str, TreeValue]], Any]] = {}
        for operation in action.operations:
            for command, value in self._workspace.key_operations[operation].commands.items():
                given[command] = _value_of(value)
        read = _keys_read(written.values()) | _keys_read(given.values())
        goal = self._place(action.goal) if action.goal else None
        goal_key = {action.goal} - self._workspace.map.places.keys() - {""}

        def do() -> str:
            try:
                for key, value in written.items():
                    client.set(key, value(view))
                if goal is not None and (state := actions.go_to(goal(view))) != "found":
                    return f"the way to {action.goal}: {state}"
                actions.give({command: float(value(view)) for command, value in given.items()})
            except Exception as error:
                return actions.failed(path, error)
            return ""

        actions = self._actions
        leaf = ActionLeaf(name, do)
        client, view = self._blackboard(leaf, read | goal_key, written.keys())
        return leaf

    def _trigger(self, name: str, path: str) -> Behaviour:
        trigger, actions = self._workspace.trigger_nodes[name], self._actions
        read: frozenset[str] | set[str]
        question: Callable[[Mapping[str, TreeValue]], str]
        lacks: Callable[[], float] | None = None
        view: BlackboardView
        if trigger.when:
            expression = Expression(trigger.when)
            read, question = expression.keys, expression.why_not
            lacks = lambda: expression.lacks(view)  # noqa: E731
        elif trigger.python:
            function = self._function(trigger.python)
            read = actions.keys

            def question(values: Mapping[str, TreeValue]) -> str:
                return "" if function(values) else f"{trigger.python} says no"
        else:
            goal = self._place(trigger.reachable)
            read = {trigger.reachable} - self._workspace.map.places.keys()

            def question(values: Mapping[str, TreeValue]) -> str:
                state = actions.is_reachable(path, goal(values))
                return "" if state == "found" else f"the way to {trigger.reachable}: {state}"

        def ask() -> str:
            try:
                return question(view)
            except Exception as error:
                return actions.failed(path, error)

        leaf = TriggerCondition(name, ask, lacks)
        _, view = self._blackboard(leaf, frozenset(read), ())
        return leaf

    def _blackboard(
        self, leaf: Leaf, read: frozenset[str] | set[str], written: Any
    ) -> tuple[Client, BlackboardView]:
        client = leaf.attach_blackboard_client(namespace=self._actions.namespace)
        for key in read:
            client.register_key(key, Access.READ)
        for key in written:
            client.register_key(key, Access.WRITE)
        return client, BlackboardView(client, self._actions.keys)

    def _place(self, name: str) -> Callable[[Mapping[str, TreeValue]], Place]:
        fixed = self._workspace.map.places.get(name)
        if fixed is not None:
            return lambda values: fixed

        def place(values: Mapping[str, TreeValue]) -> Place:
            found = values[name]
            if not isinstance(found, tuple | list) or len(found) < 2:
                raise TreeError(f"{name} is {found!r:.60}, which is no place")
            return tuple(found)

        return place

    def _function(self, text: str) -> Callable[[Mapping[str, TreeValue]], Any]:
        module, _, function = text.partition(":")
        path = self._workspace.folder / f"{module}.py"
        if module not in self._modules:
            self._modules[module] = _loaded(path)
        found: Callable[[Mapping[str, TreeValue]], Any] = getattr(self._modules[module], function)
        return found


class _Constant:
    keys: frozenset[str] = frozenset()

    def __init__(self, value: float | bool) -> None:
        self.value = value

    def __call__(self, values: Mapping[str, TreeValue]) -> float | bool:
        return self.value


class _Worked:
    def __init__(self, text: str) -> None:
        self._expression = Expression(text)
        self.keys = self._expression.keys

    def __call__(self, values: Mapping[str, TreeValue]) -> Any:
        return self._expression.value(values)


def _value_of(value: float | bool | str) -> "_Constant | _Worked":
    return _Worked(value) if isinstance(value, str) else _Constant(value)


def _keys_read(values: Any) -> frozenset[str]:
    return frozenset(key for value in values for key in value.keys)


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"workspace_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file may raise anything
        raise TreeError(f"{path}: it can't be loaded: {error!r}") from error
    return module
