"""The file of a finished recording: its path, and the summary that is logged at the end."""

import logging
import os
import shlex
import sys
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from ..errors import RecordingError
from ..playback.checks.failed_check_logger import view_command
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.packets.recorded_frame import FrameRange
from ..recorder.recording_status import RecordingStatus
from ..recorder.saving.atomic_file import check_folder, check_free, check_replaceable
from ..recorder.text.duration_text import duration_text
from ..recorder.text.safe_log import log_safely
from ..recorder.text.terminal_text import terminal_text

logger = logging.getLogger("playhead.recording")


def checked_path(path: str | PathLike[str] | None) -> Path | None:
    """Where a recording is to be saved at its end.

    Raises:
        RecordingError: there can be no clip and no ring there.
    """
    if path is None:
        return None
    try:
        found = Path(fspath(path)).absolute()
    except TypeError:
        raise RecordingError(
            f"{path!r:.80} is no path: record(thing, 'run.mcap', dt=1/60) saves a clip there"
        ) from None
    if found.suffix not in (".mcap", ".ring"):
        raise RecordingError(
            f"{path}: name it {found.stem}.mcap for a clip that is saved at the end, or"
            f" {found.stem}.ring for a recording in a file, which a killed program leaves behind"
        )
    check_replaceable(found)
    if found.suffix == ".mcap":
        check_free(found, keep_older=True)
    else:
        check_folder(found)
    return found


def summary(
    path: Path,
    older: Path | None,
    status: RecordingStatus,
    span: FrameRange | None,
    checks: Sequence[FailedCheck],
) -> str:
    """The summary of a recording at its end, and how to open it.

    Args:
        path: The file.
        older: Where the clip is now that was there before.
        span: The range of recorded frames; None if nothing was recorded.
        checks: Those that failed.
    """
    name = shortest_path(path)
    if span is None:
        return f"{name}: nothing was recorded, so nothing was saved"
    text = f"{_count(status.frames_held, 'frame')}, {duration_text(span.seconds)}"
    if status.frames > status.frames_held:
        missing = status.frames - status.frames_held
        text = (
            f"{text}, the newest of {status.frames}: the first {missing} did not fit into the"
            " memory any more; memory='256 MiB' keeps more"
        )
    lines = [f"{name}: {text}"]
    if older is not None:
        lines.append(f"  the clip that was there is {shortest_path(older)} now")
    present_checks = [one for one in checks if one.frame >= span.oldest]
    if present_checks:
        first = present_checks[0]
        lines.append(f"  {_count(len(present_checks), 'check')} failed, the first: {first.message}")
        lines.append(f"  open it there  {view_command(str(path), first)}")
    evicted = [one for one in checks if one.frame < span.oldest]
    if evicted:
        more = " more" if present_checks else ""
        at = f"at frame {evicted[0].frame}, which is" if len(evicted) == 1 else "at frames that are"
        lines.append(
            f"  {_count(len(evicted), 'check')}{more} failed, {at} no longer held: give it more"
            f" memory, as in memory='256 MiB'; the first: {evicted[0].message}"
        )
    lines.append(f"  open it        playhead view {shlex.quote(name)}")
    return "\n".join(lines)


def shortest_path(path: Path) -> str:
    """A file as it is called in the working folder, if it is below that."""
    folder = Path(os.getcwd())
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def print_line(text: str) -> None:
    """Log what a program that has set up no logging is to see as well: there, on stderr."""
    if logger.hasHandlers():
        log_safely(logger, logging.INFO, text)
        return
    line = logger.makeRecord(
        logger.name, logging.INFO, __file__, 0, "%s", (terminal_text(text),), None
    )
    if sys.stderr is not None:
        logging.StreamHandler(sys.stderr).handle(line)
