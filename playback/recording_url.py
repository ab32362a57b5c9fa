"""Links into recordings: `playhead://FILE#frame=N&focus=ID`, to be pasted, sent and opened.

A link names a file or a running game's address, and in it an instant and an object. Instead of
`frame=N` it can have `at=SECONDS` or `mark=NAME`. Everything in it is percent-encoded as in a URL.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from ..errors import CommandError
from .commands import LARGEST_ID, Command, SeekFrame, SeekMark, SeekTime

SCHEME = "playhead://"
_EXAMPLE = f"{SCHEME}/home/me/run.mcap#frame=480&focus=7"
_ENDPOINT = re.compile(r"tcp://(\[[0-9A-Fa-f:.%]+]|[^:/\s\[\]]+):\d{1,5}")
_DRIVE = re.compile(r"/?([A-Za-z]:)[\\/]")
_SHARE = re.compile(r"[\\/]{2}[^\\/]+[\\/]")
_PATH = "/"
_DRIVE_PATH = "/:"
_ADDRESS = "/:[]"
"""What stays as it is in a path, in one with a drive's letter, in an address."""


class RecordingLink(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recording, an instant in it, and whom to look at. `str` of it is what people paste.

    Raises:
        CommandError: the target can't be opened from everywhere, or a number makes no sense.
    """

    target: str
    """The file's absolute path, with slashes if it begins with a drive or a share of Windows; or
    the endpoint of a running game, `tcp://HOST:PORT`."""
    frame: int | None = None
    at: float | None = None
    """Timeline time, seconds."""
    mark: str = ""
    focus: int = 0
    """The object to be selected; 0 for none."""

    def __post_init__(self) -> None:
        if any(ord(letter) < 32 for letter in self.target + self.mark):
            raise CommandError(f"link to {self.target!r}: a control character is part of no name")
        if not _has_fragment(self.target):
            raise CommandError(
                f"link to {self.target!r}: give a file's absolute path, or tcp://HOST:PORT"
            )
        if sum((self.frame is not None, self.at is not None, bool(self.mark))) > 1:
            raise CommandError(f"link to {self.target!r}: give one of frame, at and mark, not more")
        if self.frame is not None and not 1 <= self.frame <= LARGEST_ID:
            raise CommandError(f"frame={self.frame}: frames count from 1")
        if self.at is not None and not math.isfinite(self.at):
            raise CommandError(f"at={self.at}: give a finite number of seconds")
        if not 0 <= self.focus <= LARGEST_ID:
            raise CommandError(f"focus={self.focus}: give an object's id, up to {LARGEST_ID}")

    @classmethod
    def to(
        cls, target: str | Path, command: Command | None = None, *, focus: int = 0
    ) -> "RecordingLink":
        """A link to a file, absolute or seen from the working folder, or to an endpoint.

        Args:
            command: The seek that leads to the instant; None for wherever the recording opens.

        Raises:
            CommandError: the target is empty, or the command does not lead to one instant.
        """
        url = _whole(str(target))
        match command:
            case None:
                return cls(url, focus=focus)
            case SeekFrame(frame):
                return cls(url, frame=frame, focus=focus)
            case SeekTime(time):
                return cls(url, at=float(time), focus=focus)
            case SeekMark(name):
                return cls(url, mark=name, focus=focus)
        raise CommandError(f"{command!r} leads to no instant: a link holds a seek")

    @classmethod
    def of(cls, text: str) -> "RecordingLink":
        """The link that a user typed or pasted. A path in it is seen from the working folder.

        Raises:
            CommandError: it is no link; names the part that makes none.
        """
        typed = text.strip()
        if not is_link(typed):
            raise CommandError(f"{text!r} is no link: give one such as {_EXAMPLE}")
        target, _, options = typed[len(SCHEME) :].partition("#")
        if not target:
            raise CommandError(f"{text!r} names no file: give a link such as {_EXAMPLE}")
        drive = _DRIVE.match(target)
        if drive is not None:
            target = target[drive.start(1) :]
        values = _values(options, text)
        return cls(_whole(unquote(target, errors="surrogateescape")), **values)

    def __str__(self) -> str:
        windows = bool(_DRIVE.match(self.target)) and not self.target.startswith("/")
        unquoted = _ADDRESS if self.is_endpoint else _DRIVE_PATH if windows else _PATH
        text = SCHEME + "/" * windows + quote(self.target, unquoted, errors="surrogateescape")
        options = []
        if self.frame is not None:
            options.append(f"frame={self.frame}")
        if self.at is not None:
            options.append(f"at={self.at!r}")
        if self.mark:
            options.append(f"mark={quote(self.mark, '', errors='surrogateescape')}")
        if self.focus:
            options.append(f"focus={self.focus}")
        return text + ("#" + "&".join(options) if options else "")

    @property
    def is_endpoint(self) -> bool:
        """Whether it leads to a running game and not to a file."""
        return bool(_ENDPOINT.fullmatch(self.target))

    @property
    def command(self) -> Command | None:
        """What leads to its instant; None if it names none."""
        if self.frame is not None:
            return SeekFrame(self.frame)
        if self.at is not None:
            return SeekTime(self.at)
        return SeekMark(self.mark) if self.mark else None


def is_link(text: str) -> bool:
    """Whether a text is meant as a link, valid or not."""
    return text.lstrip()[: len(SCHEME)].lower() == SCHEME


def _has_fragment(target: str) -> bool:
    """Whether a target means the same wherever it is opened."""
    windows = re.match(r"[A-Za-z]:/", target) or target.startswith("//")
    return bool(_ENDPOINT.fullmatch(target) or windows) or Path(target).is_absolute()


def _whole(target: str) -> str:
    """A target as a user gives it, in the form that means the same everywhere."""
    if not target:
        raise CommandError("a link needs a file or an address to lead to")
    if _ENDPOINT.fullmatch(target):
        return target
    if re.match(r"\w\w+://", target):
        raise CommandError(f"{target!r} is no address: give tcp://HOST:PORT, or a file")
    if re.match(r"[A-Za-z]:[\\/]", target) or (_SHARE.match(target) and target[0] == "\\"):
        return target.replace("\\", "/")
    if _SHARE.match(target) or Path(target).is_absolute():
        return target
    # Not resolved: a path through a link of the file system is the one that people know.
    return str(Path.cwd() / target)


def _values(options: str, link: str) -> dict[str, Any]:
    """The part after the `#`."""
    values: dict[str, Any] = {}
    for part in options.split("&") if options else ():
        name, _, text = part.partition("=")
        if name not in _PARTS:
            raise CommandError(f"{link!r} has {part!r}: a link knows {', '.join(_PARTS)}")
        if name in values:
            raise CommandError(f"{link!r} has {name} twice")
        try:
            values[name] = _PARTS[name](text)
        except ValueError:
            raise CommandError(f"{link!r}: {name} can't be {text!r}") from None
    return values


def _id(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(text)
    return int(text)


def _name(text: str) -> str:
    if not text:
        raise ValueError(text)
    return unquote(text, errors="surrogateescape")


_PARTS: dict[str, Callable[[str], Any]] = {"frame": _id, "at": float, "mark": _name, "focus": _id}
