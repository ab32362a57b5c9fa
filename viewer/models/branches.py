"""The behaviour tree panel's rows: how each node stood, why it failed, what was not looked at."""

from collections.abc import Sequence
from typing import NamedTuple

from ...recorder.traces import TreeNode
from .history import History, Tick
from .moment import Key


class Branch(NamedTuple):
    """A node in its place."""

    node: int
    name: str
    kind: str
    depth: int
    status: str
    """`success`, `failure`, `running`, or nothing for a node that was not ticked."""
    reason: str = ""
    """Why it ended early, or what is folded beneath."""
    seconds: float | None = None
    """How long it has been running."""
    last: tuple[bool, ...] = ()
    """For each level above and its own, whether no sibling follows: which lines go on."""


def branches(
    nodes: Sequence[TreeNode], tick: Tick | None, history: History, key: Key,
    opened: frozenset[int] = frozenset(),
) -> list[Branch]:  # fmt: skip
    """The tree from top to bottom; below a node that was not ticked everything is folded.

    Args:
        opened: Nodes that are unfolded all the same.
    """
    children: dict[int, list[int]] = {}
    for at, node in enumerate(nodes):
        # A parent comes before its children; anything else would never end.
        parent = node.parent if node.parent < at else -1
        children.setdefault(parent, []).append(at)
    statuses = tick.trace.statuses if tick is not None else ()
    ended = tick.trace.ended_early if tick is not None else {}
    rows: list[Branch] = []

    def count(at: int) -> int:
        return sum(1 + count(child) for child in children.get(at, ()))

    def add(at: int, depth: int, last: tuple[bool, ...]) -> None:
        status = _plain(statuses[at]) if at < len(statuses) else ""
        folded = not status and at in children and at not in opened
        reason = ended.get(at, "")
        if folded:
            below = count(at)
            reason = reason or f"▸ {below} not ticked"
        running = None
        if status == "running" and tick is not None:
            running = tick.time - history.running_since(key, at, tick)
        node = nodes[at]
        rows.append(Branch(at, node.name, node.kind, depth, status, reason, running, last))
        if not folded:
            inside = children.get(at, [])
            for place, child in enumerate(inside):
                add(child, depth + 1, (*last, place == len(inside) - 1))

    roots = children.get(-1, [])
    for place, root in enumerate(roots):
        add(root, 0, (place == len(roots) - 1,))
    return rows


def _plain(status: str) -> str:
    word = status.lower()
    return {"succeeded": "success", "failed": "failure", "invalid": ""}.get(word, word)
