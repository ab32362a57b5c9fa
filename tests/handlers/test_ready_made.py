"""The handlers that come with playhead: what they record they put back."""

import enum
import math
from dataclasses import dataclass, field
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import HandlerError
from playhead.handlers.camera_handler import CameraHandler
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.first_person_model_handler import ViewModelHandler
from playhead.handlers.handler_conformance import check_handler
from playhead.handlers.player_handler import PlayerHandler
from playhead.handlers.skeletal_pose_handler import SkeletalPoseHandler, Skeleton
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.recorder import Recorder


class Mood(enum.Enum):
    CALM = "calm"
    ANGRY = "angry"


@dataclass
class Soldier:
    position: tuple[float, float, float] = (1.0, 2.0, 3.0)
    angles: tuple[float, float, float] = (0.0, 0.0, 0.5)
    hp: float = 80.0
    ammo: int = 12
    alive: bool = True
    visible: bool = True
    mood: Mood = Mood.CALM
    name: str = "Jörg"
    grid: np.ndarray = field(default_factory=lambda: np.arange(6, dtype="<i2").reshape(2, 3))


@dataclass
class Posed:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    joints: np.ndarray | None = None


class Actor:
    """A model with a pose of its own to be seen by, and a skeleton."""

    def __init__(self, joints: int) -> None:
        matrices = np.arange(joints * 12, dtype=np.float32).reshape(joints, 3, 4)
        self.view = Posed(joints=matrices)
        names = tuple(f"joint {n}" for n in range(joints))
        parents = tuple(range(-1, joints - 1))
        self.skeleton = Skeleton(f"chain of {joints}", names, parents)
        self.pad = None


def test_every_kind_of_plain_field_keeps_the_contract():
    packet = check_handler(FieldHandler(Soldier()), Soldier())
    assert packet is not None
    assert packet.position == (1.0, 2.0, 3.0)
    values = FieldHandler(Soldier()).layout.decode(packet.payload)
    assert bytes(values["mood"]) == b"CALM"
    assert bytes(values["name"]).decode() == "Jörg"
    assert values["grid"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_struct_and_a_numpy_record_need_no_code_either():
    class Door(msgspec.Struct):
        position: tuple[float, float, float] = (0.0, 1.0, 0.0)
        open: bool = False

    check_handler(FieldHandler(Door()), Door())
    table = np.array([((1.0, 2.0, 3.0), 5)], [("position", "<f8", 3), ("hp", "<i4")])
    packet = check_handler(FieldHandler(table[0]), table[0])
    assert packet is not None
    assert packet.payload == table.tobytes()


def test_putting_back_gives_the_types_that_were_there():
    handler, soldier, other = FieldHandler(Soldier()), Soldier(), Soldier(hp=1.0, mood=Mood.ANGRY)
    packet = check_handler(handler, soldier)
    handler.play(other, packet)
    assert other.position == soldier.position
    assert type(other.position) is tuple
    assert type(other.ammo) is int
    assert other.mood is Mood.CALM
    assert isinstance(other.grid, np.ndarray)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "only numbers"),
        ({"a": 1}, "only numbers"),
        ((), "only numbers"),
        (np.array([object()]), "only numbers"),
    ],
)
def test_a_field_without_fixed_size_is_refused_by_name(value, words):
    with pytest.raises(HandlerError, match=words) as caught:
        FieldHandler(SimpleNamespace(odd=value), names=["odd"])
    assert "'odd'" in str(caught.value)


def test_missing_fields_and_objects_without_fields_are_refused():
    with pytest.raises(HandlerError, match="no field 'health'"):
        FieldHandler(Soldier(), names=["health"])
    with pytest.raises(HandlerError, match="name its fields"):
        FieldHandler(object())
    with pytest.raises(HandlerError, match="three numbers"):
        FieldHandler(SimpleNamespace(position=(1.0, 2.0)), names=["position"])


def test_a_text_too_long_or_a_vector_of_another_length_costs_its_own_packet():
    handler = FieldHandler(Soldier())
    with pytest.raises(HandlerError, match=r"a text or a blob is longer"):
        check_handler(handler, Soldier(name="x" * 40))
    with pytest.raises(HandlerError, match="'position'"):
        check_handler(handler, Soldier(position=(1.0, 2.0)))  # type: ignore[arg-type]


