"""Saves a range of frames as a clip, in one call."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...errors import EvictedError, RecordingError
from ..packets.mark import Mark
from ..reading.raw_frames import RawFrames
from .clip_format import CHUNK_BYTES
from .clip_writer import ClipAttachment, ClipWriter, SavedClip


def save(
    path: str | os.PathLike[str],
    frames: RawFrames,
    start: int | None = None,
    end: int | None = None,
    *,
    about: Mapping[str, str] | None = None,
    attachments: Iterable[ClipAttachment] = (),
    marks: Iterable[Mark] = (),
    command: Sequence[str] = (),
    overwrite: bool = False,
    keep_older: bool = False,
    progress: Callable[[int, int], object] | None = None,
    skip_damaged: bool = False,
    chunk_bytes: int = CHUNK_BYTES,
    created: float | None = None,
) -> SavedClip:
    """Save the frames from `start` to `end` (by default all of the recording) as a clip.

    For the other arguments see `ClipWriter` and its `copy`.

    Args:
        marks: What is marked beside the recorded marks; those of other frames are left out.

    Raises:
        RecordingError: the file can't be made or written, or there is nothing to save.
        EvictedError: `start` or `end` is outside of the recording.
        DamagedError: the frames are damaged.
    """
    oldest, newest = frames.oldest, frames.newest
    if oldest is None or newest is None:
        raise RecordingError(f"{os.fspath(path)}: there is no frame to be saved")
    start = oldest[0] if start is None else start
    end = newest[0] if end is None else end
    if not oldest[0] <= start <= end <= newest[0]:
        raise EvictedError(
            f"frames {start} to {end} can't be saved: {oldest[0]} to {newest[0]} are held"
        )
    with ClipWriter(
        path, about=about, command=command, overwrite=overwrite, keep_older=keep_older,
        chunk_bytes=chunk_bytes, created=created,
    ) as writer:  # fmt: skip
        for attachment in attachments:
            writer.attach(attachment)
        for mark in marks:
            writer.mark(mark)
        writer.copy(frames, start, end, progress, skip_damaged=skip_damaged)
        return writer.finish()
