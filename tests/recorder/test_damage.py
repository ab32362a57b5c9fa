"""Recordings that are damaged, or were made to do harm: an error that says so, and no other."""

import random
import struct
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.bus.bridges.foxglove_file import export_foxglove
from playhead.errors import DamagedError, PlayheadError
from playhead.native.ring import FrameRing
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType
from playhead.recorder.packets.trace_types import AnimationClip, StateTransition, TreeNode
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.recorder import Recorder
from playhead.recorder.saving.csv_export import export_csv
from playhead.recorder.statements.instrumentation_interface import Belief
from playhead.recorder.statements.statement_messages import SetMark
from playhead.viewer.search.field_change_search import ChangeSearch

from ..support.other_process import OtherProcess

HERE = (0.0, 0.0, 0.0)


def read_all(source: RingSource) -> int:
    """Ask a source everything there is; returns how many questions were answered."""
    try:
        span = source.span
    except DamagedError:
        return 0
    if span is None:
        return 0
    questions = [source.marks]
    for frame in (span.oldest, (span.oldest + span.newest) // 2, span.newest):
        asked = [
            source.stamp, source.packets, source.objects, source.decoded, source.recorded_types,
            source.facts, source.channel_names, source.conventions, source.about, source.drawn,
            source.watches, source.logs, source.traces, source.machines,
        ]  # fmt: skip
        questions += [partial(ask, frame) for ask in asked]
        questions += [
            partial(source.transitions, frame, 1, "guard"),
            partial(source.tree, frame, 1, "brain"),
            partial(source.layout, frame, "thing"),
            partial(source.latched, frame, 1, Kind.NAME, ""),
            lambda frame=frame: list(source.stamps(frame, frame)),
            lambda frame=frame: source.frame_at(source.stamp(frame).time),
        ]
    answered = 0
    for question in questions:
        try:
            question()
        except PlayheadError as error:
            assert str(error)
        else:
            answered += 1
    return answered


def film(recorder: Recorder, handler: object, thing: object) -> None:
    """Thirty frames with something of every kind in each."""
    recorder.add_handler(HandlerSpec("thing", handler, None))
    recorder.name(1, "one")
    recorder.trace.define_tree(1, "brain", [TreeNode("root"), TreeNode("go", parent=0)])
    for n in range(30):
        recorder.draw.line((0, 0, n), (1, 1, 1), channel="ai")
        recorder.draw.text((0, 0, n), "text")
        recorder.draw.polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)], latch="zone")
        recorder.watch("speed", n, 1)
        recorder.log(f"line {n}")
        recorder.emit(SetMark(f"mark {n}"))
        recorder.trace.state(1, "guard", "a", "b", won="x", beliefs=[Belief(1, HERE, 0.0)])
        recorder.trace.tree(1, "brain", ["running", "success"])
        recorder.trace.animation(1, "body", [AnimationClip("walk", 1.0)])
        OtherProcess(recorder).decide(
            1, StateTransition("guard", "b", "c", "y"), time=0.1 * n - 0.3
        )
        OtherProcess(recorder).line(LogLine(f"late {n}"), time=0.1 * n - 0.3)
        OtherProcess(recorder).set_mark(f"late {n}", time=0.1 * n - 0.3)
        recorder.update([(1, "thing", thing)], 0.1)


@pytest.fixture
def ring_file(tmp_path: Path, thing_handler: type, thing) -> Path:
    path = tmp_path / "film.ring"
    recorder = Recorder("96 KiB", path=path, strict=True)
    film(recorder, thing_handler(), thing())
    recorder.close()
    return path


def test_a_complete_file_answers_everything(ring_file):
    assert read_all(RingSource.open(ring_file)) == 1 + 3 * 20


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bits_anywhere_give_an_error_or_an_answer_and_nothing_else(ring_file, seed):
    chance, whole = random.Random(seed), ring_file.read_bytes()
    for _ in range(12):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 4, 64, 1024))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        ring_file.write_bytes(damaged)
        try:
            source = RingSource.open(ring_file, copy=True)
        except DamagedError as error:
            assert "film.ring" in str(error)
            continue
        read_all(source)


@pytest.mark.parametrize("at", ["header", "facts", "arena", "end"])
def test_whole_stretches_of_noise_give_an_error_or_an_answer_and_nothing_else(ring_file, at):
    chance, whole = random.Random(at), ring_file.read_bytes()
    start = {"header": 0, "facts": 600, "arena": 40_000, "end": len(whole) - 4096}[at]
    for length in (8, 64, 512, 4096):
        damaged = bytearray(whole)
        damaged[start : start + length] = chance.randbytes(length)
        ring_file.write_bytes(damaged)
        try:
            source = RingSource.open(ring_file, copy=True)
        except DamagedError:
            continue
        read_all(source)


