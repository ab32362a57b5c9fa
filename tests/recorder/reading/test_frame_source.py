"""A ring read as a source: live, of another process, or as a file that was left."""

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import CommandError, EvictedError
from playhead.handlers.field_handler import FieldHandler
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.reading.frame_source import TOLERANCE
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.statements.statement_messages import SetMark
from playhead.recorder.world_adapter import Conventions

from ...support.process import run_process


@pytest.fixture
def film(make_recorder, thing):
    """A small ring in which the oldest frames are gone; the thing's value is its frame's id."""

    def record(frames=600, **settings):
        recorder = make_recorder("64 KiB", **settings)
        for frame in range(1, frames + 1):
            recorder.update([(1, "thing", thing(float(frame)))], 0.25)
        return recorder

    return record


def test_frames_are_known_by_their_neighbours_and_the_ends_have_one_only(film):
    source = film().source
    span = source.span
    assert span.newest == 600
    assert 1 < span.oldest < 590
    stamps = list(source.stamps(span.oldest, span.newest))
    assert [stamp.id for stamp in stamps] == list(range(span.oldest, 601))
    assert [stamp.previous for stamp in stamps] == [None, *range(span.oldest, 600)]
    assert [stamp.next for stamp in stamps] == [*range(span.oldest + 1, 601), None]
    assert (span.start, span.end) == (stamps[0].time, stamps[-1].time)
    assert span.seconds == pytest.approx((600 - span.oldest) * 0.25)


def test_a_time_finds_the_newest_frame_at_or_before_it_and_the_ends_beyond_them(film):
    source = film().source
    span = source.span
    assert source.frame_at(100.0) == 400
    assert source.frame_at(100.2) == 400
    assert source.frame_at(100.0 - 2 * TOLERANCE) == 399
    assert source.frame_at(-math.inf) == source.frame_at(0.0) == span.oldest
    assert source.frame_at(math.inf) == source.frame_at(1e9) == 600


@pytest.mark.parametrize("dt", [1 / 60, 0.1, 1e-3, 1e-6])
def test_the_time_that_is_printed_of_a_frame_leads_back_to_it(make_recorder, dt):
    recorder = make_recorder("1 MiB")
    for _ in range(400):
        recorder.update([], dt)
    source = recorder.source
    begin = source.stamp(1).time
    for frame in range(1, 401):
        time = source.time(frame)
        assert source.frame_at(time) == frame
        assert source.frame_at(begin + (frame - 1) * dt) == frame
        assert source.frame_at(float(f"{time:.6f}")) == frame
        assert source.frame_at(time + dt / 3) == frame


@pytest.mark.parametrize("time", [math.nan, "1.0", None])
def test_what_is_no_time_finds_nothing(film, time):
    with pytest.raises(CommandError):
        film(5).source.frame_at(time)


def test_of_frames_with_one_time_the_newest_is_found(recorder):
    for time in (1.0, 2.0, 2.0, 2.0, 3.0):
        recorder.update([], 0.0, time)
    assert recorder.source.frame_at(2.0) == 4
    assert recorder.source.frame_at(2.5) == 4


def test_where_nothing_was_recorded_nothing_is_found(recorder):
    source = recorder.source
    assert source.span is None
    assert source.marks() == []
    with pytest.raises(EvictedError):
        source.frame_at(0.0)
    with pytest.raises(EvictedError):
        source.stamp(1)


def test_a_frame_that_is_gone_or_never_was_is_reported_to_be(film):
    source = film().source
    for frame in (1, source.span.oldest - 1, 601, 0):
        for ask in (source.stamp, source.packets, source.objects, source.decoded, source.drawn):
            with pytest.raises(EvictedError):
                ask(frame)


