"""Presses Doom's buttons: by a script that is the same for a seed and tic, or by a pad."""

import random
from collections.abc import Sequence

from ...playback.pads.pad import Button, Pad

_BLOCK = 23
"""Tics, about two thirds of a second, for which one intention is kept."""

TURN = 5.0
"""Degrees a tic, with the stick all the way."""
RUN = 50.0
"""The engine's figure for pushing with all one's might."""
_PER_SPEED = 32.0
"""How much of that makes one faster by a map unit a tic."""
SPEED = 12.0
"""Map units a tic with the stick all the way: between the engine's walking, 8, and running, 16."""
_FIRM = 0.5
"""How far a trigger or stick must go to count as a button."""


class SeededPlayer:
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


def pressed(
    pad: Pad, buttons: Sequence[str], velocity: tuple[float, float] = (0.0, 0.0)
) -> list[float]:
    """What a pad makes of each button, in the buttons' order.

    - The left stick walks along the player's own axes, all the way at `SPEED` and in proportion
      below. Doom's players slide: what is too fast is braked. In a scenario whose buttons only say
      whether, one walks once the stick is half way.
    - The right stick turns: `TURN` degrees a tic all the way, and in proportion below.
    - A or the right trigger shoots, X opens doors and presses switches, Y takes the next weapon and
      B the one before; RB runs in scenarios with a button for it.

    Args:
        velocity: the player's, along its own axes, to the right and ahead, in map units a tic.
    """
    (right, ahead), turn = pad.left, pad.right[0]
    press = {
        "MOVE_FORWARD_BACKWARD_DELTA": _push(SPEED * ahead - velocity[1]),
        "MOVE_LEFT_RIGHT_DELTA": _push(SPEED * right - velocity[0]),
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
        "SELECT_PREV_WEAPON": pad.holds(Button.B),
        "SPEED": pad.holds(Button.RB),
    }
    return [float(press.get(button, 0.0)) for button in buttons]


def _push(faster: float) -> float:
    """What makes a player faster by this, as far as it can."""
    return min(RUN, max(-RUN, _PER_SPEED * faster))
