"""Clips to read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from playhead.native.ring import FrameRing
from playhead.recorder.clips import clip_writer as writer
from playhead.recorder.clips.clip_writer import ClipAttachment
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.log_lines import WATCH
from playhead.recorder.packets.mark import Mark
from playhead.recorder.packets.packet_types import Kind, PacketType

from .stories import Story, recorded


@pytest.fixture
def story() -> Iterator[Callable[..., Story]]:
    """Makes stories (see `recorded`) and closes them."""
    made: list[Story] = []

    def make(*args: Any, **rest: Any) -> Story:
        made.append(recorded(*args, **rest))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def small_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of a few frames in several chunks, with an attachment. Not to be changed."""
    result = recorded(40, seed=5)
    path = tmp_path_factory.mktemp("clips") / "small.mcap"
    frames = result.recorder.ring
    shot = ClipAttachment("shot.png", b"not really a picture", "image/png")
    save(path, frames, about={"who": "a test"}, attachments=[shot], chunk_bytes=1500, created=0.0)
    result.close()
    return path


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of as few bytes as can have three chunks and one of everything. Not to be changed."""
    ring = FrameRing("64 KiB", latch="8 KiB")
    for frame in range(1, 7):
        ring.begin()
        for object in (1, 2):
            ring.record(object, 40, True, (frame, 0, 0), (0, 0, 0), bytes([frame] * 8))
        ring.record(1, PacketType.WATCH, False, (0, 0, 0), (0, 0, 0), WATCH.pack(1, 0, frame / 2))
        if frame in (1, 4):
            ring.latch(1, PacketType.FACT, 0, Kind.NAME, 0, encode(f"guard {frame}", str))
        if frame == 3:
            ring.latch(2, PacketType.FACT, 0, Kind.FACT, 1, encode("x" * 2000))
            ring.latch(0, PacketType.MARK, 0, Kind.MARK, 0, encode(Mark("here", 3), Mark))
        if frame == 5:
            ring.despawn(2, PacketType.TOMBSTONE)
        ring.commit(float(frame), 1.0)
    path = tmp_path_factory.mktemp("clips") / "tiny.mcap"
    file = ClipAttachment("shot.png", b"no picture", "image/png")
    with mock.patch.object(writer, "KEYFRAME_SHARE", 0):
        save(path, ring, attachments=[file], chunk_bytes=300, created=0.0)
    return path


@pytest.fixture(autouse=True)
def no_part_is_left(tmp_path: Path) -> Iterator[None]:
    """Whatever happens, nothing half-written stays beside a clip."""
    yield
    assert not list(tmp_path.rglob("*.part"))
