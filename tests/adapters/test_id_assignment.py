"""Objects keep their numbers for life, and nobody inherits one by chance."""

import gc
import weakref

import pytest

from playhead.adapters.id_assignment import IdAssignment


class Plain:
    pass


class Slots:
    __slots__ = ("x",)


class Equal:
    """Equal to all of its kind, and so not to be hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)


@pytest.mark.parametrize("make", [Plain, Slots, Equal, dict, list])
def test_ids_count_up_and_stay(make):
    ids, objects = IdAssignment(), [make() for _ in range(5)]
    assert [ids.of(one) for one in objects] == [1, 2, 3, 4, 5]
    assert [ids.of(one) for one in reversed(objects)] == [5, 4, 3, 2, 1]
    assert all(ids.find(ids.of(one)) is one for one in objects)


@pytest.mark.parametrize("make", [Plain, Slots, dict])
def test_a_new_object_at_an_old_address_has_a_new_id(make):
    ids, seen, places = IdAssignment(), set(), set()
    for _ in range(200):
        one = make()
        places.add(id(one))
        number = ids.of(one)
        assert number not in seen
        seen.add(number)
        ids.forget_all_but([])  # it is not listed any more
        del one
    assert len(places) < 200, "no address was used twice: this has shown nothing"
    assert len(seen) == 200


def test_an_object_is_not_kept_alive():
    ids, one = IdAssignment(), Plain()
    number, watched = ids.of(one), weakref.ref(one)
    del one
    assert watched() is None
    assert ids.find(number) is None


def test_one_that_is_gone_for_a_while_comes_back_as_itself():
    ids, one = IdAssignment(), Plain()
    number = ids.of(one)
    ids.forget_all_but([])
    assert ids.of(one) == number


def test_what_takes_the_place_of_another_has_its_id():
    ids, old, new = IdAssignment(), Plain(), Plain()
    number = ids.of(old)
    ids.reassign(number, new)
    assert ids.of(new) == number
    assert ids.find(number) is new
    assert ids.get(old) is None
    del old
    gc.collect()
    assert ids.find(number) is new


def test_nothing_grows_with_what_has_gone():
    ids = IdAssignment()
    for _ in range(1000):
        ids.of(Plain())
        ids.of({})
        ids.forget_all_but([])
    assert not ids._entries
    assert not ids._keys
    assert not ids._referenced
