"""What is to be viewed: a clip, a ring or a service, recognised by content, not by name."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ...bus.messages.address import Address
from ...bus.messages.encryption_keys import ClientKeys
from ...errors import CommandError, DamagedError, EvictedError
from ...native.ring_memory import open_file as open_plain
from ...playback.commands import Command, SeekFrame, SeekMark, SeekTime
from ...recorder.clips.clip_file_index import DAMAGED
from ...recorder.clips.clip_file_reader import ClipFrames
from ...recorder.clips.clip_source import ClipSource
from ...recorder.monotonic_timeline import exactly
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.reading.frame_source import FrameSource
from ...recorder.reading.ring_source import RingSource
from ...recorder.text.name_hint import name_hint
from ...recording.objects.object_lookup import object_id
from ..toolkit.time_text import time_text
from .live_backend import LiveBackend
from .playback_backend import FileBackend, PlaybackBackend

_MAGIC = b"\x89MCAP"
_RING = b"PLAYHEAD"
_ROUNDED = 0.0006
"""Seconds by which a time that a user has typed may be off."""
_LOOKS_FOR = 2.0
"""Seconds for which an object is looked for in the frames of a recording."""
DEFAULT = "tcp://127.0.0.1:5670"


class ViewTarget(NamedTuple):
    """Something to be opened, by the thread that will read it."""

    title: str
    open: Callable[[], PlaybackBackend]
    waits: bool
    """Whether it may come later: then it is tried again."""
    location: str
    """The file's absolute path, or the endpoint: what a link leads to."""


def is_same(location: str, other: str) -> bool:
    """Whether two locations are the same address, or the same file."""
    if location == other:
        return True
    if "://" in location or "://" in other:
        return False
    try:
        return Path(location).samefile(other)
    except OSError:
        return False


def target_of(text: str | None, keys: ClientKeys | None = None) -> ViewTarget:
    """The target of a typed text: a file, an address, or nothing for this machine's service.

    Raises:
        CommandError: it is neither a file nor an address.
    """
    if text is None or not text.strip():
        return _service(DEFAULT, keys)
    path = Path(text)
    if path.is_file():
        return ViewTarget(path.name, lambda: open_file(path), False, str(path.absolute()))
    if path.is_dir():
        raise CommandError(f"{text}: this is a folder: name a clip or a ring in it")
    if path.exists():
        raise CommandError(f"{text}: this is no regular file: give a clip, a ring, or an address")
    is_a_path = path.suffix in (".mcap", ".ring", ".clip") or (
        path.is_absolute() and "//" not in text
    )
    if is_a_path:
        raise CommandError(f"{text}: there is no such file; give a clip, a ring, or an address")
    try:
        return _service(Address.of(text).endpoint, keys)
    except CommandError:
        raise CommandError(
            f"{text!r} is no file here and no address such as {DEFAULT}: what is to be viewed?"
        ) from None


def check_target(
    target: ViewTarget, commands: Sequence[Command] = (), focus: int | str = 0
) -> int | str:
    """Look into a file before a window is opened on it. A game that is waited for is not asked.

    Args:
        focus: An object, by its id or by what it is called.

    Returns:
        The id of `focus`; for a game as it was given.

    Raises:
        DamagedError: it is neither a clip nor a ring, or no frame of it can be read.
        CommandError: where a command leads is not in it, or the object of `focus`.
    """
    if target.waits:
        return focus
    backend = target.open()
    try:
        span = backend.source.span
        if span is None:
            if commands or focus:
                raise CommandError(
                    f"{target.title}: no frame was recorded: there is nothing to see"
                )
            return 0  # a process may be about to record into it
        for command in commands:
            if isinstance(command, SeekMark):
                _check_mark(backend, target.title, command.name)
            backend.apply(command)
            match command:
                case SeekFrame(frame=frame):
                    where, is_in = f"frame {frame}", span.oldest <= frame <= span.newest
                case SeekTime(time=at):
                    # 0 is the beginning, whenever that was.
                    inside = span.start - _ROUNDED <= at <= span.end + _ROUNDED
                    where, is_in = f"{exactly(at)} s", inside or at == 0
                case _:
                    continue
            if not is_in:
                raise CommandError(
                    f"{target.title}: {where} is not in it: it holds the frames {span.oldest} to"
                    f" {span.newest}, {exactly(span.start)} to {exactly(span.end)} s"
                )
        if isinstance(focus, str):
            at = backend.state.frame or span.newest
            try:
                focus = object_id(backend.source, focus, at)
            except CommandError as error:
                raise CommandError(f"{target.title}: {error}") from None
        if focus and not _has_object(backend.source, focus, span):
            raise CommandError(
                f"{target.title}: object {focus} is not in it: `playhead clip info --json` lists"
                " the objects of a clip"
            )
        return focus
    finally:
        backend.close()


