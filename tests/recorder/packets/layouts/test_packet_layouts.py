"""Each packet type that is no game object's says in every file how it is laid out."""

import json
import logging
import re
import struct
from pathlib import Path

import msgspec
import pytest

from playhead.errors import DamagedError
from playhead.native.ring import FrameRing
from playhead.recorder.clips.clip_format import frame_schema
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.draw_primitives import PLACED
from playhead.recorder.packets.layouts.layout import check_formats
from playhead.recorder.packets.layouts.messagepack_schema import StructType
from playhead.recorder.packets.layouts.packet_layouts import FACTS, PACKETS, PacketLayout
from playhead.recorder.packets.layouts.plain_value_codec import decode, encode
from playhead.recorder.packets.log_lines import WATCH
from playhead.recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType
from playhead.recorder.reading.ring_source import RingSource

PAGE = (Path(__file__).parents[4] / "docs" / "clip-format.md").read_text(encoding="utf-8")
NEWER = 29
"""A packet type that no version has yet."""


@pytest.mark.parametrize("type", PacketType)
def test_every_packet_type_is_laid_out(type):
    assert PACKETS[type].name == f".{type.name.lower()}"
    check_formats(PACKETS[type].layout)


@pytest.mark.parametrize("kind", Kind)
def test_of_every_kind_it_is_reported_what_is_latched(kind):
    apart = {
        Kind.MARK: PacketType.MARK, Kind.STATE: PacketType.STATE, Kind.DRAWN: PacketType.LINE,
        Kind.PHASE: PacketType.PHASE, Kind.TREE_STATE: PacketType.TREE_STATE,
        Kind.DECISION_STATE: PacketType.DECISION_STATE,
    }  # fmt: skip
    assert (kind in FACTS) != (kind in apart)


@pytest.mark.parametrize("type", PacketType)
def test_a_recording_and_its_clip_say_how_every_packet_type_is_laid_out(
    type, make_recorder, tmp_path
):
    recorder = make_recorder("4 MiB")
    recorder.update([])
    save(tmp_path / "a.mcap", recorder.ring)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        for frames in (recorder.ring, clip.clip):
            found = frames.latched(1, 0, Kind.TYPE, type)
            assert decode(found[2], PacketLayout) == PACKETS[type]


def test_a_clip_says_it_in_its_schema_too():
    packets = json.loads(frame_schema())["packets"]
    assert set(packets) == {str(int(type)) for type in PacketType}
    for type in PacketType:
        assert msgspec.convert(packets[str(int(type))], PacketLayout, strict=False) == PACKETS[type]


def test_a_small_recording_does_without_and_is_read_all_the_same(make_recorder):
    recorder = make_recorder("64 KiB")
    recorder.draw.sphere((1, 2, 3), 4.0)
    recorder.draw.box((1, 2, 3), (4, 5, 6), latch="here")
    recorder.watch("speed", 2.5)
    recorder.update([])
    assert recorder.ring.latched(1, 0, Kind.TYPE, PacketType.SPHERE) is None
    assert recorder.status.latch_used < recorder.status.latch_memory / 2
    sphere, box = recorder.source.drawn(1)
    assert (sphere.kind, sphere.values["radius"], sphere.line) == ("sphere", 4.0, sphere.line)
    assert (box.kind, box.values["size"].tolist()) == ("box", [4.0, 5.0, 6.0])
    (watch,) = (one for one in recorder.source.packets(1) if one.type == ".watch")
    assert PACKETS[PacketType.WATCH].layout.decode(watch.payload)["value"] == 2.5


def test_what_is_packed_by_hand_has_the_layouts_sizes():
    assert PACKETS[PacketType.WATCH].layout.sizes.record == WATCH.size
    for type in range(PacketType.LINE, PacketType.TEXT + 1):
        placed = [(fmt, shape) for _, fmt, shape in PACKETS[type].latched]
        assert placed == [("<f4", (3,)), ("<f4", (3,)), ("<u4", ())]
    assert PLACED.size == struct.calcsize("<3f3fI")


# --- the page ---------------------------------------------------------------------------------


