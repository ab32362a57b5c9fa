"""The report of a failed test: the failed check, the decisions before it, and the clip."""

import linecache
import shlex
import subprocess
import sys
import traceback
from pathlib import Path

from ..playback.recording_url import RecordingLink
from ..recorder.checks.failed_check_tracker import FailedCheck
from ..recorder.checks.failure_report import object_label, place_text
from ..recorder.clips.clip_writer import SavedClip
from ..recorder.reading.frame_source import FrameSource

_MAX_OTHERS = 5
_MAX_MESSAGE = 200


def failure(error: BaseException, home: Path) -> FailedCheck:
    """The error of a test as a failed check: its message, and the line that it came from.

    The line is the innermost one of the project's own code.

    Args:
        home: The project's folder.
    """
    if isinstance(error, KeyboardInterrupt):
        message = "interrupted"
    else:
        words = (str(error).strip().splitlines() or [""])[0]
        message = f"{type(error).__name__}: {words}" if words else type(error).__name__
    lines = traceback.extract_tb(error.__traceback__)
    own = [line for line in lines if _is_own(line.filename, home)]
    at = own[-1] if own else lines[-1] if lines else None
    if at is None or at.lineno is None:
        return FailedCheck(message[:_MAX_MESSAGE], "", 0, "", 0)
    expression = linecache.getline(at.filename, at.lineno).strip()
    return FailedCheck(message[:_MAX_MESSAGE], expression, 0, at.filename, at.lineno)


def _is_own(file: str, home: Path) -> bool:
    path = Path(file)
    return path.is_relative_to(home) and "site-packages" not in path.parts


def other_recordings_text(
    source: FrameSource, failed_checks: list[FailedCheck], culprit: FailedCheck, home: Path
) -> list[str]:
    """The other checks that failed before the test ended."""
    others = [
        failed
        for failed in failed_checks
        if (failed.frame, failed.file, failed.line, failed.object)
        != (culprit.frame, culprit.file, culprit.line, culprit.object)
    ]
    if not others:
        return []
    lines = ["", "Also failed:"]
    lines += [
        f"  frame {one.frame:>5}  {one.message}: {object_label(source, one.frame, one.object)},"
        f" {place_text(one.file, home)}:{one.line}"
        for one in others[:_MAX_OTHERS]
    ]
    if len(others) > _MAX_OTHERS:
        lines.append(f"  … and {len(others) - _MAX_OTHERS} more")
    return lines


def clip_text(saved: SavedClip, link: RecordingLink, home: Path) -> list[str]:
    """Where the clip is, and the line that opens it at the culprit."""
    return [
        "",
        f"The clip: {place_text(str(saved.path), home)}"
        f" ({saved.frames:,} frame{'s' * (saved.frames != 1)}, {_size_text(saved.bytes)})",
        f"  playhead view {quoted(str(link))}",
    ]


def _size_text(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"


def quoted(text: str) -> str:
    """A word quoted for this system's shell."""
    return subprocess.list2cmdline([text]) if sys.platform == "win32" else shlex.quote(text)
