"""Commands that wait for the game's thread: sent by other threads, or until a frame's end."""

import logging
import queue
from collections.abc import Callable
from time import perf_counter as clock
from typing import Any

import msgspec

from ..errors import CommandError, GameError, PlayheadError, RecordingError
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.recorder import Recorder
from ..recorder.world_adapter import World
from .commands import Advance, Command, Enter, Leave, enters, is_command
from .pending_command import PendingCommand
from .playback_state import Mode, PlaybackState
from .playhead import Playhead

WAITING = 1024
"""Commands from other threads that may wait for the game; more are refused."""
AT_ONCE = 0.0005
"""Seconds of a running game's step in which commands of tools are begun; the rest wait."""
MOST_OWED = 40 * AT_ONCE
"""Seconds of entering and leaving playback that are made up for at most, by `AT_ONCE` a step."""


class CommandQueue:
    """Carries commands out on the game's thread, between two frames.

    The world equals its newest frame only where a frame has just ended. In a step it does not, and
    the restorer would give back the state from before that step. So a command that enters
    playback waits for the end of the frame in which it was given.

    Args:
        world: Is asked to pause before playback begins.
        recorder: Whose frames are waited for.
        playhead: Knows whether the game is live.
        move: Carries out a command for its sender, and returns the state after it.
        report: Takes a check that has failed in another process.
        call: Carries out whatever else a tool has sent, and answers it.
    """

    def __init__(
        self, world: World, recorder: Recorder, playhead: Playhead, *,
        move: Callable[[Command, str], PlaybackState], report: Callable[[FailedCheck], object],
        call: Callable[[PendingCommand[Any], Any], object],
    ) -> None:  # fmt: skip
        self._world, self._recorder, self._playhead = world, recorder, playhead
        self._move, self._report, self._call = move, report, call
        self._sent: queue.SimpleQueue[PendingCommand[Any]] = queue.SimpleQueue()
        self._deferred: list[PendingCommand[Any]] = []
        self._advancing: PendingCommand[Any] | None = None
        """The advance under way, which is answered when the game is paused again."""
        self._halting = False
        """Whether the world was asked to pause, and playback has not begun since."""
        self._owed = 0.0
        """Seconds that entering and leaving playback took, and that are not made up for."""
        self.in_step = False
        """Whether the world has changed, or may have, since its newest frame."""

    def has_to_wait(self, command: Command, *, now: bool) -> bool:
        """Whether a command has to wait for the end of a frame.

        Args:
            now: Nothing has changed since the newest frame, unless a step was begun.
        """
        if self._playhead.mode is not Mode.LIVE:
            return False
        if enters(command):
            return not (now and self.can_enter())
        # What would end playback comes after what begins it.
        return isinstance(command, Leave | Advance) and bool(self._deferred)

    def can_enter(self) -> bool:
        """Whether playback can begin now: between two frames, and the world is paused.

        A world that is not paused yet is asked to pause.
        """
        if self._playhead.mode is not Mode.LIVE:
            return True
        if self.in_step or self._recorder.ring.raw.is_open:
            return False
        halt = self._world.halt
        # The default only answers: then nothing was stopped, and nothing is to run on.
        self._halting = getattr(halt, "__func__", None) is not World.halt
        return halt()

    def entered(self) -> None:
        """Playback has begun: leaving it lets the world run on."""
        self._halting = False

    def put(self, pending: PendingCommand[Any]) -> None:
        """Hand a command over, from any thread.

        Raises:
            CommandError: too many wait already.
        """
        if self._sent.qsize() >= WAITING:
            raise CommandError(f"{WAITING} commands wait already: is update() called?")
        self._sent.put(pending)

    def defer(self, pending: PendingCommand[Any]) -> None:
        """Have a command wait for the end of a frame. It can still be given up there."""
        self._deferred.append(pending)

    @property
    def pending(self) -> tuple[Command, ...]:
        """The commands that wait for the end of a frame, oldest first."""
        return tuple(pending.command for pending in self._deferred if pending.is_open)

    def end_advance(self) -> None:
        """The last step of an advance was recorded: playback begins at its end, before all else."""
        self._deferred.insert(0, PendingCommand(Enter()))

    def advanced(self, state: PlaybackState) -> None:
        """The game has ceased to advance, and its new state was published."""
        pending, self._advancing = self._advancing, None
        if pending is not None:
            clamped = self._playhead.steps_left > 0
            pending.answer(msgspec.structs.replace(state, clamped=clamped, pending=()))

    def wait(self, timeout: float | None) -> bool:
        """Sleep until a command is sent, and carry it out; False if none came in time."""
        try:
            pending = self._sent.get(timeout=timeout)
        except queue.Empty:
            return False
        self._carry_out(pending)
        return True

    def obey_deferred(self) -> None:
        """Carry out what waits for the end of a frame, in the order in which it was given."""
        deferred, self._deferred = self._deferred, []
        for done, pending in enumerate(deferred, 1):
            try:
                self._carry_out(pending)
            except BaseException:
                self._deferred[:0] = deferred[done:]  # they have their turn in the next step
                raise

    def release(self) -> None:
        """Let the world run on if the command that stopped it was given up."""
        if self._halting and not self._deferred and self._playhead.mode is Mode.LIVE:
            self._halting = False
            self._world.resume()

    def obey_sent(self, *, hurry: bool) -> bool:
        """Carry out what other threads have sent so far; False if some of it still waits.

        Args:
            hurry: Begin none after `AT_ONCE` seconds while the game is live, so that tools that
                send without end do not take the game's time. The time that a tool's entering and
                leaving has taken is made up for before it begins again.
        """
        sent = self._sent.qsize()
        if not (sent or self._owed):
            return True
        began, all_done = clock(), True
        for _ in range(sent):
            live, since = self._playhead.mode is Mode.LIVE, clock()
            if hurry and live and (since - began > AT_ONCE or self._owed > AT_ONCE):
                all_done = False
                break
            try:
                self._carry_out(self._sent.get_nowait())
            except queue.Empty:
                break
            finally:
                if live is not (self._playhead.mode is Mode.LIVE):
                    self._owed = min(self._owed + clock() - since, MOST_OWED)
        if self._playhead.mode is Mode.LIVE:
            self._owed = max(self._owed - AT_ONCE, 0.0)
        return all_done

    def _carry_out(self, pending: PendingCommand[Any]) -> None:
        """Carry out one command between two frames, unless its sender has given it up."""
        command = pending.command
        if not pending.is_open:
            return
        if is_command(command) and self.has_to_wait(command, now=True):
            self.defer(pending)  # where it can still be given up
            return
        if not pending.claim():
            return
        if not (is_command(command) or isinstance(command, FailedCheck)):
            self._call(pending, command)
            return
        try:
            if isinstance(command, FailedCheck):
                self._report(command)
                pending.answer(self._playhead.state)
            elif isinstance(command, Advance):
                state = self._move(command, pending.origin)
                if self._playhead.is_advancing:
                    self._advancing = pending
                else:
                    pending.answer(state)
            else:
                pending.answer(self._move(command, pending.origin))
        except (CommandError, RecordingError) as error:
            # Commands of others may be refused, but do not end the game, strict or not.
            self._recorder.faults.call_refused("command", error, level=logging.INFO)
            pending.answer(error)
        except BaseException as error:  # also what ends the game: the sender gets an answer
            if not isinstance(error, PlayheadError):
                pending.answer(GameError(f"{type(error).__name__}: {error}"))
            else:
                pending.answer(error)
            raise
