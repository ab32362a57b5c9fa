"""A recording with an older tier reads like one that forgets nothing, and takes no more memory."""

import gc
import random
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from playhead.errors import CapacityError, EvictedError, PlayheadError
from playhead.native import tiered_ring as older
from playhead.recorder import recorder as recorder_module
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import StateTransition, TreeTick
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark

from ..support.other_process import OtherProcess
from ..support.state_machines import run_state_machine
from .conftest import ThingHandler
from .reading.test_late_model import KEYS, WHAT, Story, tell

LIMITS = (1, 3, 1000)


class Thing:
    def __init__(self, value: float) -> None:
        self.value = value


class Two:
    """A small recorder with an older tier, and one with room for all; both are told the same."""

    def __init__(self, memory: str, share: float) -> None:
        # The small one has no room to say how packets are laid out: so the large one does not.
        with mock.patch.object(recorder_module, "LAYOUTS_ROOM", 1 << 40):
            self.small = Recorder(memory, latch="48 KiB", older=share, strict=True)
            self.large = Recorder("24 MiB", latch="2 MiB", strict=True)
        for recorder in self.both:
            recorder.add_handler(HandlerSpec("thing", ThingHandler(), None, ("ai",)))
        self.time, self.count, self.epoch = 0.0, 0, 0
        self.older_source = RingSource(self.small.ring)
        """A reader that has read before."""
        self.seen: Counter[str] = Counter()

    @property
    def both(self) -> tuple[Recorder, Recorder]:
        return self.small, self.large

    def frame(self, chance: random.Random) -> None:
        for _ in range(chance.choice((0, 0, 1, 2, 4))):
            self._say(chance)
        things = [
            (id, "thing", Thing(chance.choice((float(id), self.time))))
            for id in range(1, chance.randrange(2, 9))
        ]
        if chance.random() < 0.01:
            for recorder in self.both:
                recorder.restart()
            self.time = 0.0
        step = chance.choice((1 / 64, 1 / 64, 0.25))
        self.time += step
        frames = {recorder.update(things, step, self.time) for recorder in self.both}
        assert len(frames) == 1

    def _say(self, chance: random.Random) -> None:
        self.count += 1
        n, agent, draw = self.count, chance.randrange(1, 4), chance.random()
        back = self.time - chance.choice((0.0, 0.1, 0.5, 2.0))
        late = self.small.source.span is not None and back > 0.0 and draw < 0.2
        for recorder in self.both:
            if late and draw < 0.08:
                OtherProcess(recorder).decide(
                    agent, StateTransition("plan", "", f"late {n}", ""), game_time=back
                )
            elif late and draw < 0.14:
                OtherProcess(recorder).decide(agent, TreeTick(f"late {n}", ()), game_time=back)
            elif late:
                OtherProcess(recorder).line(LogLine(f"late {n}"), game_time=back)
            elif draw < 0.35:
                recorder.trace.state(agent, f"machine {n % 2}", "", f"state {n}", won="x")
            elif draw < 0.45:
                recorder.draw.line((n, 0, 0), (0, n, 0), latch=("one", None)[n % 2], object=agent)
            elif draw < 0.55:
                recorder.watch(f"value {n % 5}", n, object=agent)
            elif draw < 0.65:
                recorder.log(f"line {n}", object=agent)
            elif draw < 0.75:
                recorder.fact(agent, f"fact {n % 3}", n)
            elif draw < 0.85:
                recorder.name(agent, f"name {n}")
            elif draw < 0.9:
                recorder.trace.tree(agent, "brain", [("success", "failure", "running")[n % 3]])
            elif draw < 0.95:
                recorder.emit(SetMark(f"mark {n}"))
            else:
                recorder.despawn(agent)
        self.seen["late"] += late

    # --- reading --------------------------------------------------------------------------------

    def check(self, chance: random.Random) -> None:
        assert not self.small.status.latch_refused
        assert not self.small.ring.accounts["packets_dropped"]
        whole, span = self.large.source, self.older_source.span
        if span is None:
            return
        assert (span.newest, span.end) == (whole.span.newest, whole.span.end)
        assert span.start == whole.stamp(span.oldest).time
        held = range(span.oldest, span.newest + 1)
        in_ring = self.small.ring.raw.oldest[0]
        some = {span.oldest, in_ring, in_ring - 1, span.newest, *chance.choices(held, k=6)}
        for source in (RingSource(self.small.ring), self.older_source):
            assert [stamp.id for stamp in source.stamps(held[0], held[-1])] == list(held)
            for frame in some & set(held):
                self.seen["older"] += frame < in_ring
                self._check_frame(source, whole, frame, span.oldest, chance)
            for limit in LIMITS:
                marks = [mark for mark in whole.marks() if mark.frame >= span.oldest]
                assert source.marks(limit) == marks[-limit:]
        for frame in (span.oldest - 1, span.newest + 1):
            with pytest.raises(EvictedError):
                self.older_source.packets(frame)

    def _check_frame(
        self, source: FrameSource, whole: FrameSource, frame: int, oldest: int,
        chance: random.Random,
    ) -> None:  # fmt: skip
        stamp, other = source.stamp(frame), whole.stamp(frame)
        assert stamp[3:] == other[3:]
        assert stamp.previous == (None if frame == oldest else other.previous)
        assert source.frame_at(stamp.time) == max(whole.frame_at(stamp.time), oldest)
        for name in (
            "packets", "objects", "recorded_types", "conventions", "about", "decoded", "facts",
            "channel_names", "drawn", "watches", "logs", "traces", "machines",
        ):  # fmt: skip
            mine, true = getattr(source, name)(frame), getattr(whole, name)(frame)
            assert plain(mine) == plain(true), (name, frame)
        assert source.layout(frame, "thing") == whole.layout(frame, "thing")
        for agent in (1, 2, 3):
            assert source.tree(frame, agent, "brain") == whole.tree(frame, agent, "brain")
            for kind, key in ((Kind.NAME, ""), (Kind.FACT, "fact 1"), (Kind.STATE, "plan")):
                mine = source.latched(frame, agent, kind, key)
                assert mine == whole.latched(frame, agent, kind, key)
            for machine in ("machine 0", "plan"):
                limit = chance.choice(LIMITS)
                result = whole.transitions(frame, agent, machine, 10_000)
                expected = [one for one in result if one.frame >= oldest]
                before = whole.latched(oldest - 1, agent, Kind.STATE, machine) if oldest > 1 else 0
                if before:
                    expected += [one for one in result if one.frame < oldest][:1]
                assert source.transitions(frame, agent, machine, limit) == expected[:limit]

    def close(self) -> None:
        for recorder in self.both:
            recorder.close()


