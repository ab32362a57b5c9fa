"""The scene of a recorded moment."""

import math

import msgspec
import numpy as np
import pytest

from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.world_adapter import Conventions
from playhead.viewer.reader.frame_snapshot import FrameSnapshot, SnapshotReader
from playhead.viewer.scene.object_columns import FrameObjects, ObjectGroup
from playhead.viewer.scene.scene_model import SceneModel
from playhead.viewer.state.agent_beliefs import CurrentBelief

from ..world_recording import FRAMES, WIDE, record

SHOWN = PlaybackState(Mode.PAUSED)


@pytest.fixture
def snapshot(clip):
    with ClipSource.open(clip) as source:
        yield SnapshotReader(source).read(200)


@pytest.fixture(scope="module")
def plaza(tmp_path_factory):
    path = tmp_path_factory.mktemp("plaza") / "plaza.ring"
    record(path)
    return SnapshotReader(RingSource.open(path)).read(FRAMES)


def test_bones_stand_where_the_joints_were_recorded(snapshot: FrameSnapshot):
    body = SceneModel(snapshot, SHOWN).body(1)
    assert body is not None
    assert body.skeleton
    assert (body.label, body.state) == ("north", "Chase")
    x, y, _ = snapshot.objects[1].packet.position
    assert body.bones[0, 0] == pytest.approx((x, y, 0.9), abs=1e-5)
    assert body.bones[1, 1] == pytest.approx((x, y, 0.0), abs=1e-5)


def test_joints_in_their_parents_spaces_are_put_on_one_another(plaza: FrameSnapshot):
    scene = SceneModel(plaza, SHOWN)
    body = scene.body(1)
    assert body is not None
    x = plaza.objects[1].packet.position[0]
    assert body.bones == pytest.approx(
        np.array([[(x, 0, 0), (x, 0, 1)], [(x, 0, 1), (x, 0, 2)]]), abs=1e-6
    )
    assert scene.reach(0) == pytest.approx(2.0)
    assert body.top[2] == pytest.approx(2.0 + 0.6 * scene.radius)


def test_it_faces_where_it_turned_to(snapshot: FrameSnapshot):
    body = SceneModel(snapshot, SHOWN).body(1)
    assert body is not None
    yaw = snapshot.objects[1].packet.angles[2]
    assert body.ahead == pytest.approx((np.cos(yaw), np.sin(yaw), 0), abs=1e-6)


def test_a_world_whose_y_is_up_is_shown_standing(snapshot: FrameSnapshot):
    turned = snapshot._replace(conventions=Conventions(up="y"))
    body = SceneModel(turned, SHOWN).body(1)
    assert body is not None
    assert body.position[2] == pytest.approx(snapshot.objects[1].packet.position[1])


def test_hidden_channels_and_objects_are_left_out(snapshot: FrameSnapshot):
    def colors(shown: PlaybackState, hidden: frozenset[int] = frozenset()) -> set[str]:
        return set(SceneModel(snapshot, shown, hidden=hidden).shapes.colors)

    assert "#ff0000" in colors(SHOWN)
    assert "#ff0000" not in colors(msgspec.structs.replace(SHOWN, hidden=frozenset({"ai"})))
    assert "#ff0000" not in colors(msgspec.structs.replace(SHOWN, focus=2))
    assert "#ff0000" not in colors(SHOWN, frozenset({1}))
    assert SceneModel(snapshot, SHOWN, hidden=frozenset({1})).body(1) is None


def test_the_world_s_drawings_stay_whoever_is_in_focus(snapshot: FrameSnapshot):
    shapes = SceneModel(snapshot, msgspec.structs.replace(SHOWN, focus=2)).shapes
    assert shapes.box_colors == ["#00ff00"]
    assert shapes.boxes[0].min(axis=0) == pytest.approx((-0.5, -0.5, 0))
    assert shapes.boxes[0].max(axis=0) == pytest.approx((0.5, 0.5, 2))


