"""The id of an object that is given where an id is meant."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import RecordingError
from playhead.recorder.objects.object_ids import MOST_WALKS, ObjectIds, only_id
from playhead.recorder.world_adapter import World


class Thing:
    pass


class Slotted:
    """No weak reference can be made of it."""

    __slots__ = ()


class Equal:
    """Says that it is equal to everything, as a careless class may."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Walked:
    """Ids over a list of objects that counts how often it is walked over."""

    def __init__(self, *things: Any) -> None:
        self.things = dict(enumerate(things, 1))
        self.walks = 0
        self.frame = 1
        self.ids = ObjectIds(self.objects, frame=lambda: self.frame)

    def objects(self):
        self.walks += 1
        return [(id, "thing", thing) for id, thing in self.things.items()]


@pytest.mark.parametrize("number", [0, 7, np.int64(7), np.uint32(7)])
def test_a_number_is_an_id_and_nobody_is_asked(number):
    walked = Walked(Thing())
    assert walked.ids.id_of(number) == number
    assert type(walked.ids.id_of(number)) is int
    assert walked.walks == 0


@pytest.mark.parametrize("wrong", [True, False])
def test_true_and_false_are_no_ids(wrong):
    with pytest.raises(RecordingError, match=f"object {wrong}: give an object of the world"):
        Walked(Thing()).ids.id_of(wrong)


@pytest.mark.parametrize("kind", [Thing, Slotted, Equal])
def test_objects_are_found_by_one_walk_a_frame(kind):
    things = [kind() for _ in range(50)]
    walked = Walked(*things)
    for walked.frame in (1, 2, 3):
        for _ in range(3):
            assert [walked.ids.id_of(thing) for thing in things] == list(range(1, 51))
        if walked.ids.keeps_objects:
            walked.ids.release()
    assert walked.walks == (3 if kind is Slotted else 1)


def test_an_object_is_itself_and_none_that_is_equal_to_it():
    walked = Walked(Equal(), Equal())
    with pytest.raises(RecordingError, match="is not one of the objects that the world gives"):
        walked.ids.id_of(Equal())


def test_an_object_that_came_up_meanwhile_is_found():
    walked = Walked(Thing())
    assert walked.ids.id_of(walked.things[1]) == 1
    walked.things[2] = Thing()
    assert walked.ids.id_of(walked.things[2]) == 2
    assert walked.walks == 2


@pytest.mark.parametrize("kind", [Thing, Slotted])
def test_no_object_is_kept_alive_beyond_its_frame(kind):
    thing = kind()
    walked = Walked(thing)
    before = sys.getrefcount(thing)
    walked.ids.id_of(thing)
    assert walked.ids.keeps_objects is (kind is Slotted)
    assert sys.getrefcount(thing) == before + (kind is Slotted)
    walked.ids.release()
    assert sys.getrefcount(thing) == before


def test_the_place_in_memory_of_one_that_is_gone_says_nothing_of_the_next():
    walked = Walked(Thing())
    for _ in range(200):
        walked.frame += 1
        walked.ids.id_of(walked.things[1])
        walked.things.clear()  # the next one may be put where it was
        stranger = Thing()
        with pytest.raises(RecordingError, match="not one of the objects"):
            walked.ids.id_of(stranger)
        walked.things[1] = Thing()


def test_a_stranger_costs_a_bounded_number_of_walks_a_frame():
    walked = Walked(Thing())
    for _ in range(100):
        with pytest.raises(RecordingError):
            walked.ids.id_of(Thing())
    assert walked.walks == MOST_WALKS
    assert walked.frame == 1


def test_a_world_with_an_answer_of_its_own_is_asked_instead():
    class Own(World):
        def objects(self):
            raise AssertionError("walked over")

        def time(self):
            return 0.0

        def find(self, object_id):
            return None

        def id_of(self, object):
            return {"player": 7, "wrong": "seven", "true": True}.get(object)

    ids = ObjectIds.of(Own(), lambda: 1)
    assert ids.id_of("player") == 7
    with pytest.raises(RecordingError, match="'nobody' is not one of the objects"):
        ids.id_of("nobody")
    for wrong in ("wrong", "true"):
        with pytest.raises(RecordingError, match=rf"id_of\('{wrong}'\) answered .*an id is an int"):
            ids.id_of(wrong)


def test_an_object_whose_text_can_not_be_had_is_refused_all_the_same():
    class Broken:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    with pytest.raises(RecordingError, match="a Broken whose text can't be had is not one of"):
        Walked().ids.id_of(Broken())


def test_where_there_is_no_world_only_ids_will_do():
    assert only_id(np.int32(7)) == 7
    for wrong in (True, Thing(), None, 7.0):
        with pytest.raises(RecordingError, match="named by its id"):
            only_id(wrong)


@given(st.data())
def test_whatever_comes_and_goes_an_object_has_its_own_id_or_none(data):
    """Against a model: the objects that the world gives now, by identity."""
    walked, there, gone, numbers = Walked(), {}, [], iter(range(1, 1000))
    walked.things = there
    for _ in range(data.draw(st.integers(1, 30))):
        act = data.draw(st.sampled_from(("come", "go", "ask", "frame")))
        if act == "come":
            there[next(numbers)] = data.draw(st.sampled_from((Thing, Slotted, Equal)))()
        elif act == "go" and there:
            gone.append(there.pop(data.draw(st.sampled_from(sorted(there)))))
        elif act == "frame":
            walked.frame += 1
            walked.ids.release()
        elif act == "ask" and there:
            number = data.draw(st.sampled_from(sorted(there)))
            assert walked.ids.id_of(there[number]) == number


def test_a_name_means_the_one_object_that_has_it_in_the_recording():
    names = {3: "runner", 4: "guard", 5: "guard"}
    ids = ObjectIds(names=names)
    assert ids.id_of("runner") == 3
    with pytest.raises(RecordingError, match="the name of the objects 4, 5: give the id"):
        ids.id_of("guard")
    with pytest.raises(RecordingError, match="no object is called 'runer'.*did you mean 'runner'"):
        ids.id_of("runer")
