"""Files and folders that appear under their name only when they are whole."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import RecordingError


def check_free(path: Path) -> None:
    """Look, before long work begins, whether a file can be made there.

    Raises:
        RecordingError: there is such a file, or no folder for it that can be written into.
    """
    if os.path.lexists(path):
        raise _exists(path)
    folder = path.absolute().parent
    if not folder.is_dir():
        raise RecordingError(f"{path}: there is no folder {folder}: make it first")
    if not os.access(folder, os.W_OK):
        raise RecordingError(f"{path}: the folder {folder} can't be written into")


@contextmanager
def new_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A name to write a file under, which gets its own at the end; after an error nothing stays.

    Raises:
        RecordingError: there is such a file, or it can't be made or written.
    """
    if path.is_dir():
        raise RecordingError(f"{path}: this is a folder: name a file in it")
    if not overwrite and os.path.lexists(path):
        raise _exists(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with _told(path):
            yield part
            if overwrite:
                part.replace(path)
                return
            try:  # unlike a rename this can't replace a file that has come meanwhile
                os.link(part, path)
            except FileExistsError:
                raise _exists(path) from None
            except (OSError, AttributeError, NotImplementedError):  # no such links there
                if os.path.lexists(path):
                    raise _exists(path) from None
                part.rename(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A folder to write into, which gets its own name at the end; after an error nothing stays.

    Args:
        overwrite: Replace what is there; else only an empty folder may be.

    Raises:
        RecordingError: there is such a folder, or it can't be made or written.
    """
    if os.path.lexists(path) and not path.is_dir():
        raise _exists(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with _told(path):
            if not overwrite and path.is_dir() and any(path.iterdir()):
                raise _exists(path)
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
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f"{path}: this can't be written: {error.strerror}: make room, or give another place"
        ) from error


def _exists(path: Path) -> RecordingError:
    return RecordingError(f"{path}: this is there already: give another name, or overwrite it")
