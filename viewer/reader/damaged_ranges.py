"""Damaged ranges: frames of a file that can't be read, collected as they are found."""

from collections.abc import Sequence
from typing import NamedTuple

from ...recorder.clips.clip_file_index import DAMAGED
from ...recorder.clips.clip_source import ClipSource
from ...recorder.reading.frame_source import FrameSource
from ..toolkit.time_text import time_text

_LONG = 160
"""Characters of reasons, after which no more are added."""


class DamagedRange(NamedTuple):
    """Frames that follow one another and can't be read."""

    first: int
    last: int
    start: float
    """Seconds: when the frame in front of it was, or its own first one."""
    end: float
    why: str = ""
    """Where in the file, and what is wrong there."""

    @property
    def text(self) -> str:
        """The range as text."""
        frames = (
            f"frame {self.first}" if self.first == self.last
            else f"frames {self.first} – {self.last}"
        )  # fmt: skip
        why = f": {self.why}" if self.why else ""
        times = f"{time_text(self.start)} – {time_text(self.end)}"
        return f"Damaged: {frames} can't be read ({times}){why}"


def known_damaged_ranges(source: FrameSource) -> list[DamagedRange]:
    """Those that opening a clip has shown."""
    if not isinstance(source, ClipSource):
        return []
    damage = []
    for gap in source.clip.gaps:
        if gap.reason == DAMAGED:
            before, after = source.stamp(gap.first - 1), source.stamp(gap.last + 1)
            damage.append(DamagedRange(gap.first, gap.last, before.time, after.time - after.delta))
    return damage


def with_frame(damage: Sequence[DamagedRange], added: DamagedRange) -> list[DamagedRange]:
    """The ranges and another one, in order; ranges that touch are merged."""
    every = sorted([*damage, added])
    merged = every[:1]
    for one in every[1:]:
        before = merged[-1]
        if one.first > before.last + 1:
            merged.append(one)
            continue
        fresh = one.why not in before.why and len(before.why) < _LONG
        merged[-1] = before._replace(
            last=max(before.last, one.last), end=max(before.end, one.end),
            why="; ".join(filter(None, (before.why, one.why))) if fresh else before.why,
        )  # fmt: skip
    return merged


def damaged_range_of(source: FrameSource, frame: int, error: Exception) -> DamagedRange:
    """The damaged range of a frame that can't be read."""
    why = reason(error)
    try:
        stamp = source.stamp(frame)
    except Exception:  # not even its header can be read: the file's ends are all that is known
        span = source.span
        time = 0.0 if span is None else span.start
        return DamagedRange(frame, frame, time, time, why)
    return DamagedRange(frame, frame, stamp.time - stamp.delta, stamp.time, why)


def reason(error: Exception) -> str:
    """What is wrong, without the file's name and the frames: both are shown elsewhere."""
    return str(error).rpartition(" can't be read: ")[2]


def damaged_ranges_text(damage: Sequence[DamagedRange]) -> str:
    """All of them in a line for the top of the world; empty without any."""
    if not damage:
        return ""
    # What to do comes before what may have no room.
    first = "Damaged, N leads there: "
    if len(damage) == 1:
        return first + damage[0].text.removeprefix("Damaged: ")
    ranges = ", ".join(f"{time_text(one.start)} – {time_text(one.end)}" for one in damage[:4])
    more = f" and {len(damage) - 4} more" if len(damage) > 4 else ""
    return f"{first}{len(damage)} stretches can't be read: {ranges}{more}"
