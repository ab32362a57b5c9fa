"""Clip requests of tools, and the rows that describe clips to them."""

from pathlib import Path

from ...errors import CommandError, RecordingError
from ...recorder.packets.draw_primitives import NO_SITE
from ...recorder.saving.clip_job import ClipJob
from ...recorder.saving.clip_manager import ClipManager
from ..messages.message_types import ClipRequest
from ..messages.requests import SaveClip
from ..messages.response_rows import ClipRow

SAVE_WITHIN = 120.0
"""Seconds that a tool waits for a clip by default."""


def begin(clips: ClipManager, saving: ClipRequest) -> ClipJob:
    """Begin to save the clip that a tool requests; from any thread.

    Raises:
        CommandError: the path is none for a clip, or a number makes no sense.
        EvictedError: the frames are not in the recording.
        CapacityError: too many clips are being saved already.
    """
    if isinstance(saving, SaveClip):
        return clips.clone(
            _clip_path(clips, saving.path),
            saving.start,
            saving.end,
            overwrite=saving.overwrite,
        )
    try:
        return clips.trigger(
            saving.name, saving.pre, saving.post, note=saving.note, object=saving.object,
            site=NO_SITE,
        )  # fmt: skip
    except OverflowError as error:
        raise CommandError(f"{saving!r}: a number is out of range: {error}") from None


def _clip_path(clips: ClipManager, text: str) -> Path:
    """Where a tool's path is: it may be on another machine, and write nothing but clips here."""
    if not text.endswith(".mcap") or "\0" in text:
        raise CommandError(f"path {text!r}: a clip is a file *.mcap")
    path = Path(text)
    if path.is_absolute():
        return path
    path = Path(clips.policy.folder) / path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordingError(f"{path.parent}: no folder can be made: {error.strerror}") from error
    return path


def row_of(clip: ClipJob) -> ClipRow:
    """The row that describes a clip."""
    saved = clip.saved
    return ClipRow(
        clip.name,
        "" if clip.path is None else str(clip.path.absolute()),
        clip.done(),
        saved.frames if saved else 0,
        saved.bytes if saved else 0,
        [(gap.first, gap.last, gap.reason) for gap in saved.gaps] if saved else [],
        clip.lost,
        "" if clip.error is None else str(clip.error),
    )
