"""Logs failed checks that no listener receives, with their stories."""

import logging
import shlex
from collections.abc import Callable, Sequence
from itertools import islice

from ...errors import PlayheadError
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.checks.failure_report import check_text, decision_lines
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.clip_job import ClipJob
from ...recorder.text.safe_log import log_safely
from ..commands import SeekFrame
from ..recording_url import RecordingLink

_logger = logging.getLogger("playhead")

_MOST_SITES = 20
"""Places in the program whose failures are logged, of those that stop no game."""
_MOST_TOOLS = 3
"""Tools that are named."""
_MOST_LINES = 8
"""Lines about the decisions that led to a failure."""


class CheckLogger:
    """Logs failed checks, for whoever looks at the terminal. For the game's thread.

    A failure that pauses the game is logged each time: it says why the game is paused. Others
    are logged once for each call in the program.

    Args:
        source: What is recorded.
        place: Where the recording can be opened from outside: a service's endpoint, or the file of
            a ring. Empty if nowhere.
    """

    def __init__(self, source: FrameSource, address: Callable[[], str]) -> None:
        self._source, self._address = source, address
        self._logged_sites: set[tuple[str, int]] = set()

    def report(
        self, failed: FailedCheck, *, paused: bool, clip: ClipJob | None, hint: bool = True,
        tools: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Log the story of a failed check, with what opens it.

        Args:
            paused: Whether the game is paused because of it.
            clip: What is being saved of it, if anything is.
            hint: Whether to say what opens a recording that will be gone soon.
            tools: The names of the connected tools, which hold the playhead if it is paused.
        """
        site = failed.file, failed.line
        if not paused:
            if site in self._logged_sites or len(self._logged_sites) >= _MOST_SITES:
                return
            self._logged_sites.add(site)
        lines = [*self._story(failed), *self._hint(failed, paused, clip, hint, tools)]
        if not paused and len(self._logged_sites) == _MOST_SITES:
            lines.append("  Checks that fail elsewhere are marked, and not logged any more.")
        log_safely(_logger, logging.ERROR, "\n".join(lines))

    def _story(self, failed: FailedCheck) -> list[str]:
        try:
            lines = check_text(self._source, failed)
            if failed.object:
                decisions = decision_lines(self._source, failed.frame, failed.object, 2)
                lines += [f"  {line}" for line in islice(decisions, _MOST_LINES)]
        except PlayheadError as error:  # such as a frame that was evicted
            return [f"CHECK FAILED: {failed.message}", f"  {error}"]
        return lines

    def _hint(
        self, failed: FailedCheck, paused: bool, clip: ClipJob | None, hint: bool,
        tools: Sequence[str],
    ) -> list[str]:  # fmt: skip
        target = self._address()
        if paused and tools:
            verb = "hold" if len(tools) > 1 else "holds"
            return [
                f"  The game is paused there; {_names(tools)} {verb} the playhead: End in the"
                f" viewer, or `playhead ctl {shlex.quote(target)} leave`, lets it run on."
            ]
        intro = [f"  The game is paused there; {_way_on(target)} lets it run on."] * paused
        if not hint:
            return intro
        if target:
            return [*intro, f"  open it     {view_command(target, failed)}"]
        if clip is not None:
            clip.on_done(lambda done: _saved(done, failed))
            return [*intro, "  A clip of it is being saved."]
        return [
            *intro,
            '  save it     save("failed.mcap") of the session; then: playhead view failed.mcap',
        ]


def _names(tools: Sequence[str]) -> str:
    """The tools by name, as many as a line has room for."""
    more = len(tools) - _MOST_TOOLS
    return ", ".join(tools[:_MOST_TOOLS]) + (f" and {more} more" if more > 0 else "")


def _way_on(target: str) -> str:
    """How to let the game run on; the reader may be no programmer if it is on the bus."""
    if not target.startswith("tcp://"):
        return "leave() of the session"
    address = shlex.quote(target)
    return f"`playhead ctl {address} leave`, or End in `playhead view {address}`,"


def _saved(clip: ClipJob, failed: FailedCheck) -> None:
    if clip.saved is not None:
        command = view_command(str(clip.saved.path), failed)
        text = f"CHECK FAILED: {failed.message}\n  open it     {command}"
        log_safely(_logger, logging.ERROR, text)


def view_command(target: str, failed: FailedCheck) -> str:
    """What opens a recording where a check has failed."""
    seek = SeekFrame(failed.frame) if failed.frame else None
    try:
        link = str(RecordingLink.to(target, seek, focus=failed.object))
    except PlayheadError:  # a path that no link can hold
        link = target
    return f"playhead view {shlex.quote(link)}"
