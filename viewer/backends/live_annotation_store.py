"""Stores marks and clips of a live service: the service makes both, at a request over the bus."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...bus.client.client import Client
from ...bus.messages import requests
from ...bus.messages.address import Address
from ...bus.messages.encryption_keys import ClientKeys
from ...bus.messages.events import ClipFinished
from ...bus.messages.message_types import Event
from ...bus.messages.response_rows import ClipRow
from ...bus.messages.responses import ClipResponse
from ...errors import BusError, CommandError, PlayheadError, RecordingError
from ...recorder.clips.clip_source import ClipSource
from ...recorder.clips.mark_editor import annotate
from ...recorder.packets.mark import Mark
from ...recorder.reading.frame_source import FrameSource
from ..reader.background_jobs import Job, Progress
from ..state.clip_state_colors import mark_with
from .annotation_store import (
    BY_HAND,
    AddMark,
    AnnotationRequest,
    ChangeMark,
    SaveViewedClip,
    SetColors,
    clip_path,
    frames_of,
    mark_of,
)
from .clip_write_progress import ClipWriteProgress

_AT_ONCE = 0.5
"""Seconds within which a service says what is wrong with a requested clip."""
_LOOK = 0.1
"""Seconds between two looks at how far it is."""
_WITHIN = 600.0
"""Seconds after which a clip is taken for lost."""


class _ClipToSave(NamedTuple):
    """A clip that the service is to save."""

    path: str
    first: int | None
    last: int | None
    start: float
    """Seconds on the timeline."""
    end: float
    marks: list[Mark]
    """That no step of the game has recorded so far."""
    colors: Mapping[str, str]


class LiveAnnotationStore:
    """Marks are sent to the service, which records them in the game's next step.

    While the game is paused there is no next step: until then they are shown from here, and a
    clip that is saved meanwhile on this machine gets them afterwards.

    Args:
        client: The reader's; the service may be gone.
        keys: For the clients that save clips.
    """

    def __init__(self, client: Client, keys: ClientKeys | None = None) -> None:
        self._client = client
        self._keys = keys
        self._waiting: list[Mark] = []
        self._colors: Mapping[str, str] = {}

    def marks(self, recorded: Sequence[Mark]) -> list[Mark]:
        known = {_key(mark) for mark in recorded}
        self._waiting = [mark for mark in self._waiting if _key(mark) not in known]
        return sorted([*recorded, *self._waiting], key=lambda mark: mark.frame)

    def apply(self, request: AnnotationRequest, source: FrameSource) -> str | Job:
        if isinstance(request, SetColors):
            # They go into the clips that are saved from here.
            self._colors = dict(request.colors)
            return ""
        if not self._client.connected:
            raise BusError(f"{self._client.endpoint} is gone: marks and clips are made there")
        match request:
            case AddMark():
                return self._set(request, source)
            case ChangeMark(mark=mark):
                raise CommandError(f"mark {mark.name!r} is in the game's recording: it stays")
            case _:
                return self._save(request, source)

    def _set(self, request: AddMark, source: FrameSource) -> str:
        mark = mark_of(request, source.stamp(request.frame).time, "mark")
        refused = len(self._client.refusals)
        self._client.mark(mark.name, mark.note, object=mark.object, time=mark.time)
        self._client.flush()
        if len(self._client.refusals) > refused:
            raise RecordingError(self._client.refusals[-1])
        self._waiting.append(mark)
        return f"Marked {mark.name!r} at frame {mark.frame}"

    def _save(self, request: SaveViewedClip, source: FrameSource) -> Job:
        span = self._client.snapshot().span  # a source may know an older one
        if span is None:
            raise CommandError("nothing is recorded that could be saved")
        first, last, start, end = None, None, span.start, span.end
        if request.time_range is not None:
            first, last = frames_of(source, request.time_range)
            start, end = request.time_range
        path = request.path if request.path.endswith(".mcap") else str(clip_path(request.path))
        to_save = _ClipToSave(path, first, last, start, end, list(self._waiting), self._colors)
        return Job(
            f"Saving {Path(path).name}", lambda progress: self._have_saved(to_save, progress)
        )

    def _have_saved(self, to_save: _ClipToSave, progress: Progress) -> str:
        """Save it with a client of its own; runs on the job queue's thread."""
        endpoint = self._client.endpoint
        is_here = Address.of(endpoint).loopback
        part = ClipWriteProgress(Path(to_save.path)) if is_here else None
        with Client(endpoint, name="viewer, saving", keys=self._keys) as client:
            row = _saved(client, to_save, part, progress)
        message = f"Saved {row.path}: {row.frames:,} frames, {row.bytes / 2**20:.1f} MiB"
        if not is_here:
            return f"{message}, on the game's machine"
        return message + _completed(Path(row.path), to_save)


def _saved(
    client: Client, to_save: _ClipToSave, part: ClipWriteProgress | None, progress: Progress
) -> ClipRow:
    """Have a clip saved, and report its progress meanwhile.

    If `progress` ends this, the service goes on: the clip will be there all the same.
    """
    done: list[ClipRow] = []

    def on_clip(event: Event) -> None:
        if isinstance(event.event, ClipFinished) and _is_of(event.event.clip, to_save.path):
            done.append(event.event.clip)

    client.on("clip", on_clip)
    ask = requests.SaveClip(to_save.path, to_save.first, to_save.last)
    try:
        return client.asked(ask, ClipResponse, _AT_ONCE).clip
    except BusError:
        if not client.connected:
            raise
    end = time.monotonic() + _WITHIN
    while not done:
        if not client.connected:
            raise BusError(f"{client.endpoint}: the service was lost while it saved {to_save.path}")
        if time.monotonic() > end:
            raise BusError(f"{client.endpoint}: {to_save.path} was not saved within {_WITHIN:g} s")
        until = part.until() if part is not None else None
        lasts = to_save.end - to_save.start
        if part is None or lasts <= 0:
            progress(math.nan)
        else:
            share = 0.0 if until is None else (until - to_save.start) / lasts
            progress(min(max(share, 0.0), 0.99))
        client.dispatch(_LOOK)
    if done[0].error:
        raise RecordingError(done[0].error)
    return done[0]


def _is_of(row: ClipRow, path: str) -> bool:
    """Whether a clip is the one that was asked for: a relative path is in the game's folder."""
    return row.path == path or Path(row.path).parts[-len(Path(path).parts) :] == Path(path).parts


def _completed(path: Path, to_save: _ClipToSave) -> str:
    """Put in the marks that no step of the game has recorded so far, and the colours of states."""
    waiting = 0
    try:
        if to_save.colors:
            with ClipSource.open(path) as saved:
                span = saved.span
            if span is not None:
                annotate(path, [mark_with(to_save.colors, span.oldest)])
        for mark in to_save.marks:
            try:
                by_hand = Mark(mark.name, mark.frame, 0.0, BY_HAND, mark.note, mark.object)
                annotate(path, [by_hand])
                waiting += 1
            except LookupError:  # of a frame that is not in the clip
                continue
    except PlayheadError as error:
        return f"; the newest marks are not in it: {error}"
    return f", with {waiting} marks that the game has not recorded yet" if waiting else ""


def _key(mark: Mark) -> tuple[str, str, int, int]:
    return mark.name, mark.note, mark.object, mark.frame