def _check_mark(backend: PlaybackBackend, title: str, name: str) -> None:
    names = dict.fromkeys(mark.name for mark in backend.marks())
    if name not in names:
        raise CommandError(
            f"{title}: no mark is named {name!r}: {name_hint(name, names)}; --at also takes a time,"
            " or '#FRAME'"
        )


def _has_object(source: FrameSource, object: int, span: FrameRange) -> bool:
    """Whether anything in a recording is about an object; True if that takes too long to say."""
    if any(id == object for id, _, _ in source.facts(span.newest)):
        return True
    if any(mark.object == object for mark in source.marks()):
        return True
    if isinstance(source, ClipSource) and any(row.id == object for row in source.clip.objects):
        return True
    end = time.monotonic() + _LOOKS_FOR
    for frame in range(span.newest, span.oldest - 1, -1):
        if time.monotonic() > end:
            return True
        with suppress(EvictedError, DamagedError):  # the game may be running on
            if object in _named_in(source, frame):
                return True
    return False


def _named_in(source: FrameSource, frame: int) -> set[int]:
    return {
        *(packet.id for packet in source.objects(frame)),
        *(id for id, _ in source.watches(frame)),
        *(agent for agent, _ in source.traces(frame)),
    }


def open_file(path: Path) -> PlaybackBackend:
    """A clip or a ring.

    Raises:
        DamagedError: it is neither, or can't be read.
    """
    with open_plain(path) as file:
        magic = file.read(len(_MAGIC))
    if magic == _MAGIC:
        clip = ClipSource.open(path)
        span = clip.span
        if span is None:
            clip.close()
            raise DamagedError(f"{path}: not one frame of this clip can be read")
        error_text = [_damage_text(clip.clip, span.end), *clip.clip.warnings]
        return FileBackend(clip, path.name, error_text="; ".join(filter(None, error_text)))
    if magic and not _RING.startswith(magic):
        raise DamagedError(f"{path}: this is neither a clip nor a ring")
    source = RingSource.open(path)
    return FileBackend(source, path.name, growing=True)


def _damage_text(clip: ClipFrames, end: float) -> str:
    """What of a clip can't be read, in a line: what is shown first, where the bytes are last."""
    lost = sum(damage.bytes for damage in clip.damage)
    damage = sum(gap.reason == DAMAGED for gap in clip.gaps)
    parts = []
    if clip.damage:
        what = f"{lost:,} bytes can't be read" if lost else "its index is missing"
        parts.append(
            f"The file is cut off or damaged: {what}. What could be saved goes to {time_text(end)}"
        )
    if damage:
        ranges = "a range of frames is" if damage == 1 else f"{damage} ranges of frames are"
        parts.append(f"The file is damaged: {ranges} missing. N leads there")
    details = "; ".join(map(str, clip.damage))
    return "; ".join(parts) + (f" ({details})" if details else "")


def _service(endpoint: str, keys: ClientKeys | None) -> ViewTarget:
    return ViewTarget(endpoint, lambda: LiveBackend(endpoint, keys=keys), True, endpoint)