def test_packets_are_all_that_was_stated_in_the_frame_in_its_order(recorder, thing):
    recorder.draw.line((0, 0, 0), (1, 1, 1), object=1)
    recorder.log("a line", object=1)
    recorder.watch("speed", 1.0)
    recorder.draw.sphere((0, 0, 0), 1.0, latch="zone")
    frame = recorder.update([(1, "thing", thing())], 0.1)
    types = [packet.type for packet in recorder.source.packets(frame)]
    assert types == [".line", ".log", ".watch", "thing"]
    assert [packet.type for packet in recorder.source.objects(frame)] == ["thing"]


def test_who_is_gone_is_reported_in_the_first_frame_without_it(recorder, thing):
    recorder.name(1, "first")
    there = recorder.update([(1, "thing", thing()), (2, "thing", thing())], 0.1)
    gone = recorder.update([(2, "thing", thing())], 0.1)
    after = recorder.update([(2, "thing", thing())], 0.1)
    source = recorder.source
    assert [source.gone(frame) for frame in (there, gone, after)] == [[], [1], []]
    assert source.statements(gone).gone == [1]


def test_a_header_says_who_where_and_whether_it_may_be_seen_and_selected(recorder):
    class Ghost:
        layout = layout_from_dtype([("n", "<u2")])

        def size(self, ghost):
            return 2

        def record(self, ghost, packet):
            packet.position, packet.angles = (1.5, 2.5, 3.5), (0.25, 0.5, 0.75)
            packet.visible, packet.targetable = False, False
            packet.payload[:] = b"\x07\x00"

    recorder.add_handler(HandlerSpec("ghost", Ghost(), None, ("fx", "ai")))
    ((packet, values),) = recorder.source.decoded(recorder.update([(9, "ghost", None)], 0.1))
    assert (packet.id, packet.type, values) == (9, "ghost", {"n": 7})
    assert (packet.position, packet.angles) == ((1.5, 2.5, 3.5), (0.25, 0.5, 0.75))
    assert (packet.visible, packet.targetable, packet.damaged) == (False, False, False)
    assert packet.channels == recorder.channels.bits(["ai", "fx"])
    assert packet.record("<u2") == 7


def test_a_layout_is_known_at_frames_without_an_object_of_its_type(recorder, thing, thing_handler):
    frame = recorder.update([], 0.1)
    assert recorder.source.layout(frame, "thing") == thing_handler.layout
    assert recorder.source.layout(frame, "ghost") is None
    assert recorder.source.layout(frame, ".line").dtype.names == ("color", "file", "line", "end")


def test_a_type_that_came_later_is_not_known_before(recorder, thing_handler):
    recorder.update([], 0.1)
    recorder.add_handler(HandlerSpec("late", thing_handler(), None))
    recorder.update([], 0.1)
    source = RingSource(recorder.ring)
    assert source.layout(1, "late") is None
    assert source.layout(2, "late") is not None


def test_conventions_and_what_describes_the_recording_are_known_at_every_frame(film):
    conventions = Conventions("y", "left", "cm", ("y", "x", "z"))
    recorder = film(conventions=conventions, about={"game": "chess", "seed": 3})
    for frame in (recorder.source.span.oldest, 600):
        assert recorder.source.conventions(frame) == conventions
        assert recorder.source.about(frame) == {"game": "chess", "seed": 3}


def test_all_that_holds_at_a_frame_is_reported_at_once(recorder):
    recorder.name(4, "door")
    recorder.fact(4, "key", "red")
    recorder.trace.state(4, "lock", "open", "shut", won="wind")
    first = recorder.update([], 0.1)
    recorder.fact(4, "key", "blue")
    second = recorder.update([], 0.1)
    facts = recorder.source.facts(first)
    assert facts[4, Kind.NAME, ""] == "door"
    assert facts[4, Kind.FACT, "key"] == "red"
    assert isinstance(facts[4, Kind.STATE, "lock"], StateTransition)
    assert facts[0, Kind.RECORDED, ""] == ["thing"]
    assert {facts[0, Kind.CHANNEL, str(n)] for n in range(4)} == set(recorder.channels.names)
    assert recorder.source.facts(second)[4, Kind.FACT, "key"] == "blue"


