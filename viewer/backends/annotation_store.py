"""Stores marks set by hand, and saves clips, for a recording in a file.

Marks are written into the viewed clip as soon as they are set. Marks of a ring, or of a clip that
can't be changed, stay in the window and are written into the next clip that is saved.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from ...errors import CommandError, PlayheadError
from ...recorder.clips.clip_source import ClipSource
from ...recorder.clips.clip_writer import SavedClip
from ...recorder.clips.mark_editor import annotate
from ...recorder.clips.save_clip import save
from ...recorder.packets.mark import COLORS, Mark
from ...recorder.reading.frame_source import TOLERANCE, FrameSource
from ...recorder.reading.ring_source import RingSource
from ...recorder.saving.trim_clip import cut
from ..reader.background_jobs import Job, Progress
from ..state.clip_state_colors import mark_with
from ..toolkit.time_text import time_text

BY_HAND = "hand"
"""The kind of a mark that a user may change and take away again."""


class AddMark(NamedTuple):
    """Mark a frame; `name: note` gives it both."""

    frame: int
    text: str
    object: int = 0


class ChangeMark(NamedTuple):
    """Call a mark something else, or take it away if there is no text."""

    mark: Mark
    text: str = ""


class SaveViewedClip(NamedTuple):
    """Save what is recorded, or what is between two instants."""

    path: str
    time_range: tuple[float, float] | None = None
    """Seconds."""


class SetColors(NamedTuple):
    """Keep the colours that a user gave to states with the recording, instead of those before."""

    colors: Mapping[str, str]


AnnotationRequest: TypeAlias = AddMark | ChangeMark | SaveViewedClip | SetColors
KEPT = (BY_HAND, COLORS)
"""Kinds of marks that a viewer puts into clips."""


class AnnotationStore(Protocol):
    """Where marks and clips go. Used from the reader's thread."""

    def marks(self, recorded: Sequence[Mark]) -> list[Mark]:
        """All marks, by those that the recording has."""

    def apply(self, request: AnnotationRequest, source: FrameSource) -> str | Job:
        """Carry out a request: returns a message, perhaps empty, or the job that is left to do.

        Raises:
            PlayheadError: it can't be carried out.
        """


