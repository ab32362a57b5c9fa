"""Questions: the same answers as the ring gives, for any numbers, while it is written into."""

import threading
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.messages.message import MOST_ROWS, PlayheadTime
from playhead.bus.messages.message_types import Response
from playhead.bus.messages.msgpack_codec import packed, response_of
from playhead.bus.messages.requests import (
    FindFrame,
    GetFrame,
    GetFrameHeaders,
    GetLatched,
    GetLatchHistory,
    GetMarks,
    GetObjects,
    GetSnapshot,
    GetStatements,
    GetStatus,
    GetTypes,
)
from playhead.bus.messages.response_rows import BusStatus
from playhead.bus.messages.responses import Snapshot
from playhead.bus.server.query_handler import QueryHandler
from playhead.errors import CommandError, DamagedError, EvictedError, PlayheadError
from playhead.native import _ring
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts import plain_value_codec
from playhead.recorder.packets.layouts.layout import Layout
from playhead.recorder.packets.packet_types import Kind, PacketType
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark

PRESENT = Snapshot(PlayheadTime(origin="s", sequence=1, mode="live"), None, {})
FAR = (-(2**63), -(2**31), -1, 0, 1, 7, 9999, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1)
"""Whole numbers that a message can hold, and that somebody might send."""


class Robot:
    """An object with every kind of field."""

    layout = Layout(
        (
            ("power", "<f8", ()), ("alive", "?", ()), ("name", "S8", ()), ("count", "<u8", ()),
            ("pose", "<f4", (2, 3)), ("bits", "u1", (4,)),
        ),
        tail="<f4", tail_shape=(3,), tail_name="points",
    )  # fmt: skip

    def size(self, obj: Any) -> int:
        return self.layout.dtype.itemsize + 24

    def record(self, obj: Any, packet: Any) -> None:
        row = np.zeros(1, self.layout.dtype)
        row["power"], row["alive"], row["name"], row["count"] = 1.5, True, "Zoé".encode(), 2**64 - 1
        row["pose"][0] = [[1, 2, 3], [4, 5, 6]]
        packet.position = (1.0, 2.0, 3.0)
        packet.payload[:] = row.tobytes() + np.arange(6, dtype="<f4").tobytes()


def make_desk(recorder: Recorder) -> QueryHandler:
    status = BusStatus("tcp://127.0.0.1:1", ())
    return QueryHandler(recorder.ring, lambda: PRESENT, lambda: recorder.status, lambda: status)


@pytest.fixture
def recorder():
    made = Recorder("1 MiB")
    made.add_handler(HandlerSpec("robot", Robot(), ("ai",)))
    yield made
    made.close()


@pytest.fixture
def desk(recorder):
    for step in range(1, 11):
        recorder.watch("n", step, 7)
        recorder.trace.state(7, "mind", str(step - 1), str(step), won="time")
        recorder.log(f"step {step}")
        if step % 5 == 0:
            recorder.emit(SetMark(f"mark {step}"))
        recorder.name(7, f"robot {step}")
        recorder.update([(7, "robot", object())], 0.25)
    return make_desk(recorder)


def test_objects_are_decoded_into_plain_values(desk):
    answer = desk.answer(GetObjects(4))
    [row] = answer.objects
    assert (answer.frame, row.id, row.type, row.name) == (4, 7, "robot", "robot 4")
    assert (row.position, row.targetable, row.visible, row.damaged) == (
        (1, 2, 3),
        True,
        True,
        False,
    )
    assert row.values == {
        "power": 1.5, "alive": True, "name": "Zoé", "count": 2**64 - 1,
        "pose": [[1, 2, 3], [4, 5, 6]], "bits": [0, 0, 0, 0], "points": [[0, 1, 2], [3, 4, 5]],
    }  # fmt: skip
    assert isinstance(row.values["alive"], bool)


def test_every_answer_can_be_sent(desk):
    for question in (
        GetSnapshot(), GetStatus(), GetFrame(3), GetObjects(3), GetStatements(3), GetTypes(3),
        GetFrameHeaders(1, 10), FindFrame(1.0), GetMarks(), GetLatched(3),
        GetLatchHistory(10, 7, Kind.NAME, 0),
    ):  # fmt: skip
        answer = Response(origin="s", sequence=1, body=desk.answer(question))
        assert response_of(packed(answer)).body.__class__ is answer.body.__class__