def test_facts_of_a_kind_from_the_future_are_left_out(recorder):
    recorder.log("opens the frame")
    recorder.ring.latch(4, PacketType.FACT, 0, 99, 0, b"\xc1")
    recorder.name(4, "door")
    facts = recorder.source.facts(recorder.update([], 0.1))
    assert [kind for object, kind, _ in facts if object] == [Kind.NAME]


def test_what_was_true_under_a_text_is_asked_for_by_the_text(recorder):
    recorder.fact(4, "", "no name")
    recorder.fact(4, "key", "red")
    frame = recorder.update([], 0.1)
    ask = recorder.source.latched
    assert (ask(frame, 4, Kind.FACT, ""), ask(frame, 4, Kind.FACT, "key")) == ("no name", "red")
    assert ask(frame, 4, Kind.FACT, "kez") is None


def test_transitions_come_newest_first_and_reach_behind_the_oldest_frame(make_recorder):
    recorder = make_recorder("64 KiB")
    recorder.trace.state(1, "guard", "none", "patrol", won="start")
    recorder.update([], 0.1)
    recorder.trace.state(1, "guard", "patrol", "chase", won="saw")
    for _ in range(2000):
        recorder.log("some text to fill the ring with")
        recorder.update([], 0.1)
    recorder.trace.state(1, "guard", "chase", "patrol", won="lost")
    newest = recorder.update([], 0.1)
    source = recorder.source
    result = source.transitions(newest, 1, "guard")
    assert [(t.frame, t.trace.target) for t in result] == [(newest, "patrol"), (2, "chase")]
    assert source.span.oldest > 2
    assert [t.trace.target for t in source.transitions(newest - 1, 1, "guard")] == ["chase"]
    assert [t.trace.target for t in source.transitions(newest, 1, "guard", 1)] == ["patrol"]
    assert source.transitions(newest, 1, "door") == []
    assert source.transitions(newest, 2, "guard") == []


def test_marks_are_limited_to_the_newest_and_told_oldest_first(recorder):
    for n in range(5):
        recorder.emit(SetMark(f"mark {n}"))
        recorder.emit(SetMark(f"other {n}"))
        recorder.update([], 0.5)
    marks = recorder.source.marks(3)
    assert [(mark.name, mark.frame, mark.time) for mark in marks] == [
        ("other 3", 4, 2.0),
        ("mark 4", 5, 2.5),
        ("other 4", 5, 2.5),
    ]
    assert len(recorder.source.marks()) == 10


def test_a_latched_primitive_keeps_its_channel_object_and_place(recorder):
    recorder.draw.box(
        (1, 2, 3), (4, 5, 6), angles=(0.5, 0, 0), object=7, channel="fx", latch="zone"
    )
    recorder.update([], 0.1)
    (box,) = recorder.source.drawn(recorder.update([], 0.1))
    assert (box.kind, box.object, box.latched) == ("box", 7, "zone")
    assert (box.position, box.angles) == ((1.0, 2.0, 3.0), (0.5, 0.0, 0.0))
    assert box.channels == recorder.channels.bit("fx")
    assert box.values["size"].tolist() == [4.0, 5.0, 6.0]
    assert recorder.source.latched(2, 7, Kind.DRAWN, "zone").file == __file__


def test_a_channels_name_is_known_in_the_frame_that_first_draws_in_it(recorder):
    recorder.update([], 0.1)
    recorder.draw.line((0, 0, 0), (1, 1, 1), channel="sound")
    frame = recorder.update([], 0.1)
    (line,) = recorder.source.drawn(frame)
    assert recorder.source.channel_names(frame)[line.channels] == "sound"
    assert "sound" not in recorder.source.channel_names(frame - 1).values()


