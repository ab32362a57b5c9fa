"""A ring that is part of a cycle is collected, with all that holds on to it."""

import gc
import mmap
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from playhead.native import _ring


class Block(mmap.mmap):
    """Memory that can hold a reference back to its ring."""

    ring: Any


def record(ring: _ring.Ring, handler: Any) -> None:
    ring.begin()
    with suppress(BufferError):
        ring.record_by(1, 1, 64, handler, None)
    ring.commit(0.0, 0.0)


def ring_with_a_kept_view() -> "weakref.ref[Block]":
    """ring -> quarantined packet -> ring, and a memoryview that looks through the packet."""
    memory = Block(-1, 1 << 14)
    ring = _ring.Ring(memory, 0)
    retained: list[Any] = [ring]
    record(ring, lambda _, packet: retained.extend([packet, memoryview(packet), retained]))
    assert ring.accounts["quarantined"] == 1
    return weakref.ref(memory)


def ring_with_a_kept_array() -> "weakref.ref[Block]":
    """The same with an array, whose references the collector does not see."""
    memory = Block(-1, 1 << 14)
    ring = _ring.Ring(memory, 0)
    retained: list[Any] = []
    record(
        ring, lambda _, packet: retained.extend([np.frombuffer(packet.payload, np.uint8), retained])
    )
    assert ring.accounts["quarantined"] == 1
    return weakref.ref(memory)


def ring_whose_memory_knows_it() -> "weakref.ref[Block]":
    memory = Block(-1, 1 << 14)
    ring = _ring.Ring(memory, 0)
    record(ring, lambda _, packet: None)
    memory.ring = [ring, ring.record]
    return weakref.ref(memory)


def ring_known_to_its_handler() -> "weakref.ref[Block]":
    class Handler:
        ring: Any

        def record(self, _: object, packet: _ring.PacketWriter) -> None:
            self.packet, self.view = packet, packet.payload

    handler = Handler()
    memory = Block(-1, 1 << 14)
    handler.ring = _ring.Ring(memory, 0)
    record(handler.ring, handler.record)
    memory.ring = handler
    return weakref.ref(memory)


gc.disable()
for make, passes in (
    (ring_with_a_kept_view, 1),
    (ring_with_a_kept_array, 2),  # the first frees the array, the second what it held
    (ring_whose_memory_knows_it, 1),
    (ring_known_to_its_handler, 1),
):
    block = make()
    assert block() is not None, f"{make.__name__}: there was no cycle to collect"
    for _ in range(passes):
        gc.collect()
    assert block() is None, f"{make.__name__}: never collected"

# Through a memoryview it is not collected, as that may crash: but neither does it crash.
seen = Block(-1, 1 << 14)
seen.ring = [_ring.Ring(memoryview(seen), 0)]
del seen
for _ in range(3):
    gc.collect()

# Without a cycle the collector is not needed. While a view is left, the memory stays.
memory = mmap.mmap(-1, 1 << 14)
ring = _ring.Ring(memory, 0)
record(ring, lambda _, packet: None)
view = ring.runs(1)[0][4]
del ring
try:
    memory.close()
except BufferError:
    pass
else:
    raise AssertionError("memory went away under a view")
del view
memory.close()
