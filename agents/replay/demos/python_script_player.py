"""Plays a demo by a user's script: it sees what an agent would see, and holds the pad."""

from collections.abc import Callable
from typing import Any

from ....errors import GameError
from ....games.playable_interface import Observation
from ....games.user_code_loader import user_object
from ....playback.pads.pad import Pad, checked

FUNCTION = "person"
"""What plays in a file, where only the file is named."""

Script = Callable[[Observation], Pad]


def load_script(name: str) -> Script:
    """A function that plays: `package.module:function`, `file.py:function` or `file.py`.

    It is called in each communication frame with the newest observation, and returns the pad.

    Raises:
        GameError: there is no such function.
    """
    found: Any = user_object(name, "script", FUNCTION)
    if not callable(found):
        raise GameError(f"script {name}: {found!r:.80} is no function (observation) -> pad")

    def play(seen: Observation) -> Pad:
        try:
            pad = found(seen)
        except Exception as error:
            raise GameError(f"script {name} raised {error!r}") from error
        if not isinstance(pad, Pad):
            raise GameError(f"script {name} returned {pad!r:.80}: it has to return a ph.Pad")
        return checked(pad)

    return play
