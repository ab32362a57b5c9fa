"""The recording session of a program that knows nothing of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..adapters.environments.environment_picture import BorrowingRenderer
from ..recorder.packets.recorded_frame import FrameRange
from ..recorder.recording_status import RecordingStatus
from ..recording_session import RecordingSession


class ProgramSession(RecordingSession):
    """Records into a ring file, and saves a clip of it at its end.

    The ring file exists from the first frame on, so that a program that is killed leaves a
    recording too. The maker of the session reports what was recorded.

    Args:
        clip: Where the clip is saved at the end; None to keep the ring file alone.
        no_picture: Called with the error if an environment can't be rendered.
        settings: Those of `record`.
    """

    always_records = True

    def __init__(
        self, thing: Any, ring: Path, clip: Path | None, no_picture: Callable[[Exception], object],
        **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(thing, ring, **settings)
        self.ring = ring
        self.clip = clip
        self.older: Path | None = None
        """Where the clip is now that was there before."""
        self.final_span: FrameRange | None = None
        """What was held at the end; None if nothing was recorded."""
        self.final_status: RecordingStatus | None = None
        self._no_picture = no_picture

    def renderer_of(self, env: Any) -> Callable[[], Any] | None:
        """Also of environments that were made without a render mode."""
        return BorrowingRenderer.of(env, self._no_picture)

    def _warn_of_mistakes(self) -> None:
        """Calls of the program can't be mistaken: it makes none."""

    def _finish_open_frame(self) -> None:
        """Also where a function has returned in whose variables the objects were: the last picture
        is compressed after that, and its frame has them still."""
        self._observed.is_ended = True
        super()._finish_open_frame()

    def _save_at_end(self) -> None:
        self.final_span, self.final_status = self.source.span, self.status
        if self.clip is not None and self.final_span is not None and not self._is_child:
            saved = self.clips.save(self.clip)
            self.clip, self.older = saved.path, saved.older
