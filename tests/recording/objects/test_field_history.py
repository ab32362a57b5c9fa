"""Histories of fields: what columns say is what each frame by itself says."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.errors import CommandError, DamagedError, EvictedError
from playhead.native.ring import FrameRing
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.clips.frame_serialization import latched_before
from playhead.recorder.packets.layouts.layout import Layout
from playhead.recorder.packets.layouts.plain_value_codec import encode
from playhead.recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.reading.ring_source import RingSource
from playhead.recording.recording import Recording

LAYOUTS = (
    Layout((("hp", "<f8", ()), ("aim", "<f4", (2, 3)), ("mood", "|S6", ()))),
    Layout((("hp", "<i4", ()), ("x", "<f8", ()))),
    Layout((("ammo", "<u2", ()),), "<f4", (2,), "path"),
    Layout((("hp", "<f8", ()),), "utf8", (), "thought"),
)
FIELDS = ("hp", "aim", "aim.1", "aim.1.z", "mood", "x", "position", "position.y", "visible",
          "ammo", "path", "path.0", "thought", "rz")  # fmt: skip
IDS = range(1, 6)


def payload(type: int, value: int) -> bytes:
    match type:
        case 0:
            return struct.pack("<d6f6s", value, *range(value, value + 6), b"m%d" % (value % 10))
        case 1:
            return struct.pack("<id", value, value / 3)
        case 2:
            return struct.pack(f"<H{value % 3 * 2}f", value, *([value] * (value % 3 * 2)))
    return struct.pack("<d", value) + b"hm" * (value % 3)


step = st.dictionaries(
    st.sampled_from(IDS),
    st.tuples(st.integers(0, 3), st.integers(0, 200), st.sampled_from((0, 0, 0, 1, 2))),
    max_size=5,
)
"""What a frame holds: by id the type, a value, and flags: 1 damaged, 2 hidden."""


def ring_of(steps: list[dict[int, tuple[int, int, int]]], memory: str = "256 KiB") -> FrameRing:
    ring = FrameRing(memory, latch="32 KiB")
    for frame, objects in enumerate(steps, 1):
        ring.begin()
        if frame == 1:
            for type, layout in enumerate(LAYOUTS):
                result = {"name": f"type {type % 3}", "layout": layout}
                ring.latch(0, PacketType.FACT, 0, Kind.TYPE, FIRST_OBJECT + type, encode(result))
        for id, (type, value, flags) in objects.items():
            data = np.frombuffer(b"" if flags & 1 else payload(type, value), np.uint8)
            ring.record_batch(
                FIRST_OBJECT + type, np.array([id], np.uint64),
                np.array([[value, id, 0]], np.float32), np.array([[0, 0, frame]], np.float32),
                None, data.reshape(1, -1), np.array([not flags & 2]), 0, flags & 1,
            )  # fmt: skip
        ring.commit(frame / 8, 1 / 8)
    return ring


def by_frames(run: Recording, field: str, id: int) -> list[tuple[float, Any]]:
    """The naive way: object by object, frame by frame."""
    rows = []
    for frame in run.frames:
        for one in run.objects(frame.number):
            if one.id == id:
                value = naive(one, field)
                if value is not None:
                    rows.append((frame.time, value))
    return rows


def naive(one: Any, field: str) -> Any:
    name, *parts = field.split(".")
    own = dict(one.fields)
    if name in own:
        value = own[name]
    elif name in [each for each, _, _ in one._layout.fields] or name in ("path", "thought"):
        return None
    else:
        if name not in ("position", "visible", "x", "rz"):
            return None
        value = {"position": one.position, "visible": one.visible, "x": one.position[0],
                 "rz": one.angles[2]}[name]  # fmt: skip
    for part in parts:
        place = "xyz".index(part) if part in "xyz" else int(part)
        if place >= len(value):
            return np.full(np.shape(value)[1:], np.nan)
        value = value[place]
    return value


def assert_naive(run: Recording) -> None:
    for field in FIELDS:
        for id in IDS:
            expected = by_frames(run, field, id)
            try:
                times, values = run.history(id, field)
            except CommandError:
                assert not expected
                continue
            assert times.tolist() == [time for time, _ in expected]
            for value, (_, other) in zip(values, expected, strict=True):
                np.testing.assert_array_equal(
                    value, np.asarray(other, getattr(value, "dtype", None))
                )


@settings(max_examples=25)
@given(steps=st.lists(step, min_size=1, max_size=14))
def test_a_history_says_what_each_frame_by_itself_says(steps):
    with ring_of(steps) as ring:
        assert_naive(Recording(RingSource(ring), "here"))


@pytest.mark.slow
@settings(max_examples=15)
@given(
    steps=st.lists(step, min_size=7, max_size=14), missing=st.sets(st.integers(1, 6), min_size=1)
)
def test_of_a_clip_with_gaps_as_well(steps, missing, tmp_path_factory):
    path = tmp_path_factory.mktemp("gaps") / "run.mcap"
    with ring_of(steps) as ring, ClipWriter(path, chunk_bytes=300) as writer:
        for first, last in stretches(missing, len(steps)):
            writer.set_latched(latched_before(ring, first, ring.image(first)), "too slow")
            for frame in range(first, last + 1):
                writer.add(ring.image(frame))
    with ClipSource.open(path) as clip:
        run = Recording(clip, str(path))
        assert_naive(run)
        held = [
            frame for low, high in stretches(missing, len(steps)) for frame in range(low, high + 1)
        ]
        assert [frame.number for frame in run.frames] == held
        assert len(run.frames) == len(held)


def stretches(missing: set[int], count: int) -> list[tuple[int, int]]:
    """What is left of so many frames without these."""
    held = [frame for frame in range(1, count + 1) if frame not in missing]
    cuts = [at for at in range(1, len(held)) if held[at] != held[at - 1] + 1]
    return [
        (held[low], held[high - 1])
        for low, high in zip([0, *cuts], [*cuts, len(held)], strict=True)
    ]


def test_where_old_frames_were_evicted_the_history_begins_later():
    steps = [{1: (0, frame % 200, 0), 2: (1, frame % 200, 0)} for frame in range(2000)]
    with ring_of(steps, "128 KiB") as ring:
        run = Recording(RingSource(ring), "here")
        assert run.span is not None
        assert run.span.oldest > 100
        times, values = run.history(1, "hp")
        assert len(times) == len(run.frames)
        assert times[0] == run.span.start
        assert values[-1] == 1999 % 200
        with pytest.raises(EvictedError, match=r"frame 5 is not held any more: it holds"):
            run.history(1, "hp", first=5)
        with pytest.raises(EvictedError, match=r"0\.5 s is not held any more: it holds"):
            run.history(1, "hp", start=0.5)


class MovingOn(RingSource):
    """A ring whose game records on while it is read."""

    def __init__(self, ring: FrameRing) -> None:
        super().__init__(ring)
        self.reads = 0

    def runs(self, frame: int) -> Any:
        self.reads += 1
        if self.reads == 20:
            record_on(self.ring, 600)
        return super().runs(frame)


def record_on(ring: FrameRing, frames: int) -> None:
    newest = ring.newest
    assert newest is not None
    for frame in range(newest[0] + 1, newest[0] + frames + 1):
        ring.begin()
        ring.record(1, FIRST_OBJECT, True, (0, 0, 0), (0, 0, 0), payload(0, frame % 200))
        ring.commit(frame / 8, 1 / 8)


def test_frames_that_are_evicted_while_it_is_read_are_left_out():
    with ring_of([{1: (0, 1, 0)}] * 900, "128 KiB") as ring:
        source = MovingOn(ring)
        before = source.span
        assert before is not None
        times = Recording(source, "here").history(1, "hp").times
        after = source.span
        assert after is not None
        assert after.oldest > before.oldest + 20
        read = [before.start + at / 8 for at in range(19)]
        left = [frame / 8 for frame in range(after.oldest, before.newest + 1)]
        assert times.tolist() == read + left


def test_missing_values_are_nan_where_that_is_wished():
    steps = [{1: (0, 5, 0)}, {}, {1: (0, 7, 1)}, {1: (1, 9, 0)}]
    with ring_of(steps) as ring:
        run = Recording(RingSource(ring), "here")
        times, values = run.history(1, "hp", missing="nan")
        assert times.tolist() == [1 / 8, 2 / 8, 3 / 8, 4 / 8]
        np.testing.assert_array_equal(values, [5, np.nan, np.nan, 9])
        with pytest.raises(CommandError, match="are no numbers"):
            run.history(1, "mood", missing="nan")
        with pytest.raises(CommandError, match="give 'omit' or 'nan'"):
            run.history(1, "hp", missing="zero")


def test_blocks_have_each_of_their_objects_in_each_of_their_frames():
    steps = [{1: (0, 1, 0), 2: (0, 2, 0)}] * 300 + [{2: (0, 3, 0)}] * 5
    with ring_of(steps) as ring:
        run = Recording(RingSource(ring), "here")
        blocks = list(run.histories("hp"))
        assert [(block.values.shape, block.ids.tolist()) for block in blocks] == [
            ((256, 2), [1, 2]), ((44, 2), [1, 2]), ((5, 1), [2])
        ]  # fmt: skip
        assert np.concatenate([block.frames for block in blocks]).tolist() == list(range(1, 306))
        (one,) = run.histories("aim", objects=[2], first=301)
        assert one.values.shape == (5, 1, 2, 3)
        with pytest.raises(CommandError, match="there is no such field"):
            list(run.histories("mana", type="type 0"))
        assert list(run.histories("hp", type="nobody")) == []


@pytest.mark.parametrize("field", ["", None, 3, "hp.x", "aim.2", "aim.0.3", "aim..x", "position.3",
                                   "velocity", "x.y", "aim.99999999999999999999"])  # fmt: skip
def test_a_field_that_is_none_is_refused_with_those_that_there_are(field):
    with ring_of([{1: (0, 1, 0)}]) as ring:
        run = Recording(RingSource(ring), "here")
        with pytest.raises(CommandError, match="hp, aim, mood|give a field's name"):
            run.history(1, field)


def test_payloads_that_are_not_what_their_layout_says_are_damage_and_no_crash(tmp_path: Path):
    ring = FrameRing("128 KiB")
    ring.begin()
    result = {"name": "guard", "layout": LAYOUTS[0]}
    ring.latch(0, PacketType.FACT, 0, Kind.TYPE, FIRST_OBJECT, encode(result))
    for frame in range(1, 5):
        if frame > 1:
            ring.begin()
        data = payload(0, frame) if frame == 3 else b"short"
        ring.record(1, FIRST_OBJECT, True, (1, 2, 3), (0, 0, 0), data)
        ring.commit(float(frame), 1.0)
    run = Recording(RingSource(ring), "run.ring")
    times, values = run.history(1, "hp")
    assert (times.tolist(), values.tolist()) == ([3.0], [3.0])
    assert [(one.first, one.last) for one in run.damage] == [(1, 1), (2, 2), (4, 4)]
    assert run.history(1, "position.y").values.tolist() == [2.0] * 4
    with pytest.raises(DamagedError, match=r"no frame from 1 to 2 can be read: frame 1: a payload"):
        run.history(1, "hp", last=2)
    with pytest.raises(DamagedError, match="frame 4, object 1: payload of 5 bytes is shorter"):
        _ = run.object(1).fields
    ring.close()


def test_every_source_gives_stretches_and_times() -> None:
    with ring_of([{}] * 3) as ring:
        source: FrameSource = RingSource(ring)
        assert source.stretches == [(1, 3)]
        assert source.time(2) == 2 / 8
