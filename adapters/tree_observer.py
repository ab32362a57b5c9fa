"""A behaviour tree of py_trees: each tick becomes a recorded one, and its nodes a definition."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..recorder.packets.decision_traces import TreeNode, TreeTrace
from ..recorder.recorder import Recorder
from ..recorder.statements.instrumentation import Scalar
from ..recorder.statements.statements import TreeTick

_MOST_TEXT = 200
"""Characters kept of a feedback message, and of a text on the blackboard."""


def is_tree(thing: Any) -> bool:
    """Whether something is a tree of py_trees, or a behaviour that can be the root of one."""
    trees, behaviours = (sys.modules.get(f"py_trees.{name}") for name in ("trees", "behaviour"))
    return (trees is not None and isinstance(thing, trees.BehaviourTree)) or (
        behaviours is not None and isinstance(thing, behaviours.Behaviour)
    )


class TreeObserver:
    """Records each tick of a tree; py_trees calls this a visitor.

    A tree is watched as a `BehaviourTree`, or by its root alone: then the root's `tick` is replaced
    by one that does the same. Nodes may come, go and move: the definition follows.

    Args:
        tree: The tree, or its root.
        agent: The id of whose tree it is; 0 for the world.
        name: What the tree is called.
    """

    full = False
    """For py_trees: that only nodes which are ticked are of interest."""

    def __init__(self, tree: Any, recorder: Recorder, agent: int, name: str) -> None:
        self.tree, self.agent, self.name = tree, agent, name
        self._recorder = recorder
        self._nodes: list[Any] = []
        """As they were defined."""
        self._is_defined = False
        self._visited: list[Any] = []
        self._ran: set[int] = set()
        """Places of the nodes that were running after the tick before."""
        self._watched: dict[str, Scalar] = {}
        self._end: Callable[[], object] = lambda: None
        if hasattr(tree, "add_visitor"):
            tree.add_visitor(self)
            self._end = lambda: tree.visitors.remove(self)
        else:
            self._end = self._replace_tick(tree)

    @property
    def root(self) -> Any:
        """The root as it is now."""
        return getattr(self.tree, "root", self.tree)

    def define_again(self) -> None:
        """Define the tree again: its definition ended with its agent."""
        self._is_defined = False
        self._watched.clear()

    def close(self) -> None:
        """Leave the tree as it was."""
        end, self._end = self._end, lambda: None
        end()

    # --- what py_trees calls ----------------------------------------------------------------------

    def initialise(self) -> None:
        """A tick begins."""
        self._visited = []

    def run(self, node: Any) -> None:
        """A node was ticked."""
        self._visited.append(node)

    def finalise(self) -> None:
        """The tick has ended."""
        if self._recorder.is_suspended:
            return
        with self._recorder.refusing("trace"):
            self._record()

    def _replace_tick(self, root: Any) -> Callable[[], object]:
        own, before = root.tick, root.__dict__.get("tick")

        def tick() -> Iterator[Any]:
            self.initialise()
            try:
                for node in own():
                    self.run(node)
                    yield node
            except Exception:
                self.finalise()  # as far as it came
                raise
            self.finalise()

        def end() -> None:
            if root.__dict__.get("tick") is tick:
                if before is None:
                    del root.tick
                else:
                    root.tick = before

        root.tick = tick
        return end

    # --- what is recorded of it -------------------------------------------------------------------

    def _record(self) -> None:
        nodes, parents = _in_order(self.root)
        if not self._is_defined or not _are_same(nodes, self._nodes):
            self._recorder.trace.define_tree(self.agent, self.name, tuple(
                TreeNode(str(node.name), _kind(node), parent)
                for node, parent in zip(nodes, parents, strict=True)
            ))  # fmt: skip
            self._nodes, self._is_defined = nodes, True
            self._ran.clear()
        ticked = set(map(id, self._visited))
        self._visited = []
        statuses = [_status(node) if id(node) in ticked else "" for node in nodes]
        running = {index for index, node in enumerate(nodes) if _status(node) == "running"}
        stopped = {
            index: _interruption(nodes[index])
            for index in sorted(self._ran - running)
            if _status(nodes[index]) == "invalid"
        }
        self._ran = running
        trace = TreeTrace(self.name, tuple(statuses), stopped, self._blackboard_changes(nodes))
        self._recorder.emit(TreeTick(self.agent, trace))

    def _blackboard_changes(self, nodes: Iterable[Any]) -> dict[str, Scalar]:
        """Plain values on the blackboard, and feedback of nodes, that have changed."""
        found: dict[str, Scalar] = {}
        for node in nodes:
            feedback = getattr(node, "feedback_message", "")
            key = f"feedback of {node.name}"
            if feedback and key not in found:
                found[key] = str(feedback)[:_MOST_TEXT]
        for key, value in _blackboard(nodes):
            if isinstance(value, int) and abs(value) >= 1 << 63:
                continue  # more than a message can hold
            if value is None or isinstance(value, bool | int | float):
                found[key] = value
            elif isinstance(value, str):
                found[key] = value[:_MOST_TEXT]
        changes = {
            key: value
            for key, value in found.items()
            if key not in self._watched or self._watched[key] != value
        }
        # A removed key is recorded once as None: else its last value would seem to hold.
        changes.update(dict.fromkeys(self._watched.keys() - found.keys()))
        self._watched = found
        return changes


def _in_order(root: Any) -> tuple[list[Any], list[int]]:
    """All nodes, a parent before its children, and the place of each one's parent."""
    nodes: list[Any] = []
    parents: list[int] = []
    waiting = [(root, -1)]
    while waiting:
        node, parent = waiting.pop()
        parents.append(parent)
        nodes.append(node)
        index = len(nodes) - 1
        waiting += [(child, index) for child in reversed(list(node.children))]
    return nodes, parents


def _are_same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(
        one is other for one, other in zip(some, others, strict=True)
    )


def _status(node: Any) -> str:
    return str(node.status.name).lower()


def _kind(node: Any) -> str:
    """What a node does, in the words of a recorded tree."""
    composites, decorators = (
        sys.modules.get(f"py_trees.{name}") for name in ("composites", "decorators")
    )
    if composites is not None:
        for name in ("Selector", "Sequence", "Parallel"):
            if isinstance(node, getattr(composites, name)):
                return name.lower()
    if decorators is not None and isinstance(node, decorators.Decorator):
        return "decorator"
    name = type(node).__name__
    is_condition = name.startswith(("Check", "Is", "Has")) or "Condition" in name
    return "condition" if is_condition else "action"


def _interruption(node: Any) -> str:
    """Why a node that ran does not run any more, although it did not end."""
    above = node.parent
    while above is not None:
        chosen = getattr(above, "current_child", None)
        if chosen is not None and _status(above) != "invalid":
            return f"interrupted: {above.name} went on with {chosen.name}"
        above = above.parent
    return "interrupted"


def _blackboard(nodes: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """What the nodes' clients of the blackboard can read or write."""
    module = sys.modules.get("py_trees.blackboard")
    if module is None:
        return
    storage = module.Blackboard.storage
    keys = {
        key
        for node in nodes
        for client in getattr(node, "blackboards", ())
        for key in (*client.read, *client.write, *getattr(client, "exclusive", ()))
    }
    for key in sorted(keys):
        if key in storage:
            yield key, storage[key]