def test_the_statements_of_a_frame(desk):
    message = desk.answer(GetStatements(6))
    assert [(row.agent, row.state.target) for row in message.traces] == [(7, "6")]
    assert [line.text for line in message.log] == ["step 6"]
    assert message.watches == [(7, "n", 6.0)]


def test_the_image_is_the_rings_own(desk, recorder):
    answer = desk.answer(GetFrame(4))
    assert answer.image == recorder.ring.image(4)
    assert (answer.frame, answer.time, answer.delta, answer.epoch) == (4, 1.0, 0.25, 0)
    assert _ring.image_verify(answer.image)


def test_types_say_how_payloads_are_to_be_read(desk):
    answer = desk.answer(GetTypes(4))
    robot = next(row for row in answer.types if row.name == "robot")
    dtype = Robot.layout.dtype
    assert robot.size == dtype.itemsize
    assert {name: offset for name, _, _, offset in robot.fields} == {
        name: dtype.fields[name][1] for name in dtype.names
    }
    assert [shape for name, _, shape, _ in robot.fields if name == "pose"] == [(2, 3)]
    assert (robot.tail, robot.tail_shape, robot.tail_name) == ("<f4", (3,), "points")
    assert [row.number for row in answer.types] == sorted(row.number for row in answer.types)
    assert answer.channels["ai"] in (1, 2, 4, 8)


def test_stamps_marks_times_and_latched_values(desk):
    stamps = desk.answer(GetFrameHeaders(2, 4)).headers
    assert [(id, time, delta, epoch) for id, time, delta, _, epoch, _ in stamps] == [
        (2, 0.5, 0.25, 0), (3, 0.75, 0.25, 0), (4, 1.0, 0.25, 0),
    ]  # fmt: skip
    assert desk.answer(GetFrameHeaders(4, 3)).headers == []
    assert [(mark.name, mark.frame) for mark in desk.answer(GetMarks()).marks] == [
        ("mark 5", 5), ("mark 10", 10),
    ]  # fmt: skip
    assert [desk.answer(FindFrame(time)).frame for time in (0.6, -9.0, 99.0)] == [2, 1, 10]
    rows = desk.answer(GetLatched(4, 7, Kind.NAME)).rows
    assert [msgspec.msgpack.decode(row[5]) for row in rows] == ["robot 4"]
    assert desk.answer(GetLatched(4, 8, Kind.NAME)).rows == []
    assert set(rows) <= set(desk.answer(GetLatched(4)).rows)
    every = desk.answer(GetLatched(4)).rows
    names = desk.answer(GetLatched(4, kind=Kind.NAME)).rows
    assert names == [row for row in every if row[1] == Kind.NAME] != every
    assert desk.answer(GetLatched(4, 7)).rows == [row for row in every if row[0] == 7] != []
    assert desk.answer(GetLatched(4, key=0)).rows == [row for row in every if row[2] == 0] != every
    versions = desk.answer(GetLatchHistory(9, 7, Kind.NAME, 0, 3)).rows
    assert [(frame, msgspec.msgpack.decode(message)) for frame, _, message in versions] == [
        (9, "robot 9"), (8, "robot 8"), (7, "robot 7"),
    ]  # fmt: skip
    assert desk.answer(GetLatchHistory(9, 7, Kind.NAME, 0, -5)).rows == []


def test_too_many_stamps_at_once_are_refused_saying_how_many_there_may_be(desk):
    with pytest.raises(CommandError, match=f"ask for {MOST_ROWS:,} at most"):
        desk.answer(GetFrameHeaders(1, MOST_ROWS + 1))
    with pytest.raises(CommandError):
        desk.answer(GetFrameHeaders(-(2**63), 2**63))


@pytest.mark.parametrize("number", FAR)
def test_any_number_is_answered_or_refused_in_words(desk, number):
    for question in (
        GetFrame(number), GetObjects(number), GetStatements(number), GetTypes(number),
        GetFrameHeaders(number, number), GetLatched(number), GetLatched(number, 7, Kind.NAME),
        GetLatched(3, number, Kind.NAME), GetLatched(3, 7, number), GetLatched(3, 7, 1, number),
        GetLatchHistory(number, 7, 1, 1), GetLatchHistory(3, number, 1, 1),
        GetLatchHistory(3, 7, number, 1),
        GetLatchHistory(3, 7, 1, number), GetLatchHistory(3, 7, 1, 1, number),
    ):  # fmt: skip
        try:
            answer = desk.answer(question)
        except PlayheadError as error:
            assert str(error)
            continue
        packed(Response(origin="s", sequence=1, body=answer))


