"""The manager: objects through handlers into frames, and what becomes of everything that fails."""

import struct
import threading

import numpy as np
import pytest

from playhead.errors import CapacityError, HandlerError, RecordingError
from playhead.recorder.handler_interface import Batch, HandlerSpec
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.ring_source import RingSource


def test_a_frame_holds_its_objects_in_recording_order(recorder, thing):
    things = [(id, "thing", thing(float(id))) for id in (5, 2, 9)]
    frame = recorder.update(things, 0.1)
    assert [packet.id for packet in recorder.source.objects(frame)] == [5, 2, 9]
    assert [values["value"] for _, values in recorder.source.decoded(frame)] == [5.0, 2.0, 9.0]


def test_a_hitch_is_kept_as_a_hitch(recorder):
    for time in (1.0, 1.016, 1.116, 1.132):
        recorder.update([], 0.0, time)
    deltas = [stamp.delta for stamp in recorder.source.stamps(1, 4)]
    assert deltas == pytest.approx([0.0, 0.016, 0.1, 0.016])


def test_objects_of_one_type_may_differ_in_size(make_recorder):
    class Bones:
        layout = layout_from_dtype(
            [("n", "<u4")], tail="<f4", tail_shape=(3, 4), tail_name="joints"
        )

        def size(self, model):
            return 4 + model.nbytes

        def record(self, model, packet):
            packet.payload[:] = struct.pack("<I", len(model)) + model.tobytes()

    recorder = make_recorder(handler=Bones())
    models = [np.full((n, 3, 4), n, np.float32) for n in (0, 1, 32, 57)]
    frame = recorder.update([(i, "thing", m) for i, m in enumerate(models, 1)], 0.1)
    read = [values["joints"] for _, values in recorder.source.decoded(frame)]
    assert all(np.array_equal(a, b) for a, b in zip(read, models, strict=True))


def test_a_type_without_a_handler_is_skipped_and_counted(make_recorder, thing):
    recorder = make_recorder(strict=False)
    frame = recorder.update([(1, "ghost", None), (2, "thing", thing())], 0.1)
    assert [packet.id for packet in recorder.source.objects(frame)] == [2]
    assert recorder.status.unhandled == {"ghost": 1}


@pytest.mark.parametrize("id", [0, -1, 2**63, True, 1.5, "one", None])
def test_an_id_that_is_none_costs_that_object_only(make_recorder, thing, id):
    recorder = make_recorder(strict=False)
    frame = recorder.update([(id, "thing", thing()), (7, "thing", thing())], 0.1)
    assert [packet.id for packet in recorder.source.objects(frame)] == [7]
    assert recorder.status.calls_refused == {"object id": 1}
    assert "id" in recorder.status.newest_fault


def failing(problem):
    class Failing:
        layout = layout_from_dtype([("value", "<f8")])
        kept: list = []

        def size(self, thing):
            return {"small": 4, "hole": 16, "negative": -1, "huge": 2**62}.get(problem, 8)

        def record(self, thing, packet):
            if problem == "raise":
                raise ZeroDivisionError("oh")
            struct.pack_into("<d", packet, 0, 1.0)
            if problem == "keep array":
                self.kept.append(np.frombuffer(packet, np.uint8))

    return Failing()


@pytest.mark.parametrize("problem", ["raise", "small", "hole", "negative", "keep array"])
def test_a_handler_that_breaks_its_contract_is_reported_in_strict_mode(
    make_recorder, thing, problem
):
    recorder = make_recorder(handler=failing(problem))
    with pytest.raises(HandlerError, match="thing"):
        recorder.update([(1, "thing", thing())], 0.1)
    (packet,) = recorder.source.objects(1)
    assert packet.damaged
    assert (packet.id, packet.payload) == (1, b"")


