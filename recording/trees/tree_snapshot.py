"""Behaviour trees: each node's status at an instant; and an agent's beliefs then."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ...errors import CommandError, EvictedError
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.trace_types import BlackboardAccess, StateTransition, TreeTick
from ...recorder.packets.tree_tick_packets import TreeState
from ...recorder.reading.frame_source import FrameSource
from ...recorder.reading.tree_tick_reader import trace_of
from ...recorder.statements.instrumentation_interface import Belief
from ..frame_lookup import stretches_in
from ..recording_damage import DamageLog

MOST_LOOKED_BACK = 1000
"""Ticks that are looked through for the blackboard of a tree of which only changes are recorded."""
_WORDS = {"succeeded": "success", "failed": "failure", "invalid": ""}


class RecordedNode(msgspec.Struct, frozen=True):
    """A node of a behaviour tree at an instant."""

    name: str
    kind: str
    """`selector`, `sequence`, `parallel`, `condition`, `action`, …"""
    parent: int
    """Index of its parent among the nodes; −1 for the root."""
    status: str
    """`success`, `failure`, `running`; empty if it was not ticked."""
    ended_early: str
    """Why it stopped before it was through; empty if it did not."""
    reason: str = ""
    """Why it has this status, in its own words: py_trees' `feedback_message`."""
    kept: str = ""
    """The status that it keeps from an earlier tick, if it was not ticked in this one."""
    type: str = ""
    """The class that it is an instance of, if that is recorded."""
    detail: str = ""
    """How it was set up, such as `with memory`; empty if nothing says so."""


class TreeSnapshot(msgspec.Struct, frozen=True):
    """A behaviour tree as it was ticked last, up to an instant."""

    agent: int
    tree: str
    frame: int | None
    """The frame of the tick; None if it was not ticked in the recording."""
    nodes: tuple[RecordedNode, ...]
    blackboard: Mapping[str, Any]
    """Entries that changed since the tick before; None for one that was removed."""
    beliefs: tuple[Belief, ...]
    entries: Mapping[str, Any] = {}
    """The whole blackboard after the tick."""
    accesses: tuple[BlackboardAccess, ...] = ()
    """Reads and writes of the blackboard during the tick, in order, if they are recorded."""
    ticks: int = 1
    """How often it was ticked in that frame: this is the last time."""

    @property
    def path(self) -> list[int]:
        """The indexes of the nodes that were ticked, a parent before its children."""
        return [index for index, node in enumerate(self.nodes) if node.status]

    @property
    def running(self) -> list[int]:
        """The indexes of the nodes that are running, the deepest of each branch only."""
        running = [n for n, node in enumerate(self.nodes) if node.status == "running"]
        above = {self.nodes[index].parent for index in running}
        return [index for index in running if index not in above]


class NodeChange(msgspec.Struct, frozen=True):
    """A node of a behaviour tree has another status than in the tick before."""

    frame: int
    time: float
    node: int
    """Its index in the tree as it was then."""
    name: str
    status: str
    """`success`, `failure`, `running`; empty if it was not ticked any more."""
    before: str
    """The status in the tick before."""
    reason: str
    """The node's feedback, or why it ended early."""


def trees_at(source: FrameSource, frame: int) -> list[tuple[int, str]]:
    """Agents and names of the behaviour trees that are defined at a frame."""
    return sorted((object, name) for object, kind, name in source.facts(frame) if kind == Kind.TREE)


def tree_at(
    source: FrameSource, agent: int, tree: str | None, frame: int, damage: DamageLog
) -> TreeSnapshot:
    """A tree with the statuses of its newest tick up to a frame.

    Raises:
        CommandError: the agent has no such tree at that frame, or several where none was named.
    """
    tree = _tree_name(source, agent, tree, frame)
    at, tick, ticks = _newest_tick(source, agent, tree, frame, damage)
    if tick is None:  # a full tick outlives its frame
        state: TreeState | None = source.latched(frame, agent, Kind.TREE_STATE, tree)
        tick = None if state is None else trace_of(state)
    nodes = source.tree(frame, agent, tree)
    if tick is None:
        tick = TreeTick(tree, ())
    entries = tick.entries
    if entries is None:
        entries = {} if at is None else _looked_back(source, agent, tree, at, damage)
    return TreeSnapshot(
        agent, tree, at,
        tuple(
            RecordedNode(
                node.name, node.kind, node.parent,
                status_of(tick, index), tick.ended_early.get(index, ""),
                tick.reasons.get(index, ""), tick.kept.get(index, ""), node.type, node.detail,
            )
            for index, node in enumerate(nodes)
        ),
        tick.blackboard, tick.beliefs, entries, tick.accesses, ticks,
    )  # fmt: skip


def status_of(trace: TreeTick, node: int) -> str:
    """The status of a node in a tick, in one spelling; empty if it was not ticked."""
    word = trace.statuses[node].lower() if node < len(trace.statuses) else ""
    return _WORDS.get(word, word)


