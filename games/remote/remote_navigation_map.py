"""The navigation map of a remote game: a grid of letters, or a mesh of triangles."""

import math
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import networkx as nx
import numpy as np

from ...errors import GameError
from ..plan_game_interface import NavigationMap, Waypoint
from ..playable_interface import Vector

MOST_CELLS = 1 << 18
"""Cells or triangles that a map can have."""
_SIDES = ((0, 1), (1, 0), (1, 1), (1, -1))


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
    """Finds the shortest way over a graph of points."""

    def __init__(self) -> None:
        self._graph: Any = nx.Graph()
        self._place: dict[Hashable, Vector] = {}

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        begin, end = self._node_at(start, near=0.0), self._node_at(goal, near)
        if begin is None or end is None or not nx.has_path(self._graph, begin, end):
            return None
        found = nx.astar_path(self._graph, begin, end, self._away, "weight")
        return self._walked(found, goal)

    def _link(self, one: Hashable, other: Hashable) -> None:
        self._graph.add_edge(one, other, weight=self._away(one, other))

    def _away(self, one: Hashable, other: Hashable) -> float:
        return math.dist(self._place[one], self._place[other])

    def _node_at(self, position: Vector, near: float) -> Hashable | None:
        raise NotImplementedError

    def _walked(self, nodes: list[Hashable], goal: Vector) -> list[Waypoint]:
        raise NotImplementedError


class RemoteGridMap(_GraphMap):
    """Cells, each with eight neighbours; paths do not cut corners.

    Raises:
        GameError: the grid is none.
    """

    def __init__(self, grid: ServedGrid) -> None:
        super().__init__()
        wide = {len(row) for row in grid.rows}
        if len(wide) != 1 or not grid.cell > 0.0 or len(grid.rows) * max(wide) > MOST_CELLS:
            raise GameError(
                f"plan.map: a grid has rows of one length, a cell over 0, and at most {MOST_CELLS}"
                f" cells; this one has {len(grid.rows)} rows of {sorted(wide)}, cell {grid.cell:g}"
            )
        self._grid = grid
        self._free = np.array([[letter != "#" for letter in row] for row in grid.rows])
        x, y, z = grid.origin
        for row, column in np.argwhere(self._free).tolist():
            self._place[row, column] = (x + column * grid.cell, y + row * grid.cell, z)
            self._graph.add_node((row, column))
        for row, column in np.argwhere(self._free).tolist():
            for down, right in _SIDES:
                there = (row + down, column + right)
                if self._is_free(there) and (
                    not (down and right)
                    or (self._is_free((row, there[1])) and self._is_free((there[0], column)))
                ):
                    self._link((row, column), there)

    def _is_free(self, cell: tuple[int, int]) -> bool:
        return cell in self._place

    def _node_at(self, position: Vector, near: float) -> Hashable | None:
        """The nearest free cell, at most a cell and `near` away."""
        found = min(self._place, key=lambda cell: math.dist(self._place[cell][:2], position[:2]),
                    default=None)  # fmt: skip
        if found is None:
            return None
        away = math.dist(self._place[found][:2], position[:2])
        return found if away <= near + self._grid.cell else None

    def _walked(self, nodes: list[Hashable], goal: Vector) -> list[Waypoint]:
        """Only the cells at which one turns; where one comes in reach of the goal is the end."""
        positions = [self._place[node] for node in nodes]
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
        super().__init__()
        many = len(mesh.triangles) > MOST_CELLS
        if many or any(not 0 <= at < len(mesh.vertices) for t in mesh.triangles for at in t):
            raise GameError(
                f"plan.map: a mesh has at most {MOST_CELLS} triangles of vertices that are there"
            )
        self._corners = np.array(
            [[mesh.vertices[at] for at in triangle] for triangle in mesh.triangles], float
        ).reshape(-1, 3, 3)
        beside: dict[tuple[int, int], int] = {}
        self._edge: dict[tuple[int, int], Vector] = {}
        for number, triangle in enumerate(mesh.triangles):
            x, y, z = self._corners[number].mean(axis=0).tolist()
            self._place[number] = (x, y, z)
            self._graph.add_node(number)
            for a, b in ((0, 1), (1, 2), (2, 0)):
                ends = sorted((triangle[a], triangle[b]))
                key = ends[0], ends[1]
                if key in beside:
                    other = beside[key]
                    self._link(number, other)
                    one, two = mesh.vertices[key[0]], mesh.vertices[key[1]]
                    middle = (one[0] + two[0]) / 2, (one[1] + two[1]) / 2, (one[2] + two[2]) / 2
                    self._edge[number, other] = self._edge[other, number] = middle
                beside[key] = number

    def _node_at(self, position: Vector, near: float) -> Hashable | None:
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

    def _walked(self, nodes: list[Hashable], goal: Vector) -> list[Waypoint]:
        edges = [self._edge[one, other] for one, other in pairwise(nodes)]  # type: ignore[index]
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


def _heading(here: Vector, there: Vector) -> tuple[int, int]:
    return (
        int(np.sign(round(there[0] - here[0], 9))), int(np.sign(round(there[1] - here[1], 9))),
    )  # fmt: skip


def _side(start: Any, end: Any, position: Any) -> Any:
    along, off = end - start, position - start
    return along[:, 0] * off[:, 1] - along[:, 1] * off[:, 0]
