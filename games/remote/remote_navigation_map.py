"""The navigation map of a remote game: a grid of letters, or a mesh of triangles."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from ...errors import GameError
from ..plan_game_interface import NavigationMap, Waypoint
from ..playable_interface import Vector
from ..shortest_paths import PathGraph, graph_of_steps
from ..walk_map import steps_between

MOST_CELLS = 1 << 18
"""Cells or triangles that a map can have."""


class ServedGrid(msgspec.Struct, frozen=True):
    """Rows of letters, the first one at the least y; `#` can't be walked on."""

    rows: list[str]
    origin: Vector = (0.0, 0.0, 0.0)
    """The middle of the first cell of the first row."""
    cell: float = 1.0


class ServedMesh(msgspec.Struct, frozen=True):
    """Triangles that can be walked on; from one to the next over a common edge."""

    vertices: list[Vector]
    triangles: list[tuple[int, int, int]]


class _GraphMap:
    """Finds the shortest way over a graph of positions.

    Args:
        positions: (n, 3): those of its nodes.
    """

    def __init__(self, positions: npt.NDArray[np.float64], graph: PathGraph) -> None:
        self._positions, self._graph = positions, graph

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        begin, end = self._node_at(start, near=0.0), self._node_at(goal, near)
        if begin is None or end is None:
            return None
        found = self._graph.path({begin: 0.0}, [end])
        return None if found is None else self._walked(found, goal)

    def _node_at(self, position: Vector, near: float) -> int | None:
        raise NotImplementedError

    def _walked(self, nodes: list[int], goal: Vector) -> list[Waypoint]:
        raise NotImplementedError


class RemoteGridMap(_GraphMap):
    """Cells, each with eight neighbours; paths do not cut corners.

    Raises:
        GameError: the grid is none.
    """

    def __init__(self, grid: ServedGrid) -> None:
        wide = {len(row) for row in grid.rows}
        if len(wide) != 1 or not grid.cell > 0.0 or len(grid.rows) * max(wide) > MOST_CELLS:
            raise GameError(
                f"plan.map: a grid has rows of one length, a cell over 0, and at most {MOST_CELLS}"
                f" cells; this one has {len(grid.rows)} rows of {sorted(wide)}, cell {grid.cell:g}"
            )
        self._cell = grid.cell
        free = np.array([[letter != "#" for letter in row] for row in grid.rows])
        self._free = np.flatnonzero(free)
        row, column = np.indices(free.shape).reshape(2, -1)
        x, y, z = grid.origin
        positions = np.stack(
            [x + column * grid.cell, y + row * grid.cell, np.full(free.size, z)], 1
        )
        super().__init__(positions, graph_of_steps(steps_between(free)))

    def _node_at(self, position: Vector, near: float) -> int | None:
        """The nearest free cell, at most a cell and `near` away."""
        if not len(self._free):
            return None
        away = np.linalg.norm(self._positions[self._free, :2] - position[:2], axis=1)
        found = int(away.argmin())
        return int(self._free[found]) if away[found] <= near + self._cell else None

    def _walked(self, nodes: list[int], goal: Vector) -> list[Waypoint]:
        """Only the cells at which one turns; where one comes in reach of the goal is the end."""
        positions: list[Vector] = [_vector(self._positions[node]) for node in nodes]
        turns = [
            here for before, here, after in zip(
                positions, positions[1:], positions[2:], strict=False
            )
            if _heading(before, here) != _heading(here, after)
        ]  # fmt: skip
        return [Waypoint(position) for position in (*turns, positions[-1])]


class MeshMap(_GraphMap):
    """Triangles; the way goes over the middles of the edges between them.

    Raises:
        GameError: the mesh is none.
    """

    def __init__(self, mesh: ServedMesh) -> None:
        many = len(mesh.triangles) > MOST_CELLS
        if many or any(not 0 <= at < len(mesh.vertices) for t in mesh.triangles for at in t):
            raise GameError(
                f"plan.map: a mesh has at most {MOST_CELLS} triangles of vertices that are there"
            )
        self._corners = np.array(
            [[mesh.vertices[at] for at in triangle] for triangle in mesh.triangles], float
        ).reshape(-1, 3, 3)
        middles = self._corners.mean(axis=1)
        beside: dict[tuple[int, int], int] = {}
        self._edge: dict[tuple[int, int], Vector] = {}
        for number, triangle in enumerate(mesh.triangles):
            for a, b in ((0, 1), (1, 2), (2, 0)):
                ends = sorted((triangle[a], triangle[b]))
                key = ends[0], ends[1]
                if (other := beside.get(key, number)) != number:
                    middle = _vector(np.add(mesh.vertices[key[0]], mesh.vertices[key[1]]) / 2)
                    self._edge[number, other] = self._edge[other, number] = middle
                beside[key] = number
        links = np.array(list(self._edge), np.int64).reshape(-1, 2)
        away = np.linalg.norm(middles[links[:, 0]] - middles[links[:, 1]], axis=1)
        super().__init__(middles, PathGraph(len(middles), links[:, 0], links[:, 1], away))

    def _node_at(self, position: Vector, near: float) -> int | None:
        """The triangle that a position is in, or the nearest one that is at most `near` away."""
        if not len(self._corners):
            return None
        a, b, c = (self._corners[:, corner, :2] for corner in range(3))
        here = np.array(position[:2])
        sides = [_side(a, b, here), _side(b, c, here), _side(c, a, here)]
        inside = np.all(np.array(sides) >= -1e-9, axis=0) | np.all(np.array(sides) <= 1e-9, axis=0)
        height = np.abs(self._corners[:, :, 2].mean(axis=1) - position[2])
        if inside.any():
            return int(np.where(inside, height, np.inf).argmin())
        away = np.linalg.norm(self._corners[:, :, :2] - here, axis=2).min(axis=1)
        found = int(away.argmin())
        return found if away[found] <= near else None

    def _walked(self, nodes: list[int], goal: Vector) -> list[Waypoint]:
        edges = [self._edge[one, other] for one, other in pairwise(nodes)]
        return [Waypoint(position) for position in (*edges, goal)]


def navigation_map(served: Any) -> NavigationMap | None:
    """The map that a game serves as `plan.map`; None if it knows none.

    Raises:
        GameError: it is neither a grid nor a mesh.
    """
    if served is None:
        return None
    try:
        if isinstance(served, dict) and "triangles" in served:
            return MeshMap(msgspec.convert(served, ServedMesh))
        return RemoteGridMap(msgspec.convert(served, ServedGrid))
    except msgspec.ValidationError as error:
        raise GameError(f"plan.map: this is no navigation map: {error}") from None


def _vector(position: npt.NDArray[np.float64]) -> Vector:
    x, y, z = position.tolist()
    return x, y, z


def _heading(here: Vector, there: Vector) -> tuple[int, int]:
    return (
        int(np.sign(round(there[0] - here[0], 9))), int(np.sign(round(there[1] - here[1], 9))),
    )  # fmt: skip


def _side(start: Any, end: Any, position: Any) -> Any:
    along, off = end - start, position - start
    return along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0]
