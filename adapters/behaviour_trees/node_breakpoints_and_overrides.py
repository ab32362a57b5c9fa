"""Hooks on the nodes of a tree of py_trees: a node's `tick` is replaced while a hook is on it.

A node without a hook is not touched. A node whose result is replaced is not executed, nor is what
is below it; if it was running it is stopped first, and what is executed next begins anew.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from py_trees.blackboard import Blackboard
from py_trees.common import Status

from ...hooks.active_hook import ActiveHook
from ...hooks.decision_hook_table import HookTable
from ...hooks.hook_definition import HookDefinition
from ...recorder.text.name_hint import name_hint
from ...recording.decisions.decision_location import NodeLocation

Nodes = Callable[[], list[Any]]


class TreeHooks:
    """The hooks of one tree.

    Args:
        table: Where they are set.
        agent: Whose tree it is.
        tree: What it is called.
        nodes: Its nodes as they are now, the root first.
        values: The values of its blackboard, by key.
        set_root_tick: Sets what the root's own tick is, inside of what records it; None for its
            own again.
    """

    def __init__(
        self, table: HookTable, agent: int, tree: str, *, nodes: Nodes,
        values: Callable[[], dict[str, Any]],
        set_root_tick: Callable[[Callable[[], Iterator[Any]] | None], object],
    ) -> None:  # fmt: skip
        self._table, self._agent, self._tree = table, agent, tree
        self._nodes, self._values, self._set_root_tick = nodes, values, set_root_tick
        self._hooks: list[ActiveHook] = []
        self._hooked: list[_HookedNode] = []
        self.end = table.register(self)

    # --- what the table asks ----------------------------------------------------------------------

    def owns(self, spec: HookDefinition) -> bool:
        location = spec.location
        return (
            isinstance(location, NodeLocation)
            and spec.object == self._agent
            and location.tree in ("", self._tree)
        )

    def check(self, spec: HookDefinition) -> str:
        assert isinstance(spec.location, NodeLocation)
        nodes = self._nodes()
        if list(_meant(spec.location, nodes)):
            return ""
        if not spec.location.name:
            return f"the tree {self._tree!r} has {len(nodes)} nodes: the last is {len(nodes) - 1}"
        names = [str(node.name) for node in nodes]
        return f"the tree {self._tree!r} has no such node: {name_hint(spec.location.name, names)}"

    def arm(self, hooks: list[ActiveHook]) -> None:
        if not (hooks or self._hooked):
            return
        self._hooks = hooks
        nodes = self._nodes()
        wanted: dict[int, tuple[Any, list[ActiveHook]]] = {}
        for hook in hooks:
            assert isinstance(hook.spec.location, NodeLocation)
            for node in _meant(hook.spec.location, nodes):
                wanted.setdefault(id(node), (node, []))[1].append(hook)
        known = {id(one.node): one for one in self._hooked}
        for address, one in known.items():
            if address not in wanted:
                one.release()
        self._hooked = []
        for address, (node, its_hooks) in wanted.items():
            hooked = known.get(address)
            if hooked is None:
                is_root = node is nodes[0]
                hooked = _HookedNode(
                    node, self._table, self._values, self._set_root_tick if is_root else None
                )
            hooked.hooks = its_hooks
            self._hooked.append(hooked)

    def nodes_changed(self) -> None:
        """Nodes came, went or moved."""
        if self._hooks or self._hooked:
            self.arm(self._hooks)
            self._table.look_again()

    def close(self) -> None:
        """Leave the nodes as they were."""
        self.end()
        for one in self._hooked:
            one.release()
        self._hooked = []


def _meant(location: NodeLocation, nodes: list[Any]) -> Iterable[Any]:
    if location.index >= 0:
        node = nodes[location.index] if location.index < len(nodes) else None
        return [node] if node is not None and location.name in ("", str(node.name)) else []
    return (node for node in nodes if str(node.name) == location.name)


class _HookedNode:
    """A node with hooks on it.

    Args:
        set_root_tick: For the root, which is recorded around its tick.
    """

    def __init__(
        self, node: Any, table: HookTable, values: Callable[[], dict[str, Any]],
        set_root_tick: Callable[[Callable[[], Iterator[Any]] | None], object] | None,
    ) -> None:  # fmt: skip
        self.node, self.hooks = node, list[ActiveHook]()
        self._table, self._values, self._set_root_tick = table, values, set_root_tick
        self._had_tick = "tick" in vars(node) and set_root_tick is None
        self._own = node.tick if set_root_tick is None else type(node).tick.__get__(node)
        self._replaced: str | None = None
        """Its own feedback, if its last result was a hook's."""
        self._since: float | None = None
        """Timeline seconds since which a delayed result is running."""
        self._is_ticking = self._is_leaving = False
        """Whether its tick is under way, and whether it ticks by itself from the next one on."""
        if set_root_tick is None:
            node.tick = self._tick
        else:
            set_root_tick(self._tick)

    def release(self) -> None:
        """Have the node tick by itself again; from its next tick on, if one is under way."""
        if self._is_ticking:
            # The parent is still to see the result that was given last.
            self.hooks, self._is_leaving = [], True
        else:
            self._unwrap()

    def _unwrap(self) -> None:
        node = self.node
        self._be_itself()
        if self._set_root_tick is not None:
            self._set_root_tick(None)
        elif vars(node).get("tick") == self._tick:
            if self._had_tick:
                node.tick = self._own
            else:
                del node.tick

    def _be_itself(self) -> None:
        """What is executed after a hook's result begins anew."""
        if self._replaced is not None:
            self.node.feedback_message, self._replaced = self._replaced, None
            if self.node.status is Status.RUNNING:
                self.node.status = Status.INVALID
        self._since = None

    def _tick(self) -> Iterator[Any]:
        if self._is_leaving:
            self._unwrap()
            yield from self._own()
            return
        try:
            for ticked in self._ticks():
                if ticked is self.node:
                    self._is_ticking = False  # a parent may not come back to this generator
                yield ticked
        finally:
            self._is_ticking = False

    def _ticks(self) -> Iterator[Any]:
        self._is_ticking = True
        node, name = self.node, f"node {self.node.name!r}"
        values = self._values()
        for hook in self._breaks("before"):
            if self._table.applies(hook, values):
                self._table.hit(hook, f"{name} is about to be ticked", values)
        by = next(
            (hook for hook in tuple(self.hooks)
             if hook.spec.changes_outcome and self._table.applies(hook, values)), None
        )  # fmt: skip
        if by is not None:
            self._replace(by, name, values)
            self._ticked(name, values)
            yield node
            return
        self._be_itself()
        for ticked in self._own():
            if ticked is node:
                self._ticked(name, values)
            yield ticked

    def _ticked(self, name: str, values: dict[str, Any]) -> None:
        """The node has a result, and its parent does not know it yet."""
        node = self.node
        status = f"{name} -> {node.status.name.lower()}"
        traces = [hook for hook in tuple(self.hooks) if hook.spec.kind == "trace"]
        for hook in [*traces, *self._breaks("after")]:
            if self._table.applies(hook, values):
                reason = node.feedback_message
                text = f"{status}: {reason}" if reason else status
                self._table.hit(hook, text, values)

    def _breaks(self, at: str) -> list[ActiveHook]:
        return [hook for hook in tuple(self.hooks)
                if hook.spec.kind == "break" and hook.spec.at == at]  # fmt: skip

    def _replace(self, hook: ActiveHook, name: str, values: dict[str, Any]) -> None:
        node = self.node
        if self._replaced is None:
            self._replaced = node.feedback_message
            if node.status is Status.RUNNING:
                node.stop(Status.INVALID)
        result = Status[str(hook.result).upper()]
        if hook.spec.delay and result is not Status.RUNNING:
            now = self._table.time
            if node.status is not Status.RUNNING or self._since is None:
                self._since = now
            if now - self._since < hook.spec.delay:
                result = Status.RUNNING
            else:
                self._since = None
        if result is not Status.RUNNING:
            for key, value in hook.spec.keys.items():
                Blackboard.set(key, value)
        text = f"{name} -> {result.name.lower()}, by hook {hook.id}"
        for child in node.children:
            if child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        node.status, node.feedback_message = result, f"hook {hook.id}: {result.name.lower()}"
        if result is Status.RUNNING and hook.spec.delay and hook.spec.result != "running":
            self._table.waits_on(hook, text)
        else:
            self._table.hit(hook, text, values)
