"""Finds the cheapest paths over a graph, such as the cells of a map and the steps between them."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .walk_map import SIDES


class PathGraph:
    """Nodes with numbers from 0, and one-way edges, at most one from a node to another.

    Costs are found by SciPy's Dijkstra in C. It looks at more nodes than an A* in Python does, in a
    tenth of the time. Of several paths that cost the same, the one over nodes with lower numbers is
    taken, so a path does not depend on the version of SciPy. One thread searches at a time.

    Args:
        count: How many nodes there are.
        sources: Where each edge begins.
        targets: Where each edge ends.
        costs: What each edge costs, more than 0.
    """

    def __init__(
        self,
        count: int,
        sources: npt.NDArray[np.integer],
        targets: npt.NDArray[np.integer],
        costs: npt.NDArray[np.float64],
    ) -> None:
        self.count = count
        order = np.argsort(sources, kind="stable")
        # Each search begins at one more node, whose edges lead to the starts. Its room is kept.
        self._targets = np.zeros(len(order) + count, np.int32)
        self._targets[: len(order)] = targets[order]
        self._costs = np.zeros(len(order) + count, np.float64)
        self._costs[: len(order)] = costs[order]
        self._begins = np.zeros(count + 2, np.int32)
        np.cumsum(np.bincount(sources, minlength=count + 1), out=self._begins[1:])
        # The edges into each node, those from lower nodes first.
        back = np.lexsort((sources, targets))
        self._sources_into, self._costs_into = sources[back], costs[back].astype(np.float64)
        self._into_begins = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(targets, minlength=count), out=self._into_begins[1:])

    def costs_from(self, starts: Iterable[int]) -> npt.NDArray[np.float64]:
        """What the path to each node costs from the nearest of these; infinite where none leads."""
        return self._search(dict.fromkeys(starts, 0.0), math.inf)

    def path(
        self,
        starts: Mapping[int, float],
        goals: Sequence[int] | npt.NDArray[np.integer],
        guess: float = math.inf,
    ) -> list[int] | None:
        """The cheapest path from one of the starts to one of the goals.

        Args:
            starts: Each with what it costs to begin there.
            goals: In any order.
            guess: A path that costs less is looked for first, which is quicker where there is one.

        Returns:
            The nodes in order, the start and the goal included; None if there is no path.
        """
        if not len(goals) or not starts:
            return None
        for limit in (guess, math.inf) if math.isfinite(guess) else (math.inf,):
            costs = self._search(starts, limit)
            goal = int(goals[int(np.argmin(costs[goals]))])
            if math.isfinite(costs[goal]):
                break
        else:
            return None
        nodes = [goal]
        while starts.get(nodes[-1]) != costs[nodes[-1]]:
            nodes.append(self._before(nodes[-1], costs))
        return nodes[::-1]

    def _before(self, node: int, costs: npt.NDArray[np.float64]) -> int:
        """The node before this one on a cheapest path: its cost is exactly that much less."""
        edges = slice(self._into_begins[node], self._into_begins[node + 1])
        sources = self._sources_into[edges]
        return int(sources[np.argmin(costs[sources] + self._costs_into[edges])])

    def _search(self, starts: Mapping[int, float], limit: float) -> npt.NDArray[np.float64]:
        """What each node costs."""
        # It takes 0.3 s to import, which a game in which nobody asks for a path need not wait for.
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        first = self._begins[-2]
        end = self._begins[-1] = first + len(starts)
        self._targets[first:end] = list(starts)
        self._costs[first:end] = list(starts.values())
        edges = self._costs[:end], self._targets[:end], self._begins
        graph = csr_array(edges, shape=(self.count + 1,) * 2)
        found: npt.NDArray[np.float64] = dijkstra(graph, indices=self.count, limit=limit)
        return found[:-1]


def graph_of_steps(
    steps: npt.NDArray[np.bool_],
    pace: npt.NDArray[np.float64] | float = 1.0,
    *,
    backwards: bool = False,
) -> PathGraph:
    """The graph of the cells of a grid, numbered row by row.

    Args:
        steps: (8, rows, columns): whether one can step from a cell to each of its `SIDES`.
        pace: What a step straight into each cell costs, (rows, columns); one across costs √2 of it.
        backwards: From each cell to those from which one steps there.
    """
    _, rows, columns = steps.shape
    paces = np.broadcast_to(np.asarray(pace, float), (rows, columns)).ravel()
    side, row, column = np.nonzero(steps)
    offsets = np.array([down * columns + across for down, across in SIDES])
    source = row * columns + column
    target = source + offsets[side]
    costs = np.array([math.hypot(*way) for way in SIDES])[side] * paces[target]
    ends = (target, source) if backwards else (source, target)
    return PathGraph(rows * columns, *ends, costs)
