"""Saved games of Doom: screenshots, as the engine makes them, that say what was played."""

import zlib
from collections.abc import Iterator
from pathlib import Path

from ...errors import GameError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MOST_BYTES = 64 << 20
_MAP = b"Current Map"
"""The note that only saved games have."""


def write(path: Path, data: bytes) -> None:
    """Keep a saved game. What was at `path` is replaced only by a complete one.

    Raises:
        GameError: it can't be written there.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise GameError(f"{path}: no saved game can be written there: {error}") from error


def read(path: Path, map: str) -> bytes:
    """A saved game of this map.

    Raises:
        GameError: it can't be read, is damaged, or is no saved game of this map.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise GameError(f"{path}: the saved game can't be read: {error}") from error
    if len(data) > _MOST_BYTES:
        raise GameError(f"{path}: this is no saved game: it is larger than {_MOST_BYTES} bytes")
    if not data.startswith(_SIGNATURE):
        raise GameError(f"{path}: this is no saved game of Doom")
    for kind, content in _chunks(path, data):
        keyword, _, text = content.partition(b"\0")
        if kind == b"tEXt" and keyword == _MAP:
            found = text.decode("latin-1").lower()
            if found != map.lower():
                raise GameError(f"{path}: this was saved in {found}, not in {map}")
            return data
    raise GameError(f"{path}: this is a picture, but no saved game of Doom")


def _chunks(path: Path, data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Type and content of each part of a picture, all of them found whole."""
    at, found, end = len(_SIGNATURE), [], False
    while not end:
        size = int.from_bytes(data[at : at + 4], "big")
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        check = data[at + 8 + size : at + 12 + size]
        if len(check) < 4 or zlib.crc32(kind + content) != int.from_bytes(check, "big"):
            raise GameError(f"{path}: this saved game is damaged at byte {at}")
        found.append((kind, content))
        end = kind == b"IEND"
        at += 12 + size
    yield from found
