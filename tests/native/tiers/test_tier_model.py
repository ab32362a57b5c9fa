"""A small ring with an older tier beside a ring that forgets nothing: both must read alike."""

import mmap
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from playhead.errors import EvictedError, RecordingError
from playhead.native import _ring
from playhead.native.ring_type_aliases import RUN_LATCHED
from playhead.native.tiered_ring import OlderTier

from ...support.state_machines import run_state_machine
from ..rings import ring_of

Vector = tuple[float, float, float]
VERSION_BYTES = 48
KEYS = [(object, kind, key) for object in (0, 1, 2, 3) for kind in (4, 5) for key in (0, 7)]
SIZES = (0, 0, 4, 8, 9, 33, 48, 57, 100, 512, 700)


class Beside:
    """A ring with an older tier, and one with room for all: every call goes to both."""

    def __init__(self, arena: int, latch: int, tier: int, tier_latch: int) -> None:
        self.ring = ring_of(arena, latch)
        self.tier = OlderTier(self.ring, tier, tier_latch)
        self.all = _ring.Ring(mmap.mmap(-1, 16 << 20), 1 << 20)
        self.images: dict[int, bytes] = {}
        """Of each frame, as it was when it was new."""
        self.views: list[Any] = []
        self.time, self.calls = 0.0, 0
        self.seen: Counter[str] = Counter()

    def both(self, name: str, *arguments: Any) -> Any:
        self.calls += 1
        mine, whole = getattr(self.ring, name)(*arguments), getattr(self.all, name)(*arguments)
        assert mine == whole, name
        return mine

    def frame(self, chance: random.Random) -> None:
        """A frame with some of everything. What the small ring has no room for spoils it."""
        dropped = self.ring.accounts["packets_dropped"], self.ring.accounts["latch_refused"]
        self.both("begin")
        try:
            for _ in range(chance.choice((0, 1, 2, 5, 12))):
                self._anything(chance)
            whole = (
                self.ring.accounts["packets_dropped"], self.ring.accounts["latch_refused"]
            ) == dropped  # fmt: skip
        except AssertionError:
            whole = False
        if not whole or chance.random() < 0.02:
            self.ring.abort()
            self.all.abort()
            self.seen["aborted"] += 1
            return
        self.time += chance.choice((0.0, 1 / 64, 0.5))
        flags = chance.choice((0, 0, 1, 4, 16, 255))
        frame = self.both("commit", self.time, 1 / 64, chance.randrange(3), flags)
        self.images[frame] = self.ring.image(frame)

    def _anything(self, chance: random.Random) -> None:
        draw = chance.random()
        if draw < 0.25:
            self.both("record", *self._row(chance, chance.choice(SIZES)), chance.randrange(3))
        elif draw < 0.55:
            self._batch(chance)
        elif draw < 0.65:
            self._by_handler(chance)
        elif draw < 0.93:
            object, kind, key = chance.choice(KEYS)
            payload = chance.randbytes(chance.choice((0, 3, 8, 60, 150)))
            self.both("latch", object, 20, chance.randrange(2), kind, key, payload)
            self.seen["latched"] += 1
        else:
            self.both("despawn", chance.randrange(1, 4), 21)
            self.seen["ended"] += 1

    def _row(self, chance: random.Random, size: int) -> tuple[Any, ...]:
        return (
            chance.randrange(1, 9), 40 + chance.randrange(3), chance.random() < 0.5,
            self._vector(chance), self._vector(chance), chance.randbytes(size),
        )  # fmt: skip

    def _vector(self, chance: random.Random) -> Vector:
        return (chance.random(), float(chance.randrange(100)), -chance.random())

    def _batch(self, chance: random.Random) -> None:
        """Objects that mostly stay where they are; their payload tells it in double precision."""
        count, size = chance.randrange(1, 8), chance.choice((48, 60, 72, 600))
        positions = np.arange(3.0 * count).reshape(-1, 3) + (chance.random() < 0.3) * self.time
        payload = np.zeros((count, size), np.uint8)
        payload[:, :24] = positions.view(np.uint8).reshape(count, 24)
        self.both(
            "record_batch", 50 + size % 7, np.arange(1, count + 1, dtype=np.uint64), positions,
            None, None, payload, np.array([chance.random() < 0.9 for _ in range(count)]),
        )  # fmt: skip

    def _by_handler(self, chance: random.Random) -> None:
        payload, keep = chance.randbytes(chance.choice((1, 20, 90))), chance.random() < 0.1
        raised = []
        for ring in (self.ring, self.all):

            def record(thing: object, packet: Any, ring: Any = ring) -> None:
                packet.payload[:] = payload
                if keep and ring is self.ring:
                    self.views.append(np.frombuffer(memoryview(packet), np.uint8))
                if keep:
                    raise ValueError

            try:
                raised.append(ring.record_by(1, 60, len(payload), record, None, 0))
            except (ValueError, BufferError):
                raised.append(None)
        assert raised[0] == raised[1]
        self.seen["kept"] += keep
        if len(self.views) > 3:
            self.views.clear()

    # --- reading ------------------------------------------------------------------------------

    def check(self, chance: random.Random) -> None:
        tier, everything = self.tier, self.all
        newest = tier.newest
        if newest is None or tier.oldest is None:
            # A frame that was given up took the place of all, or is the first that was begun.
            assert newest == tier.oldest
            return
        assert newest == everything.newest
        oldest = tier.oldest[0]
        assert tier.oldest == everything.stamp(oldest)[:2]
        assert self.ring.oldest is None or oldest <= self.ring.oldest[0]
        for gone in (0, oldest - 1, newest[0] + 1):
            assert not tier.holds(gone)
            for read in (tier.stamp, tier.packets, tier.image, tier.runs, tier.latched_all):
                with pytest.raises(EvictedError):
                    read(gone)
        held = range(oldest, newest[0] + 1)
        for frame in held if len(held) < 20 else {*chance.sample(held, 16), oldest, newest[0]}:
            self.seen["older frames"] += not self.ring.holds(frame)
            self._check_frame(frame, oldest, chance)
        times = [everything.stamp(frame)[1] for frame in held]
        for time in (-1.0, times[0], times[-1], times[-1] + 1, chance.choice(times) - 0.001):
            assert tier.find(time) == max(everything.find(time), oldest)
        with pytest.raises(RecordingError):
            tier.find(float("nan"))

    def _check_frame(self, frame: int, oldest: int, chance: random.Random) -> None:
        tier, everything = self.tier, self.all
        assert tier.holds(frame)
        assert tier.verify(frame)
        assert tier.image(frame) == self.images[frame]
        assert tier.stamp(frame)[:6] == everything.stamp(frame)[:6]
        assert as_plain_rows(tier.packets(frame)) == as_plain_rows(everything.packets(frame))
        assert as_plain_rows(unrolled(tier.runs(frame))) == as_plain_rows(everything.packets(frame))
        held = sorted(tier.latched_all(frame))
        assert held == sorted(everything.latched_all(frame))
        for key in KEYS:
            assert tier.latched(frame, *key) == everything.latched(frame, *key)
            limit = chance.choice((1, 2, 5, 1000))
            assert tier.versions(frame, *key, limit) == self._versions(frame, key, oldest)[:limit]

    def _versions(self, frame: int, key: Any, oldest: int) -> list[Any]:
        """Those in the frames held, and the one before them if it held at the oldest frame."""
        rows = self.all.versions(frame, *key, 10_000)
        held = [row for row in rows if row[0] >= oldest]
        before = self.all.versions(oldest - 1, *key, 1) if oldest > 1 else []
        return held + [row for row in before if row[2] is not None]

    def close(self) -> None:
        self.tier.close()


