"""The frames of a whole recording, each as a view that another viewer can show."""

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameStamp
from ...recorder.reading.frame_source import FrameSource
from ...recorder.saving.skip_damaged_frames import DamagedFrames
from ..messages.message import PlayheadTime
from .frame_view import FrameView, frame_view


def instant_of(stamp: FrameStamp) -> PlayheadTime:
    """The instant at which the playhead would stand still at a frame."""
    return PlayheadTime(
        origin="", sequence=0, mode="paused", frame=stamp.id, time=stamp.time, epoch=stamp.epoch
    )


def recorded_views(
    source: FrameSource,
    start: int | None = None,
    end: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[FrameView]:
    """The views of the frames from `start` to `end`, by default of all, oldest first.

    Raises:
        DamagedError: no frame can be read. Single frames that are damaged are left out, and a
            warning says how many.
        HandlerError: a payload is not what its layout says.
    """
    span, frames = source.span, 0
    if span is None:
        return
    marks: dict[int, list[Mark]] = defaultdict(list)
    for mark in source.marks():
        marks[mark.frame].append(mark)
    first = span.oldest if start is None else start
    last = span.newest if end is None else end
    damaged = DamagedFrames()
    for stamp in source.stamps(first, last):
        view = None
        # Values that are not finite are left out by the sink.
        with damaged.skipping(stamp.id), np.errstate(invalid="ignore"):
            view = frame_view(source, instant_of(stamp), marks[stamp.id])
        if view is not None:
            yield view
        frames += 1
        if progress is not None:
            progress(stamp.id - first + 1, last - first + 1)
    damaged.finish(frames)
