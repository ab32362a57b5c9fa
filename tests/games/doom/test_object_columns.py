"""The columns of one tic."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.doom.object_columns import DOOM_LAYOUT, DOOM_OBJECT, ObjectTable

NAMES = ("DoomPlayer", "Rocket", "Stimpack", "Zombieman")


def table(types, ids=None):
    records = np.zeros(len(types), DOOM_OBJECT)
    records["position"] = np.arange(3 * len(types), dtype=float).reshape(-1, 3)
    ids = range(1, len(types) + 1) if ids is None else ids
    return ObjectTable(np.array(ids, "<u8"), np.array(types, "<u4"), records, NAMES)


def test_a_record_is_packed_and_its_layout_says_the_same():
    assert DOOM_OBJECT.itemsize == 72
    assert DOOM_LAYOUT.dtype == DOOM_OBJECT


def test_a_tic_without_objects_has_no_types():
    empty = table([])
    assert empty.slices() == []
    assert empty.columns_by_type() == []
    assert list(empty) == []
    assert empty.find(1) is None


@given(st.lists(st.integers(0, 3), max_size=40).map(sorted))
def test_the_slices_are_the_whole_table_in_its_order(types):
    objects = table(types)
    walked = [(id, name) for id, name, _ in objects]
    sliced = [(id, name) for name, part in objects.slices() for id in objects.ids[part].tolist()]
    assert sliced == walked
    assert len({name for name, _ in objects.slices()}) == len(objects.slices())


def test_columns_are_views_of_the_table_in_single_precision_for_showing():
    objects = table([0, 2, 2])
    (player, one), (stimpack, two) = objects.columns_by_type()
    assert (player, stimpack) == ("DoomPlayer", "Stimpack")
    assert two.ids.tolist() == [2, 3]
    assert two.positions.dtype == two.angles.dtype == np.float32
    assert two.positions.tolist() == [[3, 4, 5], [6, 7, 8]]
    assert np.shares_memory(two.payloads, objects.records)
    assert one.payloads.dtype == DOOM_OBJECT


def test_an_object_is_found_by_its_id():
    objects = table([1, 3], ids=[7, 5])
    assert objects.find(5)["position"].tolist() == [3, 4, 5]
    assert objects.type_of(5) == "Zombieman"
    assert objects.find(6) is objects.type_of(6) is None
    assert objects.types_by_id() == {7: "Rocket", 5: "Zombieman"}


def test_the_hash_tells_ids_types_and_numbers_apart():
    hashes = {
        table([0, 1]).hash(),
        table([0, 0]).hash(),
        table([0, 1], ids=[1, 3]).hash(),
        table([0, 1, 1]).hash(),
    }
    moved = table([0, 1])
    moved.records["velocity"][1, 2] = 1e-300
    assert len(hashes | {moved.hash()}) == 5
    assert table([0, 1]).hash() == table([0, 1]).hash()
