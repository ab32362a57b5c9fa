"""Frame images put together from what the document says, without the compiled ring."""

import struct
from collections.abc import Sequence

from playhead.native.ring_type_aliases import RawPacket

NONE = 2**64 - 1
FRAME = struct.Struct("<QQQddQQQQQIIII")
RUN = struct.Struct("<IIIIIHH")
PACKET = struct.Struct("<QHBBI3f3f")
COUNT_AT, CHECK_AT = 80, 92

TABLE = []
for byte in range(256):
    crc = byte
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    TABLE.append(crc)


def crc32c(seed: int, words: bytes) -> int:
    """CRC-32C without inversions."""
    for byte in words:
        seed = seed >> 8 ^ TABLE[(seed ^ byte) & 0xFF]
    return seed


def packet_check(ordinal: int, packet: bytes) -> int:
    check = crc32c(ordinal, packet[:12] + bytes(4) + packet[16:40])
    words = [packet[at : at + 8] for at in range(40, len(packet), 8)]
    if words:
        lanes = [crc32c(0, b"".join(words[lane::4])) for lane in range(4)]
        check = crc32c(check, struct.pack("<IIII", *lanes))
    return check


def image_check(image: bytes) -> int:
    """The check that a well-formed image must have."""
    check = crc32c(0, image[:16] + bytes(8) + image[24:92] + bytes(4))
    at, ordinal = 96, 0
    while at < len(image):
        _, count, stride, *_ = RUN.unpack_from(image, at)
        check += crc32c(ordinal, image[at : at + 24])
        at += 24
        for _ in range(count):
            check += packet_check(ordinal, image[at : at + stride])
            at += stride
            ordinal += 1
    return check % 2**32


def image_by_hand(
    stamp: tuple[int, float, float, int],
    packets: Sequence[RawPacket],
    flags: int = 0,
    padding: bytes = b"\0",
    check: bool = True,
) -> bytes:
    """Args: id, time, delta and epoch; the packets; the frame's flags; what payloads are padded
    to 8 bytes with; whether to compute the check."""
    runs: list[list[RawPacket]] = []
    for packet in packets:
        if runs and kind(runs[-1][-1]) == kind(packet):
            runs[-1].append(packet)
        else:
            runs.append([packet])
    body = b""
    for run in runs:
        type, channels, run_flags, size = kind(run[0])
        stride = (40 + size + 7) // 8 * 8
        step = 0 if run is runs[-1] else (24 + len(run) * stride) // 8
        body += RUN.pack(step, len(run), stride, size, channels, type, run_flags)
        for i, (id, _, targetable, marks, position, angles, _, _, payload) in enumerate(run):
            step = stride // 8 if i + 1 < len(run) else 0 if run is runs[-1] else stride // 8 + 3
            body += PACKET.pack(id, type, targetable, marks, step, *position, *angles)
            body += payload + padding * (stride - 40 - size)
    id, time, delta, epoch = stamp
    first, run_at = (120, 96) if runs else (NONE, NONE)
    length = 96 + len(body)
    head = (id, NONE, NONE, time, delta, first, run_at, NONE, length, length)
    image = FRAME.pack(*head, len(packets), flags, epoch, 0) + body
    return with_check(image) if check else image


def kind(packet: RawPacket) -> tuple[int, int, int, int]:
    """What packets of one run share: type, channels, the run's flags, size."""
    return packet[1], packet[6], packet[7] & 1, len(packet[8])


def with_check(image: bytes) -> bytes:
    return image[:CHECK_AT] + struct.pack("<I", image_check(image)) + image[96:]


def without_check(image: bytes) -> bytes:
    return image[:CHECK_AT] + bytes(4) + image[96:]


def patched(image: bytes, at: int, format: str, value: float) -> bytes:
    """The image with a number written over, and the check left out."""
    changed = bytearray(without_check(image))
    struct.pack_into(format, changed, at, value)
    return bytes(changed)
