"""The objects and drawings of a frame as columns: they say what is said when each is decoded."""

import numpy as np
import pytest

from playhead.errors import DamagedError
from playhead.native import _ring
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.layouts.layout import Field, Layout, layout_from_dtype
from playhead.recorder.packets.layouts.packet_layouts import PACKETS
from playhead.recorder.packets.packet_types import FIRST_OBJECT, PacketType
from playhead.recorder.reading.ring_source import RingSource
from playhead.viewer.reader.frame_snapshot import SnapshotReader
from playhead.viewer.scene.drawing_columns import blocks_of
from playhead.viewer.scene.object_columns import FrameObjects, ObjectGroup, groups_of
from playhead.viewer.scene.packet_columns import columns_of

from ..world_recording import FRAMES, record

FIELDS = layout_from_dtype(np.dtype([("hp", "<f4"), ("state", "S8")]))
ORIGIN = (0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def plaza(tmp_path_factory):
    path = tmp_path_factory.mktemp("plaza") / "plaza.ring"
    record(path)
    return RingSource.open(path)


def plain(values) -> dict:
    return {name: np.asarray(value).tolist() for name, value in values.items()}


@pytest.mark.parametrize("name", ["plaza", "clip"])
def test_each_object_is_what_the_source_decodes(name, request):
    given = request.getfixturevalue(name)
    source = given if name == "plaza" else ClipSource.open(given)
    frame = source.span.newest
    objects = SnapshotReader(source).read(frame).objects
    expected = {packet.id: (packet, values) for packet, values in source.decoded(frame)}
    assert set(objects) == set(expected)
    for id, (packet, values) in expected.items():
        seen = objects[id]
        assert seen.packet == packet
        assert plain(seen.values) == plain(values)
        assert seen.error_text == ""
        assert objects.type_of(id) == packet.type
    assert [seen.packet for seen in objects.values()] == [seen.packet for seen in objects.values()]
    if name == "clip":
        source.close()


def test_asking_for_all_gives_the_same_as_asking_for_each(plaza):
    snapshots = SnapshotReader(plaza)
    one, other = snapshots.read(FRAMES).objects, snapshots.read(FRAMES).objects
    packets = [one[id].packet for id in one]
    assert [seen.packet for seen in other.values()] == packets
    assert other[1].name == "first"
    assert other[2].name == "dancer 2"


def test_each_drawing_is_what_the_source_decodes(plaza):
    snapshot = SnapshotReader(plaza).read(FRAMES)
    read = [
        snapshot.drawn(block, index) for block in snapshot.drawings for index in range(len(block))
    ]

    def key(drawn):
        return drawn.kind, drawn.object, drawn.position, drawn.line, str(plain(drawn.values))

    expected = plaza.drawn(FRAMES)
    assert sorted(map(key, read)) == sorted(map(key, expected))
    assert {drawn.file for drawn in read} == {drawn.file for drawn in expected}
    assert [drawn.latched for drawn in read if drawn.latched] == ["post"]
    assert {bool(block.latched) for block in snapshot.drawings} == {True, False}


def test_what_was_stated_is_the_same_read_at_once(plaza, clip):
    with ClipSource.open(clip) as source:
        for frame in (40, 64, 100, 160):
            result = source.statements(frame)
            assert result.traces == source.traces(frame)
            assert result.logs == source.logs(frame)
            assert result.watches == source.watches(frame)


def image(*packets):
    """Raw packets (id, type, flags, payload) as the columns of a frame."""
    rows = [
        (id, type, True, flags, ORIGIN, ORIGIN, 0, 0, load) for id, type, flags, load in packets
    ]
    return columns_of(_ring.image_runs(_ring.image_encode(1, 0.0, 0.0, 1, rows)))


def objects(*packets, layout: Layout = FIELDS) -> FrameObjects:
    return FrameObjects(groups_of(image(*packets), lambda number: ("thing", layout)), {})


def test_one_that_can_t_be_read_says_why_and_costs_no_other():
    whole = np.array([(4.0, b"Hunt")], FIELDS.dtype).tobytes()
    result = objects(
        (1, FIRST_OBJECT, 0, whole), (2, FIRST_OBJECT, 0, b"short"), (3, FIRST_OBJECT, 1, whole)
    )
    assert result[1].values["state"] == b"Hunt"
    assert "shorter than its layout" in result[2].error_text
    assert result[2].values == {}
    assert result[3].packet.damaged
    assert "handler failed" in result[3].error_text
    assert result.state_of(1) == ""  # nobody says that the field is a state


def test_a_state_is_read_from_the_field_of_that_role():
    layout = layout_from_dtype(FIELDS.dtype, notes={"state": Field(role="state")})
    rows = np.array([(1.0, b"Idle"), (2.0, b"Hunt")], FIELDS.dtype)
    result = objects(
        (1, FIRST_OBJECT, 0, rows[0].tobytes()), (2, FIRST_OBJECT, 0, rows[1].tobytes()),
        (3, FIRST_OBJECT, 1, rows[1].tobytes()), layout=layout,
    )  # fmt: skip
    assert [result.state_of(id) for id in (1, 2, 3, 4)] == ["Idle", "Hunt", "", ""]


def test_runs_of_many_lengths_are_joined_by_type_and_length():
    packets = [(at, FIRST_OBJECT + at % 2, 0, bytes(8 * (1 + at % 3))) for at in range(1, 40)]
    columns = image(*packets)
    assert {(one.type, one.payloads.shape[1]) for one in columns} == {
        (packet[1], len(packet[3])) for packet in packets
    }
    ids = sorted(id for one in columns for id in one.headers["id"].tolist())
    assert ids == list(range(1, 40))


def test_a_broken_drawing_is_reported_to_be_broken():
    def type_of(number):
        return "line", PACKETS[PacketType.LINE].layout

    with pytest.raises(DamagedError, match="line has 8 bytes"):
        blocks_of(image((1, PacketType.LINE, 0, bytes(8))), [], type_of)
    layout = PACKETS[PacketType.LINES].layout
    with pytest.raises(DamagedError, match="within a point"):
        blocks_of(image((1, PacketType.LINES, 0, bytes(12 + 20))), [], lambda _: ("lines", layout))


def test_a_recorded_rectangle_around_an_object_says_how_large_it_is():
    layout = layout_from_dtype(np.dtype([("rect", "<f8", (4,))]))
    rects = np.array([
        (10, 20, 30, 40),
        (10, 20, 30, 40),  # of an object that is elsewhere
        (10, 20, 0, 40),
    ], np.float64)  # fmt: skip

    class Columns:
        headers = np.zeros(3, [("position", "f8", (3,)), ("angles", "f8", (3,)), ("flags", "u4")])
        payloads = rects.view(np.uint8).reshape(3, -1)

        def records(self, dtype):
            return self.payloads.reshape(-1).view(dtype)

    columns = Columns()
    columns.headers["position"][:, :2] = (25, 40), (0, 0), (10, 40)
    group = ObjectGroup("Sprite", layout, columns)
    assert group.half_sizes[0].tolist() == [15, 20]
    assert np.isnan(group.half_sizes[1:]).all()
    columns.headers["angles"][0, 2] = 1.0  # a rectangle does not turn
    assert np.isnan(ObjectGroup("Sprite", layout, columns).half_sizes).all()
