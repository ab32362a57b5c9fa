"""Ticks of a tree as differences: what was removed is gone, and without room nothing is lost."""

import pytest

from playhead.native.ring import FrameRing
from playhead.recorder.latch_writer import LatchWriter
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.statements.tree_tick_writer import TreeTickWriter, are_same


@pytest.fixture
def make_ring():
    made = []

    def make(latch):
        made.append(FrameRing("64 KiB", latch=latch))
        return made[-1]

    yield make
    for ring in made:
        ring.close()


def tick(writer, entries, changed=(), *, is_full=False):
    return writer.write(b"\1", {}, entries, (), changed, (), {}, is_full=is_full)


def test_an_entry_that_was_removed_since_the_complete_tick_is_gone(make_ring):
    ring = make_ring("16 KiB")
    writer = TreeTickWriter(ring, LatchWriter(ring), 7, "plan")
    for time, (entries, changed) in enumerate(
        [({"hp": 1, "ammo": 2}, ()), ({"ammo": 2}, ("hp",)), ({"ammo": 3}, ("ammo", "new"))]
    ):
        ring.begin()
        assert tick(writer, entries, changed, is_full=writer.is_due())
        ring.commit(time / 64, 1 / 64)
    read = [RingSource(ring).traces(frame)[0][1].entries for frame in (1, 2, 3)]
    assert read == [{"hp": 1, "ammo": 2}, {"ammo": 2}, {"ammo": 3}]


def test_a_tick_whose_state_finds_no_room_is_not_written_and_the_next_is_a_complete_one(make_ring):
    ring = make_ring(0)
    writer = TreeTickWriter(ring, LatchWriter(ring), 7, "plan")
    ring.begin()
    assert not tick(writer, {})
    assert writer.is_due()
    assert ring.raw.open_packets == 0
    ring.abort()


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (1, 1, True), (1, 1.0, False), (1, True, False), ("a", "a", True), (None, None, True),
        ([1, 2], [1, 2], True), ([1, 2], [1, 2.0], False), ({"a": 1}, {"a": 2}, False),
        (float("nan"), float("nan"), True), (0.0, -0.0, False),
    ],
)  # fmt: skip
def test_values_are_the_same_if_they_are_recorded_alike(one, other, is_same):
    assert are_same(one, other) is is_same
