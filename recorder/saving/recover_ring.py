"""Recovers a ring's file, or a damaged clip: all complete frames are saved as a clip."""

import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mcap.opcode import Opcode

from ...errors import DamagedError
from ...native.ring import FrameRing
from ...native.ring_memory import open_file
from ..clips.clip_format import PROFILE, ClipDamage, Gap
from ..clips.clip_source import ClipSource
from ..clips.clip_writer import SavedClip
from ..clips.mcap_records import HEAD, MAGIC, ClipFile, read_header
from ..clips.save_clip import save
from .trim_clip import cut, not_onto_itself

RING_MAGIC = b"PLAYHEAD"
RECOVERED = "recovered_from"
"""The metadata of a recovered clip: the name of the file that it was made from."""


class RecoveredClip(NamedTuple):
    """What became of a file."""

    kind: str
    """`ring` or `clip`."""
    bytes: int
    """The size of the file."""
    saved: SavedClip
    lost: int
    """Frames between the oldest and the newest that could not be had: the gaps of `saved`."""
    damage: tuple[ClipDamage, ...]
    """What of a clip's file could not be used, and where it is."""
    live: bool = False
    """Whether a process is still recording into the ring."""

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return self.saved.gaps


def kind_of(path: Path) -> str:
    """`ring` or `clip`, by how a file begins; if that is damaged, by its name.

    Raises:
        DamagedError: it can't be read, or is neither.
    """
    if path.is_dir():
        raise DamagedError(f"{path}: this is a folder: name a clip or a ring in it")
    try:
        with open_file(path) as file:
            begins = file.read(8)
    except OSError as error:
        raise DamagedError(f"{path}: can't be read: {error.strerror}") from error
    if not begins:
        raise DamagedError(f"{path}: the file is empty")
    if begins.startswith(RING_MAGIC):
        return "ring"
    if begins == MAGIC:
        return "clip"
    if path.suffix in (".ring", ".mcap"):
        return "ring" if path.suffix == ".ring" else "clip"
    raise DamagedError(f"{path}: this is neither a ring's file nor a clip")


def begins_as_ring(path: Path) -> bool:
    """Whether a file that can be read is a ring by its content, whatever it is called."""
    with path.open("rb") as file:
        return file.read(len(RING_MAGIC)) == RING_MAGIC


def recover(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> RecoveredClip:
    """Make a clip of every finished frame of a ring's file, or of every intact chunk of a clip.

    The file itself is not changed. A ring may still be recorded into.

    Raises:
        DamagedError: nothing of it can be read.
        RecordingError: there is no frame in it, or the clip can't be made.
        CommandError: the clip would replace the file itself.
    """
    path = Path(path)
    not_onto_itself(path, target)
    if kind_of(path) == "ring":
        return _ring(path, Path(target), overwrite, progress)
    return _clip(path, Path(target), overwrite, progress)


def _ring(
    path: Path, target: Path, overwrite: bool, progress: Callable[[int, int], object] | None
) -> RecoveredClip:
    with FrameRing.open(path) as ring:
        live = ring.is_live
        saved = save(
            target, ring, about={RECOVERED: path.name}, overwrite=overwrite, progress=progress,
            skip_damaged=True, created=path.stat().st_mtime,
        )  # fmt: skip
    lost = sum(gap.last - gap.first + 1 for gap in saved.gaps)
    return RecoveredClip("ring", path.stat().st_size, saved, lost, (), live)


def _clip(
    path: Path, target: Path, overwrite: bool, progress: Callable[[int, int], object] | None
) -> RecoveredClip:
    size, before = path.stat().st_size, list[ClipDamage]()
    with _readable(path, target, before) as readable, ClipSource.open(readable) as source:
        span = source.span
        damage = [*before, *source.clip.damage]
        if span is None:
            what = "; ".join(one.what for one in damage)
            raise DamagedError(f"{path}: no chunk of it is whole: {what or 'it has no frame'}")
        saved = cut(
            source, target, span.oldest, span.newest, about={RECOVERED: path.name},
            overwrite=overwrite, progress=progress,
        )  # fmt: skip
        # More may have been found while it was read. In a copy all offsets differ, so that it has
        # no good end in any case.
        moved = size - source.clip.size
        damage = [
            one._replace(offset=one.offset + moved)
            for one in source.clip.damage
            if one.bytes or not before
        ]
    lost = sum(gap.last - gap.first + 1 for gap in saved.gaps)
    return RecoveredClip("clip", size, saved, lost, (*before, *damage))


@contextmanager
def _readable(path: Path, target: Path, damage: list[ClipDamage]) -> Iterator[Path]:
    """The clip itself or, if its beginning is broken, a copy that begins as a clip does."""
    try:
        ClipSource.open(path).close()
    except DamagedError as error:
        start = _first_chunk(path)
        if start is None:
            raise
        damage.append(ClipDamage(0, start, str(error)))
    else:
        yield path
        return
    with tempfile.TemporaryDirectory(dir=target.absolute().parent, prefix=".recover") as folder:
        copy = Path(folder) / path.name
        with path.open("rb") as old, copy.open("wb") as new:
            new.write(MAGIC + _header())
            old.seek(start)
            shutil.copyfileobj(old, new, 1 << 20)
        yield copy


def _first_chunk(path: Path) -> int | None:
    """Where the first chunk is, if it is the beginning of the file that is broken."""
    file = ClipFile(path)
    try:
        read_header(file)
    except DamagedError:
        return file.next_chunk(0)
    finally:
        file.close()
    return None  # a clip of another version: its header can be trusted


def _header() -> bytes:
    texts = b"".join(struct.pack("<I", len(text)) + text for text in (PROFILE.encode(), b""))
    return HEAD.pack(Opcode.HEADER, len(texts)) + texts
