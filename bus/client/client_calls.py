"""A tool's calls to a service: moves of the playhead, queries, calls of the game, clips."""

from abc import abstractmethod
from typing import Any, TypeVar

import msgspec

from ...errors import PlayheadError
from ...playback.commands import MOST_STEPS, Advance, Command, validated
from ...playback.playback_control import PlaybackControl
from ...playback.playback_state import PlaybackState
from ...recorder.packets.mark import Mark
from ..messages.events import ValuePublished
from ..messages.message_types import RequestBody, ResponseBody
from ..messages.plain_values import packed_plain
from ..messages.requests import (
    Call,
    FindFrame,
    GetFrame,
    GetMarks,
    GetObjects,
    GetPublished,
    GetSnapshot,
    GetStatements,
    GetStatus,
    GetTypes,
    SaveClip,
    TriggerClip,
)
from ..messages.response_rows import ClipRow, ObjectRow
from ..messages.responses import (
    CallResult,
    ClipResponse,
    CommandDone,
    FoundFrame,
    FrameBytes,
    FrameStatements,
    MarkList,
    NewestPublished,
    ObjectList,
    Snapshot,
    StatusReport,
    TypeList,
)
from ..server.clip_requests import SAVE_WITHIN
from ..server.rpc_registry import MOST_HANDED

_R = TypeVar("_R", bound=ResponseBody)

LONGEST_STEP = 5.0
"""Seconds that each step of an advance may take before its answer is waited for no longer."""


class ClientCalls(PlaybackControl):
    """The typed calls of a tool; a subclass sends each request and returns its answer."""

    @abstractmethod
    def asked(self, request: RequestBody, kind: type[_R], timeout: float | None = None) -> _R:
        """Ask anything of the protocol, for an answer of a certain kind.

        Args:
            timeout: Seconds to wait for it; by default as many as for every other.

        Raises:
            BusError: the service is not there, or did not answer in time.
            PlayheadError: the service refused the request; the message says why.
        """

    # --- moving the playhead --------------------------------------------------------------------

    def apply(self, command: Command) -> PlaybackState:
        """Have a command carried out; returns the playback state. The service checks its values.

        Raises:
            CommandError: its values make no sense, or what it names is not there.
            BusyError: the game did not take it up in time.
            BusError: the service is not there, or did not answer in time. An advance has 5 s
                for each of its steps.
        """
        patience = None
        if isinstance(command, Advance) and isinstance(command.steps, int) and command.steps > 0:
            patience = LONGEST_STEP * min(command.steps, MOST_STEPS)
        try:
            return self.asked(command, CommandDone, patience).state
        except PlayheadError:
            raise
        except (TypeError, ValueError, OverflowError):  # values that no message can hold
            return self.asked(validated(command), CommandDone, patience).state

    @property
    def state(self) -> PlaybackState:
        """The present state of playback, from the service."""
        snapshot = self.snapshot()
        return snapshot.time.state(snapshot.span)

    # --- asking ---------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The present state, with the numbers of the newest events."""
        return self.asked(GetSnapshot(), Snapshot)

    def status(self) -> StatusReport:
        """How recording and bus are doing."""
        return self.asked(GetStatus(), StatusReport)

    def frame(self, frame: int) -> FrameBytes:
        """A frame as the ring's own bytes."""
        return self.asked(GetFrame(frame), FrameBytes)

    def objects(self, frame: int) -> list[ObjectRow]:
        """The objects of a frame, decoded."""
        return self.asked(GetObjects(frame), ObjectList).objects

    def statements(self, frame: int) -> FrameStatements:
        """What games and agents stated in a frame: traces, log lines, watched values, inputs,
        events."""
        return self.asked(GetStatements(frame), FrameStatements)

    def types(self, frame: int) -> TypeList:
        """How payloads are to be read."""
        return self.asked(GetTypes(frame), TypeList)

    def marks(self) -> list[Mark]:
        """The marks whose frames are in the recording, oldest first."""
        return self.asked(GetMarks(), MarkList).marks

    def find(self, time: float) -> int:
        """The newest frame at or before a time."""
        return self.asked(FindFrame(time), FoundFrame).frame

    # --- what the game offers -------------------------------------------------------------------

    def call(self, name: str, argument: Any = None, timeout: float | None = None) -> Any:
        """Call a function that the game serves under a name (`Session.serve`); returns its result.

        Argument and result are plain: dicts with text keys, lists, text, numbers, booleans, None.

        Args:
            timeout: Seconds to wait for the answer; by default as for every other.

        Raises:
            CommandError: nothing is served under that name; the message says what is.
            BusyError: the game did not take it up in time.
            RecordingError, CapacityError: the argument is not plain, or too large.
            PlayheadError: the game refused it; the message says why.
            GameError: it failed there.
            BusError: the service is gone, or did not answer in time.
        """
        checked = msgspec.Raw(packed_plain(argument, f"call {name!r}: its argument", MOST_HANDED))
        return self.asked(Call(name, checked), CallResult, timeout).result

    def published(self, name: str) -> ValuePublished | None:
        """The newest that the game has published under a name (`Session.publish`), if anything.

        Asked of the service each time; answered also while the game is stopped in a debugger.
        """
        return self.asked(GetPublished(name), NewestPublished).published

    # --- clips ----------------------------------------------------------------------------------

    def save(
        self, path: str, start: int | None = None, end: int | None = None, *,
        overwrite: bool = False, timeout: float = SAVE_WITHIN,
    ) -> ClipRow:  # fmt: skip
        """Have what is recorded, or the frames from `start` to `end`, saved on the game's machine.

        Waits until it is there. Works also while the game is stopped in a debugger.

        Args:
            path: The file, `*.mcap`. A relative one is in the game's folder of clips.
            overwrite: Replace a file that is there; otherwise that is an error.

        Raises:
            RecordingError: the file can't be made or written there.
            EvictedError: `start` or `end` is not in the recording.
            BusError: it was not there in time.
        """
        return self.asked(SaveClip(path, start, end, overwrite), ClipResponse, timeout).clip

    def trigger(
        self, name: str, pre: float | None = None, post: float | None = None, *,
        note: str = "", object: int = 0,
    ) -> ClipRow:  # fmt: skip
        """Have the seconds before this instant and those that come next saved. Does not wait.

        When it is written an event goes to all subscribers of the topic `clip`.
        """
        return self.asked(TriggerClip(name, pre, post, note, object), ClipResponse).clip
