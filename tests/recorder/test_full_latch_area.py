"""A latch area that is full: what it refuses, what it keeps room for, and which frames it costs."""

import logging
from types import SimpleNamespace

import pytest

from playhead.playback.commands import SeekMark
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark
from playhead.session import Session

from ..support.fake_world import FakeWorld

DT = 1 / 64

AGENTS = 10
"""New ones in each frame."""


def agents_of(frame):
    return range(1000 + AGENTS * frame, 1000 + AGENTS * (frame + 1))


def test_a_failed_check_is_marked_sought_and_saved_when_the_area_is_full_of_living_keys(
    tmp_path, caplog
):
    session = Session(FakeWorld(), memory="64 MiB", strict=False)
    with session:
        frames = 1600
        for frame in range(frames):
            for agent in agents_of(frame):
                session.trace.state(agent, "guard", "idle", "search", won="seen")
            session.update(DT)
        status = session.status
        assert status.latch_refused > 0
        assert (status.frames_held, status.latch_evicted) == (frames, 0)
        [refusal] = [one for one in caplog.records if one.name == "playhead"]
        assert refusal.levelno == logging.ERROR
        assert "latch" in refusal.getMessage()

        session.check(False, "the door is shut " + "x" * 3900, focus=1)
        session.update(DT)
        [mark] = session.source.marks()
        assert (mark.kind, mark.frame) == ("check", frames + 1)
        assert session.status.frames_held == frames + 1
        session.apply(SeekMark(mark.name))
        assert session.playhead.state.frame == mark.frame
        session.save(tmp_path / "x.mcap")
        with ClipSource.open(tmp_path / "x.mcap") as clip:
            assert [one.name for one in clip.marks()] == [mark.name]


def test_agents_that_come_and_go_have_their_states_and_cost_no_more_frames_than_they_need(
    make_recorder, caplog
):
    recorder = make_recorder("4 MiB", strict=False)
    keys = recorder.ring.accounts["latch_capacity"] // 640
    frames = keys // AGENTS * 3
    for frame in range(frames):
        for agent in agents_of(frame):
            recorder.trace.state(agent, "guard", "idle", f"since {frame}", won="seen")
        if frame >= 5:
            for agent in agents_of(frame - 5):
                recorder.despawn(agent)
        recorder.update([], DT)
    source, status = recorder.source, recorder.status
    assert status.latch_refused == 0
    assert status.latch_evicted > 0
    assert status.frames_held > keys / AGENTS / 2
    for frame in (source.span.newest, source.span.oldest):
        result = [object for object, kind, _ in source.facts(frame) if kind == Kind.STATE]
        expected = [agent for at in range(frame - 5, frame) for agent in agents_of(at)]
        assert sorted(result) == expected
    [result] = [one for one in caplog.records if one.name == "playhead"]
    assert result.levelno == logging.WARNING
    assert "evicted" in result.getMessage()