READ = """
import sys
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.frame_source import TOLERANCE
from playhead.recorder.reading.ring_source import RingSource

source = RingSource.open(sys.argv[1])
span = source.span
for frame in (span.oldest, span.newest):
    ((packet, values),) = source.decoded(frame)
    print(frame, packet.type, values["hp"], values["position"].tolist(), bytes(values["state"]))
print(source.latched(span.newest, 1, Kind.NAME, ""), source.conventions(span.newest).up)
print([mark.name for mark in source.marks()], source.watches(span.newest))
print(source.layout(span.newest, "orc").notes["position"].role, source.about(span.newest))
"""


@pytest.mark.parametrize("closed", [False, True])
def test_another_process_reads_all_of_it_without_the_games_code(make_recorder, tmp_path, closed):
    path = tmp_path / "game.ring"
    recorder = make_recorder(
        "64 KiB", path=path, about={"game": "chess"}, conventions=Conventions(up="y")
    )
    orc = SimpleNamespace(position=(1.0, 2.0, 3.0), hp=0, state="patrol")
    recorder.add_handler(HandlerSpec("orc", FieldHandler(orc, names=list(vars(orc))), None))
    recorder.name(1, "Gork")
    for frame in range(1, 601):
        orc.hp = frame
        recorder.watch("speed", frame / 2)
        recorder.update([(1, "orc", orc)], 0.1)
    recorder.emit(SetMark("the end"))
    recorder.watch("speed", 0.5)
    recorder.update([(1, "orc", orc)], 0.1)
    oldest = recorder.source.span.oldest
    if closed:
        recorder.close()
    read = run_process(
        sys.executable, "-W", "error", "-c", READ, path, check=True
    ).stdout.splitlines()
    assert read == [
        f"{oldest} orc {oldest} [1.0, 2.0, 3.0] b'patrol'",
        "601 orc 600 [1.0, 2.0, 3.0] b'patrol'",
        "Gork y",
        "['the end'] {(0, 'speed'): 0.5}",
        "position {'game': 'chess'}",
    ]


def test_a_copy_of_a_file_is_not_touched_by_what_happens_to_it(film, tmp_path):
    path = tmp_path / "game.ring"
    film(path=path).close()
    source = RingSource.open(path, copy=True)
    path.write_bytes(b"")
    assert source.span.newest == 600
    assert source.decoded(600)[0][1] == {"value": 600.0}


def test_a_reader_beside_the_writer_sees_finished_frames_only(make_recorder, thing, tmp_path):
    path = tmp_path / "game.ring"
    recorder = make_recorder(path=path)
    recorder.update([(1, "thing", thing(1.0))], 0.1)
    source = RingSource.open(path)
    recorder.log("in the open frame")
    recorder.name(1, "in the open frame")
    assert source.span == FrameRange(1, 1, 0.1, 0.1)
    assert source.logs(1) == []
    assert source.latched(1, 1, Kind.NAME, "") is None
    recorder.update([(1, "thing", thing(2.0))], 0.1)
    assert source.span.newest == 2
    assert source.latched(2, 1, Kind.NAME, "") == "in the open frame"
    assert source.latched(1, 1, Kind.NAME, "") is None


def test_joints_come_back_as_they_were_of_models_of_different_size(make_recorder):
    class Bones:
        layout = layout_from_dtype(
            [("n", "<u4")], tail="<f4", tail_shape=(3, 4), tail_name="joints"
        )

        def size(self, joints):
            return 4 + joints.nbytes

        def record(self, joints, packet):
            packet.payload[:] = np.uint32(len(joints)).tobytes() + joints.tobytes()

    recorder = make_recorder("256 KiB", handler=Bones())
    chance = np.random.default_rng(1)
    message = {}
    for _ in range(300):
        models = [
            (id, "thing", chance.random((chance.integers(0, 40), 3, 4), np.float32))
            for id in range(1, 6)
        ]
        message[recorder.update(models, 0.1)] = models
    span = recorder.source.span
    assert span.oldest > 1
    for frame in range(span.oldest, span.newest + 1):
        read = [values["joints"] for _, values in recorder.source.decoded(frame)]
        for joints, (_, _, written) in zip(read, message[frame], strict=True):
            assert np.array_equal(joints, written)
