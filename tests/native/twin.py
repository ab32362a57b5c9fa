"""A ring and a plain model of it: a list of frames, the oldest taken away to make room."""

import mmap
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numpy.lib.stride_tricks import as_strided

from playhead.errors import CapacityError, EvictedError, RecordingError
from playhead.native import _ring

VERSION = struct.Struct("<QQQQQIHH")
FRAME_HEADER, RUN_HEADER, PACKET_HEADER, LINE = 96, 24, 40, 64
DAMAGED, LATCHES, DROPPED, REFUSED = 1, 2, 4, 8
RUN_LATCHED, TOMBSTONE, HIDDEN = 1, 1, 2
MAX_KEPT = 16

Key = tuple[int, int, int]
RESERVED: Key = (0, 7, 0)
Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass
class Version:
    key: Key
    type: int
    payload: bytes | None
    """None: a tombstone."""


@dataclass
class Frame:
    id: int
    packets: list[Any] = field(default_factory=list)
    """As `Ring.packets` gives them, or a `Version`."""
    flags: int = 0
    time: float = 0.0
    delta: float = 0.0
    epoch: int = 0
    offset: int = 0
    bytes: int = 0

    @property
    def versions(self) -> list[Version]:
        return [packet for packet in self.packets if isinstance(packet, Version)]


class HandlerError(Exception):
    pass


