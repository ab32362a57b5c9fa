"""Keeping marks and clips of a live service: both are its own, and go over the bus."""

from collections.abc import Sequence
from pathlib import Path

from ...bus.address import Address
from ...bus.client import Client
from ...bus.keys import Pass
from ...errors import BusError, CommandError, PlayheadError, RecordingError
from ...recorder.clips.annotate import annotate
from ...recorder.marks import Mark
from ...recorder.reader import FrameSource
from .clerk import Job
from .keeping import BY_HAND, ChangeMark, SaveClip, SetMark, Wish, clip_path, frames_of, mark_of


class LiveKeeping:
    """Marks are said to the service, which records them in the game's next step.

    While the game stands still there is no next step: until then they are shown from here, and a
    clip that is saved meanwhile on this machine gets them afterwards.

    Args:
        client: The reader's; the service may be gone.
        keys: For clients of the clerk's own.
    """

    def __init__(self, client: Client, keys: Pass | None = None) -> None:
        self._client = client
        self._keys = keys
        self._waiting: list[Mark] = []

    def marks(self, recorded: Sequence[Mark]) -> list[Mark]:
        known = {_key(mark) for mark in recorded}
        self._waiting = [mark for mark in self._waiting if _key(mark) not in known]
        return sorted([*recorded, *self._waiting], key=lambda mark: mark.frame)

    def grant(self, wish: Wish, source: FrameSource) -> str | Job:
        if not self._client.connected:
            raise BusError(f"{self._client.endpoint} is gone: marks and clips are made there")
        match wish:
            case SetMark():
                return self._set(wish, source)
            case ChangeMark(mark=mark):
                raise CommandError(f"mark {mark.name!r} is in the game's recording: it stays")
            case SaveClip():
                return self._save(wish, source)

    def _set(self, wish: SetMark, source: FrameSource) -> str:
        mark = mark_of(wish, source.stamp(wish.frame).time, "mark")
        refused = len(self._client.refusals)
        self._client.mark(mark.name, mark.note, object=mark.object, time=mark.time)
        self._client.flush()
        if len(self._client.refusals) > refused:
            raise RecordingError(self._client.refusals[-1])
        self._waiting.append(mark)
        return f"Marked {mark.name!r} at frame {mark.frame}"

    def _save(self, wish: SaveClip, source: FrameSource) -> Job:
        ends = (None, None) if wish.stretch is None else frames_of(source, wish.stretch)
        path = wish.path if wish.path.endswith(".mcap") else str(clip_path(wish.path))
        marks = list(self._waiting)
        start, end = ends
        return Job(f"Saving {Path(path).name}", lambda _: self._have_saved(path, start, end, marks))

    def _have_saved(self, path: str, start: int | None, end: int | None, marks: list[Mark]) -> str:
        """Ask for it as a tool of its own, so that nobody waits; on the clerk's thread."""
        endpoint = self._client.endpoint
        with Client(endpoint, name="viewer, saving", keys=self._keys) as client:
            row = client.save(path, start, end)
        said = f"Saved {row.path}: {row.frames:,} frames, {row.bytes / 2**20:.1f} MiB"
        if not Address.of(endpoint).loopback:
            return f"{said}, on the game's machine"
        return said + _completed(Path(row.path), marks)


def _completed(path: Path, marks: list[Mark]) -> str:
    """Put in the marks that no step of the game has recorded so far."""
    kept = 0
    for mark in marks:
        try:
            annotate(path, [Mark(mark.name, mark.frame, 0.0, BY_HAND, mark.note, mark.object)])
            kept += 1
        except LookupError:  # of a frame that is not in the clip
            continue
        except PlayheadError as error:
            return f"; the newest marks are not in it: {error}"
    return f", with {kept} marks that the game has not recorded yet" if kept else ""


def _key(mark: Mark) -> tuple[str, str, int, int]:
    return mark.name, mark.note, mark.object, mark.frame
