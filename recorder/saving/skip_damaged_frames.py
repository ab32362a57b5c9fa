"""Reads a whole recording and skips its damaged frames."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import DamagedError

_logger = logging.getLogger("playhead")


class DamagedFrames:
    """Counts the damaged frames that are left out."""

    def __init__(self) -> None:
        self.count = 0
        self.first = 0
        """The first of them."""
        self._error: DamagedError | None = None

    @contextmanager
    def skipping(self, frame: int) -> Iterator[None]:
        """Within it a DamagedError ends the reading of this frame and no more."""
        try:
            yield
        except DamagedError as error:
            if self._error is None:
                self.first, self._error = frame, error
            self.count += 1

    def finish(self, frames: int) -> None:
        """Log what was left out of so many frames.

        Raises:
            DamagedError: it was all of them.
        """
        if self._error is None:
            return
        if self.count >= frames:
            raise self._error
        _logger.warning(
            "%d of %d frames are damaged and left out, the first of them frame %d: %s",
            self.count, frames, self.first, self._error,
        )  # fmt: skip
