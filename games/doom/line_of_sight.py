"""Computes who can be seen from where: rays against a level's lines, in three dimensions."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .wad_map import WadMap

EYES = 41.0
"""How high above its feet a player looks from …"""
MUZZLE = 36.0
"""… and shoots from."""


class LineOfSight:
    """A level's lines as what hides things. Doors and lifts are taken to be as the level begins.

    Args:
        level: its lines and sectors.
        opened: sectors whose ceiling is taken to be as high as beside them: doors.
    """

    def __init__(self, level: WadMap, opened: Iterable[int] = ()) -> None:
        two_sided = level.left >= 0
        left = np.where(two_sided, level.left, level.right)
        tops = level.ceilings.copy()
        for sector in opened:
            tops[sector] = level.ceilings[level.beside(sector)].max(initial=tops[sector])
        floors = np.stack([level.floors[level.right], level.floors[left]])
        ceilings = np.stack([tops[level.right], tops[left]])
        # Between two sectors as high as each other there is nothing to hide behind.
        plain = two_sided & (floors[0] == floors[1]) & (ceilings[0] == ceilings[1])
        plain &= floors[0] < ceilings[0]
        self._starts = level.starts[~plain]
        self._along = (level.ends - level.starts)[~plain]
        self._low = np.minimum(level.starts, level.ends)[~plain]
        self._high = np.maximum(level.starts, level.ends)[~plain]
        self._bottom = np.where(two_sided, floors.max(0), np.inf)[~plain]
        self._top = np.where(two_sided, ceilings.min(0), -np.inf)[~plain]

    def clear(
        self,
        eye: npt.NDArray[np.float64],
        targets: npt.NDArray[np.float64],
        height: float,
    ) -> npt.NDArray[np.bool_]:
        """Whether any part of each target is seen.

        Args:
            eye: where one looks from, (3,).
            targets: positions, (n, 3).
            height: how tall they are.
        """
        if not len(targets):
            return np.zeros(0, bool)
        # Lines that lie beside all of the rays hide nothing.
        low = np.minimum(targets[:, :2].min(0), eye[:2])
        high = np.maximum(targets[:, :2].max(0), eye[:2])
        near = ((self._high >= low) & (self._low <= high)).all(1)
        along, bottom, top = self._along[near], self._bottom[near], self._top[near]
        ray = targets[:, None, :2] - eye[:2]
        gap = self._starts[near] - eye[:2]
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = ray[..., 0] * along[:, 1] - ray[..., 1] * along[:, 0]
            # How far along the ray a line is met, and how far along the line.
            far = (gap[:, 0] * along[:, 1] - gap[:, 1] * along[:, 0]) / turn
            where = (gap[:, 0] * ray[..., 1] - gap[:, 1] * ray[..., 0]) / turn
            met = (far > 0) & (far < 1) & (where >= 0) & (where <= 1)
            # What is open at a line, as seen from the eye, at the target's distance.
            least = np.where(met, (bottom - eye[2]) / far, -np.inf).max(1, initial=-np.inf)
            most = np.where(met, (top - eye[2]) / far, np.inf).min(1, initial=np.inf)
        feet = targets[:, 2] - eye[2]
        seen: npt.NDArray[np.bool_] = np.maximum(least, feet) < np.minimum(most, feet + height)
        return seen
