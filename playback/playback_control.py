"""The calls that move time, the same for a playhead, a session and a client on the bus."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from ..errors import CommandError
from ..recorder.objects.object_ids import ObjectOrId
from ..recorder.text.method_names_in_errors import named_by_method
from .commands import (
    Advance,
    Command,
    Enter,
    Focus,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    SeekTime,
    Show,
    Step,
)
from .playback_state import PlaybackState

OnMoved: TypeAlias = Callable[[PlaybackState], object]


@named_by_method
class PlaybackControl(ABC):
    """Moves time: a `Playhead` over any recording, the `Session` of a game, a `Client` of it.

        control.enter()                 # pause the game
        control.seek(12.5)
        control.step(-1)
        control.seek(mark="the player lives")
        control.leave()                 # run on

    Each call answers with the playback state after it. What could not be carried out yet is in
    `pending` of that answer: a step of the game has to end first, or the game's thread to take it
    up. A client's calls wait for that themselves.

    Times are seconds on the timeline, and frames their numbers. None of these calls runs the game
    but `advance`.

    Each of them raises, unless its class lists more:
        CommandError: a value makes no sense, or what it names is not there. Nothing changed.
    """

    @abstractmethod
    def apply(self, command: Command) -> PlaybackState:
        """Carry out a command of `ph.commands`; returns the playback state after it."""

    @property
    @abstractmethod
    def state(self) -> PlaybackState:
        """The playback state now."""

    @abstractmethod
    def on_moved(self, callback: OnMoved) -> Callable[[], None]:
        """Have `callback` called whenever another frame is shown, or the mode is another.

        Not for each frame that a running game records. Returns a function that ends it.
        """

    def enter(self, time: float | None = None) -> PlaybackState:
        """Enter playback: pause the game at its newest frame, or at a time. Else only seek."""
        return self.apply(Enter(time))

    def leave(self) -> PlaybackState:
        """Leave playback: every object is as it was, and the game runs on."""
        return self.apply(Leave())

    def play(self, rate: float = 1.0, *, restart: bool = False) -> PlaybackState:
        """Play recorded frames at `rate` times their speed; in reverse if it is negative.

        Args:
            rate: From 0.01 to 100, or minus that.
            restart: If it is at the end that it would play towards, begin at the other one.
        """
        return self.apply(Play(rate, restart))

    def pause(self) -> PlaybackState:
        """Stand still at the frame that is shown; in front of a running game, at its newest."""
        return self.apply(Pause())

    def step(self, n: int = 1) -> PlaybackState:
        """Move by `n` recorded frames, to older ones if it is negative, and pause there."""
        return self.apply(Step(n))

    def seek(
        self, time: float | None = None, *, frame: int | None = None, mark: str | None = None
    ) -> PlaybackState:
        """Go to a time, a frame or a mark: exactly one of them.

        Args:
            time: To the newest frame at or before it.
            frame: The number of a frame.
            mark: The name of a mark; of several the oldest.
        """
        names = [name for name, value in (("time", time), ("frame", frame), ("mark", mark))
                 if value is not None]  # fmt: skip
        if len(names) != 1:
            raise CommandError(
                f"seek: give one of a time in seconds, frame= and mark=, not "
                f"{' and '.join(names) or 'none of them'}"
            )
        if frame is not None:
            return self.apply(SeekFrame(frame))
        if mark is not None:
            return self.apply(SeekMark(mark))
        assert time is not None
        return self.apply(SeekTime(time))

    def loop(self, start: float | None, end: float | None = None) -> PlaybackState:
        """Play round and round between two times; `loop(None)` plays to the ends again."""
        if start is None and end is None:
            return self.apply(LoopOff())
        if start is None or end is None:
            raise CommandError("loop: give a start and an end, seconds; loop(None) ends it")
        return self.apply(Loop(start, end))

    def advance(self, n: int = 1) -> PlaybackState:
        """Run the paused game for `n` steps at its newest frame, and pause it again.

        The steps are recorded like any others, and the playhead is then at the newest frame. A
        failed check, and any call here that pauses or leaves, ends it early; `clamped` is then
        True.

        Raises:
            CommandError: the game runs, playback is not at the newest frame, the
                game advances already, or there is no game that could.
        """
        return self.apply(Advance(n))

    def focus(self, object: ObjectOrId) -> PlaybackState:
        """Show only this object's debug drawings; 0 for everybody's. Moves no time.

        A session takes the object itself as well; others know its id only.
        """
        return self.apply(Focus(object))

    def show(self, channel: str, on: bool = True) -> PlaybackState:
        """Show a channel's debug drawings, or hide them. Moves no time."""
        return self.apply(Show(channel, on))