@pytest.mark.parametrize("content", [b"", b"PLAYHEAD", bytes(4096), b"\x93NUMPY" * 1000])
def test_what_is_no_ring_is_named(tmp_path, content):
    path = tmp_path / "other.ring"
    path.write_bytes(content)
    with pytest.raises(DamagedError, match=r"other\.ring"):
        RingSource.open(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(PlayheadError, match=r"none\.ring"):
        RingSource.open(tmp_path / "none.ring")


# A ring whose checks are all right, but whose maker meant harm.

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)  # fmt: skip
FORMATS = st.sampled_from(
    ["<f4", "<i8", "|O", "|S0", "|S4", "<U1", "|V0", "|V3", "<M8[s]", "f4,f4", "(2,)f4", "nonsense"]
) | st.text(max_size=4)  # fmt: skip
LAYOUTS = st.fixed_dictionaries(
    {},
    optional={
        "fields": st.lists(
            st.tuples(
                st.sampled_from(["a", "b", "file", "line", ""]), FORMATS,
                st.lists(st.integers(-1, 5) | st.just(2**40), max_size=2),
            ),
            max_size=3,
        ),
        "tail": st.sampled_from(["", "utf8", "msgpack"]) | FORMATS,
        "tail_shape": st.lists(st.integers(-1, 4), max_size=2),
    },
)  # fmt: skip
PACKED = PLAIN.map(msgspec.msgpack.encode)
BYTES = st.binary(max_size=64) | PACKED | st.sampled_from([b"\x91" * 20_000, b"\xa1\xff", b"\xc1"])


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(
    layout=LAYOUTS | PLAIN,
    about_type=st.sampled_from([*range(1, 15), 32, 33]),
    facts=st.lists(
        st.tuples(
            st.sampled_from([0, 1]),
            st.sampled_from([*Kind, 99]),
            st.sampled_from([0, 1, 2, 32, 33, 2**63]),
            st.sampled_from([*PacketType, 32]),
            BYTES,
        ),
        max_size=12,
    ),
    packets=st.lists(st.tuples(st.sampled_from([*PacketType, 32, 33, 999]), BYTES), max_size=12),
)
def test_hostile_content_gives_an_error_or_an_answer_and_nothing_else(
    layout, about_type, facts, packets
):
    ring = FrameRing("1 MiB")
    result = {"name": "thing", "layout": layout}
    for _ in range(2):
        ring.begin()
        ring.latch(0, PacketType.FACT, 0, Kind.TYPE, about_type, msgspec.msgpack.encode(result))
        for object, kind, key, type, payload in facts:
            ring.latch(object, type, 0, kind, key, payload)
        for type, payload in packets:
            ring.record(1, type, True, HERE, HERE, payload)
        ring.commit(0.0, 0.0)
    with np.errstate(all="ignore"):
        read_all(RingSource(ring))


@pytest.mark.parametrize(
    ("kind", "type", "payload", "words"),
    [
        (Kind.NAME, PacketType.FACT, b"\xa2\xff\xff", "str"),
        (Kind.STATE, PacketType.STATE, b"\x91" * 100, "StateTransition"),
        (Kind.DRAWN, PacketType.LINE, b"short", "5 bytes"),
        (Kind.FACT, PacketType.FACT, b"", "0 recorded bytes"),
    ],
)
def test_what_is_wrong_is_reported(kind, type, payload, words):
    ring = FrameRing("256 KiB")
    ring.begin()
    ring.latch(1, type, 0, kind, 0, payload)
    ring.commit(0.0, 0.0)
    with pytest.raises(DamagedError, match=words):
        RingSource(ring).latched(1, 1, kind, "")


def test_one_broken_packet_hides_no_other(thing_handler, thing):
    recorder = Recorder("256 KiB", strict=True)
    recorder.add_handler(HandlerSpec("thing", thing_handler(), None))
    recorder.update([], 0.1)
    recorder.log("kept")
    recorder.ring.record(9, FIRST_OBJECT, True, HERE, HERE, struct.pack("<f", 1.0))
    frame = recorder.update([(1, "thing", thing())], 0.1)
    assert [packet.id for packet in recorder.source.objects(frame)] == [9, 1]
    with pytest.raises(PlayheadError, match="4 bytes"):
        recorder.source.decoded(frame)
    assert [line.text for line in recorder.source.logs(frame)] == ["kept"]
    recorder.close()


def test_a_mark_belongs_to_the_frame_that_holds_it_whatever_it_says_itself():
    ring = FrameRing("256 KiB")
    for message in (77, -1, 2**62):
        ring.begin()
        payload = msgspec.msgpack.encode(Mark("mark", message, time=9.0))
        ring.latch(0, PacketType.MARK, 0, Kind.MARK, 0, payload)
        ring.commit(0.5, 0.0)
    marks = RingSource(ring).marks()
    assert [(mark.frame, mark.time) for mark in marks] == [(1, 0.5), (2, 0.5), (3, 0.5)]


# --- a torn frame ---------------------------------------------------------------------------------

TORN = 20


