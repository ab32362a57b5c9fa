"""A reader in another language, written from the document alone, reads what this one reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from playhead.recorder.clips.source import ClipSource
from playhead.recorder.kinds import Kind

from ...node import node_folder, run_node
from .stories import plain

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "node"


@pytest.fixture(scope="module")
def reader() -> Path:
    """The folder of the reader with the libraries that it needs."""
    return node_folder("clip-reader", HERE, "@mcap/core")


def tell(reader: Path, clip: Path, frame: int) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run_node(reader, "tell.mjs", clip, frame))
    return told


@pytest.mark.parametrize("frame", [1, 17, 40])
def test_node_reads_the_index_a_frame_and_the_fields_of_its_objects(reader, small_clip, frame):
    told = tell(reader, small_clip, frame)
    with ClipSource.open(small_clip) as clip:
        assert told["metadata"] == clip.clip.metadata
        assert told["attachments"] == [
            "shot.png", "playhead/chunks", "playhead/keys", "playhead/objects",
        ]  # fmt: skip
        assert told["shot"] == "not really a picture"
        rows = [(int(row["first"]), row["count"], row["start"], row["end"], row["offset"])
                for row in told["chunks"]]  # fmt: skip
        assert rows == [
            (row.first, row.count, row.start, row.end, row.offset)
            for row in clip.clip._index.chunks
        ]
        stamp = clip.stamp(frame)
        assert told["frame"] == {
            "id": str(frame), "time": stamp.time, "delta": stamp.delta, "packets": stamp.packets,
        }  # fmt: skip
        expected = [
            {"id": str(packet.id), "type": packet.type, "position": list(packet.position),
             "fields": plain(fields)}
            for packet, fields in clip.decoded(frame)
        ]  # fmt: skip
        assert told["objects"] == expected
        assert expected
        for agent in (1, 2):
            found = clip.clip.latched(frame, agent, Kind.NAME, 0)
            assert told["names"][str(agent)] == (None if found is None else found[2].hex())
    assert told["missing"] == "frame 1000000000 is not held"
