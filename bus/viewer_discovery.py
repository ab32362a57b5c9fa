"""The registry of running viewers: one file each with its address, readable by its user only.

Each viewer has a small file in a folder that only its user can read: its address, and the secret
that requests must have. `PLAYHEAD_VIEWERS` names another folder.
"""

import contextlib
import os
import re
import secrets
import stat
import sys
import tempfile
from pathlib import Path

import msgspec

from ..errors import BusError, CommandError
from .messages.address import Address

FOLDER = "PLAYHEAD_VIEWERS"
_FILE = re.compile(r"viewer-(\d+)-[0-9a-f]+\.json")
_MOST_BYTES = 4096


class RunningInstance(msgspec.Struct, frozen=True):
    """What a permitted client needs to know to connect."""

    endpoint: str
    """On this machine's loopback."""
    secret: str
    process: int
    opened: float
    """Seconds since 1970."""


def folder() -> Path:
    """The folder of this user's registered viewers; it may not exist."""
    path = os.environ.get(FOLDER)
    if path:
        return Path(path)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()) / "playhead" / "run"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    # It stays set under `su` and `sudo`, but is another user's there.
    if runtime and _is_own(Path(runtime)):
        return Path(runtime) / "playhead"
    return Path(tempfile.gettempdir()) / f"playhead-{os.getuid()}"


def register_instance(instance: RunningInstance) -> Path:
    """Write an instance's file, whole or not at all; returns its path.

    Raises:
        BusError: the folder is not this user's alone, or can't be written to.
    """
    directory = folder()
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check(directory)
        file = directory / f"viewer-{instance.process}-{secrets.token_hex(4)}.json"
        part = file.with_suffix(".part")
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as written:
            written.write(msgspec.json.encode(instance))
        part.replace(file)
    except OSError as error:
        raise BusError(
            f"{directory}: no viewer can be registered there: {error.strerror or error};"
            f" set {FOLDER} to another folder"
        ) from None
    return file


def unregister_instance(file: Path) -> None:
    """Remove an instance's file; another process may have removed it already."""
    with contextlib.suppress(OSError):
        file.unlink(missing_ok=True)


def running_instances() -> list[tuple[Path, RunningInstance]]:
    """The instances of viewers that may be alive, the one opened last first.

    Those of processes that are gone are taken down.

    Raises:
        BusError: the folder is not this user's alone.
    """
    directory = folder()
    try:
        files = sorted(directory.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BusError(
            f"{directory}: no viewer can be looked for there: {error.strerror}"
        ) from None
    _check(directory)
    found = []
    for file in files:
        name = _FILE.fullmatch(file.name)
        if name is None:
            continue
        if not _lives(int(name[1])):
            unregister_instance(file)
        elif (instance := _read(file)) is not None:
            found.append((file, instance))
    return sorted(found, key=lambda one: -one[1].opened)


def _read(file: Path) -> RunningInstance | None:
    """The instance in a file; None for what no viewer of this user and version has written."""
    try:
        if not _is_own(file) or file.stat().st_size > _MOST_BYTES:
            return None
        instance = msgspec.json.decode(file.read_bytes(), type=RunningInstance)
        return instance if Address.of(instance.endpoint).loopback else None
    except (OSError, msgspec.MsgspecError, CommandError):
        return None


def _check(directory: Path) -> None:
    """Refuse a folder that another user could have written into.

    Raises:
        BusError: it is one.
    """
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise BusError(f"{directory} is no folder: remove it, or set {FOLDER} to another folder")
    if sys.platform != "win32" and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        raise BusError(
            f"{directory} can be written by other users: remove it, or set {FOLDER} to a folder"
            " that is yours alone"
        )


def _is_own(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return sys.platform == "win32" or status.st_uid == os.getuid()


def _lives(process: int) -> bool:
    """Whether there is such a process, as far as can be seen without disturbing it."""
    if sys.platform == "win32":
        return True  # a signal would end it there
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