@pytest.fixture
def torn_file(tmp_path: Path, thing_handler: type, thing) -> Path:
    """A ring file of thirty frames, of which one has a wrong bit in its last packet."""
    path = tmp_path / "torn.ring"
    recorder = Recorder("1 MiB", path=path, strict=True)
    film(recorder, thing_handler(), thing())
    accounts, (*_, at, size) = recorder.ring.accounts, recorder.ring.stamp(TORN)
    recorder.close()
    content = bytearray(path.read_bytes())
    content[accounts["total"] - accounts["capacity"] + at + size - 12] ^= 1
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize(
    "read",
    ["packets", "objects", "decoded", "drawn", "statements", "watches", "logs", "traces", "runs"],
)
def test_a_torn_frame_is_refused_by_name_and_all_others_are_read(torn_file, read, copy):
    source = RingSource.open(torn_file, copy=copy)
    for frame in range(1, 31):
        if frame == TORN:
            with pytest.raises(DamagedError, match=rf"frame {TORN} is damaged.*clip recover"):
                getattr(source, read)(frame)
        else:
            assert getattr(source, read)(frame)
    with pytest.raises(DamagedError, match=f"frame {TORN}"), source.ring.read(TORN):
        pass


def test_what_a_torn_frame_latched_is_not_reported_and_what_others_latched_is(torn_file):
    source = RingSource.open(torn_file)
    assert source.latched(TORN - 1, 1, Kind.STATE, "guard") is not None
    with pytest.raises(DamagedError, match="stands in a frame that is damaged"):
        source.latched(TORN, 1, Kind.STATE, "guard")
    assert source.latched(TORN + 1, 1, Kind.STATE, "guard") is not None
    assert source.latched(TORN, 1, Kind.NAME, "") == "one"
    marks = {mark.name for mark in source.marks()}
    assert f"mark {TORN - 1}" not in marks, "the one of the torn frame"
    assert {f"mark {TORN - 2}", f"mark {TORN}", "mark 0"} <= marks
    assert (1, Kind.NAME, "") in source.facts(TORN)
    assert (1, Kind.STATE, "guard") not in source.facts(TORN)


def test_a_torn_link_to_what_was_evicted_is_an_error_and_no_endless_search(tmp_path):
    path = tmp_path / "links.ring"
    with FrameRing("256 KiB", path=path) as ring:
        for frame in range(1, 3000):
            ring.begin()
            if frame in (1, 2980):
                assert ring.latch(5, 1, 0, 2, 77, b"since %d" % frame)
            ring.record(1, 40, True, HERE, HERE, bytes(60))
            ring.commit(float(frame), 1.0)
        accounts, (*_, at, size) = ring.accounts, ring.stamp(2980)
    content, start = bytearray(path.read_bytes()), accounts["total"] - accounts["capacity"]
    content[start + (at + size - 12) % accounts["capacity"]] ^= 1
    path.write_bytes(content)
    with FrameRing.open(path) as torn:
        assert not torn.holds(1)
        for frame in (2970, 2980, 2990):
            with pytest.raises(DamagedError, match="stands in a frame that is damaged"):
                torn.latched(frame, 5, 2, 77)
            assert torn.latched_all(frame) == []
            assert torn.versions(frame, 5, 2, 77, 9) == []


def test_a_complete_recording_goes_on_past_a_torn_frame_and_counts_it(torn_file, tmp_path, caplog):
    source = RingSource.open(torn_file)
    export_csv(source, tmp_path / "tables")
    rows = (tmp_path / "tables" / "frames.csv").read_text().splitlines()[1:]
    assert [int(row.split(",")[0]) for row in rows] == [n for n in range(1, 31) if n != TORN]
    assert f"1 of 30 frames are damaged and left out, the first of them frame {TORN}" in caplog.text
    assert export_foxglove(source, tmp_path / "scene.mcap") == 29
    search = ChangeSearch(1, "value", 1, 1)
    answers = iter(lambda: search.look(source), 0)
    assert list(answers) == [None] * 29, "the value never changes"


def test_a_frame_of_a_file_is_verified_once(ring_file):
    source = RingSource.open(ring_file)
    span = source.span
    assert source.packets(span.newest)
    accounts, (*_, at, size) = source.ring.accounts, source.ring.stamp(span.newest)
    with ring_file.open("r+b") as file:
        file.seek(accounts["total"] - accounts["capacity"] + at % accounts["capacity"] + size - 12)
        file.write(b"\xff")
    assert source.packets(span.newest), "it was whole when it was read first"
    with pytest.raises(DamagedError):
        RingSource.open(ring_file).packets(span.newest)


def test_a_recorder_that_writes_into_a_file_believes_its_own_frames(tmp_path, thing_handler, thing):
    path = tmp_path / "own.ring"
    recorder = Recorder("1 MiB", path=path, strict=True)
    film(recorder, thing_handler(), thing())
    assert read_all(recorder.source) > 0
    recorder.close()
