"""Objects with plain fields, as packets: the header is filled in alike alone and in batches."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import HandlerError
from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_conformance import check_handler
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import Field
from playhead.recorder.recorder import Recorder


class OneByOne:
    """A handler robbed of its batches."""

    def __init__(self, handler):
        self.layout, self.size, self.record = handler.layout, handler.size, handler.record


def packets(handler, objects):
    recorder = Recorder("1 MiB", strict=True)
    try:
        recorder.add_handler(HandlerSpec("thing", handler, None))
        entries = [(id, "thing", obj) for id, obj in enumerate(objects, 1)]
        return recorder.source.objects(recorder.update(entries, 0.1))
    finally:
        recorder.close()


def both_ways(handler, objects):
    many = packets(handler, objects)
    assert repr(many) == repr(packets(OneByOne(handler), objects))
    return many


@dataclass
class Orc:
    position: tuple[float, float, float] = (1.0, 2.0, 3.0)
    angles: tuple[float, float, float] = (0.25, 0.5, 0.75)
    hp: int = 5
    visible: bool = True
    targetable: bool = True


def test_position_angles_and_switches_are_in_the_header_too():
    hidden, plain = both_ways(FieldHandler(Orc()), [Orc(visible=False, targetable=False), Orc()])
    assert (hidden.visible, hidden.targetable) == (False, False)
    assert (plain.visible, plain.targetable) == (True, True)
    assert (plain.position, plain.angles) == ((1.0, 2.0, 3.0), (0.25, 0.5, 0.75))


def test_so_are_they_when_only_other_fields_are_kept():
    packet, _ = both_ways(FieldHandler(Orc(), names=["hp"]), [Orc(visible=False), Orc()])
    assert packet.payload == (5).to_bytes(8, "little")
    assert (packet.position, packet.angles) == ((1.0, 2.0, 3.0), (0.25, 0.5, 0.75))
    assert not packet.visible


def test_what_an_object_does_not_say_is_the_default():
    (packet,) = both_ways(
        FieldHandler(SimpleNamespace(hp=5), names=["hp"]), [SimpleNamespace(hp=1)]
    )
    assert (packet.position, packet.angles) == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert (packet.visible, packet.targetable) == (True, True)


@pytest.mark.parametrize(
    "position",
    [
        (1, 2, 3),
        [1.0, 2.0, 3.0],
        np.arange(3),
        np.ones(3, "f4"),
        np.ones(3, "f2"),
        (1e300, 0.0, 0.0),
    ],
)
def test_positions_of_any_make_are_shown_as_nearly_as_can_be(position):
    orc = SimpleNamespace(position=position, visible=1, targetable=np.bool_(False))
    handler = FieldHandler(orc, names=["position", "visible", "targetable"])
    (packet,) = both_ways(handler, [orc])
    with np.errstate(over="ignore"):
        assert packet.position == tuple(np.asarray(position, np.float32).tolist())
    assert (packet.visible, packet.targetable) == (True, False)


@pytest.mark.parametrize("name", ["position", "angles"])
def test_a_header_in_two_dimensions_is_refused_and_named(name):
    flat = SimpleNamespace(**{name: (1.0, 2.0), "hp": 1})
    for names in ([name], ["hp"]):
        with pytest.raises(HandlerError, match=f"'{name}' must be three numbers"):
            FieldHandler(flat, names=names)


def test_a_part_of_an_object_is_recorded_and_the_rest_left_alone():
    def actor(x):
        return SimpleNamespace(body=SimpleNamespace(pose=Orc((x, 0.0, 0.0))), hp=x)

    handler = FieldHandler(actor(0.0), part="body.pose")
    first, second = both_ways(handler, [actor(4.0), actor(5.0)])
    assert (first.position[0], second.position[0]) == (4.0, 5.0)
    other = actor(0.0)
    handler.play(other, second)
    assert (other.body.pose, other.hp) == (Orc((5.0, 0.0, 0.0)), 0.0)


def test_roles_are_known_by_name_and_can_be_given():
    handler = FieldHandler(Orc(), notes={"hp": Field("points", "health"), "visible": Field("", "")})
    assert handler.layout.notes["position"] == Field("m", "position")
    assert handler.layout.notes["hp"] == Field("points", "health")
    assert handler.layout.notes["visible"] == Field()


def test_records_of_numpy_go_the_same_way():
    orcs = np.zeros(4, [("position", "<f4", 3), ("hp", "<i2"), ("visible", "?")])
    orcs["position"][:, 0] = range(4)
    orcs["visible"][::2] = True
    made = both_ways(FieldHandler(orcs[0]), list(orcs))
    assert [packet.position[0] for packet in made] == [0.0, 1.0, 2.0, 3.0]
    assert [packet.visible for packet in made] == [True, False, True, False]
    check_handler(FieldHandler(orcs[0]), orcs[1])


def test_one_that_spoils_a_batch_is_damaged_alone():
    handler = FieldHandler(SimpleNamespace(hp=1), names=["hp"])
    recorder = Recorder("1 MiB", strict=False)
    recorder.add_handler(HandlerSpec("thing", handler, None))
    entries = [(id, "thing", SimpleNamespace(hp=hp)) for id, hp in enumerate((7, "much", 9), 1)]
    made = recorder.source.objects(recorder.update(entries, 0.1))
    assert [packet.damaged for packet in made] == [False, True, False]
    assert "'hp'" in recorder.status.newest_fault
    recorder.close()


TOO_LONG = ["M" * 33, "Ü" * 17, "x" * 31 + "€", "ends in\0", "half \ud800", "€" * 1000]


@pytest.mark.parametrize("batched", [True, False], ids=["batch", "single"])
@pytest.mark.parametrize("long", TOO_LONG, ids=range(len(TOO_LONG)))
def test_a_text_that_is_too_long_is_cut_and_flagged_and_nothing_else_is_lost(batched, long):
    def named(name):
        return SimpleNamespace(name=name, hp=5, position=(1.0, 2.0, 3.0), visible=False)

    handler = FieldHandler(named("x"), names=["name", "hp"])
    if not batched:
        handler.record_many = None  # type: ignore[method-assign, assignment]
        handler = SimpleNamespace(  # type: ignore[assignment]
            layout=handler.layout, size=handler.size, record=handler.record
        )
    recorder = Recorder("1 MiB", strict=False)
    recorder.add_handler(HandlerSpec("thing", handler, None))
    names = ("Gork", long, long, "Mork", long)
    for _ in range(5):
        frame = recorder.update([(n, "thing", named(one)) for n, one in enumerate(names, 1)], 0.1)
        read = recorder.source.decoded(frame)
        assert [packet.id for packet, _ in read] == [1, 2, 3, 4, 5]
        assert [packet.cut for packet, _ in read] == [False, True, True, False, True]
        for packet, values in read:
            assert (packet.damaged, packet.visible, packet.position) == (False, False, (1, 2, 3))
            assert values["hp"] == 5
            whole = long.encode(errors="replace") if packet.cut else b""
            text = bytes(values["name"])
            assert not packet.cut or (whole.startswith(text) and len(text) > 4)
            text.decode()  # no character is cut in two
    assert recorder.status.cut == {"thing": 15}
    assert recorder.status.muted == {}
    (loss,) = recorder.source.losses(frame)
    assert (loss.cause, loss.what, loss.frame) == ("cut", "thing", 1)
    recorder.close()


def test_strict_a_text_that_is_cut_is_raised_and_its_packet_is_recorded_all_the_same():
    handler = FieldHandler(SimpleNamespace(name="x"), names=["name"])
    recorder = Recorder("1 MiB", strict=True)
    recorder.add_handler(HandlerSpec("thing", handler, None))
    with pytest.raises(HandlerError, match=r"cut.*text=BYTES"):
        recorder.update([(1, "thing", SimpleNamespace(name="x" * 99))], 0.1)
    assert [packet.cut for packet in recorder.source.objects(1)] == [True]
    recorder.close()


def test_a_blob_that_is_too_long_is_cut():
    fields = FieldHandler(SimpleNamespace(data=b"x"), names=["data"], text=4).fields
    buffer = bytearray(4)
    assert fields.write(SimpleNamespace(data=b"\xff\xfe\xfd\xfc\xfb"), buffer)
    assert buffer == b"\xff\xfe\xfd\xfc"
    assert not fields.write(SimpleNamespace(data=b"\xff"), buffer)
    assert buffer == b"\xff\0\0\0"
