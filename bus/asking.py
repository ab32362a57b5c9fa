"""What a tool may ask of a service and have done: moves, questions, instructions, clips."""

from abc import abstractmethod
from typing import Any, TypeVar

import msgspec

from ..errors import PlayheadError
from ..playback.commands import MOST_STEPS, Advance, Command, validated
from ..playback.control import PlaybackControl
from ..playback.playback_state import PlaybackState
from ..recorder.marks import Mark
from .answers import (
    ClipTold,
    Found,
    FrameBytes,
    Instructed,
    Marks,
    Moved,
    NewestTold,
    Objects,
    Present,
    Said,
    StatusReport,
    Types,
)
from .asks import (
    GetFind,
    GetFrame,
    GetMarks,
    GetObjects,
    GetPresent,
    GetSaid,
    GetStatus,
    GetTold,
    GetTypes,
    Instruct,
    Save,
    Trigger,
)
from .clips import SAVE_WITHIN
from .happenings import Told
from .plain import packed_plain
from .protocol import Ask, Result
from .rows import ClipRow, ObjectRow
from .served import MOST_HANDED

_R = TypeVar("_R", bound=Result)

LONGEST_STEP = 5.0
"""Seconds that each step of an advance may take before its answer is waited for no longer."""


class Asking(PlaybackControl):
    """Whoever gets an answer of a service for each thing that is asked."""

    @abstractmethod
    def asked(self, ask: Ask, kind: type[_R], timeout: float | None = None) -> _R:
        """Ask anything of the protocol, for an answer of a certain kind.

        Args:
            timeout: Seconds to wait for it; by default as many as for every other.

        Raises:
            BusError: the service is not there, or did not answer in time.
            PlayheadError: what the service says is wrong.
        """

    # --- moving the playhead --------------------------------------------------------------------

    def apply(self, command: Command) -> PlaybackState:
        """Have a command carried out, and answer where that led; the service checks its values.

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
            return self.asked(command, Moved, patience).shown
        except PlayheadError:
            raise
        except (TypeError, ValueError, OverflowError):  # values that no message can hold
            return self.asked(validated(command), Moved, patience).shown

    @property
    def state(self) -> PlaybackState:
        """Where everybody stands now, as the service says."""
        present = self.present()
        return present.time.state(present.span)

    # --- asking ---------------------------------------------------------------------------------

    def present(self) -> Present:
        """Where everything stands, with the numbers of the newest events."""
        return self.asked(GetPresent(), Present)

    def status(self) -> StatusReport:
        """How recording and bus are doing."""
        return self.asked(GetStatus(), StatusReport)

    def frame(self, frame: int) -> FrameBytes:
        """A frame as the ring's own bytes."""
        return self.asked(GetFrame(frame), FrameBytes)

    def objects(self, frame: int) -> list[ObjectRow]:
        """The objects of a frame, decoded."""
        return self.asked(GetObjects(frame), Objects).objects

    def said(self, frame: int) -> Said:
        """What games and agents said in a frame."""
        return self.asked(GetSaid(frame), Said)

    def types(self, frame: int) -> Types:
        """How payloads are to be read."""
        return self.asked(GetTypes(frame), Types)

    def marks(self) -> list[Mark]:
        """The marks whose frames are held, oldest first."""
        return self.asked(GetMarks(), Marks).marks

    def find(self, time: float) -> int:
        """The newest frame at or before a time."""
        return self.asked(GetFind(time), Found).frame

    # --- what stands behind the game ------------------------------------------------------------

    def instruct(self, name: str, body: Any = None, timeout: float | None = None) -> Any:
        """Have the game do what it serves under a name (`Session.serve`); returns its answer.

        Body and answer are plain: dicts with text keys, lists, text, numbers, booleans, None.

        Args:
            timeout: Seconds to wait for the answer; by default as for every other.

        Raises:
            CommandError: nothing is served under that name; the message says what is.
            BusyError: the game did not take it up in time.
            RecordingError, CapacityError: the body is not plain, or too large.
            PlayheadError: the game refused it; the message says why.
            GameError: it failed there.
            BusError: the service is gone, or did not answer in time.
        """
        where = f"instruct {name!r}: what is handed over"
        checked = msgspec.Raw(packed_plain(body, where, MOST_HANDED))
        return self.asked(Instruct(name, checked), Instructed, timeout).result

    def told(self, name: str) -> Told | None:
        """The newest that the game has published under a name (`Session.publish`), if anything.

        Asked of the service each time; answered also while the game stands in a debugger.
        """
        return self.asked(GetTold(name), NewestTold).told

    # --- clips ----------------------------------------------------------------------------------

    def save(
        self, path: str, start: int | None = None, end: int | None = None, *,
        overwrite: bool = False, timeout: float = SAVE_WITHIN,
    ) -> ClipRow:  # fmt: skip
        """Have what is held, or the frames from `start` to `end`, saved on the game's machine.

        Waits until it is there. Works also while the game stands in a debugger.

        Args:
            path: The file, `*.mcap`. A relative one is in the game's folder of clips.
            overwrite: Replace a file that is there; otherwise that is an error.

        Raises:
            RecordingError: the file can't be made or written there.
            EvictedError: `start` or `end` is not held.
            BusError: it was not there in time.
        """
        return self.asked(Save(path, start, end, overwrite), ClipTold, timeout).clip

    def trigger(
        self, name: str, pre: float | None = None, post: float | None = None, *,
        note: str = "", object: int = 0,
    ) -> ClipRow:  # fmt: skip
        """Have the seconds before this instant and those that come next saved. Does not wait.

        When it is there everybody who listens to the topic `clip` is told.
        """
        return self.asked(Trigger(name, pre, post, note, object), ClipTold).clip
