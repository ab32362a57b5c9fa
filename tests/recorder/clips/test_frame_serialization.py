"""Images of frames: looked through, put together, and what held before them."""

import json
import math
import struct

import pytest

from playhead.errors import DamagedError
from playhead.native import _ring
from playhead.native.ring import FrameRing
from playhead.recorder.clips import frame_serialization as images
from playhead.recorder.clips.clip_format import frame_schema
from playhead.recorder.clips.frame_serialization import (
    compose_image,
    image_of,
    latched_before,
    read_image,
)
from playhead.recorder.packets.packet_types import Kind


def without_check(image: bytes) -> bytes:
    return image[:92] + bytes(4) + image[96:]


def test_an_image_put_together_says_what_the_rings_own_says(story):
    ring = story(40, seed=8).recorder.ring
    for frame in range(1, 41):
        made, own = compose_image(ring, frame), ring.image(frame)
        assert _ring.image_verify(made)
        assert _ring.image_packets(made) == _ring.image_packets(own)
        assert _ring.image_stamp(made)[:6] == _ring.image_stamp(own)[:6]
        assert image_of(ring, frame) == ring.image(frame)


def test_an_empty_frame_can_be_put_together(tmp_path):
    ring = FrameRing("64 KiB")
    ring.begin()
    ring.commit(1.0, 0.5)
    assert compose_image(ring, 1) == without_check(ring.image(1))


def test_what_was_true_before_a_frame_is_what_was_true_at_the_frame_before(story):
    ring = story(60, seed=11).recorder.ring
    for frame in range(2, 61):
        rows = latched_before(ring, frame, ring.image(frame))
        assert sorted(rows) == sorted(ring.latched_all(frame - 1))
    assert latched_before(ring, 1, ring.image(1)) == []


def test_what_was_true_before_the_oldest_frame_is_known_though_its_frames_are_gone():
    ring = FrameRing("16 KiB", latch="4 KiB")
    for frame in range(1, 200):
        ring.begin()
        if frame % 10 in (0, 1):
            for again in range(2):
                ring.latch(1, 13, 0, Kind.FACT, 1, f"{frame} {again}".encode())
        ring.record(1, 40, True, (0, 0, 0), (0, 0, 0), bytes(100))
        ring.commit(float(frame), 1.0)
        oldest = ring.oldest
        assert oldest is not None
        messages = [began for began in range(1, oldest[0]) if began % 10 in (0, 1)]
        rows = latched_before(ring, oldest[0], ring.image(oldest[0]))
        expected = (
            [(1, Kind.FACT, 1, messages[-1], 13, f"{messages[-1]} 1".encode())] if messages else []
        )
        assert rows == expected
    assert oldest[0] > 50


def test_an_image_is_looked_through(story):
    ring = story(30, seed=12).recorder.ring
    for frame in range(1, 31):
        read = read_image(ring.image(frame))
        packets = ring.packets(frame)
        assert read.stamp == _ring.image_stamp(ring.image(frame))
        assert len(read.latched) == sum(bool(packet[7] & 1) for packet in packets)
        ids = [id for result in read.objects.values() for id in memoryview(result).cast("Q")]
        assert sorted(ids) == sorted(packet[0] for packet in packets if packet[1] >= 32)
        assert read.agents == {packet[0] for packet in packets if packet[1] in (9, 10, 11)}


def test_a_latched_packet_of_another_frame_is_damage(story):
    ring = story(3).recorder.ring
    image = bytearray(without_check(ring.image(1)))
    struct.pack_into("<Q", image, 0, 2)
    with pytest.raises(DamagedError, match="frame 2 has a latched packet that is of frame 1"):
        read_image(bytes(image))


def test_the_schema_in_the_file_says_where_the_fields_are():
    schema = json.loads(frame_schema())
    sizes = {"<u8": 8, "<f8": 8, "<u4": 4, "<u2": 2, "|u1": 1, "<f4": 4}
    structs = {"frame": images.FRAME, "run": images.RUN, "packet": images.PACKET,
               "version": images.VERSION}  # fmt: skip
    for name, layout in structs.items():
        at = 0
        for _, number, offset, *shape in schema[name]["fields"]:
            assert offset == at
            at += sizes[number] * math.prod(shape[0] if shape else [])
        assert at == schema[name]["bytes"] == layout.size
