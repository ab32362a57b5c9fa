"""Failing objects rest, one by one, and are asked again: what they cost is bounded."""

import struct
from itertools import pairwise

import pytest

from playhead.errors import HandlerError
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.objects.failing_handler_backoff import (
    BATCH,
    FIRST_MUTING,
    LONGEST_MUTING,
    MOST_ATTEMPTS,
    MOST_FAILING,
    MOST_FAILURES,
    HandlerMuting,
)
from playhead.recorder.packets.layouts.layout import layout_from_dtype


class Picky:
    """Fails for things whose value is negative, and counts how often it is asked."""

    layout = layout_from_dtype([("value", "<f8")])

    def __init__(self):
        self.asked = 0

    def size(self, thing):
        return 8

    def record(self, thing, packet):
        self.asked += 1
        if thing.value < 0:
            raise ValueError("below zero")
        struct.pack_into("<d", packet, 0, thing.value)


def damaged(recorder, frame):
    return {packet.id for packet in recorder.source.objects(frame) if packet.damaged}


def test_one_bad_object_of_a_hundred_is_muted_alone_and_comes_back(make_recorder, thing):
    recorder = make_recorder(handler=Picky(), strict=False)
    things = {n: thing(float(n)) for n in range(1, 101)}
    things[42].value = -1.0
    entries = [(n, "thing", one) for n, one in things.items()]
    for _ in range(10):
        assert damaged(recorder, recorder.update(entries, 0.1)) == {42}
    assert recorder.status.muted == {"thing": (42,)}
    (mark,) = recorder.source.marks()
    assert (mark.name, mark.kind, mark.object, mark.frame) == ("thing 42 muted", "loss", 42, 3)
    things[42].value = 42.0
    for _ in range(FIRST_MUTING):
        frame = recorder.update(entries, 0.1)
    assert damaged(recorder, frame) == set()
    assert recorder.status.muted == {}


def test_an_object_that_fails_again_rests_twice_as_long_up_to_a_bound():
    muting, tried = HandlerMuting(3), []
    for frame in range(1, 8 * LONGEST_MUTING):
        muting.begin(frame)
        if ("orc", 7) not in muting.skipped:
            tried.append(frame)
            muting.failed("orc", 7)
        muting.end({("orc", 7)})
    pauses = [later - before - 1 for before, later in pairwise(tried[2:])]
    assert tried[:3] == [1, 2, 3]
    doubling = [FIRST_MUTING << n for n in range(6)]
    assert pauses[:6] == doubling
    assert set(pauses[6:]) == {LONGEST_MUTING}


def test_a_good_frame_between_begins_the_streak_anew():
    muting = HandlerMuting(2)
    for frame in (1, 3, 5, 7):
        muting.begin(frame)
        assert not muting.failed("orc", 1)
        muting.end(None)
        muting.begin(frame + 1)
        muting.end(None)
    assert not muting


def test_an_object_that_was_unmuted_has_its_whole_streak_before_it(make_recorder, thing):
    handler = Picky()
    recorder = make_recorder(handler=handler, strict=False)
    things = [(1, "thing", thing(-1.0)), (2, "thing", thing(-1.0))]
    for _ in range(4):
        recorder.update(things, 0.1)
    assert handler.asked == 6
    recorder.unmute("thing", 2)
    assert recorder.status.muted == {"thing": (1,)}
    for _ in range(4):
        recorder.update(things, 0.1)
    assert handler.asked == 9
    recorder.unmute("thing")
    assert recorder.status.muted == {}


def test_objects_that_are_gone_are_forgotten(make_recorder, thing):
    recorder = make_recorder(handler=Picky(), strict=False)
    for n in range(1, 400):
        recorder.update([(n, "thing", thing(-1.0))], 0.1)
    for _ in range(3):
        recorder.update([(400, "thing", thing(-1.0))], 0.1)
    assert recorder.status.muted == {"thing": (400,)}
    recorder.update([], 0.1)
    assert recorder.status.muted == {}


def test_nobody_counts_as_gone_while_the_list_of_objects_breaks_off(make_recorder, thing):
    recorder = make_recorder(handler=Picky(), strict=False)
    for _ in range(3):
        recorder.update([(1, "thing", thing(-1.0))], 0.1)

    def breaking():
        yield from ()
        raise ConnectionError

    recorder.update(breaking(), 0.1)
    assert recorder.status.muted == {"thing": (1,)}


