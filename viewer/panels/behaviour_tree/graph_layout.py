"""The layout of a behaviour tree's graph: levels from left to right."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....recorder.packets.trace_types import TreeNode

COLUMN, ROW = 190.0, 30.0
"""Pixels from one level to the next, and from one node to the one below it, unzoomed."""


def node_positions(nodes: Sequence[TreeNode]) -> npt.NDArray[np.float64]:
    """The middle of each node's left edge, (n, 2); children in their order, without crossings."""
    import igraph  # takes a while: only who looks at a graph waits for it

    parents = [node.parent if node.parent < at else -1 for at, node in enumerate(nodes)]
    roots = [at for at, parent in enumerate(parents) if parent < 0]
    edges = [(parent, at) for at, parent in enumerate(parents) if parent >= 0]
    graph = igraph.Graph(len(nodes), edges, directed=True)
    found = np.array(graph.layout_reingold_tilford(mode="out", root=roots).coords)
    positions: npt.NDArray[np.float64] = found.reshape(-1, 2)[:, ::-1] * (COLUMN, ROW)
    positions -= positions.min(axis=0)
    return positions
