"""The definition of a py_trees tree as a recorded tree: its nodes, names and types."""

import sys
from typing import Any

from ...errors import RecordingError
from ...recorder.packets.trace_types import TreeNode

_MOST_NAMES = 6
"""Names of a circle that a message lists."""


def nodes_in_order(root: Any) -> tuple[list[Any], list[int]]:
    """All nodes, a parent before its children, and the place of each one's parent.

    Raises:
        RecordingError: a node is below itself.
    """
    nodes: list[Any] = []
    parents: list[int] = []
    above: list[Any] = []
    """The nodes from the root down to the one that is taken up, …"""
    ids: set[int] = set()
    """… and their ids."""
    waiting: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while waiting:
        node, parent, depth = waiting.pop()
        ids.difference_update(map(id, above[depth:]))
        del above[depth:]
        if id(node) in ids:
            raise RecordingError(_circle(above, node))
        parents.append(parent)
        nodes.append(node)
        if node.children:
            above.append(node)
            ids.add(id(node))
            index = len(nodes) - 1
            waiting += [(child, index, depth + 1) for child in reversed(list(node.children))]
    return nodes, parents


def _circle(above: list[Any], node: Any) -> str:
    start = next(position for position, one in enumerate(above) if one is node)
    names = [str(one.name) for one in above[start:]]
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES - 1 :] = ["…"]
    path = " > ".join((*names, str(node.name)))
    return f"tree {above[0].name!s:.80}: a node is below itself, so that there is no end: {path}"


def definition_of(nodes: list[Any], parents: list[int]) -> tuple[TreeNode, ...]:
    """The nodes as they are recorded."""
    return tuple(
        TreeNode(_name(node), kind_of(node), parent, _type(node), _detail(node))
        for node, parent in zip(nodes, parents, strict=True)
    )


def _name(node: Any) -> str:
    try:
        return str(node.name).encode(errors="backslashreplace").decode()
    except Exception:
        return type(node).__name__


def kind_of(node: Any) -> str:
    """What a node does, in one word."""
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


def _type(node: Any) -> str:
    kind = type(node)
    return f"{kind.__module__}.{kind.__qualname__}"


def _detail(node: Any) -> str:
    """How a composite or a decorator was set up; empty for what says it by its class."""
    memory = getattr(node, "memory", None)
    if isinstance(memory, bool):
        return "with memory" if memory else ""
    policy = getattr(node, "policy", None)
    if policy is not None:
        return type(policy).__name__
    comparison = _comparison(getattr(node, "check", None))
    if comparison:
        return comparison
    values = [(name, getattr(node, name, None)) for name in _SETTINGS]
    return ", ".join(
        f"{name}={value!r}" for name, value in values if value.__class__ in (int, float)
    )


def _comparison(check: Any) -> str:
    """What a `ComparisonExpression` asks, with a fixed value: `ammo >= 5`; empty for anything
    else."""
    sign = _SIGNS.get(getattr(getattr(check, "operator", None), "__name__", ""))
    generator: Any = getattr(check, "value_generator", None)
    # A program's own function is not called to be looked at.
    name = getattr(generator, "__qualname__", "")
    if sign is None or not name.startswith("ComparisonExpression.__init__."):
        return ""
    return f"{check.variable} {sign} {generator()!r}"[:_MOST_DETAIL]


_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
"""What the functions of `operator` are that nodes of py_trees compare by."""
_MOST_DETAIL = 80
_SETTINGS = ("num_success", "num_failures", "duration")
"""Attributes of decorators that say how often, or how long."""
