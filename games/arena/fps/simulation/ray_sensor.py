"""Vision by rays through the hall, denser in the middle, for all agents at once."""

import math
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from .....errors import GameError
from .rules import ENEMY_RADIUS, SIDE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WALL_HIT = -1
"""What a ray has hit, where it is no body: bodies are numbered from 0."""
_TINY = 1e-12
_AT_ONCE = 128


class Tag(IntEnum):
    """What a ray knows of the thing that it hit."""

    NOTHING = -1
    WALL = 0
    ENEMY = 1
    PLAYER = 2


# Looking up a member takes longer than most steps of a cast of few rays.
_NOTHING, _WALL, _ENEMY, _PLAYER = (int(tag) for tag in Tag)


class RaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """The rays of an agent, from the left edge of its view to the right."""

    view: float = 90.0
    """Degrees from edge to edge."""
    share: float = 0.15
    """How much of the view, in its middle, is the central area."""
    center: int = 5
    """Rays in the central area, its edges included."""
    side: int = 7
    """Rays in each of the two areas beside it."""
    reach: float = 100.0
    """Metres beyond which nothing is seen."""

    @property
    def count(self) -> int:
        """Rays in all."""
        return self.center + 2 * self.side

    @property
    def angles(self) -> Floats:
        """The angle of each ray to the middle of the view, radians, negative to the left."""
        half = math.radians(self.view) / 2
        edge = half * self.share
        middle = np.linspace(-edge, edge, self.center) if self.center > 1 else np.zeros(self.center)
        left = np.linspace(-half, -edge, self.side + 1)[:-1]
        return np.concatenate([left, middle, -left[::-1]])


def checked_rays(settings: RaySettings) -> RaySettings:
    """The same settings, which make sense.

    Raises:
        GameError: one of the numbers does not.
    """
    if not 0 < settings.view < 180:
        raise GameError(f"view {settings.view!r}: it must be more than 0 and less than 180 degrees")
    if not 0 < settings.share < 1:
        raise GameError(f"share {settings.share!r}: it must be more than 0 and less than 1")
    if settings.center < 0 or settings.side < 0 or not 1 <= settings.count <= 1000:
        raise GameError(
            f"{settings.center} rays in the middle and {settings.side} on each side: ask for 1 to"
            " 1000 in all"
        )
    if not (math.isfinite(settings.reach) and settings.reach > 0):
        raise GameError(f"reach {settings.reach!r}: it must be a finite number above 0")
    return settings


class RayHits(NamedTuple):
    """What all rays of a cast have met; the last of each agent goes straight ahead."""

    tags: npt.NDArray[np.int8]
    """(arenas, agents, rays + 1): see `Tag`."""
    distances: Floats
    """The same shape, metres; 0 for nothing."""
    hits: Ints
    """The same shape: the number of the body, or `WALL_HIT`; also beyond the reach."""
    lengths: Floats
    """The same shape: metres to it, also beyond the reach."""