@pytest.mark.parametrize("problem", ["raise", "small", "negative", "keep array"])
def test_otherwise_it_costs_its_own_packet_and_is_muted_after_three_frames(
    make_recorder, thing, thing_handler, problem
):
    recorder = make_recorder(handler=failing(problem), strict=False)
    recorder.add_handler(HandlerSpec("good", thing_handler(), None))
    objects = [(1, "thing", thing()), (2, "good", thing(2.0))]
    for _ in range(6):
        frame = recorder.update(objects, 0.1)
        packets = recorder.source.objects(frame)
        assert [(packet.id, packet.damaged) for packet in packets] == [(1, True), (2, False)]
    assert recorder.status.handler_faults == {"thing": 3}
    assert recorder.status.muted == {"thing": (1,)}
    assert recorder.status.muted_packets == 3
    (mark,) = recorder.source.marks()
    assert (mark.kind, mark.frame, mark.object) == ("loss", 3, 1)
    recorder.unmute("thing")
    recorder.update(objects, 0.1)
    assert recorder.status.handler_faults == {"thing": 4}


def test_failures_with_good_frames_between_do_not_mute(make_recorder, thing, thing_handler):
    class Sometimes(thing_handler):
        def record(self, thing, packet):
            if thing.value < 0:
                raise ValueError("below")
            super().record(thing, packet)

    recorder = make_recorder(handler=Sometimes(), strict=False)
    for value in (-1.0, -1.0, 1.0) * 5:
        recorder.update([(1, "thing", thing(value))], 0.1)
    assert recorder.status.handler_faults == {"thing": 10}
    assert recorder.status.muted == {}


def test_a_packet_larger_than_the_ring_is_dropped_and_nothing_else(make_recorder, thing):
    recorder = make_recorder("64 KiB", handler=failing("huge"), strict=False)
    for _ in range(3):
        recorder.update([(1, "thing", thing())], 0.1)
    assert recorder.status.packets_dropped == 3
    assert recorder.status.frames_held == 3


def test_a_second_handler_for_a_type_is_refused(recorder, thing_handler):
    with pytest.raises(HandlerError, match="already"):
        recorder.add_handler(HandlerSpec("thing", thing_handler(), None))


def test_a_handler_may_come_between_two_frames_but_not_in_one(recorder, thing, thing_handler):
    recorder.update([(1, "thing", thing())], 0.1)
    recorder.add_handler(HandlerSpec("late", thing_handler(), None))
    recorder.update([(1, "late", thing())], 0.1)
    assert [packet.type for packet in recorder.source.objects(2)] == ["late"]
    assert recorder.source.recorded_types(1) == {"thing"}
    assert recorder.source.recorded_types(2) == {"thing", "late"}
    recorder.log("this opens a frame")
    with pytest.raises(HandlerError, match="a frame is open"):
        recorder.add_handler(HandlerSpec("later", thing_handler(), None))


def test_a_time_that_makes_no_sense_leaves_the_open_frame_as_it_is(recorder, thing):
    recorder.log("kept")
    with pytest.raises(RecordingError):
        recorder.update([(1, "thing", thing())], float("nan"))
    frame = recorder.update([(1, "thing", thing())], 0.1)
    assert [line.text for line in recorder.source.logs(frame)] == ["kept"]
    assert len(recorder.source.objects(frame)) == 1


def test_game_time_that_restarts_loses_nothing_and_is_marked(recorder, thing):
    for time in (1.0, 2.0, 0.5, 1.5):
        recorder.update([(1, "thing", thing(time))], 0.0, time)
    stamps = list(recorder.source.stamps(1, 4))
    assert [stamp.time for stamp in stamps] == [1.0, 2.0, 2.0, 3.0]
    assert [stamp.epoch for stamp in stamps] == [0, 0, 1, 1]
    assert [stamp.delta for stamp in stamps] == [0.0, 1.0, 0.0, 1.0]
    (mark,) = recorder.source.marks()
    assert (mark.kind, mark.frame) == ("epoch", 3)
    assert recorder.source.latched(4, 0, Kind.EPOCH, "") == {"epoch": 1, "offset": 1.5}
    assert recorder.source.latched(2, 0, Kind.EPOCH, "") is None


