"""Saved games as files."""

import struct
import zlib

import pytest

from playhead.errors import GameError
from playhead.games.doom import saved_game_file as saved


def chunk(kind, content):
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def picture(*chunks):
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*one) for one in (*chunks, (b"IEND", b"")))


GOOD = picture((b"IHDR", bytes(13)), (b"tEXt", b"Current Map\0map01"), (b"snAp", b"x" * 500))


def test_what_was_written_is_read_again(tmp_path):
    saved.write(tmp_path / "a.save", b"old")
    saved.write(tmp_path / "a.save", GOOD)
    assert saved.read(tmp_path / "a.save", "MAP01") == GOOD
    assert [file.name for file in tmp_path.iterdir()] == ["a.save"]


def test_another_maps_game_is_refused(tmp_path):
    (tmp_path / "a.save").write_bytes(GOOD)
    with pytest.raises(GameError, match="saved in map01, not in map02"):
        saved.read(tmp_path / "a.save", "map02")


def test_a_mere_picture_and_anything_else_are_refused(tmp_path):
    for data, result in ((picture((b"IHDR", bytes(13))), "a picture"), (b"hello", "no saved game")):
        (tmp_path / "a.save").write_bytes(data)
        with pytest.raises(GameError, match=result):
            saved.read(tmp_path / "a.save", "map01")


def test_every_cut_and_flipped_byte_is_found(tmp_path):
    path = tmp_path / "a.save"
    for at in range(0, len(GOOD), 7):
        path.write_bytes(GOOD[:at])
        with pytest.raises(GameError, match=r"a\.save"):
            saved.read(path, "map01")
        path.write_bytes(GOOD[:at] + bytes([GOOD[at] ^ 16]) + GOOD[at + 1 :])
        with pytest.raises(GameError, match=r"a\.save"):
            saved.read(path, "map01")


def test_a_place_that_can_not_be_written_or_read_is_named(tmp_path):
    with pytest.raises(GameError, match="no/such/folder"):
        saved.write(tmp_path / "no/such/folder/a.save", GOOD)
    with pytest.raises(GameError, match=r"none\.save"):
        saved.read(tmp_path / "none.save", "map01")
