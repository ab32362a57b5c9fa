"""Videos of clips: of their pictures, or of the world as the viewer shows it."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...errors import CommandError, RecordingError
from ...recorder.reading.frame_source import FrameSource
from ...recording.export.export_video import Caption, ImageAt, ScreenImages, export_video
from ...viewer_process import why_no_viewer


class VideoOptions(NamedTuple):
    """What kind of video is wanted."""

    kind: str
    camera: str
    """Whose pictures; empty for the game's screen."""
    world: bool
    """Show the viewer's world, even where there are pictures."""
    caption: bool
    rate: int | None
    focus: int


def export_clip_video(
    clip: Path, source: FrameSource, out: Path, first: int, last: int, options: VideoOptions,
    force: bool, update: Callable[[int, int], object],
) -> list[Path]:  # fmt: skip
    """Write a stretch of a clip as a video.

    Raises:
        CommandError: what is asked for is not there, or needs what is not installed.
        RecordingError: the file can't be written.
    """
    ending = f".{options.kind}"
    if out.suffix and out.suffix.lower() != ending:
        raise CommandError(f"{out}: {options.kind} is written: give a name that ends with {ending}")
    if options.world and options.camera:
        raise CommandError("--world and --camera: a video shows the one or the other")
    with contextlib.ExitStack() as later:
        images = _images(clip, source, first, last, options, later)
        export_video(
            source, out, options.kind, first, last, images, rate=options.rate,
            caption=_caption() if options.caption else None, focus=options.focus,
            overwrite=force, progress=update,
        )  # fmt: skip
    return [out]


def _images(
    clip: Path, source: FrameSource, first: int, last: int, options: VideoOptions,
    later: contextlib.ExitStack,
) -> ImageAt:  # fmt: skip
    if not options.world:
        try:
            return ScreenImages(source, options.camera, first, last)
        except RecordingError:
            if options.camera:
                raise
    why_not = why_no_viewer()
    if why_not:
        what = "--world shows" if options.world else "there are no pictures here, and this shows"
        raise CommandError(f"{what} the world as the viewer does, but {why_not}")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from ...viewer.app.video_export_frames import WorldImages

    return later.enter_context(WorldImages(clip, options.focus))


def _caption() -> Caption:
    why_not = why_no_viewer()
    if why_not:
        raise CommandError(
            f"captions are painted by the viewer, but {why_not}; --no-caption goes without"
        )
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from ...viewer.app.video_export_frames import captioned

    return captioned
