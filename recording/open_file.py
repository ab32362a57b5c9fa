"""Opens a recording's file: a clip, or the ring file of a game that runs or died."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import CommandError, DamagedError, message_with_path
from ..playback.recording_url import RecordingLink, is_link
from ..recorder.clips.clip_source import ClipSource
from ..recorder.reading.ring_source import RingSource
from ..recorder.saving.recover_ring import kind_of
from .recording import Recording

_logger = logging.getLogger("playhead")


def open(path: str | os.PathLike[str]) -> Recording:
    """Open a recording, to ask what happened in it.

    Takes a clip (`*.mcap`); a ring file (`*.ring`) of a game that is running, has ended or was
    killed; or a `playhead://` link to one of these. Its content shows which of them it is. Of
    a clip that is cut off or damaged all intact parts are read, and this is logged once; see
    `Recording.damage`. For a game on the bus see `connect`.

    Raises:
        CommandError: there is no such file, it is a folder, or what is given is no path.
        DamagedError: the file is empty, is neither clip nor ring, is of another version, or no
            frame of it can be read.
    """
    path = _path_of(path)
    source = _source(path)
    return Recording(source, str(path.absolute()), close=_close_call(source))


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[ClipSource | RingSource]:
    """The frames of a recording's file, for what copies all of them; raises what `open` raises."""
    source = _source(_path_of(path))
    try:
        yield source
    finally:
        _close_call(source)()


def _source(path: Path) -> ClipSource | RingSource:
    try:
        return RingSource.open(path) if kind_of(path) == "ring" else _clip(path)
    except DamagedError as error:
        raise DamagedError(_advice(error, path)) from None


def _path_of(path: str | os.PathLike[str]) -> Path:
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise CommandError(f"open({path!r}): give the path of a clip or of a ring file") from None
    if is_link(text):
        link = RecordingLink.of(text)
        if link.is_endpoint:
            raise CommandError(
                f"{text!r} leads to a running game: connect to {link.target} instead, and ask its"
                " `recording`"
            )
        text = link.target
    elif text.startswith(("tcp://", "ws://", "wss://")):
        raise CommandError(f"{text!r} is an address: connect to it, and ask its `recording`")
    if not text or "\0" in text:
        raise CommandError(f"{text!r} names no file: give the path of a clip or of a ring file")
    path = Path(text)
    if path.is_dir():
        raise CommandError(f"{text}: this is a folder: name a clip (*.mcap) or a ring file in it")
    if not os.path.lexists(path):
        raise CommandError(
            f"{text}: there is no such file; seen from the folder {Path.cwd()}"
            if not path.is_absolute()
            else f"{text}: there is no such file"
        )
    return path


def _clip(path: Path) -> ClipSource:
    source = ClipSource.open(path)
    damage = source.clip.damage
    if source.span is None:
        source.close()
        why = f" ({damage[0].what})" if damage else ""
        raise DamagedError(f"{path}: not one frame of this clip can be read{why}")
    for warning in source.clip.warnings:
        _logger.warning("%s: %s", path, warning)
    if damage:
        _logger.warning(
            "%s: the clip is cut off or damaged, and all that is whole is read: %s; `playhead clip"
            " recover %s OUT` makes a whole one of it, and `damage` of the recording says what is"
            " missing", path, damage[0].what, path,
        )  # fmt: skip
    return source


def _advice(error: DamagedError, path: Path) -> str:
    """The message of an error with the file's path in it, and with what to do about it."""
    text = message_with_path(error, path)
    if text.endswith("the file is empty"):
        text += ": nothing was recorded into it"
    elif "this playhead reads layout" in text:
        text += ": open it with the playhead that recorded it"
    return text


def _close_call(source: ClipSource | RingSource) -> Callable[[], None]:
    return source.close if isinstance(source, ClipSource) else source.ring.close
