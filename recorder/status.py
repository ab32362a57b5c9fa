"""How a recording is doing, in numbers that anybody may look at at any time."""

import msgspec


class Status(msgspec.Struct, frozen=True):
    """One look at a recorder."""

    frames: int
    """Frames recorded so far."""
    frames_held: int
    seconds_held: float
    """Timeline seconds from the oldest frame held to the newest."""
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
    calls_dropped: int
    """Calls from worker threads and other processes that found their buffer full."""
    late_dropped: int
    """What other processes said of frames older than all that are held, or had no room."""
    handler_faults: dict[str, int]
    """Packets, or whole batches, that could not be written, by object type."""
    unhandled: dict[str, int]
    """Objects that no handler serves, by type."""
    calls_refused: dict[str, int]
    """What was said wrongly, or in playback, by call."""
    muted: tuple[str, ...]
    """Types whose handler failed too often and is not asked any more."""
    newest_fault: str