def plain(frame_value: Any) -> Any:
    """Something that was read as what can be compared, though arrays are in it."""
    if isinstance(frame_value, dict):
        return {key: repr(value) for key, value in frame_value.items()}
    return frame_value if isinstance(frame_value, frozenset) else repr(frame_value)


class OlderMachine(RuleBasedStateMachine):
    tally: Counter[str] = Counter()

    @initialize(memory=st.sampled_from(["500 KiB", "700 KiB"]), share=st.sampled_from([0.6, 0.75]))
    def make(self, memory: str, share: float) -> None:
        self.two = Two(memory, share)

    @rule(seed=st.integers(0, 2**20), count=st.integers(1, 250))
    def record(self, seed: int, count: int) -> None:
        chance = random.Random(seed * 1_000_003 + self.two.count)
        for _ in range(count):
            self.two.frame(chance)
            self.two.small.ring.older.settle()
        self.two.check(chance)

    @rule()
    def playback(self) -> None:
        self.two.small.suspended = True
        self.two.check(random.Random(self.two.count))
        self.two.small.suspended = False

    def teardown(self) -> None:
        if hasattr(self, "two"):
            self.tally += self.two.seen
            self.tally["lost"] += self.two.small.status.older.lost
            self.two.close()


def test_every_way_of_reading_gives_what_a_recording_that_forgets_nothing_gives() -> None:
    run_state_machine(OlderMachine, examples=10, thorough_examples=60, steps=6)
    assert OlderMachine.tally["older"] > 20, OlderMachine.tally
    assert OlderMachine.tally["late"] > 20
    assert OlderMachine.tally["lost"] == 0


# --- what belongs to older frames -----------------------------------------------------------------


class OlderStory(Story):
    """The story of late traces, with an older tier that packs at the end of each frame."""

    def __init__(self, tally: Counter[str]) -> None:
        super().__init__("96 KiB", tally)
        self.recorder.close()
        self.all_statements, self.open, self.times, self.count = [], [], {}, 0
        self.recorder = Recorder("320 KiB", latch="16 KiB", older=0.8, strict=True)
        self.recorder.on_late(self.heard.append)
        self.cached = RingSource(self.recorder.ring)
        for key in KEYS:
            self.say_own("state", key)
        self.finish(1.0, 1)

    def finish(self, delta: float, fill: int) -> None:
        super().finish(delta, fill)
        if self.recorder.ring.older is not None:
            self.recorder.ring.older.settle()

    def check(self) -> None:
        span, fresh = self.cached.span, RingSource(self.recorder.ring)
        in_ring = self.recorder.ring.raw.oldest[0]
        self.tally["older"] += in_ring - span.oldest
        self.tally["evicted"] += span.oldest > 1
        assert self.recorder.status.late_dropped == self.dropped
        chance = random.Random(self.count)
        held = range(span.oldest, span.newest + 1)
        for frame in {span.oldest, in_ring - 1, in_ring, span.newest, *chance.choices(held, k=5)}:
            if frame in held:
                for source in (fresh, self.cached):
                    self._check(source, frame, span.oldest)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_late_traces_belong_to_frames_of_both_tiers(seed: int, monkeypatch) -> None:
    monkeypatch.setattr(older, "_pack", lambda *given: None)  # only `settle` packs, in its turn
    chance, tally = random.Random(seed), Counter[str]()
    story = OlderStory(tally)
    try:
        for turn in range(2500):
            tell(story, chance)
            if turn % 100 == 99:
                story.check()
        assert story.recorder.status.older.lost == 0
    finally:
        story.close()
    assert tally["older"] > 500, tally
    assert tally["frames changed"] > 100
    assert WHAT


