"""Damage of a recording: known from its file, or found while it was read."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ..errors import DamagedError
from ..recorder.clips.clip_source import ClipSource
from ..recorder.reading.frame_source import FrameSource
from .frame_lookup import stretches_in

_logger = logging.getLogger("playhead")
_MOST = 1000


class Damage(NamedTuple):
    """Something of a recording that can't be read, or that is not in its file."""

    what: str
    """What can't be read or is missing, and why, in words."""
    first: int | None = None
    """The first frame that is concerned; None if that is not known."""
    last: int | None = None


class DamageLog:
    """Remembers the frames that could not be read, and logs the first of them.

    Args:
        name: The recording's name in the log.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._frames: dict[int, str] = {}
        self.count = 0
        """How many frames could not be read."""

    @contextmanager
    def skipping(self, frame: int) -> Iterator[None]:
        """Within it a DamagedError ends the reading of this frame and no more."""
        try:
            yield
        except DamagedError as error:
            self.add(frame, error)

    def add(self, frame: int, error: DamagedError) -> None:
        """A frame could not be read."""
        if frame in self._frames:
            return
        if not self._frames:
            _logger.warning(
                "%s: frame %d can't be read and is left out, as will be all others that can't;"
                " `damage` of the recording lists them: %s", self._name, frame, error,
            )  # fmt: skip
        self.count += 1
        if len(self._frames) < _MOST:
            self._frames[frame] = str(error)

    def raise_if_all(self, source: FrameSource, first: int, last: int) -> None:
        """Raise if none of the frames from `first` to `last` could be read.

        Raises:
            DamagedError: none could.
        """
        frames = sum(high - low + 1 for low, high in stretches_in(source, first, last))
        bad = [frame for frame in self._frames if first <= frame <= last]
        if bad and len(bad) >= frames:
            raise DamagedError(
                f"{self._name}: no frame from {first} to {last} can be read:"
                f" {self._frames[min(bad)]}"
            )

    def ranges(self) -> list[Damage]:
        """The damaged frames, as ranges of neighbours with the same cause."""
        ranges: list[Damage] = []
        for frame, what in sorted(self._frames.items()):
            before = ranges[-1] if ranges else None
            if before is not None and before.what == what and before.last == frame - 1:
                ranges[-1] = before._replace(last=frame)
            else:
                ranges.append(Damage(what, frame, frame))
        return ranges


def file_damage(source: FrameSource) -> list[Damage]:
    """What a clip's file is known to lack: gaps between its frames, and bytes that are broken."""
    if not isinstance(source, ClipSource):
        return []
    clip = source.clip
    gaps = [Damage(f"not in the clip: {gap.reason}", gap.first, gap.last) for gap in clip.gaps]
    return gaps + [Damage(str(one)) for one in clip.damage]
