"""Transitions, states, names and lines of random recordings: found fast, and none is missed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.errors import CommandError, EvictedError, PlayheadError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.reading.ring_source import RingSource
from playhead.recording.objects.object_lookup import names_over_time
from playhead.recording.open_file import open as open_recording
from playhead.recording.recording import Recording
from playhead.recording_session import record

from ..recorder.clips.stories import AGENTS, MACHINES, recorded


@contextmanager
def in_both_forms(folder: Path, seed: int, frames: int, memory: str) -> Iterator[list[Recording]]:
    """A random recording: as a ring, and as a clip of it."""
    story = recorded(frames, memory, seed)
    try:
        save(folder / "run.mcap", story.recorder.ring, chunk_bytes=3000)
        with ClipSource.open(folder / "run.mcap") as clip:
            yield [Recording(RingSource(story.recorder.ring), "ring"), Recording(clip, "clip")]
    finally:
        story.close()


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.sampled_from([(50, "1 MiB"), (250, "96 KiB")]))
def test_random_recordings_are_answered_as_frame_by_frame(tmp_path_factory, seed, size):
    with in_both_forms(tmp_path_factory.mktemp("story"), seed, *size) as runs:
        ring, clip = runs
        assert_alike(ring, clip)
        for run in runs:
            assert_transitions(run, run._source)
            assert_names(run._source)
            assert_lines(run, run._source)


def assert_alike(ring: Recording, clip: Recording) -> None:
    assert ring.transitions() == clip.transitions()
    assert ring.checks == clip.checks
    assert [told(one) for one in ring.checks] == [told(one) for one in clip.checks]
    assert ring.marks == clip.marks
    assert ring.logs() == clip.logs()
    assert names_over_time(ring._source) == names_over_time(clip._source)
    for agent in AGENTS:
        for frame in ring.frames[::7]:
            for machine in MACHINES:
                assert state(ring, agent, machine, frame.number) == state(
                    clip, agent, machine, frame.number
                )


def told(check: object) -> str:
    try:
        return str(check.story)  # type: ignore[attr-defined]
    except PlayheadError as error:
        return type(error).__name__


def state(run: Recording, agent: int, machine: str, frame: int) -> str | None:
    try:
        return run.state(agent, machine, frame=frame)
    except CommandError:
        return "no such machine"


def assert_transitions(run: Recording, source: FrameSource) -> None:
    expected = [
        (frame.number, agent, trace.machine, trace.target)
        for frame in run.frames
        for agent, trace in source.traces(frame.number)
        if isinstance(trace, StateTransition)
    ]
    found = run.transitions()
    held = [
        (one.frame, one.agent, one.machine, one.target) for one in found if one.time is not None
    ]
    assert sorted(held) == sorted(expected)
    assert [one.frame for one in found] == sorted(one.frame for one in found)
    oldest = run.frames[0].number
    assert {(one.agent, one.machine, one.target) for one in found if one.time is None} <= {
        (agent, machine, run.state(agent, machine, frame=oldest))
        for agent, machine in source.machines(oldest)
    } | {(one.agent, one.machine, one.target) for one in found if one.frame < oldest}
    middle = run.frames[len(run.frames) // 2]
    later = [row for row in held if row[0] >= middle.number]
    asked = run.transitions(first=middle.number)
    assert [(one.frame, one.agent, one.machine, one.target) for one in asked] == later
    for agent in AGENTS:
        if (agent, "plan") not in source.all_machines():
            assert not [row for row in held if row[1:3] == (agent, "plan")]
            with pytest.raises(CommandError, match="machine 'plan'"):
                run.transitions(agent, "plan", end=middle.time)
            continue
        some = run.transitions(agent, "plan", end=middle.time)
        assert sorted((one.frame, one.target) for one in some if one.time is not None) == sorted(
            (frame, target)
            for frame, whose, machine, target in held
            if whose == agent and machine == "plan" and frame <= middle.number
        )


def assert_names(source: FrameSource) -> None:
    every = names_over_time(source)
    for low, high in source.stretches:
        for frame in range(low, high + 1):
            then = {}
            for id, names in every.items():
                begun = [name for since, name in names if since <= frame]
                if begun and begun[-1]:
                    then[id] = begun[-1]
            assert then == source.names(frame)


def assert_lines(run: Recording, source: FrameSource) -> None:
    lines = [(one.frame, one.object, one.text) for one in run.logs()]
    assert lines == [
        (frame.number, line.object, line.text)
        for frame in run.frames
        for line in source.logs(frame.number)
    ]
    for name in ("hp", "speed"):
        for object in (0, *AGENTS):
            expected = [
                (frame.time, watched[object, name])
                for frame in run.frames
                if (object, name) in (watched := source.watches(frame.number))
            ]
            try:
                found = run.watches(object, name)
            except CommandError:
                assert not expected
            else:
                assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


def test_names_are_looked_up_at_the_instant_that_is_asked_about(recordings):
    run = recordings["clip"]
    assert run.object("recruit", 10).id == run.object("captain", 30).id == 7
    assert run.state("visitor", "ai", frame=20) == "Visit"
    assert run.transitions("visitor")[0].won == "came"
    assert run.object(run.object("captain"), 5).name == "recruit"
    with pytest.raises(CommandError, match="'crate': 2 objects have this name at frame 60, with"):
        run.object("crate")
    with pytest.raises(CommandError, match="no object ever had this name; did you mean 'guard 2'"):
        run.transitions("guard 99")


@pytest.mark.parametrize("wrong", [None, "", True, 1.5, -1, 2**63, [], object(), max])
def test_what_is_no_object_is_refused(wrong, recordings):
    run = recordings["ring"]
    with pytest.raises(CommandError, match="object .*(give its id, its name|ids go from 1)"):
        run.state(wrong, "ai")


def test_an_unknown_machine_or_tree_raises_with_those_that_there_are(recordings):
    run = recordings["ring"]
    with pytest.raises(CommandError, match="object 1 has the state machines 'ai', 'legs'"):
        run.state("guard 1", "mind")
    with pytest.raises(CommandError, match="object 1 has the state machines 'ai', 'legs'"):
        run.transitions("guard 1", "mind")
    with pytest.raises(CommandError, match="'mind': this recording has the state machines 'ai'"):
        run.transitions(machine="mind")
    assert run.transitions("guard 1", "ai", to="Nowhere") == []
    with pytest.raises(CommandError, match="object 101 has no state machine"):
        run.state(101)
    with pytest.raises(CommandError, match="object 2 has the trees 'mind' at frame 60"):
        run.tree("guard 2", "body")
    with pytest.raises(CommandError, match="object 1 has no behaviour tree at frame 60"):
        run.tree(1)
    assert run.transitions(101) == []


def test_a_tree_that_was_not_ticked_so_far_has_no_statuses(recordings):
    tree = recordings["clip"].tree(2, frame=2)
    assert tree.frame is None
    assert [(node.name, node.status) for node in tree.nodes] == [
        ("root", ""), ("flee", ""), ("go", "")
    ]  # fmt: skip


def test_the_story_of_an_evicted_failure_is_gone(play_game):
    one = play_game(45, memory="256 KiB")
    run = one.recording("live")
    (check,) = run.checks
    one.go_on(1500)
    with pytest.raises(EvictedError, match="the story of frame 40 is gone"):
        _ = check.story
    assert run.checks == []


def test_a_recording_without_failed_checks_or_machines_says_so(tmp_path):
    path = tmp_path / "calm.mcap"
    with record([{"name": "g", "x": 1.0}], path, dt=0.1) as rec:
        rec.update()
    with open_recording(path) as run:
        with pytest.raises(IndexError, match=r"^checks\[0\]: no check failed in this recording$"):
            _ = run.checks[0]
        assert run.checks[:1] == run.checks == []
        with pytest.raises(CommandError) as caught:
            run.state("g")
    assert str(caught.value) == ("object 1 has no state machine in what is held of this recording")