class RaySet:
    """The rays of some agents, who may see differently.

    Args:
        settings: Of each agent.

    Raises:
        GameError: one of them makes no sense.
    """

    def __init__(self, settings: Sequence[RaySettings]) -> None:
        self.settings = tuple(checked_rays(one) for one in settings)
        self.most = max(one.count for one in self.settings)
        """Rays of the agent with the most; the others' rows are padded."""
        agents = len(self.settings)
        angles = np.zeros((agents, self.most + 1))
        self._reach = np.zeros((agents, self.most + 1))
        for agent, one in enumerate(self.settings):
            angles[agent, : one.count] = one.angles
            self._reach[agent, : one.count] = self._reach[agent, -1] = one.reach
        self._sin, self._cos = np.sin(angles), np.cos(angles)
        widest = math.radians(max(one.view for one in self.settings)) / 2
        self._edge = math.sin(widest), math.cos(widest)

    def directions(self, sine: Floats, cosine: Floats) -> tuple[Floats, Floats]:
        """x and y of each ray, (arenas, agents, rays + 1), for agents that face so."""
        sine, cosine = sine[..., None], cosine[..., None]
        return sine * self._cos + cosine * self._sin, cosine * self._cos - sine * self._sin

    def cast(
        self, bodies: Floats, sine: Floats, cosine: Floats, centers: Floats, halves: Floats
    ) -> RayHits:
        """Fire the rays.

        Args:
            bodies: (2, arenas, bodies): where bodies are, the agents first, then the enemies.
            sine, cosine: (arenas, agents): of the way that agents face, clockwise from y.
            centers, halves: (2, arenas, boxes): walls beside those around the hall.
        """
        arenas, agents = sine.shape
        boxes = centers.shape[2]
        headings = np.empty((2, arenas, agents, self.most + 1))
        headings[0], headings[1] = self.directions(sine, cosine)
        fan = _Fan(
            headings.reshape(2, arenas * agents, -1), bodies[:, :, :agents].reshape(2, -1, 1)
        )
        # First who may see what at all, which is little; then the rays of these pairs only.
        things = np.concatenate((centers, bodies), axis=2)
        sizes = np.empty((arenas, 1, things.shape[2]))
        sizes[:, 0, :boxes] = np.hypot(halves[0], halves[1])
        sizes[:, 0, boxes:] = ENEMY_RADIUS
        rel = things[:, :, None, :] - bodies[:, :, :agents, None]
        seen = self._in_view(rel, sine[..., None], cosine[..., None], sizes)
        arena, agent, thing = seen[..., :boxes].nonzero()
        fan.meet_boxes(arena * agents + agent, rel[:, arena, agent, thing], halves[:, arena, thing])
        arena, agent, body = seen[..., boxes:].nonzero()
        fan.meet_bodies(arena * agents + agent, rel[:, arena, agent, boxes + body], body)
        lengths = fan.lengths.reshape(arenas, agents, -1)
        hits = fan.hits.reshape(lengths.shape)
        # By the number of the body; the last entry is for what is no body.
        kinds = np.full(bodies.shape[2] + 1, _ENEMY, np.int8)
        kinds[:agents], kinds[WALL_HIT] = _PLAYER, _WALL
        tags = kinds[hits]
        beyond = lengths > self._reach
        if beyond.any():
            tags[beyond] = _NOTHING
            return RayHits(tags, np.where(beyond, 0.0, lengths), hits, lengths)
        return RayHits(tags, lengths.copy(), hits, lengths)

    def _in_view(
        self, rel: Floats, sine: Floats, cosine: Floats, sizes: Floats
    ) -> npt.NDArray[np.bool_]:
        """Which things, circles of these sizes, may be met by some ray: none too few."""
        ahead: Floats = rel[0] * sine + rel[1] * cosine
        off: Floats = np.abs(rel[0] * cosine - rel[1] * sine)
        edge_sine, edge_cosine = self._edge
        # How far the middle is beyond the edge of the view; what is away is farther than the hall.
        beyond = off * edge_cosine - ahead * edge_sine
        seen: npt.NDArray[np.bool_] = (beyond <= sizes) & (ahead > -sizes) & (ahead <= 2 * SIDE)
        return seen


class _Fan:
    """The rays of many agents, and the nearest that each has met so far.

    Args:
        directions: (2, agents, rays).
        origins: (2, agents, 1).
    """

    def __init__(self, directions: Floats, origins: Floats) -> None:
        self._directions = directions
        # No ray is quite parallel to a wall, so that nothing is divided by 0.
        self._inverse = 1.0 / np.where(np.abs(directions) < _TINY, _TINY, directions)
        self._size = np.abs(self._inverse)
        # The walls around the hall are where the first of the two slabs is left.
        leave = (0.5 * SIDE - origins) * self._inverse + 0.5 * SIDE * self._size
        self.lengths: Floats = leave.min(axis=0)
        self.hits: Ints = np.full(self.lengths.shape, WALL_HIT)

    def meet_boxes(self, agents: Ints, middles: Floats, halves: Floats) -> None:
        """Have rays of agents meet boxes, pair by pair; `middles` as seen from the agent."""
        for some in _pieces(len(agents)):
            who = agents[some]
            inverse = self._inverse[:, who]
            middle = middles[:, some, None] * inverse
            half = halves[:, some, None] * np.abs(inverse, out=inverse)
            near = middle - half
            enter = np.maximum(near[0], near[1])
            far = np.add(middle, half, out=middle)
            leave = np.minimum(far[0], far[1])
            pair, ray = ((enter <= leave) & (enter >= 0.0)).nonzero()
            np.minimum.at(self.lengths, (who[pair], ray), enter[pair, ray])

    def meet_bodies(self, agents: Ints, middles: Floats, bodies: Ints) -> None:
        """Have rays meet bodies; after the boxes. An agent's own is met by none of its rays."""
        for some in _pieces(len(agents)):
            who, body = agents[some], bodies[some]
            dx, dy = self._directions[:, who]
            x, y = middles[:, some, None]
            along, off = x * dx + y * dy, x * dy - y * dx
            # One's own middle is at 0 along each ray.
            pair, ray = ((off * off < ENEMY_RADIUS**2) & (along > 0.0)).nonzero()
            if not len(pair):
                continue
            depth = np.sqrt(ENEMY_RADIUS**2 - off[pair, ray] ** 2)
            away = np.maximum(along[pair, ray] - depth, 0.0)
            where = (who[pair], ray)
            before = self.lengths[where]
            np.minimum.at(self.lengths, where, away)
            nearest = (away < before) & (away == self.lengths[where])
            self.hits[where[0][nearest], ray[nearest]] = body[pair[nearest]]


def _pieces(count: int) -> Iterator[slice]:
    """Few pairs at a time: their arrays stay in the processor's cache."""
    for start in range(0, count, _AT_ONCE):
        yield slice(start, start + _AT_ONCE)
