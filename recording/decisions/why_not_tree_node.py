"""Finds out which node's failure kept a branch of a behaviour tree from coming."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...errors import CommandError
from ...recorder.packets.reexecutable_decisions import NodeResult
from ...recorder.packets.trace_types import TreeNode
from .decision_question_scope import AgentRange
from .decision_reexecution import Questioner
from .recorded_decisions import DecisionScan, RecordedDecision
from .tree_choices import node_paths
from .why_not_answer import NearestMiss, ObstacleCounter, WhyNot

_COMPARISON = re.compile(r"^(?P<key>\S+) (?P<sign><=|>=|<|>|==) (?P<value>-?[\d.]+(e-?\d+)?)$")


class _Node(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> int: ...


def branch_of(name: str, nodes: Sequence[_Node]) -> int | None:
    """The node that is meant by a name, a path (`guard > attack`) or an index; None if none is.

    Raises:
        CommandError: several nodes have the name.
    """
    paths = node_paths([node.name for node in nodes], [node.parent for node in nodes])
    if name in paths:
        return paths.index(name)
    found = [index for index, node in enumerate(nodes) if node.name == name]
    if len(found) > 1:
        listed = ", ".join(repr(paths[index]) for index in found)
        raise CommandError(f"several nodes are called {name!r}: name one by its path: {listed}")
    if found:
        return found[0]
    if name.isdecimal() and int(name) < len(nodes):
        return int(name)
    return None


def why_not_branch(
    stretch: AgentRange, tree: str, name: str, maker: str | None, seconds: float | None
) -> WhyNot:
    """What kept a node from being ticked, or had it fail when it was."""
    counter = ObstacleCounter()
    decisions = came = 0
    came_first: int | None = None
    scan = DecisionScan(stretch.source, stretch.agent, tree, stretch.damage)
    asked = Questioner(
        stretch.source, stretch.agent, tree, edit=None, maker=maker, seconds=seconds,
        damage=stretch.damage,
    )  # fmt: skip
    for one in scan.decisions(stretch.first, stretch.last):
        nodes = one.choice.nodes
        index = branch_of(name, nodes)
        if index is None:
            continue  # the tree was another one then
        decisions += 1
        if nodes[index].status in ("success", "running"):
            came += 1
            came_first = one.frame if came_first is None else came_first
            continue
        at, kind = _blocking(nodes, index)
        if at < 0:
            continue
        time = stretch.source.time(one.frame)
        path = node_paths([node.name for node in nodes], [node.parent for node in nodes])[at]
        if kind == "order":
            text = f"{path} came before it and ended with {nodes[at].status}"
            counter.add(text, kind, NearestMiss(one.frame, time, text, None, one.inputs))
            continue
        definition = stretch.source.tree(one.frame, one.agent, tree)
        lacks = _lacks(one, definition, at)
        if lacks is None and (one.maker is not None or maker is not None):
            again = asked.decide(one).nodes
            lacks = again[at].lacks if len(again) == len(nodes) else None
        reason = nodes[at].reason or f"{path} failed"
        counter.add(path, kind, NearestMiss(one.frame, time, reason, lacks, one.inputs))
    return WhyNot(
        stretch.agent, stretch.name, tree, name, stretch.first, stretch.last, decisions, came,
        came_first, counter.obstacles,
    )  # fmt: skip


def _blocking(nodes: Sequence[NodeResult], index: int) -> tuple[int, str]:
    """The node because of which one did not come, and how; −1 if the tree was not ticked."""
    if nodes[index].status == "failure":
        return _failed_below(nodes, index), "node"
    while nodes[index].parent >= 0 and not nodes[nodes[index].parent].status:
        index = nodes[index].parent
    parent = nodes[index].parent
    if parent < 0:
        return -1, ""
    before = [
        at for at in range(parent + 1, index) if nodes[at].parent == parent and nodes[at].status
    ]
    if not before:
        return parent, "order"  # a composite with memory, or one that never came to it
    last = before[-1]
    if nodes[last].status == "failure":
        return _failed_below(nodes, last), "node"
    return last, "order"


def _failed_below(nodes: Sequence[NodeResult], index: int) -> int:
    """The leaf whose failure made a node fail: of several the last."""
    while True:
        failed = [
            at for at, node in enumerate(nodes)
            if node.parent == index and node.status == "failure"
        ]  # fmt: skip
        if not failed:
            return index
        index = failed[-1]


def _lacks(one: RecordedDecision, definition: Sequence[TreeNode], index: int) -> float | None:
    """How far a node is from holding that compares a key with a number; None if none is known."""
    found = _COMPARISON.match(definition[index].detail) if index < len(definition) else None
    if found is None:
        return None
    value = _read(one.inputs, found["key"])
    if not isinstance(value, int | float):
        return math.inf
    wanted = float(found["value"])
    match found["sign"]:
        case "<" | "<=":
            return value - wanted
        case ">" | ">=":
            return wanted - value
    return abs(value - wanted)


def _read(entries: Mapping[str, Any], key: str) -> Any:
    """An entry of the blackboard, `/target.distance` too: an attribute of what is recorded."""
    name, *attributes = key.split(".")
    value = entries.get(name, entries.get(f"/{name}"))
    for attribute in attributes:
        value = value.get(attribute) if isinstance(value, dict) else None
    return value
