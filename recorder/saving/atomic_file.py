"""Files and folders that appear under their name only when they are complete.

Nothing is overwritten. If the name is taken, the new file is refused, or the clip that has the name
is renamed to the next number.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ...errors import RecordingError

_CLIP = b"\x89MCAP"
"""How a clip begins."""


def check_free(path: Path, *, keep_older: bool = False, can_overwrite: bool = False) -> None:
    """Look, before long work begins, whether a file can be made there.

    Args:
        keep_older: Whether a clip of that name is no obstacle: see `give_name`.
        can_overwrite: Whether who saves may have a way to replace it, for the error.

    Raises:
        RecordingError: there is such a file, or no folder for it that can be written into.
    """
    if os.path.lexists(path):
        if not keep_older:
            raise _exists(path, can_overwrite=can_overwrite)
        _check_clip(path)
    check_folder(path)
    folder = path.absolute().parent
    if not os.access(folder, os.W_OK):
        raise RecordingError(f"{path}: the folder {folder} can't be written into")


def check_folder(path: Path) -> None:
    """Look whether there is a folder for a file, or for another folder.

    Raises:
        RecordingError: there is none.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise RecordingError(f"{path}: there is no folder {folder}: make it first")


def check_clip_name(path: str | os.PathLike[str]) -> None:
    """See that a clip is called one.

    Raises:
        RecordingError: its name does not end in `.mcap`.
    """
    name = Path(os.fspath(path))
    if name.is_dir():
        raise RecordingError(f"{path}: this is a folder: name a file in it, such as run.mcap")
    if name.suffix != ".mcap":
        raise RecordingError(
            f"{path}: the name of a clip ends in .mcap: name it {name.stem or 'run'}.mcap"
        )


class NewFile(NamedTuple):
    """What a finished file is called."""

    path: Path
    older: Path | None = None
    """The new name of the clip that had this name before; None if there was none."""


def give_name(
    part: Path, path: Path, *, overwrite: bool = False, keep_older: bool = False
) -> NewFile:
    """Give a finished file its name. It replaces none that has come meanwhile.

    Two processes may do this at the same time with one name: both files stay.

    Args:
        overwrite: Replace what is there.
        keep_older: A clip that is there gets another name: `run.mcap` becomes `run.1.mcap`, the
            next one `run.2.mcap`. The file itself has the name that was asked for; where the clip
            can't be renamed, since it is another user's or open, the file has the number instead.

    Raises:
        RecordingError: the name is taken; with `keep_older`, by something that is no clip.
        OSError: the files can't be renamed.
    """
    if overwrite:
        part.replace(path)
        return NewFile(path)
    older = None
    while True:
        try:
            _link(part, path)
            return NewFile(path, older)
        except FileExistsError:
            if not keep_older:
                raise _exists(path) from None
        if not _check_clip(path):
            continue
        target = _next_number(path)
        try:
            path.replace(target)
            older = target
        except FileNotFoundError:  # gone meanwhile
            target.unlink()
        except OSError:
            part.replace(target)
            return NewFile(target)


def _link(part: Path, path: Path) -> None:
    """Rename a file; unlike a rename this can't replace one that has come meanwhile."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):  # no such links there
        if os.path.lexists(path):
            raise FileExistsError from None
        part.rename(path)
    else:
        part.unlink()


def _next_number(path: Path) -> Path:
    """Take the next free number with an empty file: no other process gets the same one."""
    number = 0
    while True:
        number += 1
        target = path.with_name(f"{path.stem}.{number}{path.suffix}")
        try:
            target.touch(exist_ok=False)
        except FileExistsError:
            continue
        return target


def _check_clip(path: Path) -> bool:
    """Refuse what is no clip; returns False if there is nothing any more.

    Another clip may have come when this returns False: the caller looks again.
    """
    try:
        with path.open("rb") as file:
            is_clip = file.read(len(_CLIP)) == _CLIP
    except FileNotFoundError:
        if not path.is_symlink():
            return False
        is_clip = False  # a link to nothing
    except OSError:
        is_clip = False
    if not is_clip:
        raise RecordingError(f"{path}: this is there already and is no clip: give another name")
    return True


def check_replaceable(path: Path) -> None:
    """Only a file, or a link to one, is ever replaced: no folder, device, pipe or socket.

    Raises:
        RecordingError: there is one.
    """
    try:
        mode = path.stat().st_mode  # once: another process may move it at this moment
    except OSError:
        return
    if stat.S_ISDIR(mode):
        raise RecordingError(f"{path}: this is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        raise RecordingError(f"{path}: this is no file, and is not replaced: give another name")


@contextmanager
def new_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A name to write a file under, which gets its own at the end; after an error nothing stays.

    Raises:
        RecordingError: there is such a file, or it can't be made or written.
    """
    check_replaceable(path)
    if not overwrite and os.path.lexists(path):
        raise _exists(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with _naming_path(path):
            check_folder(path)
            yield part
            give_name(part, path, overwrite=overwrite)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def new_folder(
    path: Path, *, overwrite: bool = False, is_own: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """A folder to write into, which gets its own name at the end; after an error nothing stays.

    Args:
        overwrite: Replace what is there; else only an empty folder may be.
        is_own: Whether something in the folder may be replaced; by default all of it.

    Raises:
        RecordingError: there is such a folder, or it can't be made or written.
    """
    if os.path.lexists(path) and not path.is_dir():
        raise _exists(path)
    if overwrite and is_own is not None and path.is_dir():
        strange = next((one for one in sorted(path.iterdir()) if not is_own(one)), None)
        if strange is not None:
            raise RecordingError(
                f"{path}: this folder has more in it than is made here, such as {strange.name!r},"
                " and is not replaced: give another name"
            )
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with _naming_path(path):
            if not overwrite and path.is_dir() and any(path.iterdir()):
                raise _exists(path)
            check_folder(path)
            part.mkdir()
            yield part
            if path.is_dir():
                if overwrite:
                    shutil.rmtree(path)
                else:
                    path.rmdir()
            part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _naming_path(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f"{path}: this can't be written: {error.strerror}: make room, or give another path"
        ) from error


def _exists(path: Path, *, can_overwrite: bool = True) -> RecordingError:
    how = (
        "give another name, remove it first, or overwrite it where that is offered"
        if can_overwrite
        else "give another name, or remove it first"
    )
    return RecordingError(f"{path}: this is there already: {how}")
