"""Pictures: what is read out of a frame, for any game."""

import msgspec
import numpy as np
import pytest

from playhead.bus.bridges.frame_view import frame_view
from playhead.errors import EvictedError
from playhead.recorder.packets.trace_types import AnimationClip, TreeNode
from playhead.recorder.world_adapter import Conventions

RED = (255, 0, 0)


def test_objects_have_names_places_and_the_numbers_of_their_fields(stage):
    scene = stage()
    scene.session.name(1, "Old Tom")
    picture = frame_view(scene.source, scene.step())
    tom, other, lamp = picture.figures
    assert (tom.id, tom.label, tom.type, tom.visible) == (1, "Old_Tom", "walker", True)
    assert (other.label, other.visible) == ("walker_2", False)
    assert tom.position.tolist() == [1.0, 2.0, 3.0]
    assert tom.turn @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-7)
    assert tom.values["hp"] == 7.0
    assert [tom.values[f"velocity.{part}"] for part in "xyz"] == [0.5, 0.0, -1.0]
    assert "state" not in tom.values
    assert not [name for name in tom.values if name.startswith("joints")]
    assert lamp.values["lit"] == 1.0
    assert len(lamp.joints) == 0
    assert tom.color == other.color != lamp.color


def test_two_objects_of_one_name_are_distinguished_and_none_is_the_world(stage):
    scene = stage()
    for id, name in ((1, "twin"), (2, "twin"), (3, "world")):
        scene.session.name(id, name)
    picture = frame_view(scene.source, scene.step())
    assert [figure.label for figure in picture.figures] == ["twin", "twin_2", "world_3"]


@pytest.mark.parametrize(
    ("space", "joints"),
    [
        ("model", [(1, 2, 4), (1, 3, 3.5), (1, 3, 3)]),
        ("world", [(0, 0, 1), (1, 0, 0.5), (1, 0, 0)]),
        ("parent", [(1, 2, 4), (1, 3, 4.5), (1, 4, 4.5)]),
    ],
)
def test_joints_stand_in_the_world_whatever_space_they_were_recorded_in(stage, space, joints):
    scene = stage(space=space)
    walker = frame_view(scene.source, scene.step()).figures[0]
    assert walker.joints == pytest.approx(np.array(joints, float), abs=1e-6)
    assert walker.bones == pytest.approx(walker.joints[[[0, 1], [1, 2]]])


def test_a_world_with_y_up_is_laid_flat(stage):
    scene = stage(Conventions(up="y"))
    scene.session.draw.box((0, 5, 0), (1, 2, 3))
    scene.session.draw.line((0, 0, 0), (1, 2, 3))
    picture = frame_view(scene.source, scene.step())
    assert picture.figures[0].position.tolist() == [1.0, -3.0, 2.0]
    # What is plotted are the game's own numbers.
    assert picture.values["walker_1"]["position.z"] == 3.0
    (box,) = picture.boxes
    assert (box.position.tolist(), box.size.tolist()) == ([0, 0, 5], [1, 3, 2])
    assert picture.strokes[0].points.tolist() == [[0, 0, 0], [1, -3, 2]]


def test_every_primitive_is_drawn_as_it_was_recorded(stage):
    scene = stage()
    draw = scene.session.draw
    draw.line((0, 0, 0), (1, 0, 0), color=RED)
    draw.lines([((0, 0, 0), (1, 1, 1)), ((2, 2, 2), (3, 3, 3))])
    draw.polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0)], color=(1, 2, 3, 4))
    draw.sphere((1, 2, 3), 0.5)
    draw.text((4, 5, 6), "hello")
    draw.box((0, 0, 1), (1, 2, 3), angles=(0, 0, np.pi), latch="crate")
    picture = frame_view(scene.source, scene.step())
    line, lines, polygon = picture.strokes
    assert (line.points.tolist(), line.color) == ([[0, 0, 0], [1, 0, 0]], (255, 0, 0, 255))
    assert (lines.pairs, len(lines.points)) == (True, 4)
    assert (polygon.closed, polygon.color) == (True, (1, 2, 3, 4))
    assert picture.spheres[0].size.tolist() == [1.0, 1.0, 1.0]
    assert (picture.labels[0].text, picture.labels[0].position.tolist()) == ("hello", [4, 5, 6])
    assert picture.boxes[0].turn @ [1, 0, 0] == pytest.approx([-1, 0, 0], abs=1e-6)
    later = frame_view(scene.source, scene.step())
    assert (len(later.strokes), len(later.boxes)) == (0, 1)


