"""The clips of a session that `PLAYHEAD=off` has switched off: every save fails with a reason."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ...errors import RecordingError
from ..clip_triggers import ClipPolicy
from ..clips.clip_writer import ClipAttachment, SavedClip
from ..packets.draw_primitives import Site
from ..recorder_off import WHY_NOTHING
from ..text.safe_log import log_safely
from .clip_job import ClipJob
from .clip_manager import ClipManager

_logger = logging.getLogger("playhead")


class ClipManagerOff(ClipManager):
    """Saves nothing: `save` answers that no frame was saved, a trigger that its clip has failed.

    The first of these calls is logged.
    """

    def __init__(self, policy: ClipPolicy) -> None:
        self.policy = policy
        self.on_done = lambda clip: None
        self._logged = False

    @property
    def begun(self) -> tuple[ClipJob, ...]:
        return ()

    def attach(
        self, name: str, data: bytes | Callable[[], bytes],
        media_type: str = "application/octet-stream",
    ) -> None: ...  # fmt: skip

    def save(
        self,
        path: str | os.PathLike[str],
        start: int | None = None,
        end: int | None = None,
        *,
        about: Mapping[str, str] | None = None,
        attachments: Iterable[ClipAttachment] = (),
        overwrite: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> SavedClip:
        self._log(f"{os.fspath(path)} is not written")
        return SavedClip(Path(path), 0, 0, ())

    def clone(
        self, path: str | os.PathLike[str], start: int | None = None, end: int | None = None, *,
        overwrite: bool = False,
    ) -> ClipJob:  # fmt: skip
        return self._failed(os.fspath(path))

    def trigger(
        self,
        name: str,
        pre: float | None = None,
        post: float | None = None,
        *,
        note: str = "",
        object: object = 0,
        at: int | None = None,
        path: str | os.PathLike[str] | None = None,
        attachments: Iterable[ClipAttachment] = (),
        progress: Callable[[ClipJob], object] | None = None,
        site: Site | None = None,
    ) -> ClipJob:
        return self._failed(name)

    @contextmanager
    def guard(self, name: str = "exception") -> Iterator[None]:
        yield

    def rescue(
        self, error: Exception, name: str = "exception",
        path: str | os.PathLike[str] | None = None, pre: float | None = None,
    ) -> ClipJob:  # fmt: skip
        return self._failed(name)

    def close(self) -> None: ...

    def _failed(self, name: str) -> ClipJob:
        self._log(f"there is no clip {name!r}")
        clip = ClipJob(name, None)
        clip.finish(None, RecordingError(f"{WHY_NOTHING}, so there is no clip"))
        return clip

    def _log(self, what: str) -> None:
        if not self._logged:
            self._logged = True
            log_safely(_logger, logging.WARNING, "%s, so %s", WHY_NOTHING, what)