def test_every_kind_of_drawing_is_there_and_knows_where_it_came_from(plaza: FrameSnapshot):
    scene = SceneModel(plaza, SHOWN)
    shapes = scene.shapes
    kinds = [scene.drawn(*source).kind for source in shapes.sources.tolist()]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "line": 4, "lines": 2, "sphere": 96, "polygon": 4,
    }  # fmt: skip
    for (start, end), kind, source in zip(shapes.ends, kinds, shapes.sources.tolist(), strict=True):
        drawn = scene.drawn(*source)
        if kind == "line":
            assert start == pytest.approx(drawn.position)
            assert end == pytest.approx(drawn.values["end"])
        elif kind == "sphere":
            assert np.linalg.norm(start - drawn.position) == pytest.approx(0.5)
    assert [scene.drawn(*source).latched for source in shapes.box_sources] == [None, "post"]
    (face,) = shapes.faces
    assert (face.color, len(face.points)) == ("#ff00ff", 4)
    (text,) = shapes.texts
    assert (text.text, text.object) == ("here", 2)
    turned = shapes.boxes[0] - shapes.boxes[0].mean(axis=0)
    assert np.linalg.norm(turned, axis=1) == pytest.approx([math.sqrt(3)] * 8)


def test_what_covers_less_is_nearer_to_the_sky_s_colour(plaza: FrameSnapshot):
    colors = SceneModel(plaza, SHOWN).shapes.colors
    assert "#ff0000" in colors
    assert "#0000ff" not in colors  # it was drawn half transparent
    assert any(name.endswith("8d") and name.startswith("#0") for name in colors), colors


def test_a_drawing_of_several_channels_goes_when_all_of_them_are_hidden(plaza: FrameSnapshot):
    def count(*hidden: str) -> int:
        shown = msgspec.structs.replace(SHOWN, hidden=frozenset(hidden))
        return len(SceneModel(plaza, shown).shapes.ends)

    every = count()
    assert count("ai") == every - 3
    assert count("fx") == every - 1
    assert count("ai", "fx") == every - 4
    assert count("nobody's") == every


def test_a_belief_is_shown_where_it_is_with_the_truth_beside_it(snapshot: FrameSnapshot):
    assert not SceneModel(snapshot, SHOWN).ghosts([])
    held = CurrentBelief(2, "south", (9.0, 9.0, 0.0), 1.125, "last seen", 3.0, 192)
    (ghost,) = SceneModel(snapshot, SHOWN).ghosts([held])
    assert (ghost.object, ghost.label, ghost.note, ghost.age) == (2, "south", "last seen", 1.125)
    assert ghost.position == pytest.approx((9, 9, 0))
    assert ghost.truth == pytest.approx(snapshot.objects[2].packet.position)


def test_what_has_no_joints_is_a_stand_in_that_stands_on_the_ground(plaza: FrameSnapshot):
    scene = SceneModel(plaza, SHOWN)
    body = scene.body(3)
    assert body is not None
    assert not body.skeleton
    points = body.bones.reshape(-1, 3)
    assert points.min(axis=0) == pytest.approx((-4 - scene.radius, 2 - scene.radius, 0.0))
    assert points[:, 2].max() == pytest.approx(2 * scene.radius)


def test_the_game_s_own_camera_is_found_by_its_field_of_view(plaza: FrameSnapshot):
    (eye,) = SceneModel(plaza, SHOWN).eyes
    assert eye.object == 5
    assert eye.field == pytest.approx(WIDE)
    assert eye.forward == pytest.approx((0, 1, 0), abs=1e-6)
    assert eye.up == pytest.approx((0, 0, 1), abs=1e-6)
    assert eye.right == pytest.approx((1, 0, 0), abs=1e-6)


def test_an_object_at_no_place_is_left_out(plaza: FrameSnapshot):
    class Lost(ObjectGroup):
        @property
        def positions(self):
            return np.where(np.arange(len(self))[:, None] == 0, np.nan, super().positions)

    groups = [
        Lost(group.type, group.layout, group._columns) if group.type == "dancer" else group
        for group in plaza.objects.groups
    ]
    scene = SceneModel(plaza._replace(objects=FrameObjects(groups, {})), SHOWN)
    assert sorted(scene.ids.tolist()) == [2, 3, 4, 5]
    body = scene.body(2)
    assert body is not None
    assert body.bones[1, 1] == pytest.approx((4, 0, 2), abs=1e-6)


def test_names_stand_above_the_highest_points(plaza: FrameSnapshot):
    scene = SceneModel(plaza, SHOWN)
    rows = [scene.row(id) for id in (4, 1, 3, 2)]
    tops = scene.tops([row for row in rows if row is not None])
    singly = [scene.body(id) for id in (4, 1, 3, 2)]
    assert tops == pytest.approx(np.array([body.top for body in singly if body is not None]))
