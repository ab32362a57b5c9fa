"""A zoo of handlers that are almost right: the contract test says what is wrong with each."""

import math
import struct
from time import perf_counter_ns
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import HandlerError
from playhead.games.arena.yard_game import ArenaGame
from playhead.handlers.handler_conformance import check_handler
from playhead.recorder.handler_interface import BatchHandler, RecordHandler
from playhead.recorder.packets.layouts.layout import Field, Layout, layout_from_dtype


class Orc:
    """Two numbers, one of which never leaves 0 … 100."""

    def __init__(self, x=2.5, hp=100):
        self.x = x
        self._hp = hp

    @property
    def hp(self):
        return self._hp

    @hp.setter
    def hp(self, value):
        self._hp = min(max(value, 0), 100)

    @property
    def speed(self):
        return abs(self.x)


class Right:
    layout = layout_from_dtype([("x", "<f8"), ("hp", "<i4")])

    def size(self, orc):
        return 12

    def record(self, orc, packet):
        packet.position = (orc.x, 0.0, 0.0)
        struct.pack_into("<di", packet, 0, orc.x, orc.hp)

    def play(self, orc, packet):
        orc.x, orc.hp = struct.unpack("<di", packet.payload)


class InBatches(Right):
    def record_many(self, ids, orcs):
        return SimpleNamespace(
            ids=np.array(ids, np.uint64),
            positions=np.array([(orc.x, 0.0, 0.0) for orc in orcs]),
            angles=None, targetable=None, visible=None,
            payloads=np.array([(orc.x, orc.hp) for orc in orcs], self.layout.dtype),
        )  # fmt: skip