def node_changes_of(
    source: FrameSource, agent: int, tree: str | None, node: int | str | None, first: int,
    last: int, damage: DamageLog,
) -> list[NodeChange]:  # fmt: skip
    """Where nodes of a tree changed their status, oldest first.

    Raises:
        CommandError: the agent has no such tree at the last frame, or it has no such node.
    """
    tree = _tree_name(source, agent, tree, last)
    defined = {
        row.frame
        for row in source.latch_changes(Kind.TREE, first, last)
        if row.object == agent and source.text(row.frame, row.key) == tree
    }
    names = [one.name for one in source.tree(last, agent, tree)]
    if node is not None:
        _check_node(node, names, tree)
    names = [one.name for one in source.tree(first, agent, tree)]
    found: list[NodeChange] = []
    before: TreeTick | None = None
    for low, high in stretches_in(source, first, last):
        for frame in range(low, high + 1):
            with damage.skipping(frame):
                if frame in defined:
                    names = [one.name for one in source.tree(frame, agent, tree)]
                for each, trace in source.traces(frame):
                    if each == agent and isinstance(trace, TreeTick) and trace.tree == tree:
                        if before is None or before.statuses != trace.statuses:
                            found += _changed(source, frame, names, node, before, trace)
                        before = trace
    return found


def _changed(
    source: FrameSource, frame: int, names: list[str], node: int | str | None,
    before: TreeTick | None, trace: TreeTick,
) -> Iterator[NodeChange]:  # fmt: skip
    for index, name in enumerate(names):
        if node not in (None, index, name):
            continue
        was = "" if before is None else status_of(before, index)
        status = status_of(trace, index)
        if status != was:
            reason = trace.ended_early.get(index) or trace.reasons.get(index, "")
            yield NodeChange(frame, source.time(frame), index, name, status, was, reason)


def _check_node(node: int | str, names: list[str], tree: str) -> None:
    if isinstance(node, str):
        if node in names:
            return
    elif not isinstance(node, bool) and 0 <= node < len(names):
        return
    listed = ", ".join(f"{index} {name!r}" for index, name in enumerate(names[:20]))
    raise CommandError(
        f"node {node!r}: the tree {tree!r} has {len(names)} nodes: {listed}"
        f"{', …' if len(names) > 20 else ''}"
    )


def _tree_name(source: FrameSource, agent: int, tree: str | None, frame: int) -> str:
    names = [name for each, name in trees_at(source, frame) if each == agent]
    if tree is None and len(names) == 1:
        tree = names[0]
    if tree is None or (tree not in names):
        has = f"the trees {', '.join(map(repr, names))}" if names else "no behaviour tree"
        raise CommandError(f"tree {tree!r}: object {agent} has {has} at frame {frame}")
    return tree


def _looked_back(
    source: FrameSource, agent: int, tree: str, frame: int, damage: DamageLog
) -> dict[str, Any]:
    """The blackboard, from what changed in the ticks up to a frame."""
    entries: dict[str, Any] = {}
    left = MOST_LOOKED_BACK
    for _, trace in _decisions(source, agent, frame, damage):
        if not isinstance(trace, TreeTick) or trace.tree != tree:
            continue
        entries = {**trace.blackboard, **entries}
        left -= 1
        if not left:
            break
    return {key: entries[key] for key in sorted(entries)}


def beliefs_at(
    source: FrameSource, agent: int, frame: int, damage: DamageLog
) -> tuple[Belief, ...]:
    """An agent's beliefs at a frame, from its newest decision that has any."""
    newest: tuple[int, tuple[Belief, ...]] = (0, ())
    for each, machine in source.machines(frame):
        if each != agent:
            continue
        for at, _, trace in source.transitions(frame, agent, machine, 100):
            if trace.beliefs:
                newest = max(newest, (at, trace.beliefs), key=lambda one: one[0])
                break
    if not any(each == agent for each, _ in trees_at(source, frame)):
        return newest[1]
    for at, decision in _decisions(source, agent, frame, damage):
        if at < newest[0]:
            break
        if isinstance(decision, TreeTick) and decision.beliefs:
            return decision.beliefs
    return newest[1]


def _newest_tick(
    source: FrameSource, agent: int, tree: str, frame: int, damage: DamageLog
) -> tuple[int | None, TreeTick | None, int]:
    """The frame of the newest tick, the last tick in it, and how many there are."""
    newest: tuple[int, TreeTick] | None = None
    ticks = 0
    for at, trace in _decisions(source, agent, frame, damage):
        if newest is not None and at != newest[0]:
            break
        if isinstance(trace, TreeTick) and trace.tree == tree:
            newest = newest or (at, trace)
            ticks += 1
    return (None, None, 1) if newest is None else (*newest, ticks)


def _decisions(
    source: FrameSource, agent: int, frame: int, damage: DamageLog
) -> Iterator[tuple[int, StateTransition | TreeTick]]:
    """An agent's decisions up to a frame, newest first."""
    span = source.span
    stretches = [] if span is None else list(stretches_in(source, span.oldest, frame))
    for first, last in reversed(stretches):
        for at in range(last, first - 1, -1):
            try:
                with damage.skipping(at):
                    for each, trace in reversed(source.traces(at)):
                        if each == agent and isinstance(trace, StateTransition | TreeTick):
                            yield at, trace
            except EvictedError:  # a live game has moved on: all older ones are gone, too
                return
