"""Presses through title screens, menus and pop-ups until the game can be played."""

from collections.abc import Callable

from ...errors import GameError
from ...games.playable_interface import Observation
from ...playback.pads.pad import NEUTRAL, Pad
from ..playthrough.dialogue.screen_skipper import ScreenDriver
from ..playthrough.playthrough_settings import Orders
from .demos.demo_files import DemoFile


def drive(next: Callable[[Pad], Observation | None], orders: Orders, game: str) -> None:
    """Press what is declared for each screen that is shown, until none of them is.

    Args:
        next: Holds a pad for a communication frame, and says how things stand then.
        game: What messages call it.

    Raises:
        GameError: a screen does not go away.
    """
    order = ScreenDriver(orders)
    seen = next(NEUTRAL)
    while seen is not None and (pad := order.step(seen)) is not None:
        if order.exhausted:
            raise GameError(
                f"{game}: screen {seen.screen!r} does not go away whatever is pressed; see orders"
                " in the agent's settings"
            )
        seen = next(pad)


def begins_in_a_screen(demo: DemoFile, orders: Orders, column: str) -> bool:
    """Whether a demo itself shows how a screen is got through that would else be driven.

    Args:
        column: The demo's own column that names the screen.
    """
    if column not in demo.demo.columns:
        return False
    return ScreenDriver(orders).knows(str(demo.demo.columns[column][0]))
