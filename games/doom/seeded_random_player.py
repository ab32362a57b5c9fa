"""A player of Doom that presses random buttons, the same for each seed and tic."""

import random
from collections.abc import Sequence

from .pad_to_buttons import RUN

_BLOCK = 23
"""Tics, about two thirds of a second, for which one intention is kept."""


class SeededRandomPlayer:
    """What to press in a tic, from the seed and the tic alone: it remembers nothing."""

    def __init__(self, seed: int, buttons: Sequence[str]) -> None:
        self._seed = seed
        self._buttons = tuple(buttons)
        self._block = -1
        self._wish: dict[str, float] = {}

    def action(self, tic: int) -> list[float]:
        """One number for each button, in the buttons' order."""
        block = tic // _BLOCK
        if block != self._block:
            self._block = block
            self._wish = _wish(random.Random(f"{self._seed}/{block}"))
        action = [self._wish.get(button, 0.0) for button in self._buttons]
        # Doors open on the press, not while it is held.
        if "USE" in self._buttons and tic % _BLOCK == 0:
            action[self._buttons.index("USE")] = 1.0
        return action


def _wish(chance: random.Random) -> dict[str, float]:
    turn = chance.choice((-6.0, -3.0, 0.0, 0.0, 0.0, 3.0, 6.0))
    ahead, left, right = (chance.random() < share for share in (0.85, 0.15, 0.15))
    return {
        "MOVE_FORWARD": float(ahead),
        "MOVE_LEFT": float(left),
        "MOVE_RIGHT": float(right),
        "MOVE_FORWARD_BACKWARD_DELTA": RUN / 2 * ahead,
        "MOVE_LEFT_RIGHT_DELTA": RUN / 2 * (right - left),
        "TURN_LEFT_RIGHT_DELTA": turn,
        "TURN_LEFT": float(turn < 0),
        "TURN_RIGHT": float(turn > 0),
        "ATTACK": float(chance.random() < 0.3),
    }
