"""The commands that move a session's time: they run on the game's thread, or wait for it."""

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from .bus.server.pending_hook_request import PendingHookRequest
from .bus.server.rpc_registry import RpcCall
from .errors import CommandError, RecordingError
from .playback.command_queue import CommandQueue
from .playback.commands import Command, Focus, validated
from .playback.key_controls import command_for
from .playback.pending_command import PendingCommand
from .playback.playback_control import OnMoved, PlaybackControl
from .playback.playback_state import PlaybackState
from .playback.playhead import Playhead
from .recorder.checks.failed_check_tracker import FailedCheck
from .recorder.recorder import Recorder
from .recorder.saving.clip_manager import ClipManager
from .recorder.statement_intake import CLOSED
from .recorder.text.method_names_in_errors import named_by_method


@named_by_method
class SessionCommands(PlaybackControl):
    """The part of a session that takes commands, from any thread."""

    if TYPE_CHECKING:  # set by `Session`
        recorder: Recorder
        playhead: Playhead
        clips: ClipManager
        on_order: Callable[[], object]
        _commands: CommandQueue
        _thread: int
        _closed: bool

    @abstractmethod
    def _moved(self, command: Command, origin: str = "") -> PlaybackState:
        """Carry out a command now, and show where it led."""

    @abstractmethod
    def _obey_deferred(self) -> None:
        """Carry out what waited for the end of the step."""

    @property
    def state(self) -> PlaybackState:
        """The present state of playback, and which commands wait."""
        return self._with_pending(self.playhead.state)

    def on_moved(self, callback: OnMoved) -> Callable[[], None]:
        """Have `callback` called whenever another frame is shown, or the mode is another.

        On the game's thread, when the world shows it. Not for each frame that is recorded. Returns
        what ends it.
        """
        return self.playhead.on_moved(callback)

    def apply(self, command: Command, *, now: bool = False) -> PlaybackState:
        """Carry out a command of `ph.commands`; returns the playback state after it.

        A command that can't be carried out at once is in `pending` of that state. While the game is
        live, a command that enters playback waits for the end of the open `frame`, or of the next
        `update`: without that frame, what has changed since the newest one would be lost. `advance`
        waits for the game's own steps. From other threads than the game's, every command waits for
        its turn.

        Args:
            command: One of those in `ph.commands`, such as `Step(-1)`.
            now: Say that nothing has changed since the newest frame, so that playback begins at
                once. If a step has begun, the command still waits for its end.

        Raises:
            CommandError: its values make no sense, what it names is not there, or the session is
                closed.
        """
        command = validated(self._with_id(command))
        if self._closed:
            raise CommandError(f"{command!r:.80}: {CLOSED}")
        if not self._is_on_its_thread:
            self._enqueue(PendingCommand(command))
            state = self.state
            return msgspec.structs.replace(state, pending=(*state.pending, command))
        if now:
            self._obey_deferred()
        if self._commands.has_to_wait(command, now=now):
            self._commands.defer(PendingCommand(command))
            return self.state
        return self._with_pending(self._moved(command))

    def _with_pending(self, state: PlaybackState) -> PlaybackState:
        pending = self._commands.pending
        if not pending:
            return state
        return msgspec.structs.replace(state, pending=(*state.pending, *pending))

    @property
    def _is_on_its_thread(self) -> bool:
        """Whether the game's thread calls, or that has ended."""
        return threading.get_ident() == self._thread or all(
            thread.ident != self._thread for thread in threading.enumerate()
        )

    def _check_own_thread(self, what: str) -> None:
        """See that the game's thread calls.

        Raises:
            CommandError: another thread does.
        """
        if not self._is_on_its_thread:
            raise CommandError(
                f"{what}: this is for the game's thread; from others connect to the session:"
                f" ph.connect(…).{what}"
            )

    def send(self, command: Command) -> None:
        """Send a command from any thread: the game's carries it out in `update` or `wait`.

        Raises:
            CommandError: its values make no sense, or too many wait already.
        """
        self.take(PendingCommand(self._with_id(command)))

    def take(self, pending: PendingCommand[Any]) -> None:
        """Like `send`, for callers that need the answer: from any thread."""
        if not isinstance(pending.command, FailedCheck | RpcCall | PendingHookRequest):
            pending.command = validated(pending.command)
        self._enqueue(pending)

    def _enqueue(self, pending: PendingCommand[Any]) -> None:
        self._commands.put(pending)
        self.on_order()

    def _with_id(self, command: Command) -> Command:
        """The same command with an id for the object that it names."""
        if not isinstance(command, Focus) or command.object.__class__ is int:
            return command
        try:
            return Focus(self.recorder.ids.id_of(command.object))
        except RecordingError as error:
            raise CommandError(f"focus: {error}") from None

    def press(self, key: str) -> bool:
        """Take a key of the scrub controls, such as `Left`; False if it means nothing now.

        While the game is live, all keys are the game's own except `ClipPolicy.key`, by default F9,
        which saves a clip of what has just happened.
        """
        if self.clips.pressed(key):
            return True
        command = command_for(key, self.playhead.state)
        if command is None:
            return False
        self.apply(command)
        return True
