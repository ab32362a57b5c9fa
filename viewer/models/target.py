"""What is to be viewed: a clip, a ring, or a service, told apart by content and not by name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...bus.address import Address
from ...bus.keys import Pass
from ...errors import CommandError, DamagedError
from ...recorder.clips.frames import ClipFrames
from ...recorder.clips.index import DAMAGED
from ...recorder.clips.source import ClipSource
from ...recorder.reader import RingSource
from .deck import Deck, FileDeck
from .live import LiveDeck
from .times import told

_MAGIC = b"\x89MCAP"
_RING = b"PLAYHEAD"
DEFAULT = "tcp://127.0.0.1:5670"


class Target(NamedTuple):
    """Something to be opened, by the thread that will read it."""

    title: str
    open: Callable[[], Deck]
    waits: bool
    """Whether it may come later: then it is tried again."""
    place: str
    """The file's absolute path, or the endpoint: what a link leads to."""


def is_same(place: str, other: str) -> bool:
    """Whether two places are one: the same address, or the same file by whatever name."""
    if place == other:
        return True
    if "://" in place or "://" in other:
        return False
    try:
        return Path(place).samefile(other)
    except OSError:
        return False


def target_of(text: str | None, keys: Pass | None = None) -> Target:
    """What somebody typed: a file, an address, or nothing for this machine's service.

    Raises:
        CommandError: it is neither a file nor an address.
    """
    if text is None or not text.strip():
        return _service(DEFAULT, keys)
    path = Path(text)
    if path.is_file():
        return Target(path.name, lambda: open_file(path), False, str(path.absolute()))
    is_a_path = path.suffix in (".mcap", ".ring", ".clip") or (
        path.is_absolute() and "//" not in text
    )
    if is_a_path or path.is_dir():
        raise CommandError(f"{text}: there is no such file; give a clip, a ring, or an address")
    try:
        return _service(Address.of(text).endpoint, keys)
    except CommandError:
        raise CommandError(
            f"{text!r} is no file here and no address such as {DEFAULT}: what is to be viewed?"
        ) from None


def open_file(path: Path) -> Deck:
    """A clip or a ring.

    Raises:
        DamagedError: it is neither, or can't be read.
    """
    with path.open("rb") as file:
        magic = file.read(len(_MAGIC))
    if magic == _MAGIC:
        clip = ClipSource.open(path)
        span = clip.span
        if span is None:
            clip.close()
            raise DamagedError(f"{path}: not one frame of this clip can be read")
        trouble = [_told(clip.clip, span.end), *clip.clip.warnings]
        return FileDeck(clip, path.name, trouble="; ".join(filter(None, trouble)))
    if magic and not _RING.startswith(magic):
        raise DamagedError(f"{path}: this is neither a clip nor a ring")
    source = RingSource.open(path)
    return FileDeck(source, path.name, growing=True)


def _told(clip: ClipFrames, end: float) -> str:
    """What of a clip can't be read, in a line: what is shown first, where the bytes are last."""
    lost = sum(damage.bytes for damage in clip.damage)
    holes = sum(gap.reason == DAMAGED for gap in clip.gaps)
    parts = []
    if clip.damage:
        what = f"{lost:,} bytes can't be read" if lost else "its index is missing"
        parts.append(
            f"The file is cut off or damaged: {what}. What could be saved goes to {told(end)}"
        )
    if holes:
        places = "a stretch is" if holes == 1 else f"{holes} stretches are"
        parts.append(f"The file is damaged: {places} missing. N leads there")
    details = "; ".join(map(str, clip.damage))
    return "; ".join(parts) + (f" ({details})" if details else "")


def _service(endpoint: str, keys: Pass | None) -> Target:
    return Target(endpoint, lambda: LiveDeck(endpoint, keys=keys), True, endpoint)