def test_columns_need_no_handler(recorder):
    class Columns:
        ids = np.array([3, 4], np.uint64)
        positions = np.ones((2, 3), np.float32)
        angles = targetable = None
        visible = np.array([True, False])
        payloads = np.array([(1.5,), (2.5,)], [("heat", "<f8")])

    layout = layout_from_dtype(Columns.payloads.dtype)
    frame = recorder.update([], 0.1, None, [Batch("imp", layout, Columns)])
    read = recorder.source.decoded(frame)
    assert [(p.id, p.type, p.visible, v) for p, v in read] == [
        (3, "imp", True, {"heat": 1.5}),
        (4, "imp", False, {"heat": 2.5}),
    ]
    assert "imp" in recorder.source.recorded_types(frame)


def test_in_playback_nothing_is_recorded(recorder, thing):
    recorder.update([(1, "thing", thing())], 0.1)
    recorder.suspended = True
    recorder.draw.line((0, 0, 0), (1, 1, 1))
    recorder.watch("speed", 1.0)
    with pytest.raises(RecordingError, match="playback"):
        recorder.update([(1, "thing", thing())], 0.1)
    assert recorder.status.frames == 1
    assert sum(recorder.status.calls_refused.values()) == 3


def test_a_memory_too_small_for_a_ring_is_refused():
    from playhead.recorder.recorder import Recorder

    with pytest.raises(CapacityError, match="bytes"):
        Recorder(100)
    with pytest.raises(CapacityError, match="64 MiB"):
        Recorder("lots")


def test_the_status_adds_up(recorder, thing):
    for _ in range(300):
        recorder.update([(id, "thing", thing()) for id in range(1, 100)], 1 / 60)
    status, accounts = recorder.status, recorder.ring.accounts
    assert status.bytes_used + status.bytes_gap + status.bytes_waste == accounts["capacity"]
    assert status.memory == 1 << 20
    assert status.frames == 300
    assert status.frames_held < 300
    assert status.seconds_held == pytest.approx((status.frames_held - 1) / 60)
    assert 0 < status.cost_us_p50 <= status.cost_us_p99


def test_a_ring_file_is_read_without_the_games_code(make_recorder, thing, tmp_path):
    path = tmp_path / "run.ring"
    recorder = make_recorder(path=path, about={"game": "things", "seed": 3})
    recorder.name(1, "first thing")
    for value in range(50):
        recorder.update([(1, "thing", thing(float(value)))], 0.1)
    recorder.close()
    source = RingSource.open(path)
    assert source.ring.raw.finished
    span = source.span
    assert span is not None
    for frame in range(span.oldest, span.newest + 1):
        assert source.ring.verify(frame)
        ((packet, values),) = source.decoded(frame)
        assert (packet.type, values) == ("thing", {"value": frame - 1.0})
    assert source.latched(span.newest, 1, Kind.NAME, "") == "first thing"
    about = source.latched(span.oldest, 0, Kind.WORLD, "")
    assert about["about"] == {"game": "things", "seed": 3}
    assert about["conventions"]["up"] == "z"


def test_what_an_iterator_of_the_game_raises_is_counted_and_the_rest_recorded(make_recorder, thing):
    def objects():
        yield 1, "thing", thing()
        raise KeyError("lost")

    recorder = make_recorder(strict=False)
    frame = recorder.update(objects(), 0.1)
    assert len(recorder.source.objects(frame)) == 1
    assert recorder.status.calls_refused == {"objects()": 1}


def test_in_a_forked_child_what_other_threads_have_stated_is_not_recorded(recorder):
    recorder.name(7, "Anna")
    recorder.update([], 0.1)
    stating = threading.Thread(target=lambda: recorder.log("of a thread of the parent's"))
    stating.start()
    stating.join()
    recorder.faults._lock.acquire()  # as by a thread that the child does not have
    recorder.forked()
    recorder.log("of the child")
    frame = recorder.update([], 0.1)
    assert [line.text for line in recorder.source.logs(frame)] == ["of the child"]
    assert recorder.pictures is None