@given(
    st.tuples(*[st.floats(width=64)] * 3),
    st.floats(),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(max_size=8).filter(lambda text: not text.endswith("\0")),
)
def test_what_is_recorded_is_what_is_put_back(position, hp, ammo, alive, name):
    handler, there = FieldHandler(Soldier(), text=64), Soldier()
    here = Soldier(position=position, hp=hp, ammo=ammo, alive=alive, name=name)
    recorder = Recorder("256 KiB", strict=True)
    recorder.add_handler(HandlerSpec("soldier", handler, handler))
    (packet,) = recorder.source.objects(recorder.update([(1, "soldier", here)], 0.1))
    handler.play(there, packet)
    recorder.close()
    assert all(map(same, there.position, position))
    assert same(there.hp, hp)
    assert (there.ammo, there.alive, there.name) == (ammo, alive, name)


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (
        a == b and math.copysign(1, a) == math.copysign(1, b)
    )


@pytest.mark.parametrize("joints", [0, 1, 32, 200])
def test_models_of_any_number_of_joints_keep_the_contract(joints):
    handler = SkeletalPoseHandler(Actor(3), part="view", skeleton="skeleton")
    packet = check_handler(handler, Actor(joints))
    assert packet is not None
    assert len(handler.layout.decode(packet.payload)["joints"]) == joints


def test_a_model_without_joints_has_an_empty_tail():
    actor = Actor(0)
    actor.view.joints = None
    handler = SkeletalPoseHandler(Actor(3), part="view")
    recorder = Recorder("256 KiB", strict=True)
    recorder.add_handler(HandlerSpec("model", handler, handler))
    (packet,) = recorder.source.objects(recorder.update([(1, "model", actor)], 0.1))
    recorder.close()
    assert handler.layout.decode(packet.payload)["joints"].shape == (0, 3, 4)
    assert handler.layout.decode(packet.payload)["skeleton"] == -1


def test_each_skeleton_is_latched_once_and_packets_name_it():
    handler = SkeletalPoseHandler(Actor(3), part="view", skeleton="skeleton")
    recorder = Recorder("1 MiB", strict=True)
    recorder.add_handler(HandlerSpec("actor", handler, handler))
    actors = [(n, "actor", Actor(2 + n % 2)) for n in range(1, 9)]
    for _ in range(200):
        frame = recorder.update(actors, 0.1)
    source = recorder.source
    facts = [key for _, kind, key in source.facts(frame) if kind is Kind.SKELETON]
    assert sorted(facts) == ["actor/0", "actor/1"]
    for packet, values in source.decoded(frame):
        number = values["skeleton"]
        latched = source.latched(frame, 0, Kind.SKELETON, f"actor/{number}")
        assert latched["name"] == f"chain of {2 + packet.id % 2}"
        assert len(latched["parents"]) == len(values["joints"])
    recorder.close()


def test_joints_of_another_shape_are_refused():
    actor = Actor(2)
    actor.view.joints = np.zeros((2, 4, 4), np.float32)
    with pytest.raises(HandlerError, match=r"\(2, 4, 4\)|holes|size|bytes"):
        check_handler(SkeletalPoseHandler(Actor(2), part="view"), actor)


def test_a_view_model_says_that_its_joints_hang_on_the_camera():
    handler = ViewModelHandler(Actor(3), part="view")
    check_handler(handler, Actor(3))
    assert handler.layout.space == "view"


def test_a_player_is_recorded_with_what_is_pressed_and_playing_presses_nothing():
    handler, player = PlayerHandler(Actor(3), part="view"), Actor(3)
    check_handler(handler, player)
    player.pad = SimpleNamespace(
        left=(0.5, -1.0), right=(0.0, 0.0), left_trigger=0.25, right_trigger=1.0, held=5
    )
    packet = check_handler(handler, player)
    values = handler.layout.decode(packet.payload)
    assert values["pad_left"].tolist() == [0.5, -1.0]
    assert (values["pad_left_trigger"], values["pad_held"]) == (0.25, 5)
    other = Actor(3)
    handler.play(other, packet)
    assert other.pad is None


def test_a_camera_keeps_where_it_looked_and_how_wide():
    camera = SimpleNamespace(position=(0.0, 0.0, 9.0), angles=(0.0, 1.0, 0.0), fov=1.2)
    handler = CameraHandler(camera, names=["position", "angles", "fov"])
    check_handler(handler, camera)
    with pytest.raises(HandlerError, match="fov"):
        CameraHandler(camera, names=["position", "angles"])
