"""Reading a clip: by id, by time, by key, and without reading frames."""

import json
import math
import tracemalloc

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader

from playhead.errors import CommandError, EvictedError, RecordingError
from playhead.native import _ring
from playhead.recorder.clips.chunk_change_index import ChunkChanges
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.statements.statement_messages import SetMark


@pytest.fixture
def recorded_story(story):
    return story(60, seed=6)


@pytest.fixture
def clip(recorded_story, tmp_path):
    save(tmp_path / "a.mcap", recorded_story.recorder.ring, chunk_bytes=3000)
    with ClipFrames(tmp_path / "a.mcap") as clip:
        yield clip


def test_there_are_several_chunks_for_what_is_tested_here(clip):
    assert len(clip._rows) > 3


@pytest.mark.parametrize("frame", [0, -1, 61, 2**63, 2**70, 1.5, "1", None, True])
def test_what_is_no_frame_of_it_is_not_recorded(clip, frame):
    for read in (clip.stamp, clip.packets, clip.image, clip.runs, clip.latched_all):
        with pytest.raises(EvictedError):
            read(frame)
    with pytest.raises(EvictedError):
        clip.latched(frame, 0, Kind.TYPE, 1)
    with pytest.raises(EvictedError):
        clip.versions(frame, 0, Kind.TYPE, 1, 1)


def test_a_header_is_the_same_out_of_an_unpacked_frame_as_out_of_the_change_record(clip):
    without_frames = [clip.stamp(frame) for frame in range(1, 61)]
    for frame in range(1, 61):
        clip.runs(frame)
        assert clip.stamp(frame) == without_frames[frame - 1]


def test_times_are_found_as_in_a_ring(clip, recorded_story):
    ring = recorded_story.recorder.ring
    times = {ring.stamp(frame)[1] for frame in range(1, 61)}
    for time in times:
        for asked in (time, math.nextafter(time, -math.inf), math.nextafter(time, math.inf)):
            assert clip.find(asked) == ring.find(asked)
    for asked in (-math.inf, math.inf, -1e9, 1e9):
        assert clip.find(asked) == ring.find(asked)
    with pytest.raises(RecordingError, match="nan: give a number of seconds"):
        clip.find(math.nan)
    for nonsense in (math.nan, "1.0", None):
        with pytest.raises(CommandError):
            ClipSource(clip).frame_at(nonsense)


def test_keys_are_asked_for_as_in_a_ring(clip):
    assert clip.latched(30, 0, 77, 5) is None
    assert clip.versions(30, 0, Kind.MARK, 0, 0) == []
    assert clip.versions(30, 0, Kind.MARK, 0, -5) == []
    for odd in ((-1, 1, 0), (0, -1, 0), (0, 70_000, 0), (2**63, 1, 0)):
        with pytest.raises(RecordingError):
            clip.latched(30, *odd)
        with pytest.raises(RecordingError):
            clip.versions(30, *odd, 3)
        with pytest.raises(RecordingError):
            clip.changed(*odd)


def test_images_and_runs_are_those_of_the_ring(clip, recorded_story):
    for frame in range(1, 61):
        image = recorded_story.recorder.ring.image(frame)
        assert clip.image(frame) == image
        assert _ring.image_verify(clip.image(frame))
        for here, there in zip(clip.runs(frame), _ring.image_runs(image), strict=True):
            assert here[:3] == there[:3]
            assert np.array_equal(here[3], there[3])
            assert not here[3].flags.writeable


def test_runs_outlive_the_clip(recorded_story, tmp_path):
    save(tmp_path / "a.mcap", recorded_story.recorder.ring)
    with ClipFrames(tmp_path / "a.mcap") as clip:
        [*_, (_, _, _, headers, payloads)] = clip.runs(5)
    before = payloads.tobytes(), headers.tobytes()
    del clip
    assert (payloads.tobytes(), headers.tobytes()) == before


def test_searching_for_changes_and_watched_values_reads_no_frames(
    clip, recorded_story, monkeypatch
):
    source = recorded_story.recorder.source
    expected = {}
    for frame in range(1, 61):
        for (object, name), value in source.watches(frame).items():
            expected.setdefault((object, name), {})[frame] = value
    read = ClipSource(clip)
    names = {name for _, name in expected}
    numbers = {name: read._names.number(60, name) for name in names}
    monkeypatch.setattr(clip, "_frame_chunk", None)
    for (object, name), told_values in expected.items():
        frames, values = clip.watched(object, numbers[name])
        assert dict(zip(frames.tolist(), values.tolist(), strict=True)) == told_values
        frames, values = clip.watched(object, numbers[name], 20, 40)
        expected_values = {
            frame: value for frame, value in told_values.items() if 20 <= frame <= 40
        }
        assert dict(zip(frames.tolist(), values.tolist(), strict=True)) == expected_values
    assert clip.watched(99, 1)[0].tolist() == []
    for row in source._frames.latched_all(60)[::5]:
        began = [version[0] for version in source._frames.versions(60, *row[:3], 1000)]
        assert clip.changed(*row[:3]) == sorted(set(began))


def test_changes_and_watched_values_are_asked_for_by_name(clip, recorded_story):
    read = ClipSource(clip)
    frames, values = read.watched(1, "hp")
    assert len(frames) == len(values) > 0
    assert read.watched(1, "none")[0].tolist() == []
    assert read.changed(1, Kind.STATE, "none") == []
    for agent, machine in read.machines(60):
        assert read.latched(60, agent, Kind.STATE, machine) is not None
        frames = read.changed(agent, Kind.STATE, machine)
        assert frames == sorted(frames)
        assert read.clip.latched(60, agent, Kind.STATE, read._names.number(60, machine))[0] in [
            *frames,
            0,
        ]


