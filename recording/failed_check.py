"""A failed check of a recording, with the story that led to it."""

import shlex
import subprocess
import sys
from functools import cached_property
from typing import SupportsIndex, overload

from ..errors import CommandError, DamagedError, EvictedError
from ..playback.commands import SeekFrame
from ..playback.recording_url import RecordingLink
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.checks.failure_report import failure_story
from ..recorder.monotonic_timeline import exactly
from ..recorder.packets.mark import Mark
from ..recorder.reading.frame_source import FrameSource


class FailedChecks(list["RecordedFailedCheck"]):
    """The checks that failed, oldest first: a list whose errors say so where there is none."""

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> "RecordedFailedCheck": ...
    @overload
    def __getitem__(self, index: slice, /) -> "list[RecordedFailedCheck]": ...
    def __getitem__(
        self, index: SupportsIndex | slice, /
    ) -> "RecordedFailedCheck | list[RecordedFailedCheck]":
        try:
            return super().__getitem__(index)
        except IndexError:
            count = "no check" if not self else f"{len(self)} check{'s' if len(self) > 1 else ''}"
            raise IndexError(f"checks[{index}]: {count} failed in this recording") from None


class RecordedFailedCheck:
    """A check that began to fail in a frame. It can be given wherever its object is meant."""

    def __init__(self, source: FrameSource, mark: Mark, place: str) -> None:
        self._source, self._target = source, place
        self.message = mark.name
        self.frame = mark.frame
        """The first frame in which it was not met."""
        self.time = mark.time
        """Timeline time of that frame, seconds."""
        self.object = mark.object
        """The id of the object that it is about; 0 for the world."""
        self.expression = mark.expression
        """The source of the condition."""
        self.file = mark.file
        self.line = mark.line

    @property
    def id(self) -> int:
        """The same as `object`."""
        return self.object

    @cached_property
    def story(self) -> str:
        """What failed, about whom, the decisions that led there, and what was watched.

        Raises:
            EvictedError: its frame was evicted.
        """
        failed = FailedCheck(
            self.message, self.expression, self.object, self.file, self.line, self.frame, self.time
        )
        try:
            return "\n".join(failure_story(self._source, failed))
        except EvictedError as error:
            raise EvictedError(f"the story of frame {self.frame} is gone: {error}") from None
        except DamagedError as error:
            raise DamagedError(f"the story of frame {self.frame}: {error}") from None

    @property
    def link(self) -> str:
        """A link to the failure, to be pasted and sent; empty where there is no file to lead to."""
        try:
            return str(RecordingLink.to(self._target, SeekFrame(self.frame), focus=self.object))
        except CommandError:
            return ""

    @property
    def command(self) -> str:
        """The command that opens the viewer at the failure."""
        if not self.link:
            return ""
        arguments = ["playhead", "view", self.link]
        return (
            subprocess.list2cmdline(arguments) if sys.platform == "win32" else shlex.join(arguments)
        )

    def _facts(self) -> tuple[object, ...]:
        return (self.message, self.frame, self.time, self.object, self.expression, self.file,
                self.line)  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordedFailedCheck):
            return NotImplemented
        return self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def __repr__(self) -> str:
        return f"<failed check {self.message!r} at {exactly(self.time)} s, frame {self.frame}>"
