"""The playhead: it holds the position in time, carries out commands and moves by a clock."""

import math
import time
from collections.abc import Callable, Sequence

from ..errors import CommandError
from ..recorder.packets.mark import Mark
from ..recorder.packets.recorded_frame import FrameRange
from ..recorder.reading.source_protocol import SourceMembers
from ..recorder.text.name_hint import name_hint
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
    enters,
    validated,
)
from .playback_control import OnMoved, PlaybackControl
from .playback_state import Mode, PlaybackState
from .wall_time_to_frames import Scrubber

MOST_HIDDEN = 256
"""How many channels can be hidden at once: names come from outside and may not pile up."""


def _no_game() -> str:
    return "this is a recording without its game; step(1) goes to the next frame"


class Playhead(PlaybackControl):
    """A position in a source, moved by commands and, while playing, by wall time.

    Commands that move to a frame enter playback by themselves. Seeks go on playing from where they
    lead, a step pauses there. Played to the newest (in reverse the oldest) it stands still at
    that end, paused. With a loop it goes round between the frames shown at the loop's two instants;
    playing from outside begins at the loop's start (in reverse at its end).

    Changes nothing in a game: listen with `on_moved` to do that. While the game advances, it is
    live and counts the steps. For one thread.
    """

    def __init__(
        self,
        source: SourceMembers,
        clock: Callable[[], float] = time.monotonic,
        *,
        waiting_marks: Callable[[], Sequence[Mark]] = tuple,
        why_not_advance: Callable[[], str] = _no_game,
    ) -> None:
        """`clock` gives wall time in seconds; it is read in `update` while playing, only there.

        `waiting_marks` gives those that the source has only when the game runs on.
        `why_not_advance` returns why there is no game that could be advanced, empty if there is
        one; the code that runs it calls `stepped`.
        """
        self._source = source
        self._waiting_marks = waiting_marks
        self._why_not_advance = why_not_advance
        self._clock = clock
        self._scrubber = Scrubber(source)
        self._mode = Mode.LIVE
        self._frame: int | None = None
        self._rate = 1.0
        self._loop: tuple[float, float] | None = None
        self._focus = 0
        self._hidden: frozenset[str] = frozenset()
        self._read: float | None = None
        """The clock as last read; None where time that passed before must not count."""
        self._listeners: list[OnMoved] = []
        self._announced: tuple[Mode, int | None] = (self._mode, self._frame)
        """What the listeners know."""
        self._changes = 0
        self.is_advancing = False
        """Whether the game runs because of `advance`: until `enter` or `leave`."""
        self.steps_left = 0
        """Steps of the newest advance that were not run, or not yet."""

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def frame(self) -> int | None:
        """The recorded frame that is shown; None while live, and while nothing is recorded."""
        return self._frame

    @property
    def carried(self) -> float:
        """Seconds of recording accumulated towards the next frame."""
        return self._scrubber.carried

    @property
    def state(self) -> PlaybackState:
        """Where it is now."""
        return self._report(clamped=False)

    def on_moved(self, callback: OnMoved) -> Callable[[], None]:
        """Have `callback` called whenever the shown frame or the mode has changed; returns its end.

        Once for each command or update, with where that led, however many frames it crossed. A
        callback may apply a command: those not yet called then get the newer state only. What
        a callback raises passes through; the playhead has moved by then.
        """
        self._listeners.append(callback)

        def stop() -> None:
            if callback in self._listeners:
                self._listeners.remove(callback)

        return stop

    def apply(self, command: Command) -> PlaybackState:
        """Carry out one command and return what really happened.

        Raises:
            CommandError: its values make no sense, or what it names is not there. Nothing changed.
        """
        return self.carry_out(validated(command))

    def carry_out(self, command: Command) -> PlaybackState:
        """Like `apply`, for a command whose values were checked: see `validated`."""
        span = self._settle()
        target = self._target(command, span)
        if self._mode is Mode.LIVE and enters(command):
            self.is_advancing = False
            self._mode = Mode.PAUSED
            self._frame = span.newest if span else None
            self._rate = 1.0
            self._scrubber.clear()
        clamped = self._change(command, span, target)
        state = self._report(clamped=clamped)
        self._announce(state)
        return state

    def stepped(self, *, stop: bool = False) -> bool:
        """The game has recorded a step; True if that ends an advance: then apply `Enter`.

        `stop` ends it although steps are left.
        """
        if not (self.is_advancing and self.steps_left):
            return False
        self.steps_left -= 1
        return stop or not self.steps_left

    def update(self) -> PlaybackState | None:
        """Let the wall time since the last update pass; None if that changed nothing."""
        if self._mode is Mode.LIVE:
            return None
        span = self._settle()
        if self._mode is Mode.PLAYING and span is not None and self._frame is not None:
            self._run(self._frame, span)
        if (self._mode, self._frame) == self._announced:
            return None
        state = self.state
        self._announce(state)
        return state

    def _target(self, command: Command, span: FrameRange | None) -> int | None:
        """The frame that a command names, before clamping; refuses what it must not name."""
        match command:
            case Enter(time=float(seconds)) | SeekTime(time=seconds):
                if span is None:
                    return None
                # A time outside must be distinguished from one inside although both find a frame.
                if seconds < span.start:
                    return span.oldest - 1
                return span.newest + 1 if seconds > span.end else self._source.frame_at(seconds)
            case SeekFrame(frame=frame):
                return frame
            case SeekMark(name=name):
                return self._marked(name)
            case Advance():
                self._check_advance(span)
            case Focus(object=object_id):
                self._check_targetable(object_id, span)
            case Show(channel=channel, on=False):
                if len(self._hidden | {channel}) > MOST_HIDDEN:
                    raise CommandError(
                        f"show: can't hide {channel!r} too, {MOST_HIDDEN} channels are hidden;"
                        " show some of them first"
                    )
        return None

    def _change(self, command: Command, span: FrameRange | None, target: int | None) -> bool:
        """Change the state; True if what was asked had to be clamped."""
        match command:
            case Enter(time=None):
                return False
            case Enter() | SeekTime() | SeekFrame() | SeekMark():
                return self._move_to(target, span)
            case Leave():
                self._leave()
            case Advance(steps=steps):
                self._leave()
                self.is_advancing, self.steps_left = True, steps
            case Pause():
                self._mode = Mode.PAUSED
            case Step(frames=frames):
                self._mode = Mode.PAUSED
                stepped = None if self._frame is None else self._source.step(self._frame, frames)
                return self._move_to(stepped, span)
            case Play(rate=rate, restart=restart):
                return self._play(rate, restart, span)
            case Loop(start=start, end=end):
                self._loop = start, end
                return span is None or start < span.start or end > span.end
            case LoopOff():
                self._loop = None
            case Focus(object=object_id):
                self._focus = object_id
            case Show(channel=channel, on=on):
                self._hidden = self._hidden - {channel} if on else self._hidden | {channel}
        return False

    def _move_to(self, frame: int | None, span: FrameRange | None) -> bool:
        self._scrubber.clear()
        self._read = None
        if frame is None or span is None:
            return True
        self._frame = self._source.settle(min(max(frame, span.oldest), span.newest))
        return self._frame != frame

    def _leave(self) -> None:
        self.is_advancing = False
        self._mode = Mode.LIVE
        self._frame = None
        self._rate = 1.0
        self._scrubber.clear()

    def _play(self, rate: float, restart: bool, span: FrameRange | None) -> bool:
        self._rate = rate
        end = None
        if span is not None:
            end, begin = (span.newest, span.oldest) if rate > 0 else (span.oldest, span.newest)
            if restart and self._frame == end and self._loop is None:
                self._move_to(begin, span)
        if span is None or (self._frame == end and self._loop is None):
            self._mode = Mode.PAUSED
            return True
        if self._mode is not Mode.PLAYING:
            self._mode = Mode.PLAYING
            self._read = None
        return False

    def _run(self, frame: int, span: FrameRange) -> None:
        oldest, newest = span.oldest, span.newest
        if self._loop is not None:
            oldest, newest = (self._source.frame_at(instant) for instant in self._loop)
            if not oldest <= frame <= newest:
                self._move_to(oldest if self._rate > 0 else newest, span)
                frame = oldest if self._rate > 0 else newest
        read, self._read = self._read, self._clock()
        seconds = 0.0 if read is None else (self._read - read) * self._rate
        if read is None or not self._read > read or not math.isfinite(seconds):
            return
        around = self._loop is not None
        moved = self._scrubber.advance(frame, seconds, oldest, newest, around=around)
        self._frame = moved.frame
        if moved.ended and not around:
            self._mode = Mode.PAUSED

    def _settle(self) -> FrameRange | None:
        """The span as it is now, with the playhead inside of it."""
        span = self._source.span
        if self._mode is Mode.LIVE:
            return span
        if span is None:
            self._mode, self._frame = Mode.PAUSED, None
        elif self._frame is None:
            self._frame = span.newest
        elif not span.oldest <= self._frame <= span.newest:
            self._move_to(self._frame, span)
        return span

    def _marked(self, name: str) -> int:
        """The frame of the oldest mark of that name: the first frame of a failed check."""
        frames: dict[str, int] = {}
        for mark in (*self._source.marks(), *self._waiting_marks()):
            frames.setdefault(mark.name, mark.frame)
        if name in frames:
            return frames[name]
        raise CommandError(f"seek_mark: no mark is named {name!r}: {name_hint(name, frames)}")

    def _check_advance(self, span: FrameRange | None) -> None:
        if why_not := self._why_not_advance():
            raise CommandError(f"advance: {why_not}")
        if self.is_advancing:
            raise CommandError(
                f"advance: the game advances already, {self.steps_left} steps are left: wait for"
                " them, or leave()"
            )
        if self._mode is Mode.LIVE:
            raise CommandError("advance: the game runs; enter() pauses it at its newest frame")
        if self._mode is Mode.PLAYING:
            raise CommandError("advance: recorded frames are being played; pause() first")
        if span is not None and self._frame != span.newest:
            raise CommandError(
                f"advance: playback is at frame {self._frame}, and the game can run on from its"
                f" newest only: seek(frame={span.newest}) first"
            )

    def _check_targetable(self, object_id: int, span: FrameRange | None) -> None:
        """An object of which nothing is recorded in this frame is accepted: it may be in others."""
        frame = self._frame if self._frame is not None else span.newest if span else None
        if not object_id or frame is None:
            return
        for packet in self._source.objects(frame):
            if packet.id == object_id and not packet.targetable:
                raise CommandError(
                    f"focus: object {object_id} ({packet.type}) was recorded as not targetable"
                    f" in frame {frame}; pick another"
                )

    def _report(self, *, clamped: bool) -> PlaybackState:
        frame = self._frame
        return PlaybackState(
            mode=self._mode,
            frame=frame,
            time=None if frame is None else self._source.stamp(frame).time,
            rate=self._rate,
            clamped=clamped,
            loop=self._loop,
            focus=self._focus,
            hidden=self._hidden,
            span=self._source.span,
            pending=(Advance(self.steps_left),) if self.is_advancing and self.steps_left else (),
        )

    def _announce(self, state: PlaybackState) -> None:
        if (self._mode, self._frame) == self._announced:
            return
        self._announced = self._mode, self._frame
        self._changes += 1
        change = self._changes
        for listener in tuple(self._listeners):
            if self._changes != change:
                break
            listener(state)
