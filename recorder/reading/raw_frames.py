"""The interface of raw frames by id: a ring, a clip or a service gives them, undecoded."""

from typing import NamedTuple, Protocol

from ...native.ring_type_aliases import RUN_LATCHED, RawPacket


class RawFrames(Protocol):
    """A store of finished frames, whose ids count up by one.

    Every method raises EvictedError for a frame that is not there, and DamagedError where the store
    is damaged. What is latched is found by object, kind and key, all of them numbers.
    """

    @property
    def newest(self) -> tuple[int, float] | None:
        """Id and time (seconds) of the newest frame; None while there is none."""

    @property
    def oldest(self) -> tuple[int, float] | None:
        """Id and time (seconds) of the oldest recorded frame; None while there is none."""

    def find(self, time: float, /) -> int:
        """The newest frame at or before a time, clamped to the ends.

        Raises:
            RecordingError: the time is not a number.
        """

    def stamp(self, frame: int, /) -> tuple[int, float, float, int, int, int, int, int]:
        """(id, time, delta, packets, epoch, flags, offset, bytes) of a frame."""

    def packets(self, frame: int, /) -> list[RawPacket]:
        """Copies of a frame's packets in recording order, latched ones among them."""

    def latched(
        self, frame: int, object: int, kind: int, key: int, /
    ) -> tuple[int, int, bytes] | None:
        """(frame, packet type, payload) of the version valid at a frame; None if there is none."""

    def latched_all(self, frame: int, /) -> list[tuple[int, int, int, int, int, bytes]]:
        """All that held at a frame, as (object, kind, key, frame, packet type, payload)."""

    def versions(
        self, frame: int, object: int, kind: int, key: int, limit: int, /
    ) -> list[tuple[int, int, bytes | None]]:
        """Up to `limit` versions that began at or before a frame, newest first.

        Each is (frame, packet type, payload); one without a payload ended what was latched.
        """


class LatchChange(NamedTuple):
    """A latched value that began in a frame, or ended in it."""

    frame: int
    object: int
    key: int
    payload: bytes | None
    """None where it ended."""


VERSION_BYTES = 48
"""What precedes a latched packet's own payload (`version_header` in ring_layout.h)."""


def body(packet: RawPacket) -> bytes:
    """A packet's own payload, also of a latched one."""
    return packet[8][VERSION_BYTES:] if packet[7] & RUN_LATCHED else packet[8]
