"""The observation of a navigation policy: a grid around the player, and its target's direction.

The grid has two windows of equal size, one of the map's own cells, and a wider and coarser one.
Each cell says whether it is blocked, how much higher it is than the player, and how often the
player has been there lately: without its own trail a policy without a memory runs in circles.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....games.walkable_grid import DIRECTIONS, NOWHERE, WalkGrid

REACH = 4
"""Cells that a window reaches to each side."""
STRIDE = 3
"""Cells of the map along a cell of the wide window."""
CHANNELS = ("blocked", "rise", "trail")
TARGET = ("target x", "target y", "target z", "target distance")
"""The direction to the target, of length 1, and its distance d as d / (d + `FAR`)."""
FAR = 20.0
"""Widths of a cell that count as half of all: so it is the same in games with other units."""
HIGH = 4.0
"""Widths of a cell up or down that count as 1."""
OFTEN = 4.0
"""Visits that count as 1."""

Floats32 = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


class GridSensor:
    """Sees some grids, for many players at once.

    All grids are laid into arrays of one size with a blocked margin, so that a window is a look-up.
    A place is a flat index into them.
    """

    def __init__(self, grids: Sequence[WalkGrid], reach: int = REACH, stride: int = STRIDE) -> None:
        self.grids, self.reach, self.stride = list(grids), reach, stride
        width = np.array([grid.size for grid in grids], np.float32)[:, None]
        self._far, self._high = FAR * width, HIGH * width
        self._margin = margin = (reach + 1) * stride
        nx = max(grid.free.shape[0] for grid in grids) + 2 * margin
        ny = max(grid.free.shape[1] for grid in grids) + 2 * margin
        self._shape = nx, ny
        self.area = nx * ny
        """Places of one grid."""
        near = np.arange(-reach, reach + 1)
        window = (near[:, None] * ny + near[None, :]).ravel()
        self._near, self._wide = window, window * stride
        half = stride // 2
        beside = np.arange(-half, stride - half)
        self._block = (beside[:, None] * ny + beside[None, :]).ravel()
        count = len(self.grids)
        self._blocked = np.ones((count, nx, ny), np.float32)
        self._height = np.zeros((count, nx, ny), np.float32)
        self._leads = np.full((count, nx, ny, len(DIRECTIONS)), NOWHERE, np.int32)
        self._middles = np.zeros((count, nx, ny, 3), np.float32)
        for number, grid in enumerate(self.grids):
            w, h = grid.free.shape
            inner = (number, slice(margin, margin + w), slice(margin, margin + h))
            self._blocked[inner] = ~grid.free
            self._height[inner] = np.where(grid.free, grid.height, 0.0)
            x, y = np.divmod(grid.leads, h)
            flat = number * self.area + (x + margin) * ny + y + margin
            self._leads[inner] = np.where(grid.leads == NOWHERE, NOWHERE, flat)
            self._middles[inner][..., 0] = grid.corner[0] + grid.size * np.arange(w)[:, None]
            self._middles[inner][..., 1] = grid.corner[1] + grid.size * np.arange(h)[None, :]
            self._middles[inner][..., 2] = np.where(grid.free, grid.height, 0.0)
        free: Floats32 = np.float32(1.0) - self._blocked
        counts = self._pooled(free)
        self._wide_blocked = 1.0 - counts / stride**2
        self._wide_height = self._pooled(free * self._height) / np.maximum(counts, 1.0)
        for name in ("_blocked", "_height", "_wide_blocked", "_wide_height"):
            setattr(self, name, getattr(self, name).ravel())
        self._leads = self._leads.reshape(-1, len(DIRECTIONS))
        self._middles = self._middles.reshape(-1, 3)

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return 2 * len(CHANNELS) * (2 * self.reach + 1) ** 2 + len(TARGET)

    def place(self, grid: int, cell: tuple[int, int]) -> int:
        """The index of a cell of a grid."""
        row = (cell[0] + self._margin) * self._shape[1] + cell[1] + self._margin
        return int(grid * self.area + row)

    def cell(self, place: int) -> tuple[int, int]:
        """The cell that is at a place."""
        x, y = divmod(int(place) % self.area, self._shape[1])
        return x - self._margin, y - self._margin

    def step(self, places: Indices, actions: Indices) -> Indices:
        """Where steps lead to; to `NOWHERE` where they can't be taken."""
        return self._leads[places, actions].astype(np.int64)

    def observe(self, places: Indices, goals: Floats32, trails: "Trails") -> Floats32:
        """What is seen from some places, each with the goal that it is gone to from there."""
        near, wide = places[:, None] + self._near, places[:, None] + self._wide
        here = self._height[places][:, None]
        blocked, wide_blocked = self._blocked[near], self._wide_blocked[wide]
        grid = places // self.area
        high, far = self._high[grid], self._far[grid]
        rise = np.clip((self._height[near] - here) / high, -1.0, 1.0) * (1.0 - blocked)
        higher = np.clip((self._wide_height[wide] - here) / high, -1.0, 1.0)
        higher *= 1.0 - wide_blocked
        off = goals - self._middles[places]
        away = np.linalg.norm(off, axis=1, keepdims=True)
        toward = off / np.maximum(away, 1e-6)
        trail, wider = trails.windows(places)
        seen = (
            blocked,
            rise,
            trail,
            wide_blocked,
            higher,
            wider,
            toward,
            away / (away + far),
        )
        return np.concatenate(seen, axis=1, dtype=np.float32)

    def window(self, observation: Floats32, channel: str) -> Floats32:
        """One channel of the near window of an observation; its first axis is x."""
        side = 2 * self.reach + 1
        begin = CHANNELS.index(channel) * side * side
        return observation[begin : begin + side * side].reshape(side, side)

    def _pooled(self, values: Floats32) -> Floats32:
        """The sums of values over the block around each place."""
        flat = values.reshape(len(self.grids), -1)
        total = np.zeros_like(flat)
        for offset in self._block:
            total += np.roll(flat, -int(offset), axis=1)
        return total.reshape(values.shape)


class Trails:
    """Where each of some players has been lately, on its way to one target."""

    def __init__(self, sensor: GridSensor, count: int) -> None:
        self._sensor = sensor
        self._near = np.zeros(count * sensor.area, np.float32)
        self._wide = np.zeros(count * sensor.area, np.float32)
        self._rows = np.arange(count, dtype=np.int64) * sensor.area

    def forget(self, player: int) -> None:
        """A player has a new target."""
        area = self._sensor.area
        for trail in (self._near, self._wide):
            trail[player * area : (player + 1) * area] = 0.0

    def visit(self, places: Indices) -> None:
        """Each player is at one place now."""
        at = places % self._sensor.area + self._rows
        self._near[at] = np.minimum(self._near[at] + 1.0 / OFTEN, 1.0)
        block = at[:, None] + self._sensor._block
        share = 1.0 / (OFTEN * self._sensor.stride**2)
        self._wide[block] = np.minimum(self._wide[block] + share, 1.0)

    def windows(self, places: Indices) -> tuple[Floats32, Floats32]:
        """How often each player has been around its place: nearby, and in the wide window."""
        at = (places % self._sensor.area + self._rows)[:, None]
        return self._near[at + self._sensor._near], self._wide[at + self._sensor._wide]
