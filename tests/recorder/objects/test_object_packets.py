"""Objects through their handlers into packets: batches, columns, and all that can be wrong."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import HandlerError, RecordingError
from playhead.recorder.handler_interface import Batch, FrameImage, HandlerSpec
from playhead.recorder.packets.layouts.layout import Layout, layout_from_dtype
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.recorded_frame import FrameFlag

VALUE = layout_from_dtype([("value", "<f8")])


def columns(ids, values=None):
    n = len(ids)
    return SimpleNamespace(
        ids=np.array(ids, np.uint64), positions=np.zeros((n, 3), np.float32),
        angles=None, targetable=None, visible=None,
        payloads=None if values is None else np.array(values, "<f8").reshape(n, 1),
    )  # fmt: skip


class Counting:
    """Takes its objects in batches; singles are written as well as they can be."""

    layout = VALUE

    def __init__(self):
        self.batches = self.singles = 0

    def size(self, thing):
        return 8

    def record(self, thing, packet):
        self.singles += 1
        struct.pack_into("<d", packet, 0, thing.value)

    def record_many(self, ids, things):
        self.batches += 1
        return columns(ids, [float(thing.value) for thing in things])


def shown(recorder, frame):
    return [
        (packet.id, packet.damaged or values["value"])
        for packet, values in recorder.source.decoded(frame)
    ]


# --- batches --------------------------------------------------------------------------------------


def test_all_objects_of_a_type_go_to_their_handler_in_one_batch(make_recorder, thing):
    handler = Counting()
    recorder = make_recorder(handler=handler)
    frame = recorder.update([(n, "thing", thing(float(n))) for n in (3, 1, 2)], 0.1)
    assert shown(recorder, frame) == [(3, 3.0), (1, 1.0), (2, 2.0)]
    assert (handler.batches, handler.singles) == (1, 0)
    recorder.update([], 0.1)
    assert handler.batches == 1, "there was nothing to be taken"


def test_one_object_that_spoils_its_batch_costs_its_own_packet_only(make_recorder, thing):
    recorder = make_recorder(handler=Counting(), strict=False)
    things = [(1, "thing", thing(1.0)), (2, "thing", thing("two")), (3, "thing", thing(3.0))]
    frame = recorder.update(things, 0.1)
    assert shown(recorder, frame) == [(1, 1.0), (2, True), (3, 3.0)]
    assert recorder.status.handler_faults == {"thing": 1}
    assert recorder.source.stamp(frame).flags & FrameFlag.DAMAGED


def test_a_batch_that_fails_as_a_whole_is_counted_though_each_packet_was_written(
    make_recorder, thing
):
    class BadBatch(Counting):
        def record_many(self, ids, things):
            raise ArithmeticError("no batch today")

    recorder = make_recorder(handler=BadBatch(), strict=False)
    frame = recorder.update([(n, "thing", thing(1.0)) for n in (1, 2)], 0.1)
    assert shown(recorder, frame) == [(1, 1.0), (2, 1.0)]
    assert recorder.status.handler_faults == {"thing": 1}
    assert "no batch today" in recorder.status.newest_fault


def test_a_handler_of_batches_alone_leaves_headers_when_it_fails_and_is_muted(make_recorder, thing):
    class OnlyBatches:
        layout = VALUE
        asked = 0

        def record_many(self, ids, things):
            self.asked += 1
            raise ArithmeticError("no batch today")

    handler = OnlyBatches()
    recorder = make_recorder(handler=handler, strict=False)
    for _ in range(5):
        frame = recorder.update([(n, "thing", thing()) for n in (1, 2)], 0.1)
        assert shown(recorder, frame) == [(1, True), (2, True)]
    assert recorder.status.muted == {"thing": (0,)}
    assert handler.asked == 3


@pytest.mark.parametrize("wrong", [[1, 2], [2, 1, 3], [1, 2, 3, 4], []])
def test_a_batch_that_gives_other_objects_than_it_was_asked_for_is_reported_when_strict(
    make_recorder, thing, wrong
):
    class Lying(Counting):
        def record_many(self, ids, things):
            return columns(wrong, [0.0] * len(wrong))

    recorder = make_recorder(handler=Lying())
    with pytest.raises(HandlerError, match="record_many"):
        recorder.update([(n, "thing", thing(float(n))) for n in (1, 2, 3)], 0.1)
    assert shown(recorder, 1) == [(1, 1.0), (2, 2.0), (3, 3.0)], "one by one they are right"


@pytest.mark.parametrize(
    "bad",
    [
        {"positions": np.zeros((1, 3), np.float32)},
        {"positions": None},
        {"payloads": np.zeros((5, 8), np.uint8)},
        {"visible": np.zeros(2)},
        {"ids": "ab"},
        {"ids": np.array([0, 4], np.uint64)},
        {"ids": np.array([-4, 4])},
    ],
)
def test_columns_that_cannot_be_read_cost_that_batch_and_mark_the_frame(make_recorder, thing, bad):
    recorder = make_recorder(strict=False)
    for _ in range(4):
        given = SimpleNamespace(**(vars(columns([8, 9], [1.0, 2.0])) | bad))
        frame = recorder.update(
            [(1, "thing", thing(1.0))], 0.1, None,
            [Batch("imp", VALUE, given), Batch("orc", VALUE, columns([5], [5.0]))],
        )  # fmt: skip
        assert shown(recorder, frame) == [(1, 1.0), (5, 5.0)]
        assert recorder.source.stamp(frame).flags & FrameFlag.DAMAGED
    assert recorder.status.handler_faults == {"imp": 4}
    assert recorder.status.muted == {}, "a batch costs nothing to try, so none is muted"


@pytest.mark.parametrize("cut", [None, np.array([True, False])])
def test_big_endian_columns_are_recorded_as_their_layout_says(make_recorder, cut):
    recorder = make_recorder(strict=False)
    records = np.array([(1.5, 7), (2.5, -8)], [("speed", ">f4"), ("gear", ">i2")])
    given = columns([1, 2])
    given.payloads, given.cut = records, cut
    recorder.update([], 0.1, None, [Batch("car", layout_from_dtype(records.dtype), given)])
    read = [(values["speed"], values["gear"]) for _, values in recorder.source.decoded(1)]
    assert read == [(1.5, 7), (2.5, -8)]


def test_columns_that_cannot_be_read_are_reported_when_strict_and_the_frame_is_recorded(recorder):
    with pytest.raises(HandlerError, match="imp"):
        recorder.update([], 0.1, None, [Batch("imp", VALUE, columns([0]))])
    assert recorder.source.span.newest == 1
    recorder.update([], 0.1)


def test_batches_that_cannot_be_had_cost_no_object(make_recorder, thing):
    def batches():
        yield Batch("imp", VALUE, columns([5], [5.0]))
        raise ConnectionError("the engine is gone")

    recorder = make_recorder(strict=False)
    frame = recorder.update([(1, "thing", thing(1.0))], 0.1, None, batches())
    assert shown(recorder, frame) == [(1, 1.0), (5, 5.0)]
    assert recorder.status.calls_refused == {"batches()": 1}


def test_columns_whose_layout_changes_are_read_by_the_one_of_their_frame(recorder):
    other = layout_from_dtype([("heat", "<f8")])
    for _ in range(20):
        recorder.update([], 0.1, None, [Batch("imp", VALUE, columns([5], [1.0]))])
        recorder.update([], 0.1, None, [Batch("imp", other, columns([5], [2.0]))])
    for frame in (1, 39):
        assert [values for _, values in recorder.source.decoded(frame)] == [{"value": 1.0}]
        assert [values for _, values in recorder.source.decoded(frame + 1)] == [{"heat": 2.0}]
    types = [key for _, kind, key in recorder.source.facts(40) if kind is Kind.TYPE]
    own = [key for key in types if int(key) >= 32]
    assert len(own) == 3, "the handler's type and the two layouts, each told once"
    assert recorder.source.layout(40, "imp") == other


def test_a_type_may_come_as_columns_first_and_get_a_handler_later(recorder, thing, thing_handler):
    recorder.update([], 0.1, None, [Batch("imp", Layout(), columns([5]))])
    recorder.add_handler(HandlerSpec("imp", thing_handler(), None))
    recorder.add_handler(HandlerSpec("orc", thing_handler(), None))
    frame = recorder.update([(5, "imp", thing(1.0)), (6, "orc", thing(2.0))], 0.1)
    read = [(packet.type, values) for packet, values in recorder.source.decoded(frame)]
    assert read == [("imp", {"value": 1.0}), ("orc", {"value": 2.0})]


def test_columns_in_a_channel_that_is_off_are_not_recorded_nor_missed(recorder):
    batch = Batch("imp", VALUE, columns([5], [1.0]), ("fx",))
    recorder.name(5, "the imp")
    recorder.update([], 0.1, None, [batch])
    recorder.channels.record("fx", False)
    frame = recorder.update([], 0.1, None, [batch])
    assert recorder.source.objects(frame) == []
    assert recorder.source.recorded_types(frame - 1) == {"thing", "imp"}
    assert recorder.source.recorded_types(frame) == {"thing"}
    assert recorder.source.latched(frame, 5, Kind.NAME, "") == "the imp", "it is still there"


# --- what is no object ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", [None, (), (1, "thing"), [1, "thing", None], (1, ["thing"], None), 7, "abc"]
)
def test_what_is_no_entry_is_counted_and_all_others_are_recorded(make_recorder, thing, entry):
    recorder = make_recorder(strict=False)
    recorder.name(2, "two")
    good = [(1, "thing", thing(1.0)), (2, "thing", thing(2.0))]
    recorder.update(good, 0.1)
    frame = recorder.update([entry, good[0], entry, good[1]], 0.1)
    assert shown(recorder, frame) == [(1, 1.0), (2, 2.0)]
    assert recorder.status.calls_refused == {"objects()": 2}
    assert recorder.source.latched(frame, 2, Kind.NAME, "") == "two"


def test_what_is_no_entry_is_reported_when_strict_and_the_frame_is_recorded(recorder, thing):
    with pytest.raises(RecordingError, match="objects"):
        recorder.update([None, (1, "thing", thing(1.0))], 0.1)
    assert shown(recorder, 1) == [(1, 1.0)]


@pytest.mark.parametrize("id", [0, -1, 2**63, True, [], pytest.param(10**5000, id="huge")])
def test_an_id_that_is_none_is_reported_when_strict_and_never_mutes_its_type(
    make_recorder, thing, recorder, id
):
    things = [(id, "thing", thing(0.0)), (7, "thing", thing(7.0))]
    with pytest.raises(RecordingError):
        recorder.update(things, 0.1)
    patient = make_recorder(strict=False)
    for _ in range(5):
        frame = patient.update(things, 0.1)
        assert shown(patient, frame) == [(7, 7.0)]
    assert patient.status.muted == {}
    assert patient.status.calls_refused == {"object id": 5}


def test_ids_may_be_numpys(recorder, thing):
    recorder.name(5, "five")
    things = [(np.int64(5), "thing", thing(1.0)), (2**63 - 1, "thing", thing(2.0))]
    recorder.update(things, 0.1)
    frame = recorder.update(things, 0.1)
    assert shown(recorder, frame) == [(5, 1.0), (2**63 - 1, 2.0)]
    assert recorder.source.latched(frame, 5, Kind.NAME, "") == "five"


def test_nobody_counts_as_gone_when_the_list_of_objects_broke_off(make_recorder, thing):
    recorder = make_recorder(strict=False)
    recorder.name(2, "two")
    recorder.update([(2, "thing", thing())], 0.1)

    def objects():
        raise ConnectionError("the engine is gone")
        yield

    frame = recorder.update(objects(), 0.1)
    assert recorder.source.latched(frame, 2, Kind.NAME, "") == "two"
    frame = recorder.update([], 0.1)
    assert recorder.source.latched(frame, 2, Kind.NAME, "") is None


def test_an_object_that_is_declared_gone_is_gone_at_once_and_may_come_back(recorder, thing):
    recorder.name(2, "two")
    recorder.update([(2, "thing", thing())], 0.1)
    recorder.despawn(2)
    frame = recorder.update([(2, "thing", thing())], 0.1)
    recorder.name(2, "two again")
    recorder.update([(2, "thing", thing())], 0.1)
    names = [recorder.source.latched(n, 2, Kind.NAME, "") for n in (1, frame, 3)]
    assert names == ["two", None, "two again"]


# --- handlers -------------------------------------------------------------------------------------


def test_a_type_of_a_test_alone_needs_no_change_of_the_recorder(make_recorder):
    class Weather:
        layout = Layout(tail="utf8", tail_name="words")

        def size(self, weather):
            return len(weather["words"])

        def record(self, weather, packet):
            packet.payload[:] = weather["words"].encode()

        def play(self, weather, packet):
            weather["words"] = packet.payload.decode()

    recorder, weather, handler = make_recorder(), {"words": "rain"}, Weather()
    recorder.add_handler(HandlerSpec("weather", handler, handler))
    frame = recorder.update([(1, "weather", weather)], 0.1)
    weather["words"] = "sun"
    handler.play(weather, recorder.source.objects(frame)[0])
    assert weather == {"words": "rain"}


@pytest.mark.parametrize("extra", [0, 1, 7, 8])
def test_a_hole_of_any_size_is_found_when_strict_and_only_then(
    make_recorder, thing, thing_handler, extra
):
    class Holes(thing_handler):
        layout = Layout(fields=(("value", "<f8", ()),), tail="u1", tail_name="rest")

        def size(self, thing):
            return 8 + extra

    strict, patient = make_recorder(handler=Holes()), make_recorder(handler=Holes(), strict=False)
    things = [(1, "thing", thing(1.0))]
    if extra:
        with pytest.raises(HandlerError, match="holes"):
            strict.update(things, 0.1)
    else:
        strict.update(things, 0.1)
    frame = patient.update(things, 0.1)
    assert len(patient.source.objects(frame)[0].payload) == 8 + extra
    assert patient.status.handler_faults == {}


def test_a_packet_that_a_handler_keeps_is_of_no_use_to_it(recorder, thing, thing_handler):
    class Keeping(thing_handler):
        kept: list = []

        def record(self, thing, packet):
            super().record(thing, packet)
            self.kept += [packet, packet.payload]

    handler = Keeping()
    recorder.add_handler(HandlerSpec("kept", handler, None))
    frame = recorder.update([(1, "kept", thing(1.0))], 0.1)
    packet, payload = handler.kept[-2:]
    with pytest.raises(ValueError, match="closed"):
        packet.position = (9.0, 9.0, 9.0)
    with pytest.raises(ValueError, match="released"):
        payload[0] = 9
    assert shown(recorder, frame) == [(1, 1.0)]


def test_a_handler_that_draws_is_told_not_to_and_its_packet_is_right(make_recorder, thing_handler):
    recorder = make_recorder(strict=False)

    class Drawing(thing_handler):
        def record(self, thing, packet):
            super().record(thing, packet)
            recorder.draw.line((0, 0, 0), (1, 1, 1))

    recorder.add_handler(HandlerSpec("drawing", Drawing(), None))
    frame = recorder.update([(1, "drawing", SimpleNamespace(value=1.0))], 0.1)
    assert shown(recorder, frame) == [(1, 1.0)]
    assert recorder.status.calls_refused == {"draw": 1}
    assert recorder.ring.verify(frame)


def test_an_interrupt_gets_through_a_handler_and_leaves_a_finished_frame(
    make_recorder, thing, thing_handler
):
    class Interrupted(Counting):
        def record_many(self, ids, things):
            raise KeyboardInterrupt

    class Halted(thing_handler):
        def record(self, thing, packet):
            raise KeyboardInterrupt

    for handler in (Interrupted(), Halted()):
        recorder = make_recorder(handler=handler, strict=False)
        with pytest.raises(KeyboardInterrupt):
            recorder.update([(1, "thing", thing())], 0.1)
        assert not recorder.ring.raw.is_open
        assert recorder.status.handler_faults == {}
        assert recorder.update([], 0.1) == 2


def test_an_error_that_cannot_even_be_reported_is_counted_all_the_same(
    make_recorder, thing, thing_handler
):
    class Mute(Exception):
        def __repr__(self):
            raise RuntimeError

        __str__ = __repr__

    class Raising(thing_handler):
        def record(self, thing, packet):
            raise Mute

    recorder = make_recorder(handler=Raising(), strict=False)
    for _ in range(4):
        recorder.update([(1, "thing", thing())], 0.1)
    assert recorder.status.handler_faults == {"thing": 3}
    assert "Mute" in recorder.status.newest_fault
    assert "Mute" in recorder.source.marks()[0].note


def test_a_long_error_is_cut_so_that_nothing_grows_by_it(make_recorder, thing, thing_handler):
    class Raising(thing_handler):
        def record(self, thing, packet):
            raise ValueError("x" * 1_000_000)

    recorder = make_recorder(handler=Raising(), strict=False)
    for _ in range(4):
        recorder.update([(1, "thing", thing())], 0.1)
    assert len(recorder.status.newest_fault) < 1000
    assert len(recorder.source.marks()[0].note) < 1000


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"fixed_size": -1}, "fixed_size"),
        ({"fixed_size": 2.5}, "fixed_size"),
        ({"layout": {"a": "<f4"}}, "layout"),
        ({"layout": None}, "layout"),
    ],
)
def test_a_handler_that_can_never_work_is_refused_when_it_is_registered(
    recorder, thing_handler, attributes, words
):
    handler = thing_handler()
    for name, value in attributes.items():
        setattr(handler, name, value)
    with pytest.raises(HandlerError, match=words):
        recorder.add_handler(HandlerSpec("other", handler, None))
    recorder.add_handler(HandlerSpec("other", thing_handler(), None))


def test_half_a_handler_is_refused(recorder):
    class NoSize:
        layout = VALUE

        def record(self, thing, packet):
            pass

    with pytest.raises(HandlerError, match=r"size\(\)"):
        recorder.add_handler(HandlerSpec("other", NoSize(), None))


def test_more_channels_than_there_are_bits_are_refused_where_they_are_named(
    make_recorder, thing, thing_handler
):
    recorder = make_recorder(strict=False)
    for n in range(28):
        recorder.channels.bit(f"channel {n}")
    with pytest.raises(RecordingError, match="32"):
        recorder.add_handler(HandlerSpec("other", thing_handler(), None, ("one more",)))
    recorder.draw.line((0, 0, 0), (1, 1, 1), channel="one more")
    batch = Batch("imp", VALUE, columns([5], [1.0]), ("one more",))
    frame = recorder.update([(1, "thing", thing(1.0)), (2, "other", None)], 0.1, None, [batch])
    assert shown(recorder, frame) == [(1, 1.0)]
    assert recorder.source.drawn(frame) == []
    assert recorder.status.calls_refused == {"draw": 1}
    assert recorder.status.handler_faults == {"imp": 1}
    assert recorder.status.unhandled == {"other": 1}
    assert len(recorder.source.channel_names(frame)) == 32


@pytest.mark.parametrize("facts", [["no triple"], [(Kind.SKELETON, "0", object())]])
def test_facts_of_a_handler_that_cannot_be_kept_are_counted_once(
    make_recorder, thing, thing_handler, facts
):
    handler = thing_handler()
    handler.facts = [*facts, (Kind.SKELETON, "1", {"name": "good"})]
    recorder = make_recorder(handler=handler, strict=False)
    for _ in range(3):
        frame = recorder.update([(1, "thing", thing(1.0))], 0.1)
    assert recorder.status.calls_refused == {"facts of thing": 1}
    assert recorder.source.latched(frame, 0, Kind.SKELETON, "thing/1") == {"name": "good"}
    assert shown(recorder, frame) == [(1, 1.0)]


def test_packets_without_room_are_dropped_and_counted_and_the_frame_says_so(make_recorder, thing):
    recorder = make_recorder("64 KiB", strict=False)
    recorder.update([], 0.1)
    frame = recorder.update([(n, "thing", thing()) for n in range(1, 5000)], 0.1)
    held = len(recorder.source.objects(frame))
    assert 0 < held < 4999
    assert recorder.status.packets_dropped == 4999 - held
    assert recorder.source.stamp(frame).flags & FrameFlag.DROPPED


def test_what_found_no_room_beside_the_objects_is_reported_in_the_next_frame(make_recorder, thing):
    recorder = make_recorder("64 KiB", strict=False)
    recorder.update([(n, "thing", thing()) for n in range(1, 5000)], 0.1)
    frame = recorder.update([], 0.1)
    assert recorder.source.recorded_types(frame) == {"thing"}
    assert set(recorder.source.channel_names(frame).values()) == set(recorder.channels.names)


def test_columns_whose_payloads_have_another_size_than_declared_are_refused(make_recorder):
    recorder = make_recorder(strict=False)
    wrong = columns([5], [5.0])
    wrong.payloads = wrong.payloads.astype("<f4")
    frame = recorder.update([], 0.1, None, [Batch("imp", VALUE, wrong)])
    assert shown(recorder, frame) == []
    assert recorder.source.stamp(frame).flags & FrameFlag.DAMAGED
    assert "4 bytes" in recorder.status.newest_fault
    assert "8 bytes" in recorder.status.newest_fault


def test_where_even_a_damaged_packet_finds_no_room_it_is_counted_as_dropped(
    make_recorder, thing, thing_handler
):
    class Broken(thing_handler):
        def record(self, thing, packet):
            raise RuntimeError("broken")

    recorder = make_recorder("64 KiB", handler=Broken(), strict=False)
    frame = recorder.update([(id, "thing", thing()) for id in range(1, 4001)], 0.1)
    held = recorder.source.objects(frame)
    assert 0 < len(held) < 4000
    assert all(packet.damaged for packet in held)
    assert recorder.status.packets_dropped >= 4000 - len(held)


# --- what comes in a form that it should not have ----------------------------------------------


def test_an_image_that_is_none_costs_itself_and_marks_the_frame(make_recorder, thing):
    recorder = make_recorder(strict=False)
    nonsense = FrameImage(b"nonsense", {})
    frame = recorder.update([(1, "thing", thing(1.0))], 0.1, images=[nonsense])
    assert shown(recorder, frame) == [(1, 1.0)]
    assert recorder.status.handler_faults == {"image": 1}
    assert recorder.source.stamp(frame).flags & FrameFlag.DAMAGED
    with pytest.raises(HandlerError, match="a frame image: "):
        make_recorder().update([], 0.1, images=[nonsense])


def test_a_column_cut_of_another_length_than_the_ids_is_named(make_recorder):
    given = columns([1, 2], [1.0, 2.0])
    given.cut = np.array([True, False, True])
    with pytest.raises(HandlerError, match=r"column cut has the shape \(3,\), not \(2,\)"):
        make_recorder().update([], 0.1, batches=[Batch("imp", VALUE, given)])


class Unspeakable:
    """A type that has no text."""

    def __str__(self):
        raise ArithmeticError("no text")


def test_a_type_whose_text_can_not_be_had_is_counted_by_its_class(make_recorder, thing):
    recorder = make_recorder(strict=False)
    frame = recorder.update([(1, Unspeakable(), thing()), (2, "thing", thing(2.0))], 0.1)
    assert shown(recorder, frame) == [(2, 2.0)]
    [unhandled] = recorder.status.unhandled
    assert unhandled == "a Unspeakable whose text can't be had"


def test_beside_a_muted_object_an_entry_that_is_none_costs_no_other(make_recorder, thing):
    recorder = make_recorder(strict=False)
    failing = (1, "thing", thing("one"))
    for _ in range(3):
        recorder.update([failing], 0.1)
    assert recorder.status.muted == {"thing": (1,)}
    frame = recorder.update([failing, (2, ["thing"], thing()), (3, "thing", thing(3.0))], 0.1)
    assert shown(recorder, frame) == [(1, True), (3, 3.0)]