@pytest.mark.parametrize("count", [100, 3000])
def test_a_handler_that_fails_for_all_objects_of_its_type_costs_only_so_much(
    make_recorder, thing, count
):
    handler = Picky()
    recorder = make_recorder("8 MiB", handler=handler, strict=False)
    recorder.add_handler(HandlerSpec("good", Picky(), None))
    entries = [(n, "thing", thing(-1.0)) for n in range(1, count + 1)]
    entries.append((count + 1, "good", thing(1.0)))
    asked = []
    for _ in range(3 * (MOST_FAILING // MOST_FAILURES) + 5):
        before = handler.asked
        frame = recorder.update(entries, 0.1)
        asked.append(handler.asked - before)
    assert len(recorder.source.objects(frame)) == count + 1
    assert damaged(recorder, frame) == set(range(1, count + 1))
    assert max(asked) <= MOST_FAILURES + MOST_ATTEMPTS
    assert sum(map(len, recorder.status.muted.values())) == min(count, MOST_FAILING)
    if count == 100:
        assert sum(asked[6:30]) == 0, "all of them rest"
    first = recorder.source.marks()[0]
    assert first.name.startswith(f"{MOST_FAILURES} objects of thing muted: 1, 2, 3")
    assert len(recorder.source.marks()) <= MOST_FAILING // MOST_FAILURES + 1


def test_good_objects_behind_many_bad_ones_are_recorded_when_those_rest(make_recorder, thing):
    recorder = make_recorder("8 MiB", handler=Picky(), strict=False)
    entries = [(n, "thing", thing(-1.0)) for n in range(1, 201)]
    entries += [(n, "thing", thing(1.0)) for n in range(201, 301)]
    for _ in range(FIRST_MUTING):
        frame = recorder.update(entries, 0.1)
    assert damaged(recorder, frame) == set(range(1, 201))
    for _ in range(4 * FIRST_MUTING):
        frame = recorder.update(entries, 0.1)
        assert damaged(recorder, frame) == set(range(1, 201))


def test_few_muted_objects_are_tried_in_one_frame():
    muting = HandlerMuting(1)
    muting.begin(1)
    for id in range(1, 101):
        assert muting.failed("orc", id)
    present = {("orc", id) for id in range(1, 101)}
    muting.end(present)
    for frame in range(2, 200):
        muting.begin(frame)
        asked = present - muting.skipped
        assert len(asked) <= MOST_ATTEMPTS
        for type, id in asked:
            muting.failed(type, id)
        muting.end(present)


def test_a_batch_that_fails_as_a_whole_rests_and_its_objects_are_recorded_one_by_one(
    make_recorder, thing
):
    class BadBatch(Picky):
        batches = 0

        def record_many(self, ids, things):
            self.batches += 1
            raise ArithmeticError("no batch today")

    handler = BadBatch()
    recorder = make_recorder(handler=handler, strict=False)
    for _ in range(20):
        frame = recorder.update([(n, "thing", thing(1.0)) for n in (1, 2)], 0.1)
        assert damaged(recorder, frame) == set()
    assert handler.batches == 3
    assert recorder.status.muted == {"thing": (BATCH,)}


def test_a_muted_object_leaves_the_batch_of_the_others_alone(make_recorder, thing):
    class Batched(Picky):
        batches = 0

        def record_many(self, ids, things):
            self.batches += 1
            raise ValueError("one of them is bad")

    class Healing(Batched):
        def record_many(self, ids, things):
            if any(one.value < 0 for one in things):
                return super().record_many(ids, things)
            self.good = list(ids)
            raise StopAsyncIteration

    handler = Healing()
    recorder = make_recorder(handler=handler, strict=False)
    for _ in range(5):
        recorder.update([(1, "thing", thing(1.0)), (2, "thing", thing(-1.0))], 0.1)
    assert (handler.batches, handler.good) == (3, [1])


def test_strict_nobody_is_muted_and_each_failure_is_raised(make_recorder, thing):
    recorder = make_recorder(handler=Picky())
    for _ in range(10):
        with pytest.raises(HandlerError, match="below zero"):
            recorder.update([(1, "thing", thing(-1.0))], 0.1)
    assert recorder.status.muted == {}