def test_an_older_tier_keeps_the_frames_that_a_full_area_evicts(make_recorder):
    recorder = make_recorder("16 MiB", strict=False, older=0.5)
    keys = recorder.ring.accounts["latch_capacity"] // 640
    for frame in range(keys // AGENTS * 2):
        for agent in agents_of(frame):
            recorder.trace.state(agent, "guard", "idle", "search", won="seen")
            recorder.draw.line((0, 0, 0), (1, 1, 1))
        if frame >= 5:
            for agent in agents_of(frame - 5):
                recorder.despawn(agent)
        recorder.update([], DT)
        recorder.ring.older.settle()
    status = recorder.status
    assert status.latch_evicted > 0
    assert status.latch_refused == 0
    assert status.older.lost == 0
    assert status.older.frames_held > 0
    span = recorder.source.span
    assert span.newest - span.oldest + 1 == status.frames_held


def fill(recorder):
    """Latch facts of ever new objects until one is refused, after a first frame."""
    recorder.update([], DT)
    object = 10_000
    while not recorder.status.latch_refused:
        recorder.fact(object, "", "x" * 60)
        object += 1


@pytest.mark.parametrize("memory", ["512 KiB", "64 MiB"])
def test_room_for_a_mark_of_4_kib_is_always_kept(make_recorder, memory):
    recorder = make_recorder(memory, strict=False)
    recorder.emit(SetMark("short"))
    fill(recorder)
    refused = recorder.status.latch_refused
    for name in ("x" * 3900, "short again", "y" * 3900):
        recorder.emit(SetMark(name))
        recorder.update([], DT)
    assert recorder.status.latch_refused == refused
    names = [mark.name for mark in recorder.source.marks()]
    assert names == ["short", "x" * 3900, "short again", "y" * 3900]


def test_a_mark_longer_than_the_room_for_it_is_cut_and_not_lost(make_recorder):
    recorder = make_recorder("1 MiB", strict=False)
    fill(recorder)
    recorder.emit(SetMark("the door", note="é" * 50_000, file="a.py", line=7))
    recorder.update([], DT)
    [mark] = recorder.source.marks()
    assert (mark.name, mark.file, mark.line) == ("the door", "a.py", 7)
    assert mark.note.startswith("ééé")
    assert mark.note.endswith("…")


def test_what_can_not_be_replaced_ends_and_is_not_reported_as_if_it_were_still_true(make_recorder):
    recorder = make_recorder("1 MiB", strict=False)
    recorder.fact(1, "plan", "short")
    fill(recorder)
    before = recorder.update([], DT)
    recorder.fact(1, "plan", "long" * 500)
    frame = recorder.update([], DT)
    assert recorder.source.latched(before, 1, Kind.FACT, "plan") == "short"
    assert recorder.source.latched(frame, 1, Kind.FACT, "plan") is None
    recorder.fact(1, "plan", "back")
    frame = recorder.update([], DT)
    assert recorder.source.latched(frame, 1, Kind.FACT, "plan") == "back"


def test_a_new_epoch_is_known_in_a_full_area(make_recorder, tmp_path):
    recorder = make_recorder("1 MiB", strict=False)
    fill(recorder)
    recorder.update([], time=5.0)
    frame = recorder.update([], time=1.0)
    assert recorder.source.latched(frame, 0, Kind.EPOCH, "")["epoch"] == 1
    assert [mark.kind for mark in recorder.source.marks()] == ["epoch"]
    save(tmp_path / "x.mcap", recorder.ring)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert [mark.kind for mark in clip.marks()] == ["epoch"]


def test_a_mark_too_long_for_the_area_is_reported_to_be_cut_and_a_fact_to_be_refused(
    make_recorder, caplog
):
    for say in (lambda r: r.emit(SetMark("m" * 200_000)), lambda r: r.fact(1, "f", "f" * 200_000)):
        recorder = make_recorder("1 MiB", strict=False)
        say(recorder)
        recorder.update([], DT)
    marked, result = (record.getMessage() for record in caplog.records)
    assert "no room for a mark of 2000" in marked
    assert "so its texts are cut:" in marked
    assert "so it was refused:" in result


def test_the_smallest_latch_area_still_serves_its_game():
    recorder = Recorder(64 << 10, latch=0, strict=False)
    recorder.emit(SetMark("no room at all"))
    recorder.update([], DT)
    assert recorder.status.latch_refused > 0
    recorder.close()


def test_what_the_recording_lacks_is_reported_also_when_the_area_is_full():
    session = Session(FakeWorld(), memory="1 MiB", strict=False)
    with session:
        for frame in range(400):
            for agent in agents_of(frame):
                session.trace.state(agent, "guard", "idle", "search", won="seen")
            session.update(DT)
        assert session.status.latch_refused > 0
        session.world.things = {
            1: SimpleNamespace(type="ghost" * 60), 2: SimpleNamespace(type="spirit"),
        }  # fmt: skip
        for _ in range(3):
            session.update(DT)
        losses = session.source.losses(session.source.span.newest)
        assert [loss.cause for loss in losses] == ["no handler", "no handler"]
        assert [loss.what[:6] for loss in losses] == ["ghostg", "spirit"]


def test_a_loss_that_found_no_room_is_reported_when_there_is_some():
    recorder = Recorder("1 MiB", strict=False)
    for frame in range(400):
        for agent in agents_of(frame):
            recorder.trace.state(agent, "guard", "idle", "search", won="seen")
        recorder.update([])
    ghosts = [(n, f"ghost {n}", object()) for n in range(1, 11)]
    recorder.update(ghosts)
    result = len(recorder.source.losses(recorder.source.span.newest))
    assert 4 <= result < len(ghosts)
    recorder.restart()
    for _ in range(3000):
        recorder.update([])
    assert len(recorder.source.losses(recorder.source.span.newest)) == len(ghosts)
    recorder.close()
