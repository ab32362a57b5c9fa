"""Ticks of behaviour trees as choices, recorded or made again."""

from collections.abc import Iterable, Sequence

from ...recorder.packets.reexecutable_decisions import DecisionResult, NodeResult
from ...recorder.packets.trace_types import TreeNode, TreeTick
from ..trees.tree_snapshot import status_of


def node_paths(names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """The path of each node from the root down: `guard > attack > near?`. Alike ones are numbered.

    An edit moves nodes to other places; by their paths they are found again.
    """
    paths: list[str] = []
    known: set[str] = set()
    for index, (name, parent) in enumerate(zip(names, parents, strict=True)):
        above = f"{paths[parent]} > " if 0 <= parent < index else ""
        path, number = f"{above}{name}", 2
        while path in known:
            path, number = f"{above}{name} #{number}", number + 1
        known.add(path)
        paths.append(path)
    return paths


def choice_of_tick(definition: Iterable[TreeNode], tick: TreeTick) -> DecisionResult:
    """What a recorded tick came to."""
    return choice_of_nodes(
        NodeResult(
            node.name, node.kind, node.parent, status_of(tick, index), tick.reasons.get(index, "")
        )
        for index, node in enumerate(definition)
    )


def choice_of_nodes(answers: Iterable[NodeResult]) -> DecisionResult:
    """What a tick came to: its target are the leaves that run, or else the last that succeeded."""
    nodes = tuple(answers)
    inner = {node.parent for node in nodes}
    leaves = [node for index, node in enumerate(nodes) if index not in inner]
    running = [node.name for node in leaves if node.status == "running"]
    done = [node.name for node in leaves if node.status == "success"]
    return DecisionResult(", ".join(running) or (done[-1] if done else ""), nodes=nodes)