def as_plain_rows(packets: list[Any]) -> list[Any]:
    """Packets without what a latched one says of its own ring, and without what runs share."""
    return [
        (*row[:7], row[7] & RUN_LATCHED, row[8][VERSION_BYTES * (row[7] & RUN_LATCHED) :])
        for row in packets
    ]


def unrolled(runs: list[Any]) -> list[Any]:
    """Runs as packets."""
    return [
        (
            int(head["id"]), type, bool(head["targetable"]), int(head["flags"]),
            tuple(head["position"].astype(float)), tuple(head["angles"].astype(float)),
            channels, flags, b"" if payloads is None else payloads[i].tobytes(),
        )
        for type, channels, flags, heads, payloads in runs
        for i, head in enumerate(heads)
    ]  # fmt: skip


class OlderMachine(RuleBasedStateMachine):
    tally: Counter[str] = Counter()

    @initialize(
        arena=st.sampled_from([9984, 32768, 65536, 200_000]),
        tier=st.sampled_from([180_000, 300_000, 800_000]),
        latch=st.sampled_from([9000, 16_000]),
    )
    def make(self, arena: int, tier: int, latch: int) -> None:
        self.both = Beside(arena, 16_000, tier, latch)

    @rule(seed=st.integers(0, 2**20), count=st.integers(1, 60))
    def record(self, seed: int, count: int) -> None:
        chance = random.Random(seed * 1_000_003 + self.both.calls)
        for _ in range(count):
            self.both.frame(chance)
            self.both.tier.settle()
        self.both.check(chance)

    @rule(seed=st.integers(0, 2**20), count=st.integers(1, 400))
    def hurry(self, seed: int, count: int) -> None:
        """Frames as fast as they come: the thread may be too late for some."""
        chance = random.Random(seed * 1_000_003 + self.both.calls)
        for _ in range(count):
            self.both.frame(chance)
        self.both.tier.settle()
        self.both.check(chance)

    def teardown(self) -> None:
        if hasattr(self, "both"):
            accounts = self.both.tier.accounts
            self.tally += self.both.seen
            self.tally["packed"] += accounts["packed"]
            self.tally["lost"] += accounts["lost"] > 0
            assert not self.both.tier.fault
            self.both.close()


@pytest.mark.slow
def test_both_tiers_read_as_a_ring_that_forgets_nothing() -> None:
    run_state_machine(OlderMachine, examples=50, thorough_examples=250, steps=10)
    for what in ("older frames", "packed", "latched", "ended", "aborted", "kept"):
        assert OlderMachine.tally[what] > 20, (what, OlderMachine.tally)
