"""Frames are copied before they are evicted; what can't be copied is lost truthfully."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.saving.clip_copy_plan import ClipCopyPlan, CopiedFrames
from playhead.recorder.saving.ring_copier import RingCopier

from .tapes import DT, Tape, content, rows


def drained(cloner: RingCopier) -> list[CopiedFrames]:
    """All that can be copied and fetched now."""
    found = []
    while cloner.copy(1 << 20) or cloner.bytes:
        while (one := cloner.fetch()) is not None:
            found.append(one[1])
    return found


def test_a_pre_roll_that_begins_at_the_rings_end_is_copied_before_it_is_evicted(tape):
    tape.record(200)
    held = tape.held
    cloner, plan = RingCopier(tape.ring, 1 << 20), ClipCopyPlan(held[0], at=held[-1], post=20 * DT)
    cloner.add(plan)
    cloner.copy_ahead()  # nobody else copies
    for _ in range(200):
        tape.frame()
        cloner.copy_ahead()
    copied = drained(cloner)
    assert [one.frame for one in copied] == list(range(held[0], held[-1] + 21))
    assert [one.image for one in copied] == [tape.twin.image(one.frame) for one in copied]
    assert (plan.lost, cloner.busy, cloner.bytes) == (0, False, 0)


def test_a_frame_that_is_suddenly_ten_times_as_large_costs_what_it_evicts_before_the_copy(tape):
    tape.record(200)
    cloner, plan = RingCopier(tape.ring, 1 << 20), ClipCopyPlan(tape.held[0], tape.held[-1])
    cloner.add(plan)
    before = tape.held[0]
    tape.frame(9000)
    gone = tape.held[0] - before
    assert gone > 5
    cloner.copy_ahead()
    copied = drained(cloner)
    assert plan.lost == gone
    assert copied[0].frame == before + gone
    assert copied[0].why == "evicted before it was copied"


def test_far_from_the_rings_end_the_games_thread_copies_nothing():
    tape = Tape(memory=4 << 20)
    tape.record(1000)
    cloner = RingCopier(tape.ring, 1 << 20)
    cloner.add(ClipCopyPlan(1, 1000))
    cloner.copy_ahead()  # the ring is not full for long
    assert cloner.bytes == 0
    tape.record(3500)
    second = RingCopier(tape.ring, 1 << 20)
    second.add(ClipCopyPlan(tape.held[-100], tape.held[-1]))
    second.copy_ahead()
    assert second.bytes == 0
    tape.close()


def test_one_call_copies_no_more_than_it_may(tape):
    tape.record(300, 100)
    cloner = RingCopier(tape.ring, 1 << 20)
    cloner.add(ClipCopyPlan(tape.held[0], tape.held[-1]))
    assert cloner.copy(2000)
    assert 2000 <= cloner.bytes < 2400


def test_a_frame_larger_than_the_buffer_is_a_gap_that_says_so(tape):
    tape.record(5, 500)
    tape.record(1, 20_000)
    tape.record(5, 500)
    cloner, plan = RingCopier(tape.ring, 5000), ClipCopyPlan(1, 11)
    cloner.add(plan)
    copied = drained(cloner)
    assert [one.frame for one in copied] == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert copied[5].why == "larger than the buffer of 5000 bytes"
    assert rows(copied[5].latched) == rows(latched_before(tape.twin, 7, tape.twin.image(7)))
    assert plan.lost == 1


def test_while_the_buffer_is_full_frames_go_by_and_make_one_long_gap(tape):
    tape.record(100)
    start = tape.held[-3]
    cloner, plan = RingCopier(tape.ring, 10_000), ClipCopyPlan(start, at=start, post=1000 * DT)
    cloner.add(plan)
    got: list[CopiedFrames] = []
    for number in range(1000):  # it is fetched less often than it is recorded
        tape.frame()
        cloner.copy_ahead()
        cloner.copy(1 << 20)
        if number % 3 == 0 and (one := cloner.fetch()) is not None:
            got.append(one[1])
    got += drained(cloner)
    frames = [one.frame for one in got]
    gaps = [(a + 1, b - 1) for a, b in pairwise(frames) if b > a + 1]
    assert plan.lost == sum(b - a + 1 for a, b in gaps) > 300
    assert len(gaps) < plan.lost / 4
    with_latched = [one.frame for one in got if one.latched is not None]
    assert with_latched == [start] + [b + 1 for _, b in gaps]


def test_the_post_roll_ends_at_the_first_frame_that_is_late_enough(tape):
    tape.record(10)
    for post, last in ((0, 11), (DT, 12), (DT * 1.5, 13)):
        cloner = RingCopier(tape.ring, 1 << 20)
        plan = ClipCopyPlan(10, at=11, post=post)
        cloner.add(plan)
        while tape.frames < 14:
            tape.frame()
        assert [one.frame for one in drained(cloner)] == list(range(10, last + 1))


def test_behind_lost_frames_nothing_is_taken_that_is_later_than_the_end(tape):
    tape.record(10)
    cloner, plan = (
        RingCopier(tape.ring, 1 << 20),
        ClipCopyPlan(8, at=11, post=5 * DT, since=10 * DT),
    )
    cloner.add(plan)
    cloner.copy(1)  # frame 8
    tape.record(300)
    assert [one.frame for one in drained(cloner)] == [8]
    assert plan.complete


def test_what_two_clips_want_is_kept_once_and_fetched_by_both(tape):
    tape.record(20)
    cloner = RingCopier(tape.ring, 1 << 20)
    one, two = ClipCopyPlan(5, 15), ClipCopyPlan(10, 20)
    cloner.add(one)
    while cloner.copy(1):
        pass
    taken = cloner.bytes
    cloner.add(two)
    while cloner.copy(1):
        pass
    assert taken < cloner.bytes < 2 * taken  # five frames more
    got = defaultdict(list)
    while (found := cloner.fetch()) is not None:
        got[found[0]].append(found[1].frame)
    assert got == {one: list(range(5, 16)), two: list(range(10, 21))}
    assert cloner.bytes == 0


def test_one_that_is_forgotten_takes_no_memory_and_is_copied_no_more(tape):
    tape.record(20)
    cloner = RingCopier(tape.ring, 1 << 20)
    one, two = ClipCopyPlan(5, 15), ClipCopyPlan(10, 20)
    cloner.add(one)
    cloner.add(two)
    cloner.copy(1 << 20)
    cloner.forget(one)
    cloner.forget(two)
    assert (cloner.bytes, cloner.busy, cloner.fetch()) == (0, False, None)
    assert not cloner.copy(1 << 20)


def test_when_the_ring_is_closed_what_was_copied_is_all_there_is(tape):
    tape.record(20)
    cloner, plan = RingCopier(tape.ring, 3000), ClipCopyPlan(5, 15)
    cloner.add(plan)
    cloner.copy(1 << 20)
    tape.ring.close()
    assert len(drained(cloner)) == 2
    assert cloner.is_through(plan)


class Cloning(RuleBasedStateMachine):
    """Clips begin, frames are recorded, somebody copies or does not: each clip gets the twin's
    frames in order, and what it does not get is counted and was gone."""

    @initialize(buffer=st.sampled_from([3000, 8000, 60_000, 1 << 20]))
    def begin(self, buffer: int) -> None:
        self.tape, self.buffer = Tape(memory=48 << 10, latch=8 << 10), buffer
        self.cloner = RingCopier(self.tape.ring, buffer)
        self.tape.record(30)
        self.begun: dict[ClipCopyPlan, int] = {}
        self.got: dict[ClipCopyPlan, list[CopiedFrames]] = {}

    @rule(frames=st.integers(1, 40), size=st.sampled_from([0, 300, 900, 4000]), ahead=st.booleans())
    def record(self, frames: int, size: int, ahead: bool) -> None:
        for _ in range(frames):
            self.tape.frame(size)
            if ahead:
                self.cloner.copy_ahead()

    @rule(back=st.integers(0, 60), post=st.integers(-20, 40))
    @precondition(lambda self: len(self.begun) < 6)
    def trigger(self, back: int, post: int) -> None:
        held = self.tape.held
        start = held[max(len(held) - 1 - back, 0)]
        if post < 0:
            plan = ClipCopyPlan(start, max(held[-1] + post, start))
        else:
            plan = ClipCopyPlan(start, at=held[-1] + 1, post=post * DT)
        self.begun[plan], self.got[plan] = start, []
        self.cloner.add(plan)

    @rule(most=st.sampled_from([1, 3000, 1 << 20]))
    def copy(self, most: int) -> None:
        self.cloner.copy(most)

    @rule(count=st.integers(1, 60))
    def fetch(self, count: int) -> None:
        for _ in range(count):
            if (found := self.cloner.fetch()) is not None:
                self.take(*found)

    @rule()
    def pause(self) -> None:
        self.cloner.end_all(self.begun)

    def take(self, plan: ClipCopyPlan, copied: CopiedFrames) -> None:
        frame, before = copied.frame, self.got[plan]
        assert content(copied.image) == content(self.tape.twin.image(frame))
        assert copied.time == frame * DT
        follows = bool(before) and before[-1].frame == frame - 1
        assert (copied.latched is None) == follows
        if copied.latched is not None:
            right = latched_before(self.tape.twin, frame, self.tape.twin.image(frame))
            assert rows(copied.latched) == rows(right)
        assert not before or frame > before[-1].frame
        before.append(copied)

    @invariant()
    def no_more_memory_than_was_stated(self) -> None:
        if hasattr(self, "cloner"):
            assert self.cloner.bytes <= self.buffer

    def teardown(self) -> None:
        if not hasattr(self, "cloner"):
            return
        self.cloner.end_all(self.begun)
        while self.cloner.copy(1 << 20) or self.cloner.bytes:
            self.fetch(1000)
        for plan, start in self.begun.items():
            frames = [one.frame for one in self.got[plan]]
            assert self.cloner.is_through(plan)
            assert plan.end is not None
            missing = set(range(start, plan.end + 1)) - set(frames)
            assert len(missing) == plan.lost
            if self.buffer == 1 << 20:  # never full: then only what was evicted can be missing
                assert all(frame < self.tape.held[0] for frame in missing)
        assert self.cloner.bytes == 0
        self.tape.close()


TestCloning: Any = Cloning.TestCase
TestCloning.settings = settings(max_examples=60, stateful_step_count=30)


@pytest.mark.parametrize("post", [0.0, float("inf")])
def test_an_endless_post_roll_ends_when_it_is_told_to(tape, post):
    tape.record(5)
    cloner, plan = RingCopier(tape.ring, 1 << 20), ClipCopyPlan(1, at=6, post=post)
    cloner.add(plan)
    tape.record(10)
    cloner.end_all([plan])
    assert [one.frame for one in drained(cloner)] == list(range(1, 16 if post else 7))