numbers = st.integers(-(2**63), 2**64 - 1) | st.integers(-2, 12)


@given(numbers, numbers, numbers, numbers, numbers, st.floats(), st.data())
def test_any_question_is_answered_or_refused_in_words(a, b, c, d, e, time, data):
    recorder = Recorder("128 KiB")
    try:
        for _ in range(3):
            recorder.update([], 0.25)
        desk = make_desk(recorder)
        question = data.draw(st.sampled_from([
            GetFrame(a), GetObjects(a), GetStatements(a), GetTypes(a), GetFrameHeaders(a, b),
            FindFrame(time),
            GetLatched(a, b, c, d), GetLatched(a), GetLatchHistory(a, b, c, d, e),
        ]))  # fmt: skip
        try:
            desk.answer(question)
        except PlayheadError as error:
            assert str(error)
    finally:
        recorder.close()


def test_frames_that_are_gone_are_evicted_and_no_others(recorder):
    desk = make_desk(recorder)
    for question in (GetFrame(1), GetObjects(1), FindFrame(0.0)):
        with pytest.raises(EvictedError):
            desk.answer(question)
    for _ in range(20_000):
        recorder.update([(7, "robot", object())], 0.25)
    oldest, newest = recorder.source.span.oldest, recorder.source.span.newest
    assert oldest > 1
    for frame in (oldest - 1, newest + 1):
        for kind in (GetFrame, GetObjects, GetStatements):
            with pytest.raises(EvictedError):
                desk.answer(kind(frame))
    assert len(desk.answer(GetObjects(oldest)).objects) == 1


def test_it_reads_while_another_thread_records(recorder):
    desk, ended, faults = make_desk(recorder), threading.Event(), []

    def record() -> None:
        step = 0
        while not ended.is_set():
            step += 1
            recorder.trace.state(7, "mind", "a", str(step), won="w")
            recorder.watch("n", step)
            recorder.update([(7, "robot", object())], 0.25)

    writer = threading.Thread(target=record)
    writer.start()
    try:
        read = 0
        while read < 300:
            span = desk.source.span
            if span is None:
                continue
            for frame in (span.newest, span.oldest + 1, (span.oldest + span.newest) // 2):
                try:
                    message, rows = (
                        desk.answer(GetStatements(frame)),
                        desk.answer(GetObjects(frame)).objects,
                    )
                except EvictedError:
                    continue
                read += 1
                if message.watches != [(0, "n", float(frame))] or [row.id for row in rows] != [7]:
                    faults.append((frame, message, rows))
                targets = [row.state.target for row in message.traces]
                if targets != [str(frame)]:
                    faults.append((frame, targets))
    finally:
        ended.set()
        writer.join()
    assert faults == []


def test_traces_of_every_kind_have_a_row(recorder):
    recorder.trace.state(7, "m", "a", "b", won="w")
    recorder.trace.tree(7, "t", ("running",))
    recorder.trace.animation(7, "a", ())
    recorder.update([], 0.25)
    rows = make_desk(recorder).answer(GetStatements(1)).traces
    assert isinstance(rows[0].state, StateTransition)
    assert [(row.state is None, row.tree is None, row.animation is None) for row in rows] == [
        (False, True, True), (True, False, True), (True, True, False),
    ]  # fmt: skip


def test_a_question_that_is_none_is_refused(desk):
    with pytest.raises(CommandError, match="'what' is no question that is answered here"):
        desk.answer("what")


@pytest.mark.parametrize("broken", [{"name": "x"}, {"name": "x", "layout": 7}, [1]])
def test_a_type_whose_recorded_layout_is_broken_is_damage_that_names_it(recorder, broken):
    recorder.ring.begin()
    recorder.ring.latch(0, PacketType.FACT, 0, Kind.TYPE, 99, plain_value_codec.encode(broken))
    recorder.ring.commit(1.0, 0.0)
    with pytest.raises(DamagedError, match="the layout of type 99 is broken"):
        make_desk(recorder).answer(GetTypes(1))
