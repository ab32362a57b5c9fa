"""The scene of a recorded moment."""

import msgspec
import numpy as np
import pytest

from playhead.playback.shown import Mode, Shown
from playhead.recorder.clips.source import ClipSource
from playhead.recorder.world import Conventions
from playhead.viewer.models.moment import Moment, MomentReader
from playhead.viewer.models.scene import scene_of

SHOWN = Shown(Mode.PAUSED)


@pytest.fixture
def moment(clip):
    with ClipSource.open(clip) as source:
        yield MomentReader(source).read(200)


def test_bones_stand_where_the_joints_were_recorded(moment: Moment):
    body = scene_of(moment, SHOWN).body(1)
    assert body is not None
    assert body.skeleton
    assert (body.label, body.state) == ("north", "Chase")
    x, y, _ = moment.objects[1].packet.position
    assert body.bones[0, 0] == pytest.approx((x, y, 0.9), abs=1e-5)
    assert body.bones[1, 1] == pytest.approx((x, y, 0.0), abs=1e-5)


def test_it_faces_where_it_turned_to(moment: Moment):
    body = scene_of(moment, SHOWN).body(1)
    assert body is not None
    yaw = moment.objects[1].packet.angles[2]
    assert body.ahead == pytest.approx((np.cos(yaw), np.sin(yaw), 0), abs=1e-6)


def test_a_world_whose_y_is_up_is_shown_standing(moment: Moment):
    turned = moment._replace(conventions=Conventions(up="y"))
    body = scene_of(turned, SHOWN).body(1)
    assert body is not None
    assert body.position[2] == pytest.approx(moment.objects[1].packet.position[1])


def test_hidden_channels_and_objects_are_left_out(moment: Moment):
    def colors(shown: Shown, **rest):
        return {stroke.color for stroke in scene_of(moment, shown, **rest).strokes}

    assert "#ff0000" in colors(SHOWN)
    assert "#ff0000" not in colors(msgspec.structs.replace(SHOWN, hidden=frozenset({"ai"})))
    assert "#ff0000" not in colors(msgspec.structs.replace(SHOWN, focus=2))
    assert "#ff0000" not in colors(SHOWN, hidden=frozenset({1}))
    assert scene_of(moment, SHOWN, hidden=frozenset({1})).body(1) is None


def test_the_world_s_drawings_stay_whoever_is_in_focus(moment: Moment):
    boxes = scene_of(moment, msgspec.structs.replace(SHOWN, focus=2)).boxes
    assert [box.color for box in boxes] == ["#00ff00"]
    assert boxes[0].corners.min(axis=0) == pytest.approx((-0.5, -0.5, 0))
    assert boxes[0].corners.max(axis=0) == pytest.approx((0.5, 0.5, 2))


def test_only_the_selected_agent_s_belief_is_shown_with_the_truth_beside_it(moment: Moment):
    assert not scene_of(moment, SHOWN).ghosts
    (ghost,) = scene_of(moment, SHOWN, selected=1).ghosts
    assert ghost.label == "south"
    assert ghost.position == pytest.approx((9, 9, 0))
    assert ghost.truth == pytest.approx(moment.objects[2].packet.position)
    # Seen a second before frame 192, looked at in frame 200.
    assert ghost.age == pytest.approx(1.0 + 8 / 64)


def test_what_has_no_joints_is_a_stand_in_of_fitting_size(moment: Moment):
    seen = moment.objects[1]
    bare = {1: seen._replace(values={})}
    scene = scene_of(moment._replace(objects=bare), SHOWN)
    body = scene.body(1)
    assert body is not None
    assert not body.skeleton
    size = body.bones.reshape(-1, 3).max(axis=0) - body.bones.reshape(-1, 3).min(axis=0)
    assert size[2] == pytest.approx(2 * scene.radius)


def test_an_object_at_no_place_is_left_out(moment: Moment):
    seen = moment.objects[1]
    lost = seen._replace(packet=seen.packet._replace(position=(float("nan"), 0.0, 0.0)))
    scene = scene_of(moment._replace(objects={1: lost, 2: moment.objects[2]}), SHOWN)
    assert [body.id for body in scene.bodies] == [2]