def section(title: str) -> str:
    """A section of the page."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.M | re.S)
    assert found is not None, f"docs/clip-format.md has no section {title!r}"
    return found[2]


def rows(title: str) -> dict[str, str]:
    """The rows of a table on the page, by their first cell."""
    cells = re.findall(r"^\| ([^|]+) \|(.*)$", section(title), re.M)
    return {first.strip(): rest for first, rest in cells}


@pytest.mark.parametrize("type", PacketType)
def test_the_page_tells_of_every_packet_type(type):
    row = rows("Packet types")[str(int(type))]
    assert f"`{PACKETS[type].name}`" in row
    layout = PACKETS[type].layout
    expected = [name for name, _, _ in layout.fields if name not in ("color", "file", "line")]
    if layout.tail != "msgpack":
        expected += [layout.tail_name] * bool(layout.tail)
    expected += re.findall(r"[A-Z]\w+", PACKETS[type].value)
    assert [name for name in expected if f"`{name}`" not in row] == []


@pytest.mark.parametrize("kind", Kind)
def test_the_page_tells_of_every_kind(kind):
    assert str(int(kind)) in rows("Latched facts")


def structs() -> dict[str, StructType]:
    found: dict[str, StructType] = {}
    for packet in PACKETS.values():
        found.update(packet.structs)
    return found


@pytest.mark.parametrize("name", structs())
def test_the_page_tells_of_every_struct_its_fields_and_their_types(name):
    row = rows("Structs")[f"`{name}`"]
    for field, type, *default in structs()[name].fields:
        text = f"`{field}`: {type}".replace("|", "\\|")
        if default:
            text += f" = {json.dumps(default[0], ensure_ascii=False)}"
        assert text in row


def test_the_page_tells_of_every_format_that_is_recorded():
    text = section("Formats")
    for fmt in ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8",
                "c16", "S", "U", "V", "M8", "m8"):  # fmt: skip
        assert re.search(rf"`(<|\\\|){fmt}", text), fmt


# --- files of a newer version -------------------------------------------------------------------


@pytest.fixture
def newer() -> FrameRing:
    """A ring with packets of a type, and a latched value of a kind, that nobody knows."""
    ring = FrameRing("256 KiB")
    for frame in (1, 2):
        ring.begin()
        for object in (0, 7):
            ring.record(object, NEWER, False, (0, 0, 0), (0, 0, 0), b"something")
        ring.record(7, FIRST_OBJECT, True, (1, 2, 3), (0, 0, 0), b"")
        ring.latch(7, NEWER, 0, 999, 1, b"something")
        ring.commit(float(frame), 1.0)
    return ring


def test_packets_of_an_unknown_type_are_left_out_which_is_reported_once(newer, caplog):
    source = RingSource(newer)
    with caplog.at_level(logging.WARNING, "playhead"):
        for frame in (1, 2):
            assert [packet.id for packet, _ in source.decoded(frame)] == [7]
            assert len(source.packets(frame)) == 3
            assert source.facts(frame) == {}
            assert not any(source.statements(frame))
            assert source.drawn(frame) == []
    (line,) = [record.getMessage() for record in caplog.records]
    assert f"packets of the type {NEWER}: this playhead does not know them" in line


@pytest.mark.parametrize("fmt", ["<q7", "<f5", "nonsense", "|O8", ""])
def test_a_layout_with_a_format_that_nobody_knows_is_refused_by_the_types_name(fmt):
    ring = FrameRing("256 KiB")
    ring.begin()
    packet = {"name": "car", "layout": {"fields": [["speed", fmt, []]]}}
    ring.latch(0, PacketType.FACT, 0, Kind.TYPE, FIRST_OBJECT, encode(packet))
    ring.latch(7, PacketType.FACT, 0, Kind.NAME, 0, encode("the car"))
    ring.record(7, FIRST_OBJECT, True, (1, 2, 3), (0, 0, 0), bytes(8))
    ring.commit(1.0, 1.0)
    source = RingSource(ring)
    with pytest.raises(DamagedError, match="the layout of type 'car' is broken: .*layout"):
        source.decoded(1)
    assert source.names(1) == {7: "the car"}


def test_they_are_counted_where_a_clip_is_verified(newer, tmp_path):
    save(tmp_path / "a.mcap", newer)
    report = verify(tmp_path / "a.mcap")
    assert report.ok
    (warning,) = report.warnings
    assert warning == (
        "6 packets are of types that this playhead does not know (29): a newer one shows them"
    )