class Twin:
    """A ring, and beside it what it should hold; every call goes to both."""

    def __init__(self, arena: int, latch: int, reserve: int = 0) -> None:
        self.block = mmap.mmap(-1, 1 << 20)
        probe = _ring.Ring(self.block, latch)
        fixed = probe.accounts["total"] - probe.accounts["capacity"]
        self.block = mmap.mmap(-1, fixed + arena)
        self.ring = _ring.Ring(self.block, latch)
        self.arena = arena
        assert self.ring.accounts["capacity"] == arena
        self.reserved = {RESERVED: reserve} if self.ring.reserve(*RESERVED, reserve) else {}
        """Keys whose room is kept, and how many bytes that is."""
        self.early = 0
        """Frames that were evicted so that something could be latched."""
        self.begins_at = int(np.frombuffer(self.block, np.uint8).ctypes.data) + fixed
        self.held: list[Frame] = []
        self.open: Frame | None = None
        self.latest = 0
        self.time = 0.0
        self.evicted = 0
        self.bases: dict[Key, tuple[int, Version]] = {}
        """Of each key the newest version that was evicted, with its frame."""
        self.kept: list[tuple[npt.NDArray[np.uint8], bytes]] = []
        self.dropped = self.refused = 0
        self.calls = 0

    # --- what the model knows ---------------------------------------------------------------

    def forget_evicted(self, most: bool = False, ended: dict[Key, int] | None = None) -> None:
        """Drops from the model what the ring evicted, and checks that no more was than needed.

        `ended` are the keys that had ended before something was latched, and in which frames.
        """
        accounts = self.ring.accounts
        gone = accounts["frames_evicted"] - self.evicted
        early = accounts["latch_evicted"] - self.early
        self.evicted += gone
        self.early += early
        assert early <= (gone if ended else 0), "evicted early, and no key had ended"
        if early:
            last = self.held[early - 1].id
            assert last in (ended or {}).values(), "evicted early, and nothing came free"
            most = most or early == gone
        assert gone <= len(self.held), "more frames evicted than there were"
        oldest = self.ring.oldest
        if gone and gone < len(self.held) and not most:
            head = self.held[gone].offset + self.arena - accounts["gap"]
            assert head - self.held[gone - 1].offset > self.arena, "evicted without need"
        for frame in self.held[:gone]:
            for version in frame.versions:
                self.bases[version.key] = (frame.id, version)
        del self.held[:gone]
        assert (oldest is None) == (not self.held)
        if oldest:
            assert oldest == (self.held[0].id, self.held[0].time)

    def latched_at(self, frame: int, key: Key) -> tuple[int, int, bytes] | None:
        for began, version in self.versions_of(frame, key):
            return None if version.payload is None else (began, version.type, version.payload)
        return None

    def versions_of(self, frame: int, key: Key) -> list[tuple[int, Version]]:
        """Newest first: those in the frames held, then the newest of the evicted ones."""
        found = [
            (held.id, version)
            for held in reversed(self.held)
            if held.id <= frame
            for version in reversed(held.versions)
            if version.key == key
        ]
        base = self.bases.get(key)
        if base and base[1].payload is not None:
            found.append(base)
        return found

    def keys(self) -> set[Key]:
        return {*self.bases, *(v.key for frame in self.held for v in frame.versions)}

    def keys_in_use(self) -> set[Key]:
        """Those that take an entry of the latch area."""
        frames = [*self.held, *([self.open] if self.open else [])]
        used = {version.key for frame in frames for version in frame.versions}
        used |= {key for key, (_, base) in self.bases.items() if base.payload is not None}
        return used | set(self.reserved)

    def ended_keys(self) -> dict[Key, int]:
        """Keys that evicting finished frames takes away, and up to which frame."""
        newest = {v.key: (frame.id, v) for frame in self.held for v in frame.versions}
        opened = {version.key for version in self.open.versions} if self.open else set()
        return {
            key: frame
            for key, (frame, version) in newest.items()
            if version.payload is None and key not in opened and key not in self.reserved
        }

    def largest(self, key: Key) -> int:
        """The largest payload that a key in use is known to have had."""
        found = [v for frame in self.held for v in frame.versions if v.key == key]
        if key in self.bases:
            found.append(self.bases[key][1])
        return max(len(version.payload or b"") for version in found)

    def live_keys_of(self, object: int) -> set[Key]:
        """Of the open frame: what a despawn must end."""
        assert self.open
        newest: dict[Key, Version] = {key: version for key, (_, version) in self.bases.items()}
        for frame in [*self.held, self.open]:
            newest |= {version.key: version for version in frame.versions}
        return {k for k, v in newest.items() if k[0] == object and v.payload is not None}

    # --- calls ------------------------------------------------------------------------------

    def begin(self) -> None:
        self.calls += 1
        if self.open:
            with pytest.raises(RecordingError):
                self.ring.begin()
            return
        try:
            assert self.ring.begin() == self.latest + 1
        except CapacityError:
            assert self.kept, "no room for a frame's header, and nothing lies under quarantine"
            return
        self.open = Frame(self.latest + 1)
        self.forget_evicted()

    def commit(self, step: float, epoch: int) -> None:
        self.calls += 1
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.commit(self.time, 0.0)
            return
        self.time += step
        frame = self.open
        assert self.ring.commit(self.time, step, epoch) == frame.id
        frame.time, frame.delta, frame.epoch = self.time, step, epoch
        stamp = self.ring.stamp(frame.id)
        frame.offset, frame.bytes = stamp[6], stamp[7]
        self.latest = frame.id
        self.held.append(frame)
        self.open = None
        assert self.ring.accounts["frames_evicted"] == self.evicted, "a commit evicts nothing"

    def abort(self) -> None:
        self.calls += 1
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.abort()
            return
        self.ring.abort()
        self.open = None
        assert self.ring.accounts["frames_evicted"] == self.evicted

    def _recorded(self, recorded: bool, packets: list[Any], room: int) -> None:
        """Books packets that were recorded, or a refusal, which must have had a reason."""
        assert self.open
        if recorded:
            self.open.packets += packets
            self.forget_evicted()
            return
        self.dropped += len(packets)
        self.open.flags |= DROPPED
        accounts = self.ring.accounts
        assert accounts["frames_evicted"] == self.evicted, "evicted for what can never fit"
        taken = accounts["live"] - sum(frame.bytes for frame in self.held) + accounts["waste"]
        assert accounts["quarantined"] or taken + room > self.arena, "refused without need"

    def record(self, packet: Any) -> None:
        self.calls += 1
        id, type, targetable, _, position, angles, channels, _, payload = packet
        row = (id, type, targetable, position, angles)
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.record(*row)
            return
        recorded = self.ring.record(*row, payload or None, channels)
        self._recorded(recorded, [packet], 2 * (len(payload) + 2 * LINE + RUN_HEADER))

    def record_list(self, packets: list[Any], channels: int) -> None:
        self.calls += 1
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.record_list([])
            return
        rows = [(p[0], p[1], p[2], p[4], p[5], p[8]) for p in packets]
        packets = [(*p[:6], channels, *p[7:]) for p in packets]
        count = self.ring.record_list(rows, channels)
        if count == len(packets):
            self._recorded(True, packets, 0)
            return
        # Which of them found room is not said: the open frame is given up.
        assert 0 <= count < len(packets)
        self.dropped += len(packets) - count
        self.forget_evicted(most=True)
        self.ring.abort()
        self.open = None

    def record_batch(self, type: int, packets: list[Any], channels: int, size: int) -> None:
        self.calls += 1
        columns = (
            np.array([p[0] for p in packets], np.uint64),
            np.array([p[4] for p in packets], np.float32).reshape(-1, 3),
            np.array([p[5] for p in packets], np.float64).reshape(-1, 3),
            np.array([p[2] for p in packets], np.bool_),
            np.frombuffer(b"".join(p[8] for p in packets), np.uint8).reshape(-1, size)
            if size
            else None,
            np.array([not p[3] & HIDDEN for p in packets], np.bool_),
        )
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.record_batch(type, *columns, channels)
            return
        packets = [(p[0], type, *p[2:6], channels, p[7], p[8]) for p in packets]
        count = len(packets)
        recorded = self.ring.record_batch(type, *columns, channels)
        if not recorded and self.ring.accounts["quarantined"]:
            # Quarantined memory can split a batch; which part found room is not said.
            self.dropped = self.ring.accounts["packets_dropped"]
            self.forget_evicted(most=True)
            self.ring.abort()
            self.open = None
            return
        stride = size + PACKET_HEADER + LINE
        self._recorded(recorded, packets, (count + 2) * stride + 8 * RUN_HEADER + 4 * LINE)

    def record_by(self, packet: Any, how: str) -> None:
        self.calls += 1
        id, type, targetable, flags, position, angles, channels, _, payload = packet
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.record_by(id, type, 0, print, None)
            return
        full = len(self.kept) >= MAX_KEPT
        called = []

        def record(thing: object, writer: _ring.PacketWriter) -> None:
            # It is asked again if its last byte is what nobody wrote would be.
            first = not called
            called.append(self.ring.accounts)
            self.forget_evicted()
            writer.position, writer.angles = position, angles
            writer.targetable, writer.visible = targetable, not flags & HIDDEN
            writer.payload[:] = payload
            if how == "raise":
                raise HandlerError
            if how == "keep a view":
                stale.append(writer.payload)
            if how == "keep an array" and first:
                kept = np.frombuffer(memoryview(writer), np.uint8)
                self.kept.append((kept, kept.tobytes()))
            if how == "keep a slice" and first:
                kept = np.frombuffer(writer.payload[len(payload) // 2 :], np.uint8)
                self.kept.append((kept, kept.tobytes()))
            if how == "enter again":
                self.enter_again()

        stale: list[memoryview] = []
        fails = how in ("raise", "keep an array", "keep a slice") or full
        try:
            recorded = self.ring.record_by(id, type, len(payload), record, None, channels)
            assert not (fails and called)
        except (HandlerError, BufferError) as error:
            assert fails
            raised = isinstance(error, HandlerError)
            assert raised == (how == "raise" and not full)
            assert bool(called) != full
            header = (id, type, False, DAMAGED, ZERO, ZERO, channels, 0, b"")
            self.open.flags |= DAMAGED
            self.forget_evicted(most=True)
            if self.ring.accounts["packets_dropped"] == self.dropped:
                self.open.packets.append(header)
            else:
                self.dropped += 1
                self.open.flags |= DROPPED
        else:
            assert recorded == bool(called)
            self._recorded(recorded, [packet], 2 * (len(payload) + 2 * LINE + RUN_HEADER))
        for view in stale:
            with pytest.raises(ValueError):
                view[:1]

    def enter_again(self) -> None:
        attempts: list[Callable[[], object]] = [
            self.ring.begin,
            self.ring.abort,
            self.ring.close,
            lambda: self.ring.commit(self.time, 0.0),
            lambda: self.ring.record(1, 1, True, ZERO, ZERO),
            lambda: self.ring.record_list([]),
            lambda: self.ring.record_by(1, 1, 0, print, None),
            lambda: self.ring.latch(1, 1, 0, 0, 0, b""),
            lambda: self.ring.despawn(1, 1),
        ]
        for attempt in attempts:
            with pytest.raises(RecordingError):
                attempt()

    def drop_kept(self) -> None:
        self.calls += 1
        del self.kept[::2]

    def latch(self, key: Key, type: int, payload: bytes) -> None:
        self.calls += 1
        call = (key[0], type, 3, *key[1:], payload)
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.latch(*call)
            return
        ended, living = self.ended_keys(), key in self.live_keys_of(key[0])
        accounts = self.ring.accounts
        taken = accounts["live"] - sum(frame.bytes for frame in self.held) + accounts["waste"]
        if self.ring.latch(*call):
            self.open.packets.append(Version(key, type, payload))
            self.open.flags |= LATCHES
            self.forget_evicted(ended=ended)
            return
        after = self.ring.accounts
        if after["latch_refused"] == self.refused:  # the arena had no room for it
            self._book_refused_latches(1)
            self.forget_evicted(ended=ended if after["quarantined"] else None)
            return
        assert len(payload) > self.reserved.get(key, -1), "its room was reserved"
        assert after["latch_evicted"] == self.early, "evicted to no avail"
        if taken + 2 * len(payload) + 800 < self.arena:
            assert all(self.largest(other) < len(payload) for other in ended), "refused too early"
        if living:  # what was latched is not true any more
            tombstone_fits = after["packets_dropped"] == self.dropped
            if tombstone_fits:
                self.open.packets.append(Version(key, type, None))
                self.open.flags |= LATCHES
            self._book_refused_latches(1 if tombstone_fits else 2)
        else:
            assert after["frames_evicted"] == self.evicted, "a refusal evicts nothing"
            self._book_refused_latches(1)
        self.forget_evicted()

    def despawn(self, object: int, type: int) -> None:
        self.calls += 1
        if not self.open:
            with pytest.raises(RecordingError):
                self.ring.despawn(object, type)
            return
        ends = self.live_keys_of(object)
        count = self.ring.despawn(object, type)
        if count == len(ends):
            self.open.packets += [Version(key, type, None) for key in ends]
            self.open.flags |= LATCHES if ends else 0
            self.forget_evicted()
            return
        self._book_refused_latches(len(ends) - count)
        self.forget_evicted(most=True)
        self.ring.abort()
        self.open = None

    def _book_refused_latches(self, count: int) -> None:
        assert self.open
        accounts = self.ring.accounts
        refused = accounts["latch_refused"] - self.refused
        dropped = accounts["packets_dropped"] - self.dropped
        assert refused + dropped == count, "a fact vanished without being counted"
        self.refused += refused
        self.dropped += dropped
        self.open.flags |= (REFUSED if refused else 0) | (DROPPED if dropped else 0)

    # --- what must hold after each call -----------------------------------------------------

    def check_accounts(self) -> None:
        accounts = self.ring.accounts
        parts = [accounts[name] for name in ("live", "gap", "waste")]
        assert all(0 <= part <= self.arena for part in parts), parts
        assert sum(parts) == accounts["capacity"] == self.arena
        assert accounts["packets_dropped"] == self.dropped
        assert accounts["latch_refused"] == self.refused
        assert accounts["latch_used"] <= accounts["latch_capacity"]
        assert accounts["latch_keys"] == len(self.keys_in_use())
        assert accounts["quarantined"] >= len(self.kept)
        held = sum(frame.bytes for frame in self.held)
        if self.open:
            assert accounts["live"] >= held + FRAME_HEADER
            assert self.ring.open_packets == len(self.open.packets)
        else:
            assert accounts["live"] == held
        newest = self.ring.newest
        assert newest == ((self.held[-1].id, self.held[-1].time) if self.held else None)
        for kept, written in self.kept:
            assert kept.tobytes() == written, "memory was used while somebody looks at it"

    def write_late(self, value: int) -> None:
        """A handler writes to what it kept: nobody else's bytes may change."""
        for i, (kept, _) in enumerate(self.kept):
            kept[:] = value & 0xFF
            self.kept[i] = (kept, kept.tobytes())

    def check_frame(self, frame: Frame) -> None:
        stamp = self.ring.stamp(frame.id)
        assert stamp == (
            frame.id,
            frame.time,
            frame.delta,
            len(frame.packets),
            frame.epoch,
            frame.flags,
            frame.offset,
            frame.bytes,
        )
        assert frame.offset % self.arena + FRAME_HEADER <= self.arena
        assert self.ring.verify(frame.id)
        packets = self.ring.packets(frame.id)
        assert len(packets) == len(frame.packets)
        tombstones = set()
        for packet, wanted in zip(packets, frame.packets, strict=True):
            if not isinstance(wanted, Version):
                assert packet == wanted
                continue
            assert packet[7] & RUN_LATCHED
            began, _, _, _, number, _, kind, flags = VERSION.unpack(packet[8][: VERSION.size])
            key, type = (packet[0], kind, number), packet[1]
            assert began == frame.id
            assert bool(flags & TOMBSTONE) == (wanted.payload is None)
            if wanted.payload is None:  # a despawn ends its keys in any order
                tombstones.add((key, type))
            else:
                assert (key, type, packet[8][VERSION.size :]) == (
                    wanted.key,
                    wanted.type,
                    wanted.payload,
                )
        assert tombstones == {(v.key, v.type) for v in frame.versions if v.payload is None}

    def check_places(self, frame: Frame) -> None:
        """No run stands on both sides of the arena's end, and what pads a payload is zero."""
        at, end = self.begins_at, self.begins_at + self.arena
        memory = np.frombuffer(self.block, np.uint8)
        for _, _, _, headers, payloads in self.ring.runs(frame.id):
            first = int(headers.ctypes.data)
            assert at + RUN_HEADER <= first
            assert first + (len(headers) - 1) * headers.strides[0] + PACKET_HEADER <= end
            if payloads is None:
                continue
            size, stride = payloads.shape[1], payloads.strides[0]
            first = int(payloads.ctypes.data)
            assert first + (len(payloads) - 1) * stride + size <= end
            assert size < _ring.ALIGNED_FROM or first % LINE == 0
            behind = memory[first + size - int(memory.ctypes.data) :]
            assert not as_strided(behind, (len(payloads), -size % 8), (stride, 1)).any()

    def check_finding(self, chance: random.Random) -> None:
        with pytest.raises(RecordingError):
            self.ring.find(float("nan"))
        if not self.held:
            with pytest.raises(EvictedError):
                self.ring.find(0.0)
            return
        some = chance.choice(self.held).time
        for time in (some, some - 0.01, some + 0.01, float("inf"), float("-inf"), -1.0):
            before = [frame.id for frame in self.held if frame.time <= time]
            assert self.ring.find(time) == (before[-1] if before else self.held[0].id)
        for id in (self.held[0].id - 1, self.latest + 1, 2**63 - 1, 2**64):
            assert not 0 <= id <= 2**63 - 1 or not self.ring.holds(id)
            with pytest.raises(EvictedError):
                self.ring.packets(id)

    def check_latches(self, frame: Frame, chance: random.Random) -> None:
        keys = self.keys()
        truth = {key: self.latched_at(frame.id, key) for key in keys}
        for key, wanted in truth.items():
            assert self.ring.latched(frame.id, *key) == wanted
        everything = {tuple(row[:3]): row[3:] for row in self.ring.latched_all(frame.id)}
        assert everything == {key: wanted for key, wanted in truth.items() if wanted}
        for key in sorted(keys)[:3]:
            limit = chance.choice((1, 2, 100))
            wanted_versions = [
                (began, version.type, version.payload)
                for began, version in self.versions_of(frame.id, key)
            ]
            assert self.ring.versions(frame.id, *key, limit) == wanted_versions[:limit]
        assert self.ring.latched(frame.id, 999, 9, 9) is None

    def check_held(self, chance: random.Random) -> None:
        for frame in self.held:
            self.check_frame(frame)
        for frame in chance.sample(self.held, min(2, len(self.held))):
            self.check_places(frame)
        if self.held:
            for frame in (self.held[0], self.held[-1], chance.choice(self.held)):
                self.check_latches(frame, chance)
        self.check_finding(chance)