@pytest.mark.parametrize("x", [2.5, 0.0, -0.0, 1e300, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("hp", [0, 50, 100])
@pytest.mark.parametrize("handler", [Right, InBatches])
def test_a_right_handler_is_right_whatever_the_numbers_are(handler, x, hp):
    packet = check_handler(handler(), Orc(x, hp))
    assert packet.payload == struct.pack("<di", x, hp)


class PlaysNothing(Right):
    def play(self, orc, packet):
        pass


class PlaysHalf(Right):
    def play(self, orc, packet):
        (orc.x,) = struct.unpack_from("<d", packet.payload)


class PlaysOnce(Right):
    played = False

    def play(self, orc, packet):
        if not self.played:
            super().play(orc, packet)
        self.played = True


class PlaysByTheStep(Right):
    def play(self, orc, packet):
        x, hp = struct.unpack("<di", packet.payload)
        orc.x += (x - orc.x) / 2
        orc.hp = hp


class PlaysWithLoss(Right):
    def play(self, orc, packet):
        orc.x, orc.hp = packet.position[0], struct.unpack_from("<i", packet.payload, 8)[0]


class WritesTheClock(Right):
    def record(self, orc, packet):
        struct.pack_into("<dI", packet, 0, orc.x, perf_counter_ns() & 0xFFFFFFFF)


class CountsItsCalls(Right):
    calls = 0

    def record(self, orc, packet):
        self.calls += 1
        struct.pack_into("<di", packet, 0, orc.x, self.calls)


class WearsTheObjectOut(Right):
    def record(self, orc, packet):
        super().record(orc, packet)
        orc.hp -= 1


class MarksTheObject(Right):
    def record(self, orc, packet):
        super().record(orc, packet)
        orc.recorded = True


class TooSmall(Right):
    def size(self, orc):
        return 8


class TooLarge(Right):
    def size(self, orc):
        return 13


class SizeRaises(Right):
    def size(self, orc):
        raise KeyError("how large?")


class SizeIsNegative(Right):
    def size(self, orc):
        return -1


class SizeIsNone(Right):
    def size(self, orc):
        return None


class SizeIsHuge(Right):
    def size(self, orc):
        return 2 << 20


class TwoSizes(InBatches):
    def size(self, orc):
        return 16

    def record(self, orc, packet):
        struct.pack_into("<did", packet, 0, orc.x, orc.hp, 0.0)


class FixedSizeLies(Right):
    fixed_size = 16

    def record(self, orc, packet):
        super().record(orc, packet)
        packet.payload[12:] = b"more"


class LayoutReadsLess(Right):
    layout = layout_from_dtype([("x", "<f8")])


class LayoutReadsMore(Right):
    layout = layout_from_dtype([("x", "<f8"), ("hp", "<i8")])


class LayoutWithAWrongTail(Right):
    layout = Layout((("x", "<f8", ()),), tail="<f8", tail_name="rest")


class LayoutThatChangesOnTheWay(Right):
    layout = Layout((("x", "<f8", ()), ("hp", "<i4", ())), tail_shape=[])


class KeepsTheObject(Right):
    def __init__(self):
        self.newest = None

    def record(self, orc, packet):
        super().record(orc, packet)
        self.newest = orc


class KeepsTheBuffer(Right):
    kept: list = []

    def record(self, orc, packet):
        super().record(orc, packet)
        self.kept.append(np.frombuffer(packet, "u1"))


class BatchIsAnother(InBatches):
    def record_many(self, ids, orcs):
        columns = super().record_many(ids, orcs)
        columns.payloads["hp"] += 1
        return columns


class BatchHidesThem(InBatches):
    def record_many(self, ids, orcs):
        columns = super().record_many(ids, orcs)
        columns.visible = np.zeros(len(ids), bool)
        return columns


class BatchForgets(InBatches):
    def record_many(self, ids, orcs):
        return super().record_many(ids[:0], orcs[:0])


class BatchRaises(InBatches):
    def record_many(self, ids, orcs):
        raise KeyError("no batch")


class Raises(Right):
    def record(self, orc, packet):
        raise KeyError("what is an orc?")


class PlayRaises(Right):
    def play(self, orc, packet):
        raise KeyError("what is a packet?")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (PlaysNothing, r"play\(\): it does not restore x"),
        (PlaysHalf, r"play\(\): it does not restore hp"),
        (PlaysOnce, r"play\(\)"),
        (PlaysByTheStep, r"play\(\): with another x before, it does not restore"),
        (PlaysWithLoss, r"play\(\)"),
        (WritesTheClock, r"record\(\).*holes|not the object's"),
        (CountsItsCalls, r"record\(\).*holes|not the object's"),
        (WearsTheObjectOut, r"record\(\): it changes the object"),
        (MarksTheObject, r"record\(\): it changes the object"),
        (TooSmall, r"record\(\) into the 8 bytes that were asked for.*12 bytes"),
        (TooLarge, r"record\(\) into the 13 bytes that were asked for.*holes"),
        (SizeRaises, r"size\(\): .*how large\?"),
        (SizeIsNegative, r"size\(\)"),
        (SizeIsNone, r"size\(\)|integer"),
        (SizeIsHuge, "larger than 1 MiB"),
        (TwoSizes, r"size\(\): it returned 16 bytes.*gave 12"),
        (FixedSizeLies, r"16"),
        (LayoutReadsLess, "layout: it does not read.*12 bytes is longer.*record of 8"),
        (LayoutReadsMore, "layout: it does not read.*12 bytes is shorter"),
        (LayoutWithAWrongTail, "layout: it does not read.*whole number of elements"),
        (LayoutThatChangesOnTheWay, "layout: it is another one after encoding and decoding"),
        (KeepsTheObject, r"record\(\): the handler keeps the object alive"),
        (KeepsTheBuffer, r"kept a view of its packet of 12 bytes"),
        (BatchIsAnother, r"record_many\(\): the batch differs"),
        (BatchHidesThem, r"record_many\(\): the batch differs"),
        (BatchForgets, r"record_many\(\)"),
        (BatchRaises, r"record_many\(\).*no batch"),
        (Raises, r"record\(\).*what is an orc\?"),
        (PlayRaises, r"play\(\).*what is a packet\?"),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)  # fmt: skip
def test_each_breach_is_named_with_the_half_that_it_is_in(broken, words):
    with pytest.raises(HandlerError, match=words):
        check_handler(broken(), Orc(x=0.1))


def test_the_example_itself_is_never_played_with():
    orc = Orc()
    for handler in (Right, PlaysHalf, WearsTheObjectOut, MarksTheObject):
        try:
            check_handler(handler(), orc)
        except HandlerError:
            continue
    assert vars(orc) == vars(Orc())


def test_what_is_only_to_be_looked_at_need_not_be_restored_if_the_layout_says_so():
    class WithSpeed(Right):
        layout = layout_from_dtype([("x", "<f8"), ("hp", "<i4"), ("speed", "<f8")])

        def size(self, orc):
            return 20

        def record(self, orc, packet):
            packet.position = (orc.x, 0.0, 0.0)
            struct.pack_into("<did", packet, 0, orc.x, orc.hp, orc.speed)

        def play(self, orc, packet):
            orc.x, orc.hp, _ = struct.unpack("<did", packet.payload)

    with pytest.raises(HandlerError, match=r"speed.*notes=.*restored=False"):
        check_handler(WithSpeed(), Orc())
    WithSpeed.layout = layout_from_dtype(
        [("x", "<f8"), ("hp", "<i4"), ("speed", "<f8")], notes={"speed": Field(restored=False)}
    )
    check_handler(WithSpeed(), Orc())


def test_a_tail_must_be_restored_as_well():
    class Path(Right):
        layout = Layout(tail="<f4", tail_shape=(2,), tail_name="points")

        def size(self, path):
            return path.points.nbytes

        def record(self, path, packet):
            packet.payload[:] = path.points.tobytes()

        def play(self, path, packet):
            path.points = np.frombuffer(packet.payload, "f4").reshape(-1, 2).copy()

    class Forgetful(Path):
        def play(self, path, packet):
            pass

    path = SimpleNamespace(points=np.ones((5, 2), "f4"))
    check_handler(Path(), path)
    with pytest.raises(HandlerError, match="does not restore points"):
        check_handler(Forgetful(), path)
    check_handler(Forgetful(), SimpleNamespace(points=np.ones((0, 2), "f4")))


def test_values_that_a_game_refuses_are_not_asked_of_it():
    class Strict(Right):
        def play(self, orc, packet):
            x, hp = struct.unpack("<di", packet.payload)
            if hp not in (7, 8):
                raise ValueError(hp)
            orc.x, orc.hp = x, hp

    check_handler(Strict(), Orc(hp=7))


def test_halves_of_a_handler_are_looked_at_as_far_as_they_go():
    class RecordOnly:
        layout, size, record = Right.layout, Right.size, Right.record

    class BatchOnly:
        layout, record_many = InBatches.layout, InBatches.record_many

    assert isinstance(RecordOnly(), RecordHandler)
    assert isinstance(BatchOnly(), BatchHandler)
    orc = Orc()
    assert check_handler(RecordOnly(), orc) == check_handler(BatchOnly(), orc)


def test_an_object_that_cannot_be_copied_is_reported():
    class Unique(Orc):
        def __deepcopy__(self, memo):
            raise TypeError("there is only one")

    with pytest.raises(HandlerError, match="there is only one"):
        check_handler(Right(), Unique())


def test_the_handlers_of_the_arena_keep_the_contract():
    with ArenaGame("yard", seed=1) as game:
        for _ in range(30):
            game.step()
        checked = set()
        for _, type, obj in game.world.objects():
            if type not in checked:
                assert check_handler(game.handlers[type].record, obj) is not None
                checked.add(type)
    assert {"player", "camera", "view_model", "guard"} <= checked