# --- what it says of itself, and what it takes ----------------------------------------------------


def record(recorder: Recorder, frames: int, start: int = 0) -> None:
    """Frames much faster than any game's; so that none comes too late, each waits for packing."""
    for n in range(start, start + frames):
        recorder.update([(id, "thing", Thing(float(n))) for id in range(1, 41)], 1 / 64)
        if recorder.ring.older is not None:
            recorder.ring.older.settle()


def test_the_status_tells_of_both_tiers(make_recorder):
    recorder = make_recorder("1 MiB", older=0.6)
    assert recorder.status.older.seconds_held == 0.0
    assert recorder.status.older.ratio == 0.0
    record(recorder, 3000)
    recorder.suspended = True
    status, ring = recorder.status, recorder.ring
    tier = status.older
    assert status.memory == 1 << 20
    assert tier.memory == int(0.6 * (1 << 20)) // 64 * 64
    assert status.frames_held == ring.newest[0] - ring.oldest[0] + 1 > 2000
    assert tier.frames_held == ring.raw.oldest[0] - ring.oldest[0] > 1000
    assert tier.seconds_held == pytest.approx(tier.frames_held / 64)
    assert status.seconds_held == pytest.approx((status.frames_held - 1) / 64)
    assert tier.ratio > 3
    assert (tier.waiting, tier.lost, tier.fault) == (0, 0, "")


def test_without_a_tier_there_is_nothing_to_tell(recorder):
    record(recorder, 3)
    assert recorder.status.older is None
    assert recorder.ring.older is None


def test_a_wrong_share_is_refused():
    with pytest.raises(CapacityError, match=r"older 1\.0"):
        Recorder("1 MiB", older=1.0)


def test_the_same_memory_holds_three_times_as_long(make_recorder):
    seconds = []
    for share in (0.0, 0.6):
        recorder = make_recorder("1 MiB", older=share)
        record(recorder, 6000)
        recorder.suspended = True
        seconds.append(recorder.status.seconds_held)
    assert seconds[1] > 3 * seconds[0]


def test_nothing_leaves_the_tier_in_playback(make_recorder, monkeypatch):
    monkeypatch.setattr(older, "_pack", lambda *given: None)  # it packs when it is told to
    recorder = make_recorder("1 MiB", older=0.6)
    record(recorder, 4000)
    for n in range(60):
        recorder.update([(id, "thing", Thing(float(n))) for id in range(1, 41)], 1 / 64)
    assert recorder.status.older.waiting > 0
    recorder.suspended = True
    assert recorder.status.older.waiting == 0
    span = recorder.source.span
    for frame in (span.oldest, span.newest):
        assert len(recorder.source.objects(frame)) == 40
    with pytest.raises(PlayheadError):
        recorder.update([], 0.1)
    assert recorder.source.span == span
    recorder.suspended = False
    record(recorder, 300)
    assert recorder.source.span.oldest > span.oldest > 1


def test_frames_of_older_epochs_keep_their_times(make_recorder):
    recorder = make_recorder("1 MiB", older=0.6)
    record(recorder, 500)
    recorder.restart()
    recorder.update([(1, "thing", Thing(1.0))], 0.0, 0.0)
    record(recorder, 700)
    recorder.suspended = True
    source = recorder.source
    assert recorder.ring.raw.oldest[0] > 501
    before, after = source.stamp(500), source.stamp(501)
    assert (before.epoch, after.epoch) == (0, 1)
    assert after.time >= before.time
    assert [mark.kind for mark in source.marks()] == ["epoch"]
    assert source.frame_at(before.time - 1e-3) == 499


def resident() -> int:
    """Bytes of this process in memory; 0 where there is no /proc."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


@pytest.mark.slow
def test_a_long_run_takes_no_more_memory_than_a_short_one(make_recorder):
    recorder = make_recorder("2 MiB", older=0.6)

    def run(frames: int) -> None:
        for n in range(frames):
            recorder.trace.state(1, "guard", "a", f"state {n % 7}", won="x")
            record(recorder, 1, n)
            if n % 500 == 0:
                for frame in (recorder.ring.oldest[0], recorder.ring.newest[0]):
                    recorder.source.objects(frame)

    run(6000)
    gc.collect()
    before: Any = resident()
    run(15_000)
    gc.collect()
    assert resident() - before < 3 << 20
    assert recorder.status.older.frames_held > 1000
    assert recorder.status.memory == 2 << 20
