"""A behaviour tree at an instant as lines of text: what a terminal shows of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from .tree_snapshot import RecordedNode, TreeSnapshot

SIGNS = {"success": "✓", "failure": "✗", "running": "▶"}
KINDS = {"selector": "?", "fallback": "?", "sequence": "→", "parallel": "⇉", "decorator": "◎",
         "condition": "◇", "action": "●"}  # fmt: skip
_MOST_VALUE = 60
"""Characters of a value of the blackboard."""


def tree_lines(tree: TreeSnapshot, *, unfolded: bool = False) -> Iterator[str]:
    """The nodes from the root down, one a line; branches that were not ticked are folded.

    Args:
        unfolded: Whether to list the nodes of those, too.
    """
    children: dict[int, list[int]] = {}
    for index, node in enumerate(tree.nodes):
        # A parent comes before its children; anything else would never end.
        children.setdefault(node.parent if node.parent < index else -1, []).append(index)
    below = [0] * len(tree.nodes)
    for index in range(len(tree.nodes) - 1, 0, -1):
        if 0 <= tree.nodes[index].parent < index:
            below[tree.nodes[index].parent] += 1 + below[index]
    waiting = [(index, "", "", "") for index in reversed(children.get(-1, []))]
    while waiting:
        index, lead, fork, stem = waiting.pop()
        node = tree.nodes[index]
        inside = children.get(index, [])
        folded = bool(inside) and not (node.status or node.kept or node.ended_early or unfolded)
        yield f"{lead}{fork}{_node_text(node)}{f'  ▸ {below[index]} not ticked' if folded else ''}"
        if folded:
            continue
        for place, child in enumerate(reversed(inside)):
            is_last = not place
            waiting.append(
                (child, lead + stem, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")
            )


def blackboard_lines(tree: TreeSnapshot) -> Iterator[str]:
    """The blackboard after the tick, one entry a line; what changed has what it was before."""
    written = {one.key: one for one in tree.accesses if one.access in ("write", "create", "unset")}
    keys = sorted({*tree.entries, *tree.blackboard})
    width = max(map(len, keys), default=0)
    for key in keys:
        value = value_text(tree.entries[key]) if key in tree.entries else "(removed)"
        note = ""
        if key in tree.blackboard or key in written:
            note = "  ← changed" if key in tree.blackboard else "  ← written"
            use = written.get(key)
            if use is not None:
                by = tree.nodes[use.node].name if 0 <= use.node < len(tree.nodes) else use.client
                first = next(one for one in tree.accesses if one.key == key)
                before = first.after if first.access == "read" else first.before
                was = "" if use.access == "create" else f", was {value_text(before)}"
                note += f" by {by}{was}"
        yield f"{key:<{width}}  {value}{note}"


def value_text(value: Any) -> str:
    """A value in a few characters."""
    text = _rounded(value)
    return text if len(text) <= _MOST_VALUE else f"{text[: _MOST_VALUE - 1]}…"


def _rounded(value: Any) -> str:
    """A value with six digits of each number."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if type(value) is list:
        return f"[{', '.join(map(_rounded, value))}]"
    if type(value) is tuple and len(value) != 1:
        return f"({', '.join(map(_rounded, value))})"
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {_rounded(one)}' for key, one in value.items())}}}"
    return repr(value)


def tree_facts(tree: TreeSnapshot, time: float | None) -> Mapping[str, Any]:
    """All of a tree at an instant, as plain values."""
    return {
        "agent": tree.agent,
        "tree": tree.tree,
        "frame": tree.frame,
        "time": time,
        "ticks": tree.ticks,
        "nodes": [
            {name: getattr(node, name) for name in node.__struct_fields__} for node in tree.nodes
        ],
        "path": tree.path,
        "running": tree.running,
        "blackboard": dict(tree.entries),
        "changed": dict(tree.blackboard),
        "accesses": [
            {name: getattr(one, name) for name in one.__struct_fields__} for one in tree.accesses
        ],
    }


def _node_text(node: RecordedNode) -> str:
    text = f"{KINDS.get(node.kind, '●')} {node.name}"
    if node.status:
        text += f"  {SIGNS.get(node.status, '·')} {node.status}"
    elif node.kept:
        text += f"  ({node.kept} earlier)"
    if node.ended_early:
        text += f"  ⊘ ended early: {node.ended_early}"
    if node.reason and node.status:
        text += f" — {node.reason}"
    return text
