"""An adapter that answers the three questions is enough; all else has a harmless default."""

import pytest

from playhead.recorder.world_adapter import Conventions, ObjectEntry, StandIn, World


class Smallest(World):
    def objects(self):
        return [ObjectEntry(1, "orc", self)]

    def time(self):
        return 0.0

    def find(self, object_id):
        return self if object_id == 1 else None


def test_three_answers_are_enough_and_each_of_them_is_needed():
    Smallest()
    for name in ("objects", "time", "find"):
        members = {
            key: getattr(Smallest, key) for key in ("objects", "time", "find") if key != name
        }
        with pytest.raises(TypeError, match=name):
            type("Incomplete", (World,), members)()


def test_the_defaults_do_nothing_and_say_so():
    world = Smallest()
    assert world.can_restore
    assert not world.columnar
    assert list(world.batches()) == []
    assert world.conventions == Conventions("z", "right", "m", ("x", "y", "z"))
    answers = [
        world.pause(), world.resume(), world.lock_input(True), world.hide(1), world.unhide(1),
        world.show_stand_in(StandIn(2, "orc", (0, 0, 0), (0, 0, 0), True)),
        world.remove_stand_in(2), world.look_at(1, (0, 0, 0)),
    ]  # fmt: skip
    assert set(answers) == {None}


def test_an_entry_is_the_plain_tuple_that_the_recorder_walks_over(make_recorder, thing):
    recorder = make_recorder()
    frame = recorder.update([ObjectEntry(4, "thing", thing(2.0))], 0.1)
    assert [packet.id for packet in recorder.source.objects(frame)] == [4]


def test_an_objects_id_is_found_by_the_object_itself_and_by_nothing_equal():
    world, equal = Smallest(), Smallest()
    assert world.id_of(world) == 1
    assert world.id_of(equal) is None


def test_a_world_without_a_screen_has_no_pixels():
    assert Smallest().screen_pixels() is None
