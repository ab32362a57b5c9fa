"""What every question about a recording needs: its source, its ends, what it lacks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from ..errors import CommandError, EvictedError, PlayheadError
from ..recorder.monotonic_timeline import exactly
from ..recorder.packets.recorded_frame import FrameRange
from ..recorder.packets.recording_losses import RecordedLoss
from ..recorder.reading.frame_source import FrameSource
from ..recorder.world_adapter import Conventions
from .frame_list import RecordedFrames
from .frame_lookup import span_of, span_text
from .recording_damage import Damage, DamageLog, file_damage


class RecordingBase:
    """A recording that is open: where it is, which frames it holds, what can't be read of it."""

    def __init__(
        self, source: FrameSource, place: str, *, close: Callable[[], object] | None = None
    ) -> None:
        self.place = place
        """The file's absolute path, or the address of the running game."""
        self._own = source
        self._close = close
        self._closed = False
        self._damage = DamageLog(place)

    # --- what it is ---------------------------------------------------------------------------

    @property
    def _source(self) -> FrameSource:
        if self._closed:
            raise CommandError(f"{self.place}: this recording was closed; open it again")
        return self._own

    @property
    def source(self) -> FrameSource:
        """The frames themselves, to be read one by one."""
        return self._source

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def close(self) -> None:
        """Close the file, or this connection to a running game; the game is not affected."""
        if not self._closed:
            self._closed = True
            if self._close is not None:
                self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._closed:
            return f"<Recording {self.place}: closed>"
        try:
            span = self.span
            if span is None:
                return f"<Recording {self.place}: no frame so far>"
            frames, objects = len(self.frames), len(self._source.objects(span.newest))
            failed = sum(mark.kind == "check" for mark in self._source.marks())
        except (PlayheadError, OSError) as error:
            return f"<Recording {self.place}: can't be read: {error}>"
        return (
            f"<Recording {self.place}: {frames:,} frames,"
            f" {exactly(span.start)} to {exactly(span.end)} s,"
            f" {objects:,} objects at the end, {failed} failed check{'s' * (failed != 1)}>"
        )

    @property
    def span(self) -> FrameRange | None:
        """The two ends of the recording now: frames and times; None while there is no frame."""
        return self._source.span

    @property
    def duration(self) -> float:
        """Seconds from the oldest frame that is held to the newest; 0 if there is none."""
        span = self.span
        return 0.0 if span is None else span.seconds

    @property
    def frames(self) -> RecordedFrames:
        """The frames that are recorded now, oldest first: `len(frames)`, `frames[-1]`,
        `frames.at(12.5)`, `frames.number(1011)`."""
        return RecordedFrames(self._source)

    @property
    def about(self) -> dict[str, Any]:
        """The recording's description: game, build, seed, …"""
        with self._answering():
            return self._source.about(span_of(self._source).newest)

    @property
    def conventions(self) -> Conventions:
        """How positions and angles are to be read: axes, units, order of angles."""
        with self._answering():
            return self._source.conventions(span_of(self._source).newest)

    # --- what it lacks ------------------------------------------------------------------------

    @property
    def losses(self) -> list[RecordedLoss]:
        """What was never recorded, and why, as the recording itself lists it; oldest first."""
        with self._answering():
            return self._source.losses(span_of(self._source).newest)

    @property
    def damage(self) -> list[Damage]:
        """What can't be read: gaps and broken bytes of the file, and the frames that could not be
        read when they were asked for."""
        return file_damage(self._source) + self._damage.ranges()

    # --- errors -------------------------------------------------------------------------------

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Add what is held to the message of an EvictedError from within."""
        try:
            yield
        except EvictedError as error:
            if "it holds" in str(error) or self._closed:
                raise
            raise EvictedError(f"{error}: {span_text(self._own.span)}") from None
