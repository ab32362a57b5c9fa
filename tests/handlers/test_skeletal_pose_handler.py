"""Animated models: as many joints as there are, in the precision that they have."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import HandlerError
from playhead.handlers.first_person_model_handler import ViewModelHandler
from playhead.handlers.handler_conformance import check_handler
from playhead.handlers.player_handler import PlayerHandler
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.recorder import Recorder


class Model:
    def __init__(self, joints, dtype=np.float32, skeleton=None, position=(1.0, 2.0, 3.0)):
        self.position = position
        self.joints = None
        if joints is not None:
            self.joints = np.random.default_rng(joints).random((joints, 3, 4)).astype(dtype)
        self.skeleton = skeleton
        self.pad = None


NAMES = ["position"]


@pytest.fixture
def recorder():
    recorder = Recorder("1 MiB", strict=True)
    yield recorder
    recorder.close()


def test_an_object_may_have_another_number_of_joints_in_each_frame(recorder):
    handler, model = SkeletalPoseHandler(Model(3), names=NAMES), Model(0)
    recorder.add_handler(HandlerSpec("model", handler, handler))
    for joints in (5, 0, 1, 200, 3):
        model.joints = Model(joints).joints
        recorder.update([(1, "model", model)], 0.1)
    for frame, joints in enumerate((5, 0, 1, 200, 3), 1):
        ((packet, values),) = recorder.source.decoded(frame)
        assert np.array_equal(values["joints"], Model(joints).joints)
        handler.play(model, packet)
        assert np.array_equal(model.joints, Model(joints).joints)
        assert model.joints.flags.writeable


def test_no_joints_may_be_none_and_stay_none(recorder):
    handler, model = SkeletalPoseHandler(Model(None), names=NAMES), Model(None)
    recorder.add_handler(HandlerSpec("model", handler, handler))
    (packet,) = recorder.source.objects(recorder.update([(1, "model", model)], 0.1))
    handler.play(model, packet)
    assert model.joints is None
    model.joints = Model(2).joints
    handler.play(model, packet)
    assert model.joints.shape == (0, 3, 4), "what it had then was no joints"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_joints_keep_the_precision_of_the_game(dtype):
    handler, model = SkeletalPoseHandler(Model(4, dtype), names=NAMES), Model(4, dtype)
    packet = check_handler(handler, model)
    other = Model(0, dtype)
    handler.play(other, packet)
    assert other.joints.dtype == dtype
    assert np.array_equal(other.joints, model.joints)


@pytest.mark.parametrize("joints", [np.zeros((2, 4, 4), "f4"), np.zeros((2, 12), "f4"), [[1.0]]])
def test_matrices_of_another_shape_are_refused(joints):
    model = Model(2)
    model.joints = joints
    with pytest.raises(HandlerError, match=r"not \(n, 3, 4\)"):
        check_handler(SkeletalPoseHandler(Model(2), names=NAMES), model)


def test_joints_that_are_strewn_in_memory_are_recorded_in_order():
    model = Model(4)
    model.joints = Model(8).joints[::2]
    packet = check_handler(SkeletalPoseHandler(model, names=NAMES), model)
    assert packet.payload.endswith(np.ascontiguousarray(model.joints).tobytes())


def skeleton(n, name=None):
    names = tuple(f"joint {i}" for i in range(n))
    return Skeleton(name or f"of {n}", names, tuple(range(-1, n - 1)))


def test_a_skeleton_is_latched_when_it_is_first_met_and_never_again(recorder):
    handler = SkeletalPoseHandler(Model(3), names=NAMES, skeleton="skeleton")
    recorder.add_handler(HandlerSpec("model", handler, handler))
    small, large = Model(3, skeleton=skeleton(3)), Model(5, skeleton=skeleton(5))
    bare = Model(1)
    recorder.update([(1, "model", small)], 0.1)
    used = recorder.status.latch_used
    for _ in range(50):
        recorder.update([(1, "model", small)], 0.1)
    assert recorder.status.latch_used == used
    frame = recorder.update([(1, "model", small), (2, "model", large), (3, "model", bare)], 0.1)
    read = recorder.source.decoded(frame)
    assert [values["skeleton"] for _, values in read] == [0, 1, -1]
    result = recorder.source.latched(frame, 0, Kind.SKELETON, "model/1")
    assert result["joints"] == [f"joint {i}" for i in range(5)]
    assert result["parents"] == [-1, 0, 1, 2, 3]
    assert recorder.source.latched(frame - 1, 0, Kind.SKELETON, "model/1") is None
    assert recorder.source.latched(1, 0, Kind.SKELETON, "model/0")["name"] == "of 3"


def test_two_skeletons_of_one_name_are_two(recorder):
    handler = SkeletalPoseHandler(Model(3), names=NAMES, skeleton="skeleton")
    recorder.add_handler(HandlerSpec("model", handler, handler))
    models = [Model(n, skeleton=skeleton(n, "human")) for n in (3, 4)]
    frame = recorder.update([(n, "model", model) for n, model in enumerate(models, 1)], 0.1)
    numbers = [values["skeleton"] for _, values in recorder.source.decoded(frame)]
    assert len(set(numbers)) == 2


def test_two_recordings_with_one_handler_know_the_skeleton_both():
    handler = SkeletalPoseHandler(Model(3), names=NAMES, skeleton="skeleton")
    for _ in range(2):
        recorder = Recorder("1 MiB", strict=True)
        recorder.add_handler(HandlerSpec("model", handler, handler))
        frame = recorder.update([(1, "model", Model(3, skeleton=skeleton(3)))], 0.1)
        assert recorder.source.latched(frame, 0, Kind.SKELETON, "model/0")["name"] == "of 3"
        recorder.close()


def test_all_fields_but_the_joints_are_taken_unless_they_are_named():
    @dataclass
    class Pose:
        position: tuple[float, float, float]
        bones: object
        hp: int = 5

    pose = Pose((1.0, 2.0, 3.0), Model(2).joints)
    handler = SkeletalPoseHandler(pose, joints="bones")
    assert handler.layout.dtype.names == ("position", "hp", "skeleton")
    check_handler(handler, pose)


def test_the_space_of_the_matrices_is_recorded():
    assert SkeletalPoseHandler(Model(1), names=NAMES).layout.space == "model"
    assert SkeletalPoseHandler(Model(1), names=NAMES, space="world").layout.space == "world"
    assert ViewModelHandler(Model(1), names=NAMES).layout.space == "view"


def pad(**message):
    rest = {"left": (0, 0), "right": (0, 0), "left_trigger": 0, "right_trigger": 0, "held": 0}
    return SimpleNamespace(**(rest | message))


def test_a_pad_stands_before_the_model_and_one_that_is_not_there_is_all_zero():
    handler, player = PlayerHandler(Model(2), names=NAMES), Model(2)
    untouched = check_handler(handler, player)
    player.pad = pad()
    assert check_handler(handler, player) == untouched
    player.pad = pad(left=(-1, 0.5), right=(0.25, 1), left_trigger=1, right_trigger=0.5, held=2**31)
    packet = check_handler(handler, player)
    values = handler.layout.decode(packet.payload)
    assert values["pad_left"].tolist() == [-1.0, 0.5]
    assert values["pad_right"].tolist() == [0.25, 1.0]
    assert (values["pad_left_trigger"], values["pad_right_trigger"]) == (1.0, 0.5)
    assert values["pad_held"] == 2**31
    assert values["position"].tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(values["joints"], player.joints)
    assert handler.layout.notes["pad_held"].role == "buttons"


@pytest.mark.parametrize("wrong", [{"left": (0, 0, 0)}, {"held": -1}, {"right_trigger": None}])
def test_a_pad_that_makes_no_sense_costs_the_packet(wrong):
    player = Model(2)
    player.pad = pad(**wrong)
    with pytest.raises(HandlerError):
        check_handler(PlayerHandler(Model(2), names=NAMES), player)
