"""Moves all bodies of all arenas at once, with collisions against walls and each other.

As in early Doom a body fills a square with its sides along the axes. It goes as far as it can along
x, then along y, so that it slides along what it meets.
"""

import numpy as np

from .ray_sensor import Floats

_TOUCH = 1e-9
"""Metres by which squares that touch may seem to overlap."""


def reach_of(half: Floats, halves: Floats) -> Floats:
    """How near middles come before squares touch: (2, arenas, bodies, boxes + bodies).

    Args:
        half: (bodies,): half of each body's side.
        halves: (2, arenas, boxes): of each wall.
    """
    _, arenas, boxes = halves.shape
    others = np.broadcast_to(half, (2, arenas, len(half)))
    reach = np.concatenate((halves, others), axis=2)[:, :, None, :] + half[:, None]
    own = np.arange(len(half))
    reach[:, :, own, boxes + own] = -np.inf  # a body does not touch itself
    return reach


def move(
    at: Floats, by: Floats, centers: Floats, reach: Floats, low: Floats, high: Floats
) -> Floats:
    """Where bodies are after a step.

    Two bodies that walk at each other each go half of the way between them at most. Who stands in
    another already may leave.

    Args:
        at: (2, arenas, bodies): where they are.
        by: The same shape: where to, if nothing is in the way. No longer than a body is wide.
        centers: (2, arenas, boxes): the middles of walls.
        reach: As `reach_of` says.
        low, high: (arenas, bodies): bounds of both coordinates.
    """
    boxes = centers.shape[2]
    rel = np.concatenate((centers, at), axis=2)[:, :, None, :] - at[:, :, :, None]
    # Only pairs so near that a step of both could bring them together are looked at.
    step = 2.0 * np.abs(by).max(initial=0.0) + _TOUCH
    near_x, near_y = np.abs(rel) - reach < step
    arena, body, thing = (near_x & near_y).nonzero()
    if not len(arena):
        return np.minimum(np.maximum(at + by, low), high)
    now, who = at.copy(), (arena, body)
    share = np.where(thing < boxes, 1.0, 0.5)
    apart, touch = rel[:, arena, body, thing], reach[:, arena, body, thing]
    for axis in (0, 1):
        way = by[axis]
        ahead = np.sign(way)
        gap = apart[axis] * ahead[who] - touch[axis]
        stops = (np.abs(apart[1 - axis]) < touch[1 - axis] - _TOUCH) & (gap >= -_TOUCH)
        room = np.full(way.shape, np.inf)
        np.minimum.at(room, who, np.where(stops, gap * share, np.inf))
        went = ahead * np.minimum(np.abs(way), np.maximum(room, 0.0))
        there = np.minimum(np.maximum(now[axis] + went, low), high)
        apart[axis] -= (there - now[axis])[who]
        now[axis] = there
    return now
