"""Cuts a range out of a clip: finds its frames, and copies them into a clip of their own."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from ...errors import CommandError, DamagedError, EvictedError
from ..clips.clip_file_reader import ClipFrames
from ..clips.clip_format import ABOUT, ABOUT_FILE
from ..clips.clip_source import ClipSource
from ..clips.clip_writer import ClipAttachment, ClipWriter, SavedClip
from ..clips.frame_serialization import latched_before
from ..packets.mark import Mark
from ..reading.frame_source import FrameSource
from ..text.name_hint import name_hint


def instant(source: FrameSource, text: str) -> int:
    """The frame that a text names: a time in seconds, `#FRAME`, or the name of a mark.

    Of a time it is the newest frame at or before it, clamped to the ends; of several marks of one
    name the oldest one's.

    Raises:
        CommandError: there is no such mark.
        EvictedError: there is no such frame.
    """
    span = source.span
    if span is None:
        raise EvictedError(f"{text}: the recording has no frame")
    if re.fullmatch(r"#\d+", text):
        frame = int(text[1:])
        if not span.oldest <= frame <= span.newest:
            raise EvictedError(
                f"{text}: the recording has the frames {span.oldest} to {span.newest}: name one of"
                " them"
            )
        return frame
    try:
        return source.frame_at(float(text))
    except ValueError as error:
        if isinstance(error, CommandError):
            raise
    marks = source.marks()
    for mark in marks:
        if mark.name == text:
            return mark.frame
    hint = name_hint(text, [mark.name for mark in marks])
    raise CommandError(f"{text!r} is no time in seconds, no #FRAME and the name of no mark: {hint}")


def cut(
    source: ClipSource,
    target: str | os.PathLike[str],
    start: int,
    end: int,
    *,
    about: Mapping[str, str] | None = None,
    marks: Iterable[Mark] | None = None,
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> SavedClip:
    """Copy the frames from `start` to `end` of a clip, with all that travels in it, into another.

    What can't be read of it is left out: frames become a gap.

    Args:
        marks: Marks that were set later; they replace those in the clip.

    Raises:
        CommandError: the range ends before it begins, or the clip would replace itself.
        RecordingError: the file can't be made or written, or no frame of these can be read.
    """
    if end < start:
        raise CommandError(f"frames {start} to {end}: that ends before it begins")
    not_onto_itself(source.clip.path, target)
    clip = source.clip
    text = clip.metadata.get(ABOUT_FILE, {})
    with ClipWriter(
        target, about={**clip.metadata.get(ABOUT, {}), **(about or {})}, command=_command(text),
        overwrite=overwrite, created=_created(text),
    ) as writer:  # fmt: skip
        for attachment in readable_attachments(clip):
            writer.attach(attachment)
        for mark in clip.marks if marks is None else marks:
            writer.mark(mark)
        _copy(writer, clip, start, end, progress)
        return writer.finish()


def not_onto_itself(path: Path, target: str | os.PathLike[str]) -> None:
    """Raise a CommandError if a file would replace the one that it is made of."""
    try:
        same = os.path.samefile(path, target)
    except OSError:
        return
    if same:
        raise CommandError(f"{os.fspath(target)}: this is the file itself: give another name")


def readable_attachments(clip: ClipFrames) -> list[ClipAttachment]:
    """The attachments of a clip, but for those that are damaged."""
    found = []
    for info in clip.attachments.values():
        try:
            found.append(ClipAttachment(info.name, clip.attachment(info.name), info.media_type))
        except DamagedError:
            continue
    return found


def _copy(
    writer: ClipWriter, clip: ClipFrames, start: int, end: int,
    progress: Callable[[int, int], object] | None,
) -> None:  # fmt: skip
    """Copies one range after another, so that each gap keeps its reason."""

    def text(done: int, _: int) -> None:
        if progress is not None:
            progress(first + done - start, end - start + 1)

    ends = [gap.first - 1 for gap in clip.gaps]
    reasons = {gap.last + 1: gap.reason for gap in clip.gaps}
    frame = start if clip.holds(start) else clip.following(start)
    while frame is not None and frame <= end:
        first = frame
        last = min((one for one in ends if one >= frame), default=end)
        try:
            rows = latched_before(clip, frame, clip.image(frame))
        except DamagedError:  # `copy` meets it too, and knows what to do
            pass
        else:
            if writer.newest is None or writer.newest != frame - 1:
                writer.set_latched(rows, reasons.get(frame, "damaged"))
        writer.copy(clip, frame, min(last, end), text, skip_damaged=True)
        frame = clip.following(last)


def _command(text: Mapping[str, str]) -> list[str]:
    try:
        arguments = json.loads(text.get("command", "[]"))
    except ValueError:
        return []
    return [str(argument) for argument in arguments] if isinstance(arguments, list) else []


def _created(text: Mapping[str, str]) -> float | None:
    try:
        return datetime.fromisoformat(text.get("created", "")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
