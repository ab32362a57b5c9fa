"""Reading a level out of the game's data file."""

import struct

import pytest

from playhead.errors import DamagedError, GameError
from playhead.games.doom.wad_map import EXITS, WadMap

from .levels import DOOR, EXIT, Plan, write_wad

TWO = ((0, 128, 0, 128), (128, 256, 16, 96))


def test_lines_know_the_rooms_beside_them(tmp_path):
    level = Plan(*TWO).level(tmp_path)
    (between,) = [at for at in range(len(level.starts)) if level.left[at] >= 0]
    assert {level.right[between], level.left[between]} == {0, 1}
    assert not level.blocking[between]
    assert level.blocking.sum() == len(level.starts) - 1
    assert level.floors.tolist() == [0, 16]
    assert level.ceilings.tolist() == [128, 96]
    assert level.beside(0) == [1]


def test_doors_are_the_sectors_behind_the_lines_that_open_them(tmp_path):
    rooms = ((0, 128, 0, 128), (128, 144, 0, 0), (144, 300, 0, 128))
    level = Plan(*rooms).does(DOOR, x=128).does(EXIT, x=300).level(tmp_path)
    assert level.doors() == [1]
    (switch,) = level.lines_of(EXITS)
    assert level.starts[switch][0] == level.ends[switch][0] == 300


@pytest.mark.parametrize("name", ["map01", "MAP01"])
def test_a_level_is_found_by_its_name_in_any_case(tmp_path, name):
    assert len(WadMap(Plan(*TWO).write(tmp_path / "level.wad"), name).starts) > 0


def test_what_is_not_there_is_reported(tmp_path):
    with pytest.raises(GameError, match="MAP07"):
        WadMap(Plan(*TWO).write(tmp_path / "level.wad"), "map07")
    with pytest.raises(GameError, match=r"no\.wad"):
        WadMap(tmp_path / "no.wad", "map01")


@pytest.mark.parametrize(
    "data",
    [b"", b"PWAD", b"ELF!" + bytes(20), struct.pack("<4sii", b"PWAD", 9, 12), bytes(12)],
)
def test_a_file_that_is_no_wad_is_damaged(tmp_path, data):
    (tmp_path / "torn.wad").write_bytes(data)
    with pytest.raises(DamagedError, match=r"torn\.wad"):
        WadMap(tmp_path / "torn.wad", "map01")


@pytest.mark.parametrize("lump", ["LINEDEFS", "SIDEDEFS", "VERTEXES", "SECTORS", "THINGS"])
def test_a_lump_that_is_torn_or_missing_is_named(tmp_path, lump):
    lumps = Plan(*TWO).lumps()
    for torn in (lumps[lump][:-1], b""):
        path = Plan(*TWO).write(tmp_path / "torn.wad", lumps={**lumps, lump: torn})
        with pytest.raises(DamagedError, match=lump):
            WadMap(path, "map01")


@pytest.mark.parametrize("lump", ["VERTEXES", "SIDEDEFS", "SECTORS"])
def test_lines_that_lead_nowhere_are_damage(tmp_path, lump):
    lumps = Plan(*TWO).lumps()
    size = {"VERTEXES": 4, "SIDEDEFS": 30, "SECTORS": 26}[lump]
    path = Plan(*TWO).write(tmp_path / "torn.wad", lumps={**lumps, lump: lumps[lump][:size]})
    with pytest.raises(DamagedError, match="map01 refers to a part that it does not have"):
        WadMap(path, "map01")


def test_lumps_of_another_level_are_not_taken_for_this_one(tmp_path):
    lumps = Plan(*TWO).lumps()
    sectors = lumps.pop("SECTORS")
    path = write_wad(
        tmp_path / "two.wad", {"MAP01": b"", **lumps, "MAP02": b"", "SECTORS": sectors}
    )
    with pytest.raises(DamagedError, match="SECTORS"):
        WadMap(path, "map01")
