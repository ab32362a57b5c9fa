"""Behaviour trees: each node's status at an instant; and an agent's beliefs then."""

from collections.abc import Iterator, Mapping

import msgspec

from ..errors import CommandError, EvictedError
from ..recorder.packets.decision_traces import StateTrace, TreeTrace
from ..recorder.packets.packet_types import Kind
from ..recorder.reading.frame_source import FrameSource
from ..recorder.statements.instrumentation import Belief, Scalar
from .damage import DamageLog
from .frame_lookup import stretches_in


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


class RecordedTree(msgspec.Struct, frozen=True):
    """A behaviour tree as it was ticked last, up to an instant."""

    agent: int
    tree: str
    frame: int | None
    """The frame of the tick; None if it was not ticked in what is held."""
    nodes: tuple[RecordedNode, ...]
    blackboard: Mapping[str, Scalar]
    """Entries that changed in the tick."""
    beliefs: tuple[Belief, ...]


def trees_at(source: FrameSource, frame: int) -> list[tuple[int, str]]:
    """Agents and names of the behaviour trees that are defined at a frame."""
    return sorted((object, name) for object, kind, name in source.facts(frame) if kind == Kind.TREE)


def tree_at(
    source: FrameSource, agent: int, tree: str | None, frame: int, damage: DamageLog
) -> RecordedTree:
    """A tree with the statuses of its newest tick up to a frame.

    Raises:
        CommandError: the agent has no such tree at that frame, or several where none was named.
    """
    names = [name for each, name in trees_at(source, frame) if each == agent]
    if tree is None and len(names) == 1:
        tree = names[0]
    if tree is None or (tree not in names):
        has = f"the trees {', '.join(map(repr, names))}" if names else "no behaviour tree"
        raise CommandError(f"tree {tree!r}: object {agent} has {has} at frame {frame}")
    at, tick = _newest_tick(source, agent, tree, frame, damage)
    nodes = source.tree(frame, agent, tree)
    statuses = () if tick is None else tick.statuses
    ended = {} if tick is None else tick.ended_early
    return RecordedTree(
        agent, tree, at,
        tuple(
            RecordedNode(
                node.name, node.kind, node.parent,
                statuses[index] if index < len(statuses) else "", ended.get(index, ""),
            )
            for index, node in enumerate(nodes)
        ),
        {} if tick is None else tick.blackboard, () if tick is None else tick.beliefs,
    )  # fmt: skip


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
        if isinstance(decision, TreeTrace) and decision.beliefs:
            return decision.beliefs
    return newest[1]


def _newest_tick(
    source: FrameSource, agent: int, tree: str, frame: int, damage: DamageLog
) -> tuple[int | None, TreeTrace | None]:
    for at, trace in _decisions(source, agent, frame, damage):
        if isinstance(trace, TreeTrace) and trace.tree == tree:
            return at, trace
    return None, None


def _decisions(
    source: FrameSource, agent: int, frame: int, damage: DamageLog
) -> Iterator[tuple[int, StateTrace | TreeTrace]]:
    """An agent's decisions up to a frame, newest first."""
    span = source.span
    stretches = [] if span is None else list(stretches_in(source, span.oldest, frame))
    for first, last in reversed(stretches):
        for at in range(last, first - 1, -1):
            try:
                with damage.skipping(at):
                    for each, trace in reversed(source.traces(at)):
                        if each == agent and isinstance(trace, StateTrace | TreeTrace):
                            yield at, trace
            except EvictedError:  # a live game has moved on: all older ones are gone, too
                return
