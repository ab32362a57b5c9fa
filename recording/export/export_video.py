"""The images of a video: what the game's screen showed, at the rate at which it was recorded."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ...errors import CommandError, DamagedError, EvictedError, RecordingError
from ...recorder.packets.mark import Mark
from ...recorder.packets.packet_types import Kind
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.atomic_file import new_file
from ...recorder.text.name_hint import name_hint
from ..picture_reader import RecordedPicture, recorded_picture
from .video_file import Image, write_video

RATES = {"mp4": 30, "gif": 20}
"""Images a second of each kind of file, if nothing else is asked for."""
MOST_IMAGES = {"mp4": 100_000, "gif": 2_000}
"""The most images of a file: one that no player could open is refused before it is written."""
_CHECK_SHOWN = 3.0
"""Timeline seconds for which a failed check is shown."""
_MOST_STATES = 4

ImageAt = Callable[[int], Image]
"""The image of a frame."""
Caption = Callable[[Image, list[str], str], Image]
"""An image with lines of text under it, and a highlighted problem; empty for none."""


def export_video(
    source: FrameSource, out: Path, kind: str, first: int, last: int, image_at: ImageAt, *,
    rate: int | None = None, caption: Caption | None = None, focus: int = 0,
    overwrite: bool = False, progress: Callable[[int, int], object] | None = None,
) -> int:  # fmt: skip
    """Write the frames from `first` to `last` as a video that lasts as long as they did.

    Args:
        kind: `mp4` or `gif`.
        image_at: What it shows of a frame.
        rate: Images a second.
        caption: Writes time, failed checks and states under each image; None to leave them out.
        focus: Whose states are shown; 0 for those of the first few agents.

    Returns:
        How many images it has.

    Raises:
        RecordingError: the file is there already, or can't be written; PyAV is not installed.
        CommandError: the rate makes no sense, or there would be too many images.
    """
    rate = RATES[kind] if rate is None else rate
    if not 1 <= rate <= 60:
        raise CommandError(f"rate {rate}: give from 1 to 60 images a second")
    start, end = source.time(first), source.time(last)
    count = int((end - start) * rate + 1e-6) + 1
    if count > MOST_IMAGES[kind]:
        raise CommandError(
            f"{end - start:.0f} s are {count} images at {rate} a second, and a {kind} has"
            f" {MOST_IMAGES[kind]} at most: choose a shorter stretch, or fewer a second"
        )
    text = CaptionText(source, focus, last)

    def images() -> Iterator[Image]:
        for number in range(count):
            frame = min(max(source.frame_at(start + number / rate), first), last)
            if number == count - 1:
                frame = last  # often what the video is about: the frame of a failed check
            image = image_at(frame)
            if caption is not None:
                image = caption(image, text.lines(frame), text.problem(frame))
            yield image
            if progress is not None:
                progress(number + 1, count)

    with new_file(out, overwrite=overwrite) as part:
        return write_video(part, kind, rate, images())


class CaptionText:
    """What is written under the images of a video: as many lines under each.

    Args:
        last: The last frame of the video.
    """

    def __init__(self, source: FrameSource, focus: int, last: int) -> None:
        self._source, self._focus = source, focus
        self._has_states = bool(self._states(last))
        self._checks = [mark for mark in source.marks() if mark.kind == "check"]
        self._read: tuple[int, list[str]] = (0, [])

    def lines(self, frame: int) -> list[str]:
        """Time and frame; and the states of agents, if there are any in the video."""
        if self._read[0] != frame:
            states = [self._states(frame)] if self._has_states else []
            self._read = frame, [self._time(frame), *states]
        return self._read[1]

    def problem(self, frame: int) -> str:
        """The check that failed last, if that was a moment ago."""
        now = self._source.time(frame)
        failed: list[Mark] = [
            mark for mark in self._checks
            if mark.frame <= frame and now - mark.time <= _CHECK_SHOWN
        ]  # fmt: skip
        return f"check failed: {failed[-1].name}" if failed else ""

    def _time(self, frame: int) -> str:
        minutes, seconds = divmod(self._source.time(frame), 60.0)
        return f"{int(minutes):02d}:{seconds:06.3f}   frame {frame}"

    def _states(self, frame: int) -> str:
        try:
            facts = self._source.facts(frame)
        except (DamagedError, EvictedError):
            return ""
        names = {object: name for (object, kind, _), name in facts.items() if kind == Kind.NAME}
        found = [
            f"{names.get(object, f'object {object}')}: {state.target}"
            for (object, kind, _), state in sorted(facts.items(), key=lambda item: item[0][0])
            if kind == Kind.STATE and self._focus in (0, object)
        ]
        return "   ".join(found[:_MOST_STATES])


class ScreenImages:
    """The recorded pictures of one camera, each decoded once, all in the size of the largest.

    Args:
        name: The camera's; empty for the game's screen, or the first one there is.

    Raises:
        CommandError: there are pictures, and none of that name.
        RecordingError: there are none in this stretch.
    """

    def __init__(self, source: FrameSource, name: str, first: int, last: int) -> None:
        self._source = source
        entries = source.picture_entries(source.span.oldest if source.span else 0, last) or []
        names = sorted({own for _, own in entries}, key=lambda own: (own != "screen", own))
        if not names:
            raise RecordingError("no pictures are recorded here")
        if name and name not in names:
            raise CommandError(f"no camera is named {name!r}: {name_hint(name, names)}")
        self.name = name or names[0]
        self._shown: tuple[int, Image] | None = None
        width, height = 0, 0
        before = source.newest_picture(first, self.name)
        inside = [entry.frame for entry, own in entries if own == self.name]
        for frame in ([before[0]] if before else []) + [at for at in inside if at > first]:
            found = self._picture(frame)
            if found is not None:
                width, height = max(width, found.width), max(height, found.height)
        if not (width and height):
            raise RecordingError(f"no picture of {self.name!r} is recorded in this stretch")
        self._blank = np.zeros((height, width, 3), np.uint8)

    def _picture(self, frame: int) -> RecordedPicture | None:
        found = self._source.newest_picture(frame, self.name)
        if found is None:
            return None
        picture = recorded_picture(self._source, *found)
        if picture.width and picture.height:
            return picture
        try:
            pixels = picture.pixels()
        except DamagedError:
            return None
        return picture._replace(width=pixels.shape[1], height=pixels.shape[0])

    def __call__(self, frame: int) -> Image:
        """The image of a frame: its newest picture; black before the first one."""
        found = self._source.newest_picture(frame, self.name)
        if found is None:
            return self._blank
        if self._shown is None or self._shown[0] != found[0]:
            try:
                pixels = recorded_picture(self._source, *found).pixels()
            except DamagedError:  # the one before stays
                pixels = self._blank if self._shown is None else self._shown[1]
            self._shown = found[0], enlarged(pixels, self._blank.shape[1], self._blank.shape[0])
        return self._shown[1]


def enlarged(image: Image, width: int, height: int) -> Image:
    """An image in another size, as large as it fits, each pixel repeated; black around it."""
    if image.shape[:2] == (height, width):
        return image
    scale = min(width / image.shape[1], height / image.shape[0])
    wide, high = max(1, int(image.shape[1] * scale)), max(1, int(image.shape[0] * scale))
    rows = np.minimum((np.arange(high) / scale).astype(int), image.shape[0] - 1)
    columns = np.minimum((np.arange(wide) / scale).astype(int), image.shape[1] - 1)
    result = np.zeros((height, width, 3), np.uint8)
    top, left = (height - high) // 2, (width - wide) // 2
    result[top : top + high, left : left + wide] = image[rows[:, None], columns[None, :]]
    return result