def test_of_a_value_watched_twice_in_a_frame_the_last_counts(make_recorder, tmp_path):
    recorder = make_recorder()
    for frame in range(1, 6):
        recorder.watch("hp", 1.0, 7)
        if frame != 3:
            recorder.watch("hp", float(frame * 10), 7)
        recorder.update([], 1.0)
    save(tmp_path / "a.mcap", recorder.ring)
    with ClipSource.open(tmp_path / "a.mcap") as clip:
        frames, values = clip.watched(7, "hp")
        assert (frames.tolist(), values.tolist()) == ([1, 2, 3, 4, 5], [10, 20, 1, 40, 50])
        assert [clip.watches(frame)[7, "hp"] for frame in range(1, 6)] == values.tolist()


def test_marks_are_listed_without_reading_frames_but_the_first_keyframe(clip, recorded_story):
    reads = []
    real = clip._read_frames
    clip._read_frames = lambda row: reads.append(row.first) or real(row)
    marks = ClipSource(clip).marks()
    assert marks == recorded_story.recorder.source.marks()
    assert marks
    assert set(reads) <= {1}


def test_the_facts_of_a_clip_are_plain_values(clip, recorded_story):
    info = ClipSource(clip).info()
    assert json.loads(json.dumps(info)) == info
    source = recorded_story.recorder.source
    assert info["frames"] == 60
    assert info["span"]["oldest"] == 1
    assert info["span"]["newest"] == 60
    assert info["span"]["seconds"] == pytest.approx(source.span.seconds)
    seen: dict[int, list[int]] = {}
    for frame in range(1, 61):
        for packet in source.objects(frame):
            seen.setdefault(packet.id, []).append(frame)
    objects = {row["id"]: row for row in info["objects"]}
    assert {id: (row["first"], row["last"]) for id, row in objects.items()} == {
        id: (frames[0], frames[-1]) for id, frames in seen.items()
    }
    assert objects[1]["type"] == "guard"
    assert objects[100]["type"] == "crate"
    assert {agent for frame in range(1, 61) for agent, _ in source.traces(frame)} <= set(
        info["agents"]
    )
    checks = [mark for mark in source.marks() if mark.kind == "check"]
    assert [row["frame"] for row in info["asserts"]] == [mark.frame for mark in checks]
    assert len(info["marks"]) == len(source.marks())
    assert info["bytes"] == clip.path.stat().st_size
    assert info["complete"] is True


def test_an_object_keeps_the_last_name_it_had(make_recorder, thing, tmp_path):
    recorder = make_recorder()
    for frame in range(1, 10):
        if frame in (2, 4):
            recorder.name(1, f"guard {frame}")
        if frame == 6:
            recorder.despawn(1)
        objects = [(1, "thing", thing())] if frame < 6 else [(2, "thing", thing())]
        recorder.update(objects, 1.0)
    recorder.emit(SetMark("end"))
    recorder.update([], 1.0)
    save(tmp_path / "a.mcap", recorder.ring)
    with ClipFrames(tmp_path / "a.mcap") as clip:
        result = [(row.id, row.type, row.first, row.last, row.name) for row in clip.objects]
        assert result == [(1, "thing", 1, 5, "guard 4"), (2, "thing", 6, 9, "")]


def test_unpacked_chunks_are_kept_within_bounds(clip):
    for frame in range(1, 61):
        clip.packets(frame)
        clip.latched_all(frame)
        assert len(clip._chunks) <= 8
        assert len(clip._changes) <= 64


def test_opening_takes_memory_for_the_tables_only(recorded_story, tmp_path):
    save(tmp_path / "a.mcap", recorded_story.recorder.ring, chunk_bytes=3000)
    ClipFrames(tmp_path / "a.mcap").close()
    tracemalloc.start()
    clip = ClipFrames(tmp_path / "a.mcap")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    clip.close()
    assert taken < 100_000


def test_a_clip_can_be_forgotten_without_being_closed(recorded_story, tmp_path):
    save(tmp_path / "a.mcap", recorded_story.recorder.ring)
    clip = ClipSource.open(tmp_path / "a.mcap")
    assert clip.span is not None
    del clip  # a warning about an unclosed file would fail the test


def test_change_records_say_the_same_as_the_frames(clip):
    for row in clip._rows:
        stored, made = clip._stored_changes(row), clip._make_changes(row)
        assert isinstance(stored, ChunkChanges)
        assert stored.record == made.record


def test_the_librarys_own_readers_read_a_clip(small_clip):
    with small_clip.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None
        topics = {channel.topic: id for id, channel in summary.channels.items()}
        assert topics == {"frames": 1, "latched": 2, "changes": 3}
        messages = list(reader.iter_messages(topics=["frames"]))
        with ClipFrames(small_clip) as clip:
            assert [message.data for _, _, message in messages] == [
                clip.image(frame) for frame in range(1, 41)
            ]
            assert [message.sequence for _, _, message in messages] == list(range(1, 41))
            assert [message.log_time for _, _, message in messages] == [
                round(clip.stamp(frame)[1] * 1e9) for frame in range(1, 41)
            ]
        schema = messages[0][0]
        assert schema is not None
        assert json.loads(schema.data)["frame"]["bytes"] == 96
        assert [one.name for one in reader.iter_metadata()] == ["playhead", "about", "conventions"]
        assert next(iter(reader.iter_attachments())).name == "shot.png"
    with small_clip.open("rb") as file:
        records = StreamReader(file, emit_chunks=True, validate_crcs=True).records
        assert type(list(records)[-1]).__name__ == "Footer"
