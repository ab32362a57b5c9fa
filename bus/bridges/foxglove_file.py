"""Exports a recording for Foxglove and Lichtblick: an MCAP file with messages that they know.

The same topics as the live bridge has: `/scene`, `/values`, `/log`, `/decisions` and `/marks`, and
`/pictures/NAME` for each camera.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import numpy as np
from mcap.writer import CompressionType, Writer

from ...recorder.clips.clip_writer import nanoseconds
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.atomic_file import new_file
from .foxglove_messages import (
    COMPRESSED_IMAGE,
    LOG,
    SCENE_UPDATE,
    VALUES,
    Message,
    compressed_image,
    log,
    picture_topic,
    scene_update,
    schema,
)
from .frame_view import FrameView, StatementsView
from .recorded_frame_views import recorded_views

TOPICS = {
    "/scene": SCENE_UPDATE, "/values": VALUES, "/log": LOG, "/decisions": LOG, "/marks": LOG,
}  # fmt: skip
"""What a file has, and which messages."""


def export_foxglove(
    source: FrameSource,
    path: Path,
    start: int | None = None,
    end: int | None = None,
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> int:
    """Write the frames from `start` to `end` (by default all) as such a file; returns how many.

    Raises:
        RecordingError: the file is there already, or can't be written.
        DamagedError: no frame of it can be read. Single frames that are damaged are left out,
            and a warning says how many.
        HandlerError: a payload is not what its layout says.
    """
    frames = 0
    with new_file(path, overwrite=overwrite) as part, part.open("xb") as file:
        writing = _File(Writer(file, compression=CompressionType.LZ4, enable_data_crcs=True))
        for view in recorded_views(source, start, end, progress):
            with np.errstate(invalid="ignore"):  # what is not finite is left out
                writing.add(view)
            frames += 1
        writing.finish()
    return frames


class _File:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        writer.start("", library="playhead")
        schemas = {
            name: writer.register_schema(name, "jsonschema", schema(name))
            for name in sorted(set(TOPICS.values()))
        }
        self._channels = {
            topic: writer.register_channel(topic, "json", schemas[name])
            for topic, name in TOPICS.items()
        }
        self._image_schema = writer.register_schema(
            COMPRESSED_IMAGE, "jsonschema", schema(COMPRESSED_IMAGE)
        )
        self._sequence = 0

    def add(self, view: FrameView) -> None:
        """A frame, in messages of its time."""
        at, self._sequence = nanoseconds(view.now.time), view.now.frame
        self._write("/scene", at, scene_update(view, at))
        finite = {
            label: {name: value for name, value in numbers.items() if value - value == 0.0}
            for label, numbers in view.values.items()
        }
        self._write("/values", at, finite)
        logs: Iterable[tuple[str, list[StatementsView]]] = (
            ("/log", view.log), ("/decisions", view.decisions), ("/marks", view.marks)
        )  # fmt: skip
        for topic, lines in logs:
            for line in lines:
                self._write(topic, at, log(line, at))
        for image in view.pictures.values():
            topic = picture_topic(image.name)
            if topic not in self._channels:  # a camera is known by its first picture
                self._channels[topic] = self._writer.register_channel(
                    topic, "json", self._image_schema
                )
            self._write(topic, at, compressed_image(image, at))

    def _write(self, topic: str, at: int, message: Message) -> None:
        self._writer.add_message(
            self._channels[topic], at, msgspec.json.encode(message), at,
            self._sequence & 0xFFFF_FFFF,
        )  # fmt: skip

    def finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
