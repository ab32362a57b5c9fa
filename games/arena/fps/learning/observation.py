"""The observation vector: the position of each number, and its range."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from .....errors import GameError
from ..simulation.ray_sensor import Floats, RaySettings, Tag
from ..simulation.rules import SIDE, Rules
from ..simulation.simulation import HallSimulation

HEAD = 13
"""How many numbers come before those of the rays."""
HEAD_NAMES = (
    "target_type", "target_x", "target_y", "target_z", "diameter", "in_area", "remaining_time",
    "gun", "x", "y", "z", "facing_cos", "facing_sin",
)  # fmt: skip


class Tags(StrEnum):
    """How the tags of rays are written."""

    LABEL = "label"
    """One number each: see `Tag`."""
    ONE_HOT = "one-hot"
    """Three numbers each, for wall, enemy and player: a 1 for the one that it is, if any."""


def tags_of(name: "Tags | str") -> Tags:
    """The way to write tags that has this name.

    Raises:
        GameError: there is none.
    """
    try:
        return Tags(name)
    except ValueError:
        raise GameError(f"tags {name!r}: choose one of {', '.join(Tags)}") from None


class ObservationLayout:
    """Where things are in the vector of an agent with these rays."""

    def __init__(self, rays: RaySettings, tags: Tags = Tags.LABEL) -> None:
        self.count = rays.count
        """Rays."""
        self.one_hot = tags is Tags.ONE_HOT
        self._reach = rays.reach
        wide = 3 if self.one_hot else 1
        self.tags = slice(HEAD, HEAD + wide * self.count)
        self.distances = slice(self.tags.stop, self.tags.stop + self.count)
        self.length: int = self.distances.stop
        """51 with 19 rays and labels, 89 with 19 rays and one-hot tags."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each number is called."""
        words = [tag.name.lower() for tag in Tag if tag >= 0]
        if self.one_hot:
            tags = [f"ray{ray}_{word}" for ray in range(self.count) for word in words]
        else:
            tags = [f"ray{ray}_tag" for ray in range(self.count)]
        return (*HEAD_NAMES, *tags, *(f"ray{ray}_distance" for ray in range(self.count)))

    def bounds(self, rules: Rules) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The least and the most that each number can be."""
        low, high = np.zeros(self.length, np.float32), np.ones(self.length, np.float32)
        high[0] = 4
        high[1:4] = high[8:11] = SIDE
        high[4] = 10
        high[6] = rules.limit * rules.step
        low[11:13] = -1
        if not self.one_hot:
            low[self.tags], high[self.tags] = -1, 2
        high[self.distances] = self._reach
        return low, high

    def empty(self, arenas: int, agents: int) -> npt.NDArray[np.float32]:
        """A vector for each agent of each arena, to be filled."""
        return np.empty((arenas, agents, self.length), np.float32)

    def write_rays(
        self, out: npt.NDArray[np.float32], tags: npt.NDArray[np.int8], distances: Floats
    ) -> None:
        """Write what the rays have met, (arenas, agents, rays) each, into vectors."""
        if self.one_hot:
            hot = tags[..., None] == _KINDS
            out[..., self.tags] = hot.reshape(*out.shape[:-1], -1)
        else:
            out[..., self.tags] = tags
        out[..., self.distances] = distances


_KINDS: Any = np.array([tag for tag in Tag if tag >= 0], np.int8)


class Observer:
    """Writes the vectors of all agents, who may have different rays.

    Args:
        settings: The rays of each agent.
    """

    def __init__(self, settings: Sequence[RaySettings], tags: Tags) -> None:
        self.layouts = [ObservationLayout(one, tags) for one in settings]
        """The observation of each agent."""
        counts = sorted({layout.count for layout in self.layouts})
        self._groups: list[tuple[ObservationLayout, list[int]]] = []
        for count in counts:
            members = [n for n, layout in enumerate(self.layouts) if layout.count == count]
            self._groups.append((self.layouts[members[0]], members))

    @property
    def alike(self) -> bool:
        """Whether all vectors have the same length."""
        return len(self._groups) == 1

    def write(self, simulation: HallSimulation) -> list[npt.NDArray[np.float32]]:
        """The vectors of each agent: one (arenas, length) array for each."""
        if self.alike:
            table = self.write_alike(simulation)
            return [table[:, agent] for agent in range(len(self.layouts))]
        head = self._head(simulation)
        vectors: list[Any] = [None] * len(self.layouts)
        for layout, members in self._groups:
            out = layout.empty(len(head), len(members))
            out[..., :HEAD] = head[:, members]
            tags, distances = simulation.ray_hits.tags, simulation.ray_hits.distances
            layout.write_rays(
                out, tags[:, members, : layout.count], distances[:, members, : layout.count]
            )
            for row, agent in enumerate(members):
                vectors[agent] = out[:, row]
        return vectors

    def write_alike(self, simulation: HallSimulation) -> npt.NDArray[np.float32]:
        """The vectors of agents who have equally many rays: (arenas, agents, length)."""
        layout, members = self._groups[0]
        out = layout.empty(simulation.arenas.count, len(members))
        self._fill_head(simulation, out)
        ray_hits = simulation.ray_hits
        layout.write_rays(out, ray_hits.tags[..., :-1], ray_hits.distances[..., :-1])
        return out

    def _head(self, simulation: HallSimulation) -> npt.NDArray[np.float32]:
        state = simulation.arenas
        out = np.empty((state.count, state.agents, HEAD), np.float32)
        self._fill_head(simulation, out)
        return out

    @staticmethod
    def _fill_head(simulation: HallSimulation, out: npt.NDArray[np.float32]) -> None:
        """Write what comes before the rays. The second of three coordinates is the height."""
        state = simulation.arenas
        out[..., 0] = state.target[:, None]
        out[..., 1] = state.firebase[0][:, None]
        out[..., 2] = 0.0
        out[..., 3] = state.firebase[1][:, None]
        out[..., 4] = state.diameter[:, None]
        out[..., 5] = simulation.inside()
        out[..., 6] = state.remaining[:, None]
        out[..., 7] = state.gun == 0
        out[..., 8] = state.at[0, :, : state.agents]
        out[..., 9] = 0.0
        out[..., 10] = state.at[1, :, : state.agents]
        out[..., 11] = state.cosine
        out[..., 12] = state.sine
