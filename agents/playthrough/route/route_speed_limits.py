"""How fast the route may be walked: no faster than the demo, and slowly into sharp turns.

A player that runs past a way point lands where the demo never was, below a ledge perhaps. Pads and
observations may be late, so the speed must be right before the turn is seen.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..playthrough_settings import Moving

PUSHED = 0.5
"""The least deflection of a stick that means walking."""
STILL = 0.05
"""Metres: two way points so near to each other say nothing about a direction."""


def route_speeds(
    points: npt.NDArray[np.float64], rows: npt.NDArray[np.int64],
    sticks: npt.NDArray[np.float64], parts: Sequence[int], moving: Moving,
) -> list[float]:  # fmt: skip
    """How fast the player may come to each of the way points, as a share of all that is possible.

    Args:
        points: The demo's places, (rows, 3).
        rows: Those of them that are way points.
        sticks: The left stick in each row.
        parts: The rows in which a part of the route begins that can't be walked to.
    """
    full = _full_speed(points, sticks, moving.warp)
    there = points[rows, :2]
    count = len(rows)
    speeds = np.ones(count)
    part = np.searchsorted(parts, rows, "right")
    for at in range(1, count):
        step = there[at] - there[at - 1]
        length = float(np.hypot(*step))
        if part[at] != part[at - 1] or length < STILL:
            continue
        speed = length / (rows[at] - rows[at - 1]) / full if full else 1.0
        if at + 1 < count and part[at + 1] == part[at]:
            ahead = there[at + 1] - there[at]
            away = float(np.hypot(*ahead))
            if away >= STILL:
                # Straight on as fast as ever, around a corner of 90 degrees half as fast.
                speed = min(speed, 0.5 + 0.5 * float(step @ ahead) / (length * away))
        speeds[at] = min(1.0, max(moving.cautious, speed))
    for at in range(count - 2, -1, -1):
        # So that it has slowed down when it comes there.
        if part[at] == part[at + 1]:
            away = float(np.hypot(*(there[at + 1] - there[at])))
            speeds[at] = min(speeds[at], speeds[at + 1] + away / moving.slow)
    result: list[float] = speeds.tolist()
    return result


def _full_speed(
    points: npt.NDArray[np.float64], sticks: npt.NDArray[np.float64], warp: float
) -> float:
    """Metres in one row with the stick all the way, as it mostly was; 0 without walking."""
    moved = np.hypot(*np.diff(points[:, :2], axis=0).T)
    pushed = np.hypot(*sticks[1:].T)
    walked = (pushed >= PUSHED) & (moved < warp) & (moved > 0)
    return float(np.median(moved[walked] / pushed[walked])) if walked.any() else 0.0
