"""The yard's adapter: what playback may do to views, and that all of it can be undone."""

import pytest

from playhead.games.arena.arena_world_adapter import YardWorld
from playhead.games.arena.guard_yard import Yard
from playhead.playback.pads.pad import Pad
from playhead.recorder.world_adapter import Conventions, StandIn


@pytest.fixture
def world():
    world = YardWorld(Yard())
    for _ in range(400):
        world.step()
    return world


def test_objects_come_in_the_order_of_their_ids_with_their_types(world):
    objects = list(world.objects())
    assert [id for id, _, _ in objects] == sorted(world.yard.entities)
    assert [type for _, type, _ in objects][:4] == ["player", "camera", "view_model", "guard"]
    assert {type for _, type, _ in objects} <= {
        "player",
        "camera",
        "view_model",
        "guard",
        "stone",
    }
    assert all(world.find(id) is entity for id, _, entity in objects)
    assert world.find(9999) is None
    assert world.time() == pytest.approx(400 / 60)
    assert world.conventions == Conventions()


def test_hide_and_unhide_leave_every_view_as_it_was(world):
    before = world.state_hash()
    views = {id: entity.view.pack() for id, _, entity in world.objects()}
    world.find(3).view.visible = False
    hidden_arm = world.state_hash()
    for id in views:
        world.hide(id)
        world.hide(id)
        assert not world.find(id).view.visible
    for id in views:
        world.unhide(id)
        world.unhide(id)
    assert world.state_hash() == hidden_arm
    world.find(3).view.visible = True
    assert world.state_hash() == before
    assert {id: entity.view.pack() for id, _, entity in world.objects()} == views


def test_hiding_what_is_not_there_does_nothing(world):
    before = world.state_hash()
    world.hide(9999)
    world.unhide(9999)
    assert world.state_hash() == before


def test_a_paused_world_stands_still(world):
    before = world.state_hash()
    world.pause()
    world.step()
    assert world.state_hash() == before
    world.resume()
    world.step()
    assert world.state_hash() != before


def test_looking_at_an_object_moves_a_camera_that_is_not_recorded(world):
    before = world.state_hash()
    world.pause()
    assert world.eye is world.yard.camera.view
    world.look_at(5, (3.0, 4.0, 0.0))
    assert world.eye is not world.yard.camera.view
    assert world.eye.position == (3.0, -1.0, 5.0)
    assert world.eye.angles[2] == pytest.approx(1.5707963)
    assert world.eye.angles[1] == pytest.approx(0.7853982)
    assert world.state_hash() == before
    world.resume()
    assert world.eye is world.yard.camera.view


def test_stand_ins_are_shown_moved_and_taken_away(world):
    first = StandIn(77, "stone", (1.0, 2.0, 0.0), (0.0, 0.0, 0.0), True)
    moved = first._replace(position=(2.0, 2.0, 0.0))
    world.show_stand_in(first)
    world.show_stand_in(moved)
    assert world.stand_ins == {77: moved}
    world.remove_stand_in(77)
    world.remove_stand_in(77)
    assert world.stand_ins == {}


def test_input_is_ignored_while_it_is_locked():
    world = YardWorld(Yard(guards=0))
    world.press(Pad())
    world.lock_input(True)
    world.press(Pad(left=(1.0, 0.0)))
    world.lock_input(False)
    for _ in range(30):
        world.step()
    assert world.yard.player.state == "idle"
    world.press(Pad(left=(1.0, 0.0)))
    world.step()
    assert world.yard.player.state == "walk"
    world.press(None)
    for _ in range(600):
        world.step()
    assert world.yard.player.speed < 8.1


def test_a_run_that_was_scribbled_on_and_put_back_goes_on_like_any_other():
    plain, scrubbed = YardWorld(Yard()), YardWorld(Yard())
    for frame in range(600):
        plain.step()
        scrubbed.step()
        if frame % 200 == 100:
            poses = {id: (e.view.position, e.view.state) for id, _, e in scrubbed.objects()}
            scrubbed.pause()
            scrubbed.lock_input(True)
            for id, _, entity in scrubbed.objects():
                scrubbed.hide(id)
                entity.view.position, entity.view.state = (0.0, 0.0, 0.0), "past"
            for id, _, entity in scrubbed.objects():
                scrubbed.unhide(id)
                entity.view.position, entity.view.state = poses[id]
            scrubbed.lock_input(False)
            scrubbed.resume()
            assert plain.state_hash() == scrubbed.state_hash()
    assert plain.state_hash() == scrubbed.state_hash()
