"""Actions: three small integers for keys, and any finite number for the mouse."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .....errors import GameError
from ..simulation.ray_sensor import Floats

BRANCHES = (3, 3, 2)
"""How many values each key has: forward or back, right or left, attack."""
BACK = LEFT = 2
"""How −1 is written, where only 0, 1 and 2 can be."""
_MOST = float(np.finfo(np.float32).max)
_SIGN = np.array([0, 1, -1])


class Actions(NamedTuple):
    """What all agents of all arenas do in a step, each (arenas, agents)."""

    forward: npt.NDArray[np.int64]
    """1 along the way that it faces, −1 back, 0 neither."""
    right: npt.NDArray[np.int64]
    """1 to the right, −1 to the left, 0 neither."""
    attack: npt.NDArray[np.bool_]
    turn: Floats
    """How far the mouse is moved: positive to the right."""


def actions_of(
    discrete: npt.ArrayLike, continuous: npt.ArrayLike, arenas: int, agents: int
) -> Actions:
    """The actions in two arrays.

    Args:
        discrete: (arenas · agents, 3) integers: 0 … 2, 0 … 2, 0 … 1, with 2 for back and left.
        continuous: (arenas · agents) finite numbers, in any shape.

    Raises:
        GameError: a value is none of these; the message says whose.
    """
    keys, mouse = np.asarray(discrete), np.asarray(continuous, np.float64)
    if keys.ndim != 2 or keys.shape[1] != 3 or keys.dtype.kind not in "iub":
        raise GameError(
            f"discrete actions of shape {keys.shape} and type {keys.dtype}: give 3 integers for"
            " each agent"
        )
    if len(keys) != arenas * agents:
        raise GameError(f"actions of {len(keys)} agents: there are {arenas * agents}")
    if mouse.size != len(keys):
        raise GameError(f"{mouse.size} continuous actions for {len(keys)} agents: give one each")
    mouse = mouse.reshape(-1)
    wrong = (keys < 0) | (keys >= BRANCHES)
    if wrong.any():
        row, branch = np.argwhere(wrong)[0].tolist()
        raise GameError(
            f"discrete action {branch} of agent {row} is {keys[row, branch]}: it goes from 0 to"
            f" {BRANCHES[branch] - 1}, with 2 for back and left"
        )
    sane = np.abs(mouse) <= _MOST
    if not sane.all():
        row = int(sane.argmin())
        raise GameError(f"continuous action of agent {row} is {mouse[row]}: it must be finite")
    signed = _SIGN[keys[:, :2].astype(np.int64)].reshape(arenas, agents, 2)
    return Actions(
        signed[..., 0], signed[..., 1], (keys[:, 2] != 0).reshape(arenas, agents),
        mouse.reshape(arenas, agents),
    )  # fmt: skip
