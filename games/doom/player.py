"""Who presses Doom's buttons: a scripted player, the same for a seed and tic, or a pad."""

import random
from collections.abc import Sequence

from ...playback.pad import Button, Pad

_BLOCK = 23
"""Tics, about two thirds of a second, for which one intention is kept."""

TURN = 5.0
"""Degrees a tic, with the stick all the way."""
_FIRM = 0.5
"""How far a trigger or stick must go to count as a button."""


class ScriptedPlayer:
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
    return {
        "MOVE_FORWARD": float(chance.random() < 0.85),
        "MOVE_LEFT": float(chance.random() < 0.15),
        "MOVE_RIGHT": float(chance.random() < 0.15),
        "TURN_LEFT_RIGHT_DELTA": turn,
        "TURN_LEFT": float(turn < 0),
        "TURN_RIGHT": float(turn > 0),
        "ATTACK": float(chance.random() < 0.3),
    }


def pressed(pad: Pad, buttons: Sequence[str]) -> list[float]:
    """What a pad makes of each button, in the buttons' order.

    The left stick walks, the right one turns; A or the right trigger shoots, X opens, Y takes the
    next weapon, RB runs.
    """
    (right, ahead), turn = pad.left, pad.right[0]
    press = {
        "MOVE_FORWARD": ahead > _FIRM,
        "MOVE_BACKWARD": ahead < -_FIRM,
        "MOVE_LEFT": right < -_FIRM,
        "MOVE_RIGHT": right > _FIRM,
        "TURN_LEFT_RIGHT_DELTA": TURN * turn,
        "TURN_LEFT": turn < -_FIRM,
        "TURN_RIGHT": turn > _FIRM,
        "ATTACK": pad.holds(Button.A) or pad.right_trigger > _FIRM,
        "USE": pad.holds(Button.X),
        "SELECT_NEXT_WEAPON": pad.holds(Button.Y),
        "SPEED": pad.holds(Button.RB),
    }
    return [float(press.get(button, 0.0)) for button in buttons]
