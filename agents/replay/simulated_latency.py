"""Simulates latency between the agent's pad and the game."""

from collections import deque
from random import Random

from ...errors import CommandError
from ...playback.pads.pad import NEUTRAL, ButtonTaps, Pad

MOST = 300
"""Communication frames: a game that answers after ten seconds can't be played."""


class PadLatency:
    """Delays pads by 0 to `most` communication frames, each by another time, as a network does.

    Pads never overtake one another: what comes later waits for what was sent before. Where several
    come at once the newest is held, and what was pressed in the others is pressed with it. A pad
    that is lost never comes.

    Args:
        most: The longest delay, in communication frames; 0 for none.
        lost: The share of pads that are lost, 0 to less than 1.
        seed: Decides each pad's fate.

    Raises:
        CommandError: a number makes no sense.
    """

    def __init__(self, most: int = 0, *, lost: float = 0.0, seed: int = 0) -> None:
        if not 0 <= most <= MOST:
            raise CommandError(f"latency {most}: give 0 to {MOST} communication frames")
        if not 0.0 <= lost < 1.0:
            raise CommandError(f"lost {lost!r}: give a share of 0 to less than 1")
        self.most = most
        self.lost = lost
        self._rng = Random(seed)
        self._under_way: deque[tuple[int, Pad]] = deque()
        """The pads that are on the way, with the communication frame in which each arrives."""
        self._now = 0
        self._held = NEUTRAL
        self._taps = ButtonTaps()

    def send(self, pad: Pad) -> Pad:
        """Send a pad in this communication frame; returns what the game holds from now on."""
        arrives = self._now + (self._rng.randint(0, self.most) if self.most else 0)
        if self._under_way:
            arrives = max(arrives, self._under_way[-1][0])
        if not (self.lost and self._rng.random() < self.lost):
            self._under_way.append((arrives, pad))
        while self._under_way and self._under_way[0][0] <= self._now:
            _, arrived = self._under_way.popleft()
            self._taps.note(self._held, arrived)
            self._held = arrived
        self._now += 1
        return self._taps.add_to(self._held)

    def clear(self) -> None:
        """Nothing is under way any more, and nothing held: another demo begins."""
        self._under_way.clear()
        self._held = NEUTRAL
