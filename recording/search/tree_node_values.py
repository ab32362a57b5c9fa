"""The status of a behaviour tree's node, as a name in an expression."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from ...errors import CommandError, EvictedError
from ...recorder.packets.trace_types import TreeTick
from ...recorder.reading.frame_source import FrameSource
from ..recording_damage import DamageLog
from .expression_name_readers import ObjectValues

_GONE = None
"""As a status: the agent is gone, and its tree with it."""


class TreeNodeValues:
    """The status of a node in the newest tick up to each frame, in lower case: `success`,
    `failure`, `running`, or as its library calls it; empty where the tick did not come to it.

    Args:
        node: The node's name; of several the first that was ticked counts.
        tree: The tree that it is in.

    Raises:
        CommandError: no tree was named, and an agent has two with such a node; while it is read.
    """

    def __init__(self, source: FrameSource, node: str, tree: str | None, damage: DamageLog) -> None:
        self._source, self.node, self._tree, self._damage = source, node, tree, damage
        self.known_nodes: set[str] = set()
        """The names of all nodes of the trees that were ticked."""
        self._read_until = 0
        self._trees: dict[int, str] = {}
        """The tree that the node is in, by agent."""
        self._changes: dict[int, tuple[list[int], list[str | None]]] = {}
        """Frames and the statuses from then on, oldest first; by agent."""

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        indexes: dict[tuple[int, str], list[int]] = {}
        for frame in frames:
            if frame > self._read_until:
                with suppress(EvictedError), self._damage.skipping(frame):
                    self._look(frame, indexes)
        self._read_until = max(self._read_until, frames[-1])
        for agent, (changes, statuses) in self._changes.items():
            low = max(bisect_right(changes, frames[0]) - 1, 0)
            high = bisect_right(changes, frames[-1])
            at = np.searchsorted(changes[low:high], frames, side="right") - 1
            held = statuses[low:high]
            is_there = np.array([status is not _GONE for status in held], np.bool_)
            rows = np.flatnonzero((at >= 0) & is_there[at] if len(held) else at >= 0)
            if len(rows):
                yield ObjectValues(agent, rows, at[rows], [status or "" for status in held])

    def _look(self, frame: int, indexes: dict[tuple[int, str], list[int]]) -> None:
        """Take in a frame.

        Args:
            indexes: Where the node is in each tree, as of this window.
        """
        for agent, trace in self._source.traces(frame):
            if not isinstance(trace, TreeTick) or self._tree not in (None, trace.tree):
                continue
            key = agent, trace.tree
            if key not in indexes:
                nodes = self._source.tree(frame, agent, trace.tree)
                indexes[key] = [at for at, one in enumerate(nodes) if one.name == self.node]
                self.known_nodes.update(one.name for one in nodes)
            mine = [trace.statuses[at] for at in indexes[key] if at < len(trace.statuses)]
            if mine:
                self._check_tree(agent, trace.tree)
                self._change(agent, frame, next(filter(None, mine), "").lower())
        for agent in self._source.gone(frame):
            if agent in self._changes:
                self._change(agent, frame, _GONE)

    def _check_tree(self, agent: int, tree: str) -> None:
        known = self._trees.setdefault(agent, tree)
        if known != tree:
            raise CommandError(
                f"find: object {agent} has the node {self.node!r} in the trees {known!r} and"
                f" {tree!r}: say which, as in node({self.node!r}, {tree!r})"
            )

    def _change(self, agent: int, frame: int, status: str | None) -> None:
        frames, statuses = self._changes.setdefault(agent, ([], []))
        if not statuses or statuses[-1] != status:
            frames.append(frame)
            statuses.append(status)
