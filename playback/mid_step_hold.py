"""A game that is held in the middle of a step, while the playhead moves as in playback."""

import time as clocks
from collections.abc import Callable

from .command_queue import CommandQueue
from .commands import Enter, Leave
from .playback_state import Mode
from .playhead import Playhead

LOOK_AGAIN = 0.25
"""Seconds after which it is looked whether anybody is left who could let the game go on."""
TICK = 1 / 60
"""Seconds between two movements of a playhead that plays."""


class StepHold:
    """Holds the game's thread in the middle of a step. For that thread.

    Commands are carried out meanwhile, and the playhead moves over the recorded frames. Nothing is
    restored: the game's objects are on their way to a frame that does not exist yet. When playback
    is left, the step goes on where it was.

    Args:
        commands: Who brings the commands.
        announce: Sends tools the playhead's position.
        pass_time: Lets real time pass for a playhead that plays, seconds.
    """

    def __init__(
        self, playhead: Playhead, commands: CommandQueue, *, announce: Callable[[], object],
        pass_time: Callable[[float], object],
    ) -> None:  # fmt: skip
        self._playhead, self._commands = playhead, commands
        self._announce, self._pass_time = announce, pass_time
        self.is_on = False
        """Whether the game is held."""

    def hold(self, began: Callable[[], object], goes_on: Callable[[], bool]) -> None:
        """Hold the game until playback is left.

        Args:
            began: Called when the playhead is at the newest frame.
            goes_on: Whether to hold it any longer; asked a few times a second.
        """
        self.is_on = True
        try:
            self._playhead.apply(Enter())
            self._announce()
            began()
            before = clocks.monotonic()
            while self._playhead.mode is not Mode.LIVE and goes_on():
                is_playing = self._playhead.mode is Mode.PLAYING
                self._commands.wait(TICK if is_playing else LOOK_AGAIN)
                now = clocks.monotonic()
                self._pass_time(now - before)
                before = now
        finally:
            if self._playhead.mode is not Mode.LIVE:
                self._playhead.apply(Leave())
                self._announce()
            self.is_on = False