class FileAnnotationStore:
    """The annotations of a clip or a ring's file.

    Args:
        path: The file.
        source: The recording in it.
    """

    def __init__(self, path: Path, source: FrameSource) -> None:
        self._path = path
        self._is_clip = isinstance(source, ClipSource)
        self._lock = threading.Lock()
        self._in_file: list[Mark] = []
        """Marks of `KEPT` kinds that the clip holds, as far as is known."""
        self._elsewhere: list[Mark] = []
        """Marks that were saved into another clip."""
        if isinstance(source, ClipSource):
            self._in_file = [mark for mark in source.clip.marks if mark.kind in KEPT]
        self._mine = list(self._in_file)
        """Those that are to be there."""

    @property
    def unsaved(self) -> int:
        """Marks that are in no file so far."""
        with self._lock:
            saved = [*self._in_file, *self._elsewhere]
            return sum(mark not in saved and mark.kind == BY_HAND for mark in self._mine)

    def marks(self, recorded: Sequence[Mark]) -> list[Mark]:
        times = {mark.frame: mark.time for mark in recorded}
        others = [mark for mark in recorded if mark.kind not in KEPT]
        with self._lock:
            mine = [
                mark if mark.time or mark.frame not in times
                else msgspec.structs.replace(mark, time=times[mark.frame])
                for mark in self._mine
            ]  # fmt: skip
        return sorted([*others, *mine], key=lambda mark: mark.frame)

    def apply(self, request: AnnotationRequest, source: FrameSource) -> str | Job:
        match request:
            case AddMark():
                return self._set(request, source)
            case ChangeMark():
                return self._change(request)
            case SaveViewedClip():
                return self._save(request, source)
            case SetColors(colors=colors):
                return self._color(colors, source)

    # --- marks ----------------------------------------------------------------------------------

    def _set(self, request: AddMark, source: FrameSource) -> str | Job:
        mark = mark_of(request, source.stamp(request.frame).time, BY_HAND)
        with self._lock:
            if any(_alike(mark, one) for one in self._mine):
                raise CommandError(f"frame {mark.frame} is marked {mark.name!r} already")
            self._mine.append(mark)
        return self._write_or_note_unsaved(f"Marked {mark.name!r} at {time_text(mark.time)}")

    def _change(self, request: ChangeMark) -> str | Job:
        old = request.mark
        if old.kind != BY_HAND:
            raise CommandError(f"mark {old.name!r} was recorded by the game: it can't be changed")
        with self._lock:
            at = next((at for at, one in enumerate(self._mine) if _alike(one, old)), None)
            if at is None:
                raise CommandError(f"mark {old.name!r} is not there any more")
            if request.text:
                name, note = name_and_note(request.text)
                self._mine[at] = msgspec.structs.replace(self._mine[at], name=name, note=note)
            else:
                del self._mine[at]
        return self._write_or_note_unsaved(
            f"Renamed to {request.text!r}" if request.text else f"Removed {old.name!r}"
        )

    def _color(self, colors: Mapping[str, str], source: FrameSource) -> str | Job:
        span = source.span
        with self._lock:
            self._mine = [mark for mark in self._mine if mark.kind != COLORS]
            if colors and span is not None:
                self._mine.append(mark_with(colors, span.oldest))
        # Those of a ring go into the next clip of it: until then their chooser keeps them.
        return self._write_or_note_unsaved("Colours changed") if self._is_clip else ""

    def _write_or_note_unsaved(self, what: str) -> str | Job:
        if not self._is_clip:
            return f"{what}: kept here until you save a clip (Ctrl+S)"
        return Job(
            f"Writing marks into {self._path.name}", lambda report: self._write(what, report)
        )

    def _write(self, what: str, progress: Progress) -> str:
        """Make the clip hold what is to be there; runs on the job queue's thread."""
        with self._lock:
            mine, saved = list(self._mine), list(self._in_file)
        fresh = [mark for mark in mine if not any(_alike(mark, one) for one in saved)]
        gone = [mark for mark in saved if not any(_alike(mark, one) for one in mine)]
        try:
            annotate(
                self._path, fresh, gone, lambda done, of: progress(done / max(of, 1))
            )  # fmt: skip
        except PlayheadError as error:
            return f"{what}, here only: {error} (Ctrl+S)"
        with self._lock:
            self._in_file = mine
        return f"{what}, in {self._path.name}"

    # --- clips ----------------------------------------------------------------------------------

    def _save(self, request: SaveViewedClip, source: FrameSource) -> Job:
        start, end = frames_of(source, request.time_range)
        path = clip_path(request.path)
        with self._lock:
            marks = [
                mark for mark in self._mine if start <= mark.frame <= end or mark.kind == COLORS
            ]  # fmt: skip
        return Job(
            f"Saving {path.name}", lambda progress: self._copy(path, start, end, marks, progress)
        )

    def _copy(self, path: Path, start: int, end: int, marks: list[Mark], progress: Progress) -> str:
        """Save it, from the file opened again: a source is for one thread."""

        def step(done: int, of: int) -> None:
            progress(done / max(of, 1))

        if self._is_clip:
            with ClipSource.open(self._path) as source:
                others = [mark for mark in source.clip.marks if mark.kind not in KEPT]
                saved = cut(
                    source, path, start, end, marks=[*others, *marks],
                    overwrite=True, progress=step,
                )  # fmt: skip
        else:
            ring = RingSource.open(self._path).ring
            try:
                oldest = ring.oldest
                first = max(start, oldest[0]) if oldest else start
                saved = save(
                    path, ring, first, end, marks=marks,
                    about={"cut_from": self._path.name}, overwrite=True, progress=step,
                    skip_damaged=True,
                )  # fmt: skip
            finally:
                ring.close()
        with self._lock:
            self._elsewhere += marks
        return saved_text(saved)


def mark_of(request: AddMark, time: float, kind: str) -> Mark:
    """The mark of a request; without a name it is named by its time."""
    name, note = name_and_note(request.text)
    return Mark(name or time_text(time), request.frame, time, kind, note, request.object)


def name_and_note(text: str) -> tuple[str, str]:
    """Split typed text: a name, perhaps with a note behind a colon and a space."""
    name, _, note = text.strip().partition(": ")
    return name.strip(), note.strip()


def frames_of(source: FrameSource, time_range: tuple[float, float] | None) -> tuple[int, int]:
    """The first and the last frame between two instants, or of all that is held.

    Raises:
        CommandError: there is none.
    """
    span = source.span
    if span is None:
        raise CommandError("nothing is recorded that could be saved")
    if time_range is None:
        return span.oldest, span.newest
    first, last = (source.frame_at(time) for time in time_range)
    if source.stamp(first).time < time_range[0] - TOLERANCE:
        first = source.step(first, 1)
    if first > last:
        raise CommandError(
            f"no frame is between {time_text(time_range[0])} and {time_text(time_range[1])}"
        )
    return first, last


def clip_path(text: str) -> Path:
    """Where a clip is to be: `.mcap` is added if the name has no ending.

    Raises:
        CommandError: no file can be written there.
    """
    if not text.strip() or "\0" in text:
        raise CommandError("give the clip a name, such as bug.mcap")
    path = Path(text.strip()).expanduser()
    return path if path.suffix else path.with_name(f"{path.name}.mcap")


def saved_text(saved: SavedClip) -> str:
    """What a user should know of a clip that was saved."""
    gaps = sum(gap.last - gap.first + 1 for gap in saved.gaps)
    lost = f", {gaps:,} frames are missing in it" if gaps else ""
    size = f"{saved.bytes / 2**20:.1f} MiB"
    return f"Saved {saved.path.absolute()}: {saved.frames:,} frames, {size}{lost}"


def _alike(one: Mark, other: Mark) -> bool:
    """Whether two are the same mark: their times come from their frames."""
    return msgspec.structs.replace(one, time=0.0) == msgspec.structs.replace(other, time=0.0)
