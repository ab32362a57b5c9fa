"""Turns a pad into presses of Doom's buttons."""

from collections.abc import Sequence

from ...playback.pads.pad import Button, Pad

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


def button_values(
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