def test_drawings_out_of_focus_or_of_hidden_channels_are_left_out(stage):
    scene = stage()
    for object, channel in ((0, None), (1, "ai"), (2, "ai"), (2, "fx"), (2, None)):
        scene.session.draw.text((0, 0, 0), f"{object} {channel}", object=object, channel=channel)
    now = scene.step()

    def shown(**rest):
        picture = frame_view(scene.source, msgspec.structs.replace(now, **rest))
        return [label.text for label in picture.labels]

    assert len(shown()) == 5
    assert shown(focus=1) == ["0 None", "1 ai"]
    assert shown(hidden=frozenset({"ai"})) == ["0 None", "2 fx", "2 None"]
    assert shown(hidden=frozenset({"ai"}), focus=2) == ["0 None", "2 fx", "2 None"]


def test_watches_logs_decisions_and_marks_say_whom_they_are_about(stage):
    scene = stage()
    session = scene.session
    session.name(1, "Tom")
    session.watch("speed", 1.5, object=1)
    session.watch("wind", 9.0)
    session.log("careful", level="warning", object=1)
    session.log("it is dark")
    session.trace.state(1, "guard", "idle", "chase", won="saw him", also_true=("heard him",))
    session.trace.define_tree(3, "blink", [TreeNode("root")])
    session.trace.tree(3, "blink", ["running"], ended_early={0: "time is up"})
    session.trace.animation(1, "legs", [AnimationClip("walk", 0.75)])
    session.mark("start", "all is well", object=1)
    session.on_check = msgspec.structs.replace(session.on_check, pause=False)
    session.check(False, "it holds", focus=3)
    now = scene.step()
    picture = frame_view(scene.source, now, scene.source.marks())
    assert picture.watches == {"Tom": {"speed": 1.5}, "world": {"wind": 9.0}}
    assert picture.values["Tom"]["speed"] == 1.5
    assert picture.values["Tom"]["position.y"] == 2.0
    assert picture.values["world"] == {"wind": 9.0}
    assert [(message.about, message.level, message.text) for message in picture.log] == [
        ("Tom", "warning", "careful"), ("", "info", "it is dark"),
    ]  # fmt: skip
    assert {(message.about, message.text) for message in picture.decisions} == {
        ("Tom", "guard: idle → chase because saw him (also true: heard him)"),
        ("lamp_3", "blink: running; node 0 ended: time is up"),
        ("Tom", "legs: walk 75%"),
    }
    assert {(message.about, message.level, message.text) for message in picture.marks} == {
        ("Tom", "info", "mark: start: all is well"), ("lamp_3", "error", "check: it holds"),
    }  # fmt: skip
    assert picture.log[0].file.endswith("test_frame_view.py")
    assert not frame_view(scene.source, scene.step(), scene.source.marks()).marks


def test_a_frame_without_objects_is_an_empty_picture(stage):
    scene = stage()
    scene.world.things.clear()
    picture = frame_view(scene.source, scene.step())
    assert (picture.figures, picture.values) == ([], {})


def test_a_frame_that_is_not_recorded_is_reported(stage):
    scene = stage()
    now = msgspec.structs.replace(scene.step(), frame=99)
    with pytest.raises(EvictedError):
        frame_view(scene.source, now)
