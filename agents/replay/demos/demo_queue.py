"""The queue of demos: which are replayed or skipped, and the progress.

People and scripts may change it while demos are played.
"""

from collections.abc import Collection, Sequence
from enum import Enum

import msgspec

from ....errors import CommandError
from ....recorder.text.name_hint import name_hint

MOST_TIMES = 10_000


class QueueState(Enum):
    """The state of a demo in the present pass through the set."""

    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"
    FAILED = "failed"
    SKIPPED = "skipped"


class QueuedDemo(msgspec.Struct):
    """One demo of the set."""

    name: str
    selected: bool = True
    """Whether it is to be replayed; else it is skipped."""
    state: QueueState = QueueState.WAITING
    progress: float = 0.0
    """How much of it is played, 0 … 1."""


class DemoQueue:
    """The set of demos: each is replayed or skipped in turn, and the whole set so many times.

    Args:
        names: The demos, in playing order.
        times: How many times the whole set is played.

    Raises:
        CommandError: there are no demos, or the number makes no sense.
    """

    def __init__(self, names: Sequence[str], times: int = 1) -> None:
        if not names:
            raise CommandError("no demos: there is nothing to be replayed")
        self.entries = [QueuedDemo(name) for name in names]
        self.running = False
        """Whether demos are being played; if not, the queue waits for `start`."""
        self.lap = 0
        """Which time the set is played, counted from 1; 0 before the first."""
        self._times = 1
        self.times = times
        self._skip = False
        self._stop = False

    @property
    def times(self) -> int:
        """How many times the whole set is played."""
        return self._times

    @times.setter
    def times(self, times: int) -> None:
        if not 1 <= times <= MOST_TIMES:
            raise CommandError(f"times {times}: give 1 to {MOST_TIMES}")
        self._times = times

    # --- requests -------------------------------------------------------------------------------

    def select(self, names: Collection[str]) -> None:
        """Replay these, skip the others. The one that is played goes on.

        Raises:
            CommandError: there is no such demo.
        """
        known = [entry.name for entry in self.entries]
        unknown = sorted(set(names) - set(known))
        if unknown:
            raise CommandError(f"no demo {unknown[0]!r}: {name_hint(unknown[0], known)}")
        for entry in self.entries:
            entry.selected = entry.name in names

    def start(self) -> None:
        """Play the set from its first demo; without effect while it is played.

        Raises:
            CommandError: no demo is selected.
        """
        if not any(entry.selected for entry in self.entries):
            raise CommandError("no demo is selected: there is nothing to be replayed")
        if not self.running:
            self.running, self.lap = True, 0
            self._stop = self._skip = False

    def stop(self) -> None:
        """Stop after this communication frame; what is left of the set is skipped."""
        self._stop = self.running

    def skip(self) -> None:
        """End the present demo, and go on with the next one."""
        self._skip = self.current is not None

    def resume(self, lap: int, states: Sequence[QueueState]) -> None:
        """Go on in a lap whose first demos have ended so."""
        self.running, self.lap = True, lap
        for at, entry in enumerate(self.entries):
            entry.state = states[at] if at < len(states) else QueueState.WAITING

    # --- progress -------------------------------------------------------------------------------

    @property
    def current(self) -> QueuedDemo | None:
        """The demo that is being played."""
        playing = (entry for entry in self.entries if entry.state is QueueState.PLAYING)
        return next(playing, None)

    @property
    def has_waiting(self) -> bool:
        """Whether demos of this lap are still to be played."""
        waiting = (one for one in self.entries if one.state is QueueState.WAITING)
        return not self._stop and any(one.selected for one in waiting)

    @property
    def should_leave(self) -> bool:
        """Whether the present demo is to end now."""
        return self._skip or self._stop

    @property
    def should_stop(self) -> bool:
        """Whether the rest of the set is not to be played."""
        return self._stop

    @property
    def progress(self) -> float:
        """How much of all that is to be played is played, 0 … 1."""
        if self.lap == 0:
            return 0.0
        done = sum(
            entry.progress if entry.state is QueueState.PLAYING
            else float(entry.state is not QueueState.WAITING)
            for entry in self.entries
        )  # fmt: skip
        return min(1.0, (self.lap - 1 + done / len(self.entries)) / self.times)

    def begin_lap(self) -> bool:
        """The whole set again; False if it was played as often as it is to be."""
        if self._stop or self.lap >= self.times:
            return False
        self.lap += 1
        for entry in self.entries:
            entry.state, entry.progress = QueueState.WAITING, 0.0
        return True

    def next(self) -> int | None:
        """Begin the next selected demo; returns its index, None at the end of the set.

        Demos before it that are not selected are skipped.
        """
        self._skip = False
        for at, entry in enumerate(self.entries):
            if entry.state is not QueueState.WAITING:
                continue
            if entry.selected and not self._stop:
                entry.state = QueueState.PLAYING
                return at
            entry.state = QueueState.SKIPPED
        return None

    def end(self, state: QueueState) -> None:
        """The present demo has ended."""
        entry = self.current
        if entry is not None:
            entry.state = state
            if state is QueueState.FINISHED:
                entry.progress = 1.0

    def reset(self) -> None:
        """All was played: wait for the next `start`."""
        self.running = self._stop = self._skip = False
