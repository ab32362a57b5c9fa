"""The status of a recording in numbers, to be read at any time."""

import msgspec

from ..native.ring import FrameRing
from .pictures.picture_recorder import PictureStatus


class OlderStatus(msgspec.Struct, frozen=True):
    """One look at the older tier of a recording."""

    memory: int
    """Bytes that it takes: fixed, and part of the whole."""
    frames_held: int
    """Frames that are only there."""
    seconds_held: float
    """Timeline seconds from its oldest frame to the oldest one outside it."""
    ratio: float
    """Bytes of all frames packed so far, by the bytes that they became; 0 before the first."""
    waiting: int
    """Bytes of frames that are due to be packed and are not yet: how far the packing lags."""
    lost: int
    """Frames that left the recording before their time, since packing came too late for them or
    for newer ones, or since one was too large."""
    fault: str
    """What ended the packing; empty while all is well."""


def older_tier_status(ring: FrameRing) -> OlderStatus | None:
    """The status of a ring's older tier; None if it has none."""
    if ring.older is None:
        return None
    accounts = ring.older.accounts
    oldest, in_ring = ring.oldest, ring.raw.oldest
    packed = accounts["bytes_after"]
    return OlderStatus(
        memory=accounts["memory"],
        frames_held=accounts["held"],
        seconds_held=max(in_ring[1] - oldest[1], 0.0) if in_ring and oldest else 0.0,
        ratio=accounts["bytes_before"] / packed if packed else 0.0,
        waiting=accounts["waiting"],
        lost=accounts["lost"],
        fault=ring.older.fault,
    )


class RecordingStatus(msgspec.Struct, frozen=True):
    """One look at a recorder."""

    frames: int
    """Frames recorded so far."""
    frames_held: int
    seconds_held: float
    """Timeline seconds from the oldest recorded frame to the newest."""
    memory: int
    """Bytes of the whole block: fixed."""
    bytes_used: int
    """Bytes of the arena in live frames."""
    bytes_gap: int
    """Bytes free between the newest frame and the oldest."""
    bytes_waste: int
    """Bytes at the arena's end that no packet fitted into."""
    latch_used: int
    latch_memory: int
    cost_us_p50: float
    """Median cost of recording a frame, microseconds, over the newest 1,024 frames."""
    cost_us_p99: float
    packets: int
    packets_dropped: int
    latch_refused: int
    """Facts that a full latch area had no room for."""
    calls_dropped: int
    """Calls from worker threads and other processes that found their buffer full."""
    late_dropped: int
    """Late statements of other processes, older than all recorded frames or without room."""
    handler_faults: dict[str, int]
    """Packets, or whole batches, that could not be written, by object type."""
    unhandled: dict[str, int]
    """Objects that no handler serves, by type."""
    calls_refused: dict[str, int]
    """Calls with wrong arguments, or in playback, by call."""
    muted: dict[str, tuple[int, ...]]
    """Objects that failed too often and are skipped for a while, by type; 0 means all of a
    type at once, whose handler fails to take them as a batch."""
    newest_fault: str
    older: OlderStatus | None = None
    """How its older tier is doing; None without one."""
    muted_packets: int = 0
    """Packets of which there is a header only, since their objects were muted."""
    ignored: tuple[str, ...] = ()
    """Types that are left out on purpose: see `HandlerRegistry.ignore`."""
    cut: dict[str, int] = {}
    """Packets of which a text was longer than what is kept of it, by object type."""
    partial: dict[str, int] = {}
    """Packets whose handler asked for more bytes than it wrote, by object type."""
    pictures: PictureStatus = PictureStatus()
    """What became of the pictures that were given as pixels."""
    latch_evicted: int = 0
    """Frames that were evicted early, since that gave back room in a full latch area."""
