"""The ring against a plain model: a list of frames, the oldest taken away when room is needed."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from playhead.native import _ring

from .twin import HIDDEN, RESERVED, Twin, Vector

FAULTS = ("", "", "", "raise", "keep a view", "keep an array", "keep a slice", "enter again")
COUNTED = ("frames_evicted", "packets_dropped", "latch_refused", "latch_evicted", "quarantined")


class Chances:
    """Draws calls for a twin from one seed: cheap, so that many can be tried."""

    def __init__(self, seed: int, big: bool) -> None:
        self.chance = random.Random(seed)
        self.big = big
        self.kind = (1, 0, 8)

    def vector(self) -> Vector:
        draw = self.chance.random
        return (int(draw() * 100) / 4, int(draw() * 100) / 4, -int(draw() * 100) / 4)

    def size(self) -> int:
        sizes = (0, 0, 4, 8, 12, 33, 100, 250, *((512, 513, 640, 1500, 5000) * self.big))
        return self.chance.choice(sizes)

    def packet(self, type: int | None = None, size: int | None = None, hide: bool = True) -> Any:
        draw = self.chance.random
        if draw() < 0.5:  # like the packet before, so that they share a run
            self.kind = (1 + int(draw() * 3), int(draw() * 3), self.size())
        size = self.kind[2] if size is None else size
        return (
            1 + int(draw() * 50),
            self.kind[0] if type is None else type,
            draw() < 0.5,
            HIDDEN if hide and draw() < 0.2 else 0,
            self.vector(),
            self.vector(),
            self.kind[1],
            2 if size >= _ring.ALIGNED_FROM else 0,
            self.chance.randbytes(size),
        )

    def call(self, twin: Twin) -> None:
        draw = self.chance.random()
        if not twin.open and draw < 0.9:
            twin.begin()
        elif draw < 0.25:
            twin.record(self.packet(hide=False))
        elif draw < 0.33:
            packets = [self.packet(hide=False) for _ in range(int(self.chance.random() * 6))]
            twin.record_list(packets, 1)
        elif draw < 0.43:
            size = self.size()
            count = int(self.chance.random() * (40 if size < 50 else 8))
            packets = [self.packet(7, size) for _ in range(count)]
            twin.record_batch(7, packets, int(self.chance.random() * 3), size)
        elif draw < 0.53:
            # A slice of no bytes could be kept for ever without harm: faults have a payload.
            how = self.chance.choice(FAULTS)
            packet = self.packet()
            if how and len(packet[8]) < 2:
                packet = self.packet(size=2)
            twin.record_by(packet, how)
        elif draw < 0.55:
            twin.write_late(int(self.chance.random() * 256))
            twin.drop_kept()
        elif draw < 0.68:
            key = (1 + int(self.chance.random() * 4), int(self.chance.random() * 2), 5)
            size = self.chance.choice((0, 3, 8, 60, 200, 900 if self.big else 90))
            if self.chance.random() < 0.1:
                key, size = RESERVED, min(size, twin.reserved.get(RESERVED, 8))
            elif self.chance.random() < 0.2:  # a key that comes and goes
                key = (5 + int(self.chance.random() * 20), 0, 5)
            twin.latch(key, 20, self.chance.randbytes(size))
        elif draw < 0.72:
            twin.despawn(int(self.chance.random() * (25 if draw < 0.70 else 5)), 21)
        elif draw < 0.74:
            twin.abort()
        else:
            twin.commit(self.chance.choice((0.0, 0.0, 1 / 64, 0.5)), int(draw * 1000) % 3)


class RingMachine(RuleBasedStateMachine):
    tally: Counter[str] = Counter()
    """What all runs together came to see."""

    @initialize(
        arena=st.sampled_from([192, 256, 320, 448, 576, 1024, 1088, 2560, 4096, 9984, 65536]),
        latch=st.sampled_from([0, 640, 1300, 2000, 4000, 8000, 40000]),
        reserve=st.sampled_from([0, 90, 200, 900]),
    )
    def make(self, arena: int, latch: int, reserve: int) -> None:
        self.twin = Twin(arena, latch, reserve)
        self.chance = random.Random(arena)

    @rule(seed=st.integers(0, 2**20), count=st.integers(1, 12))
    def anything(self, seed: int, count: int) -> None:
        # Not the seed alone: small ones come again and again.
        chances = Chances(seed * 1_000_003 + self.twin.calls, self.twin.arena >= 4096)
        for _ in range(count):
            chances.call(self.twin)
            self.twin.check_accounts()

    @rule(size=st.integers(0, 700), count=st.integers(1, 3))
    def record(self, size: int, count: int) -> None:
        """Any size: only some of them end a run exactly at the arena's end."""
        chances = Chances(size, False)
        for _ in range(count):
            self.twin.record(chances.packet(1, size, hide=False))

    @rule(step=st.sampled_from([0.0, 0.25]))
    def commit(self, step: float) -> None:
        self.twin.commit(step, 0)

    @rule(object=st.integers(1, 3), size=st.integers(0, 300))
    def latch(self, object: int, size: int) -> None:
        self.twin.latch((object, 1, 5), 20, bytes([size % 251]) * size)

    @rule(size=st.integers(0, 900))
    def latch_reserved(self, size: int) -> None:
        self.twin.latch(RESERVED, 20, bytes(min(size, self.twin.reserved.get(RESERVED, 900))))

    @precondition(lambda self: self.twin.open is None)
    @rule()
    def begin(self) -> None:
        self.twin.begin()

    @invariant()
    def the_ring_is_its_model(self) -> None:
        if hasattr(self, "twin"):
            self.twin.check_accounts()
            self.twin.check_held(self.chance)

    def teardown(self) -> None:
        if hasattr(self, "twin"):
            accounts = self.twin.ring.accounts
            self.tally["calls"] += self.twin.calls
            for name in COUNTED:
                self.tally[name] += accounts[name]
            self.tally["bases"] += len(self.twin.bases)


@pytest.mark.parametrize("examples", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_the_ring_holds_what_its_model_holds_after_any_calls(examples: int) -> None:
    thorough = settings.default is not None and settings.default.max_examples > 100
    RingMachine.tally.clear()
    run_state_machine_as_test(
        RingMachine,
        settings=settings(
            max_examples=10 * examples if thorough else examples,
            stateful_step_count=50,
            suppress_health_check=list(HealthCheck),
        ),
    )
    tally = RingMachine.tally
    assert tally.pop("calls") >= 60 * examples
    assert min(tally.values()) > examples / 15, "the runs hardly came to where it is difficult"
